"""What a run leaves in its report directory: events.jsonl, result.json, junit.xml and the failing scenarios."""

import os
from pathlib import Path

import msgspec
from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from harness.certify import events
from harness.certify.events import Event, RunFinished, RunStarted, ScenarioJudged
from harness.core import scenario as scenario_format
from harness.core.finding import CheckVerdict
from harness.core.verdict import ClauseVerdict
from harness.errors import FileFormatError, UsageError
from harness.report.text import printable

EVENTS = "events.jsonl"
RESULT = "result.json"
JUNIT = "junit.xml"
SCENARIOS = "scenarios"
_OURS = (EVENTS, RESULT, JUNIT, "report.md")


def prepare(directory: Path) -> None:
    """Makes the report directory, and takes an earlier run's files out of it; UsageError when it cannot be written."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for name in _OURS:
            (directory / name).unlink(missing_ok=True)
        for old in (directory / SCENARIOS).glob("*.yaml"):
            old.unlink()
        probe = directory / EVENTS
        probe.touch()
    except OSError as error:
        raise UsageError(
            f"cannot write the report to {directory}: {os.strerror(error.errno or 0)}; choose another with --report"
        ) from error


class EventsFile:
    """Writes events.jsonl, each event at once, so that an interrupted run keeps what it had."""

    def __init__(self, directory: Path) -> None:
        self._file = (directory / EVENTS).open("wb", buffering=0)

    def handle(self, event: Event) -> None:
        """See Handler.handle."""
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
            text = msgspec.json.format(msgspec.json.encode(result(self._started, event)), indent=2)
            self._path.write_bytes(text + b"\n")

    def close(self) -> None:
        """See Handler.close."""


def result(started: RunStarted, finished: RunFinished) -> dict[str, object]:
    """The content of result.json."""
    return {
        "format": events.FORMAT,
        "outcome": finished.outcome.value,
        "exit_code": finished.exit_code,
        "strict": finished.strict,
        "seed": started.seed,
        "cases": started.cases,
        "digest": finished.digest,
        "certificate": finished.certificate,
        "message": finished.message,
        "target": started.target,
        "carriers": list(started.carriers),
        "level": started.level,
        "suite_digest": started.suite_digest,
        "implementation_digest": started.implementation_digest,
        "uncontained": list(started.uncontained),
        "counts": finished.counts,
        "systems": msgspec.to_builtins(finished.systems),
    }


class ScenarioFiles:
    """Writes each failing scenario to a file that ``windtunnel replay`` takes."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory / SCENARIOS

    def handle(self, event: Event) -> None:
        """See Handler.handle."""
        if isinstance(event, ScenarioJudged) and any(f.verdict is CheckVerdict.FAIL for f in event.findings):
            self._directory.mkdir(exist_ok=True)
            path = self._directory / f"{event.scenario.id}.yaml"
            path.write_text(scenario_format.dump(event.scenario), encoding="utf-8")

    def close(self) -> None:
        """See Handler.close."""


class JUnitFile:
    """Writes junit.xml: a test case a clause. What is not established is an error, never a skip."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / JUNIT
        self._target = ""

    def handle(self, event: Event) -> None:
        """See Handler.handle."""
        if isinstance(event, RunStarted):
            self._target = printable(event.target)
        elif isinstance(event, RunFinished):
            document = JUnitXml("windtunnel")
            for name, system in event.systems.items():
                document.add_testsuite(self._suite(name, event, system.clauses.keys()))
            if event.message:
                document.add_testsuite(self._broken(event))
            document.write(str(self._path), pretty=True)

    def close(self) -> None:
        """See Handler.close."""

    def _suite(self, name: str, event: RunFinished, clauses: object) -> TestSuite:
        suite = TestSuite(f"{self._target}: {name}")
        for clause_id, clause in event.systems[name].clauses.items():
            case = TestCase(clause_id, classname=f"windtunnel.{name}")
            if clause.verdict is ClauseVerdict.DEVIATES:
                case.result = [Failure(printable(clause.reason), clause.scenario)]
            elif clause.verdict is ClauseVerdict.NOT_ESTABLISHED:
                case.result = [Error(printable(clause.reason), "NOT_ESTABLISHED")]
            elif clause.verdict is ClauseVerdict.NOT_APPLICABLE:
                case.result = [Skipped(printable(clause.reason), "NOT_APPLICABLE")]
            suite.add_testcase(case)
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
        lines = path.read_bytes().splitlines()
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
