"""A scenario of L3 that is played again: every variant of it, after it was played as it is."""

from collections.abc import Iterator
from typing import NamedTuple

from harness.certify.flaky import confirmed
from harness.core.finding import CheckVerdict, Finding
from harness.core.history import History
from harness.core.scenario import Scenario
from harness.explore.playing import play
from harness.explore.sweep import swept
from harness.systems import registry
from harness.targets.session import Session

SHOWN = 5  # failing variants


class Variants(NamedTuple):
    """How many were played, what passed in some of them, and those in which clauses failed twice.

    ``doubts`` are those that failed once and not again, or say nothing, a sentence each. ``refused``: why none could be
    played here, else "".
    """

    played: int = 0
    passed: frozenset[str] = frozenset()
    failing: tuple[tuple[Scenario, tuple[Finding, ...]], ...] = ()
    doubts: tuple[str, ...] = ()
    refused: str = ""

    def lines(self) -> Iterator[str]:
        """What is said of them."""
        if self.refused:
            yield f"variants: none played: {self.refused}"
            return
        yield f"variants: {self.played} played, {len(self.failing)} failing"
        for variant, findings in self.failing[:SHOWN]:
            clauses = ", ".join(finding.clause for finding in findings)
            yield f"FAIL          {clauses}  {variant.id}: {variant.title}"
            for finding in findings:
                yield f"  expected: {finding.expected}"
                yield f"  observed: {finding.observed}"
        if len(self.failing) > SHOWN:
            yield f"and {len(self.failing) - SHOWN} more"
        for doubt in self.doubts:
            yield f"INCONCLUSIVE  {doubt}"


def variants_of(scenario: Scenario, session: Session, system: registry.System) -> Variants:
    """Every variant of ``scenario``, played against ``session``; of orders up to the first that fails."""
    if refused := session.unexplorable():
        return Variants(refused=refused)
    judged: list[tuple[Finding, ...]] = []

    def judge(variant: Scenario, history: History) -> tuple[str, ...]:
        judged.append(system.judge(variant, history, system.catalogue))
        return tuple(finding.clause for finding in _failed(judged[-1]))

    failing, doubts = [], []
    for variant, clauses, untold in swept(scenario, session, system.inputs_of, judge):
        if untold:
            doubts.append(f"{variant.id}: {untold}")
        if variant is scenario or not clauses:
            continue
        first, again = (
            system.judge(variant, play(variant, session, system.inputs_of), system.catalogue) for _ in range(2)
        )
        if found := _failed(confirmed(first, again)):
            failing.append((variant, found))
        else:
            doubts.append(f"{variant.id}: failed once and not again: {', '.join(clauses)}")
    passed = {found.clause for findings in judged for found in findings if found.verdict is CheckVerdict.PASS}
    return Variants(len(judged) - 1, frozenset(passed), tuple(failing), tuple(doubts))


def _failed(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    return tuple(finding for finding in findings if finding.verdict is CheckVerdict.FAIL)
