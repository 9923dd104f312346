"""Which values are tunables, and what an answer to ``configure`` may say. Pure.

Source: document 000, Rate Limit Handling; issue 5, Bad input: zero, negative, fractional, not a number.
"""

import math
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import msgspec

from harness.systems.rate_limit.contract import Tunables
from harness.systems.stateless import Call, number

DEFAULTS = Tunables()
NAMES = Tunables.__struct_fields__
COUNT = "max_retries"
LARGE = 1e15  # beyond it an implementation may say that no such delay, multiplier or count exists
LARGEST_COUNT = 2**31 - 1
LEAST_MULTIPLIER = 1  # below it a delay would become shorter


class Worth(StrEnum):
    """What a value is as a tunable; ``open``: it may be taken or refused.

    So may one that is ``none``: no clause says what becomes of it. Nothing is judged while it is in force.
    """

    TAKEN = "taken"
    NONE = "none"
    OPEN = "open"


def worth(name: str, value: object) -> Worth:
    """What that value is worth as the tunable of that name."""
    size = number(value)
    if size is None or math.isnan(size) or size < (LEAST_MULTIPLIER if name == "multiplier" else 0):
        return Worth.NONE
    if name == COUNT:
        return _worth_as_count(value, size)
    if size == 0:
        return Worth.NONE
    return Worth.OPEN if size > LARGE else Worth.TAKEN


def _worth_as_count(value: object, size: float) -> Worth:
    if not size.is_integer():
        return Worth.OPEN if math.isinf(size) else Worth.NONE
    surely = isinstance(value, int) and 0 < size <= LARGEST_COUNT
    return Worth.TAKEN if surely else Worth.OPEN


def is_sound(tuned: Tunables) -> bool:
    """Can delays and retries be told from these?"""
    return all(worth(name, getattr(tuned, name)) is not Worth.NONE for name in NAMES)


def taken(given: Mapping[str, Any], before: Tunables) -> Tunables:
    """What is in force when every value that is worth it was taken."""
    good = {name: value for name, value in given.items() if name in NAMES and worth(name, value) is Worth.TAKEN}
    return msgspec.structs.replace(before, **good)


def reported(call: Call) -> Tunables | None:
    """What an answer says is in force, even where that is no tunable: what follows from it is no further fault.

    None when what it says are no numbers.
    """
    said = call.result.get("tunables")
    if not isinstance(said, Mapping) or any(number(said.get(name)) is None for name in NAMES):
        return None
    values: dict[str, Any] = {name: said[name] for name in NAMES}
    return Tunables(**values)


def wrong(call: Call, given: Mapping[str, Any], before: Tunables) -> dict[str, str]:
    """By tunable, what had to be in force after ``configure`` and is not.

    When every value is one they are all taken. What becomes of one that is none, and of the good ones beside it, is
    open: it is taken, refused, taken for something else, or the default of that name is.
    """
    said = call.result.get("tunables")
    said = said if isinstance(said, Mapping) else {}
    whole = all(name in NAMES and worth(name, value) is Worth.TAKEN for name, value in given.items())
    found: dict[str, str] = {}
    for name in NAMES:
        old = getattr(before, name)
        may: list[object] = [old]
        if name in given:
            what = worth(name, given[name])
            if what is Worth.NONE:
                continue
            may = [given[name]] if whole else [old, given[name]]
            may += [] if what is Worth.TAKEN else [getattr(DEFAULTS, name)]
        value = said.get(name)
        if number(value) is None or value not in may:
            found[name] = f"{name} is {' or '.join(f'{each!r}' for each in may)}"
    if whole and given and not found and call.result.get("accepted") is not True:
        found = dict.fromkeys(given, "tunables that are in force are said to be accepted")
    return found
