"""What a run leaves in its report directory: events.jsonl, result.json, junit.xml and the failing scenarios."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from harness.certify import events
from harness.certify.events import Event, Exploring, RunFinished, RunStarted, ScenarioJudged, Waiting
from harness.core import scenario as scenario_format
from harness.core.scenario import Scenario
from harness.core.verdict import L4, ClauseResult, ClauseVerdict
from harness.errors import FileFormatError, UsageError
from harness.ports.named_file import read_named
from harness.report import simulations
from harness.report.failures import fails, replay_command, short_ids
from harness.report.result import result
from harness.report.text import printable

EVENTS = "events.jsonl"
MOST_BYTES = 4 * 1024**3  # of the events of a run; the largest ones known have a hundred million
RESULT = "result.json"
JUNIT = "junit.xml"
CAMPAIGN = "campaign.json"
TIMELINE = "timeline.txt"
SCENARIOS = "scenarios"
INDEX = "index.json"  # below SCENARIOS: file names by short id
LEAF_CHARACTERS = 160  # of result.json: what fits on a line stands on one
_OURS = (
    EVENTS,
    RESULT,
    JUNIT,
    CAMPAIGN,
    TIMELINE,
    "report.md",
    "report.html",
    "certificate.json",
    "certificate.dsse.json",
    "baseline.json",
    "host.json",
)


def prepare(directory: Path) -> None:
    """Makes the report directory, and takes an earlier run's files out of it; UsageError when it cannot be written."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for name in _OURS:
            (directory / name).unlink(missing_ok=True)
        scripts = directory.glob("IN[TV]-*.yaml")
        for old in (*scripts, *(directory / SCENARIOS).glob("*.yaml"), directory / SCENARIOS / INDEX):
            old.unlink(missing_ok=True)
        probe = directory / EVENTS
        probe.touch()
    except OSError as error:
        raise UsageError(
            f"cannot write the report to {directory}: {os.strerror(error.errno or 0)}; choose another with --report"
        ) from error


def write_whole(path: Path, text: str) -> None:
    """Writes a file with a newline at its end, which is there whole or not at all."""
    written = path.with_name(f"{path.name}.new")
    try:
        written.write_text(f"{text.rstrip()}\n", encoding="utf-8")
        written.replace(path)
    finally:
        written.unlink(missing_ok=True)


class EventsFile:
    """Writes events.jsonl, each event at once, so that an interrupted run keeps what it had.

    What is only waited for is left out: it is for whoever watches.
    """

    def __init__(self, directory: Path) -> None:
        self._file = (directory / EVENTS).open("wb", buffering=0)

    def handle(self, event: Event) -> None:
        """See Handler.handle."""
        if not isinstance(event, Waiting | Exploring):
            self._file.write(events.encode(event))

    def close(self) -> None:
        """See Handler.close."""
        self._file.close()


class ResultFile:
    """Writes result.json when the run has a verdict."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / RESULT
        self._started: RunStarted | None = None

    def handle(self, event: Event) -> None:
        """See Handler.handle."""
        if isinstance(event, RunStarted):
            self._started = event
        elif isinstance(event, RunFinished) and self._started is not None:
            content = msgspec.to_builtins(result(self._started, event))
            self._path.write_text(laid_out(content) + "\n", encoding="utf-8")

    def close(self) -> None:
        """See Handler.close."""


def laid_out(value: Any, indent: str = "") -> str:
    """``value`` as JSON that is read: an object of plain values on one line when it is short, else a line an entry."""
    line = json.dumps(value, ensure_ascii=False)
    nested = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    plain = not any(isinstance(each, dict | list) and each for each in nested)
    if not nested or (plain and indent and len(line) <= LEAF_CHARACTERS):
        return line
    deeper = indent + "  "
    if isinstance(value, dict):
        inner = [f"{json.dumps(key, ensure_ascii=False)}: {laid_out(each, deeper)}" for key, each in value.items()]
    else:
        inner = [laid_out(each, deeper) for each in value]
    first, last = line[0], line[-1]
    return first + ",".join(f"\n{deeper}{each}" for each in inner) + f"\n{indent}{last}"


class ScenarioFiles:
    """Writes each failing scenario to a file that ``windtunnel replay`` takes, and the short ids to index.json."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory / SCENARIOS
        self._failing: list[Scenario] = []

    def handle(self, event: Event) -> None:
        """See Handler.handle."""
        if isinstance(event, ScenarioJudged) and fails(event):
            self._directory.mkdir(exist_ok=True)
            path = self._directory / f"{event.scenario.id}.yaml"
            path.write_text(scenario_format.dump(event.scenario), encoding="utf-8")
            self._failing.append(event.scenario)
        elif isinstance(event, RunFinished):
            self.close()

    def close(self) -> None:
        """See Handler.close."""
        if self._failing:
            index = {short: f"{id_}.yaml" for id_, short in short_ids(self._failing).items()}
            (self._directory / INDEX).write_text(laid_out(dict(sorted(index.items()))) + "\n", encoding="utf-8")


