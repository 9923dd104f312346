"""For which suite this harness has been shown to notice what it has to; only that suite certifies.

``qualified.json`` is written by ``python -m harness.qualify.kept``, from the report of a whole qualification.
"""

import hashlib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from pathlib import Path

import msgspec

from harness.certify import corpus

FILE = "qualified.json"
_ROOMS = ("oracle", "contract")


class Qualified(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one system's qualification came to, and of what: its suite, what judges it, and the mutants killed."""

    suite_digest: str
    judging_digest: str
    killed: int
    mutants: int


@cache
def known() -> Mapping[str, Qualified]:
    """By system, that of the last whole qualification with which nothing was wrong."""
    return msgspec.json.decode(place().read_bytes(), type=dict[str, Qualified])


def place() -> Path:
    """The file in which they are."""
    return Path(str(resources.files("harness.certify").joinpath(FILE)))


def why_not(systems: Iterable[str]) -> str:
    """Why this harness is not qualified to certify these systems, "" when it is."""
    missing = [name for name in systems if name not in known()]
    if missing:
        return f"the harness is not qualified for {', '.join(missing)}"
    changed = [name for name in systems if known()[name].suite_digest != corpus.digest((name,))]
    if changed:
        return f"the suite of {', '.join(changed)} has changed since the harness was qualified"
    changed = [name for name in systems if known()[name].judging_digest != judging_digest(name)]
    return f"what judges {', '.join(changed)} has changed since the harness was qualified" if changed else ""


def judging_digest(system: str) -> str:
    """The SHA-256 over the sources that judge: the system's oracle and contract, and what oracles share."""
    total = hashlib.sha256()
    harness = Path(str(resources.files("harness")))
    folders = [harness / "core", harness / "systems", *(harness / "systems" / system / room for room in _ROOMS)]
    paths = [path for folder in folders for path in folder.glob("*.py")]
    paths += [path for room in _ROOMS if (path := harness / "systems" / system / f"{room}.py").is_file()]
    for path in sorted(paths, key=lambda each: each.relative_to(harness).as_posix()):
        total.update(path.relative_to(harness).as_posix().encode() + b"\0" + path.read_bytes())
    return total.hexdigest()
