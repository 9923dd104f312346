"""What a person reads of a rule that a simulation broke, once it is shrunk; its script is written."""

import shlex
from collections.abc import Iterator
from pathlib import Path

from harness.report.files import write_whole
from harness.simulation.rules import RULES
from harness.simulation.script import written
from harness.simulation.shrinking import Shrunk

SHOWN = 10  # incidents


def shrunk_lines(rule: str, found: Shrunk | None, report: Path, targets: tuple[str, ...] = ()) -> Iterator[str]:
    """The smallest case that breaks ``rule``; ``targets`` are the systems that were exchanged, as they were given."""
    if found is None:
        yield f"{rule} did not come again when it was played once more, or was not shrunk before the end"
        return
    path = report / f"{rule}.yaml"
    write_whole(path, written(found.case, rule))
    count = len(found.case.incidents)
    yield (
        f"{rule}, shrunk to {count} incident{'' if count == 1 else 's'}, "
        f"broken at event {found.event}, in {found.tries} tries: {RULES[rule].says}"
    )
    for incident in found.case.incidents[:SHOWN]:
        yield f"    {incident.who}: {incident.kind} {incident.number}, {incident.what}"
    if count > SHOWN:
        yield f"    and {count - SHOWN} more, in {path}"
    exchanged = [word for target in targets for word in ("--target", target)]
    yield f"  replay  {shlex.join(['windtunnel', 'simulate', '--script', str(path), *exchanged])}"
