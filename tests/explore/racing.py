"""Races of small programs in one sandbox: what the tests of races share."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from harness.explore.races import Race, RaceOutcome, RaceReport, explore_races, replay_race
from harness.sandbox import Ended, MakeDirectory, Run, Sandbox, SandboxPlan, Write, base_environment, exposure_for

STATE = "{home}/state"


class Seen(NamedTuple):
    """What came of one execution: the ends of the runs, the files below the state, and who was killed."""

    ends: list[Ended]
    files: dict[str, bytes]
    killed: tuple[int, ...]


Judge = Callable[[Seen], str]


def python(code: str, *words: str) -> list[str]:
    """A Python program that looks at no files but its own."""
    return [sys.executable, "-I", "-S", "-c", code, *words]


@contextmanager
def sandbox_for(commands: Sequence[str] = (), *extra: Path, fallback: bool = False) -> Iterator[Sandbox]:
    """A sandbox that shows what these commands need, and Python."""
    exposure = exposure_for(
        commands, search=os.environ["PATH"], home="/", cwd="/", extra=map(str, extra), needs_harness=True
    )
    with Sandbox(SandboxPlan(exposed=exposure.paths, force_fallback=fallback)) as box:
        yield box


class Racing:
    """The same commands again and again, on files that are the same at each beginning."""

    def __init__(
        self,
        box: Sandbox,
        commands: Sequence[Sequence[str]],
        files: Mapping[str, bytes] | None = None,
        stdin: bytes = b"",
        timeout_s: float = 60.0,
    ) -> None:
        self.box = box
        self.state = box.roots.resolve(STATE)
        self._commands = commands
        self._files = dict(files or {})
        self._stdin = stdin
        self._timeout_s = timeout_s

    def attempt(self, race: Race) -> Seen:
        """One execution."""
        self.box.fresh()
        written = [Write(f"{STATE}/{name}", data) for name, data in self._files.items()]
        self.box.apply([MakeDirectory(STATE), *written])
        environment = base_environment(self.box.roots)
        runs = [
            Run(
                argv=tuple(words),
                env=environment,
                cwd=STATE,
                stdin=self._stdin,
                timeout_s=self._timeout_s,
                filter=race.filter(),
            )
            for words in self._commands
        ]
        ends = self.box.run_together(runs)
        return Seen(ends, self.read(), race.killed)

    def read(self) -> dict[str, bytes]:
        """The files below the state as they stand."""
        paths = [path for path, fact in self.box.snapshot().items() if fact.kind == "file"]
        prefix = f"{STATE}/"
        return {path.removeprefix(prefix): self.box.read(path).data or b"" for path in paths if path.startswith(prefix)}

    def explore(self, judge: Judge, **more: Any) -> RaceReport:
        """Every order."""
        return explore_races(self.attempt, judge, **self._how(), **more)

    def replay(self, judge: Judge, choices: Sequence[int], **more: Any) -> RaceOutcome:
        """One of them."""
        return replay_race(self.attempt, judge, choices, **self._how(), **more)

    def _how(self) -> dict[str, Any]:
        prefix = f"{self.state}/"
        return {"below": (self.state,), "hide": lambda path: path.removeprefix(prefix), "runs": len(self._commands)}


def all_exit_0(seen: Seen) -> str:
    """The judge of programs that tell themselves what is wrong."""
    return next((end.stderr.decode() or f"exit {end.exit_code}" for end in seen.ends if end.exit_code), "")


def texts(steps: Sequence[Any]) -> list[str]:
    """An order for people."""
    return [step.text() for step in steps]
