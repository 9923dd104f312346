"""Providers of models as scripts: what each attempt comes to, and how long it takes, from a seed."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final, NamedTuple

from harness.ports.launcher import Ended
from harness.simulation.incidents import WHOLE, Fate
from harness.simulation.profiles import Profile, Spells
from harness.simulation.trouble import Fork
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
PROVIDER: Final = "provider"  # the kind of incident: how an attempt ends, and which of its texts
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

    def draw(self, at: int, chance: Chance) -> str:
        """What an attempt that begins at that time, in ticks, meets with."""
        profile = self._profile
        down, limited, slow = self._down.holds(at), self._limited.holds(at), self._slow.holds(at)
        if down:
            return f"down {chance.below(len(_DOWN))}"
        if limited or chance.per_mille(profile.limited_share):
            return f"limited {chance.below(len(_LIMITED))}"
        if (slow and chance.per_mille(500)) or chance.per_mille(profile.lost_share):
            return "killed" if chance.per_mille(200) else "silent"
        if chance.per_mille(profile.undone_share):
            return f"undone {chance.below(len(_UNDONE))}"
        return WHOLE


class Providers:
    """All providers; the models of a session are called at one each. ``forks`` change the weather."""

    def __init__(self, names: Mapping[str, str], profile: Profile, seed: int, forks: tuple[Fork, ...] = ()) -> None:
        self._weathers = tuple(
            (fork.at, {name: Provider(name, profile, fork.seed) for name in dict.fromkeys(names.values())})
            for fork in (Fork(0, seed), *forks)
        )

    def answer(self, name: str, at: int, timeout_s: float, fate: Fate, chance: Chance) -> Answer:
        """What an attempt that begins at that time comes to; a provider that nobody knows cannot be called."""
        by_name = next(providers for begin, providers in reversed(self._weathers) if begin <= at)
        if name not in by_name:
            return Answer(Ended("not_started", 0, f"there is no provider {name}"), ticks(1))
        return _answer(fate.meets(PROVIDER, partial(by_name[name].draw, at)), timeout_s, chance)


def _answer(what: str, timeout_s: float, chance: Chance) -> Answer:
    word, _, number = what.partition(" ")
    if word == "down":
        ended, cause = _DOWN[int(number)]
        return Answer(ended, chance.seconds(1, 8), cause)
    if word == "limited":
        return Answer(Ended("exit", 1, _LIMITED[int(number)]), chance.seconds(1, 2), ErrorType.RATE_LIMITED.value)
    if word == "killed":
        return Answer(_KILLED, chance.seconds(1, 60))
    if word == "silent":
        return Answer(Ended("timeout", 0, f"no end within {timeout_s:g} s"), ticks(timeout_s), ErrorType.TIMEOUT.value)
    if word == "undone":
        return Answer(Ended("exit", 1, _UNDONE[int(number)]), chance.seconds(10, 240))
    return Answer(_DONE, chance.seconds(5, 120))
