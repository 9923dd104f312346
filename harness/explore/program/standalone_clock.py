"""The part of a scenario's stand-alone script that moves the command's clock; see standalone_scenario."""

from __future__ import annotations

import glob
import os
import time
from collections.abc import Mapping
from typing import Any

from harness.explore.program.standalone_scenario import CASE, SHOWS, give_up

# --- cut here: what follows is put into the script ------------------------------------------------------------------


def moved_s(clock: Mapping[str, Any]) -> float:
    """By how much that clock is ahead of the machine's."""
    return float(clock["at_s"] - time.time() if "at_s" in clock else clock.get("moved_s", 0.0))


def library() -> str:
    """A copy of libfaketime that leaves sleeps alone: with its own, those of Python fail."""
    copy: str = CASE["base"] + "/libfaketime.so"
    if not os.path.exists(copy):
        found = [path for pattern in CASE["libraries"] for path in sorted(glob.glob(pattern))]
        if not found:
            give_up("the clock of a command is moved by libfaketime, which is not installed (apt-get install faketime)")
        with open(found[0], "rb") as file:
            data = file.read()
        with open(copy, "wb") as file:
            file.write(data.replace(b"\0clock_nanosleep\0", b"\0xlock_nanosleep\0", 1))
    return copy


def variables(clock: Mapping[str, Any]) -> dict[str, str]:
    """What a command is given so that it reads that clock."""
    return {
        "LD_PRELOAD": library(),
        "FAKETIME": f"{int(time.time())}" if clock.get("stands") else f"{moved_s(clock):+.6f}",
        "FAKETIME_FMT": "%s",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        "NO_FAKE_STAT": "1",
    }


SHOWS["moved"], SHOWS["clock"] = moved_s, variables
