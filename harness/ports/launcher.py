"""Processes as a port: one command, run to its end."""

import contextlib
import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol


class Ended(NamedTuple):
    """How a command ended: ``kind`` is exit, signal, timeout or not_started; ``code`` the exit code or signal."""

    kind: str
    code: int
    output: str


class Launcher(Protocol):
    """Runs commands."""

    def run(self, argv: Sequence[str], *, cwd: str, env: Mapping[str, str], timeout_s: float) -> Ended:
        """Runs ``argv`` to its end or to ``timeout_s`` seconds, whichever comes first; it never raises."""
        ...


class RealLauncher:
    """Runs real processes, each in a process group of its own that is killed when its time is over."""

    def run(self, argv: Sequence[str], *, cwd: str, env: Mapping[str, str], timeout_s: float) -> Ended:
        """See Launcher.run."""
        try:
            process = subprocess.Popen(
                list(argv),
                cwd=cwd,
                env=dict(env),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                process_group=0,
            )
        except OSError as error:
            return Ended("not_started", error.errno or 0, error.strerror or "")
        except (ValueError, IndexError) as error:  # a NUL byte, a name with "=", no word at all
            return Ended("not_started", 0, str(error))
        with process:
            try:
                output, _ = process.communicate(timeout=timeout_s)
            except subprocess.TimeoutExpired:
                return Ended("timeout", 0, f"no end within {timeout_s:g} s")
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
        text = output.decode(errors="replace").strip()
        if process.returncode < 0:
            return Ended("signal", -process.returncode, text)
        return Ended("exit", process.returncode, text)


class FakeLauncher:
    """Answers from a script: a function from the command to its end."""

    def __init__(self, script: Callable[[Sequence[str]], Ended]) -> None:
        self._script = script

    def run(self, argv: Sequence[str], *, cwd: str, env: Mapping[str, str], timeout_s: float) -> Ended:
        """See Launcher.run."""
        del cwd, env, timeout_s
        return self._script(argv)
