"""What the sessions of a simulation ask: the reference of each system, in this process, or whatever stands for it."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Protocol

from harness.ports.clock import Clock
from harness.ports.fake_files import FakeFiles
from harness.ports.files import Files
from harness.runtime.ports import Systems, UnansweredError
from harness.simulation.virtual_time import Chance
from harness.systems import registry

IN_A_SESSION = (
    "stop_gate",
    "circuit_breaker",
    "rate_limit",
    "fallback",
    "error_log",
    "diagnosis",
    "dead_letter",
    "signals",
    "session_recovery",
    "phase_runner",
    "review_gate",
    "rationalization",
)
"""The systems of a session, in the order of ports.Systems."""
REFERENCE = "reference"
_DRAWING = ("error_log", "diagnosis")  # these make ids


class StandIn(Protocol):
    """One system in another place. It has the methods of that system's port for each agent."""

    name: str

    def of(self, agent: int, files: FakeFiles, clock: Clock) -> Any:
        """What the agent of that number asks."""
        ...

    def restart(self) -> None:
        """Ends what runs, and begins again from what is on disk."""
        ...

    def remove(self, path: str) -> None:
        """Takes away a file of its own, where it is in the simulation; nothing happens when there is none."""
        ...


class Assembly:
    """All systems of a simulation; ``stand_ins`` by the name of the system, references for the rest.

    ``seed`` chooses what references draw for the ids of records and diagnoses. ``planted`` are defects: the name of a
    mutant, by that of the system.
    """

    def __init__(
        self,
        home: str,
        stand_ins: Mapping[str, StandIn] | None = None,
        seed: int = 0,
        planted: Mapping[str, str] | None = None,
    ) -> None:
        self._planted = planted or {}
        self._home = home
        self._stand_ins = stand_ins or {}
        self._begun = 0
        self._seed = seed

    def of(self, agent: int, files: FakeFiles, clock: Clock) -> Systems:
        """The systems of the agent of that number, as new processes of it find them."""
        self._begun += 1
        return Systems(*(self._one(name, agent, files, clock) for name in IN_A_SESSION))

    def set_aside(self, path: str, files: FakeFiles) -> None:
        """A file is archived: it begins anew."""
        files.contents.pop(path, None)
        for stand_in in self._stand_ins.values():
            stand_in.remove(path)

    @property
    def elsewhere(self) -> tuple[str, ...]:
        """The systems whose files are in another place."""
        return tuple(self._stand_ins)

    def restart(self) -> None:
        """The machine restarts."""
        for stand_in in self._stand_ins.values():
            stand_in.restart()

    def names(self) -> dict[str, str]:
        """What stands for each system."""
        return {name: self._stand_ins[name].name if name in self._stand_ins else REFERENCE for name in IN_A_SESSION}

    def _one(self, name: str, agent: int, files: FakeFiles, clock: Clock) -> Any:
        if name in self._stand_ins:
            return self._stand_ins[name].of(agent, files, clock)
        made = reference(
            name, self._home, files, Chance(self._seed, "ids", name, self._begun), self._planted.get(name, "")
        )
        return _Guarded(made) if name in self._planted else made


def references(home: str, files: Files) -> Systems:
    """The references, at work below ``home`` in ``files``."""
    return Systems(*(reference(name, home, files, Chance(0, "ids", name)) for name in IN_A_SESSION))


def reference(name: str, home: str, files: Files, chance: Chance, mutant: str = "") -> Any:
    """The reference of one, or the mutant of it of that name; what it draws for ids comes from ``chance``."""
    system = registry.get(name)
    more: dict[str, Any] = {}
    if name in _DRAWING:
        more["entropy"] = chance.raw
    if name == "diagnosis":
        more["clock_s"] = _no_time
    if name == "dead_letter" and isinstance(files, FakeFiles):
        more["listing"] = partial(_listed, files)
    if name == "phase_runner" and isinstance(files, FakeFiles):
        more["folders"] = _Folders(files)
    configuration = system.contract.Configuration(home)
    if not mutant:
        return system.reference.create(configuration, files, **more)
    if more:
        return system.mutants.MUTANTS[mutant].implementation(configuration, files, *more.values())
    return system.mutants.create_mutant(mutant, configuration, files)


class _Guarded:
    """A system that may break: what it raises is no answer, as it would be of one in a process of its own."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        ask = getattr(self._inner, name)

        def asked(arguments: Any, now_s: float) -> Any:
            try:
                return ask(arguments, now_s)
            except Exception as error:
                raise UnansweredError(f"{type(error).__name__}: {error}") from error

        return asked


class _Folders:
    """What directories in memory hold; none of them stands there without a file, so that none has to be removed."""

    def __init__(self, files: FakeFiles) -> None:
        self._files = files

    def names(self, path: str) -> list[str]:
        """The names of what stands in a directory, sorted; none when there is no such directory."""
        below = f"{path}/"
        return sorted({name[len(below) :].partition("/")[0] for name in self._files.contents if name.startswith(below)})

    def remove(self, path: str) -> None:
        """Removes an empty directory."""


def _listed(files: FakeFiles, directory: str) -> list[str]:
    """The files below a directory in memory, as the dead letters list them."""
    return sorted(path.removeprefix(f"{directory}/") for path in files.contents if path.startswith(f"{directory}/"))


def _no_time() -> float:
    return 0.0
