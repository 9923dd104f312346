"""How systems roll up to the outcome of a run. Pure. Source: CERTIFICATION.md, "Exit codes"."""

from collections.abc import Iterable, Mapping, Sequence

from harness.core import chaos
from harness.core.clause import Catalogue, Level
from harness.core.verdict import ClauseVerdict, Outcome, SystemResult


def outcome_of(catalogues: Iterable[Catalogue], systems: Mapping[str, SystemResult]) -> Outcome:
    """The outcome of a run that came to its end: conformant when every level of its scope was reached."""
    verdicts: set[ClauseVerdict] = set()
    for catalogue in catalogues:
        for clause in catalogue:
            if clause.level is Level.MUST:
                verdicts.add(systems[catalogue.system].clauses[clause.id].verdict)
    if ClauseVerdict.DEVIATES in verdicts or _breaks_rules(systems):
        return Outcome.NONCONFORMANT
    levels = [level for result in systems.values() for level in result.levels.values()]
    if not levels or not all(level.reached for level in levels):
        return Outcome.INCONCLUSIVE
    return Outcome.CONFORMANT


def outcome_of_some(
    clauses: Sequence[str], catalogues: Iterable[Catalogue], systems: Mapping[str, SystemResult]
) -> Outcome:
    """The outcome of a run that was asked for these clauses only; a MUST that deviates counts all the same."""
    verdicts = {clause: found.verdict for result in systems.values() for clause, found in result.clauses.items()}
    must = (clause.id for catalogue in catalogues for clause in catalogue if clause.level is Level.MUST)
    decisive = {*clauses, *must}
    if any(verdicts[clause] is ClauseVerdict.DEVIATES for clause in decisive) or _breaks_rules(systems):
        return Outcome.NONCONFORMANT
    asked = {verdicts[clause] for clause in clauses}
    return Outcome.CONFORMANT if asked == {ClauseVerdict.CONFORMS} else Outcome.INCONCLUSIVE


def _breaks_rules(systems: Mapping[str, SystemResult]) -> bool:
    """Does a system break a rule of a simulation that holds with the reference in its place? It needs no clause."""
    return any(chaos.blamed(result.simulated) for result in systems.values())
