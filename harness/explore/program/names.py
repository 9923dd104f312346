"""Names of files that differ from run to run (random, process ids, times), so that a call can be met again by its path.

Two runs of the same operation are laid beside each other: what differs between two names at the same place is ``*``.
"""

import re
from collections.abc import Iterable, Sequence

from harness.faults.syscalls import Call

_STAR = "*"
_WORD = re.compile(r"[A-Za-z0-9_]")


class Names:
    """Writes the paths of calls relative to ``below``, and changing names as patterns."""

    def __init__(self, below: str, stable: Iterable[str] = (), patterns: Iterable[str] = ()) -> None:
        self._below = below
        self.stable = frozenset(stable)
        self.patterns = tuple(patterns)
        self._known = [(re.compile(re.escape(text).replace(r"\*", "[^/]+")), text) for text in self.patterns]

    def __call__(self, path: str) -> str:
        """``path`` as sites and people write it."""
        short = "." if path == self._below else path.removeprefix(self._below + "/")
        if short == "." or short in self.stable:
            return short
        return next((text for pattern, text in self._known if pattern.fullmatch(short)), short)


def learned(below: str, first: Sequence[Call], second: Sequence[Call]) -> tuple[Names, bool]:
    """The names of an operation that was run twice, and whether both runs made the same calls."""
    plain = Names(below)
    left = [[plain(path) for path in call.paths] for call in first]
    right = [[plain(path) for path in call.paths] for call in second]
    stable = {path for paths in left for path in paths} & {path for paths in right for path in paths}
    alike = [call.name for call in first] == [call.name for call in second]
    patterns: dict[str, None] = {}
    if alike:
        for one, other in zip(left, right, strict=True):
            for a, b in zip(one, other, strict=False):
                if a not in stable and b not in stable and a != b:
                    patterns[pattern(a, b)] = None
    return Names(below, stable, patterns), alike


def pattern(first: str, second: str) -> str:
    """What two names have in common, with ``*`` for the rest; a star stands for whole words, as those can be alike."""
    return "/".join(
        a if a == b else _between(a, b) for a, b in zip(first.split("/"), second.split("/"), strict=False)
    ) + (_STAR if first.count("/") != second.count("/") else "")


def _between(first: str, second: str) -> str:
    start = 0
    while start < min(len(first), len(second)) and first[start] == second[start]:
        start += 1
    end = 0
    while end < min(len(first), len(second)) - start and first[-1 - end] == second[-1 - end]:
        end += 1
    while start and _WORD.match(first[start - 1]):
        start -= 1
    while end and _WORD.match(first[-end]):
        end -= 1
    return first[:start] + _STAR + first[len(first) - end :]
