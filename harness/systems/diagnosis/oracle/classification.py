"""The rules of the classification: DR-CLS-01 to DR-CLS-13. Pure. Source: 001 Error Classification Taxonomy."""

import json
from functools import lru_cache
from typing import Any, Final

import msgspec

from harness.systems.diagnosis.contract import ErrorType, Severity
from harness.systems.diagnosis.oracle.failure import tools_of
from harness.systems.diagnosis.oracle.form import alternatives, field, tools_named
from harness.systems.diagnosis.oracle.indications import Indicated, indicated
from harness.systems.diagnosis.oracle.rules import rule
from harness.systems.diagnosis.oracle.view import Observed, View
from harness.systems.rules import Judgement, combine, failed, passed
from harness.systems.stateless import number, unanswered

UNSURE: Final = 0.5  # how sure of the nearest type anybody may be where none fits
UNKNOWN, NEAREST = "unknown", "nearest_of_ten"
EXIT_124, TEXTS_ONLY = "exit_124", "texts_only"
BY_REMEDY: Final = "by_type_and_remedy"
CLAUSES: Final = {
    ErrorType.COMMAND_NOT_FOUND: "DR-CLS-02",
    ErrorType.TOOL_NOT_FOUND: "DR-CLS-03",
    ErrorType.PERMISSION_DENIED: "DR-CLS-04",
    ErrorType.INVALID_ARGUMENTS: "DR-CLS-05",
    ErrorType.TIMEOUT: "DR-CLS-06",
    ErrorType.OUTPUT_TOO_LARGE: "DR-CLS-07",
    ErrorType.RATE_LIMITED: "DR-CLS-08",
    ErrorType.NETWORK_ERROR: "DR-CLS-09",
    ErrorType.SYNTAX_ERROR: "DR-CLS-10",
    ErrorType.ENVIRONMENT_MISSING: "DR-CLS-11",
}
_EXCUSES: Final = (None, 0, 1)  # exit codes that say nothing


class Classified(msgspec.Struct, frozen=True):
    """A failure of the form of the document, what it indicates, and what it was taken for: a text, or anything else."""

    seen: Observed
    shown: Indicated
    type: Any

    @property
    def is_type(self) -> bool:
        """Was it taken for what it unmistakably is, or may it be anything?"""
        return self.shown.type is None or self.type == self.shown.type.value


def type_of(seen: Observed) -> Any:
    """What a failure was taken for."""
    return field((seen.diagnosis or {}).get("errorClassification"), "type")


def shown_by(seen: Observed) -> Indicated | None:
    """What that failure indicates; None when it has not the form of the document."""
    if seen.failure is None:
        return None
    tools = tools_of(seen.args)
    is_said = field(seen.args.context, "availableTools") is not None
    return indicated(seen.failure, tools, legible=tools is not None or not is_said)


@lru_cache(maxsize=1)
def classified(view: View) -> tuple[Classified, ...]:
    """The failures of the form of the document that had to be classified, or were."""
    found = []
    for seen in view.failed:
        shown = shown_by(seen)
        if shown is not None and (seen.diagnosis is not None or view.flags.enabled):
            found.append(Classified(seen, shown, type_of(seen)))
    return tuple(found)


def _of_type(kind: ErrorType) -> None:
    """The rule of one type: what unmistakably is of it, and what only looks like it."""

    @rule(CLAUSES[kind])
    def judged(view: View) -> Judgement | None:
        found = classified(view)
        return combine([*(_hit(each, kind) for each in found), *(_false_alarm(each, kind) for each in found)])


def _hit(each: Classified, kind: ErrorType) -> Judgement | None:
    if each.shown.type is not kind:
        return None
    expected = f"{kind.value}: {_reason(each)}"
    if not each.seen.call.answered:
        return unanswered(each.seen.call, expected)
    if each.type == kind.value:
        return passed(expected, readings=(EXIT_124,) if each.shown.by_code else None)
    if each.type in each.shown.lookalikes:
        return None  # which is for the clause of that type to say
    if each.shown.by_code:
        return passed(f"{kind.value}, or what the texts say: the exit code is 124", readings=(TEXTS_ONLY,))
    return failed(expected, f"{each.type!r} in {each.seen.call.said}")


def _false_alarm(each: Classified, kind: ErrorType) -> Judgement | None:
    """The control: what unmistakably is of another type and only looks like this one."""
    if each.is_type or each.type != kind.value or kind not in each.shown.lookalikes:
        return None
    expected = f"control: {each.shown.type}, which only looks like {kind.value}"
    return failed(expected, f"{each.type!r} in {each.seen.call.said}", reason="the control failed")


