"""The page itself: the template filled in, with its own style and script inside and nothing else that runs."""

import base64
import hashlib
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from harness.core.clause import Catalogue
from harness.core.verdict import ClauseVerdict
from harness.report import exploration, sentences
from harness.report.html.contents import Contents, contents
from harness.report.page_file import PageFile

NAME = "report.html"


class HtmlFile(PageFile):
    """Writes report.html when the run has a verdict."""

    shows_histories = True

    def __init__(self, directory: Path, catalogues: Sequence[Catalogue]) -> None:
        super().__init__(directory / NAME, catalogues, lambda *run: page(contents(*run)))


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
