"""Sessions that are resumed after a rate limit: LK-RC-02. Pure.

Source: document 000, Rate Limit Recovery, Rate Limit Handling and Recovery Protocol 3.
"""

import math
from collections.abc import Sequence
from typing import Final

from harness.systems.notes import Notes
from harness.systems.session_recovery.contract import (
    BACKOFF_MULTIPLIER,
    COOLDOWN_S,
    FULL_AGENTS,
    INITIAL_DELAY_S,
    MAX_DELAY_S,
    MAX_RETRIES,
    REDUCED_AGENTS,
    Action,
    Facts,
    Outcome,
    ResumeResult,
    StepTaken,
)
from harness.systems.session_recovery.oracle import steps
from harness.systems.session_recovery.oracle.asking import Call
from harness.systems.session_recovery.oracle.breakers import LABEL, NEAR_S, UNSEEN, Guard, Stand, guard

CLAUSE: Final = "LK-RC-02"
_MORE_S: Final = 1.0  # so much longer than what is left may be waited
_REMAINING: Final = frozenset(("remaining_delayed", "remaining_at_once"))
_WHOLE: Final = frozenset(("whole_delayed", "whole_at_once"))
_DELAYED: Final = frozenset(("remaining_delayed", "whole_delayed"))
_AT_ONCE: Final = frozenset(("remaining_at_once", "whole_at_once"))
_EXPECTED: Final = "after a rate limit: the breaker, its cooldown, fewer agents, tries with exponential backoff"


def judge_rate_limit(call: Call, notes: Notes) -> None:
    """A session was resumed after a rate limit."""
    answer: ResumeResult = call.answer
    facts: Facts = call.args.facts
    stand = UNSEEN if LABEL in call.shaken else guard(call, facts.breaker, call.at)
    readings = _waited(answer, stand) & _delays(steps.of(answer.steps, Action.RETRY))
    wrong = (
        _disordered(answer, facts)
        or _checked(answer, stand)
        or _reduced(answer, facts)
        or _tried(answer, facts)
        or ("" if readings else f"{stand.stand}, {stand.left_s:g} s are left, and the waits are {_waits(answer)}")
    )
    said = f"{wrong}: {steps.said(answer.steps)}"
    notes.holds(CLAUSE, not wrong, _EXPECTED, said[:500], readings)


def _disordered(answer: ResumeResult, facts: Facts) -> str:
    few = facts.agents <= REDUCED_AGENTS
    wanted = (Action.CHECK_BREAKER, Action.WAIT, Action.REDUCE_AGENTS, Action.RETRY)
    optional = (Action.WAIT, *((Action.REDUCE_AGENTS,) if few else ()))
    wrong = steps.disorder(answer.steps, *wanted, optional=optional)
    later = answer.steps[len(steps.until(answer.steps, Action.REDUCE_AGENTS, Action.RETRY)) :]
    if not wrong and steps.has(later, Action.WAIT):
        return "the cooldown is waited for after the agents were reduced"
    return wrong


def _checked(answer: ResumeResult, stand: Guard) -> str:
    told = steps.of(answer.steps, Action.CHECK_BREAKER)[0].detail
    return f"the breaker is {told[:80]!r}" if stand.words and told not in stand.words else ""


def _waited(answer: ResumeResult, stand: Guard) -> frozenset[str]:
    """The readings that agree with how long the cooldown was waited for."""
    waits = [step.wait_s for step in steps.of(answer.steps, Action.WAIT)]
    if not all(wait is not None and 0 <= wait < math.inf for wait in waits):
        return frozenset()
    total = sum(wait for wait in waits if wait is not None)
    whole = abs(total - COOLDOWN_S) <= NEAR_S
    if stand.stand in (Stand.FREE, Stand.OVER):
        return (_REMAINING | _WHOLE) if total <= NEAR_S else _WHOLE if whole else frozenset()
    if stand.stand is Stand.OPEN and stand.left_s <= COOLDOWN_S:
        rest = stand.left_s - NEAR_S <= total <= stand.left_s + _MORE_S
        return (_REMAINING if rest else frozenset()) | (_WHOLE if whole else frozenset())
    least = COOLDOWN_S - NEAR_S if stand.stand is Stand.OPEN else 0.0
    return (_REMAINING | _WHOLE) if least <= total <= max(COOLDOWN_S, stand.left_s) + _MORE_S else frozenset()


def _waits(answer: ResumeResult) -> list[float | None]:
    return [step.wait_s for step in steps.of(answer.steps, Action.WAIT, Action.RETRY)][:20]


def _delays(tries: Sequence[StepTaken]) -> frozenset[str]:
    """The readings that agree with the delays of the tries."""
    found: frozenset[str] = frozenset()
    for readings, head in ((_DELAYED, ()), (_AT_ONCE, (0.0,))):
        rising = (min(INITIAL_DELAY_S * BACKOFF_MULTIPLIER**n, MAX_DELAY_S) for n in range(len(tries)))
        wanted = [*head, *rising][: len(tries)]
        if all(abs((step.wait_s or 0.0) - delay) <= NEAR_S for step, delay in zip(tries, wanted, strict=True)):
            found |= readings
    return found


def _reduced(answer: ResumeResult, facts: Facts) -> str:
    told = [step.count for step in steps.of(answer.steps, Action.REDUCE_AGENTS)]
    if not told:  # so few may stay as they are
        return "" if answer.agents in (None, facts.agents) else f"{answer.agents} agents"
    count = told[-1]
    if count is None or count != answer.agents:
        return f"reduced to {count} agents, and there are {answer.agents}"
    most = facts.agents if facts.agents <= REDUCED_AGENTS else facts.agents - 1
    right = count == REDUCED_AGENTS if facts.agents == FULL_AGENTS else 1 <= count <= most
    return "" if right else f"{count} of {facts.agents} agents"


def _tried(answer: ResumeResult, facts: Facts) -> str:
    """What is wrong with the tries, "" when nothing is."""
    tries = steps.of(answer.steps, Action.RETRY)
    gave_up = steps.has(answer.steps, Action.GIVE_UP)
    after = answer.steps[len(steps.until(answer.steps, Action.GIVE_UP)) :]
    if [step.ok for step in tries] != [n >= facts.failing_tries for n in range(len(tries))]:
        return f"{len(tries)} tries, which did not end as they had to, {facts.failing_tries} being limited"
    passed = sum(step.ok for step in tries)
    if passed > 1 or steps.has(after, Action.RETRY):
        return "a try too many"
    if passed == gave_up or (answer.outcome is Outcome.RECOVERED) != bool(passed):
        return f"it ended {answer.outcome}, and gave up: {gave_up}"
    failures = len(tries) - passed
    if failures > MAX_RETRIES + 1 or (gave_up and failures < MAX_RETRIES - 1):
        return f"{failures} tries were limited"
    return ""
