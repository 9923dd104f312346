"""The part of a scenario's stand-alone script that strikes a file call; see standalone_scenario."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from harness.explore.program.standalone_scenario import CASE, SHOWS, Prepared, give_up
from harness.explore.program.standalone_supervisor import Strike, shortened, start, wait

# --- cut here: what follows is put into the script ------------------------------------------------------------------


def started(run: Prepared) -> tuple[int, int]:
    """Start a run under the filter, with its streams where they belong: its process id and the listener."""
    kept = os.dup(1)
    with open(run.event + ".out", "wb") as stdout:
        os.dup2(stdout.fileno(), 1)
        try:
            return start(run.words, run.env, run.event)
        finally:
            os.dup2(kept, 1)
            os.close(kept)


def show_struck(strike: Mapping[str, Any], run: Prepared) -> tuple[int | None, bool]:
    """One file call refused, or everything killed there; the exit code, and whether it had to be killed late."""
    CASE["timeout_s"] = run.timeout_s
    CASE["short"] = shortened(CASE["base"])
    decide = Strike(strike)
    ended = wait(*started(run), decide)
    if not decide.met:
        give_up("the command did not make the file call that the case is about")
    return ended


SHOWS["struck"] = show_struck
