"""The rules of when a reflection runs, and of the loop around it: DR-TRG-01 to DR-TRG-04. Pure."""

from collections.abc import Iterator, Mapping
from typing import Final

from harness.systems.diagnosis.contract import Reflection
from harness.systems.diagnosis.oracle import form
from harness.systems.diagnosis.oracle.files import EPISODIC, SESSION, Span
from harness.systems.diagnosis.oracle.form import Raw, field
from harness.systems.diagnosis.oracle.rules import rule
from harness.systems.diagnosis.oracle.view import Asked, Observed, Tried, View
from harness.systems.diagnosis.oracle.wording import Text
from harness.systems.rules import Judgement, combine, failed, passed
from harness.systems.stateless import unanswered

NONE: Final = Reflection.NONE.value
REFLECTED: Final = (Reflection.FAST.value, Reflection.FULL.value)
_BEFORE: Final = "the root cause and the recovery stored before the next operation begins"


@rule("DR-TRG-01")
def _after_every_failure(view: View) -> Judgement | None:
    if view.flags.enabled is not True:
        return None
    return combine(_reflected(seen) for seen in view.observed if seen.args.success or not seen.hostile)


def _reflected(seen: Observed) -> Judgement:
    expected = "no reflection after a success" if seen.args.success else "a reflection after a failure"
    if not seen.call.answered:
        return unanswered(seen.call, expected)
    if seen.args.success:
        right = seen.reflection == NONE and seen.diagnosis is None
    else:
        right = seen.reflection in REFLECTED and seen.diagnosis is not None
    return passed(expected) if right else failed(expected, seen.call.said)


@rule("DR-TRG-02")
def _before_the_next(view: View) -> Judgement | None:
    expected = "a diagnosis when the next reflection asks for it"

    def judged(asked: Asked) -> Judgement:
        if not asked.call.answered:
            return unanswered(asked.call, expected)
        there = bool(asked.text.strip()) and asked.of.diagnosis is not None
        return passed(expected) if there else failed(expected, f"{asked.call.said} of {asked.of.call.said}")

    if view.flags.enabled is not True:
        return None
    return combine(judged(asked) for asked in view.prompts if not asked.of.args.success and not asked.of.hostile)


@rule("DR-TRG-03")
def _loop(view: View) -> Judgement | None:
    stored = [_stored(span, view) for span in view.spans]
    shown = [_in_the_prompt(asked, asked.of.diagnosis) for asked in view.prompts if asked.of.diagnosis is not None]
    return combine([*stored, *shown, *(_goes_on(tried) for tried in view.tried)])


def _stored(span: Span, view: View) -> Judgement | None:
    """Did the diagnoses of that span come into the memory?"""
    numbers = {call.n for call in span.calls}
    made = sum(seen.call.n in numbers for seen in view.diagnosed)
    grown = [span.growth(label) for label in (SESSION, EPISODIC)]
    if not made or grown[0] is None or span.may_lose(SESSION):
        return None
    added = max(len(each.added) for each in grown if each is not None)
    said = f"{added} new lines after {made} diagnoses: {span.calls[0].said}"
    return passed(_BEFORE) if added >= made else failed(_BEFORE, said)


def _in_the_prompt(asked: Asked, diagnosis: Raw) -> Judgement | None:
    """Does the next reflection read of this diagnosis, and of no other?"""
    expected = "the diagnosis in the next reflection"
    if asked.before:
        return None
    if not asked.call.answered:
        return unanswered(asked.call, expected)
    cause = field(diagnosis.get("rootCause"), "description")
    strategy = field(diagnosis.get("recoveryPlan"), "strategy")
    text = Text(asked.text)
    told = any(isinstance(each, str) and text.says(each) for each in (cause, strategy))
    return passed(expected) if told else failed(expected, f"{asked.call.said} of {asked.of.call.said}")


def _goes_on(tried: Tried) -> Judgement | None:
    """Was the strategy that was tried the one of the plan in force?"""
    expected = "the loop goes on with the strategy of the plan"
    if not tried.call.answered:
        return unanswered(tried.call, expected)
    if tried.before:
        plan: object = tried.before[-1].next_plan
    else:
        plan = None if tried.of.diagnosis is None else tried.of.diagnosis.get("recoveryPlan")
    strategy = field(plan, "strategy")
    if strategy is None:
        return None
    said = f"{tried.strategy!r} was tried, the plan is {strategy!r}"
    return passed(expected) if tried.strategy == strategy else failed(expected, said)


@rule("DR-TRG-04")
def _not_again(view: View) -> Judgement | None:
    plans = [_other_call(seen, seen.diagnosis) for seen in _repeated(view) if seen.diagnosis is not None]
    return combine([*plans, *(_other_strategy(tried) for tried in view.tried)])


def _repeated(view: View) -> Iterator[Observed]:
    """The failures of a call that had failed before."""
    for place, seen in enumerate(view.failed):
        if seen.failure is None:
            continue
        context = seen.failure.context
        previous = () if context is None else context.previous
        told = any(not each.success and _is_same(seen, each.tool, each.args) for each in previous)
        if told or any(
            other.call.who == seen.call.who and _is_same(seen, other.args.tool, other.args.args)
            for other in view.failed[:place]
        ):
            yield seen


def _is_same(seen: Observed, tool: object, args: object) -> bool:
    return bool(seen.args.tool == tool and seen.args.args == args)


def _other_call(seen: Observed, diagnosis: Raw) -> Judgement | None:
    plan = diagnosis.get("recoveryPlan")
    if not isinstance(plan, Mapping):
        return None
    again = [_is_same(seen, step.get("tool"), step.get("args")) for step in form.steps_of(plan)]
    readings = [name for name, wrong in (("no_step", any(again)), ("not_first", again[:1] == [True])) if not wrong]
    return passed("another call than the one that failed again", seen.call.said, readings=readings)


def _other_strategy(tried: Tried) -> Judgement | None:
    expected = "another strategy than those that failed"
    plan, diagnosis = tried.next_plan, tried.of.diagnosis
    if tried.args.success or diagnosis is None:
        return None
    if tried.asks_user:
        return passed(f"{expected}; nothing else is left") if tried.nothing_left else None
    if plan is None:
        return None
    strategy = plan.get("strategy")
    if form.asks(strategy, diagnosis):
        return None
    failures = [each.strategy for each in (*tried.before, tried) if not each.args.success]
    said = f"{strategy!r} after {failures}"
    return failed(expected, said) if strategy in failures else passed(expected)
