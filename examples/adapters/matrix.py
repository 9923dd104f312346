#!/usr/bin/env python3
"""Certifies every library of libraries.yaml and writes what came of it: reports/libraries.json and libraries.md.

matrix.py                   all of them; ./install has to have been run
matrix.py --check NAME ...  those named, or all; nothing is written, and verdicts other than those stored are told
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import yaml

from harness import __version__
from harness.certify.events import ScenarioJudged
from harness.core.finding import CheckVerdict
from harness.core.scenario import Scenario, Step
from harness.core.verdict import ClauseResult, ClauseVerdict, JudgedScenario, roll_up_system
from harness.report.files import laid_out, read_events
from harness.report.text import printable
from harness.systems import registry

HERE = Path(__file__).parent
REPORTS = HERE.parents[1] / "reports"
DECLARED = "DECLARED"
_PREFIX = "declared: "  # how a run says that a deviation was declared
_CELLS = {
    "CONFORMS": "conforms",
    "DEVIATES": "**deviates**",
    DECLARED: "declared",
    "NOT_ESTABLISHED": "not established",
}
_TOLD = ("verdict", "reading")
_JUDGED = (0, 1, 5)  # exit codes of a run with a verdict


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One library in one configuration, as libraries.yaml has it.

    ``calls`` is the library's own door that calls go through, ``clock`` how its time is told, ``lacks`` what it has no
    option for. Of one that keeps everything ``in_memory`` only what one process did is judged. ``explained`` says why
    of each clause that deviates, and of others that are open.
    """

    name: str
    target: str
    system: str
    level: str
    calls: str
    clock: str
    configuration: Mapping[str, str]
    lacks: str
    in_memory: bool = False
    explained: Mapping[str, str] = msgspec.field(default_factory=dict)


def entries() -> list[Entry]:
    """The libraries, in the order of the matrix."""
    return msgspec.convert(yaml.safe_load((HERE / "libraries.yaml").read_text("utf-8")), list[Entry])


