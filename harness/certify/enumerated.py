"""For which sources the materialised scenarios are known to be what is enumerated, so that they need no reading.

Enumerating anew takes an eighth of the time of reading YAML. ``enumerated.json`` is written when the scenarios are
materialised, and says of each system what its files were and which sources they came from. Where either is not the same
any more, the files are read: what is played is in every case what the files hold.
"""

import hashlib
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path

import msgspec

FILE = "enumerated.json"
_TELLS = """
import sys
from harness.systems import registry
registry.get(sys.argv[1]).workload.boundaries()
print(*sorted(name for name in sys.modules if name.partition(".")[0] == "harness"))
"""


class Enumerated(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One system's: the SHA-256 over its files, over its sources, and the modules that are its sources."""

    files: str
    sources: str
    modules: tuple[str, ...]


@cache
def known() -> Mapping[str, Enumerated]:
    """By system, as it is shipped."""
    return msgspec.json.decode(place().read_bytes(), type=dict[str, Enumerated])


def place() -> Path:
    """The file in which they are."""
    return Path(str(resources.files("harness.certify").joinpath(FILE)))


def is_known(system: str, files: Mapping[str, bytes]) -> bool:
    """Are these files, name to content, what today's sources of ``system`` enumerate?"""
    of = known().get(system)
    return of is not None and of.files == files_digest(files) and of.sources == sources_digest(system, of.modules)


def files_digest(files: Mapping[str, bytes]) -> str:
    """The SHA-256 over the names and contents of files."""
    total = hashlib.sha256()
    for name in sorted(files):
        total.update(name.encode() + b"\0" + hashlib.sha256(files[name]).digest())
    return total.hexdigest()


def measured(system: str, files: Mapping[str, bytes]) -> Enumerated:
    """What stands in the file for a system whose enumeration gave these files just now.

    Its modules are those that a fresh interpreter imports to enumerate it.
    """
    words = (sys.executable, "-c", _TELLS, system)
    modules = tuple(subprocess.run(words, capture_output=True, check=True, text=True).stdout.split())
    return Enumerated(files_digest(files), sources_digest(system, modules), modules)


def text(files: Mapping[str, Mapping[str, bytes]]) -> str:
    """The whole file, for the files of all systems."""
    content = {system: measured(system, of) for system, of in files.items()}
    return msgspec.json.format(msgspec.json.encode(content), indent=1).decode() + "\n"


def sources_digest(system: str, modules: tuple[str, ...]) -> str:
    """The SHA-256 over the sources of these modules, and over the catalogue of ``system``."""
    package = Path(str(resources.files("harness")))
    paths = [source(package, module) for module in modules]
    total = hashlib.sha256()
    for path in (*paths, package / "systems" / system / "clauses.yaml"):
        total.update((path.read_bytes() if path.is_file() else b"") + b"\0")
    return total.hexdigest()


def source(package: Path, module: str) -> Path:
    """The file that ``module`` of ``package`` is imported from."""
    path = package.joinpath(*module.split(".")[1:])
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
