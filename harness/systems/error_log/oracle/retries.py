"""The recovery from a jq failure, from an MCP abort, and from an interrupted delegation, step by step. Pure.

Clauses: ER-JQ-01, ER-JQ-02, ER-MCP-01, ER-MCP-02, ER-DEL-01. Source: document 002, Recovery Strategies.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from harness.systems.error_log.contract import (
    MCP_RETRY_DELAY_S,
    RESUME_GUIDANCE,
    Action,
    RecoverArguments,
    RecoverResult,
    RecoveryOutcome,
)
from harness.systems.error_log.oracle import documents, jq, steps
from harness.systems.error_log.oracle.handling import Broken, Seen
from harness.systems.error_log.oracle.owed import Owed
from harness.systems.error_log.oracle.procedures import not_captured
from harness.systems.error_log.oracle.records import is_kept

LONGEST_DELAY_S: Final = MCP_RETRY_DELAY_S + 1.0  # from here on it is another number of seconds
_TINY_S: Final = 1e-6
_LONGEST: Final = 4096  # characters of a command that the record has to have


def jq_failed(args: RecoverArguments, answer: RecoverResult) -> Iterator[Seen]:
    """Capture what jq said, log it with the command, retry with "| not", log the recovery if that works."""
    clause = "ER-JQ-01"
    expected = "jq's error is captured, logged with the command, and one retry is made, whose success is logged"
    retries = steps.of(answer.steps, Action.RETRY)
    negated = jq.negations(args.facts.command) > 0
    worked = bool(retries) and args.facts.retry_succeeds
    order = (Action.CAPTURE_OUTPUT, Action.LOG, *((Action.RETRY,) if retries or negated else ()))
    wrong = steps.disorder(answer.steps, *order, *((Action.LOG_RESOLUTION,) if worked else ()))
    wrong = wrong or not_captured(args.facts, answer.steps)
    if not wrong and len(retries) > 1:
        wrong = f"{len(retries)} retries"
    if not wrong and retries and retries[0].ok is not args.facts.retry_succeeds:
        wrong = "it is told to have ended otherwise than it did"
    if not wrong and worked is not (answer.outcome == RecoveryOutcome.RECOVERED):
        wrong = f"the outcome is {answer.outcome}"
    if not wrong and not worked and steps.has(answer.steps, Action.LOG_RESOLUTION):
        wrong = "a recovery is logged, and there was none"
    if wrong:
        yield Broken(clause, expected, f"{wrong}: {steps.said(answer.steps)}")
    else:
        command = args.facts.command.strip()
        texts = (command,) if 0 < len(command) <= _LONGEST else ()
        yield Owed(clause, expected, None if worked else _ended(args, answer), texts)
    if retries:
        yield from _rewritten(args.facts.command, retries[0].detail)


def _ended(args: RecoverArguments, answer: RecoverResult) -> frozenset[str]:
    """The readings in which a recovery whose retry failed ends so."""
    done = bool(args.progress.completed) or args.progress.partial is not None
    by_progress = done is (answer.outcome == RecoveryOutcome.PARTIAL)
    return frozenset((answer.outcome, "own", *(("by_progress",) if by_progress else ())))


def _rewritten(command: str, retried: str) -> Iterator[Seen]:
    clause = "ER-JQ-02"
    expected = f"{command[:200]!r} with each != as == and | not"
    if jq.negations(command):
        readings = jq.readings(command, retried)
        if readings is not None:
            seen = Owed(clause, expected, frozenset(readings))
            yield seen if readings else Broken(clause, expected, repr(retried[:200]))
    else:
        expected = f"{command[:200]!r} with its comparisons"
        wrong = jq.negations(retried) > 0 or jq.inverted(command, retried) or jq.reworded(command, retried)
        yield Broken(clause, expected, repr(retried[:200])) if wrong else Owed(clause, expected)


def mcp_aborted(args: RecoverArguments, answer: RecoverResult) -> Iterator[Seen]:
    """Log with the tool, wait five seconds, retry once; then an alternative, partial status, and on, or back."""
    clause, expected = "ER-MCP-01", "it is logged with the tool, and retried once, five seconds later"
    retries = steps.places(answer.steps, Action.RETRY)
    wrong = steps.disorder(answer.steps, Action.LOG, Action.WAIT, Action.RETRY)
    if not wrong and len(retries) != 1:
        wrong = f"{len(retries)} retries"
    waited = sum(step.wait_s or 0.0 for step in steps.of(answer.steps[: (retries or [0])[0]], Action.WAIT))
    if not wrong and not MCP_RETRY_DELAY_S - _TINY_S <= waited < LONGEST_DELAY_S:
        wrong = f"{waited:g} s later"
    if not wrong and answer.steps[retries[0]].ok is not args.facts.retry_succeeds:
        wrong = "the retry is told to have ended otherwise than it did"
    if not wrong and args.facts.retry_succeeds and answer.outcome != RecoveryOutcome.RECOVERED:
        wrong = f"the outcome is {answer.outcome}"
    tool = args.facts.command.strip()
    if not wrong and tool not in answer.steps[retries[0]].detail:
        wrong = f"{answer.steps[retries[0]].detail[:80]!r} is retried"
    texts = (tool,) if 0 < len(tool) <= _LONGEST else ()
    yield (
        Broken(clause, expected, f"{wrong}: {steps.said(answer.steps)}")
        if wrong
        else Owed(clause, expected, None, texts)
    )
    yield from _after_retry(args, answer)


def _after_retry(args: RecoverArguments, answer: RecoverResult) -> Iterator[Seen]:
    clause, facts = "ER-MCP-02", args.facts
    taken = answer.steps[(steps.places(answer.steps, Action.RETRY) or [0])[-1] :]
    used = steps.of(taken, Action.ALTERNATIVE)
    if facts.retry_succeeds:
        expected = "nothing more is tried after a retry that succeeded"
        more = used or steps.has(taken, Action.RETURN_PARTIAL)
        yield Broken(clause, expected, steps.said(taken)) if more else Owed(clause, expected)
        return
    expected = "after a retry that failed: the alternative there is, partial status in the metadata, and on, or back"
    succeeded = facts.alternative is not None and facts.alternative_succeeds
    tried = (Action.ALTERNATIVE,) if facts.alternative is not None else ()
    wrote = steps.has(taken, Action.WRITE_METADATA)
    ending: tuple[Action | tuple[Action, ...], ...] = (
        (Action.WRITE_METADATA,) if wrote or not succeeded else (),
        (Action.CONTINUE, Action.RETURN_PARTIAL),
    )
    ending = tuple(each for each in ending if each)
    allowed = (Action.CONTINUE, Action.RETURN_PARTIAL) if succeeded else ()
    wrong = steps.disorder(taken, Action.RETRY, *tried, *ending, optional=allowed)
    if not wrong and [step.detail for step in used] != [facts.alternative] * len(tried):
        wrong = f"{[step.detail for step in used]} used"
    if not wrong and any(step.ok is not facts.alternative_succeeds for step in used):
        wrong = "the alternative is told to have ended otherwise than it did"
    if not wrong and answer.outcome == RecoveryOutcome.FAILED:
        wrong = "the outcome is failed"
    left = answer.outcome == RecoveryOutcome.PARTIAL or steps.has(taken, Action.RETURN_PARTIAL)
    if not wrong and left and not wrote:
        wrong = "left off without partial status in the metadata"
    if wrong:
        yield Broken(clause, expected, f"{wrong}: {steps.said(taken)}")
    else:
        readings = frozenset(("always",) if wrote else ("without",)) if succeeded else None
        yield Owed(clause, expected, readings)


def interrupted(args: RecoverArguments, answer: RecoverResult, metadata: Mapping[str, Any] | None) -> Iterator[Seen]:
    """Check the metadata, extract the progress, keep the status, log it, and say how to go on.

    ``metadata`` is what the file has, None when it is missing or none. Where it says another status, or speaks of
    another task, it has to be checked, and the error to be logged.
    """
    clause, task = "ER-DEL-01", args.progress.task
    if metadata is not None and (metadata["status"], metadata.get("task", task)) != ("in_progress", task):
        expected = "the metadata are checked, and the error is logged"
        wrong = steps.disorder(answer.steps, Action.CHECK_METADATA, Action.LOG)
        yield Broken(clause, expected, f"{wrong}: {steps.said(answer.steps)}") if wrong else Owed(clause, expected)
        return
    expected = f"the metadata are checked, progress extracted, logged, and {RESUME_GUIDANCE!r} is shown"
    point = documents.stage(metadata)
    optional = () if point is not None else (Action.EXTRACT_PROGRESS,)
    order = (Action.CHECK_METADATA, Action.EXTRACT_PROGRESS, Action.LOG, Action.GUIDANCE)
    wrong = steps.disorder(answer.steps, *order, optional=optional)
    extracted = steps.of(answer.steps, Action.EXTRACT_PROGRESS)
    if not wrong and point is not None and not any(point in each.detail for each in extracted):
        wrong = f"{point!r} is not extracted"
    shown = " ".join(step.detail for step in steps.of(answer.steps, Action.GUIDANCE))
    guides = RESUME_GUIDANCE.lower() in shown.lower()
    if not wrong and not guides:
        wrong = f"{shown!r} is shown"
    if wrong:
        yield Broken(clause, expected, f"{wrong}: {steps.said(answer.steps)}", of_storage=guides)
        return
    given = args.error.partial_progress
    known = (metadata or {}).get("partial_progress")  # either may be the newer
    left = tuple(text for text in (*documents.leaves(known), *documents.leaves(given)) if is_kept(text))
    yield Owed(clause, expected, None, progress=left if point is not None or given is not None else None)
