"""Rules on the transcript: document 004, section 1. Pure."""

from collections.abc import Iterator

from harness.systems.rules import Judgement, combine, failed, passed
from harness.systems.stop_gate import contract
from harness.systems.stop_gate.contract import LogCode
from harness.systems.stop_gate.oracle.gate_rules import RULES, as_permitted, guarded, no_texts, with_log
from harness.systems.stop_gate.oracle.gate_view import Check, GateView
from harness.systems.stop_gate.oracle.session import READ, Outcome
from harness.systems.stop_gate.oracle.transcript import Kind, Transcript


def fixed_approval(check: Check, levels: str, code: LogCode) -> Judgement:
    """Approve with exactly the documented reason, no prompt, no summary, and a log entry."""
    (outcome,) = check.outcomes
    expected = f"approve [{outcome.value}], no prompt, no summary"
    judgement = with_log(check, expected, levels, code)
    if judgement.ok and not no_texts(check):
        return failed(expected, f"{check.said}, with a prompt or a summary")
    return judgement


def _read(view: GateView) -> Iterator[tuple[Check, Transcript]]:
    """The checks that surely came to look at the messages of a transcript without a doubtful line."""
    for check in view.judged():
        transcript = check.facts.transcript
        if transcript is None or not transcript.is_sure or check.untold:
            continue
        if check.outcomes <= READ | {Outcome.APPROVE}:
            yield check, transcript


@RULES.rule("PS-TR-01")
def missing(view: GateView) -> Judgement | None:
    """1.1: approve [transcript_missing] and a warning."""
    return combine(
        fixed_approval(check, "warning", LogCode.TRANSCRIPT_MISSING) for check in view.where(Outcome.MISSING)
    )


@RULES.rule("PS-TR-02")
def empty(view: GateView) -> Judgement | None:
    """1.2: approve [empty_transcript] and an info entry, for zero bytes and for no valid message."""
    return combine(fixed_approval(check, "info", LogCode.EMPTY_TRANSCRIPT) for check in view.where(Outcome.EMPTY))


@RULES.rule("PS-TR-03")
def blank_lines(view: GateView) -> Judgement | None:
    """1.3: more blank lines than invalid ones are tolerated change nothing and are not reported."""
    judgements: list[Judgement] = []
    for check, transcript in _read(view):
        blank = transcript.numbers(Kind.BLANK)
        if len(blank) <= contract.INVALID_LINES_TOLERATED or check.decision is None:
            continue
        judgement = as_permitted(check, f"{len(blank)} blank lines ignored: {check.wanted}")
        reported = {entry.line for entry in check.answer.entries(LogCode.INVALID_JSON_LINE)} if check.answer else set()
        if judgement.ok and reported & set(blank):
            judgement = failed("blank lines are not reported as invalid", check.said)
        judgements.append(judgement)
    return combine(judgements)


@RULES.rule("PS-TR-04")
def invalid_lines(view: GateView) -> Judgement | None:
    """1.3: up to ten invalid lines are skipped, each with a warning that names its physical line."""
    judgements: list[Judgement] = []
    for check, transcript in _read(view):
        numbers = transcript.numbers(Kind.INVALID)
        if not numbers or check.decision is None:
            continue
        expected = f"valid lines kept ({check.wanted}), a warning for each of the lines {list(numbers)}"
        judgement = as_permitted(check, expected)
        if judgement.ok and check.answer is not None:
            entries = check.answer.entries(LogCode.INVALID_JSON_LINE)
            named = sorted({entry.line for entry in entries if entry.level == "warning" and entry.line is not None})
            if named != list(numbers):
                judgement = failed(expected, f"warnings for the lines {named}")
        judgements.append(judgement)
    return combine(judgements)


@RULES.rule("PS-TR-05")
def invalid_limit(view: GateView) -> Judgement | None:
    """1.3: ten invalid lines are tolerated, the eleventh gives the transcript up."""
    judgements: list[Judgement] = []
    for check, transcript in _read(view):
        if len(transcript.numbers(Kind.INVALID)) == contract.INVALID_LINES_TOLERATED and check.decision is not None:
            judgement = as_permitted(check, f"ten invalid lines tolerated: {check.wanted}")
            if judgement.ok and check.answer and check.answer.entries(LogCode.TOO_MANY_INVALID_LINES):
                judgement = failed("ten invalid lines are not too many", check.said)
            judgements.append(judgement)
    for check in view.where(Outcome.TOO_MANY_INVALID):
        transcript_ = check.facts.transcript
        if transcript_ is not None and transcript_.is_sure and check.would_block:
            if transcript_.invalid_at_least == contract.INVALID_LINES_TOLERATED + 1:
                expected = "the eleventh invalid line gives up the transcript: approve"
                judgements.append(with_log(check, expected, "warning error", LogCode.TOO_MANY_INVALID_LINES))
    return combine(judgements)


