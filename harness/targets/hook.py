"""The hook carrier: one process a call, exactly as a host calls it, in a sandbox of its own."""

import os
import signal
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Protocol, Self

import msgspec

from harness.core.fault import Fault, Injection
from harness.core.history import EntryType, FileFact
from harness.core.process import Call, ProcessEnd
from harness.core.scenario import Crash, FileSpec, Operation, Scenario, World
from harness.errors import MachineError, UsageError
from harness.faults import clock as clocks
from harness.faults import syscall
from harness.faults.catalogue import checked
from harness.ports.clock import Clock, to_seconds
from harness.sandbox import Ended, Run, Sandbox, SetTime, Surroundings, WallClock, base_environment
from harness.sandbox.room import Seen
from harness.targets import wall_clock, world
from harness.targets.ordering import Ordering
from harness.targets.sandboxed import SandboxedSession
from harness.targets.session import Reply
from harness.targets.slots import Slots
from harness.targets.target_file import TargetSpec
from harness.targets.traced_calls import TracedCall

# Python would write __pycache__ beside a hook that imports a neighbour; that is not the hook's doing
_QUIET_PYTHON = {"PYTHONDONTWRITEBYTECODE": "1"}


class ProcessCalls(Protocol):
    """A system's room that knows how its operation is said to a process, and what its end means."""

    def call(self, args: Mapping[str, Any], resolve: Callable[[str], str]) -> Call:
        """What the process is given for an operation with these arguments."""
        ...

    def result(self, end: ProcessEnd, host_name: str, hide: Callable[[str], str]) -> msgspec.Struct:
        """The operation's result."""
        ...

    def stated(self, args: Mapping[str, Any], samples: Sequence[str], declared: Mapping[str, str]) -> dict[str, Any]:
        """The arguments as a history states them, for a target that gave these samples and declared these paths."""
        ...


