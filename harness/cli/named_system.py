"""The system that a command line names."""

from difflib import get_close_matches  # not target_file.closest: `serve` pays for every import at each start

from harness.errors import UsageError
from harness.systems import registry


def named_system(name: str) -> registry.System:
    """The system of that name; UsageError, with the nearest name or those there are, when it is none."""
    near = get_close_matches(name, registry.NAMES, n=1)
    if near and near[0] != name:
        raise UsageError(f"there is no system {name!r}; did you mean {near[0]!r}?")
    return registry.get(name)
