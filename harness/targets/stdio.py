"""The stdio carrier: a command kept running, JSON-RPC 2.0 on its standard streams, one sandbox a worker."""

import contextlib
import signal
import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self

import msgspec

from harness import __version__
from harness.core.fault import Fault, Injection
from harness.core.history import EntryType
from harness.core.scenario import Crash, Operation, Scenario, World
from harness.errors import AdapterError, MachineError, UntestableError
from harness.faults import syscall
from harness.faults.catalogue import checked
from harness.faults.environment import STREAMS
from harness.faults.syscalls import Supervisor
from harness.ports.clock import to_seconds
from harness.sandbox import Filter, Interruption, Sandbox, Surroundings
from harness.targets import world
from harness.targets.file_calls import is_supervised
from harness.targets.messages import PROTOCOL_VERSION, InitializeParams, InitializeResult
from harness.targets.ordering import Ordering
from harness.targets.sandboxed import SandboxedSession
from harness.targets.session import Reply, each_text
from harness.targets.slots import Slots
from harness.targets.stdio_process import NoAnswerError, RefusedError, StdioProcess

START_TIMEOUT_S = 30.0  # an interpreter with a cold cache on a busy machine takes seconds
CALL_TIMEOUT_S = 10.0  # limits are scaled to at most 1.5 s in these scenarios
FULL_LENGTH_TIMEOUT_S = 60.0  # the longest specified limit is 30 s
_RESTARTING = ("clock", "process", "syscall", "environment", "collaborator", "network")
_NOT_ERROR = tuple(name for name in STREAMS if not name.startswith("stderr"))  # the protocol needs them


