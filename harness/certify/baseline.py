"""Known deviations: clauses that an implementation is known to break, each with a reason, so that CI tells what is new.

A baseline certifies nothing. A deviation that is gone has to be taken out of it, and so has a clause that no run
judges. What else keeps a run from its end or a level, it does not excuse.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from harness.certify.explored import Explored
from harness.core import chaos
from harness.core.clause import Catalogue, Level
from harness.core.document import parse_yaml
from harness.core.verdict import EXIT_CODES, ClauseVerdict, Outcome, SystemResult
from harness.errors import FileFormatError, UsageError
from harness.ports.named_file import read_named

FORMAT = 1
SHORTEST = 8  # characters of a reason


class Baseline(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of a baseline file: the deviations that are known, clause to reason."""

    format: int
    deviations: Mapping[str, str]


class Compared(NamedTuple):
    """A run beside its baseline.

    Clauses that deviate and are ``known``, that are ``new``; of the known ones those that conform (``unexpected``) and
    those without such a verdict (``stale``); and the exit code it comes to.
    """

    known: tuple[str, ...]
    new: tuple[str, ...]
    unexpected: tuple[str, ...]
    stale: tuple[str, ...]
    exit_code: int

    @property
    def holds(self) -> bool:
        """Is all as the baseline says?"""
        return not (self.new or self.unexpected or self.stale)


def load(path: Path) -> Baseline:
    """The baseline in that file. UsageError when it cannot be read, FileFormatError when it is none."""
    try:
        data = read_named(path)
    except OSError as error:
        raise UsageError(f"cannot read the baseline {path}: {error.strerror}") from error
    try:
        found = msgspec.convert(parse_yaml(data), Baseline)
    except (msgspec.ValidationError, ValueError) as error:
        raise FileFormatError(f"{path} is no baseline: {error}") from error
    if found.format != FORMAT:
        raise FileFormatError(f"{path} has format {found.format}; this version reads format {FORMAT}")
    for clause, reason in found.deviations.items():
        if len(reason.strip()) < SHORTEST:
            raise FileFormatError(f"{path} gives no reason for {clause}; say in a few words why it deviates")
    return found


def compared(
    baseline: Baseline,
    outcome: Outcome,
    catalogues: tuple[Catalogue, ...],
    systems: Mapping[str, SystemResult],
    explored: Sequence[Explored] = (),
) -> Compared:
    """The run beside that baseline, which excuses the deviations it lists and nothing else."""
    verdicts = {id_: found.verdict for result in systems.values() for id_, found in result.clauses.items()}
    deviating = [id_ for id_, verdict in verdicts.items() if verdict is ClauseVerdict.DEVIATES]
    known = tuple(id_ for id_ in deviating if id_ in baseline.deviations)
    new = tuple(id_ for id_ in deviating if id_ not in baseline.deviations)
    unexpected = tuple(id_ for id_ in baseline.deviations if verdicts.get(id_) is ClauseVerdict.CONFORMS)
    stale = tuple(
        id_ for id_ in baseline.deviations if verdicts.get(id_) not in (ClauseVerdict.CONFORMS, ClauseVerdict.DEVIATES)
    )
    found = Compared(known, new, unexpected, stale, EXIT_CODES[outcome])
    if outcome not in (Outcome.CONFORMANT, Outcome.NONCONFORMANT, Outcome.INCONCLUSIVE):
        return found
    if not found.holds:
        return found._replace(exit_code=EXIT_CODES[Outcome.NONCONFORMANT])
    if outcome is not Outcome.NONCONFORMANT:
        return found
    must = [clause.id for catalogue in catalogues for clause in catalogue if clause.level is Level.MUST]
    unknown = any(verdicts.get(id_) is ClauseVerdict.NOT_ESTABLISHED for id_ in must)
    return found._replace(exit_code=EXIT_CODES[_excused(known, systems.values(), explored, unknown=unknown)])


def _excused(
    known: Collection[str], systems: Iterable[SystemResult], explored: Iterable[Explored], *, unknown: bool
) -> Outcome:
    """What a run that is not conformant comes to without its known deviations."""
    results = tuple(systems)
    for result in results:
        for _, broken in chaos.blamed(result.simulated):
            if not set(known) & set(broken.rests_on):  # it breaks a rule, whatever its clauses say
                return Outcome.NONCONFORMANT
    hides = any(_hides(result, known) for result in results) or any(each.cut for each in explored)
    return Outcome.INCONCLUSIVE if unknown or hides else Outcome.CONFORMANT


def _hides(result: SystemResult, known: Collection[str]) -> bool:
    """Is there a level that more than the known deviations keep it from?"""
    missed = [level for level in result.levels.values() if not level.reached]
    if any(not level.open or set(level.open) - set(known) for level in missed):
        return True
    # a level that an earlier one stops does not say whether its simulations came to their end
    others = [
        msgspec.structs.replace(each, seeds=tuple(played for played in each.seeds if not played.is_blamed))
        for each in result.simulated
    ]
    return chaos.stop(others, (), ()) is not None
