"""What the carriers that start processes in a sandbox share: faults that surround or strike a process."""

import signal
from collections.abc import Callable, Sequence

import msgspec

from harness.core.fault import Fault, Injection
from harness.errors import MachineError
from harness.faults import process, program, syscall
from harness.faults.catalogue import checked, inject
from harness.faults.syscalls import Call
from harness.sandbox import Interruption, Run, Sandbox, base_environment
from harness.targets import wall_clock
from harness.targets.file_calls import FileCalls
from harness.targets.room_session import RoomSession, ToldTime
from harness.targets.strikes import Strikes

_PROBE_S = 0.0025  # after so long the process is stopped that proves that processes can be, and goes on after so long
# it waits to be resumed, however late the signals come; bounded, should they come before it began to wait for them
_PROBE = 'trap "exit 0" CONT; n=0; while [ $n -lt 100 ]; do sleep 0.01; n=$((n + 1)); done'


class SandboxedSession(RoomSession, ToldTime):
    """The part of a Session that owns a sandbox, and starts ``command`` in ``folder``."""

    def __init__(self, sandbox: Sandbox, command: Sequence[str], folder: str) -> None:
        RoomSession.__init__(self, sandbox)
        ToldTime.__init__(self)
        self.sandbox = sandbox
        self._command = tuple(command)
        self._folder = folder
        self._strikes = Strikes()
        self._calls = FileCalls(sandbox)
        self._executed: tuple[str, ...] | None = None

    def uncontained(self) -> tuple[str, ...]:
        """See Session.uncontained."""
        return self.sandbox.containment.missing

    def contained(self) -> bool:
        """See Session.contained."""
        return self.sandbox.containment.namespaces

    def abort(self) -> None:
        """See Session.abort."""
        self.sandbox.abort()

    def met(self) -> tuple[tuple[int, Injection], ...]:
        """See Session.met."""
        return (*self._strikes.met(), *self._calls.met())

    def unexplorable(self) -> str:
        """See Session.unexplorable."""
        return self._calls.refusal()

    def ordered_below(self) -> tuple[str, ...]:
        """See Session.ordered_below."""
        return self._calls.ordered_below()

    def record_calls(self, watch: Callable[[Call], object]) -> None:
        """See Session.record_calls."""
        self._calls.record(watch)

    def recorded_calls(self) -> tuple[Call, ...]:
        """See Session.recorded_calls."""
        return self._calls.recorded()

    def hasten(self, attempt: int) -> None:
        """See Session.hasten."""
        self._strikes.hasten(attempt)

    def inject(self, fault: Fault, seed: int) -> Injection:
        """See Session.inject."""
        complete = checked(fault, self.sandbox)
        refusal = self._refusal(complete) or (self.unexplorable() if fault.family == syscall.FAMILY else "")
        if refusal:
            return Injection(fault, armed=False, proof=refusal)
        if fault.family == "clock" and fault.name != "clock.time_zone" and self.is_static():
            injection = self._told_by_supervisor(fault, complete)
        else:
            injection = inject(fault, self.sandbox, seed)
        family, _, kind = fault.name.partition(".")
        if family == syscall.FAMILY:
            self._calls.strike(fault, complete)
        if family == "process" and kind in process.BY_SESSION:
            injection = msgspec.structs.replace(injection, proof=self._carried_out(fault, kind))
        self._follow(injection)
        return injection

    def _carried_out(self, fault: Fault, kind: str) -> str:
        if kind == "restarted":
            self._restart()
            return "restarted"
        self._strikes.add(fault)
        return self._stopped_one() if kind == "paused" else ""

    def _stopped_one(self) -> str:
        """Stops a process of the harness's own as others will be; the proof that it was."""
        pause = Interruption(signal=signal.SIGSTOP, after_s=_PROBE_S, resume_after_s=_PROBE_S)
        environment = base_environment(self.sandbox.roots)
        run = Run(argv=("sh", "-c", _PROBE), env=environment, cwd="/", timeout_s=10.0, interruption=pause)
        (ended,) = self.sandbox.run_together([run])
        return "SIGSTOP" if signal.SIGSTOP in ended.signals else ""

    def _restart(self) -> None:
        """Ends what runs between operations; whatever carrier keeps nothing running has nothing to do."""

    def _refusal(self, fault: Fault) -> str:
        """Why this fault cannot strike this implementation, in a sentence; "" when it can."""
        if fault.family == "collaborator":
            name = fault.params["program"]
            asked = {program.looked_up(program.first_line(path)) for path in self._chain()}
            return f"it is itself run by {name}, which its first line names" if name in asked else ""
        around = self.sandbox.surroundings
        shimmed = fault.family == "clock" and fault.name != "clock.time_zone" and not self.is_static()
        if (shimmed and "file_size" in around.limits) or (
            fault.name == "process.file_size" and around.environment.get("LD_PRELOAD")
        ):
            return "its clock is moved by a library that keeps the time in a file, which may have no size then"
        return ""

    def is_static(self) -> bool:
        """Is one of the programs that run it out of libfaketime's reach?"""
        return any(program.is_static(path) for path in self._chain())

    def _told_by_supervisor(self, fault: Fault, complete: Fault) -> Injection:
        try:
            proof = wall_clock.place(self.sandbox, complete.name.partition(".")[2], complete.params)
        except MachineError as error:
            return Injection(fault, armed=False, proof=str(error))
        return Injection(fault, armed=True, proof=proof)

    def _chain(self) -> tuple[str, ...]:
        if self._executed is None:
            search = base_environment(self.sandbox.roots)["PATH"]
            self._executed = tuple(program.chain(self._command[0], self._folder or "/", search))
        return self._executed
