"""Naming one file call of an operation so that it can be met again, and striking it there.

A site is the name of the call, its paths and which of that kind it is: thread numbers, cookies and times are not the
same twice. Where several processes of one run make the same call on the same path at once, which of them is the n-th
can change; a schedule fixes it.
"""

from collections import Counter
from collections.abc import Callable

import msgspec

from harness.faults.syscalls.answers import Answer, Call, Fail, Go, Torn
from harness.faults.syscalls.calls import Kind, errnos_of


class Site(msgspec.Struct, frozen=True):
    """The ``nth`` call (from 1) of that name on those paths within an operation; paths as ``hide`` writes them."""

    call: str
    paths: tuple[str, ...]
    nth: int = 1

    def text(self) -> str:
        """For people: ``openat({home}/state.json), 2nd time``."""
        again = "" if self.nth == 1 else f", time {self.nth}"
        return f"{self.call}({', '.join(self.paths)}){again}"


class Sites:
    """Counts the calls of one operation, so that each has its site."""

    def __init__(self, hide: Callable[[str], str] = str) -> None:
        self._hide = hide
        self._seen: Counter[tuple[str, tuple[str, ...]]] = Counter()

    def of(self, call: Call) -> Site:
        """The site of the next call; each call is asked for once, in order."""
        paths = tuple(self._hide(path) for path in call.paths)
        self._seen[call.name, paths] += 1
        return Site(call.name, paths, self._seen[call.name, paths])


class Recorder:
    """A decision that lets everything happen and remembers it: what there is to strike."""

    def __init__(self, hide: Callable[[str], str] = str) -> None:
        self._sites = Sites(hide)
        self.calls: list[tuple[Site, Call]] = []

    def __call__(self, call: Call) -> Answer:
        """See Supervisor."""
        self.calls.append((self._sites.of(call), call))
        return Go()

    def errnos(self) -> list[tuple[Site, str]]:
        """Every (site, errno that this call can meet), in order."""
        return [(site, name) for site, call in self.calls for name in errnos_of(call.name, call.flags)]


class Strike:
    """A decision that answers one site with ``answer`` and lets everything else happen; ``met`` is the call it met.

    A write that is refused for want of space is first cut short in the middle, and every later write to that file
    fails, as on a disk that is full.
    """

    def __init__(self, site: Site, answer: Answer, hide: Callable[[str], str] = str) -> None:
        self._sites = Sites(hide)
        self._site = site
        self._answer = answer
        self._full = False
        self.met: Call | None = None

    def __call__(self, call: Call) -> Answer:
        """See Supervisor."""
        site = self._sites.of(call)
        if self._full and call.kind is Kind.WRITE and self.met is not None and call.paths == self.met.paths:
            return self._answer
        if self.met is not None or site != self._site:
            return Go()
        self.met = call
        out_of_space = isinstance(self._answer, Fail) and self._answer.errno in ("ENOSPC", "EDQUOT")
        if out_of_space and call.kind is Kind.WRITE:
            self._full = True
            if call.length > 1:
                return Torn(call.length // 2, kill=False)
        return self._answer
