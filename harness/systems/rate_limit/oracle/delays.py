"""Rules on delays and retries: LK-RL-04 to LK-RL-06. Pure."""

from collections.abc import Iterator

from harness.systems.rate_limit.oracle.backoff import (
    delay_s,
    exceeds,
    is_alike,
    jitter_s,
    nominal_s,
    readings_of,
)
from harness.systems.rate_limit.oracle.view import RULES, Asked, View
from harness.systems.rules import Judgement, combine, failed, passed
from harness.systems.stateless import unanswered

SHORT = 0.5  # of the longest delay: what is nominally shorter than that share is not lengthened to it
FIVE_RETRIES, FIVE_ATTEMPTS = "five_retries", "five_attempts"


def _tuned_wrong(view: View, *names: str) -> Iterator[Judgement]:
    """What is wrong with the tunables that a clause hangs on; it says something only where they are wrong."""
    return (judgement for name, judgement in view.misconfigured if name in names)


def _within(asked: Asked) -> bool:
    return 1 <= asked.retry <= asked.tuned.max_retries


@RULES.rule("LK-RL-04")
def doubling(view: View) -> Judgement | None:
    """Each delay up to the longest is the nominal one, or that and a jitter."""
    return combine([*map(_nominal, view.retries), *_tuned_wrong(view, "initial_delay_s", "multiplier")])


def _nominal(asked: Asked) -> Judgement | None:
    nominal = nominal_s(asked.retry, asked.tuned)
    if not _within(asked) or exceeds(nominal, asked.tuned.max_delay_s):
        return None
    expected = f"before retry {asked.retry} a delay of {nominal:g} s, and whatever jitter is stated on top"
    if not asked.call.answered:
        return unanswered(asked.call, expected)
    if asked.call.result.get("retry") is not True:
        return None  # which retries are made is for LK-RL-06 to say
    if is_alike(nominal, asked.tuned.max_delay_s) and (delay_s(asked.call.result) or 0) > nominal:
        return None  # the longest delay is for LK-RL-05 to say
    return passed(expected, asked.call.said, readings=readings_of(asked.call.result, nominal))


@RULES.rule("LK-RL-05")
def longest(view: View) -> Judgement | None:
    """Each delay from there on is the longest."""
    judged = [_longest(asked) for asked in view.retries]
    witnessed = any(judgement is not None for judgement in judged)
    return combine(
        [
            *judged,
            *(_lengthened(asked) for asked in view.retries if witnessed),
            *_tuned_wrong(view, "max_delay_s"),
        ]
    )


def _longest(asked: Asked) -> Judgement | None:
    bound = asked.tuned.max_delay_s
    expected = f"before retry {asked.retry} the longest delay, {bound:g} s"
    if not _within(asked):
        return None
    reached = nominal_s(asked.retry, asked.tuned) >= bound
    if not asked.call.answered:
        return unanswered(asked.call, expected) if reached else None
    delay = delay_s(asked.call.result)
    if delay is not None and exceeds(delay, bound):
        return failed(f"no delay above {bound:g} s", asked.call.said)
    if not reached or asked.call.result.get("retry") is not True:
        return None
    ok = delay is not None and is_alike(delay, bound) and jitter_s(asked.call.result) >= 0
    return passed(expected, asked.call.said) if ok else failed(expected, asked.call.said)


def _lengthened(asked: Asked) -> Judgement | None:
    """The control: a delay that is nominally much shorter is shorter."""
    bound = asked.tuned.max_delay_s
    if not _within(asked) or nominal_s(asked.retry, asked.tuned) > bound * SHORT:
        return None
    if (delay_s(asked.call.result) or 0.0) < bound:
        return None
    return failed(f"control: a delay below {bound:g} s", asked.call.said, reason="the control failed")


@RULES.rule("LK-RL-06")
def bounded(view: View) -> Judgement | None:
    """Retries up to the limit are made, and no further one."""
    judged = [_beyond(asked) for asked in view.retries]
    wrong = list(_tuned_wrong(view, "max_retries"))
    if not any(asked.retry > asked.tuned.max_retries for asked in view.retries):
        judged = [each for each in judged if each is not None and not each.ok]  # only the control was asked for
    return combine([*judged, *wrong])


def _beyond(asked: Asked) -> Judgement | None:
    if asked.retry < 1:
        return None
    most, said = asked.tuned.max_retries, asked.call.said
    made = asked.call.result.get("retry")
    if asked.retry > most:
        expected = f"no retry {asked.retry}: {most} follow the first attempt"
        if not asked.call.answered:
            return unanswered(asked.call, expected)
        return passed(expected, said) if made is False else failed(expected, said)
    if not asked.call.answered:
        return None  # the delay is what was asked for: LK-RL-04 and LK-RL-05
    expected = f"retry {asked.retry} of {most} is made"
    if made is True:
        return passed(expected, said, readings=(FIVE_RETRIES,) if asked.retry == most else None)
    if made is False and asked.retry == most:
        return passed(expected, said, readings=(FIVE_ATTEMPTS,))
    return failed(expected, said)
