"""What a run of a plan says on the console: a line when something becomes of a phase, and how it all ended."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from harness.core.events import NonBlockingFailed, SessionEvent, WaitBegun
from harness.core.plan_events import PhaseBegun, PhaseVerified
from harness.core.task_events import ReviewRequested
from harness.report.text import in_one_line, printable
from harness.runtime.shell_crew import PHASE, Ran
from harness.runtime.shell_plan import ShellPlan
from harness.runtime.shell_result import PhaseResult, RunResult

SHOWN_LINES: Final = 8  # of what a command printed that failed
CAUSES: Final[Mapping[str, str]] = {
    "back_off": "its output says that it was rate-limited",
    "cooldown": "three failures have opened the circuit breaker",
}


class Telling:
    """Says it as it happens, line by line, to ``say``."""

    def __init__(self, plan: ShellPlan, say: Callable[[str], object]) -> None:
        self._ids = {phase.key: str(phase.id) for phase in plan.phases}
        self._reviewed = {phase.key for phase in plan.phases if phase.review is not None}
        self._say = say
        self._phase = ""

    def show(self, event: SessionEvent) -> None:
        """An event has happened."""
        for line in self._lines(event):
            self._say(line)

    def told(self, ran: Ran) -> None:
        """A command has ended; only those that failed are news."""
        if ran.passed:
            return
        named = "run" if ran.what == PHASE else f"{ran.what} {ran.name}".strip()
        self._say(f"{self._ids[ran.phase]}: {in_one_line(named)}: {in_one_line(ran.says)}")
        lines = ran.ended.output.splitlines()
        for line in lines[1 if ran.ended.kind == "timeout" else 0 :][-SHOWN_LINES:]:  # its first line has been said
            self._say(f"    | {printable(line)}")

    def _lines(self, event: SessionEvent) -> Iterator[str]:
        if isinstance(event, PhaseBegun):
            self._phase = self._ids[event.phase]
            yield f"{self._phase}: {'begun' if event.attempt == 1 else 'retry'}"
        elif isinstance(event, PhaseVerified):
            yield from self._verified(event)
        elif isinstance(event, WaitBegun):
            yield f"{self._phase}: waits {event.wait_s:g} s, because {CAUSES.get(event.cause, event.cause)}"
        elif isinstance(event, ReviewRequested):
            yield f"{self._phase}: a human is asked ({', '.join(event.reasons)})"
        elif isinstance(event, NonBlockingFailed):
            yield f"{self._phase}: not committed"

    def _verified(self, event: PhaseVerified) -> Iterator[str]:
        yield f"{self._ids[event.phase]}: {'verified' if event.passed else 'not verified'}"
        if event.complete:
            review = "reviewed" if event.phase in self._reviewed else "without a review, since the plan has none for it"
            yield f"{self._ids[event.phase]}: complete, {review}"


def heading(plan: ShellPlan, statuses: Mapping[str, str], killed: int, aside: str | None) -> Iterator[str]:
    """What a run begins with."""
    complete = sum(status == "complete" for status in statuses.values())
    before = f", {complete} complete before" if complete else ""
    yield f"plan {plan.name}: {_phases(len(plan.phases))}{before}"
    if aside is not None:
        yield f"its state was put aside, to {printable(aside)}"
    if killed:
        yield f"ended {killed} process{'es' if killed > 1 else ''} that an earlier run had left behind"


def closing(result: RunResult, command: str) -> Iterator[str]:
    """What a run ends with; ``command`` runs the plan again."""
    yield ""
    for phase in result.phases:
        yield f"  {phase.id:<12} {phase.status}{_more(phase)}"
    yield ""
    if result.stop is not None:
        yield f"stop gate: {result.stop.decision} ({in_one_line(', '.join(result.stop.reasons))})"
    if result.did_not_stop:
        yield f"failed, and stopped nothing: {', '.join(result.did_not_stop)}"
    for breach in result.broken:
        yield f"{breach.rule} did not hold at event {breach.first.event.number}: {breach.says}"
    yield from map(in_one_line, _verdict(result, command))


def _more(phase: PhaseResult) -> str:
    if phase.is_dead:
        return ", a dead letter: five attempts failed"
    return "" if phase.has_review or phase.status != "complete" else ", not reviewed"


def _verdict(result: RunResult, command: str) -> Iterator[str]:
    again = f"`{command} --resume` tries again what failed, `{command} --fresh` begins anew"
    if result.outcome == "complete":
        yield f"complete: all {_phases(len(result.phases))}"
    elif result.outcome == "halted":
        yield f"halted: {result.why or 'it was before, and nothing was run'}; {again}"
    elif result.outcome == "waiting":
        waiting = ", ".join(phase.id for phase in result.phases if phase.status == "waiting")
        yield f"waiting for a human to look at {waiting}; {again}"
    elif result.outcome == "refused":
        yield f"cannot begin: {result.why or 'the phase runner gave no reason'}; mend it, or `{command} --fresh`"
    elif result.outcome == "unstored":
        why = result.why or "no reason was told"
        yield f"stopped: the state below {result.state} cannot be read or written ({why})"
    elif result.outcome == "interrupted":
        yield f"interrupted; `{command}` goes on"
    else:
        yield "this is a defect of windtunnel, not of the plan; please report it, with events.jsonl"


def _phases(count: int) -> str:
    return f"{count} phase{'' if count == 1 else 's'}"
