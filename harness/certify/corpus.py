"""The materialised scenarios: the files a certificate rests on, found in a checkout or in an installed copy.

Three folders a system: ``<system>/`` from the enumeration, ``<system>/found/`` built by search and shipped, and
``regressions/<system>/``. The first is written from the code; the other two are kept.
"""

import hashlib
from collections.abc import Iterable
from functools import cache
from importlib import resources
from pathlib import Path

from harness.certify.enumerated import is_known
from harness.certify.events import PlanFiles
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
    """Every materialised scenario of ``system``, found ones and regressions included, in the order of their ids.

    What is known to be the same as the enumeration is not read but made anew. Errors as of ``read``.
    """
    own = {path.name: path.read_bytes() for path in _files(system) if _is_enumerated(path, system)}
    # another version of a library could enumerate otherwise from the same sources
    if is_known(system, own) and {f"{each.id}.yaml" for each in _boundaries(system)} == own.keys():
        return _in_order(system, _made_anew(system))
    return read(system)


def read(system: str) -> tuple[Scenario, ...]:
    """As ``scenarios``, every one of them read from its file.

    FileFormatError when one is no scenario; HarnessFault when two files hold scenarios of one id: a result could not
    say which it means.
    """
    return _in_order(system, [load(path.read_bytes(), where=path.name) for path in _files(system)])


def paths() -> dict[str, Path]:
    """The files of all systems by the ids of their scenarios, which are their names; nothing is read."""
    return {path.stem: path for name in registry.NAMES for path in _files(name)}


@cache
def enumerated(system: str) -> tuple[Scenario, ...]:
    """As ``scenarios``, but what is enumerated is made anew whatever the files hold; a test keeps them the same."""
    return tuple(sorted(_made_anew(system), key=lambda each: each.id))


def materialised(system: str) -> dict[str, str]:
    """The files that the enumeration of ``system`` stands for today, name to YAML text; scenarios/ has to hold them."""
    found: dict[str, str] = {}
    for scenario in registry.get(system).workload.boundaries():
        name = f"{scenario.id}.yaml"
        if name in found:
            raise HarnessFault(f"two scenarios of {system} are called {scenario.id}")
        found[name] = dump(scenario)
    return found


def plan(systems: tuple[str, ...]) -> PlanFiles:
    """The materialised plan of these systems: every scenario file, by its path below scenarios/ and its content."""
    total = hashlib.sha256()
    count = 0
    for system in systems:
        for path in _files(system):
            where = path.relative_to(directory()).as_posix()
            total.update(where.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
            count += 1
    return PlanFiles(count, total.hexdigest())


def digest(systems: tuple[str, ...]) -> str:
    """The suite's digest: SHA-256 over the catalogues and the materialised plan of these systems."""
    total = hashlib.sha256()
    for system in systems:
        total.update(resources.files(f"harness.systems.{system}").joinpath("clauses.yaml").read_bytes())
    total.update(plan(systems).sha256.encode())
    return total.hexdigest()


def _in_order(system: str, scenarios: Iterable[Scenario]) -> tuple[Scenario, ...]:
    found: dict[str, Scenario] = {}
    for scenario in scenarios:
        if scenario.id in found:
            raise HarnessFault(f"two scenario files of {system} hold the id {scenario.id}")
        found[scenario.id] = scenario
    return tuple(found[id_] for id_ in sorted(found))


def _made_anew(system: str) -> tuple[Scenario, ...]:
    """What is enumerated, made, and what is kept, read."""
    kept = [path for path in _files(system) if not _is_enumerated(path, system)]
    return (*_boundaries(system), *(load(path.read_bytes(), where=path.name) for path in kept))


@cache
def _boundaries(system: str) -> tuple[Scenario, ...]:
    return tuple(registry.get(system).workload.boundaries())


def _is_enumerated(path: Path, system: str) -> bool:
    return path.parent == directory() / system


def _files(system: str) -> list[Path]:
    registry.get(system)
    folders = (Path(system), Path(system) / "found", Path("regressions") / system)
    paths = [path for folder in folders for path in (directory() / folder).glob("*.yaml")]
    # by the text of the path: a Path compares part by part, and not alike on every platform
    return sorted(paths, key=lambda path: path.relative_to(directory()).as_posix())
