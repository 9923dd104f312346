"""An error at one file call where no supervisor works: given by strace, if that works. Errors only, and hooks only.

The call is counted within each process then, not within the operation; a path with ``*`` names nothing.
"""

from harness.core.fault import Fault, Injection
from harness.errors import MachineError
from harness.faults import strace
from harness.faults.kind import whole
from harness.faults.syscalls import Site
from harness.sandbox import Sandbox, Surroundings

_LOG = "{tools}/traced.log"
_LOG_BYTES = 1 << 20


class TracedCall:
    """One session's error at one call: it strikes the next operation, of several begun together the first."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._fault: Fault | None = None
        self._prefix: tuple[str, ...] = ()
        self._met: list[tuple[int, Injection]] = []

    def clear(self) -> None:
        """Nothing is armed any more."""
        self._fault = None
        self._met.clear()

    def arm(self, fault: Fault, complete: Fault, folder: str, why: str) -> Injection:
        """``fault``, ``complete`` with all its parameters, is for a command run in ``folder``.

        Not armed where that cannot be; the proof then says why it was tried, which is ``why``, and why not.
        """
        if complete.name != "syscall.errno" or "*" in (complete.path or ""):
            return Injection(fault, armed=False, proof=why)
        roots = self._sandbox.roots
        site = Site(str(complete.params["call"]), (roots.resolve(complete.path or ""),), whole(complete.params, "nth"))
        try:
            place = strace.place(self._sandbox)
        except MachineError as error:
            return Injection(fault, armed=False, proof=f"{why}; {error}")
        name, log = str(complete.params["errno"]), roots.resolve(_LOG)
        self._prefix = strace.prefix(place, site, name, roots.resolve(folder), log)
        self._fault = fault
        return Injection(fault, armed=True)

    @property
    def armed(self) -> bool:
        """Does it strike the next operation?"""
        return self._fault is not None

    def over(self, around: Surroundings) -> Surroundings:
        """The surroundings of the operation that it strikes."""
        return around.with_change(Surroundings(prefix=self._prefix))

    def ended(self, process_index: int) -> None:
        """The operation of that process is over."""
        if self._fault is not None:
            proofs = strace.proofs(self._sandbox.read(_LOG, _LOG_BYTES).data or b"")
            self._met.append((process_index, Injection(self._fault, armed=True, proof=proofs[0] if proofs else "")))
            self._fault = None

    def met(self) -> tuple[tuple[int, Injection], ...]:
        """What struck the last operation, by process; told once."""
        told, self._met = tuple(self._met), []
        return told
