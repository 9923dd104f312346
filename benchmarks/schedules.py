"""How long it takes until every order of two real processes was run, and what one schedule costs over two bare runs.

And what a person would do otherwise: begin both at once, again and again, until they meet.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from typing import Final, NamedTuple

from benchmarks.measure import Figure
from harness.explore.races import Race, RaceReport, explore_races
from harness.sandbox import Ended, MakeDirectory, Run, Sandbox, SandboxPlan, base_environment, exposure_for

ROUNDS: Final = 5
PATIENCE: Final = 200  # attempts of a person
STATE: Final = "{home}/state"
# one of two may take it; each looks first, and then takes it
CHECK_THEN_TOUCH: Final[dict[str, tuple[str, ...]]] = {
    "python": (
        sys.executable,
        "-I",
        "-S",
        "-c",
        "import os\nif not os.path.exists('sem'):\n    open('sem', 'w').close()\n    print('got')",
    ),
    "node": (
        "node",
        "-e",
        "const fs=require('fs');if(!fs.existsSync('sem')){fs.writeFileSync('sem','');console.log('got')}",
    ),
    "bash": ("bash", "-c", "if [ ! -e sem ]; then : >sem; echo got; fi"),
}
Pair = tuple[tuple[str, ...], tuple[str, ...]]
PAIRS: Final[dict[str, Pair]] = {
    **{language: (words, words) for language, words in CHECK_THEN_TOUCH.items()},
    # the second looks when the first has long been there: by chance they hardly meet
    "apart": (
        CHECK_THEN_TOUCH["python"],
        (*CHECK_THEN_TOUCH["python"][:-1], "import asyncio\n" + CHECK_THEN_TOUCH["python"][-1]),
    ),
}


def exhausted() -> list[tuple[str, Figure]]:
    """Seconds until check-then-touch by two processes was exhausted, in each language that is here."""
    figures = []
    commands = [words[0] for words in CHECK_THEN_TOUCH.values()]
    shown = exposure_for(commands, search=os.environ["PATH"], home="/", cwd="/", needs_harness=True)
    with Sandbox(SandboxPlan(exposed=shown.paths)) as box:
        for name, pair in PAIRS.items():
            if shutil.which(pair[0][0]) is None:
                print(f"{name:<14} not on this machine")
                continue
            figures += _of(box, name, pair)
    return figures


def _of(box: Sandbox, name: str, pair: Pair) -> list[tuple[str, Figure]]:
    environment = base_environment(box.roots)

    def together(race: Race | None) -> list[Ended]:
        box.fresh()
        box.apply([MakeDirectory(STATE)])
        return box.run_together(
            [
                Run(argv=words, env=environment, cwd=STATE, timeout_s=60.0, filter=race.filter() if race else None)
                for words in pair
            ]
        )

    def judge(ends: list[Ended]) -> str:
        return "" if sum(end.stdout == b"got\n" for end in ends) == 1 else "both got it"

    def explored() -> tuple[float, RaceReport]:
        begun = time.perf_counter()
        report = explore_races(together, judge, below=(box.roots.resolve(STATE),))
        return time.perf_counter() - begun, report

    def bare() -> float:
        begun = time.perf_counter()
        together(None)
        return time.perf_counter() - begun

    explored()
    seconds: list[float] = []
    ratios: list[float] = []
    stressed: list[Stress] = []
    for _ in range(ROUNDS):
        took, report = explored()
        assert report.exhausted, report.cut
        assert report.failing, "the defect was not found"
        seconds.append(took)
        ratios.append(took / report.schedules / bare())
        stressed.append(_stress(pair))
    counted = f"{report.schedules} schedules, {report.failing} of them bad"
    found = sum(stress.found for stress in stressed)
    otherwise = f"both begun at once until both got it (in {found} of {ROUNDS} rounds; given up after {PATIENCE} times)"
    return [
        (name, Figure(tuple(seconds), "s", f"until every order was run: {counted}", "under 1 s")),
        (name, Figure(tuple(ratios), "", "one schedule : the same two runs bare", "told, none")),
        (
            f"{name}-stress",
            Figure(
                tuple(stress.seconds / took for stress, took in zip(stressed, seconds, strict=True)),
                "",
                f"{otherwise} : every order run",
                "told, none",
            ),
        ),
    ]


class Stress(NamedTuple):
    """How long it took, and whether the defect showed itself in the end."""

    seconds: float
    found: bool


def _stress(pair: Pair) -> Stress:
    begun = time.perf_counter()
    for _ in range(PATIENCE):
        with tempfile.TemporaryDirectory() as folder:
            both = [subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE) for words in pair]
            said = [process.communicate()[0] for process in both]
            if said == [b"got\n"] * 2:
                return Stress(time.perf_counter() - begun, found=True)
    return Stress(time.perf_counter() - begun, found=False)