@RULES.rule("PS-TR-06")
def too_many_invalid(view: GateView) -> Judgement | None:
    """1.3: with too many invalid lines the session may end, whatever its checkers would say."""
    return guarded(
        view,
        (as_permitted(check, "approve") for check in view.where(Outcome.TOO_MANY_INVALID) if check.would_block),
    )


@RULES.rule("PS-TR-07")
def too_large(view: GateView) -> Judgement | None:
    """1.4: exactly 10 MiB is analysed, one byte more is not."""
    judgements = [
        fixed_approval(check, "warning", LogCode.TRANSCRIPT_TOO_LARGE) for check in view.where(Outcome.TOO_LARGE)
    ]
    for check in view.judged():
        given = check.facts.input
        if given is None or given.kind != "file" or given.size != contract.TRANSCRIPT_LIMIT_BYTES:
            continue
        if check.outcomes <= READ | {Outcome.EMPTY}:
            judgements.append(as_permitted(check, f"exactly the limit is analysed: {check.wanted}"))
    return combine(judgements)


@RULES.rule("PS-TR-08")
def invalid_messages(view: GateView) -> Judgement | None:
    """1.5: messages without one of the three roles are dropped with a debug entry, the rest is processed."""
    judgements: list[Judgement] = []
    for check, transcript in _read(view):
        if transcript.numbers(Kind.NO_MESSAGE) and check.decision is not None:
            expected = f"messages of other roles dropped, the rest processed: {check.wanted}"
            judgements.append(with_log(check, expected, "debug", LogCode.INVALID_MESSAGE))
    return combine(judgements)


@RULES.rule("PS-TR-09")
def unreadable(view: GateView) -> Judgement | None:
    """Core principle: what cannot be read or decoded ends in approval; lines that are no objects are dropped."""
    judgements: list[Judgement] = [
        as_permitted(check, "approve: the transcript cannot be read")
        for check in view.where(Outcome.UNREADABLE)
        if check.facts.input is not None and check.facts.input.kind != "file"
    ]
    judgements += [
        as_permitted(check, f"lines that are no objects dropped: {check.wanted}")
        for check, transcript in _read(view)
        if transcript.numbers(Kind.NO_OBJECT) and check.decision is not None
    ]
    judgements += [judgement for check in view.judged() if (judgement := _undecodable(check)) is not None]
    judgements += [as_permitted(check, f"the line skipped, or approve: {check.wanted}") for check in _hard(view)]
    return guarded(view, judgements)


def _hard(view: GateView) -> Iterator[Check]:
    """The checks whose transcript held a line that exhausts a parser, and that had to read it."""
    for check in view.judged():
        transcript, path = check.facts.transcript, check.args.transcript_path
        proven = any(
            injection.fault.path == path and injection.fault.name in ("jsonl.deep_nesting", "jsonl.huge_integer")
            for injection in check.faults
        )
        if proven or (transcript is not None and any(line.hard for line in transcript.lines)):
            if not check.outcomes & {Outcome.SKIPPED, Outcome.DISABLED, Outcome.ALREADY_RAN, Outcome.TOO_LARGE}:
                yield check


def _undecodable(check: Check) -> Judgement | None:
    """An undecodable line: counts as invalid, or the whole is approved."""
    transcript = check.facts.transcript
    if transcript is None or transcript.murky or not transcript.numbers(Kind.UNDECODABLE):
        return None
    permitted = check.outcomes
    if Outcome.APPROVE not in permitted or permitted & {Outcome.SKIPPED, Outcome.DISABLED, Outcome.ALREADY_RAN}:
        return None
    judgement = as_permitted(check, f"undecodable lines counted as invalid, or approve: {check.wanted}")
    if not judgement.ok:
        return judgement
    readings = {"approve"} if check.approved else set()
    if check.within(permitted - {Outcome.APPROVE}):
        readings.add("invalid_line")
    return passed(judgement.expected, judgement.observed, readings=readings)
