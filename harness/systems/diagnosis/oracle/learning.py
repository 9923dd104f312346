"""The rules of learning: DR-LRN-01 and DR-LRN-02. Pure. Source: 001 Pattern Learning, Acceptance 5.

What was told of a failure is followed over restarts of its process. Nothing is said once another process told some of
it, an outcome may have been lost, or a memory was given or damaged: what is known then is the implementation's secret.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from harness.systems.diagnosis.contract import Flag, Reflection
from harness.systems.diagnosis.oracle import files, weather
from harness.systems.diagnosis.oracle.classification import identity, type_of
from harness.systems.diagnosis.oracle.failure import tools_of
from harness.systems.diagnosis.oracle.form import alternatives, field, is_text, tools_named
from harness.systems.diagnosis.oracle.proposals import was_given
from harness.systems.diagnosis.oracle.rules import rule
from harness.systems.diagnosis.oracle.view import Observed, Tried, View
from harness.systems.rules import Judgement, combine, failed, passed
from harness.systems.stateless import number, unanswered

SMOOTHED, OBSERVED_RATE, MONOTONE = "smoothed", "observed_rate", "monotone"
# when a pattern is used, and for which failures: of its type and tool, or of its type whatever the tool was
FROM_FIRST, FROM_LATER = "from_first_success", "from_later"
FROM_FIRST_BY_TYPE, FROM_LATER_BY_TYPE = "from_first_success_by_type", "from_later_by_type"
BY_TYPE: Final = (FROM_FIRST_BY_TYPE, FROM_LATER_BY_TYPE)
SURE: Final = 3  # successes without a failure, after which any threshold is reached
_CONTROL = "control: a full reflection, since nothing was learned for it"
NEAR: Final = 0.0051  # two places after the point are fine enough for anybody
LOWEST, HIGHEST = 0.2, 0.8  # beyond these a rule of its own may hold a confidence
_MEMORIES: Final = (files.SESSION, files.EPISODIC)
_PATTERN: Final = "learned_pattern.confidence"


class Told(msgspec.Struct, frozen=True):
    """The outcomes that were told before a failure, as far as they are of its type; ``same``: of the very same one.

    ``available`` are the tools there are now.
    """

    of_type: tuple[Tried, ...]
    same: tuple[Tried, ...]
    available: frozenset[str]

    @property
    def strategies(self) -> frozenset[str]:
        """The strategies that succeeded for the type."""
        return frozenset(each.strategy for each in self.of_type if each.args.success and each.strategy)


def learned(view: View, seen: Observed) -> tuple[int, int] | None:
    """How many successes and failures were told before of the very same failure; None when nobody can know."""
    told = told_before(view, seen)
    if told is None:
        return None
    successes = sum(each.args.success for each in told.same)
    return successes, len(told.same) - successes


def told_before(view: View, seen: Observed) -> Told | None:
    """What was told before that failure was observed; None when the implementation need not know it, or knows more."""
    outcomes = [each for each in view.tried if each.call.segment == seen.call.segment and each.call.n < seen.call.n]
    if not _is_known(view, seen) or any(each.call.process != seen.call.process for each in outcomes):
        return None
    of_type = tuple(each for each in outcomes if type_of(each.of) == type_of(seen))
    same = tuple(each for each in of_type if _key(each.of) == _key(seen))
    return Told(of_type, same, tools_of(seen.args) or frozenset())


def _key(seen: Observed) -> str | None:
    """What makes a failure the same; None for one that has not the form of the document."""
    return None if seen.failure is None else identity(seen.args.tool, seen.args.args, seen.args.error)


def _is_known(view: View, seen: Observed) -> bool:
    """Was every outcome before told in full, and were the memories left as they were written?"""
    calls = [call for call in view.calls if call.segment == seen.call.segment and call.n <= seen.call.n]
    counted = {each.call.n for each in view.tried}
    for call in calls:
        if any(_touches(fault, label) for fault in call.faults for label in _MEMORIES):
            return False
        told = call.op == "outcome" and call.n != seen.call.n
        if told and (not call.answered or call.overlaps(seen.call) or call.n not in counted):
            return False
        if told and call.result.get("strategy") is None:
            return False
    return not any(was_given(calls[0].inputs.get(label)) for label in _MEMORIES)


def _touches(fault: Any, label: str) -> bool:
    path = files.PATHS[label]
    return weather.shakes(fault, path) or weather.damages(fault, path) or fault.name == weather.POWER


@rule("DR-LRN-02")
def fast_path(view: View) -> Judgement | None:
    """What was learned is used without a full reflection, and nothing is used that was not learned."""
    if view.flags.enabled is not True or not view.flags.is_default(Flag.FAST_RECOVERY):
        return None
    found = [judgement for seen in view.failed for judgement in _reflected(view, seen)]
    # a control alone shows nothing of what was learned: whoever never learns passes it
    return combine(found) if any(not each.ok or each.expected != _CONTROL for each in found) else None


def proven(told: Told) -> int | None:
    """How often one strategy with tools succeeded for the very same failure, when nothing failed and nothing else did.

    0 when nothing succeeded for its type; None when something is known, and it is open whether that is enough.
    """
    if not told.strategies:
        return 0
    successes = [each for each in told.same if each.args.success]
    return len(successes) if len(successes) == len(told.of_type) and _is_usable(successes, told.available) else None


def _reflected(view: View, seen: Observed) -> Iterator[Judgement]:
    told = told_before(view, seen) if seen.failure is not None else None
    if told is None:
        return
    if not seen.call.answered:
        yield unanswered(seen.call, "a reflection, fast or full")
        return
    if seen.reflection == Reflection.FAST and seen.diagnosis is not None:
        yield _used(seen, told)
    successes = proven(told)
    if successes is not None:
        yield _fast(seen, successes) if successes else _not_fast(seen)


def _is_usable(successes: Iterable[Tried], available: frozenset[str]) -> bool:
    """Was it one strategy each time, and one that names tools, all of which are available?"""
    strategies = {each.strategy for each in successes}
    first = next(iter(successes))
    found = [each for each in alternatives(first.of.diagnosis or {}) if each["strategy"] == first.strategy]
    tools = {tool for each in found for tool in tools_named(each)}
    return len(strategies) == 1 and bool(tools) and tools <= available


def _not_fast(seen: Observed) -> Judgement:
    if seen.reflection == Reflection.FULL:
        return passed(_CONTROL)
    return failed(_CONTROL, seen.call.said, reason="the control failed")


def _fast(seen: Observed, successes: int) -> Judgement:
    expected = f"the fast path after {successes} successes and no failure"
    if seen.reflection == Reflection.FAST:
        return passed(expected, readings=None if successes >= SURE else (FROM_FIRST, FROM_FIRST_BY_TYPE))
    if successes < SURE and seen.reflection == Reflection.FULL:
        return passed(f"{expected}, or not yet", readings=(FROM_LATER, FROM_LATER_BY_TYPE))
    return failed(expected, seen.call.said)


def _used(seen: Observed, told: Told) -> Judgement:
    """A fast reflection asks no model, and its plan is what was learned."""
    expected = "no model is asked on the fast path, and what was learned is planned"
    planned = field((seen.diagnosis or {}).get("recoveryPlan"), "strategy")
    if seen.prompts or (told.strategies and planned not in told.strategies):
        return failed(expected, f"{len(seen.prompts)} questions, {planned!r} in {seen.call.said}")
    of_others = bool(told.strategies) and not any(
        each.args.success and each.of.args.tool == seen.args.tool for each in told.of_type
    )
    return passed(expected, seen.call.said, readings=BY_TYPE if of_others else None)


@rule("DR-LRN-01")
def confidence(view: View) -> Judgement | None:
    """What worked is stored as a rule, and its confidence follows the successes."""
    found: list[Judgement | None] = []
    for sequence in _sequences(view):
        found += _followed(view, sequence)
    return combine(found)


def _sequences(view: View) -> list[list[Tried]]:
    """The outcomes of one failure and one strategy in turn, as long as no others may be counted with them."""
    groups: dict[tuple[int, str], list[Tried]] = {}
    for tried in view.tried:
        groups.setdefault((tried.call.segment, identity(type_of(tried.of))), []).append(tried)
    return [_pure(view, group) for group in groups.values()]


def _pure(view: View, group: list[Tried]) -> list[Tried]:
    pure: list[Tried] = []
    for tried in group:
        first = group[0]
        if first.of.failure is None:
            break
        if tried.strategy is None or tried.strategy != first.strategy or _key(tried.of) != _key(first.of):
            break
        if tried.call.process != first.call.process or len(view.span(tried.call).calls) > 1:
            break
        if tried.before or not tried.call.answered or not _is_known(view, tried.of):
            break
        pure.append(tried)
    return pure


def _followed(view: View, sequence: Iterable[Tried]) -> Iterator[Judgement]:
    before: dict[str, float] = {}
    successes = count = 0
    for tried in sequence:
        count, successes = count + 1, successes + tried.args.success
        span = view.span(tried.call)
        session, episodic = span.growth(files.SESSION), span.growth(files.EPISODIC)
        if session is None or episodic is None or any(map(span.may_lose, _MEMORIES)):
            return
        records = (*session.objects, *episodic.objects)
        if tried.args.success:
            yield _stored(tried, records)
        stored = _confidences(records)
        if not tried.args.success:
            yield from _still_told(tried, stored, before, known=bool(successes))
        for name, value in stored.items():
            yield _plausible(tried, name, value, before.get(name), (successes, count))
        before = {name: number(value) or 0.0 for name, value in stored.items()}


def _still_told(
    tried: Tried, stored: Mapping[str, Any], before: Mapping[str, float], *, known: bool
) -> Iterator[Judgement]:
    """After a failure: nothing need be told while nothing worked; the pattern that was told is told again."""
    if not known and not stored:
        yield passed("no pattern while nothing worked")
    if _PATTERN in before:
        expected = "the pattern again, with what its confidence is after a failure"
        yield passed(expected) if _PATTERN in stored else failed(expected, f"no {_PATTERN} after {tried.call.said}")


def _stored(tried: Tried, records: Iterable[Mapping[str, Any]]) -> Judgement:
    expected = "a pattern: when and then, or trigger and action"
    for record in records:
        pattern, reusable = record.get("learned_pattern"), record.get("reusable_pattern")
        if is_text(field(pattern, "when")) and is_text(field(pattern, "then")):
            return passed(expected)
        if is_text(field(reusable, "trigger")) and is_text(field(reusable, "action")):
            return passed(expected)
    return failed(expected, f"none was stored after {tried.call.said}")


def _confidences(records: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Each confidence that was stored, by the field it stands in; the last of each."""
    found: dict[str, Any] = {}
    for record in records:
        for part, name in (
            ("learned_pattern", "confidence"),
            ("successful_recovery", "confidence"),
            ("reusable_pattern", "success_rate"),
        ):
            pattern = record.get(part)
            if isinstance(pattern, Mapping) and name in pattern:
                found[f"{part}.{name}"] = pattern[name]
    return found


def _plausible(tried: Tried, name: str, raw: Any, before: float | None, counts: tuple[int, int]) -> Judgement:
    """Is that confidence one that some rule gives after so many successes of so many outcomes?"""
    successes, count = counts
    expected = f"{name} as it follows from {successes} successes of {count}"
    value = number(raw)
    if value is None or not 0.0 <= value <= 1.0:
        return failed(expected, f"{raw!r} after {tried.call.said}")
    readings = [
        reading
        for reading, right in (
            (SMOOTHED, abs(value - (successes + 1) / (count + 2)) < NEAR),
            (OBSERVED_RATE, abs(value - successes / count) < NEAR),
            (MONOTONE, before is None or _follows(before, value, success=tried.args.success)),
        )
        if right
    ]
    told = f"{value:g} after {tried.call.said}"
    if not readings:
        return failed(expected, f"{told}, and {before} before")
    # the success rate has a name of its own: that it is one says nothing of the confidence
    return passed(expected, told, readings=None if name.endswith("success_rate") else readings)


def _follows(before: float, value: float, *, success: bool) -> bool:
    """Did it move as the outcome did?"""
    if success:
        return value > before or before >= HIGHEST <= value
    return value < before or (before <= LOWEST and value <= before)
