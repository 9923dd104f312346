"""Known deviations: clauses that an implementation is known to break, each with a reason, so that CI tells what is new.

A baseline certifies nothing. A deviation that is gone has to be taken out of it, and so has a clause that no run
judges.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from harness.core.clause import Catalogue, Level
from harness.core.document import parse_yaml
from harness.core.verdict import EXIT_CODES, ClauseVerdict, Outcome, SystemResult
from harness.errors import FileFormatError, UsageError

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
        data = path.read_bytes()
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
    baseline: Baseline, outcome: Outcome, catalogues: tuple[Catalogue, ...], systems: Mapping[str, SystemResult]
) -> Compared:
    """The run beside that baseline. What broke, or was ended, keeps its exit code."""
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
    unknown = any(
        verdicts.get(clause.id) is ClauseVerdict.NOT_ESTABLISHED and clause.level is Level.MUST
        for catalogue in catalogues
        for clause in catalogue
    )
    return found._replace(exit_code=EXIT_CODES[Outcome.INCONCLUSIVE if unknown else Outcome.CONFORMANT])
