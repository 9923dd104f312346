"""Faults in combination: every pair once in few rows.

By allpairspy, whose rows are close to the fewest there are. It is checked here, as with a filter it may stop while
pairs are open: what it left is added. It keeps every row's items for the life of the process; that is emptied.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

import msgspec
from allpairspy import AllPairs, pairs_storage

Value = TypeVar("Value")
Row = dict[str, Value]
Allowed = Callable[[Mapping[str, Value]], bool]


class Pairs(msgspec.Struct, Generic[Value], frozen=True):
    """Rows with one value for each parameter. ``open`` are the pairs in no row, since no row with them is allowed.

    ``number`` counts all pairs of values of two parameters, those in ``open`` too.
    """

    rows: tuple[Row[Value], ...]
    number: int
    open: tuple[tuple[tuple[str, Value], tuple[str, Value]], ...]


def pairwise(parameters: Mapping[str, Sequence[Value]], allowed: Allowed[Value] = lambda _row: True) -> Pairs[Value]:
    """Rows in which each two values of two parameters meet at least once, where ``allowed`` permits it.

    ``allowed`` is asked about whole rows and about rows that are not filled yet; of the latter it must refuse only what
    no filling can mend. Values of one parameter differ. Same parameters: same rows.
    """
    names = list(parameters)
    rows = [dict(zip(names, row, strict=True)) for row in _greedy(parameters, allowed)]
    wanted = _pairs_of(parameters)
    for row in rows:
        wanted.difference_update(_met(row, parameters))
    left = []
    for pair in sorted(wanted):
        if pair in wanted:
            filled = _filled(pair, parameters, allowed)
            if filled is None:
                left.append(pair)
            else:
                rows.append(filled)
                wanted.difference_update(_met(filled, parameters))
    number = sum(len(parameters[one]) * len(parameters[other]) for one, other in itertools.combinations(names, 2))
    return Pairs(tuple(rows), number, tuple(_told(pair, parameters) for pair in left))


_Cell = tuple[int, int]  # the parameter and the value, by their positions
_Pair = tuple[_Cell, _Cell]


def _greedy(parameters: Mapping[str, Sequence[Value]], allowed: Allowed[Value]) -> list[list[Value]]:
    names = list(parameters)
    if len(names) < 2:
        single = [[value] for values in parameters.values() for value in values]
        return [row for row in single if allowed(dict(zip(names, row, strict=True)))]

    def fits(values: Sequence[int]) -> bool:
        return allowed({name: parameters[name][value] for name, value in zip(names, values, strict=False)})

    # positions instead of values: its rows compare values, and ours need not be comparable
    try:
        found = list(AllPairs([list(range(len(parameters[name]))) for name in names], filter_func=fits))
    finally:
        pairs_storage.key_cache.clear()
    return [[parameters[name][value] for name, value in zip(names, row, strict=True)] for row in found]


def _pairs_of(parameters: Mapping[str, Sequence[Value]]) -> set[_Pair]:
    sizes = [len(values) for values in parameters.values()]
    return {
        ((one, value), (other, second))
        for one, other in itertools.combinations(range(len(sizes)), 2)
        for value in range(sizes[one])
        for second in range(sizes[other])
    }


def _met(row: Mapping[str, Value], parameters: Mapping[str, Sequence[Value]]) -> Iterator[_Pair]:
    cells = [(position, parameters[name].index(row[name])) for position, name in enumerate(parameters)]
    return itertools.combinations(cells, 2)


def _filled(pair: _Pair, parameters: Mapping[str, Sequence[Value]], allowed: Allowed[Value]) -> Row[Value] | None:
    names = list(parameters)
    fixed = {names[position]: parameters[names[position]][value] for position, value in pair}

    def fill(row: Row[Value], rest: list[str]) -> Row[Value] | None:
        row = {name: row[name] for name in names if name in row}
        if not allowed(row):
            return None
        if not rest:
            return row
        for value in parameters[rest[0]]:
            filled = fill({**row, rest[0]: value}, rest[1:])
            if filled is not None:
                return filled
        return None

    return fill(fixed, [name for name in names if name not in fixed])


def _told(pair: _Pair, parameters: Mapping[str, Sequence[Value]]) -> tuple[tuple[str, Value], tuple[str, Value]]:
    names = list(parameters)
    (one, value), (other, second) = pair
    return (names[one], parameters[names[one]][value]), (names[other], parameters[names[other]][second])
