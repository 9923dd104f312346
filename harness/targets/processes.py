"""The processes of one session over stdio, by number: started where they are needed, in the surroundings that stand."""

import contextlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from harness.errors import AdapterError, HarnessFault, MachineError, UntestableError
from harness.faults.syscalls import SteppedTime, Supervisor
from harness.sandbox import CALM, Filter, Sandbox, Surroundings, base_environment
from harness.targets import wall_clock
from harness.targets.answers import RefusedError
from harness.targets.beginnings import Beginnings, NotBegunError
from harness.targets.file_calls import FileCalls
from harness.targets.ordering import Ordering
from harness.targets.slots import Slots
from harness.targets.stdio_process import NoAnswerError, StdioProcess

_EPOCH: Final = datetime.fromtimestamp(0, UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_LATEST_START_US: Final = (
    4_000_000_000 * 10**6
)  # a program cannot start when 64 bits of nanoseconds do not hold the time


class Processes:
    """All of them. One that was started in other surroundings than those that stand is replaced by another.

    The calm one with the number 0 is kept, idle, until the next scenario, which saves a start. What reads the machine's
    clock itself is started under a supervisor, which tells it the time of the scenario.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        command: Sequence[str],
        environment: Mapping[str, str],
        folder: str,
        calls: FileCalls,
        beginnings: Beginnings,
        slots: Slots,
        timeout_scale: float,
    ) -> None:
        self._sandbox = sandbox
        self.command = tuple(command)
        self._environment = dict(environment)
        self._folder = folder
        self._calls = calls
        self._beginnings = beginnings
        self._slots = slots
        self._scale = timeout_scale
        self._running: dict[int, StdioProcess] = {}
        self._started_in: dict[int, Surroundings] = {}
        self._calm: StdioProcess | None = None
        self._supervisor: Supervisor | None = None
        self._supervised = False  # are the file calls of this scenario's processes notified?
        self._runs = 0  # started under it
        self._run_of: dict[int, int] = {}  # by process: the number of its run, of those started under it
        self._now = datetime.fromtimestamp(0, UTC).isoformat()
        self.stepped: SteppedTime | None = None

    def __contains__(self, index: int) -> bool:
        return index in self._running

    def __len__(self) -> int:
        return len(self._running)

    @property
    def calm(self) -> bool:
        """Does nothing of what surrounds a process stand against it?"""
        around = self._sandbox.surroundings
        return around is CALM or around == CALM

    def begin(self, *, supervised: bool) -> None:
        """Another scenario begins, in calm weather: only the calm process of number 0 is left, if there is one."""
        for index in [index for index in self._running if index > 0]:
            self.drop(index)
        self.supervise(supervised=supervised)
        if self._calm is not None:
            self.drop(0)
            self._running[0], self._calm = self._calm, None
            self._started_in[0] = CALM

    def supervise(self, *, supervised: bool) -> None:
        """Whether file calls are notified from now on; processes in which that is otherwise end."""
        if supervised != self._supervised:
            self._supervised = supervised
            self.restart()
            if self._calm is not None:
                self._calm.close()
                self._calm = None
        if supervised:
            self._supervising()

    def restart(self) -> None:
        """Ends what runs."""
        for index in list(self._running):
            self.drop(index)

    def tell(self, now: str) -> None:
        """It is that time (RFC 3339) in the scenario."""
        self._now = now
        if self.stepped is not None:
            self.stepped.step(self._now_us)

    @property
    def _now_us(self) -> int:
        return (datetime.fromisoformat(self._now) - _EPOCH) // _MICROSECOND

    def obtained(self, index: int) -> tuple[StdioProcess, bool]:
        """The process of that number, and whether it was started just now; see Beginnings.introduce for errors."""
        running, around = self._running.get(index), self._sandbox.surroundings
        if running is not None:
            started_in = self._started_in[index]
            if started_in is around or started_in == around:
                return running, False
            if index == 0 and started_in == CALM:
                self._calm = self._running.pop(0)
            self.drop(index)
        self._started_in[index] = self._sandbox.surroundings
        process = self._introduced(index)
        if self._reads_clocks() and self.stepped is None:
            # now that it is known: another one, which is told the time
            process.close()
            self.stepped = SteppedTime(self._now_us)
            process = self._introduced(index)
        self._running[index] = process
        return process, True

    def starts_in(self, around: Surroundings) -> bool:
        """Does a process that is started there come so far that it says what it is?"""
        process = self._launched(None, around)
        try:
            self._beginnings.introduce(process, calm=False)
        except (NotBegunError, UntestableError, RefusedError):
            return False
        finally:
            process.close()
        return True

    def ordered(self, index: int, ordering: Ordering) -> StdioProcess:
        """A new process of that number under an ``ordering``; not introduced yet."""
        self.drop(index)
        self._started_in[index] = self._sandbox.surroundings
        times = wall_clock.times_in(self._sandbox.surroundings, self.stepped)
        self._running[index] = self._launched(ordering.filter(served=True, times=times))
        return self._running[index]

    def run_of(self, index: int) -> int:
        """The number of its run, of those started under the supervisor."""
        return self._run_of.get(index, 0)

    def check(self) -> None:
        """MachineError when the supervisor broke, so that what it answered last means nothing."""
        if self._supervisor is not None and self._supervisor.failure is not None:
            raise MachineError(f"what runs here cannot be supervised: {self._supervisor.failure}")

    def drop(self, index: int) -> None:
        """Ends that process, if there is one."""
        process = self._running.pop(index, None)
        if process is not None:
            process.close()

    def close(self) -> None:
        """Ends all; each was told before, and nobody waits for what it does then."""
        for process in (*self._running.values(), *filter(None, [self._calm])):
            with contextlib.suppress(NoAnswerError, AdapterError, HarnessFault, MachineError):
                process.send("shutdown", {})
            process.close()
        self._running.clear()
        self._calm = None

    def close_supervisor(self) -> None:
        """When nothing is left that it could be asked for."""
        if self._supervisor is not None:
            self._supervisor.close()

    def _reads_clocks(self) -> bool:
        return self._beginnings.met is not None and self._beginnings.met.clock == "system"

    def _supervising(self) -> Supervisor:
        if self._supervisor is None:
            self._supervisor = self._calls.supervisor().__enter__()
        return self._supervisor

    def _introduced(self, index: int) -> StdioProcess:
        given: Filter | None = None
        if self._supervised or self.stepped is not None or self._sandbox.surroundings.wall_clock is not None:
            names = None if self._supervised else frozenset[str]()
            given = self._calls.filter(self._supervising(), names, self.stepped)
            self._run_of[index] = self._runs
            self._runs += 1
        if self.stepped is not None:
            self.stepped.step(min(self._now_us, _LATEST_START_US))
        process = self._launched(given)
        try:
            self._beginnings.introduce(process, calm=self.calm)
        except (NotBegunError, UntestableError, RefusedError):
            process.close()
            raise
        if self.stepped is not None:
            self.stepped.step(self._now_us)
        return process

    def _launched(self, given: Filter | None, around: Surroundings | None = None) -> StdioProcess:
        running = self._sandbox.start(
            self.command,
            env={**base_environment(self._sandbox.roots), **self._environment},
            cwd=self._folder,
            surroundings=self._sandbox.surroundings if around is None else around,
            filter=given,
        )
        return StdioProcess(running, self._slots, self._scale)
