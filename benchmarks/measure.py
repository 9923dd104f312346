"""Two things measured in turn, and the ratio between them."""

import re
import statistics
from collections.abc import Callable, Sequence
from typing import NamedTuple

ROUNDS = 15
_BOUND = re.compile(r"(at most|under|at least) ([0-9,.]*[0-9])")


class Figure(NamedTuple):
    """Ratios (or seconds) of every round, what they mean, and the goal in words."""

    values: tuple[float, ...]
    unit: str
    meaning: str
    goal: str

    def line(self, name: str) -> str:
        """The figure on one line: median and quartiles."""
        low, middle, high = quartiles(self.values)
        spread = f"(quartiles {low:.3f} - {high:.3f}, {len(self.values)} rounds)"
        return f"{name:<8} {middle:7.3f}{self.unit} {spread}  {self.meaning}; goal {self.goal}"

    def reached(self) -> str:
        """``yes``, ``no`` when the median and the nearer quartile both miss the goal, else ``almost``; "" of none."""
        bound = _BOUND.search(self.goal)
        if bound is None:
            return ""
        limit = float(bound[2].replace(",", ""))
        low, middle, high = quartiles(self.values)
        sign, nearer = (1, high) if bound[1] == "at least" else (-1, low)
        if sign * middle >= sign * limit:
            return "yes"
        return "almost" if sign * nearer >= sign * limit else "no"


def quartiles(values: Sequence[float]) -> tuple[float, float, float]:
    """The lower quartile, the median and the upper quartile."""
    if len(values) == 1:
        return values[0], values[0], values[0]
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return low, middle, high


def ratios(first: Callable[[], float], second: Callable[[], float], rounds: int = ROUNDS) -> tuple[float, ...]:
    """``first`` / ``second`` in each round, after one round that does not count; each gives its own cost."""
    first()
    second()
    return tuple(first() / second() for _ in range(rounds))
