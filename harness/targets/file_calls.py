"""The file calls of a session's operations: recorded, or one of them struck. What a session under a supervisor needs.

Only calls on files of the world count: those below its roots which are neither shown to every program (interpreters and
their libraries) nor files that a hook brought along. A program whose own text cannot be read is no implementation any
more; what an operation writes is state, whoever brought it along, and counts from there on.
"""

import os
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from harness.core.fault import Fault, Injection
from harness.core.scenario import Scenario
from harness.faults import syscall
from harness.faults.syscall import CallFault
from harness.faults.syscalls import Answer, Call, Go, SteppedTime, Struck, Supervisor, probe
from harness.faults.syscalls.calls import CHANGES, FILE_CALLS, Kind
from harness.sandbox import Filter, Sandbox
from harness.targets import wall_clock

_WRITING: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


def is_supervised(scenario: Scenario) -> bool:
    """Does the scenario ask for anything that needs a session's own supervisor? An order of calls brings its own."""
    return any(
        step.explore is not None or (step.fault is not None and step.fault.family == syscall.FAMILY)
        for step in scenario.steps
    )


class FileCalls:
    """One session's view of file calls; ``decide`` is for its supervisors, and does nothing while nothing is armed."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._world: frozenset[str] = frozenset()
        self._record = False
        self._watch: Callable[[Call], object] = id
        self._recorded: list[Call] = []
        self._fault: CallFault | None = None
        self._told: Fault | None = None
        self._struck_run = 0
        self._struck: Sequence[Struck] = ()
        self._running = False
        self._written: set[str] = set()
        self._met: list[tuple[int, Injection]] = []

    def begin(self, files: Sequence[str]) -> None:
        """A world with these files, absolute, begins; nothing is armed."""
        self._world = frozenset(files)
        self._record = self._running = False
        self._recorded.clear()
        self._fault = None
        self._met.clear()

    def record(self, watch: Callable[[Call], object]) -> None:
        """The calls of the next operations are recorded, and ``watch`` sees each while it waits."""
        self._record = True
        self._watch = watch

    def strike(self, fault: Fault, complete: Fault) -> None:
        """The fault strikes the next operation; of several begun together the first.

        It is told of as it was given, and done as ``complete``, with all its parameters.
        """
        self._told = fault
        self._fault = CallFault(complete, self._sandbox.roots.hide)

    @property
    def armed(self) -> bool:
        """Is anything to be done about the calls of the next operations, or is the time told in this way?"""
        return self._record or self._fault is not None or self._sandbox.surroundings.wall_clock is not None

    @property
    def may_end(self) -> bool:
        """Does what strikes the next operations kill or hold a process? A call that fails does neither."""
        return self._fault is not None and not self._fault.only_fails

    @property
    def names(self) -> frozenset[str]:
        """The calls that have to be supervised for what is armed."""
        if self._record:
            return FILE_CALLS
        return frozenset() if self._fault is None else self._fault.names

    def supervisor(self, names: frozenset[str] = FILE_CALLS) -> Supervisor:
        """One for the session's runs. MachineError where there can be none."""
        roots = self._sandbox.roots
        below = (roots.home, roots.project, roots.tmp, roots.outside)
        made = Supervisor(self.decide, below=below, names=names, contents=True)
        self._struck = made.struck
        return made

    def filter(
        self, supervisor: Supervisor, names: frozenset[str] | None = None, stepped: SteppedTime | None = None
    ) -> Filter:
        """What the next run under it is started with, told the time of the surroundings that stand.

        ``stepped`` is the time of one that reads the machine's clocks and is to live in a scenario's.
        """
        return supervisor.filter(names, wall_clock.times_in(self._sandbox.surroundings, stepped))

    def ordered_below(self) -> tuple[str, ...]:
        """The roots of the world, but for those in which programs are shown: to order what these read is no use."""
        roots = self._sandbox.roots
        shown = self._sandbox.plan.exposed
        return tuple(
            root
            for root in (roots.home, roots.project, roots.tmp, roots.outside)
            if not any(path.startswith(f"{root}/") for path in shown)
        )

    def operating(self, run: int = 0) -> None:
        """An operation begins, done by the run of that number of its supervisor."""
        self._struck_run = run
        self._running = True
        self._written.clear()

    def decide(self, call: Call) -> Answer:
        """See Supervisor."""
        if not self._running:
            return Go()
        if call.kind in CHANGES or (call.kind is Kind.OPEN and (call.flags & _WRITING or call.name == "creat")):
            self._written.update(call.paths)
        if not all(map(self._is_of_world, call.paths)):
            return Go()
        if self._record:
            self._recorded.append(call)
            self._watch(call)
        if self._fault is not None and call.run == self._struck_run:
            return self._fault(call)
        return Go()

    def ended(self, process_index: int) -> bool:
        """The operation of that process is over, and what was armed for it; whether it was killed."""
        self._running = self._record = False
        if self._fault is None:
            return False
        fault, self._fault = self._fault, None
        proof = fault.proof(self._struck)
        self._met.append((process_index, Injection(self._told or fault.fault, armed=True, proof=proof)))
        return fault.kills and proof != ""

    def met(self) -> tuple[tuple[int, Injection], ...]:
        """What struck the last operation, by process; told once."""
        told, self._met = tuple(self._met), []
        return told

    def recorded(self) -> tuple[Call, ...]:
        """What the operations recorded did, in order, with the paths as scenarios write them; told once."""
        hide = self._sandbox.roots.hide
        told, self._recorded = self._recorded, []
        return tuple(msgspec.structs.replace(call, paths=tuple(map(hide, call.paths))) for call in told)

    def _is_of_world(self, path: str) -> bool:
        roots = self._sandbox.roots
        within = f"{path}/"
        for shown in self._sandbox.plan.exposed:
            if within.startswith(f"{shown}/"):
                return False
            if shown.startswith(within) and path not in (roots.home, roots.project, roots.tmp, roots.outside):
                return False  # a directory that is there only to hold what is shown
        project = self._sandbox.plan.project
        if project is None or path in self._world:
            return True
        root = os.path.abspath(project)
        # it is shown at its own place, so what stands there here is what the target brought along: code, or its state
        return path in self._written or not (path == root or path.startswith(f"{root}/")) or not os.path.lexists(path)

    def refusal(self) -> str:
        """Why no call can be struck on this machine, in a sentence; "" when one was."""
        return probe.refusal(self._sandbox)
