"""Paths of a world, read as text: where a link leads, and when a moment is. Pure."""

from datetime import datetime

from harness.core.fault import Injection
from harness.core.scenario import FileSpec, Scenario
from harness.systems.stop_gate import contract

RUNTIME = contract.RUNTIME_DIRECTORY
LINKS = frozenset({"filesystem.link_outside", "filesystem.dangling_link"})  # faults: links that lead outside


def seconds(moment: str) -> float:
    """An RFC 3339 time as seconds since the epoch."""
    return datetime.fromisoformat(moment).timestamp()


def link_target(path: str, scenario: Scenario, faults: tuple[Injection, ...]) -> str | None:
    """Where a link at that path points, normalised, as far as the scenario says so; None when nothing does."""
    for injection in faults:
        if injection.fault.path == path and injection.fault.name in LINKS:
            return "{outside}"
    spec: FileSpec | None = scenario.world.files.get(path)
    if spec is None or spec.kind != "symlink" or spec.target is None:
        return None
    start = "" if spec.target.startswith(("{", "/")) else path.rpartition("/")[0] + "/"
    return normalised(start + spec.target)


def normalised(path: str) -> str:
    """The path without ``.``, ``..`` and doubled separators, as if nothing on it were a link."""
    kept: list[str] = []
    for part in path.split("/"):
        if part == ".." and kept:
            kept.pop()
        elif part not in ("", ".", ".."):
            kept.append(part)
    return ("/" if path.startswith("/") else "") + "/".join(kept)
