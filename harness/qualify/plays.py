"""Playing a scenario to see what fails: as it is, or with every variant of what it explores."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from harness.core.finding import CheckVerdict
from harness.core.history import History
from harness.core.scenario import Scenario
from harness.explore.enumerated import explored_steps
from harness.explore.sweep import swept
from harness.systems import registry
from harness.targets.player import Player
from harness.targets.session import Reply, Session


class Played(NamedTuple):
    """A scenario, or one of its variants, the clauses that failed in it, and its history (None of an order)."""

    scenario: Scenario
    failed: Sequence[str]
    history: History | None


class Plays:
    """How the scenarios of one system are played for a mutant of ``clause``; ``first`` as for ``swept``."""

    def __init__(self, system: registry.System, clause: str, first: Sequence[str] = ()) -> None:
        self._system = system
        self._clause = clause
        self._first = first

    def of(self, scenario: Scenario, session: Session) -> Iterator[Played]:
        """The scenario, and each of its variants."""
        if not explored_steps(scenario):
            yield self._once(scenario, session)
            return
        histories: list[History] = []

        def judged(variant: Scenario, history: History) -> tuple[str, ...]:
            histories[:] = [history]
            return self.failed(variant, history)

        for each in swept(scenario, session, self._system.inputs_of, judged, first=self._first):
            is_order = any(step.schedule is not None and step.schedule.order for step in each.scenario.steps)
            yield Played(each.scenario, each.failed, None if is_order or not histories else histories[-1])

    def failed(self, scenario: Scenario, history: History) -> tuple[str, ...]:
        """The clauses that fail in that history."""
        findings = self._system.judge(scenario, history, self._system.catalogue)
        return tuple(finding.clause for finding in findings if finding.verdict is CheckVerdict.FAIL)

    def _once(self, scenario: Scenario, session: Session) -> Played:
        """Once an operation has hung, the clause may have failed already, and the rest is not waited for."""
        player = Player(scenario, session, self._system.inputs_of)
        player.begin()
        looked = False
        for step in scenario.steps:
            if any(map(_hung, player.take(step))) and not looked:
                looked = True
                failed = self.failed(scenario, player.history())
                if self._clause in failed:
                    return Played(scenario, failed, player.history())
        return Played(scenario, self.failed(scenario, player.history()), player.history())


def _hung(reply: Reply) -> bool:
    return reply.value.get("timed_out") is True or reply.value.get("reason") == "timed_out"
