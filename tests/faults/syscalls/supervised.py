"""Programs run under a supervisor, for the tests of it."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from harness.faults.syscalls import Answer, Call, Decision, Go, Supervisor
from harness.faults.syscalls.calls import FILE_CALLS
from harness.sandbox import Run, Sandbox, SandboxPlan, base_environment, exposure_for
from harness.sandbox.plan import Ended

PYTHON = (os.path.realpath(sys.executable), "-S", "-E", "-c")
BELOW = ("{home}",)


@contextmanager
def showing_python(*more: str, force_fallback: bool = False) -> Iterator[Sandbox]:
    """A sandbox that shows our Python, and ``more`` paths."""
    found = exposure_for(PYTHON[:1], search=os.defpath, home=os.path.expanduser("~"), cwd="/", extra=more)
    with Sandbox(SandboxPlan(exposed=found.paths, force_fallback=force_fallback)) as sandbox:
        yield sandbox


def supervisor(box: Sandbox, decide: Decision, **options) -> Supervisor:
    """One for that sandbox's home."""
    below = tuple(map(box.roots.resolve, options.pop("below", BELOW)))
    return Supervisor(decide, below=below, **options)


def a_run(box: Sandbox, sup: Supervisor, *argv: str, cwd: str = "{home}", timeout_s: float = 20.0, **env: str) -> Run:
    """That command, under it."""
    environment = {**base_environment(box.roots), **env}
    return Run(argv=argv, env=environment, cwd=cwd, timeout_s=timeout_s, filter=sup.filter())


class Seen(list[tuple[str, ...]]):
    """What was done about calls of some kind, or all: their names and their paths, with the home left out."""

    def __init__(self, box: Sandbox, only: Callable[[Call], bool] = lambda call: True) -> None:
        super().__init__()
        self._home = box.roots.home
        self._only = only
        self.calls: list[Call] = []

    def __call__(self, call: Call) -> Answer:
        """See Supervisor."""
        if self._only(call):
            self.append((call.name, *(path.removeprefix(self._home) for path in call.paths)))
            self.calls.append(call)
        return Go()


def on(answer: Answer, name: str, path: str = "", nth: int = 1) -> Decision:
    """Answers the nth call of that name, on a path that ends so, and lets the others pass."""
    met = [0]

    def decide(call: Call) -> Answer:
        if call.name == name and call.paths[0].endswith(path):
            met[0] += 1
            if met[0] == nth:
                return answer
        return Go()

    return decide


def ended(box: Sandbox, decide: Decision, *argv: str, names: frozenset[str] = FILE_CALLS, **options) -> Ended:
    """How that command ends."""
    with supervisor(box, decide, names=names, **options) as sup:
        return box.run_together([a_run(box, sup, *argv)])[0]


def struck(box: Sandbox, decide: Decision, *argv: str, **options) -> tuple[Ended, list[str]]:
    """The same, and what was met."""
    with supervisor(box, decide, **options) as sup:
        (end,) = box.run_together([a_run(box, sup, *argv)])
    return end, [each.proof for each in sup.struck]


def said(end: Ended) -> tuple[int | None, str]:
    """Its exit code and its output."""
    return end.exit_code, end.stdout.decode()


def data(box: Sandbox, path: str) -> bytes | None:
    """What stands there."""
    return box.read(path, 1 << 20).data
