"""The part of a stand-alone script that runs two commands in one order of their file calls; see standalone_script."""

from __future__ import annotations

import errno
import os
import select
import time
from collections.abc import Mapping
from typing import Any

from harness.explore.program.standalone_script import CASE, SHOWS, give_up, say
from harness.explore.program.standalone_supervisor import Call, kill, shortened, start

# --- cut here: what follows is put into the script ------------------------------------------------------------------

WHO = ("op", "with")
LOOKS, LOOK_S = 20, 0.001  # a thread that sleeps at so many looks waits for another one
EMPTY_PATH_CALLS = ("newfstatat", "statx", "fstat")
MADE_UP: dict[str, str] = {}  # what stands for a name that the command makes up: which one it is this time


class Run:
    """One of the two commands: its process, its listener, and the calls it is held at."""

    def __init__(self, pid: int, listener: int) -> None:
        self.pid, self.listener = pid, listener
        self.held: list[Call] = []
        self.code: int | None = None
        self.over = False

    def look(self, timeout_s: float) -> None:
        """Take in what it asks, or how it ended."""
        poll = select.poll()
        poll.register(self.listener, select.POLLIN)
        if dict(poll.poll(int(timeout_s * 1000))).get(self.listener, 0) & select.POLLIN:
            try:
                self._sort(Call(self.listener))
            except OSError as error:
                if error.errno not in (errno.ENOENT, errno.ESRCH):
                    raise
        elif not self.over:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.over = True
                self.code = os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else None

    def _sort(self, call: Call) -> None:
        if call.name in CASE["sleeps"]:
            call.answer(value=0, proceed=False)  # a sleep ends at once: the order says who goes on
        elif not any(is_watched(path) for path in call.paths) or (call.name in EMPTY_PATH_CALLS and call.of_open_file):
            call.answer()
        else:
            self.held.append(call)

    def take(self, name: str, paths: list[str]) -> Call | None:
        """The call of that name on those paths, if it is held at it."""
        for call in self.held:
            if call.name == name and are_same(call.paths, paths):
                self.held.remove(call)
                return call
        return None


def are_same(paths: list[str], wanted: list[str]) -> bool:
    """Names that a command makes up stand as {new name 1 of 0}; which one that is is known when it is met first."""
    given, asked = [path.split("/") for path in paths], [path.split("/") for path in wanted]
    if list(map(len, given)) != list(map(len, asked)):
        return False
    pairs = [pair for one, other in zip(given, asked, strict=True) for pair in zip(one, other, strict=True)]
    found = {text: word for word, text in pairs if text.startswith("{new name ")}
    known = {**found, **MADE_UP}
    if any(word != known.get(text, text) for word, text in pairs):
        return False
    MADE_UP.update(found)
    return True


def is_watched(path: str) -> bool:
    """Is it one in the directory, below a folder of it that counts? Others stand as absolute paths."""
    below = CASE.get("below")
    return not path.startswith("/") and path != "" and (below is None or path.partition("/")[0] in below)


def asleep(tid: int) -> bool:
    """Does the thread wait for something, or is it gone?"""
    try:
        with open(f"/proc/{tid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] == "S"
    except OSError:
        return True


def let_go(runs: list[Run], run: Run, call: Call) -> None:
    """Let the kernel do the call, and wait until that command is held again, over, or waits for the other."""
    call.answer()
    looks = 0
    while not run.over and not run.held and looks < LOOKS:
        for each in runs:
            each.look(LOOK_S)
        looks = looks + 1 if asleep(call.tid) else 0


def in_order(runs: list[Run], order: list[dict[str, Any]], deadline: float) -> None:
    """Repeat the order; exit code 2 when the commands do something else."""
    for number, step in enumerate(order, 1):
        run = runs[step["run"]]
        call = run.take(step["call"], step["paths"])
        while call is None:
            if run.over or time.monotonic() > deadline:
                for each in runs:
                    kill(each.pid)
                give_up(
                    f"the order was not repeated: step {number}, {step['call']}{tuple(step['paths'])}, did not come"
                )
            for each in runs:
                each.look(LOOK_S)
            call = run.take(step["call"], step["paths"])
        say(f"    {CASE.get('who', WHO)[step['run']]}: {step['call']}({', '.join(step['paths'])})")
        let_go(runs, run, call)


def show_order(directory: str, words: Mapping[str, Any], env: Mapping[str, str]) -> str | None:
    """Both commands at once, in the order of the case; how op ended, None when one of them did not."""
    CASE["short"] = shortened(directory)
    deadline = time.monotonic() + CASE["timeout_s"]
    runs = [Run(*start(words["op"], env)), Run(*start(words["rival"], env))]
    while not all(run.held or run.over for run in runs) and time.monotonic() < deadline:
        for run in runs:
            run.look(LOOK_S)
    in_order(runs, CASE["order"], deadline)
    while not all(run.over for run in runs) and time.monotonic() < deadline:
        for run in runs:
            while run.held:
                run.held.pop(0).answer()
            run.look(LOOK_S)
    late = [WHO[number] for number, run in enumerate(runs) if not run.over]
    for run in runs:
        kill(run.pid)
    for name in late:
        say(f"{name} did not end within {CASE['timeout_s']} s")
    say(f"op: exit code {runs[0].code}; with: exit code {runs[1].code}")
    return None if late else "" if runs[0].code is None else str(runs[0].code)


SHOWS["order"] = show_order