class StdioSession(SandboxedSession):
    """One worker's implementation over stdio: a process, further ones where a scenario needs several.

    When other surroundings stand than those a process was started in, another one opens what is on disk. The calm one
    is kept, idle, until the next reset, which saves a start.
    """

    profile = "gate"

    def __init__(
        self,
        sandbox: Sandbox,
        command: Sequence[str],
        environment: Mapping[str, str],
        folder: str,
        system: str,
        slots: Slots,
        timeout_scale: float = 1.0,
    ) -> None:
        super().__init__(sandbox, command, folder)
        self._environment = dict(environment)
        self._system = system
        self._slots = slots
        self._scale = timeout_scale
        self._processes: dict[int, StdioProcess] = {}
        self._started_in: dict[int, Surroundings] = {}
        self._calm: StdioProcess | None = None
        self._supervisor: Supervisor | None = None
        self._supervised = False  # are processes of this scenario started under it?
        self._runs = 0  # started under it
        self._run_of: dict[int, int] = {}  # by process: the number of its run, of those started under it
        self._begun_s = 0.0
        self._scenario: Scenario | None = None
        self.initialized: InitializeResult | None = None

    def __enter__(self) -> Self:
        self.sandbox.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in (*self._processes.values(), *filter(None, [self._calm])):
            with contextlib.suppress(NoAnswerError, RefusedError, AdapterError):
                process.send("shutdown", {})
            process.close()
        self._processes.clear()
        self.sandbox.__exit__(kind, error, trace)
        if self._supervisor is not None:
            self._supervisor.close()

    def reset(self, scenario: Scenario) -> None:
        """See Session.reset; UntestableError when the implementation cannot be started or refuses ``reset``."""
        self._scenario = scenario
        self._strikes.clear()
        self._now_s = to_seconds(scenario.world.clock)
        for index in [index for index in self._processes if index > 0]:
            self._processes.pop(index).close()
        self.sandbox.renew()
        self._calls.begin([self.sandbox.roots.resolve(path) for path in scenario.world.files])
        self._supervise(is_supervised(scenario))
        if self._calm is not None:
            self._drop(0)
            self._processes[0], self._calm = self._calm, None
            self._started_in[0] = Surroundings()
        self.sandbox.apply(world.actions(scenario.world, self._now_s, {}))
        process = self._process(0)
        try:
            process.request("reset", self._workdir_params(), CALL_TIMEOUT_S * self._scale)
        except NoAnswerError:
            # whatever the last scenario did to it: a fresh process gets one more chance
            self._drop(0)
            self._ask_to_place(self._process(0), "reset")
        except (AdapterError, RefusedError) as error:
            self._drop(0)
            raise UntestableError(f"the implementation does not accept reset: {error}") from error

    def _supervise(self, supervised: bool) -> None:
        """Whether processes are started under the supervisor from now on; those that are otherwise end."""
        if supervised != self._supervised:
            self._supervised = supervised
            self._restart()
            if self._calm is not None:
                self._calm.close()
                self._calm = None
        if supervised and self._supervisor is None:
            self._supervisor = self._calls.supervisor().__enter__()

    def introduction(self) -> InitializeResult | None:
        """See Session.introduction."""
        return self.initialized

    def move_clock(self, by_s: float) -> None:
        """See Session.move_clock."""
        self._now_s += by_s

    def inject(self, fault: Fault, seed: int) -> Injection:
        """See Session.inject.

        In the year 9999 it is told the time only: there CPython cannot ask for it, and so not even start.
        """
        if fault.name != "clock.year_9999":
            injection = super().inject(fault, seed)
            if injection.armed and fault.family == syscall.FAMILY:
                self._supervise(supervised=True)  # unless the scenario told of it, and it is already
            return injection
        injection = Injection(checked(fault, self.sandbox), armed=True, proof="moved")
        self._follow(injection)
        return injection

    def _refusal(self, fault: Fault) -> str:
        if fault.family == "environment" and fault.name.partition(".")[2] in _NOT_ERROR:
            return "a process that is asked over its standard input and output cannot do without them"
        if fault.family in _RESTARTING and self.initialized is not None and not self.initialized.restart:
            return "it says that it cannot be restarted, and this fault needs a process started anew"
        return super()._refusal(fault)

    def _restart(self) -> None:
        for index in list(self._processes):
            self._drop(index)

    def perform(self, operations: Sequence[tuple[int, Operation]]) -> list[Reply]:
        """See Session.perform."""
        begun = [self._begin(index, operation) for index, operation in operations]
        replies = [
            call if isinstance(call, Reply) else self._end(index, *call)
            for (index, _), call in zip(operations, begun, strict=True)
        ]
        if self._calls.armed:
            self._over(operations[0][0])
        return replies

    def crash(self, process: int, crash: Crash) -> Reply:
        """See Session.crash."""
        self._drop(process)
        self.sandbox.apply(world.actions(World("", crash.files), self._now_s, {}))
        return _no_reply("died", NoAnswerError("died", f"the machine lost power: {crash.says}"))

    def perform_in_order(self, operations: Sequence[tuple[int, Operation]], ordering: Ordering) -> list[Reply]:
        """See Session.perform_in_order: each by a new process, which ends with it."""
        for index, _ in operations:
            self._drop(index)
            self._started_in[index] = self.sandbox.surroundings
            self._processes[index] = self._launched(ordering.filter(served=True))
        try:
            for index, _ in operations:  # none of them gets on before all are there
                self._introduced(self._processes[index])
                self._ask_to_place(self._processes[index], "open")
        except UntestableError:
            for index, _ in operations:
                self._drop(index)
            raise
        with ordering.feeding():
            begun = [self._begin(index, operation) for index, operation in operations]
        replies = [
            call if isinstance(call, Reply) else self._answer(index, *call)
            for (index, _), call in zip(operations, begun, strict=True)
        ]
        for index, _ in operations:
            self._drop(index)
        return replies

    def _over(self, index: int) -> None:
        """The operations that something was armed for have ended; MachineError when the supervisor broke meanwhile."""
        if self._calls.ended(index):
            self._drop(index)  # whatever was killed with it, the next operation is done by a new process
        if self._supervisor is not None and self._supervisor.failure is not None:
            raise MachineError(f"file calls cannot be supervised: {self._supervisor.failure}")

    def _begin(self, index: int, operation: Operation) -> tuple[StdioProcess, int] | Reply:
        params = {**each_text(operation.args, self.sandbox.roots.resolve), "now": self.now()}
        try:
            process = self._opened(index)
            if self._calls.armed:
                self._calls.operating(self._run_of.get(index, 0))
            self._begun_s = time.monotonic()
            return process, process.send(f"{self._system}/{operation.name}", params)
        except (NoAnswerError, AdapterError) as error:
            self._drop(index)
            return _no_reply(error.code, error)
        except UntestableError as error:
            if self.sandbox.surroundings == Surroundings():
                raise
            return _no_reply("not_started", error)  # of what surrounds it: in calm weather it did start

    def _end(self, index: int, process: StdioProcess, call_id: int) -> Reply:
        strike = self._strikes.due(index)
        if strike is not None:
            self._strike(process, strike)
        reply = self._answer(index, process, call_id)
        if strike is None:
            if self.sandbox.surroundings == Surroundings():
                self._strikes.measured(time.monotonic() - self._begun_s)
        elif strike.resume_after_s is None:
            met = process.signals_met() if reply.type is EntryType.INFO else (strike.signal,)
            self._strikes.struck(index, met)
            self._drop(index)  # whatever the signal left of it, the next operation is calm
        return reply

    def _answer(self, index: int, process: StdioProcess, call_id: int) -> Reply:
        full = self._scenario is not None and self._scenario.full_length
        timeout_s = (FULL_LENGTH_TIMEOUT_S if full else CALL_TIMEOUT_S) * self._scale
        try:
            result = process.receive(call_id, timeout_s)
        except RefusedError as error:
            return Reply(EntryType.FAIL, {"error": error.message, "code": error.code})
        except (NoAnswerError, AdapterError) as error:
            self._drop(index)
            return _no_reply(error.code, error)
        hidden = each_text(result, self.sandbox.roots.hide)
        return Reply(EntryType.OK, hidden if isinstance(hidden, dict) else {"result": hidden})

    def _strike(self, process: StdioProcess, strike: Interruption) -> None:
        """Sends the signal at its time, or as soon as the answer is there: what runs on can be struck even then."""
        process.answers_within(strike.after_s)
        process.signal(strike.signal)
        if strike.resume_after_s is not None:
            process.answers_within(strike.resume_after_s)
            process.signal(signal.SIGCONT)

    def _opened(self, index: int) -> StdioProcess:
        if index in self._processes and self._started_in[index] != self.sandbox.surroundings:
            if index == 0 and self._started_in[0] == Surroundings():
                self._calm = self._processes.pop(0)
            self._drop(index)
        known = index in self._processes
        process = self._process(index)
        if not known:
            try:
                self._ask_to_place(process, "open")
            except UntestableError:
                self._drop(index)
                raise
        return process

    def _process(self, index: int) -> StdioProcess:
        if index not in self._processes:
            self._started_in[index] = self.sandbox.surroundings
            self._processes[index] = self._start(index)
        return self._processes[index]

    def _start(self, index: int) -> StdioProcess:
        given: Filter | None = None
        if self._supervised or self.sandbox.surroundings.wall_clock is not None:
            if self._supervisor is None:
                self._supervisor = self._calls.supervisor().__enter__()
            given = self._calls.filter(self._supervisor, None if self._supervised else frozenset())
            self._run_of[index] = self._runs
            self._runs += 1
        return self._introduced(self._launched(given))

    def _launched(self, given: Filter | None) -> StdioProcess:
        running = self.sandbox.start(
            self._command,
            env=self._environment,
            cwd=self._folder,
            surroundings=self.sandbox.surroundings,
            filter=given,
        )
        return StdioProcess(running, self._slots)

    def _introduced(self, process: StdioProcess) -> StdioProcess:
        """The process, once it has said what it is; UntestableError when that is nothing we can ask."""
        params = InitializeParams((PROTOCOL_VERSION,), f"windtunnel {__version__}")
        try:
            answer = process.request("initialize", msgspec.to_builtins(params), START_TIMEOUT_S * self._scale)
            self.initialized = msgspec.convert(answer, InitializeResult)
        except msgspec.ValidationError as error:
            process.close()
            raise UntestableError(f"its answer to initialize is not the protocol's: {error}") from error
        except (NoAnswerError, AdapterError, RefusedError) as error:
            process.close()
            raise UntestableError(f"{' '.join(self._command)} does not speak our protocol: {error}") from error
        if self.initialized.protocolVersion != PROTOCOL_VERSION:
            process.close()
            raise UntestableError(f"it chose protocol {self.initialized.protocolVersion}; we speak {PROTOCOL_VERSION}")
        if self._system not in self.initialized.systems:
            process.close()
            raise UntestableError(f"it does not implement {self._system}: it names {list(self.initialized.systems)}")
        return process

    def _ask_to_place(self, process: StdioProcess, method: str) -> None:
        try:
            process.request(method, self._workdir_params(), CALL_TIMEOUT_S * self._scale)
        except (NoAnswerError, AdapterError, RefusedError) as error:
            raise UntestableError(f"the implementation does not accept {method}: {error}") from error

    def _workdir_params(self) -> dict[str, Any]:
        roots = self.sandbox.roots
        config = {} if self._scenario is None else self._scenario.world.config
        return {
            "workdir": roots.resolve("{home}"),
            "config": {"home": roots.resolve("{home}"), **config},
            "now": self.now(),
        }

    def _drop(self, index: int) -> None:
        process = self._processes.pop(index, None)
        if process is not None:
            process.close()


def _no_reply(reason: str, error: Exception) -> Reply:
    return Reply(EntryType.INFO, {"reason": reason, "message": str(error)})
