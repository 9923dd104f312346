"""The call-site sweep: an operation is run once to learn its calls, then once for each fault of each call."""

from collections.abc import Callable, Iterator
from typing import Final

import msgspec

from harness.explore.in_process.boundary import Boundary
from harness.explore.in_process.calls import Call, Numbered, Site, errnos
from harness.explore.in_process.originals import exists
from harness.explore.in_process.subject import Subject, ended
from harness.explore.new_names import MadeUp, Namer, NewNames
from harness.faults.syscalls.calls import Kind
from harness.faults.syscalls.supervisor import Answer, Fail, Go, Kill, Torn

KILLED: Final = "killed"
_FULL: Final = {"ENOSPC", "EDQUOT"}  # what a disk says on every further write


class Strike(msgspec.Struct, frozen=True):
    """One fault at one call: an errno, or ``killed`` before it; ``torn`` bytes of a write are done first."""

    site: Site
    fault: str
    torn: int | None = None

    def __str__(self) -> str:
        first = "" if self.torn is None else f" after {self.torn} bytes"
        return f"{self.fault}{first} at {self.site}"


class Struck(msgspec.Struct, frozen=True):
    """A strike after which the operation, or what it left, was not sound."""

    strike: Strike
    complaint: str


class Swept(msgspec.Struct, frozen=True):
    """What a sweep did. ``unfired`` strikes never met their call: nothing was tested there."""

    sites: tuple[Site, ...]
    strikes: int
    failures: tuple[Struck, ...]
    unfired: tuple[Strike, ...]


class _Learner(Numbered):
    def __init__(self, name: Callable[[str], str]) -> None:
        super().__init__(name)
        self.met: list[tuple[Site, Call]] = []

    def before(self, call: Call) -> Answer:
        self.met.append((self.site(call), call))
        return Go()


class Striker(Numbered):
    """Lets one fault strike; ``fired`` tells whether it did. A disk that is full stays full for every later write."""

    def __init__(self, strike: Strike, name: Callable[[str], str] = str) -> None:
        super().__init__(name)
        self._strike = strike
        self._full = False
        self.fired = False

    def before(self, call: Call) -> Answer:
        """The fault, if this is its call."""
        if self._full and call.kind in (Kind.WRITE, Kind.COPY) and call.length:
            return Fail(self._strike.fault)
        if self.fired or self.site(call) != self._strike.site:
            return Go()
        self.fired = True
        self._full = self._strike.fault in _FULL and call.kind is Kind.WRITE
        if self._strike.torn is not None:
            return Torn(self._strike.torn, kill=self._strike.fault == KILLED)
        return Kill() if self._strike.fault == KILLED else Fail(self._strike.fault)


def strikes(site: Site, call: Call, *, kill: bool = True) -> Iterator[Strike]:
    """Every fault of a call: each errno it can return, death before it, and of a write short ones too."""
    for name in errnos(call):
        yield Strike(site, name)
        if call.kind is Kind.WRITE and name in _FULL and call.length > 1:
            yield Strike(site, name, torn=call.length // 2)
    if kill:
        yield Strike(site, KILLED)
        if call.kind is Kind.WRITE and call.length > 1:
            yield Strike(site, KILLED, torn=call.length // 2)


def sweep(boundary: Boundary, subject: Subject, *, kill: bool = False) -> Swept:
    """Strikes each call of the operation with each fault, every time on a fresh directory.

    Deaths are left to the crash states, which are more, unless ``kill``. A short write is a true one: half of the
    bytes are written, and the next write is told that the disk is full. Judged too is the run without a fault.
    """
    made_up = MadeUp()
    ended(boundary, subject, _Learner(_names(boundary, made_up)))  # what it makes up is another name the second time
    learner = _Learner(_names(boundary, made_up))
    calm = subject.judge(ended(boundary, subject, learner))
    failures = [Struck(Strike(Site("nothing", (), 0), "no fault"), calm)] if calm else []
    unfired = []
    number = 0
    for site, call in learner.met:
        for strike in strikes(site, call, kill=kill):
            number += 1
            striker = Striker(strike, _names(boundary, MadeUp(made_up.slots)))
            complaint = subject.judge(ended(boundary, subject, striker))
            if not striker.fired:
                unfired.append(strike)
            elif complaint:
                failures.append(Struck(strike, complaint))
    return Swept(tuple(site for site, _ in learner.met), number, tuple(failures), tuple(unfired))


def _names(boundary: Boundary, made_up: MadeUp) -> Callable[[str], str]:
    """Writes the paths of one run: names that the operation makes up (``tempfile``) as they are in every run."""
    prefix = boundary.directory + "/"
    names = NewNames(made_up, (boundary.directory,), lambda path: path.removeprefix(prefix))
    namer = Namer("0", (), exists)

    def name(path: str) -> str:
        names.identity(prefix + path, namer)
        return names.text(path)

    return name
