"""What an operation shows when the gate stood in a certain way: what it breaks, and how the gate stands then. Pure.

Each function gives the ways in which the gate may stand after the operation, with what was seen of each clause.
"""

from collections.abc import Iterator
from typing import Final

from harness.systems.calls import Call
from harness.systems.review_gate.contract import TIME_LIMIT_S
from harness.systems.review_gate.oracle.reviewed import is_due, reviewed
from harness.systems.review_gate.oracle.seen import AGGREGATED, BETWEEN, NOT_BYPASSED, Outcome, Seen, broken
from harness.systems.review_gate.oracle.state import Gate, Review, Stage, blocking

# who gives a round up may have waited longer before, or launched its reviewers anew: no time is given for that
_WAITED: Final = Seen(
    AGGREGATED, ok=True, expected="a reviewer that is overdue is waited for", readings=("waits", "gives_up")
)
_GIVEN_UP: Final = Seen(AGGREGATED, ok=True, expected="a round that gives up is blocked", readings=("gives_up",))


def outcomes(gate: Gate, call: Call) -> list[Outcome]:
    """The ways in which the operation may have left the gate."""
    if call.args is None:
        return [Outcome(gate)]
    if call.answer is None:
        return [Outcome(gate), *map(Outcome, _as_asked(gate, call))]
    found = list(_begun(gate, call)) if call.op == "begin_task" else list(_in_time(gate, call))
    if call.shaken and call.says_so and not took_effect(call):
        # what was stored before something failed is done, whatever is said of it
        found += [Outcome(each, outcome.seen) for outcome in found for each in _as_asked(gate, call)]
    return found


def took_effect(call: Call) -> bool:
    """Does its answer tell that it was done?"""
    return bool(call.answer.begun if call.op == "begin_task" else call.answer.accepted)


def _as_asked(gate: Gate, call: Call) -> Iterator[Gate]:
    """How the gate stands if an operation without an answer was done."""
    args = call.args
    review = gate.review(args.task)
    if call.op == "begin_task":
        if gate.may_begin(args.task):
            yield gate.begun(args.task)
    elif call.op in ("open", "fixed"):
        if is_due(gate, call, review) or (call.op == "fixed" and _is_overdue(review, call)):
            number = None if review.round is None else review.round + 1
            yield gate.reviewed(args.task, Review(number, Stage.ANALYSIS))
    elif call.op == "analysed" and review.is_due(args.round, Stage.ANALYSIS):
        found = blocking(args.issues)
        yield gate.reviewed(args.task, review.analysed(args.issues, call.at))
        if found:
            yield gate.reviewed(args.task, Review(review.round, Stage.BLOCKED, issues=found))
    elif call.op == "report" and review.awaits(args.round, args.reviewer):
        yield gate.reviewed(args.task, review.returned(args.reviewer, args.issues))
    elif call.op == "status" and _is_overdue(review, call):
        yield gate.reviewed(args.task, review.launched_anew(call.at))
        yield gate.reviewed(args.task, review.given_up())


# -- begun


def _begun(gate: Gate, call: Call) -> Iterator[Outcome]:
    task, begun = call.args.task, call.answer.begun
    after = gate.begun(task) if begun else gate
    if gate.may_begin(task):
        is_anew = task != gate.last and task in dict(gate.reviews)
        is_excused = gate.is_lost or is_anew or (call.shaken and call.says_so)
        refused = not begun and not is_excused
        yield Outcome(after, (broken(BETWEEN, "a task after one whose review passed begins"),) if refused else ())
        return
    expected = f"no task begins before the review of {gate.last!r} has passed"
    yield Outcome(after, tuple(Seen(clause, not begun, expected) for clause in _held_back_by(gate)))


def _held_back_by(gate: Gate) -> tuple[str, ...]:
    """The clauses by which no other task begins."""
    if gate.is_lost:
        return (NOT_BYPASSED,)
    return (BETWEEN, NOT_BYPASSED) if gate.review(gate.last or "").issues else (BETWEEN,)


# -- in time


def _in_time(gate: Gate, call: Call) -> Iterator[Outcome]:
    """An operation for a review; one that waits for a reviewer that is overdue may be given up."""
    review = gate.review(call.args.task)
    if not _is_overdue(review, call):
        yield from reviewed(gate, call, review, is_overdue=False)
        return
    for outcome in reviewed(gate, call, review, is_overdue=True):
        yield Outcome(outcome.gate, (*outcome.seen, *((_WAITED,) if call.op == "status" else ())))
    given_up = review.given_up()
    for outcome in reviewed(gate.reviewed(call.args.task, given_up), call, given_up, is_overdue=False):
        yield Outcome(outcome.gate, (*outcome.seen, _GIVEN_UP))


def _is_overdue(review: Review, call: Call) -> bool:
    """Is somebody overdue, or may be?"""
    if review.stage is not Stage.REVIEWING:
        return False
    return review.since is None or call.at is None or (call.at - review.since).total_seconds() > TIME_LIMIT_S
