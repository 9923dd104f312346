"""The end of what a person sees: failures first, then what is known of every clause and fault, the verdict last."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from harness.certify.events import RunFinished, RunStarted, ScenarioJudged
from harness.core.clause import Catalogue, Level
from harness.core.verdict import ClauseVerdict, Outcome
from harness.report import exploration, sentences, simulations
from harness.report.failures import Failure, failures, replay_command
from harness.report.text import escape_line

OTHERS_SHOWN = 4
BETWEEN = " │ "  # two columns
TABLE_COLUMNS = 72  # the tables' headings need so much; a narrower screen gets lines
STYLES = {
    ClauseVerdict.CONFORMS: "green",
    ClauseVerdict.DEVIATES: "bold red",
    ClauseVerdict.NOT_ESTABLISHED: "yellow",
    ClauseVerdict.NOT_APPLICABLE: "dim",
}


class ClosingWords:
    """Says how a run ended; made for one run."""

    def __init__(self, console: Console, catalogues: Sequence[Catalogue], directory: str, started: RunStarted) -> None:
        self._console = console
        self._catalogues = catalogues
        self._directory = directory
        self._started = started

    def say(self, event: RunFinished, judged: Sequence[ScenarioJudged]) -> None:
        """Everything, in the order in which it is read."""
        for failure in failures(event, judged, self._catalogues):
            self._failure(failure)
        for catalogue in self._catalogues:
            if self._started.only:
                self._asked(catalogue, event)
            elif event.complete and judged:
                self._not_established(catalogue, event)
                self._clauses(catalogue, event)
        if event.complete and not self._started.only:
            self._ledger(event)
            self._explored(event)
        for line in simulations.said(event.systems):
            self._line(escape_line(line))
        if event.fail_open.trials:
            self._line(escape_line(event.fail_open.says))
        self._verdict(event, judged)

    def _failure(self, failure: Failure) -> None:
        clause = failure.clause
        self._line(f"\n[bold red]{clause.id}[/] {clause.level.value} · {escape_line(clause.source)}")
        self._line(f"  {escape_line(clause.statement)}")
        if failure.finding is not None and (failure.finding.expected or failure.finding.observed):
            self._line(f"  expected: {escape_line(failure.finding.expected)}")
            self._line(f"  observed: {escape_line(failure.finding.observed)}")
        else:
            self._line(f"  observed: {escape_line(failure.reason)}")
        if failure.scenario is not None:
            self._line(f"  smallest scenario: {escape_line(failure.scenario)} - {escape_line(failure.title)}")
        if failure.short:
            self._line(f"  replay: {escape_line(replay_command(failure.short, self._directory))}")
        if failure.others:
            shown = [f"{short} {name}".strip() for short, name in failure.others]
            self._line(f"  also in: {escape_line(sentences.joined(shown, OTHERS_SHOWN))}")

    def _not_established(self, catalogue: Catalogue, event: RunFinished) -> None:
        alike: dict[str, list[str]] = {}
        for clause in catalogue:
            found = event.systems[catalogue.system].clauses[clause.id]
            if found.verdict is ClauseVerdict.NOT_ESTABLISHED:
                alike.setdefault(found.reason, []).append(clause.id)
        said, advice = sentences.without_repeats(alike)
        for reason, ids in said.items():
            self._line(f"[yellow]not established[/] {', '.join(ids)}: {escape_line(reason)}")
        for sentence in advice:
            self._line(f"  [yellow]what would help:[/] {escape_line(sentence)}")

    def _asked(self, catalogue: Catalogue, event: RunFinished) -> None:
        """Each clause that was asked for, a line each: others are not known well enough to be counted."""
        for clause in catalogue:
            found = event.systems[catalogue.system].clauses[clause.id]
            if clause.id in self._started.only:
                why = f": {escape_line(found.reason)}" if found.reason else f" · {found.witnesses} witnesses"
                style = STYLES[found.verdict]
                self._line(f"{clause.id} {clause.level.value} [{style}]{found.verdict.value}[/]{why}")

    def _clauses(self, catalogue: Catalogue, event: RunFinished) -> None:
        result = event.systems[catalogue.system]
        headings = (catalogue.system, *(verdict.value for verdict in ClauseVerdict))
        rows: list[tuple[str, ...]] = []
        for level in Level:
            found = [result.clauses[clause.id].verdict for clause in catalogue if clause.level is level]
            if found:
                rows.append((level.value, *(_styled(verdict, found.count(verdict)) for verdict in ClauseVerdict)))
        self._rows(headings, rows)

    def _ledger(self, event: RunFinished) -> None:
        rows = sentences.families(event)
        if not rows:
            return
        self._console.print()
        self._rows(
            ("faults", *sentences.HEADINGS[1:]),
            [
                (
                    row.family,
                    row.kinds,
                    f"{row.fired:,}",
                    f"{row.witnessed:,}",
                    _styled(ClauseVerdict.DEVIATES, row.failed),
                    row.fail_closed,
                )
                for row in rows
            ],
        )
        for sentence in (*sentences.fault_table(event.ledger), *sentences.not_fired(event.ledger)):
            self._line(f"[dim]{escape_line(sentence)}[/]")

    def _explored(self, event: RunFinished) -> None:
        if not event.explored:
            return
        self._console.print()
        found = exploration.rows(event.explored)
        table = [(*map(str, row[:-1]), _styled(ClauseVerdict.DEVIATES, row.failed)) for row in found]
        self._rows(exploration.HEADINGS, table)
        power = (line for result in event.systems.values() for line in exploration.of_power(result.power_loss))
        for sentence in (*exploration.said(event.explored), *power):
            self._line(f"[dim]{escape_line(sentence)}[/]")

    def _rows(self, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        if self._console.width < max(TABLE_COLUMNS, _width([headings, *rows])):
            for row in rows:
                pairs = (f"{cell} {heading}" for heading, cell in zip(headings[1:], row[1:], strict=True))
                self._line(f"{row[0]}: {', '.join(pairs)}")
            return
        table = Table(title=None, show_edge=False, pad_edge=False)
        for position, heading in enumerate(headings):
            table.add_column(heading, justify="right" if position else "left", no_wrap=True)
        for row in rows:
            table.add_row(*row)
        self._console.print(table)

    def _verdict(self, event: RunFinished, judged: Sequence[ScenarioJudged]) -> None:
        if event.message:
            self._line(f"[bold]{event.outcome.value}:[/] {escape_line(event.message)}")
        if not event.complete:
            done = sum(each.origin == "plan" for each in judged)
            variants = event.counts.get("variants", 0)
            varied = f", and {sentences.plural(variants, 'variant')} of L3," if event.explored else ""
            said = f"{done} of {self._started.planned} scenarios{varied} were judged"
            self._line(f"{said}, so no clause and no level is shown")
        elif not self._started.only:
            for name, result in event.systems.items():
                if not sentences.told_with_its_clause(result):
                    self._line(f"{name}: {escape_line(sentences.levels(result))}")
        self._line(self._last(event))
        plan = f" · plan {self._started.plan.sha256[:16]}" if self._started.plan.sha256 else ""
        self._line(f"[dim]digest {event.digest[:16]}{plan} · report in {escape_line(self._directory)}[/]")

    def _last(self, event: RunFinished) -> str:
        colour = {Outcome.CONFORMANT: "bold green", Outcome.NONCONFORMANT: "bold red"}
        parts = [f"[{colour.get(event.outcome, 'bold yellow')}]{event.outcome.value}[/]"]
        only = self._started.only
        if only:
            beside = [
                name
                for result in event.systems.values()
                for name, found in result.clauses.items()
                if name not in only and found.verdict is ClauseVerdict.DEVIATES
            ]
            too = f", and {sentences.joined(beside, OTHERS_SHOWN)} failed beside it" if beside else ""
            parts.append(f"only {', '.join(only)} was asked for, so there is no level{too}")
        for name, result in event.systems.items() if event.complete and not only else ():
            strict = "" if event.strict or event.exit_code else ", not strict (a SHOULD is open)"
            parts.append(f"{name} {sentences.short_level(result)}{strict}")
        return " · ".join([*parts, sentences.counts(event), f"exit {event.exit_code}"])

    def _line(self, text: str) -> None:
        self._console.print(text, soft_wrap=True)


def _width(rows: Sequence[Sequence[str]]) -> int:
    """How wide a table is that shows all of every cell."""
    columns = zip(*rows, strict=True)
    return sum(max(len(Text.from_markup(cell)) for cell in column) + len(BETWEEN) for column in columns) - len(BETWEEN)


def _styled(verdict: ClauseVerdict, count: int) -> str:
    return f"[{STYLES[verdict]}]{count}[/]" if count else "0"
