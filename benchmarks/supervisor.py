"""What a program pays for a supervisor of its file calls: a start under one : a bare start in the same sandbox."""

import os
import shutil
import sys
import time
from functools import partial
from pathlib import Path

import msgspec

from benchmarks.measure import Figure, ratios
from harness.faults.syscalls import Go, Supervisor
from harness.faults.syscalls.calls import FILE_CALLS
from harness.sandbox import Run, Sandbox, SandboxPlan, base_environment, exposure_for

STARTS = 4  # a round, each the quickest of so many
ROUNDS = 15
PROGRAMS = {
    "python": (sys.executable, "-c", "import json; open('state', 'w').write(json.dumps({'n': 1}))", "at most 1.5"),
    "node": ("node", "-e", "require('fs').writeFileSync('state', '{}')", "at most 1.2"),
    "bash": ("bash", "-c", "echo 1 > state", "told, none"),
}
ONE = frozenset({"write"})


def starts() -> list[tuple[str, Figure]]:
    """For each language with all file calls notified, and with one, as for a fault at one site."""
    figures = []
    for language, (program, option, script, goal) in PROGRAMS.items():
        place = shutil.which(program)
        if place is None:
            print(f"supervisor {language}: {program} is not installed")
            continue
        command = (os.path.realpath(place), option, script)
        found = exposure_for(command[:1], search=os.defpath, home=str(Path.home()), cwd="/")
        with Sandbox(SandboxPlan(exposed=found.paths)) as sandbox:
            for label, names, said in (("all", FILE_CALLS, goal), ("one", ONE, "told, none")):
                supervised = partial(_cost, sandbox, command, names)
                values = ratios(supervised, partial(_cost, sandbox, command, None), ROUNDS)
                meaning = f"{language} under a supervisor ({label} of the calls) : a bare start"
                figures.append((f"{language}-{label}", Figure(values, "", meaning, said)))
    return figures


def _cost(sandbox: Sandbox, command: tuple[str, ...], names: frozenset[str] | None) -> float:
    """Seconds of one start, the quickest of a few: what disturbs a machine only adds."""
    return min(_start(sandbox, command, names) for _ in range(STARTS))


def _start(sandbox: Sandbox, command: tuple[str, ...], names: frozenset[str] | None) -> float:
    run = Run(argv=command, env=base_environment(sandbox.roots), cwd="{home}", timeout_s=60.0)
    begun = time.perf_counter()
    if names is None:
        (ended,) = sandbox.run_together([run])
    else:
        with Supervisor(lambda call: Go(), below=(sandbox.roots.home,), names=names) as supervisor:
            (ended,) = sandbox.run_together([msgspec.structs.replace(run, filter=supervisor.filter())])
    took_s = time.perf_counter() - begun
    if ended.exit_code != 0:
        raise SystemExit(f"{command[0]} does not run in the sandbox: {ended.stderr.decode(errors='replace')}")
    return took_s
