"""Chooses scenarios of which each covers something that no other does, and writes down what may be answered to it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from random import Random
from types import ModuleType
from typing import Any, NamedTuple

import msgspec

from harness.core.clause import Level
from harness.core.digest import sha256_of
from harness.core.finding import CheckVerdict, Finding
from harness.core.history import History
from harness.core.scenario import Scenario
from harness.core.seed import derive
from harness.explore import plain
from harness.explore.coverage import Feature, features, refused, struck_by
from harness.systems import registry
from harness.targets.player import play
from harness.targets.session import Session

POOL = 6  # candidates played for each scenario asked for
SMALLEST_POOL = 30
MANY = 3  # faults of one scenario, beyond which its id does not name them
ROUNDS = 3  # pools played before fewer than asked for are given


class Wish(msgspec.Struct, frozen=True):
    """What to look for: so many scenarios of a profile, with these faults.

    With ``calm`` some have none, and none has a fault that may rightly end differently each time. With ``plain`` all
    faults are files that a reader without windtunnel can make, and the first two scenarios are the two sides in calm
    weather.
    """

    profile: str
    faults: tuple[str, ...]
    count: int
    seed: int
    calm: bool = True
    plain: bool = False


class Played(NamedTuple):
    """A candidate, and what playing it against the reference covered."""

    scenario: Scenario
    history: History
    findings: tuple[Finding, ...]
    covers: frozenset[Feature]


class Generated(NamedTuple):
    """What came of a wish.

    ``refused`` names the faults that could not be proven here with the reason; ``red`` are scenarios in which the
    reference itself failed (a defect of ours); ``unsteady`` counts candidates that did not end twice the same.
    """

    chosen: tuple[Scenario, ...]
    tried: int
    refused: Mapping[str, str]
    red: tuple[Scenario, ...]
    unsteady: int


class Chooser:
    """Plays candidates in one session and keeps what adds something."""

    def __init__(self, system: registry.System, session: Session, wish: Wish) -> None:
        self._system = system
        self._session = session
        self._wish = wish
        self.room: ModuleType = import_module(f"{system.workload.__name__}.candidates")
        self._covered: set[Feature] = set()
        self.tried = 0
        self._met: set[str] = set()
        self._lost: dict[str, str] = {}
        self.red: list[Scenario] = []
        self.unsteady = 0

    @property
    def refused(self) -> dict[str, str]:
        """The faults that no candidate could prove, and why."""
        without = self.room.without_place(self._wish.profile, self._wish.faults)
        found = {name: reason for name, reason in self._lost.items() if name not in self._met}
        return {**dict.fromkeys(without, f"nothing for it to strike in the profile {self._wish.profile}"), **found}

    def pool(self, stream: Iterator[Scenario], size: int) -> list[Played]:
        """The next candidates of the stream that the reference passes, played."""
        found: list[Played] = []
        for _ in range(size):
            candidate = next(stream, None)
            if candidate is None:
                break
            played = self.played(named(candidate, derive(self._wish.seed, self.tried)))
            self.tried += 1
            if self._wish.plain and plain.rendered(played.scenario, self._system) is None:
                continue
            lost = refused(played.scenario, played.history)
            self._met |= {name for name in struck_by(played.scenario) if name not in lost}
            self._lost |= lost
            if not lost and self.is_green(played):
                found.append(played)
        return found

    def controls(self) -> list[Scenario]:
        """The two sides in calm weather; elsewhere every scenario brings its own, but a reader sees only the end."""
        pool = [self.played(named(each, self._wish.seed)) for each in self.room.controls(self._wish.profile)]
        for played in pool:
            self._covered |= played.covers
        return [self.written(played) for played in pool if self.is_green(played)]

    def played(self, scenario: Scenario) -> Played:
        """One run, judged."""
        history = play(scenario, self._session, self._system.inputs_of)
        findings = self._system.judge(scenario, history, self._system.catalogue)
        return Played(scenario, history, findings, features(history, findings, self.room.unsteady))

    def is_green(self, played: Played) -> bool:
        """Does the reference pass it? One it fails twice is kept in ``red``, one it fails once is counted."""
        if not _fails(played):
            return True
        again = self.played(played.scenario)
        if _fails(again):
            failed = tuple(f.clause for f in again.findings if f.verdict is CheckVerdict.FAIL)
            self.red.append(msgspec.structs.replace(played.scenario, clauses=failed))
        else:
            self.unsteady += 1
        return False

    def written(self, played: Played) -> Scenario:
        """The scenario with the clauses it is for, its title, and the results allowed."""
        witnessed = {each.clause for each in played.covers}
        must = [clause.id for clause in self._system.catalogue if clause.level is Level.MUST]
        meant = self.room.meant(played.scenario)
        return msgspec.structs.replace(
            played.scenario,
            title=self.room.title(played.scenario)[:200],
            clauses=tuple(name for name in must if name in witnessed and name in meant),
            allowed=allowed(self._system, played.scenario, played.history),
        )

    def choose(self, pool: list[Played], count: int) -> list[Scenario]:
        """At most ``count`` of the pool, the one that adds most first; what was looked at leaves the pool."""
        chosen: list[Scenario] = []
        while pool and len(chosen) < count:
            best = max(pool, key=self._gain)  # the earliest of equals
            new = best.covers - self._covered
            if not new:
                break
            pool.remove(best)
            again = self.played(best.scenario)
            if again.covers != best.covers:
                self.unsteady += 1
                continue
            self._covered |= new
            chosen.append(self.written(best))
        return chosen

    def _gain(self, played: Played) -> tuple[int, int]:
        new = played.covers - self._covered
        pairs = {(each.clause, each.fault) for each in self._covered}
        return len({(each.clause, each.fault) for each in new} - pairs), len(new)


def generate(
    system: registry.System, session: Session, wish: Wish, stopped: Callable[[], bool] = lambda: False
) -> Generated:
    """Scenarios for that wish, found by playing candidates in ``session``, which is the reference's.

    The same wish finds the same scenarios wherever the same faults can be put in place. Fewer than asked for come
    back when candidates stop adding anything.
    """
    chooser = Chooser(system, session, wish)
    rng = Random(derive(wish.seed, "generate", system.name, wish.profile))  # noqa: S311 - has to be repeatable
    # what strikes while an operation runs may rightly end differently each time; only who names it gets it
    faults = [name for name in wish.faults if not (wish.calm and chooser.room.unsteady(name))]
    stream = chooser.room.candidates(wish.profile, rng, faults, calm=wish.calm)
    chosen = chooser.controls()[: wish.count] if wish.plain else []
    pool: list[Played] = []
    for _ in range(ROUNDS):
        if stopped() or len(chosen) >= wish.count:
            break
        pool += chooser.pool(stream, max(SMALLEST_POOL, POOL * wish.count))
        chosen += chooser.choose(pool, wish.count - len(chosen))
    return Generated(tuple(chosen), chooser.tried, chooser.refused, tuple(chooser.red), chooser.unsteady)


def allowed(system: registry.System, scenario: Scenario, history: History) -> tuple[Mapping[str, Any], ...]:
    """The decisive fields of every result that the documents let the last operation have."""
    room = import_module(f"{system.workload.__name__}.candidates")

    def permitted(alternatives: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
        return system.permitted(scenario, history, system.catalogue, alternatives)

    found: tuple[Mapping[str, Any], ...] = room.allowed(scenario, permitted)
    return found


def named(candidate: Scenario, seed: int) -> Scenario:
    """The candidate with an id of its content: the fault's chance hangs on it, so it comes before the first run."""
    # as it will be read from its file, where a whole number of seconds is a fraction
    candidate = msgspec.json.decode(msgspec.json.encode(candidate), type=Scenario)
    content = sha256_of([candidate.profile, candidate.group, candidate.world, candidate.steps, seed])[:8]
    names = dict.fromkeys(step.fault.name for step in candidate.steps if step.fault is not None)
    words = [name.replace(".", "-").replace("_", "-") for name in names]
    if len(words) > MANY:
        words = [f"{len(words)}-faults"]  # the id is a file's name, which may not be long
    view = candidate.profile.rpartition("_")[2]
    level = ["l2"] if candidate.level == "L2" else []
    name = "-".join([view, *level, "found", *words, content])
    return msgspec.structs.replace(candidate, id=name, seed=seed % 2**31)


def _fails(played: Played) -> bool:
    return any(finding.verdict is CheckVerdict.FAIL for finding in played.findings)
