"""The rules of the configuration flags: DR-CFG-01 to DR-CFG-07. Pure. Source: 001 Configuration Flags."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from harness.systems.diagnosis.contract import FLAG_DEFAULTS, NOT_ASKED, WHYS, Flag, Reflection
from harness.systems.diagnosis.oracle import form
from harness.systems.diagnosis.oracle.files import EPISODIC, SESSION, Span, parsed
from harness.systems.diagnosis.oracle.flags import READINGS, Flags
from harness.systems.diagnosis.oracle.form import Raw
from harness.systems.diagnosis.oracle.output import diagnoses
from harness.systems.diagnosis.oracle.rules import rule
from harness.systems.diagnosis.oracle.view import Learned, Observed, Tried, View
from harness.systems.diagnosis.oracle.wording import is_alike
from harness.systems.rules import Judgement, combine, failed, passed
from harness.systems.stateless import number

FULL, FAST, NONE = Reflection.FULL.value, Reflection.FAST.value, Reflection.NONE.value
SETTLED: Final = 3  # successes after which a pattern has to be used
_SAME: Final = 1e-9


def _said(flags: Flags, flag: Flag) -> str:
    text = flags.text(flag)
    return f"{flag.value} {'not set' if text is None else repr(text)}"


def _readings(flags: Flags, flag: Flag, *, on: bool) -> list[str]:
    """The readings in which that flag is ``on``, or in which it is not."""
    return [name for name in READINGS if flags.on(flag)[name] is on]


@rule("DR-CFG-01")
def _enabled(view: View) -> Judgement | None:
    """On or off as a whole: a failure that is passed over while others are not is a matter of DR-TRG-01."""
    seen = [each for each in view.failed if not each.hostile and each.call.answered]
    if not seen:
        return None
    reflected = [each for each in seen if each.reflection != NONE or each.diagnosis is not None]
    expected = f"reflections as {_said(view.flags, Flag.ENABLED)} says"
    found = f"{len(reflected)} of {len(seen)} failures were reflected on"
    return passed(
        expected, found, readings=_readings(view.flags, Flag.ENABLED, on=bool(reflected)), witnesses=len(seen)
    )


@rule("DR-CFG-02")
def _depth(view: View) -> Judgement | None:
    depths = view.flags.numbers(Flag.WHY_DEPTH)
    if depths is None:
        return None
    expected = f"as many whys as {_said(view.flags, Flag.WHY_DEPTH)} says, of the others that they were not asked"
    default = int(FLAG_DEFAULTS[Flag.WHY_DEPTH])

    def judged(diagnosis: Raw) -> Judgement | None:
        whys = form.whys(diagnosis)
        if not whys:
            return None
        asked = [not why.strip().lower().startswith(NOT_ASKED) for why in whys]
        depth = sum(asked)
        right = depth in depths and asked == [place < depth for place in range(len(WHYS))]
        readings = None if len(depths) == 1 else ("not_asked",) if depth == default else ("nearest",)
        return passed(expected, readings=readings) if right else failed(expected, f"whyChain {whys}")

    return combine(judged(diagnosis) for seen, diagnosis in diagnoses(view) if seen.reflection == FULL)


@rule("DR-CFG-03")
def _temperature(view: View) -> Judgement | None:
    permitted = view.flags.numbers(Flag.TEMPERATURE)
    if permitted is None:
        return None
    expected = f"the temperature that {_said(view.flags, Flag.TEMPERATURE)} says"

    def judged(asked: Mapping[str, Any]) -> Judgement:
        told = number(asked.get("temperature"))
        right = told is not None and any(math.isclose(told, each, abs_tol=_SAME) for each in permitted)
        return passed(expected) if right else failed(expected, f"temperature {asked.get('temperature')!r}")

    return combine(judged(asked) for seen in view.failed for asked in seen.prompts)


@rule("DR-CFG-04")
def _tokens(view: View) -> Judgement | None:
    permitted = view.flags.numbers(Flag.MAX_TOKENS)
    if permitted is None:
        return None
    expected = f"the limit of tokens that {_said(view.flags, Flag.MAX_TOKENS)} says"

    def judged(seen: Observed) -> Judgement | None:
        if not seen.prompts:
            is_none = seen.args.model is not None and seen.reflection == FULL and 0.0 in permitted
            return passed(expected) if is_none else None
        told = [number(asked.get("max_tokens")) for asked in seen.prompts]
        limits = [each for each in told if each is not None and each >= 0]
        if len(limits) < len(told):
            return failed(expected, f"max_tokens {told}")
        readings = {
            "each_call": any(set(limits) == {each} for each in permitted),
            "shared": any(_is_shared(limits, each) for each in permitted),
        }
        return passed(expected, f"max_tokens {limits}", readings=[name for name, right in readings.items() if right])

    return combine(judged(seen) for seen in view.failed)


def _is_shared(limits: Sequence[float], whole: float) -> bool:
    """Do the calls share it? One call has all of it, several as much as that at most, and not next to nothing."""
    return math.fsum(limits) == whole or (len(limits) > 1 and whole / 2 <= math.fsum(limits) <= whole)


@rule("DR-CFG-05")
def _attempts(view: View) -> Judgement | None:
    limits = view.flags.numbers(Flag.MAX_RECOVERY_ATTEMPTS) or ()
    judged = [_with_limit(view, limit) for limit in sorted(limits, reverse=True)]
    return next((each for each in judged if each is not None and each.ok), next(iter(judged), None))


def _with_limit(view: View, limit: float) -> Judgement | None:
    expected = f"the user asked after as many failed recoveries as {_said(view.flags, Flag.MAX_RECOVERY_ATTEMPTS)} says"
    at_once = [
        passed(expected) if seen.asks_user else failed(expected, f"the user is not asked: {seen.call.said}")
        for seen, _ in diagnoses(view)
        if limit == 0
    ]
    return combine([*at_once, *(_asked_in_time(view, tried, limit, expected) for tried in view.tried)])


def _asked_in_time(view: View, tried: Tried, limit: float, expected: str) -> Judgement | None:
    """After a recovery that failed: is the user asked now exactly when it has to be, in both scopes?"""
    told, diagnosis = (*tried.before, tried), tried.of.diagnosis
    if diagnosis is None or not tried.call.answered or any(each.args.success for each in told):
        return None
    others = _others_of_the_tool(view, tried)
    if any(other.args.success for other in others):
        return None
    failures = len(told)
    if failures >= limit:
        return passed(expected) if tried.asks_user else failed(expected, f"after {failures}: {tried.call.said}")
    done = {each.strategy for each in told}
    left = [each for each in form.alternatives(diagnosis) if form.tools_named(each) and each["strategy"] not in done]
    if not left:
        return passed(f"{expected}; nothing else is left") if tried.asks_user and tried.nothing_left else None
    if others:
        return None
    return failed(expected, f"after {failures}: {tried.call.said}") if tried.asks_user else passed(expected)


def _others_of_the_tool(view: View, tried: Tried) -> list[Tried]:
    """The recoveries of other failures of the same tool that were tried before: the scopes of DR-REC-07 may differ."""
    return [
        other
        for other in view.tried
        if other.of.call.n != tried.of.call.n
        and other.call.n < tried.call.n
        and other.call.segment == tried.call.segment
        and other.of.args.tool == tried.of.args.tool
    ]


@rule("DR-CFG-06")
def _fast(view: View) -> Judgement | None:
    expected = f"the fast path of what was learned as {_said(view.flags, Flag.FAST_RECOVERY)} says"

    def judged(seen: Observed, learned: Learned | None) -> Judgement | None:
        if learned is None or learned.successes == 0 or not seen.call.answered:
            return None
        if seen.reflection == FAST:
            return passed(expected, seen.call.said, readings=_readings(view.flags, Flag.FAST_RECOVERY, on=True))
        if seen.reflection == FULL and learned.successes >= SETTLED and not learned.failures:
            return passed(expected, seen.call.said, readings=_readings(view.flags, Flag.FAST_RECOVERY, on=False))
        return None

    return combine(judged(seen, view.learned(seen)) for seen in view.failed if not seen.hostile)


@rule("DR-CFG-07")
def _whole(view: View) -> Judgement | None:
    expected = f"the whole diagnosis in a memory as {_said(view.flags, Flag.STORE_FULL)} says"

    def judged(span: Span, seen: Observed, diagnosis: Raw) -> Judgement | None:
        grown = [span.growth(label) for label in (SESSION, EPISODIC)]
        records = [record for each in grown if each is not None for record in each.objects]
        if not records or span.may_lose(SESSION):
            return None
        stored = any(_holds(record, diagnosis) for record in records)
        readings = _readings(view.flags, Flag.STORE_FULL, on=stored)
        return passed(expected, f"stored whole: {stored}, {seen.call.said}", readings=readings)

    return combine(
        judged(view.span(seen.call), seen, diagnosis) for seen, diagnosis in diagnoses(view) if seen.reflection == FULL
    )


def _holds(record: Raw, diagnosis: Raw) -> bool:
    """Does the diagnosis stand somewhere in that record, as an object or as the text of one?"""
    return any(is_alike(each, diagnosis) for each in _objects(record))


def _objects(raw: object) -> Iterator[Raw]:
    waiting = [raw]
    while waiting:
        each = waiting.pop()
        if isinstance(each, Mapping):
            yield each
            waiting += each.values()
        elif isinstance(each, list):
            waiting += each
        elif isinstance(each, str) and each.startswith("{"):
            waiting.append(parsed(each.encode(errors="replace")))
