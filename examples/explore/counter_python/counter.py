#!/usr/bin/env python3
"""How often an agent used each tool, in one JSON file.

counter.py count DIR TOOL              counts one use
counter.py check DIR TOOL=COUNT ...    fails when a tool has been used less often, as far as the file knows
"""

import json
import sys
from pathlib import Path


def load(file: Path) -> dict[str, int]:
    """The counts so far."""
    return json.loads(file.read_text("utf-8"))


def count(directory: str, tool: str) -> None:
    """Counts one use of the tool."""
    file = Path(directory, "tools.json")
    counts = load(file)
    counts[tool] = counts.get(tool, 0) + 1
    with file.open("w", encoding="utf-8") as out:
        json.dump(counts, out, indent=2)


def check(directory: str, *least: str) -> None:
    """Compares with counts that were reached before."""
    try:
        counts = load(Path(directory, "tools.json"))
    except (OSError, ValueError):
        sys.exit("The counts are lost.")
    for tool, number in (each.split("=") for each in least):
        if counts.get(tool, 0) < int(number):
            sys.exit(f"{tool} was used {number} times before, and is at {counts.get(tool, 0)}.")


if __name__ == "__main__":
    {"count": count, "check": check}[sys.argv[1]](*sys.argv[2:])
