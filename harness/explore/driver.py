"""What a state machine drives: every step it draws is played at once, and the whole case judged at its end."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol

import msgspec

from harness.core.clause import Level
from harness.core.digest import canonical, sha256_of
from harness.core.fault import Fault
from harness.core.finding import CheckVerdict, Finding
from harness.core.history import History
from harness.core.scenario import FORMAT, Explore, Scenario, Schedule, Step, World
from harness.explore import schedules
from harness.explore.learning import faults_at_calls
from harness.explore.playing import head_of, play, race
from harness.explore.races import Race
from harness.systems import registry
from harness.targets.file_calls import is_supervised
from harness.targets.player import NO_HEAD, Head, Player
from harness.targets.session import Reply, Session

Observe = Callable[[Scenario, History], None]
_AT_CALLS: Final = Step(explore=Explore(("errno", "killed", "torn")))


class ViolationError(AssertionError):
    """A case broke a MUST clause; ``scenario`` holds its steps."""

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

    def strikes_calls(self) -> bool:
        """Can operations be struck at their file calls here, and be made in a chosen order of these?"""
        ...

    def faults_at_calls(self, world: World, *steps: Step) -> tuple[Fault, ...]:
        """Faults at the file calls that the last of ``steps`` makes in that world when nothing stands against it.

        Learnt by playing it before a case begins; the same answer to the same question ever after.
        """
        ...

    def begin(self, world: World, group: str | None = None) -> None:
        """A fresh world; forgets the steps before."""
        ...

    def take(self, step: Step) -> list[Reply]:
        """Plays one step. Of operations begun together ``order`` is a wish: which goes, of those that can."""
        ...

    def end(self) -> None:
        """Judges the case; ViolationError when it broke a MUST clause. A machine calls this from its teardown."""
        ...


class JudgingDriver:
    """Plays in a session and asks the system's oracle at the end of a case, which costs a tenth of asking at each step.

    ``scenario`` is the case under way, ``begun`` counts the cases, ``smallest`` is the smallest that broke a clause.
    """

    def __init__(
        self, system: registry.System, session: Session, profile: str, seed: int, observe: Observe | None = None
    ) -> None:
        self._system = system
        self._observe = observe  # told of every case up to the first that breaks a clause: shrinking repeats that one
        self._session = session
        self._profile = profile
        self._seed = seed
        self._player: Player | None = None
        self._learnt: dict[str, tuple[Fault, ...]] = {}
        self._races: list[tuple[schedules.Schedule, Race]] = []  # of the case under way
        self.scenario: Scenario | None = None
        self.begun = 0
        self.shrunk = 0  # of these, how many after one broke a clause
        self.slow: ViolationError | None = None  # a violation that took a time-out to see
        self.smallest: Scenario | None = None

    def strikes_calls(self) -> bool:
        """See Driver.strikes_calls."""
        return not self._session.unexplorable()

    def faults_at_calls(self, world: World, *steps: Step) -> tuple[Fault, ...]:
        """See Driver.faults_at_calls."""
        if not self.strikes_calls():
            return ()
        known = sha256_of([world, steps])
        if known not in self._learnt:
            scenario = self._scenario(world, (*steps[:-1], _AT_CALLS, steps[-1]))
            self._learnt[known] = faults_at_calls(scenario, self._session, self._system.inputs_of)
        return self._learnt[known]

    def begin(self, world: World, group: str | None = None) -> None:
        """See Driver.begin."""
        self.begun += 1
        self.shrunk += self.smallest is not None
        self._races.clear()
        self.scenario = self._scenario(world, (), group)
        self._player = self._begun(self.scenario)

    def _begun(self, scenario: Scenario, head: Head = NO_HEAD) -> Player:
        player = Player(scenario, self._session, self._system.inputs_of, self._ordered, head)
        player.begin()
        return player

    def _scenario(self, world: World, steps: Sequence[Step], group: str | None = None) -> Scenario:
        return Scenario(
            format=FORMAT,
            id="search",
            title="Found by search",
            system=self._system.name,
            profile=self._profile,
            clauses=(),
            world=world,
            steps=tuple(steps),
            seed=self._seed,
            group=group,
        )

    def _ordered(self, session: Session, schedule: Schedule) -> Race:
        order = schedules.leaning(schedule.order or ())
        self._races.append((order, race(session, schedule, order)))
        return self._races[-1][1]

    def take(self, step: Step) -> list[Reply]:
        """See Driver.take."""
        if self.scenario is None or self._player is None:
            raise RuntimeError("begin comes before take")
        steps = self.scenario.steps
        taken, self.scenario = self.scenario, msgspec.structs.replace(self.scenario, steps=(*steps, step))
        if is_supervised(self.scenario) and not is_supervised(taken):
            self._player = self._supervised(self.scenario, self._player.history())
        replies = self._player.take(step)
        if step.schedule is not None and step.schedule.order is not None:
            # the wish says less than what became of it
            made = Schedule(step.schedule.together, self._races[-1][0].choices)
            self.scenario = msgspec.structs.replace(self.scenario, steps=(*steps, Step(step.process, schedule=made)))
        return replies

    def _supervised(self, scenario: Scenario, history: History) -> Player:
        """The case so far once more, by processes whose file calls are notified: as a replay of all of it begins.

        Notified they would be from here on otherwise, by new processes, which remember nothing of what came before.
        """
        steps = scenario.steps[:-1]
        head = head_of(scenario, len(steps), history)
        player = self._begun(scenario, head)
        for step in steps[head.steps :]:
            player.take(step)
        return player

    def end(self) -> None:
        """See Driver.end."""
        said_nothing = any(race.trouble for _, race in self._races)
        if self.scenario is not None and self._player is not None and self.scenario.steps and not said_nothing:
            self._judge(self.scenario, self._player.history())

    def fails(self, scenario: Scenario) -> bool:
        """Does ``scenario``, found to break its one clause, still do so when it is played again?"""
        history = play(scenario, self._session, self._system.inputs_of)
        findings = self._system.judge(scenario, history, self._system.catalogue)
        return any(finding.clause in scenario.clauses and finding.verdict is CheckVerdict.FAIL for finding in findings)

    def _judge(self, scenario: Scenario, history: History) -> None:
        catalogue = self._system.catalogue
        if self._observe is not None and self.smallest is None:
            self._observe(scenario, history)
        for finding in self._system.judge(scenario, history, catalogue):
            if finding.verdict is CheckVerdict.FAIL and catalogue[finding.clause].level is Level.MUST:
                named = named_after(scenario, finding)
                # of the same size the later one: Hypothesis shrinks towards simpler values
                if self.smallest is None or _size(named) <= _size(self.smallest):
                    self.smallest = named
                violation = ViolationError(named, finding.clause, finding.expected, finding.observed)
                if any(_timed_out(entry.value) for entry in history.entries):
                    self.slow = violation
                raise violation


def named_after(scenario: Scenario, finding: Finding) -> Scenario:
    """``scenario`` with the clause and title of what was found in it."""
    title = f"Found by search: {finding.observed}"[:200]
    return with_own_id(msgspec.structs.replace(scenario, title=title, clauses=(finding.clause,)))


def with_own_id(scenario: Scenario) -> Scenario:
    """``scenario`` with an id of its clause and content: the same world and steps get the same id."""
    content = sha256_of([scenario.world, scenario.steps, scenario.seed])[:12]
    return msgspec.structs.replace(scenario, id=f"found-{scenario.clauses[0].lower()}-{content}")


def _size(scenario: Scenario) -> tuple[int, int]:
    return len(scenario.steps), len(canonical(scenario.steps))


def _timed_out(value: Mapping[str, Any]) -> bool:
    return value.get("timed_out") is True or value.get("reason") == "timed_out"
