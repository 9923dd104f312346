"""``python -m benchmarks`` prints every figure; with names, as in ``FIGURES``, only those.

With ``--page FILE`` first, they are written there, too.
"""

import subprocess
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path

from benchmarks import (
    breaker,
    by_hand,
    certify,
    crash_states,
    diagnosis,
    error_log,
    faults,
    fleet,
    hook,
    hosts,
    machine,
    phases,
    queues,
    scan,
    scenarios,
    schedules,
    shards,
    simulation,
    stdio,
    supervisor,
)
from benchmarks.measure import Figure
from benchmarks.page import page
from harness.errors import MachineError

FIGURES: dict[str, Callable[[], Figure | list[tuple[str, Figure]]]] = {
    "hook": hook.case_over_start,
    "transcripts": hook.transcripts,
    "sandbox": hook.sandboxed_over_bare,
    "machine": machine.reference_over_twin,
    "faults": faults.arming,
    "shim": faults.shim,
    "certify": certify.seconds,
    "first": fleet.first_verdict,
    "jobs": fleet.two_jobs,
    "shards": shards.costs,
    "dask": shards.dask,
    "memory": fleet.memory,
    "warm": fleet.warm_start,
    "decision": breaker.decisions,
    "record": breaker.record,
    "logged": error_log.logged,
    "crash_states": crash_states.rate,
    "threads": crash_states.threads,
    "schedules": schedules.exhausted,
    "sweep": by_hand.call_sweep,
    "supervisor": supervisor.starts,
    "stdio": stdio.operations,
    "diagnosis": diagnosis.seconds,
    "memories": diagnosis.memories,
    "review": queues.review,
    "claims": queues.claims,
    "scan": scan.scanned,
    "scenarios": scenarios.rates,
    "phases": phases.runs,
    "planning": phases.planning,
    "hosts": hosts.sessions,
    "simulation": simulation.hours,
    "checking": simulation.checking,
}


def main(names: list[str]) -> int:
    """Prints the figures named, or all; 1 when one could not be measured, which is told."""
    place = Path(names[1]) if names[:1] == ["--page"] and len(names) > 1 else None
    names = names if place is None else names[2:]
    unknown = [name for name in names if name not in FIGURES]
    if unknown:
        print(f"there is no figure {unknown[0]!r}; there are: {', '.join(FIGURES)}", file=sys.stderr)
        return 2
    measured: list[tuple[str, Figure]] = []
    missing: dict[str, str] = {}
    for name in names or FIGURES:
        try:
            found = FIGURES[name]()
        except (MachineError, subprocess.CalledProcessError) as error:
            missing[name], found = str(error), []
            print(f"{name} was not measured: {error}", file=sys.stderr, flush=True)
        for label, figure in found if isinstance(found, list) else [(name, found)]:
            print(figure.line(label), flush=True)
            measured.append((label, figure))
        if place is not None:  # after each, so that an hour's work outlasts an interrupt
            place.write_text(page(measured, missing, date.today()), "utf-8")  # noqa: DTZ011 - the day where it was measured
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
