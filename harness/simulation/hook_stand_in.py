"""The stop gate of a simulation reached as a hook: each stop is a process, as a host would start it.

What a hook is told is the transcript, in the form that windtunnel's own sessions write, and whether the stop repeats.
Its clock is the machine's, and its own files are on a real disk.
"""

from types import SimpleNamespace
from typing import Any

import msgspec

from harness.core.scenario import Operation, Scenario, World
from harness.ports.clock import Clock
from harness.ports.fake_files import FakeFiles
from harness.runtime.ports import UnansweredError
from harness.sandbox import Remove
from harness.simulation.places import placed, standing
from harness.simulation.virtual_time import START
from harness.systems.stop_gate.contract import CheckArguments, CheckResult, Decision, StopArguments, StopResult
from harness.targets import world
from harness.targets.hook import HookSession


class HookStandIn:
    """``session`` starts the hook; it is open."""

    def __init__(self, session: HookSession, name: str) -> None:
        self.name = name
        self._session = session
        self._blocked: dict[str, bool] = {}  # by session of the simulation: was its last stop blocked?
        session.reset(Scenario(1, "simulation", "A simulation", "stop_gate", session.profile, (), World(START), ()))

    def of(self, agent: int, files: FakeFiles, clock: Clock) -> Any:
        """See StandIn.of."""

        def check(arguments: CheckArguments, now_s: float) -> CheckResult:
            del now_s  # its clock is the machine's
            return self._check(arguments, files)

        return SimpleNamespace(check=check)

    def restart(self) -> None:
        """See StandIn.restart; between stops nothing runs."""

    def remove(self, path: str) -> None:
        """See StandIn.remove."""
        self._session.sandbox.apply([Remove(placed(path))])

    def _check(self, arguments: CheckArguments, files: FakeFiles) -> CheckResult:
        session_id = arguments.session_id or ""
        transcript = placed(arguments.transcript_path)
        spec = standing(arguments.transcript_path, files)
        actions = world.actions(World(START, {transcript: spec}), 0.0, {})
        self._session.sandbox.apply([Remove(transcript), *actions])
        stop = StopArguments(
            session_id=session_id,
            transcript_path=transcript,
            stop_hook_active=self._blocked.get(session_id, False),
        )
        (reply,) = self._session.perform([(0, Operation("stop", msgspec.to_builtins(stop)))])
        result = msgspec.convert(reply.value, StopResult)
        why = _unanswered(result)
        if why:
            raise UnansweredError(why)
        self._blocked[session_id] = result.decision is Decision.BLOCK
        said = result.stderr_excerpt or result.stdout_excerpt
        prompt = said if result.decision is Decision.BLOCK else None
        return CheckResult(result.decision, (result.means,), prompt or None, None)


def _unanswered(result: StopResult) -> str:
    """Why a process gave no answer at all, "" when its end is one: any exit code tells a host something."""
    if result.start_error:
        return f"it cannot be started: {result.start_error}"
    if result.timed_out:
        return "it did not end within its time limit"
    if result.flooded:
        return "it wrote without end"
    return "" if result.signal is None else f"it died of signal {result.signal}"
