"""What every report that is one page has in common: it is made of a whole run, and written when that has a verdict."""

from collections.abc import Callable, Sequence
from pathlib import Path

from harness.certify.events import Event, RunFinished, RunStarted, ScenarioJudged
from harness.core.clause import Catalogue
from harness.report.files import write_whole

Page = Callable[[RunStarted, RunFinished, Sequence[ScenarioJudged], Sequence[Catalogue]], str]
"""Makes a page of a run; the same run gives the same text."""


class PageFile:
    """Writes one page, whole or not at all, when the run has a verdict."""

    shows_histories = False

    def __init__(self, path: Path, catalogues: Sequence[Catalogue], page: Page) -> None:
        self._path = path
        self._catalogues = catalogues
        self._page = page
        self._started: RunStarted | None = None
        self._judged: list[ScenarioJudged] = []

    def handle(self, event: Event) -> None:
        """See Handler.handle."""
        if isinstance(event, RunStarted):
            self._started = event
        elif isinstance(event, ScenarioJudged):
            self._judged.append(event if self.shows_histories else event.without_history())
        elif isinstance(event, RunFinished) and self._started is not None:
            write_whole(self._path, self._page(self._started, event, self._judged, self._catalogues))

    def close(self) -> None:
        """See Handler.close."""
