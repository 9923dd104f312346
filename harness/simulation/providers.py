"""Providers of models as scripts: what each attempt comes to, and how long it takes, from a seed."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from harness.ports.launcher import Ended
from harness.simulation.profiles import Profile, Spells
from harness.simulation.virtual_time import Chance, ticks
from harness.systems.diagnosis.contract import ErrorType

_LIMITED = (
    "HTTP 429: Too Many Requests",
    "HTTP 429: rate limit exceeded, try again later",
    "Error: Rate-limit reached for this organisation",
)
_DOWN = (
    (Ended("exit", 1, "HTTP 503: Service Unavailable"), ""),  # of which document 001 has no type
    (Ended("exit", 1, "HTTP 529: overloaded"), ""),
    (Ended("not_started", 111, "Connection refused"), ErrorType.NETWORK_ERROR.value),
)
_UNDONE = ("2 tests fail", "the patch does not apply", "the linter complains")
_DONE = Ended("exit", 0, "done")
_KILLED = Ended("signal", 9, "")


class Answer(NamedTuple):
    """How an attempt ends, after so many ticks; ``cause`` is the type of its failure where only one is right."""

    ended: Ended
    after: int
    cause: str = ""


class Spell:
    """When it holds, from the beginning of time on; asked with times that never go back."""

    def __init__(self, spells: Spells | None, chance: Chance) -> None:
        self._spans = _spans(spells, chance)
        self._begin, self._end = next(self._spans)

    def holds(self, at: int) -> bool:
        """Does it hold at that time, in ticks?"""
        while at >= self._end:
            self._begin, self._end = next(self._spans)
        return at >= self._begin


def _spans(spells: Spells | None, chance: Chance) -> Iterator[tuple[int, int]]:
    begin = 0
    while spells is not None:
        begin += chance.around(spells.every_s)
        end = begin + chance.seconds(spells.low_s, spells.high_s)
        yield begin, end
        begin = end
    never = 1 << 62
    while True:
        yield never, never + 1


class Provider:
    """One provider in its weather."""

    def __init__(self, name: str, profile: Profile, seed: int) -> None:
        self._profile = profile
        self._limited = Spell(profile.limited, Chance(seed, "limited", name))
        self._down = Spell(profile.down, Chance(seed, "down", name))
        self._slow = Spell(profile.slow, Chance(seed, "slow", name))

    def answer(self, at: int, timeout_s: float, chance: Chance) -> Answer:
        """What an attempt that begins at that time, in ticks, comes to."""
        profile = self._profile
        down, limited, slow = self._down.holds(at), self._limited.holds(at), self._slow.holds(at)
        if down:
            ended, cause = _DOWN[chance.below(len(_DOWN))]
            return Answer(ended, chance.seconds(1, 8), cause)
        if limited or chance.per_mille(profile.limited_share):
            ended = Ended("exit", 1, _LIMITED[chance.below(len(_LIMITED))])
            return Answer(ended, chance.seconds(1, 2), ErrorType.RATE_LIMITED.value)
        if (slow and chance.per_mille(500)) or chance.per_mille(profile.lost_share):
            if chance.per_mille(200):
                return Answer(_KILLED, chance.seconds(1, 60))
            ended = Ended("timeout", 0, f"no end within {timeout_s:g} s")
            return Answer(ended, ticks(timeout_s), ErrorType.TIMEOUT.value)
        if chance.per_mille(profile.undone_share):
            return Answer(Ended("exit", 1, _UNDONE[chance.below(len(_UNDONE))]), chance.seconds(10, 240))
        return Answer(_DONE, chance.seconds(5, 180))


class Providers:
    """All providers; the models of a session are called at one each."""

    def __init__(self, names: Mapping[str, str], profile: Profile, seed: int) -> None:
        self._by_name = {name: Provider(name, profile, seed) for name in dict.fromkeys(names.values())}

    def answer(self, name: str, at: int, timeout_s: float, chance: Chance) -> Answer:
        """See Provider.answer; a provider that nobody knows cannot be called."""
        if name not in self._by_name:
            return Answer(Ended("not_started", 0, f"there is no provider {name}"), ticks(1))
        return self._by_name[name].answer(at, timeout_s, chance)
