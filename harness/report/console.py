"""What a person sees while a run goes on."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from harness.certify.events import (
    Event,
    Exploring,
    HarnessBroke,
    Notice,
    RunFinished,
    RunStarted,
    ScenarioJudged,
    SearchFinished,
    SystemSimulated,
    Waiting,
)
from harness.certify.explored import is_power
from harness.core.clause import Catalogue
from harness.core.finding import CheckVerdict
from harness.report import sentences
from harness.report.closing_words import ClosingWords
from harness.report.text import escape_line

LINE_EVERY_S = 5.0  # in a pipe: often enough to see that it goes on, seldom enough for a log
WAITING_TOLD_S = 10.0  # in a pipe: what takes longer than that is named, once
SHOWN_ID_CHARACTERS = 44


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
        self._done = 0  # scenarios of the plan
        self._searched = 0
        self._simulated = 0
        self._variants = 0
        self._failed = 0
        self._told: set[tuple[str, bool]] = set()
        self._waited_for: set[str] = set()
        self._last_line_s = float("-inf")

    def handle(self, event: Event) -> None:
        """See Handler.handle."""
        if isinstance(event, RunStarted):
            self._begin(event)
        elif isinstance(event, ScenarioJudged):
            self._scenario(event)
        elif isinstance(event, Exploring):
            self._explore(event)
        elif isinstance(event, SearchFinished):
            self._searched += 1
            self._advance(f"searched {event.cases} cases in profile {event.profile}")
        elif isinstance(event, SystemSimulated):
            self._simulate(event)
        elif isinstance(event, Waiting):
            self._wait(event)
        elif isinstance(event, Notice):
            self._say(f"[yellow]note:[/] {escape_line(event.text)}")
        elif isinstance(event, HarnessBroke):
            self._say(f"[bold red]windtunnel itself broke[/] in {escape_line(event.scenario)}:")
            for line in event.error.splitlines():
                self._say(escape_line(line))
        elif isinstance(event, RunFinished):
            self.close()
            if self._started is not None:
                words = ClosingWords(self._console, self._catalogues, str(self._directory), self._started)
                words.say(event, self._judged)

    def close(self) -> None:
        """See Handler.close."""
        if self._live is not None:
            self._live.stop()
            self._live = None

    def _begin(self, event: RunStarted) -> None:
        self._started = event
        judged = ", ".join(f"{p}{' +' + '+'.join(g) if g else ''}" for p, g in event.profiles.items())
        self._say(
            f"[bold]{escape_line(event.target)}[/] · {', '.join(event.systems)} ({judged}) · level {event.level} · "
            f"seed {event.seed}"
        )
        self._say(
            f"{sentences.planned(event)} · plan of {event.plan.files} files, sha256 {event.plan.sha256[:16] or 'none'}"
        )
        for sentence in event.uncontained:
            self._say(f"[yellow]not contained:[/] {escape_line(sentence)}")
        if self._console.is_terminal:
            self._live = Progress(
                TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
                console=self._console, transient=True,
            )  # fmt: skip
            self._task = self._live.add_task("starting", total=_total(event))
            self._live.start()

    def _scenario(self, event: ScenarioJudged) -> None:
        self._judged.append(event.without_history())
        self._done += event.origin == "plan"
        failing = [finding for finding in event.findings if finding.verdict is CheckVerdict.FAIL]
        power = is_power(event.scenario)  # an attribute of its own: no clause deviates by it
        self._failed += bool(failing) and not power
        clauses = ", ".join(finding.clause for finding in failing)
        if failing and (clauses, power) not in self._told:
            # scenarios that fail alike are told once here, and listed with their clause at the end
            self._told.add((clauses, power))
            word = "[yellow]not kept when power is lost[/]" if power else "[bold red]FAIL[/]"
            self._say(f"{word} {escape_line(clauses)} · {escape_line(event.scenario.title)}")
        self._advance(event.scenario.id)

    def _explore(self, event: Exploring) -> None:
        """One more variant is judged; how many there are is known only now."""
        self._variants = event.done
        if self._live is not None and self._task is not None and self._started is not None:
            self._live.update(self._task, total=_total(self._started) + event.planned)
        self._advance(event.what, f"{event.done} of {event.planned} variants judged")

    def _simulate(self, event: SystemSimulated) -> None:
        self._simulated += 1
        for broken in event.played.broken:
            self._say(
                f"[bold red]BROKEN[/] {broken.rule} · {escape_line(event.system)} simulated, seed {event.played.seed}"
            )
        self._advance(f"simulation of {event.system}", f"{self._simulated} simulations ended")

    def _advance(self, what: str, said: str = "") -> None:
        """One more item is done; in a pipe that is ``said``, or how many scenarios are."""
        if self._live is not None and self._task is not None:
            failing = f", [red]{self._failed} failing[/]" if self._failed else ""
            words = f"judged{failing} [dim]{escape_line(what[:SHOWN_ID_CHARACTERS])}[/]"
            self._live.update(self._task, completed=self._ended, description=words)
        elif self._monotonic() - self._last_line_s >= LINE_EVERY_S:
            self._last_line_s = self._monotonic()
            planned = self._started.planned if self._started is not None else 0
            said = said or f"{self._done} of {planned} scenarios judged"
            self._say(escape_line(f"{said}, {self._failed} failing; last: {what}"))

    @property
    def _ended(self) -> int:
        return self._done + self._variants + self._simulated + self._searched

    def _wait(self, event: Waiting) -> None:
        """Nothing comes: names what is waited for, at once on a terminal, in a pipe once when it takes long."""
        others = f", and {event.others} more" if event.others else ""
        what = event.what[:SHOWN_ID_CHARACTERS]
        if self._live is not None and self._task is not None:
            words = f"[yellow]waiting {event.seconds:.0f} s[/] for {escape_line(what)}{others}"
            self._live.update(self._task, description=words, refresh=True)
        elif event.seconds >= WAITING_TOLD_S and event.what not in self._waited_for:
            self._waited_for.add(event.what)
            self._say(escape_line(f"waiting for {event.what}, {event.seconds:.0f} s so far{others}"))

    def _say(self, text: str) -> None:
        self._console.print(text, soft_wrap=True)


def _total(started: RunStarted) -> int:
    """What is to be done, as far as it is known when the run begins."""
    return started.planned + started.simulations + started.searches
