"""What simulations say of a system that stood in them, and how far that keeps it from L4. Pure.

Source: CERTIFICATION.md, "Levels": L4 is the whole system simulated with combined faults for N virtual days; for one
system: it exchanged, the others reference.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec


class RuleBroken(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A rule that did not hold in a simulation: what it says, the clauses it rests on, how often it was broken.

    ``event`` is the number of the first event that broke it; ``replay`` the command that plays the same to there.
    """

    rule: str
    says: str
    rests_on: tuple[str, ...]
    times: int
    event: int
    replay: str


class SeedPlayed(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One simulation: its seed, the digest of its events, how many there were, and the questions put, by operation.

    ``unanswered`` questions had no answer; ``cut`` says why it did not come to its end, "" when it did. ``broken`` are
    the rules that did not hold in it, nor when it was played again; ``flaky`` those that held then. ``control`` are
    those that the reference in its place breaks under this seed: empty when all hold, None when that was not played.
    """

    seed: int
    digest: str
    events: int
    sessions: int
    questions: Mapping[str, int]
    unanswered: int = 0
    cut: str = ""
    broken: tuple[RuleBroken, ...] = ()
    flaky: tuple[str, ...] = ()
    control: tuple[str, ...] | None = None

    @property
    def is_blamed(self) -> bool:
        """Is what is broken the system's own doing? The reference in its place holds every rule."""
        return bool(self.broken) and self.control == ()


class Simulated(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """All simulations of one system in one profile: how it was reached, how long they are, in which weather.

    ``rules`` are all that were watched; ``held`` those that no seed broke. ``spared`` says what of the weather does not
    reach it, a sentence each.
    """

    profile: str
    carrier: str
    days: int
    agents: int
    weather: str
    seeds: tuple[SeedPlayed, ...]
    rules: tuple[str, ...]
    held: tuple[str, ...]
    spared: tuple[str, ...] = ()


class Stop(NamedTuple):
    """What keeps a system from L4: a sentence, and its clauses that a broken rule rests on."""

    reason: str
    clauses: tuple[str, ...] = ()


def blamed(simulated: Sequence[Simulated]) -> tuple[tuple[SeedPlayed, RuleBroken], ...]:
    """The broken rules that are the system's own doing, each once, with the first seed that breaks it."""
    found: dict[str, tuple[SeedPlayed, RuleBroken]] = {}
    for each in simulated:
        for played in each.seeds:
            for broken in played.broken if played.is_blamed else ():
                found.setdefault(broken.rule, (played, broken))
    return tuple(found.values())


def failing(simulated: Sequence[Simulated]) -> dict[str, str]:
    """Each clause that a broken rule rests on, whosever it is, with the sentence that says which rule."""
    found: dict[str, str] = {}
    for played, broken in blamed(simulated):
        for clause in broken.rests_on:
            found.setdefault(clause, _said(played, broken))
    return found


def stop(simulated: Sequence[Simulated], profiles: Sequence[str], bound: Sequence[str]) -> Stop | None:
    """What keeps a system that is judged in ``profiles`` from L4, None when nothing does.

    ``bound`` are the clauses that bind it.
    """
    for played, broken in blamed(simulated):
        return Stop(_said(played, broken), tuple(id_ for id_ in broken.rests_on if id_ in bound))
    for profile in profiles:
        if not any(each.profile == profile and each.seeds for each in simulated):
            return Stop(f"nothing was simulated in profile {profile}")
    for each in simulated:
        for played in each.seeds:
            why = _undecided(played)
            if why:
                return Stop(f"{why} (profile {each.profile}, seed {played.seed})")
    return None


def within(simulated: Sequence[Simulated]) -> str:
    """The bound within which L4 is reached, for at least one simulation."""
    first = simulated[0]
    text = (
        f"{_many(first.days, 'virtual day')} of {_many(first.agents, 'agent')} in {first.weather} weather under "
        f"{_many(len(first.seeds), 'seed')}"
    )
    spared = tuple(dict.fromkeys(sentence for each in simulated for sentence in each.spared))
    return f"{text}; not simulated for it: {'; '.join(spared)}" if spared else text


def _undecided(played: SeedPlayed) -> str:
    if played.broken:
        return f"{played.broken[0].rule} is broken, and whose doing that is was not shown"
    if played.flaky:
        return f"{played.flaky[0]} was broken, and held when the same was played again: flaky"
    if played.cut:
        return f"the simulation was cut: {played.cut}"
    if not sum(played.questions.values()):
        return "it was never asked anything, so its simulation shows nothing"
    return ""


def _said(played: SeedPlayed, broken: RuleBroken) -> str:
    times = "once" if broken.times == 1 else f"{broken.times:,} times"
    return (
        f"{broken.rule} is broken {times} in the simulation of seed {played.seed}, and holds with the reference in its "
        f"place: {broken.says} ({', '.join(broken.rests_on)})"
    )


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
