"""The tunables in force, process by process, and what setting them was answered: LK-CB-25. Pure."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from harness.core.log import LogLevel
from harness.systems.circuit_breaker.contract import ConfigureResult, LogCode, Tunables
from harness.systems.circuit_breaker.oracle.breaker import DEFAULT_TUNABLES, Limits, limits
from harness.systems.circuit_breaker.oracle.notes import Notes

CLAUSE: Final = "LK-CB-25"
COUNTS: Final = ("threshold", "recovery_threshold")
LONGEST_S: Final = 10.0 * 366 * 86_400  # a longer time need not be kept to: dates end


def is_valid(name: str, value: object) -> bool | None:
    """Is that a value of the tunable? None for one on which people differ: 3.0 as a count, a hundred years."""
    if name not in Tunables.__struct_fields__ or isinstance(value, bool) or not isinstance(value, int | float):
        return False
    if not (math.isfinite(value) and value > 0):
        return False
    if name in COUNTS:
        return True if isinstance(value, int) else (None if value == int(value) else False)
    return None if value > LONGEST_S else True


def valid(named: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the named tunables that have a value."""
    return {name: value for name, value in named.items() if is_valid(name, value)}


class Tuning:
    """What is in force in each process of one world. ``configured`` are the tunables of its configuration."""

    def __init__(self, configured: object) -> None:
        named = configured if isinstance(configured, Mapping) else {}
        self._base = msgspec.structs.replace(DEFAULT_TUNABLES, **valid(named))
        self._of: dict[int, Tunables] = {}
        self._perhaps: set[int] = set()

    def restarted(self) -> None:
        """Any process may be another one from now on, which knows only the configuration."""
        self._perhaps = set(self._of)

    def of(self, process: int) -> Tunables:
        """The tunables that were last set in that process."""
        return self._of.get(process, self._base)

    def limits(self, process: int) -> tuple[Limits, ...]:
        """What may be in force there."""
        likely = limits(self.of(process))
        other = limits(self._base)
        return (likely, other) if process in self._perhaps and other != likely else (likely,)

    def set(self, process: int, named: Mapping[str, Any], result: ConfigureResult, notes: Notes) -> None:
        """Tunables were set in that process; notes what the answer says of the clause."""
        before = self.of(process)
        if process in self._perhaps and result.tunables != msgspec.structs.replace(before, **valid(named)):
            before = self._base
        said = {name: is_valid(name, value) for name, value in named.items()}
        if all(said.values()):
            _judge_valid(msgspec.structs.replace(before, **valid(named)), result, notes)
        elif False in said.values() and None not in said.values():
            _judge_wrong([name for name, is_one in said.items() if not is_one], before, named, result, notes)
        if all(is_valid(name, getattr(result.tunables, name)) is not False for name in Tunables.__struct_fields__):
            self._of[process] = result.tunables
        self._perhaps.discard(process)


def _judge_valid(wanted: Tunables, result: ConfigureResult, notes: Notes) -> None:
    expected = "the tunables that were set are in force, and the others keep their values"
    if result.accepted and result.tunables == wanted:
        notes.agrees(CLAUSE, expected)
    else:
        notes.breaks(CLAUSE, expected, f"accepted {result.accepted}, {result.tunables}")


def _judge_wrong(
    wrong: Sequence[str], before: Tunables, named: Mapping[str, Any], result: ConfigureResult, notes: Notes
) -> None:
    expected = f"{', '.join(sorted(wrong))} refused, and nothing changed, or the default taken, with a warning"
    known = [name for name in wrong if name in Tunables.__struct_fields__]
    defaults = {name: getattr(DEFAULT_TUNABLES, name) for name in known}
    instead = msgspec.structs.replace(before, **valid(named), **defaults)
    warned = any(entry.level is not LogLevel.INFO and entry.code == LogCode.TUNABLE_INVALID for entry in result.log)
    if not result.accepted and result.tunables == before:
        notes.agrees(CLAUSE, expected, ("refused",))
    elif warned and result.tunables == instead:
        notes.agrees(CLAUSE, expected, ("default",))
    else:
        notes.breaks(CLAUSE, expected, f"accepted {result.accepted}, {result.tunables}, warned {warned}")
