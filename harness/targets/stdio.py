"""The stdio carrier: a command kept running, JSON-RPC 2.0 on its standard streams, one sandbox a worker."""

import re
import signal
import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self

import msgspec

from harness.core.fault import Fault, Injection
from harness.core.history import EntryType
from harness.core.scenario import Crash, Operation, Scenario, World
from harness.errors import AdapterError, UntestableError
from harness.faults import syscall
from harness.faults.catalogue import checked
from harness.faults.environment import STREAMS
from harness.faults.kind import whole
from harness.faults.process import few_descriptors
from harness.ports.clock import to_seconds
from harness.sandbox import Interruption, Sandbox
from harness.sandbox.roots import PLACEHOLDERS
from harness.systems import registry
from harness.targets import world
from harness.targets.answers import RefusedError, Results
from harness.targets.beginnings import Beginnings, NotBegunError
from harness.targets.defects import no_reply, refusal, refused_to_begin
from harness.targets.file_calls import is_supervised
from harness.targets.messages import InitializeResult
from harness.targets.ordering import Ordering
from harness.targets.processes import Processes
from harness.targets.sandboxed import SandboxedSession
from harness.targets.session import Reply, each_text
from harness.targets.slots import Slots
from harness.targets.stdio_process import NoAnswerError, StdioProcess

CALL_TIMEOUT_S = 10.0  # limits are scaled to at most 1.5 s in these scenarios
FULL_LENGTH_TIMEOUT_S = 60.0  # the longest specified limit is 30 s
_MOST_FOR_A_START = 32  # of open files tried beyond those that a fault leaves: node needs 18 to start
_RESTARTING = ("clock", "process", "syscall", "environment", "collaborator", "network")
_NOT_ERROR = tuple(name for name in STREAMS if not name.startswith("stderr"))  # the protocol needs them
_ENCODER = msgspec.json.Encoder()
_PLACEHOLDER = re.compile(rf"\{{({'|'.join(PLACEHOLDERS)})\}}".encode())
_NOT_RESTARTABLE = "it says that it cannot be restarted, so nothing but its first process can be asked"


