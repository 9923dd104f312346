"""The rules of the events in the ContextLog: DR-LOG-01 and DR-LOG-02. Pure. Source: 001 ContextLog Events."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from harness.systems.diagnosis.contract import Reflection
from harness.systems.diagnosis.oracle import form
from harness.systems.diagnosis.oracle.failure import iteration_of
from harness.systems.diagnosis.oracle.files import CONTEXT, Span
from harness.systems.diagnosis.oracle.form import Raw, field
from harness.systems.diagnosis.oracle.output import is_near
from harness.systems.diagnosis.oracle.rules import rule
from harness.systems.diagnosis.oracle.view import Observed, View
from harness.systems.diagnosis.oracle.wording import is_alike
from harness.systems.rules import Judgement, combine, failed, passed
from harness.systems.stateless import number

ACT: Final = "diagnostic_reflection"
NAME: Final = "5_whys_analysis"
_ROUNDED: Final = 0.0051
_METADATA: Final = (
    "failed_tool",
    "error_type",
    "root_cause",
    "recovery_strategy",
    "confidence",
    "alternatives_count",
)


class _Found:
    """One span whose log was found afterwards: what was diagnosed in it, and the events that are new.

    ``owed`` are earlier diagnoses of the same world whose event a fault may have taken: it may come late.
    """

    def __init__(self, span: Span, made: list[Observed], events: list[dict[str, Any]], owed: list[Observed]) -> None:
        self.span, self.made, self.events, self.owed = span, made, events, owed


def _written(view: View) -> Iterator[_Found]:
    owed: list[Observed] = []
    for span in view.spans:
        owed = [seen for seen in owed if seen.call.segment == span.calls[0].segment]
        numbers = {call.n for call in span.calls}
        made = [seen for seen in view.diagnosed if seen.call.n in numbers]
        growth = span.growth(CONTEXT)
        events = [] if growth is None else [each for each in growth.objects if each.get("act") == ACT]
        if growth is not None:
            yield _Found(span, made, events, owed)
        if growth is None or span.may_lose(CONTEXT):
            owed = [*owed, *made]


@rule("DR-LOG-01")
def _events(view: View) -> Judgement | None:
    found: list[Judgement | None] = []
    known: set[str] = set()
    for each in _written(view):
        found.append(_count(each))
        for event in each.events:
            wrong = _wrong(event, each, view)
            if not wrong and event["id"] in known:
                wrong = f"the id {event['id']} again"
            known.add(str(event.get("id")))
            expected = "an event with all its fields"
            found.append(failed(expected, f"{wrong} in {event}") if wrong else passed(expected))
    return combine(found)


def _count(found: _Found) -> Judgement | None:
    """One event a reflection, and none for anything else; a fast path may be none."""
    full = sum(seen.reflection == Reflection.FULL.value for seen in found.made)
    every, events = len(found.made), len(found.events)
    expected = f"an event for each reflection, of which there were {full} full and {every - full} fast"
    said = f"{events} events after {found.span.calls[0].said}"
    if events > every + len(found.owed) and not _unanswered(found.span):
        return failed(expected, said)
    if found.span.may_lose(CONTEXT) or not found.made:
        return None
    if found.owed:
        return passed(expected) if events >= full else failed(expected, said)
    readings = {"fast_too": events == every, "full_only": events == full}
    return passed(expected, said, readings=[name for name, right in readings.items() if right])


def _unanswered(span: Span) -> bool:
    """Was there an operation that may have been done, or not?"""
    return any(not call.answered for call in span.calls)


def _wrong(event: Raw, found: _Found, view: View) -> str:
    """What is wrong with an event, "" when nothing is."""
    made = [*found.made, *found.owed]
    calls = [*found.span.calls, *(seen.call for seen in found.owed)]
    for name in ("id", "ts", "status", "result_preview"):
        if not form.is_text(event.get(name)):
            return f"{name} {event.get(name)!r}"
    for name, wanted in (
        ("actor", "system"),
        ("conv_id", view.conv_id),
        ("trace_id", view.trace_id),
        ("name", NAME),
    ):
        if event.get(name) != wanted:
            return f"{name} {event.get(name)!r} instead of {wanted!r}"
    if form.instant(event["ts"]) is None or not any(is_near(event["ts"], call) for call in calls):
        return f"ts {event['ts']} at {calls[0].at}"
    if not form.is_count(event.get("elapsed_ms")):
        return f"elapsed_ms {event.get('elapsed_ms')!r}"
    if not isinstance(event.get("metadata"), Mapping):
        return f"metadata {event.get('metadata')!r}"
    absent = [name for name in _METADATA if name not in event["metadata"]]
    if absent:
        return f"metadata without {absent[0]}"
    given = {iteration_of(seen.args) for seen in made}
    if made and None not in given and number(event.get("iter")) not in given:
        return f"iter {event.get('iter')!r} in iteration {sorted(each for each in given if each is not None)}"
    return ""


@rule("DR-LOG-02")
def _metadata(view: View) -> Judgement | None:
    found = []
    for each in _written(view):
        made = [*each.made, *each.owed]
        sound = [(seen, seen.diagnosis) for seen in made if seen.diagnosis is not None and _is_judged(seen.diagnosis)]
        if len(sound) == len(made) > 0:
            found += [_agrees(event, sound) for event in each.events]
    return combine(found)


def _is_judged(diagnosis: Raw) -> bool:
    return not form.incomplete(diagnosis)


def _agrees(event: Raw, made: Sequence[tuple[Observed, Raw]]) -> Judgement:
    """Does it agree with one of the diagnoses?"""
    expected = "metadata that agree with the diagnosis"
    metadata = event.get("metadata")
    readings: set[str] = set()
    first = ""
    for seen, diagnosis in made:
        wrong = _disagreement(metadata, seen, diagnosis)
        if not wrong:
            readings |= _confidences(field(metadata, "confidence"), diagnosis)
        first = first or wrong
    said = first or f"confidence {field(metadata, 'confidence')!r}, the diagnosis being {made[0][1]}"
    return passed(expected, said, readings=readings)


def _disagreement(metadata: object, seen: Observed, diagnosis: Raw) -> str:
    cause, plan = diagnosis["rootCause"], diagnosis.get("recoveryPlan")
    wanted: tuple[tuple[str, tuple[object, ...]], ...] = (
        ("failed_tool", (seen.args.tool,) if seen.named else ()),
        ("error_type", (diagnosis["errorClassification"]["type"],)),
        ("root_cause", (cause["category"], cause["description"])),
        ("recovery_strategy", () if plan is None else (plan["strategy"],)),
        ("alternatives_count", (len(diagnosis["alternatives"]),)),
    )
    for name, values in wanted:
        if values and not any(is_alike(field(metadata, name), value) for value in values):
            return f"{name} {field(metadata, name)!r} instead of {values[0]!r}"
    return ""


def _confidences(told: object, diagnosis: Raw) -> set[str]:
    """The readings in which that is the confidence."""
    found, strategy = number(told), field(diagnosis.get("recoveryPlan"), "strategy")
    values = {
        "strategy": form.confidence_of(strategy, diagnosis),
        "root_cause": number(diagnosis["rootCause"]["confidence"]),
    }
    if found is None:
        return set()
    return {name for name, value in values.items() if value is None or abs(value - found) < _ROUNDED}
