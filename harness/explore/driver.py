"""What a state machine drives: every step it draws is played at once, and judged at once."""

from typing import Protocol

import msgspec

from harness.core.clause import Level
from harness.core.digest import canonical, sha256_of
from harness.core.finding import CheckVerdict
from harness.core.history import History
from harness.core.scenario import FORMAT, Scenario, Step, World
from harness.systems import registry
from harness.targets.player import Player
from harness.targets.session import Reply, Session


class ViolationError(AssertionError):
    """A step broke a MUST clause; ``scenario`` holds the steps up to it."""

    def __init__(self, scenario: Scenario, clause: str, expected: str, observed: str) -> None:
        self.scenario = scenario
        self.clause = clause
        steps = f"{len(scenario.steps)} step{'s' if len(scenario.steps) != 1 else ''}"
        super().__init__(
            f"{clause} after {steps}: expected {expected}; observed {observed}. "
            f"Save the scenario below and run `windtunnel replay FILE`."
        )


class Driver(Protocol):
    """Where a machine's steps go."""

    def begin(self, world: World, group: str | None = None) -> None:
        """A fresh world; forgets the steps before."""
        ...

    def take(self, step: Step) -> list[Reply]:
        """Plays and judges one step; ViolationError when it breaks a MUST clause."""
        ...


class JudgingDriver:
    """Plays in a session and asks the system's oracle after every operation.

    ``scenario`` is the case under way, ``begun`` counts the cases, ``smallest`` is the smallest that broke a clause.
    """

    def __init__(self, system: registry.System, session: Session, profile: str, seed: int) -> None:
        self._system = system
        self._session = session
        self._profile = profile
        self._seed = seed
        self._player: Player | None = None
        self.scenario: Scenario | None = None
        self.begun = 0
        self.slow: ViolationError | None = None  # a violation that took a time-out to see
        self.smallest: Scenario | None = None

    def begin(self, world: World, group: str | None = None) -> None:
        """See Driver.begin."""
        self.begun += 1
        self.scenario = Scenario(
            format=FORMAT,
            id="search",
            title="Found by search",
            system=self._system.name,
            profile=self._profile,
            clauses=(),
            world=world,
            steps=(),
            seed=self._seed,
            group=group,
        )
        self._player = Player(self.scenario, self._session, self._system.inputs_of)
        self._player.begin()

    def take(self, step: Step) -> list[Reply]:
        """See Driver.take."""
        if self.scenario is None or self._player is None:
            raise RuntimeError("begin comes before take")
        self.scenario = msgspec.structs.replace(self.scenario, steps=(*self.scenario.steps, step))
        replies = self._player.take(step)
        if replies and not (step.op is not None and step.op.name == "reset"):
            self._judge(self.scenario, self._player.history(), replies)
        return replies

    def _judge(self, scenario: Scenario, history: History, replies: list[Reply]) -> None:
        catalogue = self._system.catalogue
        for finding in self._system.judge(scenario, history, catalogue):
            if finding.verdict is CheckVerdict.FAIL and catalogue[finding.clause].level is Level.MUST:
                named = msgspec.structs.replace(
                    scenario,
                    id=f"found-{finding.clause.lower()}-{sha256_of(scenario)[:12]}",
                    title=f"Found by search: {finding.observed}"[:200],
                    clauses=(finding.clause,),
                )
                if self.smallest is None or _size(named) < _size(self.smallest):
                    self.smallest = named
                violation = ViolationError(named, finding.clause, finding.expected, finding.observed)
                if any(_timed_out(reply) for reply in replies):
                    self.slow = violation
                raise violation


def _size(scenario: Scenario) -> tuple[int, int]:
    return len(scenario.steps), len(canonical(scenario.steps))


def _timed_out(reply: Reply) -> bool:
    return reply.value.get("timed_out") is True or reply.value.get("reason") == "timed_out"
