"""The stdio carrier: a command kept running, JSON-RPC 2.0 on its standard streams, one sandbox a worker."""

import contextlib
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self

import msgspec

from harness import __version__
from harness.core.fault import Fault, Injection
from harness.core.history import EntryType, FileFact, InputFact
from harness.core.scenario import Operation, Scenario
from harness.errors import AdapterError, UntestableError
from harness.faults.catalogue import inject
from harness.ports.clock import to_seconds, to_text
from harness.sandbox import Sandbox
from harness.targets import world
from harness.targets.messages import PROTOCOL_VERSION, InitializeParams, InitializeResult
from harness.targets.session import INPUT_LIMIT_BYTES, Reply, each_text
from harness.targets.slots import Slots
from harness.targets.stdio_process import NoAnswerError, RefusedError, StdioProcess

START_TIMEOUT_S = 30.0  # an interpreter with a cold cache on a busy machine takes seconds
CALL_TIMEOUT_S = 10.0  # limits are scaled to at most 1.5 s in these scenarios
FULL_LENGTH_TIMEOUT_S = 60.0  # the longest specified limit is 30 s


class StdioSession:
    """One worker's implementation over stdio: a process, further ones where a scenario needs several."""

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
        self._sandbox = sandbox
        self._command = tuple(command)
        self._environment = dict(environment)
        self._folder = folder
        self._system = system
        self._slots = slots
        self._scale = timeout_scale
        self._processes: dict[int, StdioProcess] = {}
        self._now_s = 0.0
        self._scenario: Scenario | None = None
        self.initialized: InitializeResult | None = None

    def __enter__(self) -> Self:
        self._sandbox.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in self._processes.values():
            with contextlib.suppress(NoAnswerError, RefusedError, AdapterError):
                process.send("shutdown", {})
            process.close()
        self._processes.clear()
        self._sandbox.__exit__(kind, error, trace)

    def reset(self, scenario: Scenario) -> None:
        """See Session.reset; UntestableError when the implementation cannot be started or refuses ``reset``."""
        self._scenario = scenario
        self._now_s = to_seconds(scenario.world.clock)
        for index in [index for index in self._processes if index > 0]:
            self._processes.pop(index).close()
        self._sandbox.renew()
        self._sandbox.apply(world.actions(scenario.world, self._now_s, {}))
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

    def uncontained(self) -> tuple[str, ...]:
        """See Session.uncontained."""
        return self._sandbox.containment.missing

    def contained(self) -> bool:
        """See Session.contained."""
        return self._sandbox.containment.namespaces

    def introduction(self) -> InitializeResult | None:
        """See Session.introduction."""
        return self.initialized

    def abort(self) -> None:
        """See Session.abort."""
        self._sandbox.abort()

    def inject(self, fault: Fault, seed: int) -> Injection:
        """See Session.inject."""
        return inject(fault, self._sandbox, seed)

    def move_clock(self, by_s: float) -> None:
        """See Session.move_clock."""
        self._now_s += by_s

    def now(self) -> str:
        """See Session.now."""
        return to_text(self._now_s)

    def stated(self, operation: Operation) -> Mapping[str, Any]:
        """See Session.stated."""
        return operation.args

    def repeats(self, at_most: int) -> int:
        """See Session.repeats."""
        return at_most

    def snapshot(self) -> dict[str, FileFact]:
        """See Session.snapshot."""
        return self._sandbox.snapshot()

    def input(self, path: str) -> InputFact:
        """See Session.input."""
        return self._sandbox.read(path, INPUT_LIMIT_BYTES)

    def perform(self, operations: Sequence[tuple[int, Operation]]) -> list[Reply]:
        """See Session.perform."""
        begun = [self._begin(index, operation) for index, operation in operations]
        return [
            call if isinstance(call, Reply) else self._end(index, *call)
            for (index, _), call in zip(operations, begun, strict=True)
        ]

    def _begin(self, index: int, operation: Operation) -> tuple[StdioProcess, int] | Reply:
        params = {**each_text(operation.args, self._sandbox.roots.resolve), "now": self.now()}
        try:
            process = self._opened(index)
            return process, process.send(f"{self._system}/{operation.name}", params)
        except (NoAnswerError, AdapterError) as error:
            self._drop(index)
            return _no_reply(error)

    def _end(self, index: int, process: StdioProcess, call_id: int) -> Reply:
        full = self._scenario is not None and self._scenario.full_length
        timeout_s = (FULL_LENGTH_TIMEOUT_S if full else CALL_TIMEOUT_S) * self._scale
        try:
            result = process.receive(call_id, timeout_s)
        except RefusedError as error:
            return Reply(EntryType.FAIL, {"error": error.message, "code": error.code})
        except (NoAnswerError, AdapterError) as error:
            self._drop(index)
            return _no_reply(error)
        hidden = each_text(result, self._sandbox.roots.hide)
        return Reply(EntryType.OK, hidden if isinstance(hidden, dict) else {"result": hidden})

    def _opened(self, index: int) -> StdioProcess:
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
            self._processes[index] = self._start()
        return self._processes[index]

    def _start(self) -> StdioProcess:
        running = self._sandbox.start(self._command, env=self._environment, cwd=self._folder)
        process = StdioProcess(running, self._slots)
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
        roots = self._sandbox.roots
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


def _no_reply(error: NoAnswerError | AdapterError) -> Reply:
    return Reply(EntryType.INFO, {"reason": error.code, "message": str(error)})
