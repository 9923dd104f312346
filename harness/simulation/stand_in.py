"""A system of a simulation reached over stdio: each agent asks a process of its own, all on the same files.

One that says it cannot be restarted keeps what it knows in its memory, so all agents ask its first process.

Its files are on a real disk, in its sandbox: the storage faults of a simulation do not reach them. What an operation is
given to read is put there before it.
"""

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import msgspec

from harness.core.fault import Fault
from harness.core.history import EntryType
from harness.core.scenario import Operation, Scenario, World
from harness.errors import UsageError
from harness.ports.clock import Clock, to_seconds
from harness.ports.fake_files import FakeFiles
from harness.runtime.ports import UnansweredError
from harness.sandbox import Remove
from harness.simulation.places import found, placed, standing
from harness.simulation.virtual_time import START
from harness.systems import registry
from harness.targets import world
from harness.targets.session import Session, each_text
from harness.targets.stdio import StdioSession

_WHOLE_BYTES = 64 * 1024 * 1024
_GIVEN = ("stop_gate",)  # what this is given to read is another's, so it is gone for it, too, when it is gone
_SHARING = ("dead_letter", "signals", "session_recovery")  # these move tasks between the same queue files


class StdioStandIn:
    """``session`` reaches an implementation of that system; it is open. UntestableError when it does not start."""

    def __init__(self, system: registry.System, session: Session, name: str) -> None:
        if not isinstance(session, StdioSession):
            raise UsageError(f"{name} is no implementation over stdio; a simulation can ask no other")
        self.name = name
        self._system = system
        self._session = session
        self._told_s = to_seconds(START)
        session.reset(Scenario(1, "simulation", "A simulation", system.name, session.profile, (), World(START), ()))

    def of(self, agent: int, files: FakeFiles, clock: Clock) -> Any:
        """See StandIn.of."""
        ports = {}
        for operation, (_, result) in self._system.contract.OPERATIONS.items():
            ports[operation] = self._asking(agent, operation, result, files)
        return SimpleNamespace(**ports)

    def restart(self) -> None:
        """See StandIn.restart; one that says it cannot be restarted goes on."""
        if self._is_restartable:
            self._session.inject(Fault("process.restarted"), 0)

    def remove(self, path: str) -> None:
        """See StandIn.remove."""
        self._session.sandbox.apply([Remove(placed(path))])

    @property
    def _is_restartable(self) -> bool:
        introduced = self._session.introduction()
        return introduced is None or introduced.restart

    def _asking(
        self, agent: int, operation: str, result: type, files: FakeFiles
    ) -> Callable[[msgspec.Struct, float], Any]:
        def ask(arguments: msgspec.Struct, now_s: float) -> Any:
            args = each_text(msgspec.to_builtins(arguments), placed)
            self._session.move_clock(now_s - self._told_s)
            self._told_s = now_s
            self._put(operation, args, files)
            process = agent if self._is_restartable else 0
            (reply,) = self._session.perform([(process, Operation(operation, args))])
            if self._system.name in _SHARING:
                self._get(operation, args, files)
            if reply.type is not EntryType.OK:
                raise UnansweredError(_why(reply.value))
            return msgspec.convert(each_text(reply.value, found), result)  # its shape is checked by the session

        return ask

    def _put(self, operation: str, args: Mapping[str, Any], files: FakeFiles) -> None:
        """The files it is given to read, as they are in the simulation."""
        for path in self._system.inputs_of(operation, args).values():
            spec = standing(found(path), files)
            actions = world.actions(World(START, {path: spec}), self._told_s, {})
            if self._system.name in _GIVEN:
                self._session.sandbox.apply([Remove(path), *actions])
            elif spec.kind == "file" or self._system.name in _SHARING:
                self._session.sandbox.apply(actions)

    def _get(self, operation: str, args: Mapping[str, Any], files: FakeFiles) -> None:
        """The files that other systems change too, as it left them."""
        left: list[tuple[int, str, bytes | None]] = []
        for path in self._system.inputs_of(operation, args).values():
            read = self._session.sandbox.read(path, _WHOLE_BYTES)
            if read.data is not None or read.kind == "missing":
                before = files.contents.get(found(path), (b"", 0.0))[0]
                left.append((len(before) - len(read.data or b""), found(path), read.data))
        for _, path, data in sorted(left, key=lambda each: each[0]):  # what grew first: a task that moves is never lost
            files.put(path, data)


def _why(value: Mapping[str, Any]) -> str:
    return str(value.get("message") or value.get("error") or value)
