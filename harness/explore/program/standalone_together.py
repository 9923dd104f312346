"""The part of a scenario's stand-alone script that runs calls at once, in one order; see standalone_scenario."""

from __future__ import annotations

import time
from typing import Any

from harness.explore.program.standalone_race import LOOK_S, Run, in_order
from harness.explore.program.standalone_scenario import CASE, SHOWS, Prepared
from harness.explore.program.standalone_struck import started
from harness.explore.program.standalone_supervisor import kill, shortened

# --- cut here: what follows is put into the script ------------------------------------------------------------------


def show_together(order: list[dict[str, Any]], prepared: list[Prepared]) -> list[tuple[int | None, bool]]:
    """All runs at once, in the order of the case; the exit code of each, and whether it had to be killed late."""
    CASE["short"] = shortened(CASE["base"])
    deadline = time.monotonic() + prepared[0].timeout_s
    runs = [Run(*started(each)) for each in prepared]
    while not all(run.held or run.over for run in runs) and time.monotonic() < deadline:
        for run in runs:
            run.look(LOOK_S)
    in_order(runs, order, deadline)
    while not all(run.over for run in runs) and time.monotonic() < deadline:
        for run in runs:
            while run.held:
                run.held.pop(0).answer()
            run.look(LOOK_S)
    ends = [(run.code, not run.over) for run in runs]
    for run in runs:
        kill(run.pid)
    return ends


SHOWS["together"] = show_together
