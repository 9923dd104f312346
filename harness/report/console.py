"""What a person sees while a run goes on, and at its end."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape as without_markup
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from harness.certify.events import Event, HarnessBroke, Notice, RunFinished, RunStarted, ScenarioJudged
from harness.core.clause import Catalogue, Level
from harness.core.finding import CheckVerdict
from harness.core.verdict import ClauseVerdict, Outcome
from harness.report.failures import Failure, failures, replay_command
from harness.report.text import printable

LINE_EVERY_S = 5.0  # in a pipe: often enough to see that it goes on, seldom enough for a log
OTHERS_SHOWN = 4
STYLES = {
    ClauseVerdict.CONFORMS: "green",
    ClauseVerdict.DEVIATES: "bold red",
    ClauseVerdict.NOT_ESTABLISHED: "yellow",
    ClauseVerdict.NOT_APPLICABLE: "dim",
}


def escape(text: str) -> str:
    """``text`` as it stands: neither Rich's markup nor the terminal's control sequences work in it."""
    return without_markup(printable(text))


class ConsoleReport:
    """One live line on a terminal, plain lines in a pipe, then failures and a closing table."""

    def __init__(
        self,
        console: Console,
        catalogues: Sequence[Catalogue],
        directory: Path,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._console = console
        self._catalogues = catalogues
        self._directory = directory
        self._monotonic = monotonic
        self._live: Progress | None = None
        self._task: TaskID | None = None
        self._started: RunStarted | None = None
        self._judged: list[ScenarioJudged] = []
        self._done = 0
        self._failed = 0
        self._told: set[str] = set()
        self._last_line_s = float("-inf")

    def handle(self, event: Event) -> None:
        """See Handler.handle."""
        if isinstance(event, RunStarted):
            self._begin(event)
        elif isinstance(event, ScenarioJudged):
            self._scenario(event)
        elif isinstance(event, Notice):
            self._say(f"[yellow]note:[/] {escape(event.text)}")
        elif isinstance(event, HarnessBroke):
            self._say(f"[bold red]windtunnel itself broke[/] in {escape(event.scenario)}:\n{escape(event.error)}")
        elif isinstance(event, RunFinished):
            self.close()
            self._finish(event)

    def close(self) -> None:
        """See Handler.close."""
        if self._live is not None:
            self._live.stop()
            self._live = None

    def _begin(self, event: RunStarted) -> None:
        self._started = event
        judged = ", ".join(f"{p}{' +' + '+'.join(g) if g else ''}" for p, g in event.profiles.items())
        self._console.print(
            f"[bold]{escape(event.target)}[/] · {', '.join(event.systems)} ({judged}) · level {event.level} · "
            f"seed {event.seed} · {event.planned} scenarios and searches"
        )
        for sentence in event.uncontained:
            self._console.print(f"[yellow]not contained:[/] {escape(sentence)}")
        if self._console.is_terminal:
            self._live = Progress(
                TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
                console=self._console, transient=True,
            )  # fmt: skip
            self._task = self._live.add_task("starting", total=event.planned)
            self._live.start()

    def _scenario(self, event: ScenarioJudged) -> None:
        self._judged.append(event)
        self._done += 1
        failing = [finding for finding in event.findings if finding.verdict is CheckVerdict.FAIL]
        self._failed += bool(failing)
        clauses = ", ".join(finding.clause for finding in failing)
        if failing and clauses not in self._told:
            # scenarios that fail alike are told once here, and listed with their clause at the end
            self._told.add(clauses)
            self._say(f"[bold red]FAIL[/] {escape(clauses)} · {escape(event.scenario.title)}")
        if self._live is not None and self._task is not None:
            self._live.update(self._task, completed=self._done, description=self._progress(event))
        elif self._monotonic() - self._last_line_s >= LINE_EVERY_S:
            self._last_line_s = self._monotonic()
            self._console.print(escape(f"{self._done} judged, {self._failed} failing; last: {event.scenario.id}"))

    def _progress(self, event: ScenarioJudged) -> str:
        failing = f", [red]{self._failed} failing[/]" if self._failed else ""
        return f"judged{failing} [dim]{escape(event.scenario.id[:44])}[/]"

    def _say(self, text: str) -> None:
        self._console.print(text, soft_wrap=True)

    def _finish(self, event: RunFinished) -> None:
        for failure in failures(event, self._judged, self._catalogues):
            self._failure(failure)
        for catalogue in self._catalogues:
            self._not_established(catalogue, event)
            self._console.print(_table(catalogue, event))
        if event.message:
            self._say(f"[bold]{event.outcome.value}:[/] {escape(event.message)}")
        self._say(_verdict_line(event, self._started.only if self._started is not None else ()))
        self._say(f"[dim]digest {event.digest[:16]} · report in {escape(str(self._directory))}[/]")

    def _failure(self, failure: Failure) -> None:
        clause = failure.clause
        self._say(f"\n[bold red]{clause.id}[/] {clause.level.value} · {escape(clause.source)}")
        self._say(f"  {escape(clause.statement)}")
        if failure.finding is not None and (failure.finding.expected or failure.finding.observed):
            self._say(f"  expected: {escape(failure.finding.expected)}")
            self._say(f"  observed: {escape(failure.finding.observed)}")
        else:
            self._say(f"  observed: {escape(failure.reason)}")
        if failure.scenario is not None and self._started is not None:
            self._say(f"  smallest scenario: {escape(failure.scenario)} - {escape(failure.title)}")
            command = replay_command(failure.scenario, str(self._directory), self._started)
            self._say(f"  replay: {escape(command)}")
        if failure.others:
            shown = ", ".join(failure.others[:OTHERS_SHOWN])
            more = f" and {len(failure.others) - OTHERS_SHOWN} more" if len(failure.others) > OTHERS_SHOWN else ""
            self._say(f"  also in: {escape(shown)}{more}")

    def _not_established(self, catalogue: Catalogue, event: RunFinished) -> None:
        result = event.systems[catalogue.system]
        alike: dict[str, list[str]] = {}
        for clause in catalogue:
            found = result.clauses[clause.id]
            asked = self._started is None or not self._started.only or clause.id in self._started.only
            if found.verdict is ClauseVerdict.NOT_ESTABLISHED and self._judged and asked:
                alike.setdefault(found.reason, []).append(clause.id)
        for reason, ids in alike.items():
            self._say(f"[yellow]not established[/] {', '.join(ids)}: {escape(reason)}")


def _table(catalogue: Catalogue, event: RunFinished) -> Table:
    result = event.systems[catalogue.system]
    table = Table(title=None, show_edge=False, pad_edge=False)
    for heading in (catalogue.system, *(verdict.value for verdict in ClauseVerdict)):
        table.add_column(heading, justify="left" if heading == catalogue.system else "right")
    for level in Level:
        found = [result.clauses[clause.id].verdict for clause in catalogue if clause.level is level]
        if found:
            cells = [
                f"[{STYLES[verdict]}]{found.count(verdict)}[/]" if found.count(verdict) else "0"
                for verdict in ClauseVerdict
            ]
            table.add_row(level.value, *cells)
    return table


def _verdict_line(event: RunFinished, only: Sequence[str]) -> str:
    colour = {Outcome.CONFORMANT: "bold green", Outcome.NONCONFORMANT: "bold red"}.get(event.outcome, "bold yellow")
    parts = [f"[{colour}]{event.outcome.value}[/]"]
    if only:
        parts.append(f"only {', '.join(only)} was asked for, so there is no level")
    for name, result in event.systems.items() if not only else ():
        if result.level is not None:
            parts.append(f"{name} level {result.level}{'' if event.strict else ', not strict (a SHOULD is open)'}")
        elif result.stopped_by is not None:
            parts.append(f"{name} has no level: {result.stopped_by} stops L1")
    counts = event.counts
    parts.append(
        f"{counts['scenarios']} scenarios, {counts['operations']} operations, {counts['faults']} faults proven, "
        f"{counts['witnesses']} witnesses"
    )
    return " · ".join(parts) + f" · exit {event.exit_code}"
