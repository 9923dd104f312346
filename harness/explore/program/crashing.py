"""The cases of a crash that leaves some of what an operation, or the recovery after a crash, has written."""

import functools
import random
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from harness.explore.crash_states import SUBSETS, CrashState, CrashStates, Model, of_recovery, sectors
from harness.explore.program.cases import LayerName, StateCase
from harness.explore.program.operation import Recorded, record
from harness.explore.program.place import Place
from harness.explore.writes import Change, Write

STATES: Final = 200_000  # of one enumeration, about: an operation with more is torn and parted more coarsely
CUTS_SHOWN: Final = 1
NESTED: Final = 64  # first crashes after which the recovery is crashed too: each takes a recording of its own
LETTERS: Final[dict[Model, str]] = {"kill": "C", "power": "P"}
_ONCE: Final[dict[Model, LayerName]] = {"kill": "crash", "power": "power"}
_TWICE: Final[dict[Model, LayerName]] = {"kill": "crash twice", "power": "power twice"}
_INSIDE: Final = re.compile(r"\bbyte \d+")  # of a write: there are many such states, and most of them are alike


class Chosen(NamedTuple):
    """Positions in an enumeration that are run; ``cut`` says what was left out, "" when nothing was."""

    enumerated: int
    positions: tuple[int, ...]
    cut: str


class States:
    """The crash states of one recording, enumerated as often as needed: they are not kept."""

    def __init__(self, found: Recorded, make: Callable[[], CrashStates], layer: LayerName, prefix: str) -> None:
        self._found = found
        self._make = make
        self._layer = layer
        self._prefix = prefix

    def chosen(self, limit: int, seed: int, stop: Callable[[], bool] = lambda: False) -> Chosen:
        """Which to run: all, or, when there are more than ``limit``, those between changes and some of the others.

        Once ``stop`` says so no more are counted: there can be a hundred thousand, of a MiB each.
        """
        states = self._make()
        inside: list[bool] = []
        for state in states:
            if stop():
                break
            inside.append(bool(_INSIDE.search(state.label)))
        cut = _brief(states.coverage.cut)
        positions: Sequence[int] = range(len(inside))
        if len(inside) > limit:
            positions = sample(inside, limit, seed)
            text = f"{limit} of {len(inside)} states, chosen by seed {seed}"
            cut = f"{text}; {cut}" if cut else text
        return Chosen(len(inside), tuple(positions), cut)

    def cases(self, positions: Sequence[int]) -> Iterator[StateCase]:
        """The cases at those positions, which rise."""
        wanted = iter(positions)
        following = next(wanted, None)
        for position, state in enumerate(self._make()):
            if position == following:
                yield self._case(position, state)
                following = next(wanted, None)

    def _case(self, position: int, state: CrashState) -> StateCase:
        return StateCase(
            id=f"{self._prefix}{position + 1}",
            layer=self._layer,
            label=state.label,
            before=self._found.base,
            state=state,
            modes=self._found.modes,
            # what op had reported as done when the power went; a process that is killed has reported nothing
            op_exit="0" if state.finished and self._layer == "power" else "",
        )


def sample(inside: Sequence[bool], limit: int, seed: int) -> list[int]:
    """``limit`` positions: first those that are not inside a write, then others at random."""
    outer = [position for position, within in enumerate(inside) if not within]
    inner = [position for position, within in enumerate(inside) if within]
    chance = random.Random(seed)  # noqa: S311 - a choice of cases, no secret
    if len(outer) >= limit:
        return sorted(chance.sample(outer, limit))
    return sorted(outer + chance.sample(inner, limit - len(outer)))


def crashes(found: Recorded, model: Model) -> States:
    """The states in which a crash leaves what op changes."""
    changes = found.recording.changes
    bounds = _bounds(changes, model)
    make = functools.partial(CrashStates, found.start, changes, model, **bounds)
    return States(found, make, _ONCE[model], LETTERS[model])


def _bounds(changes: Sequence[Change], model: Model) -> dict[str, Any]:
    """How finely an operation of that size can be cut into states."""
    written = sum(len(change.data) for change in changes if isinstance(change, Write))
    if model == "kill" and written > STATES:
        return {"torn": lambda offset, length: (sectors(offset, length)[0], False)}
    return {"bound": max(16, min(SUBSETS, STATES // max(1, len(changes))))}


def _brief(cut: str) -> str:
    parts = cut.split("; ")
    more = len(parts) - CUTS_SHOWN
    return "; ".join([*parts[:CUTS_SHOWN], f"and {more} more of the kind"]) if more > 0 else cut


class Again(msgspec.Struct, frozen=True):
    """What is known of the recovery from one crash state: what a second crash may leave, or why that is not known."""

    case: StateCase
    found: Recorded

    def states(self, model: Model) -> States:
        """The states in which a crash leaves this recovery."""
        first = CrashState(self.found.start, self.case.state.label, finished=False)
        make = functools.partial(of_recovery, first, self.found.recording.changes, model)
        return States(self.found, make, _TWICE[model], f"{self.case.id}.{LETTERS[model]}")


def recover_from(place: Place, case: StateCase) -> Again:
    """Run the recovery on the state of ``case`` and record it."""
    place.fresh()
    place.put(case.before, case.state.files, case.modes)
    assert place.program.recover is not None  # noqa: S101 - asked for only when there is one
    found = record(place, place.program.recover, case.before, case.state.files)
    return Again(case, found._replace(modes={**case.modes, **found.modes}))
