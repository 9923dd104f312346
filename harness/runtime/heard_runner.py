"""A phase runner that is overheard: what it launches and says goes to whoever shows the run, too."""

from collections.abc import Callable

from harness.runtime.ports import PhaseRunner
from harness.systems.phase_runner.contract import (
    Launch,
    ReportArguments,
    RunnerResult,
    StartArguments,
    StatusArguments,
    StatusResult,
    VerifiedArguments,
)


class HeardRunner:
    """A phase runner (see the port), and what it launches and says at the end, for the crew and for people."""

    def __init__(self, runner: PhaseRunner, launched: Callable[[Launch], object]) -> None:
        self._runner = runner
        self._launched = launched
        self.latest: RunnerResult | None = None  # the last answer that begins, goes on with, or ends a run

    def start(self, arguments: StartArguments, now_s: float) -> RunnerResult:
        """See PhaseRunner.start."""
        return self._heard(self._runner.start(arguments, now_s))

    def report(self, arguments: ReportArguments, now_s: float) -> RunnerResult:
        """See PhaseRunner.report."""
        return self._heard(self._runner.report(arguments, now_s))

    def verified(self, arguments: VerifiedArguments, now_s: float) -> RunnerResult:
        """See PhaseRunner.verified."""
        return self._heard(self._runner.verified(arguments, now_s))

    def status(self, arguments: StatusArguments, now_s: float) -> StatusResult:
        """See PhaseRunner.status."""
        return self._runner.status(arguments, now_s)

    def _heard(self, result: RunnerResult) -> RunnerResult:
        self.latest = result
        for launch in result.launch:
            self._launched(launch)
        return result
