"""Rules on what is a rate limit: LK-RL-01 to LK-RL-03. Pure."""

from collections.abc import Mapping

from harness.systems.rate_limit.contract import RATE_LIMITED_STATUS, ClassifyArguments
from harness.systems.rate_limit.oracle.mentions import READINGS, mentions
from harness.systems.rate_limit.oracle.view import RULES, View
from harness.systems.rules import Judgement, combine, failed, passed
from harness.systems.stateless import Call, unanswered

SERVER_ERRORS = range(500, 600)
NO_FURTHER_SOURCE, WHATEVER_BACKS_OFF = "no_further_source", "whatever_backs_off"
_NOTHING: Mapping[str, bool] = dict.fromkeys(READINGS, False)


def _said(args: ClassifyArguments) -> Mapping[str, bool] | None:
    return _NOTHING if args.message is None else mentions(args.message)


def _is_nothing(args: ClassifyArguments) -> bool:
    """Does neither status nor message speak of a rate limit, in any reading?"""
    said = _said(args)
    return args.status != RATE_LIMITED_STATUS and said is not None and not any(said.values())


def _control(view: View, *, with_message: bool) -> list[Judgement | None]:
    """What is no rate limit is none; only a failure says something, so that nobody passes by it."""
    found: list[Judgement | None] = []
    for call, args in view.failures:
        if not _is_nothing(args) or args.status in SERVER_ERRORS or (args.message is not None) is not with_message:
            continue
        expected = "no rate limit: neither the status nor the message says so"
        if not call.answered:
            found.append(unanswered(call, expected))
        elif call.result.get("rate_limited") is not False:
            found.append(failed(expected, call.said, reason="the control failed"))
    return found


def _as(call: Call, expected: str, *, limited: bool) -> Judgement:
    if not call.answered:
        return unanswered(call, expected)
    ok = call.result.get("rate_limited") is limited
    return passed(expected, call.said) if ok else failed(expected, call.said)


@RULES.rule("LK-RL-01")
def status(view: View) -> Judgement | None:
    """Every failure with the status 429 is a rate limit."""
    judged: list[Judgement | None] = [
        _as(call, "a rate limit: the status is 429", limited=True)
        for call, args in view.failures
        if args.status == RATE_LIMITED_STATUS
    ]
    return combine([*judged, *_control(view, with_message=False)])


@RULES.rule("LK-RL-02")
def message(view: View) -> Judgement | None:
    """Every failure whose message holds the words is one."""
    judged: list[Judgement | None] = []
    for call, args in view.failures:
        said = _said(args)
        if args.status == RATE_LIMITED_STATUS or said is None or not any(said.values()):
            continue
        expected = "a rate limit: the message holds the words"
        if all(said.values()):
            judged.append(_as(call, expected, limited=True))
        elif args.status not in SERVER_ERRORS:
            judged.append(_by_reading(call, said))
    return combine([*judged, *_control(view, with_message=True)])


def _by_reading(call: Call, said: Mapping[str, bool]) -> Judgement:
    expected = "a rate limit, or none, by the reading taken: the words stand within longer words"
    if not call.answered:
        return unanswered(call, expected)
    answer = call.result.get("rate_limited")
    return passed(expected, call.said, readings=[name for name, limited in said.items() if answer is limited])


@RULES.rule("LK-RL-03")
def backed_off(view: View) -> Judgement | None:
    """Failures of the server are all taken for one, or none is."""
    judged: list[Judgement | None] = []
    for call, args in view.failures:
        if not _is_nothing(args) or args.status not in SERVER_ERRORS:
            continue
        expected = "a rate limit, or none, by the reading taken: the server failed"
        answer = call.result.get("rate_limited")
        if not call.answered or not isinstance(answer, bool):
            judged.append(failed(expected, call.said))
        else:
            judged.append(passed(expected, call.said, readings=(WHATEVER_BACKS_OFF if answer else NO_FURTHER_SOURCE,)))
    return combine(judged)
