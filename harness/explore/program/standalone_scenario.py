"""One failing scenario of `windtunnel replay`, shown without windtunnel: plain Python 3.9 or newer, on Linux.

The command runs without a sandbox, in a copy of its folder and with a home of its own. Each call is compared by its
exit code, its output, and whether it ended in time; one that is killed on the way by what the next ones do. Exit code
1: it does again what failed. 0: it does not. 2: it cannot be shown on this machine.
"""

from __future__ import annotations

import base64
import ctypes
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

CASE: dict[str, Any] = json.loads(r"""{}""")

LIBC = ctypes.CDLL(None, use_errno=True)
SHOWS: dict[str, Callable[..., Any]] = {}
PLACES = ("home", "project", "tmp", "outside")


def say(text: str) -> None:
    """One line, at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def give_up(text: str) -> NoReturn:
    """End with exit code 2."""
    say("cannot be shown here: " + text)
    sys.exit(2)


def placed(text: str, base: str) -> str:
    """The text with the places of the world where they are here."""
    for name in PLACES:
        text = text.replace("{" + name + "}", f"{base}/{name}")
    return text


def put(place: str, held: Mapping[str, Any], base: str) -> None:
    """Bring one path to what the case says stands there."""
    os.makedirs(os.path.dirname(place), exist_ok=True)
    if os.path.isdir(place) and not os.path.islink(place):
        shutil.rmtree(place)
    elif os.path.lexists(place):
        os.unlink(place)
    kind = held.get("kind", "file")
    if kind == "directory":
        os.mkdir(place)
    elif kind == "fifo":
        os.mkfifo(place)
    elif kind == "symlink":
        os.symlink(placed(held["target"], base), place)
    elif kind == "file":
        data = base64.b64decode(held["base64"]) if "base64" in held else held.get("text", "").encode()
        with open(place, "wb") as file:
            file.write(data)
    if kind in ("file", "directory"):
        if held.get("age_s") is not None:
            when = time.time() - held["age_s"]
            os.utime(place, (when, when))
        if held.get("mode") is not None:
            os.chmod(place, held["mode"])


class Prepared:
    """One run of the command that is about to begin: its words, its environment, and where its streams lie."""

    def __init__(self, run: Mapping[str, Any], clock: Mapping[str, Any] | None, event: str) -> None:
        base = CASE["base"]
        self.words = [placed(word, base) for word in run["argv"]]
        self.env = {name: placed(value, base) for name, value in run["env"].items()}
        if clock is not None:
            self.env.update(SHOWS["clock"](clock))
        self.folder = placed(run["cwd"], base)
        self.timeout_s: float = run["timeout_s"]
        self.ended: dict[str, Any] = run["ended"]
        self.event = event
        with open(event, "wb") as file:
            file.write(placed(run["stdin"], base).encode("utf-8", "surrogateescape"))

    def output(self) -> str:
        """What it wrote, as the case names paths."""
        with open(self.event + ".out", "rb") as file:
            text = file.read().decode("utf-8", "replace")
        for name in PLACES:
            text = text.replace(f"{CASE['base']}/{name}", "{" + name + "}")
        return text


def plainly(run: Prepared) -> tuple[int | None, bool]:
    """One run of the command; its exit code, negative for a signal, and whether it had to be killed."""
    with open(run.event, "rb") as stdin, open(run.event + ".out", "wb") as stdout:
        try:
            done = subprocess.run(
                run.words,
                env=run.env,
                stdin=stdin,
                stdout=stdout,
                timeout=run.timeout_s,
                start_new_session=True,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return None, True
    return done.returncode, False


def perform(step: Mapping[str, Any], runs: list[Prepared]) -> list[tuple[int | None, bool]]:
    """The runs of one step, struck or in their order where the case says so."""
    os.chdir(runs[0].folder)
    if step["order"]:
        return SHOWS["together"](step["order"], runs)  # type: ignore[no-any-return]  # of that part
    if step["strike"]:
        return [SHOWS["struck"](step["strike"], runs[0])]
    return [plainly(runs[0])]


def dates() -> dict[str, tuple[int, int]]:
    """When each file of the world was written, and its size."""
    found = {}
    for name in PLACES:
        for folder, _, names in os.walk(f"{CASE['base']}/{name}"):
            for path in (os.path.join(folder, each) for each in names):
                status = os.lstat(path)
                found[path] = (status.st_mtime_ns, status.st_size)
    return found


def date_written(before: Mapping[str, tuple[int, int]], by_s: float) -> None:
    """What was written under a moved clock gets that clock's time."""
    for path, date in dates().items():
        if before.get(path) != date and os.path.isfile(path) and not os.path.islink(path):
            when = date[0] / 1e9 + by_s
            os.utime(path, (when, when))


def same_end(run: Prepared, end: tuple[int | None, bool], said: str) -> bool:
    """Tell how a run ended; whether it did so in the failing run."""
    code, late = end
    ended = {
        "timed_out": late,
        "exit_code": None if code is None or code < 0 else code,
        "stdout": run.output()[:2000],
    }
    say(f"{said}: {ended}")
    if ended != run.ended:
        say(f"  in the failing run: {run.ended}")
    return ended == run.ended


def show() -> bool:
    """Play the case; whether every call ended as it did in the failing run."""
    same = True
    number = 0
    for step in CASE["steps"]:
        for path, held in step["files"].items():
            put(placed(path, CASE["base"]), held, CASE["base"])
        runs = [
            Prepared(run, step["clock"], f"{CASE['base']}/event-{number + n}") for n, run in enumerate(step["runs"])
        ]
        moved_s = SHOWS["moved"](step["clock"]) if step["clock"] else 0.0
        before = dates() if moved_s else {}
        ends = perform(step, runs)
        for n, run in enumerate(runs):
            number += 1
            if step["strike"] and step["strike"]["kill"]:
                say(f"call {number}: killed at the file call")
            else:
                same = same_end(run, ends[n], f"call {number}") and same
        if moved_s:
            date_written(before, moved_s)
    return same


def main() -> int:
    """Shows the case; see above for the exit code."""
    say(f"{CASE['id']}: {CASE['title']}")
    if "machine" in CASE and os.uname().machine != CASE["machine"]:
        give_up(f"it was made on {CASE['machine']}, whose system calls have other numbers")
    base = os.path.realpath(tempfile.mkdtemp(prefix="scenario-"))
    CASE["base"] = base
    try:
        for name in PLACES:
            if name == "project" and CASE["folder"]:
                shutil.copytree(CASE["folder"], f"{base}/{name}", symlinks=True)
            else:
                os.mkdir(f"{base}/{name}")
        same = show()
    finally:
        os.chdir("/")
        shutil.rmtree(base, ignore_errors=True)
    failed = f"every call ended as in the run that failed {CASE['clauses']}: {CASE['observed']}"
    say(failed if same else "it does not do again what it did in the run that failed")
    return 1 if same else 0


if __name__ == "__main__":
    sys.exit(main())