def _reason(each: Classified) -> str:
    failure = each.seen.failure
    return "" if failure is None else f"{failure.message!r:.120}, code {failure.code!r}, stderr {failure.stderr!r:.120}"


for _kind in CLAUSES:
    _of_type(_kind)


@rule("DR-CLS-01")
def one_of_ten(view: View) -> Judgement | None:
    """Every failure that was diagnosed is of one of the ten types, or of none where none fits."""
    found: list[Judgement | None] = [_known(seen) for seen in view.diagnosed]
    return combine([*found, _told_apart(view)])


def _known(seen: Observed) -> Judgement:
    kind, expected = type_of(seen), "one of the ten types, or unknown where none fits"
    if kind == ErrorType.UNKNOWN.value:
        return passed(expected, readings=(UNKNOWN,))
    if not isinstance(kind, str) or kind not in CLAUSES:
        return failed(expected, f"type {kind!r} in {seen.call.said}")
    shown = shown_by(seen)
    if shown is None or shown.firm or shown.hinted or shown.lookalikes or not _says_nothing(seen):
        return passed(expected)
    sure = number(field((seen.diagnosis or {}).get("rootCause"), "confidence"))
    if sure is None or sure <= UNSURE:
        return passed(expected, readings=(NEAREST,))
    return failed("unknown, or the nearest type with a low confidence, where none fits", f"{kind} in {seen.call.said}")


def _says_nothing(seen: Observed) -> bool:
    failure = seen.failure
    if failure is None or failure.signal is not None or failure.stdout or failure.stderr:
        return False
    return failure.code in _EXCUSES and seen.args.model is None


def _told_apart(view: View) -> Judgement | None:
    """The control: failures that unmistakably are of different types are not all of the same."""
    found = [each for each in classified(view) if each.shown.type is not None and isinstance(each.type, str)]
    kinds, told = {each.shown.type for each in found}, {each.type for each in found}
    if len(kinds) < 2 or len(told) > 1:
        return None
    return failed(f"control: {len(kinds)} types, told apart", f"all {told}", reason="the control failed")


@rule("DR-CLS-12")
def deterministic(view: View) -> Judgement | None:
    """The same failure is of the same type, each time, in every process, and of one."""
    found: list[Judgement | None] = []
    before: dict[str, Classified] = {}
    for each in classified(view):
        if not each.seen.call.answered:
            continue
        if len(each.shown.firm) > 1:
            one = isinstance(each.type, str)
            expected = f"one type, where {len(each.shown.firm)} are indicated"
            found.append(passed(expected) if one else failed(expected, f"{each.type!r} in {each.seen.call.said}"))
        key = _key(each)
        first = before.setdefault(key, each)
        if first is not each:
            expected = f"{first.type!r}, as it was before"
            same = first.type == each.type
            found.append(passed(expected) if same else failed(expected, f"{each.type!r} in {each.seen.call.said}"))
    return combine(found)


def identity(*parts: Any) -> str:
    """A text that is the same for the same values."""
    return json.dumps(msgspec.to_builtins(parts), sort_keys=True)


def _key(each: Classified) -> str:
    """What makes a failure the same. A model may decide only where nothing is unmistakable."""
    args = each.seen.args
    model = args.model if each.shown.type is None else None
    return identity(args.tool, args.args, args.error, sorted(tools_of(args) or ()), model)


@rule("DR-CLS-13")
def severity(view: View) -> Judgement | None:
    """Every diagnosis has one of the three severities, and one that fits its alternatives."""
    return combine(_severe(seen) for seen in view.diagnosed)


def _severe(seen: Observed) -> Judgement:
    diagnosis = seen.diagnosis or {}
    found = field(diagnosis.get("errorClassification"), "severity")
    recovers = field(diagnosis.get("errorClassification"), "canRecover")
    if not isinstance(found, str) or found not in list(Severity):
        return failed(f"one of {', '.join(Severity)}", f"severity {found!r} in {seen.call.said}")
    remedied = any(map(tools_named, alternatives(diagnosis)))
    if found == Severity.RECOVERABLE and not remedied:
        return failed("not recoverable: no alternative names a tool", f"severity {found} in {seen.call.said}")
    if found == Severity.FATAL and recovers is True:
        return failed("not fatal: it can be recovered from", f"severity {found} in {seen.call.said}")
    shown = shown_by(seen)
    missing = shown is not None and shown.type is ErrorType.COMMAND_NOT_FOUND
    if missing and remedied and found != Severity.RECOVERABLE:
        return failed("recoverable: a command is missing, and an alternative names a tool", f"severity {found}")
    return passed("a severity that fits the alternatives", readings=(BY_REMEDY,))
