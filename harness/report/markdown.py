"""The verdict as a page of Markdown, for a repository or a pull request."""

from collections.abc import Sequence
from pathlib import Path

from harness.certify.events import Event, RunFinished, RunStarted, ScenarioJudged
from harness.core.clause import Catalogue
from harness.core.verdict import ClauseVerdict
from harness.report.failures import failures, replay_command
from harness.report.text import printable

NAME = "report.md"


class MarkdownFile:
    """Writes report.md when the run has a verdict."""

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
            text = page(self._started, event, self._judged, self._catalogues)
            self._path.write_text(text, encoding="utf-8")

    def close(self) -> None:
        """See Handler.close."""


def page(
    started: RunStarted, finished: RunFinished, judged: Sequence[ScenarioJudged], catalogues: Sequence[Catalogue]
) -> str:
    """The whole page; the same run gives the same text."""
    profiles = ", ".join(f"{p}{' with ' + ', '.join(g) if g else ''}" for p, g in started.profiles.items())
    counts = finished.counts
    lines = [
        f"# {_plain(started.target)}: {finished.outcome.value}",
        "",
        f"windtunnel {started.windtunnel} · profiles {profiles} · level asked {started.level} · seed {started.seed} · "
        f"{started.cases} cases of search a profile",
        "",
        f"{counts['scenarios']} scenarios, {counts['operations']} operations, {counts['faults']} faults proven, "
        f"{counts['witnesses']} witnesses. Certificate: {_plain(finished.certificate)}.",
    ]
    if finished.message:
        lines += ["", f"**{_plain(finished.message)}**"]
    lines += [f"\nNot contained: {_plain(sentence)}" for sentence in started.uncontained]
    for catalogue in catalogues:
        lines += _system(catalogue, finished)
    lines += _failures(started, finished, judged, catalogues)
    return "\n".join(lines) + "\n"


def _system(catalogue: Catalogue, finished: RunFinished) -> list[str]:
    result = finished.systems[catalogue.system]
    level = result.level or f"none: {f'{result.stopped_by} stops L1' if result.stopped_by else 'the run was cut short'}"
    strict = "" if result.strict or result.level is None else " (not strict: a SHOULD is open)"
    lines = ["", f"## {catalogue.system}", "", f"Level: {level}{strict}", ""]
    lines += ["| clause | level | verdict | witnesses | reading | what it requires |", "|---|---|---|---|---|---|"]
    for clause in catalogue:
        found = result.clauses[clause.id]
        why = f" ({_plain(found.reason)})" if found.verdict is not ClauseVerdict.CONFORMS and found.reason else ""
        lines.append(
            f"| {clause.id} | {clause.level.value} | {found.verdict.value}{why} | {found.witnesses} | "
            f"{found.reading or ''} | {_plain(clause.statement)} |"
        )
    return lines


def _failures(
    started: RunStarted, finished: RunFinished, judged: Sequence[ScenarioJudged], catalogues: Sequence[Catalogue]
) -> list[str]:
    lines: list[str] = []
    for failure in failures(finished, judged, catalogues):
        lines += ["", f"### {failure.clause.id}", "", f"{_plain(failure.clause.source)}: {_plain(failure.reason)}", ""]
        if failure.finding is not None:
            lines += [
                f"- expected: {_plain(failure.finding.expected)}",
                f"- observed: {_plain(failure.finding.observed)}",
            ]
        if failure.scenario is not None:
            lines += [
                f"- scenario: {failure.scenario}",
                f"- replay: `{replay_command(failure.scenario, 'REPORT', started)}`",
            ]
        if failure.others:
            lines.append(f"- also in: {', '.join(failure.others)}")
    return lines


def _plain(text: str) -> str:
    # the text may come from what is under test: no table, markup or HTML of its own
    folded = printable(" ".join(text.split()))
    return "".join(f"\\{c}" if c in "|*_`<>[]#\\" else c for c in folded)
