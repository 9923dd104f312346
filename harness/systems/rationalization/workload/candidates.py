"""Candidates for scenarios nobody wrote down: texts, reasons, one fault and time, put together by chance."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, Final

import msgspec

from harness.core.scenario import Operation, Scenario, Step
from harness.systems.rationalization.workload.enforcing_boundaries import PROCEEDS, STOPPED
from harness.systems.rationalization.workload.fault_rows import PLACES
from harness.systems.rationalization.workload.mentioned_boundaries import LONGER, MENTIONED
from harness.systems.rationalization.workload.said_boundaries import CLAUSE_OF
from harness.systems.rationalization.workload.watch_steps import (
    AGENT,
    ANY,
    ENFORCED,
    EXCUSE,
    MENTIONS,
    NEUTRAL,
    OTHER_AGENT,
    PHRASED,
    PROTOCOL,
    Allowed,
    Story,
    calm,
    scenario,
)
from harness.systems.search import Search, one

MOST_ACTIONS: Final = 6  # before the fault, and after it
# what every implementation witnesses that survives, whichever permitted reading it takes
CLAUSES: Final = (*PHRASED, PROTOCOL)
CALM_CLAUSES: Final = (*PHRASED, *ENFORCED)
SAID: Final = tuple(CLAUSE_OF)
JOINED: Final = (" ", "\n", "\n\n", ". ", "; ", "\n- ", "\n\n> ", "\r\n")


def controls(profile: str) -> tuple[Scenario, ...]:
    """The two sides in calm weather: who stops everything, or nothing, fails one of them."""
    del profile
    return candidate(calm().enforce(EXCUSE), STOPPED), candidate(calm().enforce(NEUTRAL), PROCEEDS)


def candidate(story: Story, allowed: Allowed = ()) -> Scenario:
    """The story as a scenario without id, title and clauses."""
    struck = any(step.fault for step in story.steps)
    made = scenario("", "", (), story, allowed, level="L2" if struck else "L1")
    return msgspec.structs.replace(made, id="candidate")


def allowed(scenario: Scenario, permitted: Callable[[Sequence[Mapping[str, Any]]], Any]) -> Allowed:
    """What the last operation may end in: what the candidate says."""
    del permitted
    return scenario.allowed or ANY


def composed_text(rng: Random) -> str:
    """Some phrases that are said or mentioned, longer words, and words of no interest, one after the other."""
    parts = []
    for _ in range(rng.randrange(1, 5)):
        phrase = one(rng, SAID)
        kind = rng.randrange(6)
        mention = one(rng, tuple(MENTIONED.values()))
        parts.append((phrase, phrase.upper(), mention(phrase), one(rng, LONGER), NEUTRAL, f"({phrase})")[kind])
    return one(rng, JOINED).join(parts)


def _described(operation: Operation) -> str:
    about = (operation.args.get(field) for field in ("text", "agent"))
    return " ".join([operation.name, *(each[:40].replace("\n", " ") for each in about if isinstance(each, str))])


class _Chance:
    """A story by chance: texts that are looked through, and given as reasons."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self.story = calm()

    def go_on(self) -> None:
        """A few more things happen."""
        for _ in range(self._rng.randrange(1, MOST_ACTIONS)):
            self._one_thing()

    def _one_thing(self) -> None:
        story, rng = self.story, self._rng
        match rng.randrange(5):
            case 0:
                story.later(one(rng, (0.001, 61.0, 86460.0)))
            case 1:
                story.attempts(rng.randrange(2))
            case 2:
                story.scan(composed_text(rng), has_output=bool(rng.randrange(2)))
            case _:
                agent = one(rng, (AGENT, OTHER_AGENT))
                story.enforce(composed_text(rng), agent, has_output=bool(rng.randrange(2)))


def _composed(rng: Random, name: str | None) -> Scenario:
    chance = _Chance(rng)
    chance.go_on()
    if name is not None:
        chance.story.take(Step(fault=one(rng, PLACES.of(name))))
        chance.story.enforce().attempts()
    chance.go_on()
    story = chance.story.attempts()
    if rng.randrange(2):
        return candidate(story.enforce(f"{one(rng, SAID)}."), STOPPED)
    return candidate(story.enforce(one(rng, (NEUTRAL, MENTIONS))), PROCEEDS)


SEARCH: Final = Search(PLACES, _composed, _described, struck=CLAUSES, calm=CALM_CLAUSES)
candidates, meant, title = SEARCH.candidates, SEARCH.meant, SEARCH.title
unsteady, without_place = SEARCH.unsteady, PLACES.without