class StdioSession(SandboxedSession):
    """One worker's implementation over stdio: a process, further ones where a scenario needs several.

    Whatever ends a process or breaks the protocol costs the operation that met it: the next one is asked of another
    process, which opens what is on disk. A defect met at ``reset`` is told by the scenario's first operation.
    """

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
        served = registry.System(system)
        self.profile = served.served_profile
        self._system = system
        self._results = Results({f"{system}/{name}": kinds[1] for name, kinds in served.contract.OPERATIONS.items()})
        self._scale = timeout_scale
        self._beginnings = Beginnings(command, system, timeout_scale)
        self._processes = Processes(
            sandbox, command, environment, folder, self._calls, self._beginnings, slots, timeout_scale
        )
        self._begun_s = 0.0
        self._scenario: Scenario | None = None
        self._refused: Reply | None = None  # what every operation of this scenario is answered with
        self._owed: Reply | None = None  # what the next one is answered with
        self._fewest: dict[int, int] = {}  # open files with which a process starts, by those that a fault leaves

    @property
    def initialized(self) -> InitializeResult | None:
        """What the implementation said of itself."""
        return self._beginnings.met

    def __enter__(self) -> Self:
        self.sandbox.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._processes.close()
        self.sandbox.__exit__(kind, error, trace)
        self._processes.close_supervisor()

    def reset(self, scenario: Scenario) -> None:
        """See Session.reset; UntestableError when the implementation cannot be started or reset."""
        self._scenario = scenario
        self._strikes.clear()
        self._refused = self._owed = None
        self._now_s = to_seconds(scenario.world.clock)
        self._processes.tell(self.now())
        self.sandbox.renew()
        self._calls.begin([self.sandbox.roots.resolve(path) for path in scenario.world.files])
        self._processes.begin(supervised=is_supervised(scenario))
        self.sandbox.apply(world.actions(scenario.world, self._now_s, {}))
        while not self._is_reset():
            self._processes.drop(0)

    def _is_reset(self) -> bool:
        """Whether the first process has been reset, or refuses to be; false when it was lost on the way."""
        known = 0 in self._processes
        try:
            process, _ = self._processes.obtained(0)
            self._place(process, "reset")
        except RefusedError as error:
            self._refused = refused_to_begin(error.code, self.hide(error.message), "reset")
        except NotBegunError as error:
            # whatever the last scenario did to it, nobody has to pay for in this one
            if not known:
                self._owed = no_reply(error.code, self.hide(str(error)), error.stage)
            return False
        return True

    def introduction(self) -> InitializeResult | None:
        """See Session.introduction."""
        return self.initialized

    def move_clock(self, by_s: float) -> None:
        """See Session.move_clock."""
        self._move(by_s)

    def is_static(self) -> bool:
        """See SandboxedSession.is_static; what lives in the scenario's time is told it by a supervisor anyway."""
        return self._processes.stepped is not None or super().is_static()

    def inject(self, fault: Fault, seed: int) -> Injection:
        """See Session.inject.

        In the year 9999 it is told the time only: there CPython cannot ask for it, and so not even start. Of open files
        it may have as few as it can start with, from the number of the fault on.
        """
        if fault.name == "process.few_descriptors":
            fault = self._bearable(fault)
        if fault.name != "clock.year_9999":
            injection = super().inject(fault, seed)
            if injection.armed and fault.family == syscall.FAMILY:
                self._processes.supervise(supervised=True)  # unless the scenario told of it, and it is already
            return injection
        injection = Injection(checked(fault, self.sandbox), armed=True, proof="moved")
        self._follow(injection)
        return injection

    def _bearable(self, fault: Fault) -> Fault:
        """The fault with as many open files as a process needs to start; as it is when far more do not help."""
        fault = checked(fault, self.sandbox)
        least = whole(fault.params, "count")
        if least not in self._fewest:
            tried = range(least, least + _MOST_FOR_A_START)
            self._fewest[least] = next((n for n in tried if self._processes.starts_in(few_descriptors(n))), least)
        return msgspec.structs.replace(fault, params={**fault.params, "count": self._fewest[least]})

    def _refusal(self, fault: Fault) -> str:
        if fault.family == "environment" and fault.name.partition(".")[2] in _NOT_ERROR:
            return "a process that is asked over its standard input and output cannot do without them"
        if fault.family in _RESTARTING and not self._restartable:
            return "it says that it cannot be restarted, and this fault needs a process started anew"
        return super()._refusal(fault)

    @property
    def _restartable(self) -> bool:
        return self.initialized is None or self.initialized.restart

    def _restart(self) -> None:
        self._processes.restart()

    def perform(self, operations: Sequence[tuple[int, Operation]]) -> list[Reply]:
        """See Session.perform."""
        if len(operations) == 1:
            ((index, operation),) = operations
            call = self._begin(index, operation)
            replies = [call if isinstance(call, Reply) else self._end(index, *call)]
        else:
            begun = [self._begin(index, operation) for index, operation in operations]
            replies = [
                call if isinstance(call, Reply) else self._end(index, *call)
                for (index, _), call in zip(operations, begun, strict=True)
            ]
        if self._calls.armed or self._processes.stepped is not None:
            self._over(operations[0][0])
        return replies

    def crash(self, process: int, crash: Crash) -> Reply:
        """See Session.crash."""
        self._processes.drop(process)
        self.sandbox.apply(world.actions(World("", crash.files), self._now_s, {}))
        return no_reply("died", f"the machine lost power: {crash.says}", "operation", struck=True)

    def perform_in_order(self, operations: Sequence[tuple[int, Operation]], ordering: Ordering) -> list[Reply]:
        """See Session.perform_in_order: each by a new process, which ends with it."""
        if self._refused is not None:
            return [self._refused] * len(operations)
        if not self._restartable:
            return [no_reply("not_restartable", _NOT_RESTARTABLE, "open")] * len(operations)
        self._processes.tell(self.now())
        try:
            for index, _ in operations:
                self._processes.ordered(index, ordering)
            try:
                for index, _ in operations:  # none of them gets on before all are there
                    process, _ = self._processes.obtained(index)
                    self._beginnings.introduce(process, calm=self._processes.calm)
                    self._place(process, "open")
            except RefusedError as error:
                return [refused_to_begin(error.code, self.hide(error.message), "open")] * len(operations)
            except NotBegunError as error:
                return [no_reply(error.code, self.hide(str(error)), error.stage)] * len(operations)
            with ordering.feeding():
                begun = [self._begin(index, operation) for index, operation in operations]
            return [
                call if isinstance(call, Reply) else self._answer(index, *call)
                for (index, _), call in zip(operations, begun, strict=True)
            ]
        finally:
            for index, _ in operations:
                self._processes.drop(index)

    def _over(self, index: int) -> None:
        """The operations that something was armed for have ended; MachineError when the supervisor broke meanwhile."""
        if self._calls.ended(index):
            self._processes.drop(index)  # whatever was killed with it, the next operation is done by a new process
        self._processes.check()

    def _begin(self, index: int, operation: Operation) -> tuple[StdioProcess, int, str] | Reply:
        if self._refused is not None:
            return self._refused
        if self._owed is not None:
            reply, self._owed = self._owed, None
            return reply
        method = f"{self._system}/{operation.name}"
        now = self.now()
        self._processes.tell(now)
        params = self._params(operation, now)
        try:
            process = self._opened(index)
            if isinstance(process, Reply):
                return process
            if self._calls.armed:
                self._calls.operating(self._processes.run_of(index))
            self._begun_s = time.monotonic()
            return process, process.send_encoded(method, params), method
        except NotBegunError as error:
            self._processes.drop(index)
            code = error.code if self._processes.calm else "not_started"
            return no_reply(code, self.hide(str(error)), error.stage)
        except (NoAnswerError, AdapterError) as error:
            self._processes.drop(index)
            return no_reply(error.code, self.hide(str(error)), "operation")
        except UntestableError as error:
            if self._processes.calm:
                raise
            self._processes.drop(index)
            return no_reply("not_started", self.hide(str(error)), "initialize")  # in calm weather it did start

    def _params(self, operation: Operation, now: str) -> bytes:
        """The arguments with real paths and the time, as JSON."""
        data = _ENCODER.encode(operation.args)
        if _PLACEHOLDER.search(data):
            data = _ENCODER.encode(each_text(operation.args, self.sandbox.roots.resolve))
        return b'%b%b"now":"%b"}' % (data[:-1], b"," if len(data) > 2 else b"", now.encode())

    def _end(self, index: int, process: StdioProcess, call_id: int, method: str) -> Reply:
        strike = self._strikes.due(index)
        if strike is not None:
            self._strike(process, strike)
        reply = self._answer(index, process, call_id, method, struck=strike is not None)
        if strike is None:
            if self._processes.calm:
                self._strikes.measured(time.monotonic() - self._begun_s)
        elif strike.resume_after_s is None:
            met = process.signals_met() if reply.type is EntryType.INFO else (strike.signal,)
            self._strikes.struck(index, met)
            self._processes.drop(index)  # whatever the signal left of it, the next operation is calm
        return reply

    def _answer(self, index: int, process: StdioProcess, call_id: int, method: str, *, struck: bool = False) -> Reply:
        full = self._scenario is not None and self._scenario.full_length
        timeout_s = (FULL_LENGTH_TIMEOUT_S if full else CALL_TIMEOUT_S) * self._scale
        try:
            data = process.receive(call_id, timeout_s)
            result = self._results.read(method, data)
            # no path of ours has neither a slash nor an escape for one
            hidden = each_text(result, self.hide) if b"/" in data or b"\\" in data else result
        except RefusedError as error:
            return refusal(error.code, self.hide(error.message))
        except (NoAnswerError, AdapterError) as error:
            self._processes.drop(index)
            return no_reply(error.code, self.hide(str(error)), "operation", struck=struck or self._calls.may_end)
        return Reply(EntryType.OK, hidden if isinstance(hidden, dict) else {"result": hidden})

    def _strike(self, process: StdioProcess, strike: Interruption) -> None:
        """Sends the signal at its time, or as soon as the answer is there: what runs on can be struck even then."""
        process.answers_within(strike.after_s)
        process.signal(strike.signal)
        if strike.resume_after_s is not None:
            process.answers_within(strike.resume_after_s)
            process.signal(signal.SIGCONT)

    def _opened(self, index: int) -> StdioProcess | Reply:
        if index not in self._processes and not self._restartable:
            return no_reply("not_restartable", _NOT_RESTARTABLE, "open")
        process, new = self._processes.obtained(index)
        if new:
            try:
                self._place(process, "open")
            except RefusedError as error:
                self._processes.drop(index)
                return refused_to_begin(error.code, self.hide(error.message), "open")
        return process

    def _place(self, process: StdioProcess, method: str) -> None:
        timeout_s = CALL_TIMEOUT_S * self._scale
        self._beginnings.place(process, method, self._workdir_params(), timeout_s, calm=self._processes.calm)

    def _workdir_params(self) -> dict[str, Any]:
        roots = self.sandbox.roots
        config = {} if self._scenario is None else self._scenario.world.config
        return {
            "workdir": roots.resolve("{home}"),
            "config": {"home": roots.resolve("{home}"), **config},
            "now": self.now(),
        }
