"""What a user of the whole command pays: the first verdict, what more jobs bring, memory, and a warm start."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.measure import Figure, ratios
from harness.sandbox import Run, Sandbox, SandboxPlan, base_environment, exposure_for

QUICK = "rate_limit"
STATEFUL = "circuit_breaker"
SERVED = "harness.targets.served"
STARTS = 8  # a round, each the quickest of so many
ROUNDS = 5
PATIENCE_S = 120.0
_JUDGED = b'"scenario_judged"'
_PEAK = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def first_verdict() -> Figure:
    """Seconds from the start of the command to the first judged scenario in its events."""
    values = tuple(_first_verdict_s() for _ in range(ROUNDS))
    return Figure(values, " s", f"start to first verdict of certify reference --system {QUICK}", "under 1 s")


def two_jobs() -> Figure:
    """How many times as fast two jobs are as one."""
    values = tuple(_certified_s(STATEFUL, 1) / _certified_s(STATEFUL, 2) for _ in range(ROUNDS))
    return Figure(values, "", f"certify reference --system {STATEFUL} --level L2 with 1 job : with 2", "at least 1.7")


def memory() -> Figure:
    """The peak of the memory of the process that certifies, or of one that it started, in MB."""
    with tempfile.TemporaryDirectory() as report:
        # by a process that is small itself: a child begins with the memory of who starts it
        words = [sys.executable, "-c", _PEAK, *_words(STATEFUL, report, "--jobs", "2")]
        ended = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True)
    return Figure(
        (int(ended.stdout) / 1024,),
        " MB",
        f"peak memory of certify reference --system {STATEFUL} --level L2",
        "told, none",
    )


def warm_start() -> Figure:
    """How many times as fast a served reference starts by a fork as by a fresh Python."""
    command = (sys.executable, "-m", SERVED, QUICK)
    search, home = os.environ.get("PATH", os.defpath), str(Path.home())
    shown = exposure_for(command[:1], search=search, home=home, cwd="/", extra=(), needs_harness=True).paths
    with Sandbox(SandboxPlan(exposed=shown)) as cold, Sandbox(SandboxPlan(exposed=shown, warm=(SERVED, QUICK))) as warm:
        values = ratios(lambda: _start_s(cold, command), lambda: _start_s(warm, command), ROUNDS * 3)
    return Figure(values, "", f"a start of {SERVED} by a fresh Python : by a fork", "at least 8")


def _start_s(sandbox: Sandbox, command: tuple[str, ...]) -> float:
    run = Run(argv=command, env=base_environment(sandbox.roots), cwd="{home}", timeout_s=60.0, stdin=b"")
    took = []
    for _ in range(STARTS):
        begun = time.perf_counter()
        (ended,) = sandbox.run_together([run])
        took.append(time.perf_counter() - begun)
        if ended.exit_code != 0:
            raise SystemExit(f"{SERVED} does not run in the sandbox: {ended.stderr.decode(errors='replace')}")
    return min(took)


def _certified_s(system: str, jobs: int) -> float:
    with tempfile.TemporaryDirectory() as report:
        begun = time.perf_counter()
        subprocess.run(_words(system, report, "--jobs", str(jobs)), check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - begun


def _first_verdict_s() -> float:
    with tempfile.TemporaryDirectory() as report:
        begun = time.perf_counter()
        with subprocess.Popen(_words(QUICK, report), stdout=subprocess.DEVNULL) as process:
            events = Path(report) / "events.jsonl"
            while not (events.exists() and _JUDGED in events.read_bytes()):
                if time.perf_counter() - begun > PATIENCE_S:
                    raise SystemExit("no verdict came")
                time.sleep(0.002)
            took_s = time.perf_counter() - begun
            process.terminate()
    return took_s


def _words(system: str, report: str, *more: str) -> list[str]:
    words = ("certify", "reference", "--system", system, "--level", "L2", "--cases", "0", "--report", report)
    return [sys.executable, "-m", "harness.cli", *words, *more]
