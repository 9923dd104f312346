"""The three files as operations found them: what was added between two looks, and whether the rest was left. Pure."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final, NoReturn

import msgspec

from harness.core.history import InputFact
from harness.systems.diagnosis.contract import CONTEXT_LOG_PATH, EPISODIC_MEMORY_PATH, SESSION_MEMORY_PATH
from harness.systems.diagnosis.oracle import weather
from harness.systems.diagnosis.oracle.asking import Call

SESSION: Final = "session_memory"
EPISODIC: Final = "episodic_memory"
CONTEXT: Final = "context_log"
PATHS: Final = {SESSION: SESSION_MEMORY_PATH, EPISODIC: EPISODIC_MEMORY_PATH, CONTEXT: CONTEXT_LOG_PATH}
_END: Final = b"\n"
_ESCAPED_HALF: Final = re.compile(rb"\\u[dD][89a-fA-F]")


class Growth(msgspec.Struct, frozen=True):
    """What became of one file between two looks at it.

    ``added`` are the lines that are new, ``lost`` those that are gone, without their ends, blank ones left out.
    ``torn`` is what stood after the last end of a line before; ``glued``: the first new line stands in one with it.
    """

    added: tuple[bytes, ...]
    lost: tuple[bytes, ...]
    torn: bytes = b""
    glued: bool = False

    @property
    def records(self) -> tuple[Any, ...]:
        """The new lines that are JSON, of whatever shape."""
        return tuple(found for found in map(parsed, self.added) if found is not None)

    @property
    def objects(self) -> tuple[dict[str, Any], ...]:
        """The new lines that are JSON objects."""
        return tuple(found for found in self.records if isinstance(found, dict))


class Span:
    """The operations between two moments at which none ran: ``calls`` in order, and the one that ``looks`` after them.

    ``looks`` is None for the last ones of a world: nobody saw what they left.
    """

    def __init__(self, calls: tuple[Call, ...], looks: Call | None) -> None:
        self.calls, self.looks = calls, looks
        self._growths: dict[str, Growth | None] = {}

    def growth(self, label: str) -> Growth | None:
        """What they did to that file; None when it was not told, or a fault did something to it meanwhile."""
        if label not in self._growths:
            self._growths[label] = self._grown(label)
        return self._growths[label]

    def _grown(self, label: str) -> Growth | None:
        if self.looks is None or self._is_disturbed(label):
            return None
        before, after = content(self.calls[0].inputs.get(label)), content(self.looks.inputs.get(label))
        return None if before is None or after is None else grown(before, after)

    def may_lose(self, label: str) -> bool:
        """May a line that was to be written into that file be missing, or torn?"""
        if any(weather.shakes(fault, PATHS[label]) for call in self.calls for fault in call.faults):
            return True
        growth = self.growth(label)
        return any(not call.answered for call in self.calls) or (growth is not None and growth.glued)

    def _is_disturbed(self, label: str) -> bool:
        path, everybody = PATHS[label], (*self.calls, self.looks)
        standing = [_touching(call, path) for call in everybody if call is not None]
        if any(each != standing[0] for each in standing):
            return True
        return any(weather.disturbs(fault, path) for call in self.calls for fault in call.faults)


def _touching(call: Call, path: str) -> list[Any]:
    """The faults that stand against that file for longer than one operation."""
    return [
        fault
        for fault in call.faults
        if fault.family != weather.SYSCALL and (weather.damages(fault, path) or weather.shakes(fault, path))
    ]


def spans(calls: Sequence[Call]) -> tuple[Span, ...]:
    """The calls in groups, such that none ran while another group began."""
    groups: list[list[Call]] = []
    for call in calls:
        last = groups[-1] if groups else []
        if last and last[0].segment == call.segment and call.n < max(each.ended_n for each in last):
            last.append(call)
        else:
            groups.append([call])
    following: list[Call | None] = [*(group[0] for group in groups[1:]), None]
    return tuple(
        Span(tuple(group), after if after is not None and after.segment == group[0].segment else None)
        for group, after in zip(groups, following, strict=False)
    )


def content(fact: InputFact | None) -> bytes | None:
    """What stood in the file, nothing in one that is missing; None when that is not known."""
    if fact is None:
        return None
    return b"" if fact.kind == "missing" else fact.data


def grown(before: bytes, after: bytes) -> Growth:
    """The lines that are new and those that are gone."""
    torn = before[before.rfind(_END) + 1 :]
    if after.startswith(before):
        new = after[len(before) :]
        glued = bool(torn.strip()) and bool(new) and not new.startswith((_END, b"\r"))
        return Growth(_lines(new), (), torn, glued)
    old, now = Counter(_lines(before)), Counter(_lines(after))
    return Growth(_in_order(after, now - old), _in_order(before, old - now), torn)


def parsed(line: bytes) -> Any:
    """The JSON value of a line; None for null and for what is no JSON.

    Half of a surrogate pair, written as an escape, is JSON (RFC 8259, 8.2), which msgspec does not read.
    """
    with suppress(msgspec.DecodeError, RecursionError, ValueError):
        return msgspec.json.decode(line)
    with suppress(RecursionError, ValueError):
        return json.loads(line.decode(), parse_constant=_no_constant) if _ESCAPED_HALF.search(line) else None
    return None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def objects(data: bytes) -> tuple[dict[str, Any], ...]:
    """Every line of a file that is a JSON object."""
    return tuple(found for found in map(parsed, _lines(data)) if isinstance(found, dict))


def _lines(data: bytes) -> tuple[bytes, ...]:
    return tuple(line.removesuffix(b"\r") for line in data.split(_END) if line.strip())


def _in_order(data: bytes, wanted: Counter[bytes]) -> tuple[bytes, ...]:
    """Those of its lines, each as often as it is wanted, as they stand; of equal ones the last."""
    left, found = Counter(wanted), []
    for line in reversed(_lines(data)):
        if left[line] > 0:
            left[line] -= 1
            found.append(line)
    return tuple(reversed(found))
