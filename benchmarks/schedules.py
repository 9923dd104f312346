"""How long it takes until every order of two real processes was run, and what one schedule costs over two bare runs."""

import os
import shutil
import sys
import time
from typing import Final

from benchmarks.measure import Figure
from harness.explore.races import Race, RaceReport, explore_races
from harness.sandbox import Ended, MakeDirectory, Run, Sandbox, SandboxPlan, base_environment, exposure_for

ROUNDS: Final = 5
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


def exhausted() -> list[tuple[str, Figure]]:
    """Seconds until check-then-touch by two processes was exhausted, in each language that is here."""
    figures = []
    commands = [words[0] for words in CHECK_THEN_TOUCH.values()]
    shown = exposure_for(commands, search=os.environ["PATH"], home="/", cwd="/", needs_harness=True)
    with Sandbox(SandboxPlan(exposed=shown.paths)) as box:
        for language, words in CHECK_THEN_TOUCH.items():
            if shutil.which(words[0]) is None:
                print(f"{language:<14} not on this machine")
                continue
            figures += _of(box, language, words)
    return figures


def _of(box: Sandbox, language: str, words: tuple[str, ...]) -> list[tuple[str, Figure]]:
    environment = base_environment(box.roots)

    def together(race: Race | None) -> list[Ended]:
        box.fresh()
        box.apply([MakeDirectory(STATE)])
        filters = [race.filter() if race else None for _ in range(2)]
        return box.run_together(
            [Run(argv=words, env=environment, cwd=STATE, timeout_s=60.0, filter=each) for each in filters]
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
    for _ in range(ROUNDS):
        took, report = explored()
        assert report.exhausted, report.cut
        assert report.failing, "the defect was not found"
        seconds.append(took)
        ratios.append(took / report.schedules / bare())
    counted = f"{report.schedules} schedules, {report.failing} of them bad"
    return [
        (language, Figure(tuple(seconds), "s", f"until every order was run: {counted}", "under 1 s")),
        (language, Figure(tuple(ratios), "", "one schedule : the same two runs bare", "told, none")),
    ]
