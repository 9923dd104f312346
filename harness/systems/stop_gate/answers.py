"""What a hook's end says, in the terms that hosts have rules about: one name for each thing it did. Pure.

The names are those of the rules in `hosts`, each asked of real hosts by a probe.
"""

import json
from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple

from harness.core.process import ProcessEnd

BLOCKING_EXIT: Final = 2
_BLOCK: Final = "block"
_DECISIONS: Final = (_BLOCK, "approve", None)
_BYTE_ORDER_MARK: Final = "\ufeff"
# an object without any of these is no answer to a host, e.g. the hook's input given back
HOST_FIELDS: Final = frozenset(
    ("decision", "reason", "continue", "stopReason", "suppressOutput", "systemMessage", "additionalContext",
     "hookSpecificOutput")
)  # fmt: skip
Output = Literal["empty", "object", "text", "mixed", "several"]
_MOST_BROKEN_STARTS: Final = 256  # looked at in one output: each costs time, and with one of them no host takes it


class Answer(NamedTuple):
    """A standard output: its kind, by the contract's format, and the one object it is, whatever its form."""

    output: Output
    whole: "_Object | None"
    marked: bool


def read_answer(stdout: bytes) -> Answer:
    """``stdout`` read as a host does; ``object`` is only what every host takes for an answer."""
    text = stdout.decode(errors="replace").strip(" \t\r\n")  # what JSON calls white space, and nothing else
    if not text:
        return Answer("empty", None, marked=False)
    bare = text.removeprefix(_BYTE_ORDER_MARK).strip(" \t\r\n")
    objects, rest = _objects(text)
    whole, beside = _objects(bare)
    one = whole[0] if len(whole) == 1 and not beside else None
    if not objects:
        return Answer("text", one, marked=False)
    if len(objects) > 1:
        return Answer("several", None, marked=False)
    if rest:
        return Answer("mixed", one, marked=one is not None)
    # a host takes the last of two equal keys, and another reader the first: no one object was said
    well = _is_host_format(objects[0]) and not objects[0].ambiguous
    return Answer("object" if well else "text", one, marked=False)


def rules_of(end: ProcessEnd, answer: Answer) -> tuple[str, ...]:
    """The rules that together say what a host does about that end; none when it ends whatever the host is."""
    if end.timed_out or end.start_error or end.flooded:
        return ()
    if end.exit_code == BLOCKING_EXIT:
        return (_exit_2(end.stderr, answer),)
    said = () if answer.whole is None else _said(answer.whole)
    if said and answer.marked:
        said = (*said, "block_after_byte_order_mark")
    if end.signal is not None:
        return (*said, "killed_after_block") if said else ("killed",)
    if not end.exit_code:
        return said
    code = "exit_1" if end.exit_code == 1 else "exit_3"
    return (*said, f"{code}_with_block") if said else (code,)


def _exit_2(stderr: bytes, answer: Answer) -> str:
    decision = None if answer.whole is None else answer.whole.get("decision")
    if stderr.strip():
        return "exit_2_with_approve" if decision == "approve" else "exit_2"
    if decision == _BLOCK:
        return "exit_2_with_block_on_stdout"
    return "exit_2_blank" if stderr else "exit_2_silent"


def _said(value: Mapping[str, Any]) -> tuple[str, ...]:
    """The rules about an object by which some host goes on; none when every host ends."""
    keeps_on = value.get("continue", True)
    if not isinstance(keeps_on, bool):
        return ()
    decision = value.get("decision")
    if decision != _BLOCK:
        if not keeps_on:
            return ("continue_false",)
        specific = value.get("hookSpecificOutput")
        context = specific.get("additionalContext") if isinstance(specific, dict) else None
        if decision is not None:
            return ()
        if isinstance(context, str) and context.strip():
            return ("additional_context",)
        denied = isinstance(specific, dict) and specific.get("permissionDecision") == "deny"
        return ("permission_denied",) if denied else ()
    return _block(value, keeps_on=keeps_on)


def _block(value: Mapping[str, Any], *, keeps_on: bool) -> tuple[str, ...]:
    reason = value.get("reason")
    if reason is not None and not isinstance(reason, str):
        return ()
    rules = ["block"]
    if not keeps_on:
        rules.append("block_and_continue_false")
    if reason is None:
        rules.append("block_without_reason")
    elif not reason.strip():
        rules.append("block_with_blank_reason")
    if not set(value) <= HOST_FIELDS:
        rules.append("block_with_unknown_field")
    return tuple(rules)


class _Object(dict[str, Any]):
    """A JSON object; ``ambiguous`` when it, or an object in it, names a key twice."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.ambiguous = len(self) < len(pairs) or any(_ambiguous(value) for _, value in pairs)


def _ambiguous(value: Any) -> bool:
    if isinstance(value, list):
        return any(map(_ambiguous, value))
    return isinstance(value, _Object) and value.ambiguous


def _objects(text: str) -> tuple[list[_Object], bool]:
    """The objects that stand in ``text``, and whether there is anything else beside them but white space.

    After many beginnings of none the rest of the text is not looked through: it is no answer, whatever follows.
    """
    found: list[_Object] = []
    rest = False
    position = broken = 0
    decoder = json.JSONDecoder(object_pairs_hook=_Object, parse_constant=_refuse)
    while position < len(text) and broken < _MOST_BROKEN_STARTS:
        at = text.find("{", position)
        if at < 0:
            return found, rest or bool(text[position:].strip())
        rest = rest or bool(text[position:at].strip())
        try:
            value, position = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            rest, position = True, at + 1
            broken += 1
            continue
        found.append(value)
    return found, rest


def _is_host_format(value: Mapping[str, Any]) -> bool:
    decision = value.get("decision")
    if (value and not HOST_FIELDS & set(value)) or decision not in _DECISIONS:
        return False
    if not isinstance(value.get("continue", True), bool):
        return False
    reason = value.get("reason")
    return decision != _BLOCK or (isinstance(reason, str) and bool(reason.strip()))


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is no JSON")
