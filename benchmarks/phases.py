"""What the reference phase runner costs: a run of a long plan against its bare state files, and plans of many sizes."""

import os
import tempfile
import time
from collections.abc import Iterator

from benchmarks.measure import Figure, ratios
from harness.ports.files import Files, RealFiles
from harness.systems.phase_runner.contract import (
    Configuration,
    Launch,
    ReportArguments,
    RunnerResult,
    StartArguments,
    VerifiedArguments,
)
from harness.systems.phase_runner.contract.words import LaunchKind
from harness.systems.phase_runner.reference import PhaseRunner, create
from harness.systems.phase_runner.reference.graph import GraphChecks
from harness.systems.phase_runner.reference.plan import PlanReader

PHASES = 1_000
WIDTH = 10  # phases that wait for the same others
DEPENDENCIES = 3  # of each phase that is not in the first row
SHORT_PHASES, LONG_PHASES = 1_000, 10_000
ROUNDS = 3
NOW_S = 1_772_366_400.0
CLAIM = '{"success": true, "tasks_total": 3, "tasks_completed": 3, "commit_subject": "feat: a phase"}'


class Noted(RealFiles):
    """Real files that remember what was replaced."""

    def __init__(self) -> None:
        super().__init__()
        self.replaced: list[tuple[str, bytes]] = []

    def replace(self, path: str, data: bytes) -> None:
        """See Files.replace."""
        self.replaced.append((path, data))
        super().replace(path, data)


def runs() -> list[tuple[str, Figure]]:
    """A start, and a whole run, of 1,000 phases : its state files written one after the other, and nothing else."""
    plan = plan_of(PHASES)
    found = []
    for label, place, goal in (("disk", None, "at most 2.0"), ("memory", "/dev/shm", "told, no goal")):
        if place is not None and not os.path.isdir(place):
            continue
        for name, whole in (("start", False), ("run", True)):
            with tempfile.TemporaryDirectory(dir=place) as home:
                written = _written(home, plan, whole=whole)
            values = ratios(
                lambda place=place, whole=whole: _ours(place, plan, whole=whole),  # type: ignore[misc]  # bound above
                lambda place=place, written=written: _bare(place, written),  # type: ignore[misc]  # the same
                ROUNDS,
            )
            text = f"{name} of {PHASES:,} phases ({label}) : its {len(written):,} writes of state files, bare"
            found.append((f"phases-{name}-{label}", Figure(values, "", text, goal)))
    return found


def planning() -> Figure:
    """The time a phase takes to be planned, among 10,000 of them : among 1,000."""
    short, long = plan_of(SHORT_PHASES), plan_of(LONG_PHASES)
    values = ratios(lambda: _planned_s(long) / LONG_PHASES, lambda: _planned_s(short) / SHORT_PHASES)
    return Figure(values, "", f"planning a phase of {LONG_PHASES:,} : of {SHORT_PHASES:,}", "at most 1.5")


def plan_of(phases: int) -> str:
    """A plan in rows of WIDTH phases, each after DEPENDENCIES phases of the row before."""
    lines = ["| Phase | Name | Depends On | Parallel With | Estimate | Status |", "|---|---|---|---|---|---|"]
    for number in range(phases):
        before = (number // WIDTH - 1) * WIDTH
        needed = [str(before + (number + each) % WIDTH) for each in range(DEPENDENCIES)] if before >= 0 else []
        lines.append(f"| {number} | part {number} | {', '.join(needed) or '-'} | - | 1h | pending |")
    return "\n".join(lines) + "\n"


def _written(home: str, plan: str, *, whole: bool) -> list[tuple[str, bytes]]:
    files = Noted()
    _play(home, files, plan, whole=whole)
    return [(os.path.relpath(path, home), data) for path, data in files.replaced]


def _ours(place: str | None, plan: str, *, whole: bool) -> float:
    with tempfile.TemporaryDirectory(dir=place) as home:
        begun = time.perf_counter()
        _play(home, RealFiles(), plan, whole=whole)
        return time.perf_counter() - begun


def _play(home: str, files: Files, plan: str, *, whole: bool) -> None:
    runner = create(Configuration(home), files)
    said = runner.start(StartArguments(plan), NOW_S)
    assert said.accepted
    if whole:
        assert list(_answers(runner, said))[-1].completed


def _answers(runner: PhaseRunner, said: RunnerResult) -> Iterator[RunnerResult]:
    """Each sub-agent succeeds, and each verification: the answers until nothing is launched any more."""
    waiting = list(said.launch)
    while waiting:
        said = _answered(runner, waiting.pop(0))
        assert said.accepted
        waiting += said.launch
        yield said


def _answered(runner: PhaseRunner, launch: Launch) -> RunnerResult:
    if launch.kind is LaunchKind.VERIFICATION:
        return runner.verified(VerifiedArguments(launch.phase_id, launch.attempt, {}), NOW_S)
    return runner.report(ReportArguments(launch.phase_id, launch.attempt, CLAIM), NOW_S)


def _bare(place: str | None, written: list[tuple[str, bytes]]) -> float:
    """Nothing but what makes each write safe, with the standard library."""
    with tempfile.TemporaryDirectory(dir=place) as home:
        for directory in {os.path.dirname(path) for path, _ in written}:
            os.makedirs(os.path.join(home, directory), exist_ok=True)
        begun = time.perf_counter()
        for path, data in written:
            _write(os.path.join(home, path), data)
        return time.perf_counter() - begun


def _write(path: str, data: bytes) -> None:
    with open(f"{path}.new", "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(f"{path}.new", path)
    directory = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def _planned_s(plan: str) -> float:
    begun = time.perf_counter()
    GraphChecks().check(PlanReader().phases(plan))
    return time.perf_counter() - begun
