"""What the operations of a review show of it. Pure."""

from collections.abc import Iterator, Sequence
from typing import Final

from harness.systems.calls import Call
from harness.systems.review_gate.contract import (
    MODEL,
    REVIEWERS,
    Decision,
    Issue,
    Launch,
    LaunchKind,
    ReviewResult,
    Severity,
)
from harness.systems.review_gate.oracle.seen import (
    AGGREGATED,
    ALL_AGAIN,
    ANALYSED_FIRST,
    BETWEEN,
    MODELS,
    NOT_BYPASSED,
    TOGETHER,
    Outcome,
    Seen,
    broken,
)
from harness.systems.review_gate.oracle.state import Gate, Review, Stage, blocking

_OF_OPERATION: Final = {"open": BETWEEN, "fixed": ALL_AGAIN, "analysed": ANALYSED_FIRST, "report": AGGREGATED}
_WORDS: Final = frozenset(Severity)
_LONGEST: Final = 300  # characters of what is expected


def reviewed(gate: Gate, call: Call, review: Review, *, is_overdue: bool) -> Iterator[Outcome]:
    """The ways in which an answer to an operation for that review may have left the gate."""
    forms = tuple(_forms(call.answer))
    if call.op == "status":
        yield _asked(gate, call, review, forms, is_overdue=is_overdue)
    elif not call.answer.accepted:
        yield _refused(gate, call, review, forms)
    elif not is_due(gate, call, review):
        stays = broken(_OF_OPERATION[call.op], f"{call.op} is none for this review at this time")
        yield Outcome(gate, (*forms, stays))
    elif call.op in ("open", "fixed"):
        opened = gate.reviewed(call.args.task, Review(call.answer.round, Stage.ANALYSIS))
        yield Outcome(opened, (*forms, *_opened(call, review)))
    elif call.op == "analysed":
        yield _analysed(gate, call, review, forms)
    else:
        yield _reported(gate, call, review, forms)


def is_due(gate: Gate, call: Call, review: Review) -> bool:
    """May the operation be accepted?"""
    return _is_wanted(gate, call, review) or _is_unknown(gate, call, review) or _is_over(call, review)


def _is_wanted(gate: Gate, call: Call, review: Review) -> bool:
    """Is it one for this review at this time, that has to be accepted?"""
    args = call.args
    if call.op == "open":
        return gate.last == args.task and review.stage is Stage.UNOPENED and not gate.is_lost
    if call.op == "fixed":
        return review.stage is Stage.BLOCKED
    if call.op == "analysed":
        return review.is_due(args.round, Stage.ANALYSIS)
    return review.awaits(args.round, args.reviewer)


def _is_unknown(gate: Gate, call: Call, review: Review) -> bool:
    """May it be one, as nobody knows how the review stood?"""
    return gate.is_lost and review.stage is Stage.UNOPENED and call.op in ("open", "fixed")


def _is_over(call: Call, review: Review) -> bool:
    """Did the review pass, and everything is reviewed again?"""
    return review.stage is Stage.PASSED and call.op in ("open", "fixed")


# -- forms


def _forms(answer: ReviewResult) -> Iterator[Seen]:
    """What holds for every launch of reviewers."""
    models = {each.model for each in answer.launch if each.kind is LaunchKind.REVIEWER}
    if models:
        yield Seen(MODELS, models == {MODEL}, f"every reviewer has the model {MODEL}", ("code_reviews",))


def _kinds(launch: Sequence[Launch]) -> tuple[int, int]:
    """How many analyses and how many reviewers."""
    analyses = sum(each.kind is LaunchKind.STATIC_ANALYSIS for each in launch)
    return analyses, len(launch) - analyses


def _are(launch: Sequence[Launch], names: frozenset[str]) -> bool:
    """Are these reviewers launched, each once, and nothing else?"""
    return _kinds(launch) == (0, len(names)) and {each.name for each in launch} == names


def _numbered(answer: ReviewResult, review: Review) -> Iterator[Seen]:
    if review.round is not None and answer.round != review.round:
        yield broken(ALL_AGAIN, f"the round has the number {review.round}, which is told")


# -- stands


def _is_begun(review: Review) -> bool:
    """Have some reviewers returned, and not all?"""
    return review.stage is Stage.REVIEWING and len(review.waited_for) < len(REVIEWERS)


def _stands(answer: ReviewResult, review: Review) -> Iterator[Seen]:
    """Is it told how the review stands?"""
    if answer.decision is not review.decision:
        is_early = Decision.PENDING in (review.decision, answer.decision)
        yield broken(AGGREGATED if is_early else NOT_BYPASSED, f"it is {review.decision}")
    elif review.stage is Stage.BLOCKED:
        yield _told(answer, review)
    elif review.stage is Stage.PASSED:
        yield from (broken(NOT_BYPASSED, "nothing blocks, and nothing is told") for _ in answer.issues[:1])
    elif answer.issues or _is_begun(review):
        yield Seen(AGGREGATED, not answer.issues, "nothing is told before all reviewers have returned")
    yield from _numbered(answer, review)


