"""What a run of a plan of commands comes to, as ``result.json`` has it. Published as ``agent_run.schema.json``."""

from collections.abc import Mapping
from typing import Any, Final, Literal

import msgspec

from harness.runtime.order import ORDER
from harness.runtime.shell_crew import SUMMARY_CHARACTERS, Ran
from harness.runtime.shell_plan import ShellPlan
from harness.runtime.shell_run import Ended, ShellRun
from harness.runtime.watched import FirstBreach, Watched

FORMAT: Final = 1
Word = Literal["complete", "halted", "waiting", "unstored", "refused", "interrupted", "broken"]
EXIT_CODES: Final[Mapping[Word, int]] = {
    "complete": 0,
    "halted": 1,
    "waiting": 1,
    "unstored": 4,
    "refused": 4,
    "interrupted": 130,
    "broken": 3,
}


class CommandResult(msgspec.Struct, frozen=True, kw_only=True):
    """A command that was run in this run: in which attempt, what for (phase, verify, analyse, review, commit), its end.

    ``name`` is its gate or its reviewer, or the message of a commit; ``output`` is the last of what it printed.
    """

    attempt: int
    what: str
    name: str
    passed: bool
    says: str
    output: str


class PhaseResult(msgspec.Struct, frozen=True, kw_only=True):
    """A phase: ``status`` is a word of the phase runner's, or waiting when a human was asked about it.

    ``has_review``: the plan has a review command for it; without one its review found nothing because nobody looked.
    ``is_dead``: its task failed five times in all and is a dead letter.
    """

    id: str
    title: str
    status: str
    has_review: bool
    is_dead: bool
    commands: tuple[CommandResult, ...]


class Breach(msgspec.Struct, frozen=True, kw_only=True):
    """A rule of the order in which parts fire that did not hold, which is a defect of ours, and where first."""

    rule: str
    says: str
    rests_on: tuple[str, ...]
    first: FirstBreach


class StopAnswer(msgspec.Struct, frozen=True):
    """What the stop gate answered when the session asked to end."""

    decision: str
    reasons: tuple[str, ...]


class RunResult(msgspec.Struct, frozen=True, kw_only=True):
    """A run. ``outcome`` broken goes before all others: the rest says how the plan stands all the same.

    ``killed``: processes that an earlier run left behind. ``did_not_stop``: what failed beside the work, by name.
    """

    format: int = FORMAT
    windtunnel: str
    outcome: Word
    plan: str
    session: str
    state: str
    why: str
    phases: tuple[PhaseResult, ...]
    stop: StopAnswer | None
    did_not_stop: tuple[str, ...]
    killed: int
    events: int
    counts: Mapping[str, int]
    broken: tuple[Breach, ...]


def result_of(
    plan: ShellPlan,
    run: ShellRun,
    ended: Ended,
    watched: Watched,
    ran: tuple[Ran, ...],
    *,
    version: str,
    killed: int,
) -> RunResult:
    """A run that has ended so."""
    broken = tuple(
        Breach(rule=rule, says=text.says, rests_on=text.rests_on, first=watched.broken[rule])
        for rule, text in ORDER.items()
        if rule in watched.broken
    )
    return RunResult(
        windtunnel=version,
        outcome="broken" if broken else ended.outcome.value,
        plan=plan.name,
        session=run.session_id,
        state=run.state,
        why=ended.why,
        phases=_phases(plan, ended, ran),
        stop=None if ended.stop is None else StopAnswer(*ended.stop),
        did_not_stop=ended.beside,
        killed=killed,
        events=watched.count,
        counts=dict(sorted(watched.counts.items())),
        broken=broken,
    )


def _phases(plan: ShellPlan, ended: Ended, ran: tuple[Ran, ...]) -> tuple[PhaseResult, ...]:
    return tuple(
        PhaseResult(
            id=str(phase.id),
            title=phase.title,
            status="waiting" if phase.key in ended.waiting else ended.statuses.get(phase.key, "pending"),
            has_review=phase.review is not None,
            is_dead=phase.key in ended.dead,
            commands=tuple(map(_command, (each for each in ran if each.phase == phase.key))),
        )
        for phase in plan.phases
    )


def _command(ran: Ran) -> CommandResult:
    return CommandResult(
        attempt=ran.attempt,
        what=ran.what,
        name=ran.name,
        passed=ran.passed,
        says=ran.says,
        output=ran.ended.output[-SUMMARY_CHARACTERS:],
    )


def schema() -> dict[str, Any]:
    """The JSON Schema of result.json."""
    return msgspec.json.schema(RunResult)
