"""The only list of systems. To add one: write its folder, then one line here."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module, resources
from types import ModuleType
from typing import TYPE_CHECKING, Any

from harness.errors import UsageError

if TYPE_CHECKING:  # an implementation that is served looks itself up here, and pays for every import at each start
    from harness.core.clause import Catalogue
    from harness.core.finding import Finding, Trial
    from harness.core.history import Entry, History
    from harness.core.scenario import Scenario
    from harness.systems.judging import Permitted

NAMES = (
    "stop_gate",
    "circuit_breaker",
    "rate_limit",
    "fallback",
    "diagnosis",
    "error_log",
    "dead_letter",
    "signals",
    "session_recovery",
    "rationalization",
    "review_gate",
    "phase_runner",
)


class System:
    """One specified system and its rooms, each loaded when it is first asked for."""

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def catalogue(self) -> "Catalogue":
        """What its documents require."""
        return _catalogue(self.name)

    @property
    def contract(self) -> ModuleType:
        """Its operations, profiles and files."""
        return self._room("contract")

    @property
    def served_profile(self) -> str:
        """The profile of an implementation that is asked over stdio, the first of its contract."""
        return self.contract.PROFILES[0]  # type: ignore[no-any-return]  # rooms are found by name

    @property
    def served_groups(self) -> tuple[str, ...]:
        """The optional groups of that profile, all of which the reference has."""
        return self.catalogue.groups_of(self.served_profile)

    def judge(self, scenario: "Scenario", history: "History", catalogue: "Catalogue") -> "tuple[Finding, ...]":
        """What its oracle finds; of a run that the harness gave up, INCONCLUSIVE for all that it was meant to show."""
        if history.given_up:
            return import_module("harness.systems.standing").unshown(scenario, history)  # type: ignore[no-any-return]
        return self._room("oracle").judge(scenario, history, catalogue)  # type: ignore[no-any-return]  # as above

    def excuse(self, profile: str, fault: str) -> str:
        """Why its oracle lets a sound implementation answer otherwise under a fault, in a word; "" when it does not."""
        said = getattr(self._room("oracle"), "excuse", None)
        return "" if said is None else said(profile, fault)

    @property
    def permitted(self) -> "Permitted":
        """Its oracle's choice of the ways in which the last operation of a history may have ended."""
        return self._room("oracle").permitted  # type: ignore[no-any-return]  # as above

    @property
    def workload(self) -> ModuleType:
        """Its boundaries, strategies and state machine."""
        return self._room("workload")

    @property
    def reference(self) -> ModuleType:
        """The reference implementation."""
        return self._room("reference")

    @property
    def mutants(self) -> ModuleType:
        """The reference with one thing wrong, many times."""
        return self._room("mutants")

    @property
    def runs_as_hook(self) -> bool:
        """Is there a profile in which it is asked one process a call?"""
        return resources.files(f"harness.systems.{self.name}").joinpath("process.py").is_file()

    @property
    def process_calls(self) -> ModuleType:
        """How its operation is said to a process a call, for the hook carrier."""
        return self._room("process")

    @property
    def hosts(self) -> ModuleType:
        """What is known of the hosts that call it, for a system that runs as a hook."""
        return self._room("hosts")

    @property
    def hosted(self) -> ModuleType:
        """What a real host's sessions say about its implementation."""
        return self._room("hosted")

    @property
    def discovery(self) -> ModuleType | None:
        """Where hosts are told about its implementations; None for a system no host is told about."""
        here = resources.files(f"harness.systems.{self.name}").joinpath("discovery.py").is_file()
        return self._room("discovery") if here else None

    def hook_target(self) -> bytes | None:
        """The target file of the reference as a hook process; None for a system that has no such profile."""
        file = resources.files(f"harness.systems.{self.name}").joinpath("hook.yaml")
        return file.read_bytes() if file.is_file() else None

    def first_operation(self) -> bytes | None:
        """One of its operations written in each language of adapters, as an example; None for a system without one."""
        file = resources.files(f"harness.systems.{self.name}").joinpath("first_operation.yaml")
        return file.read_bytes() if file.is_file() else None

    def inputs_of(self, operation: str, args: Mapping[str, Any]) -> Mapping[str, str]:
        """The files an operation is given to read, by label."""
        return self.contract.inputs_of(operation, args)  # type: ignore[no-any-return]  # rooms are found by name

    def scripted_faults(self, invoke: "Entry") -> tuple[str, ...]:
        """The faults that an operation's own arguments script, such as a collaborator that hangs."""
        names = getattr(self.contract, "scripted_faults", None)
        return () if names is None else tuple(names(invoke.op, invoke.value))

    def trials(self, scenario: "Scenario", history: "History") -> "tuple[Trial, ...]":
        """The operations of a history that had to fail open; none for a system in which nothing does."""
        if not _fails_open(self.name):
            return ()
        return self._room("oracle.fail_open").trials(scenario, history)  # type: ignore[no-any-return]  # as above

    def load(self, *rooms: str) -> None:
        """Imports all that judges it, and those rooms, so that threads find it loaded; see core.struct_types."""
        from pkgutil import iter_modules  # noqa: PLC0415 - see above

        for room in map(self._room, ("contract", "oracle", *rooms)):
            for module in iter_modules(getattr(room, "__path__", ()), f"{room.__name__}."):
                import_module(module.name)

    def _room(self, room: str) -> ModuleType:
        return import_module(f"harness.systems.{self.name}.{room}")


def get(name: str) -> System:
    """The system of that name; UsageError, with the names there are, when it is none."""
    if name not in NAMES:
        raise UsageError(f"there is no system {name!r}; this version has: {', '.join(NAMES)}")
    return System(name)


def every() -> tuple[System, ...]:
    """All systems, in the order of the list."""
    return tuple(System(name) for name in NAMES)


@cache
def _fails_open(name: str) -> bool:
    return resources.files(f"harness.systems.{name}").joinpath("oracle", "fail_open.py").is_file()


@cache
def _catalogue(name: str) -> "Catalogue":
    import msgspec  # noqa: PLC0415 - see above

    from harness.core.clause import Catalogue  # noqa: PLC0415 - the same
    from harness.core.document import parse_yaml  # noqa: PLC0415 - the same

    text = resources.files(f"harness.systems.{name}").joinpath("clauses.yaml").read_bytes()
    return msgspec.convert(parse_yaml(text), Catalogue)
