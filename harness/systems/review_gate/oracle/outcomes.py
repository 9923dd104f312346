"""What an operation shows when the gate stood in a certain way: what it breaks, and how the gate stands then. Pure.

Each function gives the ways in which the gate may stand after the operation, with what was seen of each clause.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from harness.systems.calls import Call
from harness.systems.review_gate.contract import (
    MODEL,
    REVIEWERS,
    TIME_LIMIT_S,
    Decision,
    Issue,
    Launch,
    LaunchKind,
    ReviewResult,
)
from harness.systems.review_gate.oracle.state import Gate, Review, Stage, blocking

ANALYSED_FIRST: Final = "LK-GEN-03"
NOT_BYPASSED: Final = "LK-GEN-04"
BETWEEN: Final = "LK-REV-01"
TOGETHER: Final = "LK-REV-02"
MODELS: Final = "LK-REV-03"
AGGREGATED: Final = "LK-REV-04"
ALL_AGAIN: Final = "LK-REV-05"


class Seen(NamedTuple):
    """One observation of a clause; ``readings`` are those it agrees with, None for all."""

    clause: str
    ok: bool
    expected: str
    readings: tuple[str, ...] | None = None


class Outcome(NamedTuple):
    """How the gate may stand after an operation, and what that shows."""

    gate: Gate
    seen: tuple[Seen, ...] = ()

    @property
    def is_sound(self) -> bool:
        """Is nothing broken?"""
        return all(each.ok for each in self.seen)


def outcomes(gate: Gate, call: Call) -> Iterator[Outcome]:
    """The ways in which the operation may have left the gate."""
    if call.args is None:
        yield Outcome(gate)
    elif call.answer is None:
        yield Outcome(gate)
        yield from (Outcome(each) for each in _as_asked(gate, call))
    elif gate.is_lost:
        yield Outcome(gate, tuple(_forms(call.answer)) if call.op != "begin_task" else ())
    elif call.op == "begin_task":
        yield from _begun(gate, call)
    else:
        yield from _reviewed(gate, call)


def _as_asked(gate: Gate, call: Call) -> Iterator[Gate]:
    """How the gate stands if an operation without an answer was done, as far as that can be said."""
    args = call.args
    if call.op == "begin_task":
        if gate.may_begin(args.task):
            yield gate.begun(args.task)
        return
    review = gate.reviews.get(args.task)
    if call.op == "open" and _may_open(gate, args.task):
        yield gate.reviewed(args.task, Review(_round_after(review), Stage.ANALYSIS))
    elif review is None:
        return
    elif call.op == "fixed" and review.stage is Stage.BLOCKED:
        yield gate.reviewed(args.task, Review(review.round + 1, Stage.ANALYSIS))
    elif call.op == "analysed" and _is_due(review, args.round, Stage.ANALYSIS):
        yield Gate(is_lost=True)  # the names of the reviewers were not told
    elif call.op == "report" and _is_awaited(review, args.round, args.reviewer):
        yield gate.reviewed(args.task, _returned(review, args.reviewer, args.issues))


def _may_open(gate: Gate, task: str) -> bool:
    return gate.last == task and task not in gate.reviews


def _round_after(review: Review | None) -> int:
    return 1 if review is None else review.round + 1


def _is_due(review: Review, number: int, stage: Stage) -> bool:
    return review.stage is stage and review.round == number


def _is_awaited(review: Review, number: int, reviewer: str) -> bool:
    return _is_due(review, number, Stage.REVIEWING) and reviewer in review.waited_for


def _returned(review: Review, reviewer: str, issues: tuple[Issue, ...]) -> Review:
    left = review.waited_for - {reviewer}
    found = (*review.issues, *blocking(issues))
    stage = Stage.REVIEWING if left else (Stage.BLOCKED if found else Stage.PASSED)
    return Review(review.round, stage, review.launched, left, found, review.since)


# -- begun


def _begun(gate: Gate, call: Call) -> Iterator[Outcome]:
    task, begun = call.args.task, call.answer.begun
    if gate.may_begin(task):
        refused = not begun and not (call.shaken and call.says_so)
        seen = (Seen(BETWEEN, ok=False, expected="a task after one whose review passed begins"),) if refused else ()
        yield Outcome(gate.begun(task) if begun else gate, seen)
        return
    review = gate.reviews.get(gate.last or "")
    is_open = review is not None and review.stage is Stage.BLOCKED
    expected = f"no task begins before the review of {gate.last!r} has passed"
    clauses = (BETWEEN, NOT_BYPASSED) if is_open else (BETWEEN,)
    yield Outcome(gate.begun(task) if begun else gate, tuple(Seen(each, not begun, expected) for each in clauses))


# -- reviewed


def _reviewed(gate: Gate, call: Call) -> Iterator[Outcome]:
    args, answer = call.args, call.answer
    review = gate.reviews.get(args.task)
    forms = tuple(_forms(answer))
    if call.op == "status":
        yield from _asked(gate, call, review, forms)
        return
    if not answer.accepted:
        yield _refused(gate, call, review, forms)
        return
    if call.op in ("open", "fixed"):
        is_due = (
            _may_open(gate, args.task) if call.op == "open" else review is not None and review.stage is Stage.BLOCKED
        )
        again = review is not None and review.stage is Stage.PASSED
        if not is_due and not again:
            yield Outcome(gate, (*forms, Seen(ALL_AGAIN, ok=False, expected=f"{call.op} is not accepted now")))
            return
        yield Outcome(
            gate.reviewed(args.task, Review(answer.round, Stage.ANALYSIS)), (*forms, *_opened(answer, review))
        )
    elif call.op == "analysed":
        yield from _analysed(gate, call, review, forms)
    else:
        yield from _reported(gate, call, review, forms)


def _forms(answer: ReviewResult) -> Iterator[Seen]:
    """What holds for every launch of reviewers."""
    reviewers = [each for each in answer.launch if each.kind is LaunchKind.REVIEWER]
    if reviewers:
        ok = all(each.model == MODEL for each in reviewers)
        yield Seen(MODELS, ok, f"every reviewer has the model {MODEL}", ("code_reviews",))


def _kinds(launch: Sequence[Launch]) -> tuple[int, int]:
    """How many analyses and how many reviewers."""
    analyses = sum(each.kind is LaunchKind.STATIC_ANALYSIS for each in launch)
    return analyses, len(launch) - analyses


def _opened(answer: ReviewResult, review: Review | None) -> Iterator[Seen]:
    analyses, reviewers = _kinds(answer.launch)
    yield Seen(
        ANALYSED_FIRST, (analyses, reviewers) == (1, 0), "static analysis is launched, and no reviewer before it"
    )
    if answer.decision is not Decision.PENDING:
        yield Seen(AGGREGATED, ok=False, expected="a review that begins is pending")
    if answer.round != _round_after(review) and not (review is not None and answer.round > review.round):
        yield Seen(ALL_AGAIN, ok=False, expected="every re-review is a round of its own, from 1")


def _refused(gate: Gate, call: Call, review: Review | None, forms: tuple[Seen, ...]) -> Outcome:
    """It was not accepted: was it none for this time?"""
    args, answer = call.args, call.answer
    is_due = {
        "open": _may_open(gate, args.task),
        "fixed": review is not None and review.stage is Stage.BLOCKED,
        "analysed": call.op == "analysed" and review is not None and _is_due(review, args.round, Stage.ANALYSIS),
        "report": call.op == "report" and review is not None and _is_awaited(review, args.round, args.reviewer),
    }[call.op]
    clause = {"open": BETWEEN, "fixed": ALL_AGAIN, "analysed": TOGETHER, "report": AGGREGATED}[call.op]
    seen = list(forms)
    if is_due and not (call.shaken and call.says_so):
        seen.append(Seen(clause, ok=False, expected=f"{call.op} is accepted: it is for this review at this time"))
    if answer.launch:
        seen.append(Seen(TOGETHER, ok=False, expected="what is not accepted launches nothing"))
    return Outcome(gate, tuple(seen))


def _analysed(gate: Gate, call: Call, review: Review | None, forms: tuple[Seen, ...]) -> Iterator[Outcome]:
    args, answer = call.args, call.answer
    if review is None or not _is_due(review, args.round, Stage.ANALYSIS):
        yield Outcome(gate, (*forms, Seen(ANALYSED_FIRST, ok=False, expected="no analysis of that round is awaited")))
        return
    found = blocking(args.issues)
    if not answer.launch and found and answer.decision is Decision.BLOCKED:  # at once, without reviewers
        blocked = Review(review.round, Stage.BLOCKED, issues=found)
        yield Outcome(gate.reviewed(args.task, blocked), (*forms, *_told(answer, found)))
        return
    names = [each.name for each in answer.launch]
    together = _kinds(answer.launch) == (0, REVIEWERS) and len(set(names)) == REVIEWERS
    again = review.round > 1
    seen = [
        *forms,
        Seen(TOGETHER, together, f"{REVIEWERS} reviewers with names of their own are launched by one answer"),
        Seen(ANALYSED_FIRST, ok=True, expected="reviewers after static analysis"),
        Seen(AGGREGATED, answer.decision is Decision.PENDING, "a review whose reviewers were launched is pending"),
    ]
    if again:
        seen.append(Seen(ALL_AGAIN, together, "after a fix all three reviewers run again"))
    launched = frozenset(names)
    reviewing = Review(review.round, Stage.REVIEWING, launched, launched, found, call.at)
    yield Outcome(gate.reviewed(args.task, reviewing), tuple(seen))


def _reported(gate: Gate, call: Call, review: Review | None, forms: tuple[Seen, ...]) -> Iterator[Outcome]:
    args, answer = call.args, call.answer
    if review is None or not _is_awaited(review, args.round, args.reviewer):
        yield Outcome(
            gate, (*forms, Seen(AGGREGATED, ok=False, expected="nobody of that name is awaited in that round"))
        )
        return
    after = _returned(review, args.reviewer, args.issues)
    seen = list(forms)
    if after.stage is Stage.REVIEWING:
        waits = answer.decision is Decision.PENDING and not answer.issues
        seen.append(Seen(AGGREGATED, waits, f"nothing is aggregated before {min(after.waited_for)!r} has returned"))
    else:
        clause = NOT_BYPASSED if after.stage is Stage.BLOCKED or answer.decision is not after.decision else AGGREGATED
        seen.append(Seen(clause, answer.decision is after.decision, f"it is {after.decision}"))
        seen += _told(answer, after.issues)
    if answer.launch:
        seen.append(Seen(TOGETHER, ok=False, expected="no reviewer is launched after another"))
    yield Outcome(gate.reviewed(args.task, after), tuple(seen))


def _told(answer: ReviewResult, wanted: tuple[Issue, ...]) -> Iterator[Seen]:
    """Are all issues told that block?"""
    if answer.decision is Decision.BLOCKED:
        told = [(each.severity.strip().lower(), each.message) for each in answer.issues]
        missed = [each for each in wanted if (each.severity.strip().lower(), each.message) not in told]
        yield Seen(NOT_BYPASSED, not missed, f"what blocks is told: {missed[:1] or 'all of it'}"[:300])


def _asked(gate: Gate, call: Call, review: Review | None, forms: tuple[Seen, ...]) -> Iterator[Outcome]:
    """How does it stand? Overdue reviewers may be launched anew."""
    answer = call.answer
    if review is None:
        ok = not answer.accepted and not answer.launch
        yield Outcome(gate, (*forms, *(() if ok else (Seen(BETWEEN, ok=False, expected="nothing of it is reviewed"),))))
        return
    if not answer.accepted and call.shaken and call.says_so:
        yield Outcome(gate, forms)
        return
    is_overdue = _is_overdue(review, call)
    seen = list(forms)
    if answer.launch:
        again = {each.name for each in answer.launch} <= review.waited_for and _kinds(answer.launch)[0] == 0
        expected = "only reviewers that are overdue are launched anew, under their names"
        seen.append(Seen(TOGETHER, is_overdue and again, expected))
    if is_overdue and answer.decision is Decision.BLOCKED:
        seen.append(Seen(AGGREGATED, ok=True, expected="a round that gives up is blocked", readings=("gives_up",)))
        given_up = Review(review.round, Stage.BLOCKED, review.launched, frozenset(), review.issues, review.since)
        yield Outcome(gate.reviewed(call.args.task, given_up), tuple(seen))
        return
    clause = AGGREGATED if review.decision is Decision.PENDING else NOT_BYPASSED
    if answer.decision is not review.decision:
        seen.append(Seen(clause, ok=False, expected=f"it is {review.decision}"))
    elif is_overdue:
        seen.append(Seen(AGGREGATED, ok=True, expected="a reviewer that is overdue is waited for", readings=("waits",)))
    yield Outcome(gate, tuple(seen))


def _is_overdue(review: Review, call: Call) -> bool:
    """Is somebody overdue, or may be?"""
    if review.stage is not Stage.REVIEWING:
        return False
    return review.since is None or call.at is None or (call.at - review.since).total_seconds() > TIME_LIMIT_S
