"""A case by the id under which it was told, made anew: enumerations come in the same order each time."""

import contextlib
import re
from typing import Final, NoReturn

from harness.errors import UsageError
from harness.explore.crash_states import Model
from harness.explore.program.cases import Case, StateCase
from harness.explore.program.crashing import LETTERS, crashes, recover_from
from harness.explore.program.operation import Operation
from harness.explore.program.place import Place
from harness.explore.program.racing import case_of
from harness.explore.program.striking import errno_cases, kill_cases

_CRASHED: Final = re.compile(r"([CP])(\d+)(?:\.([CP])(\d+))?")
_MODELS: Final[dict[str, Model]] = {letter: model for model, letter in LETTERS.items()}


def find(id_: str, operation: Operation, place: Place) -> Case:
    """The case; UsageError when this operation has none of that id."""
    match = _CRASHED.fullmatch(id_)
    if match is not None and not operation.record.gap:
        return _crashed(match, operation, place)
    for letter, made in (("E", errno_cases), ("K", kill_cases)):
        if id_.startswith(letter):
            for case in made(operation):
                if case.id == id_:
                    return case
    if id_.startswith("S") and place.program.rival is not None:
        with contextlib.suppress(ValueError):
            return case_of(id_, operation.names)
    return _no_such(id_)


def _crashed(match: re.Match[str], operation: Operation, place: Place) -> StateCase:
    first, number, second, nested = match.groups()
    case = next(crashes(operation.record, _MODELS[first]).cases((int(number) - 1,)), None)
    if case is not None and second is not None:
        if place.program.recover is None:
            raise UsageError(f"{match[0]} is a crash of the recovery; give --recover as well")
        case = next(recover_from(place, case).states(_MODELS[second]).cases((int(nested) - 1,)), None)
    return case if case is not None else _no_such(match[0])


def _no_such(id_: str) -> NoReturn:
    raise UsageError(f"this operation has no case {id_!r}; give the options it was found with")
