"""What a person does without windtunnel to make each file call of a program fail: strace, a fresh copy and a loop."""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.measure import Figure
from harness.errors import MachineError

ROUNDS: Final = 3
EXAMPLE: Final = Path(__file__).parent.parent / "examples" / "explore" / "counter_python"
FILE: Final = "state/tools.json"
OPERATION: Final = ("counter.py", "count", "state", "read")
CHECK: Final = ("counter.py", "check", "state", "read=41", "write=7")
ERRORS: Final = ("EIO", "ENOSPC", "EINTR")
_CALL = re.compile(r"^(?:\d+ +)?(\w+)\(")


class _Cost(NamedTuple):
    seconds: float
    cases: int
    failing: int


def call_sweep() -> Figure:
    """One case of ``explore --only errno``, its start and its report included : one by hand, with nothing proved."""
    strace = shutil.which("strace")
    if strace is None:
        raise MachineError("strace is not installed; apt-get install strace")
    values = []
    for number in range(ROUNDS + 1):
        ours, theirs = _explored(), _by_hand(strace)
        if number:
            values.append((ours.seconds / ours.cases) / (theirs.seconds / theirs.cases))
    what = f"a refused call by explore ({ours.cases}, {ours.failing} failing)"
    return Figure(
        tuple(values), "", f"{what} : one by strace by hand ({theirs.cases}, {theirs.failing} failing)", "told, none"
    )


def _explored() -> _Cost:
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(EXAMPLE, folder, dirs_exist_ok=True)
        words = ["--op", " ".join(("python3", *OPERATION)), "--check", " ".join(("python3", *CHECK)), "--dir", "state"]
        begun = time.perf_counter()
        ended = subprocess.run(
            [sys.executable, "-m", "harness.cli", "explore", *words, "--only", "errno", "--jobs", "1", "--json"],
            cwd=folder, capture_output=True, check=False,
        )  # fmt: skip
        took_s = time.perf_counter() - begun
    (layer,) = (each for each in json.loads(ended.stdout)["layers"] if each["name"] == "errno")
    return _Cost(took_s, layer["run"], layer["failing"])


def _by_hand(strace: str) -> _Cost:
    """The calls are learnt from one run; then each fails once with each error, on a copy, and the check is run."""
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as place:
        log = Path(place, "log")
        traced = (strace, "-f", "--seccomp-bpf", "-P", FILE, "-o", str(log))
        folder = _copy(place, "calm")
        subprocess.run([*traced, "python3", *OPERATION], cwd=folder, capture_output=True, check=True)
        calls: dict[str, int] = {}
        for line in log.read_text("utf-8").splitlines():
            if found := _CALL.match(line):
                calls[found[1]] = calls.get(found[1], 0) + 1
        failing = cases = 0
        for call, times in calls.items():
            for nth in range(1, times + 1):
                for error in ERRORS:
                    folder = _copy(place, f"{call}-{nth}-{error}")
                    strike = ["-e", f"trace={call}", "-e", f"inject={call}:error={error}:when={nth}"]
                    words = [*traced, *strike, "python3", *OPERATION]
                    subprocess.run(words, cwd=folder, capture_output=True, check=False)
                    verdict = subprocess.run(["python3", *CHECK], cwd=folder, capture_output=True, check=False)
                    failing += verdict.returncode != 0
                    cases += 1
    return _Cost(time.perf_counter() - begun, cases, failing)


def _copy(place: str, name: str) -> Path:
    return shutil.copytree(EXAMPLE, Path(place, name))
