"""``python -m benchmarks`` prints every figure; with names, as in ``FIGURES``, only those."""

import sys
from collections.abc import Callable

from benchmarks import (
    breaker,
    certify,
    crash_states,
    diagnosis,
    error_log,
    faults,
    hook,
    hosts,
    machine,
    phases,
    queues,
    scan,
    scenarios,
    schedules,
    simulation,
    stdio,
    supervisor,
)
from benchmarks.measure import Figure

FIGURES: dict[str, Callable[[], Figure | list[tuple[str, Figure]]]] = {
    "hook": hook.case_over_start,
    "sandbox": hook.sandboxed_over_bare,
    "machine": machine.reference_over_twin,
    "faults": faults.arming,
    "shim": faults.shim,
    "certify": certify.seconds,
    "decision": breaker.decisions,
    "record": breaker.record,
    "logged": error_log.logged,
    "crash_states": crash_states.rate,
    "threads": crash_states.threads,
    "schedules": schedules.exhausted,
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
    """Prints the figures named, or all."""
    unknown = [name for name in names if name not in FIGURES]
    if unknown:
        print(f"there is no figure {unknown[0]!r}; there are: {', '.join(FIGURES)}", file=sys.stderr)
        return 2
    for name in names or FIGURES:
        found = FIGURES[name]()
        for label, figure in found if isinstance(found, list) else [(name, found)]:
            print(figure.line(label))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
