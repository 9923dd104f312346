"""The verdict as a page of Markdown, for a repository or a pull request."""

from collections.abc import Sequence
from pathlib import Path

from harness.certify.events import RunFinished, RunStarted, ScenarioJudged
from harness.core.clause import Catalogue
from harness.core.verdict import ClauseVerdict
from harness.report import exploration, sentences, simulations
from harness.report.failures import failures, replay_command
from harness.report.page_file import PageFile
from harness.report.text import in_markdown

NAME = "report.md"
OTHERS_SHOWN = 20  # further scenarios of one failure; of variants there may be hundreds


class MarkdownFile(PageFile):
    """Writes report.md when the run has a verdict."""

    def __init__(self, directory: Path, catalogues: Sequence[Catalogue]) -> None:
        super().__init__(directory / NAME, catalogues, page)


def page(
    started: RunStarted, finished: RunFinished, judged: Sequence[ScenarioJudged], catalogues: Sequence[Catalogue]
) -> str:
    """The whole page; the same run gives the same text."""
    profiles = ", ".join(f"{p}{' with ' + ', '.join(g) if g else ''}" for p, g in started.profiles.items())
    lines = [f"# {in_markdown(started.target)}: {finished.outcome.value}", ""]
    for catalogue in catalogues:
        lines += [f"**{catalogue.system}: {_level(started, finished, catalogue)}**", ""]
    if finished.message:
        lines += [f"**{in_markdown(finished.message)}**", ""]
    lines += [
        f"{sentences.counts(finished)}. {in_markdown(finished.fail_open.says).capitalize()}.",
        "",
        f"windtunnel {in_markdown(started.windtunnel)} · profiles {in_markdown(profiles)} · "
        f"level asked {in_markdown(started.level)} · seed {started.seed} · {started.cases} cases of search a profile · "
        f"plan of {started.plan.files} files, sha256 {in_markdown(started.plan.sha256[:16] or 'none')}. "
        f"Certificate: {in_markdown(finished.certificate)}.",
    ]
    lines += [f"\nNot contained: {in_markdown(sentence)}" for sentence in started.uncontained]
    lines += _failures(finished, judged, catalogues)
    lines += _faults(finished)
    lines += _explored(finished)
    lines += _simulated(finished)
    for catalogue in catalogues:
        lines += _clauses(started, finished, catalogue)
    return "\n".join(lines) + "\n"


def _level(started: RunStarted, finished: RunFinished, catalogue: Catalogue) -> str:
    if started.only:
        return f"only {', '.join(started.only)} was asked for, so there is no level"
    result = finished.systems[catalogue.system]
    strict = "" if result.strict or result.level is None else " (not strict: a SHOULD is open)"
    return in_markdown(sentences.levels(result)) + strict


def _clauses(started: RunStarted, finished: RunFinished, catalogue: Catalogue) -> list[str]:
    result = finished.systems[catalogue.system]
    lines = ["", f"## Clauses of {catalogue.system}", ""]
    lines += ["| clause | level | verdict | witnesses | reading | what it requires |", "|---|---|---|---|---|---|"]
    for clause in catalogue:
        if started.only and clause.id not in started.only:
            continue
        found = result.clauses[clause.id]
        why = f" ({in_markdown(found.reason)})" if found.verdict is not ClauseVerdict.CONFORMS and found.reason else ""
        lines.append(
            f"| {clause.id} | {clause.level.value} | {found.verdict.value}{why} | {found.witnesses} | "
            f"{found.reading or ''} | {in_markdown(clause.statement)} |"
        )
    return lines


def _faults(finished: RunFinished) -> list[str]:
    rows = sentences.families(finished)
    if not rows:
        return []
    lines = ["", "## Faults", "", f"| {' | '.join(sentences.HEADINGS)} |", "|---|---|---|---|---|---|"]
    lines += [f"| {' | '.join(str(cell) for cell in row)} |" for row in rows]
    said = (*sentences.fault_table(finished.ledger), *sentences.not_fired(finished.ledger))
    return lines + [f"\n{in_markdown(sentence)}" for sentence in said]


def _explored(finished: RunFinished) -> list[str]:
    if not finished.explored:
        return []
    lines = ["", "## Explored", "", f"| {' | '.join(exploration.HEADINGS)} |", "|---|---|---|---|---|---|---|---|"]
    lines += [f"| {' | '.join(map(str, row))} |" for row in exploration.rows(finished.explored)]
    power = (line for result in finished.systems.values() for line in exploration.of_power(result.power_loss))
    return lines + [f"\n{in_markdown(sentence)}" for sentence in (*exploration.said(finished.explored), *power)]


def _simulated(finished: RunFinished) -> list[str]:
    found = simulations.said(finished.systems)
    if not found:
        return []
    nested = (f"{'  ' * ((len(line) - len(line.lstrip())) // 2)}- {in_markdown(line.strip())}" for line in found)
    return ["", "## Simulated", "", *nested]


def _failures(finished: RunFinished, judged: Sequence[ScenarioJudged], catalogues: Sequence[Catalogue]) -> list[str]:
    lines: list[str] = []
    for failure in failures(finished, judged, catalogues):
        lines += [] if lines else ["", "## Failures"]
        lines += [
            "",
            f"### {failure.clause.id}",
            "",
            f"{in_markdown(failure.clause.source)}: {in_markdown(failure.reason)}",
            "",
        ]
        if failure.finding is not None:
            lines += [
                f"- expected: {in_markdown(failure.finding.expected)}",
                f"- observed: {in_markdown(failure.finding.observed)}",
            ]
        if failure.scenario is not None:
            lines.append(f"- scenario: {failure.scenario}")
        if failure.short:
            lines.append(f"- replay: `{replay_command(failure.short, 'REPORT')}`")
        if failure.others:
            lines.append(f"- also in: {sentences.joined((name for _, name in failure.others), OTHERS_SHOWN)}")
    return lines
