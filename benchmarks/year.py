"""``python -m benchmarks.year``: is the memory of a simulation flat over a year of virtual time?"""

import sys
from typing import Final

import psutil

from harness.simulation.session import HOME
from harness.simulation.simulation import Plan, Simulation
from harness.simulation.systems import Assembly
from harness.simulation.virtual_time import days

DAYS: Final = 365
EVERY: Final = 30  # days between two looks
MOST: Final = 1.25  # of what it was when a third was over: until then the names fill up that are kept of what has ended


def main(length: int) -> int:
    """Prints the memory month by month; 1 when it grows, or a rule is broken."""
    simulation = Simulation(Plan(length, 4, 1, "hostile"), Assembly(HOME, seed=1))
    process, seen = psutil.Process(), list[tuple[int, float]]()

    def look(*_event: object) -> None:
        day = simulation.elapsed // days(1)
        if day >= EVERY * (len(seen) + 1):
            seen.append((day, process.memory_info().rss / 2**20))
            print(f"day {day:>4}: {seen[-1][1]:7.1f} MiB, {simulation.events:>10,} events", flush=True)

    simulation.watchers.append(look)
    simulation.run()
    first = seen[max(0, len(seen) // 3 - 1)][1]
    print(
        f"rules broken: {dict(simulation.broken) or 'none'}; {seen[-1][1] / first:.2f} times the memory, at most {MOST}"
    )
    return int(bool(simulation.broken) or seen[-1][1] > MOST * first)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else DAYS))
