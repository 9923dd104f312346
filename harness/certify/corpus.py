"""The materialised scenarios: the files a certificate rests on, found in a checkout or in an installed copy."""

import hashlib
from functools import cache
from importlib import resources
from pathlib import Path

from harness.core.scenario import Scenario, dump, load
from harness.errors import HarnessFault
from harness.systems import registry

_PACKED = "_scenarios"  # where the wheel holds scenarios/; a checkout has it beside the package


@cache
def directory() -> Path:
    """The folder of the scenario files; HarnessFault when this copy of windtunnel was installed without it."""
    package = Path(str(resources.files("harness")))
    for folder in (package / _PACKED, package.parent / "scenarios"):
        if folder.is_dir():
            return folder
    raise HarnessFault("this copy of windtunnel has no scenarios/; install it again from a wheel or a checkout")


def scenarios(system: str) -> tuple[Scenario, ...]:
    """Every materialised scenario of ``system``, regressions included, in the order of their ids."""
    found = [load(path.read_bytes(), where=path.name) for path in _files(system)]
    return tuple(sorted(found, key=lambda scenario: scenario.id))


def materialised(system: str) -> dict[str, str]:
    """The files that the enumeration of ``system`` stands for today, name to YAML text; scenarios/ has to hold them."""
    found: dict[str, str] = {}
    for scenario in registry.get(system).workload.boundaries():
        name = f"{scenario.id}.yaml"
        if name in found:
            raise HarnessFault(f"two scenarios of {system} are called {scenario.id}")
        found[name] = dump(scenario)
    return found


def digest(systems: tuple[str, ...]) -> str:
    """The suite's digest: SHA-256 over the catalogues and scenario files of these systems."""
    total = hashlib.sha256()
    for system in systems:
        catalogue = resources.files(f"harness.systems.{system}").joinpath("clauses.yaml")
        total.update(catalogue.read_bytes())
        for path in _files(system):
            total.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def _files(system: str) -> list[Path]:
    registry.get(system)
    paths = [*(directory() / system).glob("*.yaml"), *(directory() / "regressions" / system).glob("*.yaml")]
    return sorted(paths, key=lambda path: path.name)