class HookSession(SandboxedSession):
    """One worker's hook. The clock is the machine's: times in the history are shifted to the scenario's."""

    profile = "stop_hook"

    def __init__(
        self,
        sandbox: Sandbox,
        target: TargetSpec,
        calls: ProcessCalls,
        samples: Mapping[str, bytes],
        timeout_s: float,
        slots: Slots,
        clock: Clock,
    ) -> None:
        super().__init__(sandbox, target.file.command, target.folder)
        self._target = target
        self._said = calls
        self._samples = samples
        self._timeout_s = timeout_s
        self._slots = slots
        self._clock = clock
        self._shift_s = 0.0
        self._passed_s = 0.0
        self._dated_s = 0.0  # how far the hook's clock is from the machine's, by whichever means
        self._environment: dict[str, str] = {}
        self._traced = TracedCall(sandbox)

    def __enter__(self) -> Self:
        self.sandbox.__enter__()
        self._environment = {**_QUIET_PYTHON, **base_environment(self.sandbox.roots), **self._target.file.env}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.sandbox.__exit__(kind, error, trace)

    def reset(self, scenario: Scenario) -> None:
        """See Session.reset."""
        self.sandbox.fresh()
        self._strikes.clear()
        self._traced.clear()
        self._calls.begin([self.sandbox.roots.resolve(self._place(path)) for path in scenario.world.files])
        real_s = self._clock.now_s()
        self._now_s = to_seconds(scenario.world.clock)
        self._shift_s = real_s - self._now_s
        self._passed_s = self._dated_s = 0.0
        self._place_files(scenario.world.files, real_s)

    def inject(self, fault: Fault, seed: int) -> Injection:
        """See Session.inject."""
        if fault.path is not None:
            fault = msgspec.structs.replace(fault, path=self._place(fault.path))
        if fault.family == syscall.FAMILY and (why := self.unexplorable()):
            folder = self._target.folder or "{project}"
            return self._traced.arm(fault, checked(fault, self.sandbox), folder, why)
        injection = super().inject(fault, seed)
        family, _, kind = fault.name.partition(".")
        if family == "clock" and injection.armed:
            self._dated_s = clocks.shift_s(kind, injection.fault.params, self._clock.now_s())
        return injection

    def move_clock(self, by_s: float) -> None:
        """See Session.move_clock. UsageError where the hook's clock cannot be moved."""
        by_s = clocks.not_before_1970(by_s, min(self._now_s, self._clock.now_s() + self._passed_s))
        try:
            if self.is_static():
                wall_clock.tell(self.sandbox, WallClock(moved_s=self._passed_s + by_s))
            else:
                clocks.move(self.sandbox, self._passed_s + by_s, self._clock.now_s())
        except MachineError as error:
            raise UsageError(
                f"a hook's clock cannot be moved by {by_s:g} s here: {error}; set the ages of files instead"
            ) from error
        self._passed_s += by_s
        self._dated_s = self._passed_s
        self._now_s += by_s

    def stated(self, operation: Operation) -> Mapping[str, Any]:
        """See Session.stated."""
        return self._said.stated(operation.args, tuple(self._target.samples), self._target.file.paths.stated())

    def repeats(self, at_most: int) -> int:
        """See Session.repeats."""
        return min(at_most, self._target.file.max_blocks + 1)

    def look(self, paths: Sequence[str]) -> Seen:
        """See Session.look."""
        seen = super().look(paths)
        # what has no time keeps none: shifted, it would be another number in every run
        files = {path: fact if fact.mtime_s == 0 else self._shifted(fact) for path, fact in seen.files.items()}
        return Seen(files, seen.inputs)

    def _shifted(self, fact: FileFact) -> FileFact:
        return msgspec.structs.replace(fact, mtime_s=round(fact.mtime_s - self._shift_s, 6))

    def perform(self, operations: Sequence[tuple[int, Operation]]) -> list[Reply]:
        """See Session.perform."""
        disturbed = self.sandbox.surroundings != Surroundings()
        before = self.sandbox.snapshot() if self._dated_s else {}
        runs = [
            msgspec.structs.replace(
                self._run(operation), surroundings=self.sandbox.surroundings, interruption=self._strikes.due(index)
            )
            for index, operation in operations
        ]
        ends = self._run_all(operations, runs)
        for (index, _), run, ended in zip(operations, runs, ends, strict=True):
            if run.interruption is not None:
                self._strikes.struck(index, ended.signals)
            elif not disturbed and run.filter is None and not ended.timed_out:
                self._strikes.measured(ended.duration_s)
        if self._dated_s:
            self._date_written(before)
        return [self._reply(end) for end in ends]

    def crash(self, process: int, crash: Crash) -> Reply:
        """See Session.crash."""
        self._place_files(crash.files, self._clock.now_s())
        return self._reply(Ended(signal=signal.SIGKILL))

    def _place_files(self, files: Mapping[str, FileSpec], now_s: float) -> None:
        actions = world.actions(World("", files), now_s, self._samples)
        self.sandbox.apply([msgspec.structs.replace(action, path=self._place(action.path)) for action in actions])

    def perform_in_order(self, operations: Sequence[tuple[int, Operation]], ordering: Ordering) -> list[Reply]:
        """See Session.perform_in_order."""
        around = self.sandbox.surroundings
        runs = [
            msgspec.structs.replace(self._run(operation), surroundings=around, filter=ordering.filter())
            for _, operation in operations
        ]
        return [self._reply(end) for end in self.sandbox.run_together(runs, waiting=self._slots.waiting)]

    def met(self) -> tuple[tuple[int, Injection], ...]:
        """See Session.met."""
        return (*super().met(), *self._traced.met())

    def _run_all(self, operations: Sequence[tuple[int, Operation]], runs: list[Run]) -> list[Ended]:
        if self._traced.armed:
            runs[0] = msgspec.structs.replace(runs[0], surroundings=self._traced.over(runs[0].surroundings))
            ends = self.sandbox.run_together(runs, waiting=self._slots.waiting)
            self._traced.ended(operations[0][0])
            return ends
        if not self._calls.armed:
            return self.sandbox.run_together(runs, waiting=self._slots.waiting)
        with self._calls.supervisor(self._calls.names) as supervisor:
            runs[:] = [msgspec.structs.replace(run, filter=self._calls.filter(supervisor)) for run in runs]
            self._calls.operating()
            ends = self.sandbox.run_together(runs, waiting=self._slots.waiting)
        self._calls.ended(operations[0][0])
        return ends

    def _date_written(self, before: Mapping[str, FileFact]) -> None:
        """What was written gets the hook's time: its files are real ones, and have the machine's."""
        after = self.sandbox.snapshot()
        written = {path: fact for path, fact in after.items() if fact.kind == "file" and fact != before.get(path)}
        self.sandbox.apply([SetTime(path, fact.mtime_s + self._dated_s) for path, fact in written.items()])

    def bare_run(self, operation: Operation) -> Run:
        """The process of a call and nothing around it: what benchmarks compare a whole case against."""
        return self._run(operation)

    def _run(self, operation: Operation) -> Run:
        call = self._said.call(operation.args, lambda text: self.sandbox.roots.resolve(self._place(text)))
        return Run(
            argv=self._words(),
            env={**self._environment, **call.environment},
            cwd=self._target.folder or "{project}",
            stdin=call.stdin,
            keep_stdin_open=call.keep_stdin_open,
            timeout_s=self._timeout_s,
            close_stdout=call.close_stdout,
            close_stderr=call.close_stderr,
        )

    def _words(self) -> tuple[str, ...]:
        """The command; in a folder that is gone, with the files it names from there by their whole paths.

        A target file names them from its own folder for short. In a host they are found whatever its folder is.
        """
        words, folder = self._target.file.command, self._target.folder
        if not folder or not self.sandbox.surroundings.deleted_cwd:
            return words
        return tuple(whole if os.path.isfile(whole := os.path.join(folder, word)) else word for word in words)

    def _reply(self, ended: Ended) -> Reply:
        end = ProcessEnd(
            exit_code=ended.exit_code,
            signal=ended.signal,
            stdout=ended.stdout,
            stderr=ended.stderr,
            timed_out=ended.timed_out,
            flooded=ended.flooded,
            children_left=ended.children_left,
            start_error=ended.start_error,
        )
        result = self._said.result(end, self._target.file.host, self.sandbox.roots.hide)
        return Reply(EntryType.OK, msgspec.to_builtins(result))

    def _place(self, text: str) -> str:
        """``text`` with ``{runtime}``, ``{config}`` and ``{semaphore}`` replaced by the paths the target declares."""
        for name, path in self._target.file.paths.stated().items():
            text = text.replace(f"{{{name}}}", path)
        return text