def _told(answer: ReviewResult, review: Review) -> Seen:
    """Is all told that blocks, and nothing else? In a round that was given up somebody's absence is told, too."""
    missed = [wanted for wanted in review.issues if not any(_is_same(told, wanted) for told in answer.issues)]
    more = [told for told in answer.issues if not any(_is_same(told, wanted) for wanted in review.issues)]
    odd = missed or ([] if review.is_given_up else more)
    expected = f"just what blocks is told, not so {odd[0]}" if odd else "just what blocks is told"
    return Seen(NOT_BYPASSED, not odd, expected[:_LONGEST])


def _is_same(told: Issue, wanted: Issue) -> bool:
    words = {wanted.severity, wanted.severity.lower()}
    if wanted.severity.lower() not in _WORDS:
        words |= {Severity.CRITICAL}
    return told.message == wanted.message and (told.severity in words or told.severity.lower() in words & _WORDS)


# -- operations


def _refused(gate: Gate, call: Call, review: Review, forms: tuple[Seen, ...]) -> Outcome:
    """It was not accepted: was it none for this time?"""
    seen = list(forms)
    if call.answer.launch:
        clause = ANALYSED_FIRST if review.stage is Stage.ANALYSIS else TOGETHER
        seen.append(broken(clause, "what is not accepted launches nothing"))
    if (call.shaken and call.says_so) or (gate.is_lost and review.stage is Stage.UNOPENED):
        seen += _passes_nothing(call.answer, review)
        return Outcome(gate, tuple(seen))
    if _is_wanted(gate, call, review):
        clause = TOGETHER if call.op == "analysed" else _OF_OPERATION[call.op]
        seen.append(broken(clause, f"{call.op} is accepted: it is for this review at this time"))
    elif review.stage is Stage.UNOPENED:
        seen += _passes_nothing(call.answer, review)
    else:
        seen += _stands(call.answer, review)
    return Outcome(gate, tuple(seen))


def _passes_nothing(answer: ReviewResult, review: Review) -> Iterator[Seen]:
    """Of a review that nobody knows, or can tell, nothing is said that lets a task pass."""
    if answer.decision is Decision.PASSED and review.stage is not Stage.PASSED:
        yield broken(NOT_BYPASSED, "a review that nobody knows has not passed")


def _opened(call: Call, review: Review) -> Iterator[Seen]:
    answer = call.answer
    first = "static analysis is launched, and no reviewer before it"
    yield Seen(ANALYSED_FIRST, _kinds(answer.launch) == (1, 0), first)
    if answer.decision is not Decision.PENDING:
        yield broken(ALL_AGAIN if call.op == "fixed" else AGGREGATED, "a review that begins is pending")
    if answer.issues:
        yield broken(AGGREGATED, "what begins has found nothing")
    if answer.round != review.round + 1 if review.round is not None else answer.round < 1:
        yield broken(ALL_AGAIN, "every re-review is a round of its own, counted from 1")


def _analysed(gate: Gate, call: Call, review: Review, forms: tuple[Seen, ...]) -> Outcome:
    args, answer = call.args, call.answer
    found = blocking(args.issues)
    if not answer.launch and found and answer.decision is Decision.BLOCKED:  # at once, without reviewers
        blocked = Review(review.round, Stage.BLOCKED, issues=found)
        return Outcome(gate.reviewed(args.task, blocked), (*forms, *_stands(answer, blocked)))
    together = _are(answer.launch, frozenset(REVIEWERS))
    seen = [*forms, Seen(TOGETHER, together, f"{', '.join(REVIEWERS)} are launched by one answer")]
    if review.round is None or review.round > 1:
        seen.append(Seen(ALL_AGAIN, together, "after a fix all reviewers run again"))
    reviewing = review.analysed(args.issues, call.at)
    if answer.decision is not Decision.PENDING or answer.issues:
        seen.append(broken(AGGREGATED, "a review whose reviewers were launched is pending"))
    seen += _numbered(answer, review)
    return Outcome(gate.reviewed(args.task, reviewing), tuple(seen))


def _reported(gate: Gate, call: Call, review: Review, forms: tuple[Seen, ...]) -> Outcome:
    args, answer = call.args, call.answer
    after = review.returned(args.reviewer, args.issues)
    seen = [*forms, *_stands(answer, after)]
    if answer.launch:
        seen.append(broken(TOGETHER, "no reviewer is launched after another"))
    return Outcome(gate.reviewed(args.task, after), tuple(seen))


def _asked(gate: Gate, call: Call, review: Review, forms: tuple[Seen, ...], *, is_overdue: bool) -> Outcome:
    """How does it stand? Overdue reviewers may be launched anew."""
    answer = call.answer
    is_unknown = review.stage is Stage.UNOPENED
    seen = list(forms)
    after = gate
    if answer.launch:
        anew = is_overdue and _are(answer.launch, review.waited_for)
        clause = ANALYSED_FIRST if review.stage is Stage.ANALYSIS else TOGETHER
        seen.append(Seen(clause, anew, "only those that are overdue are launched anew, together, under their names"))
        after = gate.reviewed(call.args.task, review.launched_anew(call.at)) if anew else gate
    if is_unknown or (not answer.accepted and call.shaken and call.says_so):
        seen += _passes_nothing(answer, review)
        if is_unknown and answer.accepted and not gate.is_lost:
            seen.append(broken(BETWEEN, "nothing of that task is reviewed"))
        return Outcome(after, tuple(seen))
    if not answer.accepted:
        return Outcome(after, (*seen, broken(AGGREGATED, "a review that was opened has a status")))
    return Outcome(after, (*seen, *_stands(answer, review)))
