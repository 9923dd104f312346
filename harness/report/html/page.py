"""The page itself: the template filled in, with its own style and script inside and nothing else that runs."""

import base64
import hashlib
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from harness.certify.events import Event, RunFinished, RunStarted, ScenarioJudged
from harness.core.clause import Catalogue
from harness.core.verdict import ClauseVerdict
from harness.report import exploration, sentences
from harness.report.files import write_whole
from harness.report.html.contents import Contents, contents

NAME = "report.html"


class HtmlFile:
    """Writes report.html when the run has a verdict."""

    def __init__(self, directory: Path, catalogues: Sequence[Catalogue]) -> None:
        self._path = directory / NAME
        self._catalogues = catalogues
        self._started: RunStarted | None = None
        self._judged: list[ScenarioJudged] = []

    def handle(self, event: Event) -> None:
        """See Handler.handle."""
        if isinstance(event, RunStarted):
            self._started = event
        elif isinstance(event, ScenarioJudged):
            self._judged.append(event)
        elif isinstance(event, RunFinished) and self._started is not None:
            write_whole(self._path, page(contents(self._started, event, self._judged, self._catalogues)))

    def close(self) -> None:
        """See Handler.close."""


def page(run: Contents) -> str:
    """The whole page; the same contents give the same text."""
    script = _own("page.js")
    return rendered(
        "page.html.j2",
        run=run,
        script=Markup(script),  # noqa: S704 - our own file
        script_hash=_hash(script),
        verdicts=[verdict.value for verdict in ClauseVerdict],
        family_headings=sentences.HEADINGS,
        explored_headings=exploration.HEADINGS,
    )


def rendered(template: str, **values: Any) -> str:
    """A template with these values, each of them as text, and with the style of all pages."""
    environment = Environment(
        loader=PackageLoader("harness.report.html", "."), autoescape=True, undefined=StrictUndefined
    )
    environment.filters["picture"] = Markup  # drawn by us, with texts that were escaped when they were drawn
    return environment.get_template(template).render(style=Markup(_own("page.css")), **values)  # noqa: S704 - our own file


def _own(name: str) -> str:
    return resources.files("harness.report.html").joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """As a Content-Security-Policy names a script that may run."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
