"""What ``windtunnel certify --baseline`` says of a run beside what is known of its target."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from rich.console import Console

from harness.certify.baseline import Baseline, Compared, compared, load
from harness.certify.events import Event, RunFinished
from harness.core.clause import Catalogue
from harness.errors import UsageError
from harness.report.files import laid_out, write_whole
from harness.report.text import escape_line
from harness.systems import registry
from harness.targets.target_file import closest

FILE = "baseline.json"


class Beside:
    """Takes the end of a run, and says how it stands beside the baseline."""

    def __init__(self, baseline: Baseline, directory: Path, catalogues: Sequence[Catalogue]) -> None:
        self._baseline = baseline
        self._directory = directory
        self._catalogues = tuple(catalogues)
        self.found: Compared | None = None

    def handle(self, event: Event) -> None:
        """See Handler.handle."""
        if isinstance(event, RunFinished):
            self.found = compared(self._baseline, event.outcome, self._catalogues, event.systems, event.explored)
            write_whole(self._directory / FILE, laid_out(msgspec.to_builtins(self.found._asdict())))

    def close(self) -> None:
        """See Handler.close."""

    def told(self, console: Console, code: int) -> int:
        """Says it, and gives the exit code; that of the run where it came to no end."""
        if self.found is None:
            return code
        for line in _lines(self.found, self._baseline):
            console.print(line, soft_wrap=True)
        return self.found.exit_code


def _lines(found: Compared, baseline: Baseline) -> Iterator[str]:
    for clause in found.new:
        yield f"[bold red]new deviation[/] {clause}: it is not in the baseline"
    for clause in found.unexpected:
        yield f"[bold red]unexpected pass[/] {clause}: it conforms now; take it out of the baseline"
    for clause in found.stale:
        yield f"[bold red]stale[/] {clause}: this run has no verdict on it; take it out of the baseline"
    for clause in found.known:
        yield f"known deviation {clause}: {escape_line(baseline.deviations[clause])}"
    if found.holds:
        yield f"as the baseline says: {len(found.known)} known deviations; a baseline certifies nothing"
    if found.holds and found.exit_code:
        yield f"a baseline excuses no more than the deviations it lists, so the exit code is {found.exit_code}"


def known_deviations(path: Path) -> Baseline:
    """The baseline in that file; UsageError, with the nearest name, for an entry that is no clause of any system."""
    baseline = load(path)
    every = [clause.id for system in registry.every() for clause in system.catalogue]
    for clause in baseline.deviations:
        if clause not in every:
            near = closest(clause.upper(), every)
            hint = f"did you mean {near}?" if near else "`windtunnel list clauses` names them"
            raise UsageError(f"the baseline names {clause!r}, which is no clause; {hint}")
    return baseline
