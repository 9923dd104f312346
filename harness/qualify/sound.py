"""Implementations that are taken to be sound: what fails in one is a false alarm, or a defect not yet known."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from harness.certify import corpus
from harness.certify.reach import Reach, from_spec, reference
from harness.errors import WindtunnelError
from harness.systems import registry
from harness.targets import target_file

EXAMPLES = ("examples/hooks/sound_*/target.yaml", "examples/independent/*/target.yaml")
OF_HOOKS = "stop_gate"  # the folder of a hook does not say which system it belongs to
STDIO_SHARE, HOOK_SHARE = 25, 1  # of the runs: a hook is a process a call, so one case takes as long as many


class Sound(NamedTuple):
    """One implementation: how a person names it, the way to it, and what ``windtunnel replay`` needs to find it."""

    name: str
    reach: Reach
    target: str

    @property
    def share(self) -> int:
        """How many runs it gets beside the others."""
        return HOOK_SHARE if self.reach.carrier == "hook" else STDIO_SHARE


@cache
def implementations() -> tuple[Mapping[str, Sound], Mapping[str, str]]:
    """The sound implementations by name, and why one that there is cannot be reached on this machine.

    The references come first, then those of the checkout's examples; an installed copy has only the references.
    """
    found = {each.name: each for system in registry.every() for each in _references(system)}
    refused: dict[str, str] = {}
    checkout = corpus.directory().parent
    for path in sorted(path for pattern in EXAMPLES for path in checkout.glob(pattern)):
        name = path.parent.relative_to(checkout / "examples").as_posix()
        try:
            reach = from_spec(target_file.load(path), _system_of(path.parent), timeout_scale=1.0)
        except WindtunnelError as error:
            refused[name] = str(error)
        else:
            found[name] = Sound(name, reach, path.relative_to(checkout).as_posix())
    return found, refused


def shares(wanted: Mapping[str, Sound], runs: int) -> dict[str, int]:
    """How many of the ``runs`` each of these gets: exactly so many in all, by what one of its cases costs."""
    whole = sum(each.share for each in wanted.values())
    exact = {name: runs * each.share / whole for name, each in wanted.items()}
    given = {name: int(share) for name, share in exact.items()}
    # what is left goes to those that lost most when their share was cut
    for name in sorted(exact, key=lambda each: given[each] - exact[each])[: runs - sum(given.values())]:
        given[name] += 1
    return given


def _references(system: registry.System) -> list[Sound]:
    return [
        Sound(f"reference/{system.name}" + ("/hook" if reach.carrier == "hook" else ""), reach, "")
        for reach in reference(system, timeout_scale=1.0)
    ]


def _system_of(folder: Path) -> registry.System:
    """The folder of an independent implementation begins with the name of its system."""
    return registry.get(next((name for name in registry.NAMES if folder.name.startswith(f"{name}_")), OF_HOOKS))