def certified(entry: Entry, report: Path) -> dict[str, Any]:
    """The library's row, from a run of its own; RuntimeError when the run has no verdict."""
    words = [sys.executable, "-m", "harness.cli", "certify", str(HERE / entry.target), "--system", entry.system]
    options = ["--level", entry.level, "--cases", "0", "--report", str(report)]
    done = subprocess.run([*words, *options], capture_output=True, text=True, check=False)
    if done.returncode not in _JUDGED:
        raise RuntimeError(f"{entry.name}: exit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return row(entry, [event for event in read_events(report) if isinstance(event, ScenarioJudged)])


def row(entry: Entry, events: Sequence[ScenarioJudged]) -> dict[str, Any]:
    """What is stored of one library."""
    about = json.loads((HERE / entry.target).with_name("about.json").read_text("utf-8"))
    played = [event for event in events if not (entry.in_memory and outlives_a_process(event.scenario))]
    judged = [
        JudgedScenario(each.scenario.id, each.scenario.profile, len(each.history), each.findings, each.scenario.level)
        for each in played
    ]
    profiles: dict[str, Sequence[str]] = dict.fromkeys((each.profile for each in judged), ())
    declared = about["systems"][entry.system]["not_implemented"]
    result = roll_up_system(registry.get(entry.system).catalogue, profiles, judged, declared, entry.level)
    clauses = {id_: _cell(id_, found, entry, judged) for id_, found in result.clauses.items()}
    described = {key: value for key, value in msgspec.to_builtins(entry).items() if key != "explained"}
    counts = {"scenarios": len(played), "left_out": len(events) - len(played)}
    return {
        **about["implementation"],
        **described,
        "library": about["implementation"]["name"],
        **counts,
        "clauses": clauses,
    }


def unexplained(entry: Entry, found: Mapping[str, Any]) -> list[str]:
    """What libraries.yaml lacks, or has too much: a deviation without an explanation, one of what does not deviate."""
    said = {id_: cell["verdict"] for id_, cell in found["clauses"].items()}
    missing = [id_ for id_, verdict in said.items() if verdict == "DEVIATES" and id_ not in entry.explained]
    needless = [id_ for id_ in entry.explained if said.get(id_) not in ("DEVIATES", "NOT_ESTABLISHED")]
    return [f"{entry.name}: {id_} deviates, and nothing says why" for id_ in missing] + [
        f"{entry.name}: {id_} is explained, and is {said.get(id_)}" for id_ in needless
    ]


def outlives_a_process(scenario: Scenario) -> bool:
    """Does it rest on what only a file could bring: state that is there before, or that another process left?"""

    def rests(steps: Iterable[Step]) -> bool:
        return any(
            step.process or step.schedule or step.fault or step.crash or (step.repeat and rests(step.repeat.steps))
            for step in steps
        )

    return bool(scenario.world.files) or rests(scenario.steps)


def _cell(id_: str, found: ClauseResult, entry: Entry, judged: Iterable[JudgedScenario]) -> dict[str, Any]:
    if found.reason.startswith(_PREFIX):
        return {"verdict": DECLARED, "why": found.reason.removeprefix(_PREFIX)}
    findings = [finding.verdict for each in judged for finding in each.findings if finding.clause == id_]
    met = sum(verdict in (CheckVerdict.PASS, CheckVerdict.FAIL) for verdict in findings)
    cell: dict[str, Any] = {"verdict": found.verdict.value, "scenarios": met}
    if found.verdict is ClauseVerdict.CONFORMS:
        return cell | ({"reading": found.reading} if found.reading else {})
    explanation = entry.explained.get(id_, found.reason)
    if found.verdict is ClauseVerdict.DEVIATES:
        failing = {"failing": len(found.failures), "scenario": found.scenario, "observed": found.reason}
        return cell | failing | {"why": explanation}
    return cell | {"why": explanation}


def page(rows: Sequence[Mapping[str, Any]]) -> str:
    """reports/libraries.md: what libraries.json holds, to be read."""
    lines = [(HERE / "preface.txt").read_text("utf-8").rstrip(), ""]
    lines += ["## The libraries, and how they are set up", ""]
    lines += ["| library | version | calls go through | configuration | it has no option for | its clock |"]
    lines += ["|---|---|---|---|---|---|"]
    for each in rows:
        options = "; ".join(f"`{name}` {value}" for name, value in each["configuration"].items())
        cells = (f"[{each['name']}]({each['homepage']})", each["version"], each["calls"], options)
        lines.append(_line(*cells, each["lacks"], each["clock"]))
    for system in dict.fromkeys(each["system"] for each in rows):
        lines += ["", f"## {system}", "", *_matrix(system, [each for each in rows if each["system"] == system])]
    for each in rows:
        lines += ["", f"## {each['name']} {each['version']}", "", *_details(each)]
    return "\n".join(lines) + "\n"


def _matrix(system: str, rows: Sequence[Mapping[str, Any]]) -> Iterable[str]:
    yield _line("clause", "level", *(each["name"] for each in rows), "what it requires")
    yield "|---" * (len(rows) + 3) + "|"
    for clause in registry.get(system).catalogue:
        cells = [_short(each["clauses"][clause.id]) for each in rows]
        yield _line(clause.id, clause.level, *cells, printable(clause.statement))


def _short(cell: Mapping[str, Any]) -> str:
    reading = f": {cell['reading']}" if cell.get("reading") else ""
    return _CELLS[cell["verdict"]] + reading


def _details(each: Mapping[str, Any]) -> Iterable[str]:
    left_out = f"; {each['left_out']} that rest on a file or a second process are left out" if each["left_out"] else ""
    yield f"Level asked: {each['level']}. {each['scenarios']} scenarios{left_out}."
    for verdict, title in (("DEVIATES", "Deviates"), (DECLARED, "Declared"), ("NOT_ESTABLISHED", "Not established")):
        found = {clause: cell for clause, cell in each["clauses"].items() if cell["verdict"] == verdict}
        if not found:
            continue
        yield from ("", f"**{title}**", "")
        if verdict == DECLARED:
            for why in dict.fromkeys(cell["why"] for cell in found.values()):
                yield f"- {', '.join(clause for clause, cell in found.items() if cell['why'] == why)}: {why}."
            continue
        for clause, cell in found.items():
            observed = ""
            if verdict == "DEVIATES":
                share = f"{cell['failing']} of {cell['scenarios']} scenarios, the smallest is {cell['scenario']}"
                observed = f" Fails in {share}: {printable(cell['observed'])}"
            elif cell["scenarios"]:
                observed = f" Passed in {cell['scenarios']} scenarios; not entered in others meant for it."
            yield f"- {clause}: {cell['why']}{observed}"


def _line(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def differences(rows: Sequence[Mapping[str, Any]], stored: Sequence[Mapping[str, Any]]) -> list[str]:
    """Where the rows differ from the stored ones of the same name, a line each: how they are set up, and verdicts.

    In how many scenarios a clause was met is left out: it changes with every scenario that is added.
    """
    known = {each["name"]: each for each in stored}
    found = []
    for each in rows:
        before = known.get(each["name"], {})
        for key in sorted(each.keys() - {"clauses", "scenarios", "left_out"}):
            if each[key] != before.get(key):
                found.append(f"{each['name']}: {key} is {each[key]}, stored {before.get(key)}")
        for clause, cell in each["clauses"].items():
            was = before.get("clauses", {}).get(clause, {})
            now, then = ({key: one[key] for key in _TOLD if key in one} for one in (cell, was))
            if now != then:
                why = f": {cell['why']}" if "why" in cell else ""
                found.append(f"{each['name']}: {clause} is {now}, stored {then}{why}")
    return found


def main() -> int:
    """The command line; 1 when something is unexplained, or differs from what is stored."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing, tell what differs")
    parser.add_argument("names", nargs="*", help="of libraries.yaml; all when none is given")
    given = parser.parse_args()
    wanted = [each for each in entries() if not given.names or each.name in given.names]
    with tempfile.TemporaryDirectory() as folder:
        rows = [certified(each, Path(folder, each.name)) for each in wanted]
    missing = [line for each, found in zip(wanted, rows, strict=True) for line in unexplained(each, found)]
    if missing:
        sys.stdout.write("".join(f"{line}\n" for line in missing))
        return 1
    file = REPORTS / "libraries.json"
    stored = json.loads(file.read_text("utf-8"))["libraries"] if file.exists() else []
    if given.check:
        found = differences(rows, stored)
        sys.stdout.write("".join(f"{line}\n" for line in found))
        return 1 if found else 0
    fresh = {each["name"]: each for each in (*stored, *rows)}
    rows = [fresh[each.name] for each in entries() if each.name in fresh]
    content = {"format": 1, "windtunnel": __version__, "libraries": rows}
    file.write_text(laid_out(content) + "\n", encoding="utf-8")
    (REPORTS / "libraries.md").write_text(page(rows), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
