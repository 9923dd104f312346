"""What the sessions of a real host said of a hook: host.json, and their part of junit.xml and of report.md."""

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec
from junitparser import Error, Failure, JUnitXml, TestCase, TestSuite

from harness.core.hosted import HostedRun, HostStory
from harness.errors import UsageError
from harness.report import files, markdown
from harness.report.text import in_markdown, in_one_line, printable

HOST: Final = "host.json"
_DIFFERS: Final = "the hook answers otherwise to the same call, or the host is another; nothing is said of the hook"


def forget(directory: Path) -> None:
    """Takes an earlier run's host.json away; UsageError when that cannot be."""
    with _writing(directory / HOST):
        (directory / HOST).unlink(missing_ok=True)


def write(directory: Path, run: HostedRun, musts: Collection[str]) -> None:
    """host.json, and what is added to the two reports of the certification that was run before.

    ``musts`` are the clauses whose violation fails a hook. UsageError when something cannot be written.
    """
    with _writing(directory / HOST):
        (directory / HOST).write_bytes(msgspec.json.format(msgspec.json.encode(run), indent=2) + b"\n")
    junit = directory / files.JUNIT
    with _writing(junit):
        document = JUnitXml.fromfile(str(junit)) if junit.exists() else JUnitXml("windtunnel")
        document.add_testsuite(_suite(run, musts))
        document.write(str(junit), pretty=True)
    page = directory / markdown.NAME
    with _writing(page):
        said = page.read_text("utf-8") if page.exists() else f"# {in_markdown(run.target)}\n"
        title, _, rest = said.partition("\n")
        # nobody should have to scroll to learn that a conformant hook fails on its host
        lines = [title, "", f"**{_heading(run)}**, see the end.", rest, "## " + _heading(run), "", *_section(run), ""]
        page.write_text("\n".join(lines), "utf-8")


def marks(story: HostStory, *, predicted: bool = False) -> str:
    """Its stops in order, ``B`` for a block and ``.`` for an end; with ``predicted`` what was foretold of them."""
    said = (stop.predicted if predicted else stop.blocked for stop in story.stops)
    return "".join("B" if blocks else "." for blocks in said)


def _suite(run: HostedRun, musts: Collection[str]) -> TestSuite:
    """A case a session: an error where the host is not the one we know, a failure where a MUST is violated."""
    suite = TestSuite(f"{printable(run.target)}: {run.host} {run.version}")
    for story in run.stories:
        case = TestCase(story.name, classname="windtunnel.host")
        violated = [found for found in run.findings if found.story == story.name and found.clause in musts]
        if run.outcome == "differs":
            if not story.as_predicted:
                words = f"stops {marks(story)}, predicted {marks(story, predicted=True)}: {_DIFFERS}"
                case.result = [Error(words, "NOT_AS_PREDICTED")]
        else:
            case.result = [Failure(in_one_line(found.text), found.clause) for found in violated]
        suite.add_testcase(case)
    if run.message:
        broken = TestCase("the sessions", classname="windtunnel.host")
        broken.result = [Error(in_one_line(run.message), "UNTESTED")]
        suite.add_testcase(broken)
    return suite


def _heading(run: HostedRun) -> str:
    return f"Under the real host {run.host} {run.version}: {run.outcome.replace('_', ' ')}"


def _section(run: HostedRun) -> list[str]:
    lines: list[str] = []
    if run.outcome == "differs":
        lines += [f"Not as predicted: {_DIFFERS}.", ""]
    else:
        lines += [f"- **{found.clause}** in {found.story}: {in_markdown(found.text)}" for found in run.findings]
        lines += [""] if run.findings else []
    if run.message:
        lines += [f"Broke off: {in_markdown(run.message)}.", ""]
    lines += ["`B`: the host went on. `.`: it ended.", "", "| session | stops | predicted | end | left behind |"]
    lines.append("|---|---|---|---|---|")
    for story in run.stories:
        cells = (story.name, marks(story), marks(story, predicted=True), story.end, ", ".join(story.children_left))
        lines.append(f"| {' | '.join(map(in_markdown, cells))} |")
    return lines


@contextmanager
def _writing(place: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UsageError(
            f"cannot write {place}: {os.strerror(error.errno or 0)}; choose another with --report"
        ) from error
