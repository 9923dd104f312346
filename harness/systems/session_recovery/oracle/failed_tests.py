"""Sessions that are resumed after a test failure: LK-RC-03. Pure. Source: document 000, Test Failure Recovery."""

from typing import Final

from harness.systems.notes import Notes
from harness.systems.session_recovery.contract import Action, Facts, Failure, Outcome, ResumeResult
from harness.systems.session_recovery.oracle import steps
from harness.systems.session_recovery.oracle.asking import Call
from harness.systems.session_recovery.oracle.documents import shows

CLAUSE: Final = "LK-RC-03"
_EXPECTED: Final = "after a test failure: the output, flaky or real, a rollback if needed, the fix, the whole suite"


def judge_test_failure(call: Call, notes: Notes) -> None:
    """A session was resumed after a test failure."""
    answer: ResumeResult = call.answer
    facts: Facts = call.args.facts
    wrong = (
        _disordered(answer, facts) or _read(answer, facts) or _classified(answer, facts) or _rolled_back(answer, facts)
        or _ended(answer, facts)
    )  # fmt: skip
    notes.holds(CLAUSE, not wrong, _EXPECTED, f"{wrong}: {steps.said(answer.steps)}"[:500])


def _commit(facts: Facts) -> str | None:
    """The commit that has to be rolled back to; None when none has to."""
    return facts.last_passing_commit if facts.rollback_needed else None


def _disordered(answer: ResumeResult, facts: Facts) -> str:
    wanted = [Action.READ_OUTPUT, Action.CLASSIFY, Action.ROLLBACK, Action.FIX, Action.RERUN_ALL]
    if _commit(facts) is None:
        wanted.remove(Action.ROLLBACK)
    return steps.disorder(answer.steps, *wanted)


def _read(answer: ResumeResult, facts: Facts) -> str:
    told = steps.of(answer.steps, Action.READ_OUTPUT)
    if any(shows(step.detail, facts.output) for step in told):
        return ""
    return f"the output that was read is {told[0].detail[:160]!r}"


def _classified(answer: ResumeResult, facts: Facts) -> str:
    told = steps.of(steps.until(answer.steps, Action.FIX), Action.CLASSIFY)[-1].detail
    known = {Failure.FLAKY if any(facts.reruns) else Failure.REAL} if facts.reruns else set(Failure)
    if told not in known or answer.failure is None or answer.failure != told:
        return f"classified as {told[:80]!r}, and told to be {answer.failure}"
    return ""


def _rolled_back(answer: ResumeResult, facts: Facts) -> str:
    commit = _commit(facts)
    wrong = [step.detail for step in steps.of(answer.steps, Action.ROLLBACK) if commit is None or step.detail != commit]
    return f"rolled back to {wrong[0][:80]!r}" if wrong else ""


def _ended(answer: ResumeResult, facts: Facts) -> str:
    """What is wrong with the fixes and the suite that was run after each, "" when nothing is."""
    fixes = runs = 0
    passed = False
    for step in steps.of(answer.steps, Action.FIX, Action.RERUN_ALL):
        if passed:
            return f"{step.action} after the suite passed"
        if step.action == Action.FIX:
            fixes += 1
            continue
        runs += 1
        may = {facts.suite[min(n, len(facts.suite)) - 1] for n in (fixes, runs)} if facts.suite else {step.ok}
        if step.ok not in may:
            return f"the suite was told to {'pass' if step.ok else 'fail'}"
        passed = step.ok
    last = steps.of(answer.steps, Action.ROLLBACK, Action.FIX, Action.RERUN_ALL)[-1].action
    if last != Action.RERUN_ALL:
        return f"after the last {last} the suite was not run"
    return "" if passed == (answer.outcome is Outcome.RECOVERED) else f"it ended {answer.outcome}"
