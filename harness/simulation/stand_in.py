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
from harness.core.scenario import FileSpec, Operation, Scenario, World
from harness.errors import UsageError
from harness.ports.clock import Clock, to_seconds
from harness.ports.files import FakeFiles
from harness.runtime.ports import UnansweredError
from harness.sandbox import Remove
from harness.simulation.session import HOME, PROJECT
from harness.simulation.virtual_time import START
from harness.systems import registry
from harness.targets import world
from harness.targets.session import Session, each_text
from harness.targets.stdio import StdioSession

_PLACES = {HOME: "{home}", PROJECT: "{project}"}
_SHARING = ("dead_letter", "signals", "session_recovery")  # these move tasks between the same queue files
_WHOLE_BYTES = 64 * 1024 * 1024


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
        self._session.sandbox.apply([Remove(_placed(path))])

    @property
    def _is_restartable(self) -> bool:
        introduced = self._session.introduction()
        return introduced is None or introduced.restart

    def _asking(
        self, agent: int, operation: str, result: type, files: FakeFiles
    ) -> Callable[[msgspec.Struct, float], Any]:
        def ask(arguments: msgspec.Struct, now_s: float) -> Any:
            args = each_text(msgspec.to_builtins(arguments), _placed)
            self._session.move_clock(now_s - self._told_s)
            self._told_s = now_s
            self._put(operation, args, files)
            process = agent if self._is_restartable else 0
            (reply,) = self._session.perform([(process, Operation(operation, args))])
            if self._system.name in _SHARING:
                self._get(operation, args, files)
            if reply.type is not EntryType.OK:
                raise UnansweredError(_why(reply.value))
            return msgspec.convert(each_text(reply.value, _found), result)  # its shape is checked by the session

        return ask

    def _put(self, operation: str, args: Mapping[str, Any], files: FakeFiles) -> None:
        """The files it is given to read, as they are in the simulation."""
        for path in self._system.inputs_of(operation, args).values():
            simulated = _found(path)
            if simulated in files.contents:
                spec = FileSpec(base64=files.read(simulated, _WHOLE_BYTES))
                self._session.sandbox.apply(world.actions(World(START, {path: spec}), self._told_s, {}))
            elif self._system.name in _SHARING:
                self._session.sandbox.apply([Remove(path)])

    def _get(self, operation: str, args: Mapping[str, Any], files: FakeFiles) -> None:
        """The files that other systems change too, as it left them."""
        for path in self._system.inputs_of(operation, args).values():
            found = self._session.sandbox.read(path, _WHOLE_BYTES)
            if found.data is not None:
                files.contents[_found(path)] = (found.data, 0.0)
            elif found.kind == "missing":
                files.contents.pop(_found(path), None)


def _placed(text: str) -> str:
    for path, placeholder in _PLACES.items():
        text = text.replace(path, placeholder)
    return text


def _found(text: str) -> str:
    for path, placeholder in _PLACES.items():
        text = text.replace(placeholder, path)
    return text


def _why(value: Mapping[str, Any]) -> str:
    return str(value.get("message") or value.get("error") or value)
