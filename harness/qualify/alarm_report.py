"""What the runs of sound implementations showed: alarms, counts, and what silence bounds, as text and as JSON."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from harness import __version__
from harness.core.digest import sha256_of
from harness.core.rate import CONFIDENCE, at_least, percent_up
from harness.core.scenario import Scenario, dump
from harness.report.failures import DEFAULT_REPORT
from harness.report.files import write_whole

FORMAT = 1


class Alarm(msgspec.Struct, frozen=True):
    """Something that looked wrong in run ``number`` of a sound implementation.

    ``clause`` is what failed, "" when the run itself broke; ``repeats`` says whether it came again when its scenario,
    called ``scenario_id``, was played once more. ``target`` is what to replay it against, "" for the reference.
    """

    implementation: str
    number: int
    clause: str
    observed: str
    scenario_id: str
    repeats: bool
    target: str = ""
    scenario: Scenario | None = None


class Tally:
    """Counts of the runs of one implementation, and their alarms. Batches are merged in any order.

    ``drawn`` has by the number of a run the digests of its cases.
    """

    def __init__(self) -> None:
        self.runs = 0
        self.cases = 0
        self.operations = 0
        self.alarms: list[Alarm] = []
        self.drawn: dict[int, Sequence[str]] = {}

    @property
    def alarmed(self) -> int:
        """How many runs were not silent."""
        return len({(alarm.implementation, alarm.number) for alarm in self.alarms})

    @property
    def digest(self) -> str:
        """SHA-256 over the cases that were drawn, in the order of the runs: equal seeds give equal digests."""
        return sha256_of([list(self.drawn[number]) for number in sorted(self.drawn)])

    @property
    def different(self) -> int:
        """How many of the cases were not the same: every run begins with the simplest there is."""
        return len({digest for digests in self.drawn.values() for digest in digests})

    def add_run(self, number: int, cases: int, operations: int, drawn: Sequence[str], alarms: Sequence[Alarm]) -> None:
        """One more run."""
        self.runs += 1
        self.cases += cases
        self.operations += operations
        self.drawn[number] = drawn
        self.alarms += alarms

    def merge(self, other: "Tally") -> None:
        """Other runs of the same implementation."""
        self.runs += other.runs
        self.cases += other.cases
        self.operations += other.operations
        self.drawn |= other.drawn
        self.alarms = sorted([*self.alarms, *other.alarms], key=lambda alarm: (alarm.number, alarm.clause))


class Scope(NamedTuple):
    """What was asked for: so many runs of so many cases from that seed, which took ``seconds`` of real time.

    ``whole`` is false when it was interrupted; ``refused`` says which implementations could not be reached here.
    """

    runs: int
    cases: int
    seed: int
    seconds: float
    whole: bool
    refused: Mapping[str, str]


def bound(runs: int, alarmed: int) -> str:
    """What so many runs, of which some raised an alarm, say of the rate of false alarms, in one sentence.

    The bound is Clopper and Pearson's, exact, one-sided, and rounded up. Seeds are drawn alike, so it holds for these
    implementations and searches of this length; of other implementations it says nothing.
    """
    if not runs:
        return "0 runs: nothing is bounded"
    most = percent_up(1.0 - at_least(runs, alarmed), digits=2)
    found = f"{alarmed:,} false alarm{'s' if alarmed != 1 else ''} in {runs:,} run{'s' if runs != 1 else ''}"
    return f"{found}: at most {most} at {CONFIDENCE:.0%} confidence".replace("95%", "95 %")


def text(tallies: Mapping[str, Tally], scope: Scope, report: Path | None) -> str:
    """What a person reads at the end."""
    width = max(map(len, tallies), default=0)
    lines = [
        f"{name:<{width}}  {tally.runs:>6,} runs  {tally.cases:>7,} cases, {tally.different:,} different  "
        f"{tally.operations:>8,} operations  {len(tally.alarms):>3} alarms"
        for name, tally in tallies.items()
    ]
    lines += [f"{name} was left out: {why}" for name, why in scope.refused.items()]
    for alarm in _alarms(tallies):
        again = "again when played again" if alarm.repeats else "and not again when played again"
        lines.append(f"ALARM {alarm.implementation}, run {alarm.number}: {alarm.clause or 'it broke'}, {again}")
        lines.append(f"  {alarm.observed}")
        if alarm.scenario is not None:
            lines.append(f"  {_replay(alarm, report)}")
    if not scope.whole:
        lines.append(f"interrupted: {scope.runs:,} runs were asked for")
    total = _total(tallies)
    lines.append(bound(total["runs"], total["alarmed_runs"]))
    return "\n".join(lines)


def write(tallies: Mapping[str, Tally], scope: Scope, report: Path | None) -> None:
    """The report as JSON, where one is asked for, and every scenario that raised an alarm, beside it."""
    for alarm in _alarms(tallies):
        if alarm.scenario is not None:
            path = _place(alarm, report)
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, dump(alarm.scenario))
    if report is None:
        return
    total = _total(tallies)
    content = {
        "format": FORMAT,
        "windtunnel": __version__,
        "seed": scope.seed,
        "cases_of_a_run": scope.cases,
        "complete": scope.whole,
        **total,
        "bound": bound(total["runs"], total["alarmed_runs"]),
        "seconds": round(scope.seconds),
        "left_out": dict(scope.refused),
        "implementations": {
            name: {
                "runs": tally.runs,
                "cases": tally.cases,
                "different_cases": tally.different,
                "operations": tally.operations,
                "alarms": len(tally.alarms),
                "digest": tally.digest,
            }
            for name, tally in tallies.items()
        },
        "alarms": [_told(alarm, report) for alarm in _alarms(tallies)],
    }
    report.parent.mkdir(parents=True, exist_ok=True)
    write_whole(report, msgspec.json.format(msgspec.json.encode(content).decode(), indent=2))


def _told(alarm: Alarm, report: Path) -> dict[str, Any]:
    return {
        "implementation": alarm.implementation,
        "run": alarm.number,
        "clause": alarm.clause,
        "scenario": alarm.scenario_id,
        "observed": alarm.observed,
        "repeats": alarm.repeats,
        "replay": _replay(alarm, report) if alarm.scenario is not None else "",
    }


def _total(tallies: Mapping[str, Tally]) -> dict[str, int]:
    every = tallies.values()
    return {
        "runs": sum(tally.runs for tally in every),
        "cases": sum(tally.cases for tally in every),
        "different_cases": sum(tally.different for tally in every),
        "operations": sum(tally.operations for tally in every),
        "alarmed_runs": sum(tally.alarmed for tally in every),
    }


def _alarms(tallies: Mapping[str, Tally]) -> list[Alarm]:
    return [alarm for tally in tallies.values() for alarm in tally.alarms]


def _place(alarm: Alarm, report: Path | None) -> Path:
    folder = report.with_suffix("") if report is not None else Path(DEFAULT_REPORT) / "false_alarms"
    return folder / f"{alarm.scenario_id}.yaml"


def _replay(alarm: Alarm, report: Path | None) -> str:
    return shlex.join(["windtunnel", "replay", str(_place(alarm, report)), *([alarm.target] if alarm.target else [])])