class JUnitFile:
    """Writes junit.xml: a test case a clause, and one a level. What is not established is an error, never a skip."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._path = directory / JUNIT
        self._target = ""
        self._failing: list[Scenario] = []

    def handle(self, event: Event) -> None:
        """See Handler.handle."""
        if isinstance(event, RunStarted):
            self._target = printable(event.target)
        elif isinstance(event, ScenarioJudged) and fails(event):
            self._failing.append(event.scenario)
        elif isinstance(event, RunFinished):
            document = JUnitXml("windtunnel")
            for name, system in event.systems.items():
                document.add_testsuite(self._suite(name, system.clauses))
                if system.levels:
                    document.add_testsuite(self._levels(name, event))
            if event.message:
                document.add_testsuite(self._broken(event))
            document.write(str(self._path), pretty=True)

    def close(self) -> None:
        """See Handler.close."""

    def _suite(self, name: str, clauses: Mapping[str, ClauseResult]) -> TestSuite:
        suite = TestSuite(f"{self._target}: {name}")
        shorts = short_ids(self._failing)
        for clause_id, clause in clauses.items():
            case = TestCase(clause_id, classname=f"windtunnel.{name}")
            if clause.verdict is ClauseVerdict.DEVIATES:
                failure = Failure(printable(clause.reason), clause.scenario)
                short = shorts.get(clause.scenario or "")
                if short is not None:
                    failure.text = f"scenario {clause.scenario}\n{replay_command(short, str(self._directory))}"
                case.result = [failure]
            elif clause.verdict is ClauseVerdict.NOT_ESTABLISHED:
                case.result = [Error(printable(clause.reason), "NOT_ESTABLISHED")]
            elif clause.verdict is ClauseVerdict.NOT_APPLICABLE:
                case.result = [Skipped(printable(clause.reason), "NOT_APPLICABLE")]
            suite.add_testcase(case)
        return suite

    def _levels(self, name: str, event: RunFinished) -> TestSuite:
        """A case a level of the scope, so that a page of test results shows which were reached."""
        suite = TestSuite(f"{self._target}: {name} levels")
        system = event.systems[name]
        for level, found in system.levels.items():
            case = TestCase(f"level {level}", classname=f"windtunnel.{name}.levels")
            if not found.reached:
                stopper = system.clauses.get(found.stopped_by or "")
                deviates = stopper is not None and stopper.verdict is ClauseVerdict.DEVIATES
                deviates = deviates or (level == L4 and simulations.blamed(system.simulated))
                about = f"stopped by {found.stopped_by}: {found.reason}" if found.stopped_by else found.reason
                case.result = [(Failure if deviates else Error)(printable(about), "not reached")]
            if level == L4:
                case.system_out = printable("\n".join(simulations.said({name: system})))
            suite.add_testcase(case)
        suite.add_property("fail-open rate", event.fail_open.says)
        return suite

    def _broken(self, event: RunFinished) -> TestSuite:
        suite = TestSuite("run")
        case = TestCase(event.outcome.value, classname="windtunnel.run")
        case.result = [Error(printable(event.message), event.outcome.value)]
        suite.add_testcase(case)
        return suite


def read_events(path: Path) -> list[Event]:
    """The events of a stored run; FileFormatError when it is none, or was cut short."""
    if path.is_dir():
        path = path / EVENTS
    try:
        lines = read_named(path, MOST_BYTES).splitlines()
    except OSError as error:
        raise UsageError(f"cannot read the run {path}: {error.strerror}") from error
    try:
        found = [events.decode(line) for line in lines]
    except msgspec.DecodeError as error:
        raise FileFormatError(f"{path} is cut short or no run of windtunnel: {error}") from error
    if not found or not isinstance(found[0], RunStarted) or not isinstance(found[-1], RunFinished):
        raise FileFormatError(
            f"{path} is cut short: it does not begin with a header and end with a verdict; run it again"
        )
    if found[0].format != events.FORMAT:
        raise FileFormatError(f"{path} has format {found[0].format}; this version reads format {events.FORMAT}")
    return found
