"""The recovery from a timeout, from a diverged state, and from a failed build, step by step. Pure.

Clauses: ER-TMO-01, ER-NB-01, ER-SYN-01, ER-BLD-01. Source: document 002, Recovery Strategies.
"""

from collections.abc import Iterator
from typing import Final

from harness.systems.error_log.contract import (
    Action,
    Facts,
    RecoverArguments,
    RecoverResult,
    RecoveryOutcome,
    StepTaken,
)
from harness.systems.error_log.oracle import documents, steps
from harness.systems.error_log.oracle.handling import Broken, Seen
from harness.systems.error_log.oracle.owed import Owed, shows
from harness.systems.times import instant

TODO: Final = "todo"
STATE: Final = "state"
_SHORT: Final = 1024  # characters of an output that fit into a record
COMPARED: Final = 4096  # characters of an output that have to be captured


def timed_out(args: RecoverArguments, answer: RecoverResult) -> Iterator[Seen]:
    """Save partial progress, mark the phase [PARTIAL], commit; the next /implement resumes."""
    clause, expected = (
        "ER-TMO-01",
        "progress is saved, the phase marked [PARTIAL], and it is committed, in this order",
    )
    mark = () if args.progress.failed_at is not None else (Action.MARK_PARTIAL,)
    saved = (Action.PRESERVE, Action.WRITE_METADATA, Action.ENABLE_RESUME)
    wrong = steps.disorder(answer.steps, saved, Action.MARK_PARTIAL, Action.COMMIT, optional=mark)
    commits = steps.of(answer.steps, Action.COMMIT)
    if not wrong and commits[0].ok is not args.facts.commit_succeeds:
        wrong = f"the commit is told to have {'succeeded' if commits[0].ok else 'failed'}, and it did not"
    failed = answer.outcome == RecoveryOutcome.FAILED
    if not wrong and args.facts.commit_succeeds and failed:
        wrong = "the recovery failed"
    yield Broken(clause, expected, f"{wrong}: {steps.said(answer.steps)}") if wrong else Owed(clause, expected)
    if args.facts.commit_succeeds:
        return
    expected = "a commit that fails does not stop the recovery from a timeout"
    if failed or not commits:
        yield Broken("ER-NB-01", expected, f"{answer.outcome}: {steps.said(answer.steps)}")
    elif not wrong:
        yield Owed("ER-NB-01", expected)


def diverged(args: RecoverArguments, answer: RecoverResult, *, both: bool, certain: bool) -> Iterator[Seen]:
    """Read both files, ask git blame which is newer, sync to it, log the resolution.

    ``both``: both files are there, and tell statuses; otherwise the other one may be taken, whatever blame says.
    ``certain``: nothing kept the files from being read or written.
    """
    clause, expected = "ER-SYN-01", "both files are read, blamed, synced to the newer, and the resolution is logged"
    syncs = [step for step in steps.of(answer.steps, Action.SYNC) if step.ok]
    decided = _newer(args.facts)
    wrong = ""
    for read in (Action.READ_TODO, Action.READ_STATE):
        wrong = wrong or steps.disorder(answer.steps, read, Action.BLAME, optional=() if both else (Action.BLAME,))
    if not wrong and not syncs and (decided is None or not both or not certain):
        wrong = "recovered without a sync" if answer.outcome == RecoveryOutcome.RECOVERED else ""
        yield (
            Broken(clause, expected, wrong) if wrong else Owed(clause, expected, frozenset(("asks",)) if both else None)
        )
        return
    before = (Action.BLAME,) if both else ()
    wrong = wrong or steps.disorder(answer.steps, *before, Action.SYNC, Action.LOG_RESOLUTION)
    if not wrong and (len(syncs) != 1 or syncs[0].detail not in (TODO, STATE)):
        wrong = f"synced to {', '.join(repr(sync.detail) for sync in syncs) or 'neither'}"
    if wrong:
        yield Broken(clause, expected, f"{wrong}: {steps.said(answer.steps)}")
        return
    readings = _readings(args.facts, syncs[0].detail) if both else ("",)
    if readings == ():
        dates = f"TODO.md of {args.facts.todo_changed}, state.json of {args.facts.state_changed}"
        yield Broken(clause, f"synced to the newer of {dates}", f"synced to {syncs[0].detail}")
    else:
        yield Owed(clause, expected, None if readings in (None, ("",)) else frozenset(readings))


def _newer(facts: Facts) -> str | None:
    """Which file blame says is newer; None when it says nothing."""
    todo, state = instant(facts.todo_changed), instant(facts.state_changed)
    if todo is None or state is None or todo == state:
        return None
    return TODO if todo > state else STATE


def _readings(facts: Facts, taken: str) -> tuple[str, ...] | None:
    """The readings in which that file is taken; None when all agree, none when no one does."""
    newer = _newer(facts)
    if newer is not None:
        return None if taken == newer else ()
    if any(text is not None and instant(text) is None for text in (facts.todo_changed, facts.state_changed)):
        return None  # what blame never says
    found = ["state" if taken == STATE else "todo"]
    todo, state = instant(facts.todo_changed), instant(facts.state_changed)
    if (todo is None) is (state is None):
        return (*found, "uncommitted", "committed") if taken == STATE else tuple(found)
    committed = TODO if state is None else STATE
    return (*found, "committed" if taken == committed else "uncommitted")


def build_failed(args: RecoverArguments, answer: RecoverResult) -> Iterator[Seen]:
    """Capture the output, log it, keep the source unchanged, report."""
    clause, expected = "ER-BLD-01", "the output is captured, then logged, then reported with its context"
    wrong = steps.disorder(answer.steps, Action.CAPTURE_OUTPUT, Action.LOG, Action.REPORT)
    wrong = wrong or not_captured(args.facts, answer.steps)
    if not wrong and answer.returned is None:
        wrong = "nothing is returned"
    output = _to_show(args.facts)
    told = tuple(documents.texts(answer.returned))
    owed = () if all(shows(each, told) for each in output) else output
    yield (
        Broken(clause, expected, f"{wrong}: {steps.said(answer.steps)}")
        if wrong
        else Owed(clause, expected, None, owed)
    )


def _to_show(facts: Facts) -> tuple[str, ...]:
    """What of the output the record or the report has to have; of a long one nobody says how much."""
    output = facts.output.strip()
    return (output,) if 0 < len(output) <= _SHORT else ()


def non_blocking(clause: str, answer: RecoverResult) -> Iterator[Seen]:
    """What does not stop the execution is logged, and it goes on."""
    expected = "the execution continues"
    on = answer.outcome == RecoveryOutcome.RECOVERED or steps.has(answer.steps, Action.CONTINUE)
    if steps.has(answer.steps, Action.RETURN_PARTIAL):
        yield Broken(clause, expected, f"{answer.outcome}: {steps.said(answer.steps)}")
    elif on:
        yield Owed(clause, expected)


def not_captured(facts: Facts, taken: tuple[StepTaken, ...]) -> str:
    """What is wrong with the output that was captured."""
    captured = steps.of(taken, Action.CAPTURE_OUTPUT)
    output = facts.output[:COMPARED].strip()
    return "" if any(output in each.detail for each in captured) else f"the output {output[:80]!r} is not captured"
