"""``windtunnel report``: the reports of a stored run, made from its events alone."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Final

import click
import msgspec

from harness.certify.events import RunStarted
from harness.core.clause import Catalogue
from harness.errors import FileFormatError, UsageError
from harness.ports.named_file import read_named
from harness.qualify.qualification import Qualification
from harness.report import Handler
from harness.report.files import (
    EVENTS,
    JUNIT,
    MOST_BYTES,
    RESULT,
    JUnitFile,
    ResultFile,
    laid_out,
    read_events,
    write_whole,
)
from harness.report.markdown import NAME as MARKDOWN
from harness.report.markdown import MarkdownFile
from harness.systems import registry

HTML: Final = "report.html"
QUALIFY: Final = "qualify.json"
Maker = Callable[[Path, Sequence[Catalogue]], Handler]


def _html(directory: Path, catalogues: Sequence[Catalogue]) -> Handler:
    return _with_extra("harness.report.html.page").HtmlFile(directory, catalogues)  # type: ignore[no-any-return]  # found by name


def _with_extra(module: str) -> ModuleType:
    """A module that draws pages, which takes its time; UsageError when what it needs is not installed."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("jinja2", "markupsafe", "matplotlib"):
            raise
        raise UsageError(
            f"HTML reports need {error.name}, which is not installed: pip install 'windtunnel[report]'"
        ) from error


FORMATS: Mapping[str, tuple[str, Maker]] = {
    "html": (HTML, _html),
    "junit": (JUNIT, lambda directory, _: JUnitFile(directory)),
    "markdown": (MARKDOWN, MarkdownFile),
    "json": (RESULT, lambda directory, _: ResultFile(directory)),
}
"""By name, the file that is written and who writes it."""


def _formats(context: click.Context, parameter: click.Parameter, value: str) -> tuple[str, ...]:
    del context, parameter
    names = tuple(dict.fromkeys(word.strip() for word in value.split(",") if word.strip()))
    unknown = [name for name in names if name not in FORMATS]
    if unknown or not names:
        raise click.BadParameter(f"there is no format {', '.join(unknown) or value!r}; there are {', '.join(FORMATS)}")
    return names


@click.command("report")
@click.argument("run", type=click.Path(path_type=Path), metavar="RUN")
@click.option(
    "--format", "formats", default="html", show_default=True, callback=_formats, metavar="NAME,...",
    help=f"Which reports: {', '.join(FORMATS)}.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="As JSON, one document.")
def command(run: Path, formats: tuple[str, ...], as_json: bool) -> int:
    """Write reports of a stored run into its directory, from its events.jsonl alone.

    \b
    windtunnel report windtunnel-report
    windtunnel report windtunnel-report --format html,junit,markdown
    """
    if not run.is_dir():
        raise UsageError(f"{run} is no directory; name the one that --report gave the run, with its events.jsonl")
    if (run / QUALIFY).is_file() and not (run / EVENTS).exists():
        return _said(run, [_of_qualification(run, formats)], as_json=as_json)
    events = read_events(run)
    started = events[0]
    if not isinstance(started, RunStarted):
        raise FileFormatError(f"{run} does not begin with the header of a run")
    catalogues = tuple(registry.get(name).catalogue for name in started.systems)
    handlers = {FORMATS[name][0]: FORMATS[name][1](run, catalogues) for name in formats}
    for event in events:
        for handler in handlers.values():
            handler.handle(event)
    for handler in handlers.values():
        handler.close()
    return _said(run, list(handlers), as_json=as_json)


def _said(run: Path, names: Sequence[str], *, as_json: bool) -> int:
    """Names the files that were written."""
    paths = [str(run / name) for name in names]
    click.echo(laid_out({"run": str(run), "files": paths}) if as_json else "\n".join(paths))
    return 0


def _of_qualification(run: Path, formats: tuple[str, ...]) -> str:
    """Writes the page of a qualification; its name."""
    if formats != ("html",):
        raise UsageError(f"of {QUALIFY} there is a page only; leave out --format")
    try:
        came = msgspec.json.decode(read_named(run / QUALIFY, MOST_BYTES), type=Qualification)
    except OSError as error:
        raise UsageError(f"cannot read {run / QUALIFY}: {error.strerror}") from error
    except msgspec.DecodeError as error:
        raise FileFormatError(f"{run / QUALIFY} is no qualification of this version of windtunnel: {error}") from error
    made = _with_extra("harness.qualify.html_page")
    write_whole(run / made.NAME, made.html_page(came))
    return str(made.NAME)
