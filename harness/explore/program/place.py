"""The program in a sandbox: brought to a state, run under a decision, and judged by its owner's check."""

import os
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

import msgspec

from harness.core.history import FileFact
from harness.explore.program.commands import STEADY, Program, Words
from harness.explore.program.facts import Fact
from harness.explore.program.observing import COPIES, without_copies
from harness.explore.program.rebuilding import Anew, rebuilding
from harness.explore.writes import DIRECTORY, Files, SymbolicLink
from harness.faults.syscalls import Decision, Supervisor
from harness.faults.syscalls.calls import FILE_CALLS
from harness.faults.syscalls.probe import refusal
from harness.sandbox import (
    Action,
    Ended,
    Filter,
    MakeDirectory,
    Remove,
    Run,
    Sandbox,
    SandboxPlan,
    Symlink,
    Write,
    base_environment,
)
from harness.sandbox.roots import Roots

OP_EXIT: Final = "WINDTUNNEL_OP_EXIT"  # told to recover and check: "" when op did not come to its end
_OUTPUT_BYTES: Final = 64 * 1024
_SAID_CHARACTERS: Final = 300
_PATIENCE: Final = 10  # times the time limit, for several commands that are held at every call


class Judgement(msgspec.Struct, frozen=True):
    """What became of a state. ``by`` is the command that decided: check, or one that did not end; ``said`` its words.

    ``recover_exit`` is None where there was no recovery, or a signal ended it.
    """

    passed: bool
    by: str
    said: str
    recover_exit: int | None = None


class Place:
    """One sandbox that shows ``program``'s directory; for one thread at a time. ``close`` leaves nothing behind."""

    def __init__(self, program: Program, timeout_s: float, *, force_fallback: bool = False) -> None:
        self.program = program
        self._timeout_s = timeout_s
        self._box = Sandbox(
            SandboxPlan(project=program.project, exposed=program.exposed, force_fallback=force_fallback)
        )
        self._shown = Roots(project=program.project)
        self._moved = self._box.roots.project != program.project
        self.below = self._inside(program.directory)
        self._folder = self._inside(program.folder)
        self._prefix = "{project}" + program.directory[len(program.project) :]
        overlay = self._box.containment.overlay
        anew = rebuilding(program.directory, self._prefix) if overlay else Anew()
        self._anew, self._begun, self._too_much = anew
        self._env = {**base_environment(self._box.roots), **STEADY, **program.env}

    @property
    def contained(self) -> bool:
        """Can the commands change nothing outside?"""
        return self._box.containment.namespaces

    @property
    def uncontained(self) -> tuple[str, ...]:
        """What this machine does not keep the commands from, or keeps from them, a sentence each."""
        return (*(f"containment: {text}" for text in self._box.containment.missing), *self._too_much)

    @property
    def refused(self) -> str:
        """Why no file call can be watched here, in a sentence; "" when they can."""
        return refusal(self._box)

    @property
    def environment(self) -> Mapping[str, str]:
        """What the commands find in their environment."""
        return self._env

    def close(self) -> None:
        """Take the sandbox down; may be called again."""
        self._box.close()

    def abort(self) -> None:
        """Kill everything at once, from any thread; whoever waits in here meets MachineError."""
        self._box.abort()

    def fresh(self) -> None:
        """Everything as it began, and nothing running."""
        self._box.fresh()
        if self._anew:
            self._box.apply(self._anew)

    def put(self, before: Files, files: Files, modes: Mapping[str, int]) -> None:
        """Bring the directory, which holds ``before``, to ``files``: paths that neither names stay.

        ``modes`` are the permissions of files that are not there at the beginning.
        """
        actions: list[Action] = []
        for path in sorted(before.keys() - files.keys(), reverse=True):
            actions.append(Remove(self._path(path)))
        for path in sorted(files):
            contents = files[path]
            if path in before and before[path] == contents:
                continue
            if contents is DIRECTORY:
                if path in before:
                    actions.append(Remove(self._path(path)))
                actions.append(MakeDirectory(self._path(path)))
            elif isinstance(contents, SymbolicLink):
                actions += [Remove(self._path(path)), Symlink(self._path(path), contents.target)]
            else:
                assert isinstance(contents, bytes)  # noqa: S101 - the only kind left
                actions += [] if isinstance(before.get(path, b""), bytes) else [Remove(self._path(path))]
                actions.append(Write(self._path(path), contents, self._mode(path, modes)))
        if actions:
            self._box.apply(actions)

    def operate(
        self, words: Words, decide: Decision | None = None, names: frozenset[str] = FILE_CALLS, *, op_exit: str = ""
    ) -> Ended:
        """Run a command to its end; with ``decide`` under the supervisor, which is asked about calls of ``names``."""
        if decide is None:
            return self._box.run_together([self.run(words, op_exit)])[0]
        with Supervisor(without_copies(decide), below=(self.below,), names=names | COPIES, contents=True) as supervisor:
            run = msgspec.structs.replace(self.run(words, op_exit), filter=supervisor.filter())
            return self._box.run_together([run])[0]

    def together(self, commands: Sequence[Words], filter_for: Callable[[], Filter]) -> list[Ended]:
        """Run several commands at once, each under a filter of its own; their ends, in that order.

        Whoever holds them at their calls ends them when nothing happens any more; the time limit is far off.
        """
        limit_s = self._timeout_s * _PATIENCE
        runs = [msgspec.structs.replace(self.run(words), filter=filter_for(), timeout_s=limit_s) for words in commands]
        return self._box.run_together(runs)

    def run(self, words: Words, op_exit: str = "") -> Run:
        """A command as it is run in here."""
        return Run(
            argv=tuple(self._shown.hide(word) for word in words) if self._moved else words,
            env={**self._env, OP_EXIT: op_exit},
            cwd=self._folder,
            timeout_s=self._timeout_s,
            output_limit=_OUTPUT_BYTES,
        )

    def judge(self, op_exit: str) -> Judgement:
        """Recover, where there is a way to, and check; ``op_exit`` is how op ended, "" when it did not."""
        recover_exit = None
        if self.program.recover is not None:
            ended = self.operate(self.program.recover, op_exit=op_exit)
            if ended.timed_out:
                return Judgement(False, "recover", self.unended)
            recover_exit = ended.exit_code
        ended = self.operate(self.program.check, op_exit=op_exit)
        if ended.timed_out:
            return Judgement(False, "check", self.unended, recover_exit)
        return Judgement(ended.exit_code == 0, "check", said(ended), recover_exit)

    @property
    def timeout_s(self) -> float:
        """How long a command may take."""
        return self._timeout_s

    @property
    def unended(self) -> str:
        """What is said of a command that had to be killed."""
        return f"did not end within {self._timeout_s:g} s"

    def differences(self) -> dict[str, Fact | None]:
        """What is not as it began below the directory, by path relative to it; None for what is gone."""
        prefix = self._prefix + "/"
        snapshot = self._box.snapshot()
        found = {path[len(prefix) :]: _seen(fact) for path, fact in snapshot.items() if path.startswith(prefix)}
        return {path: fact for path, fact in found.items() if path not in self._begun or self._begun[path] != fact}

    def identity(self) -> object | None:
        """Equal for two moments at which the same files hold the same, wherever they are; None when it cannot tell."""
        facts = [(path, _seen(fact)) for path, fact in self._box.snapshot().items()]
        if any(fact and fact.kind == "file" and not fact.digest for _, fact in facts):
            return None
        return frozenset(facts)

    def link_target(self, path: str) -> str | None:
        """The text of the symbolic link at ``path``; None when there is none."""
        ended = self.operate(("readlink", "-n", f"{self.below}/{path}"))
        return ended.stdout.decode("utf-8", "surrogateescape") if ended.exit_code == 0 else None

    def modes(self, paths: Iterable[str]) -> dict[str, int]:
        """The permissions of those of ``paths`` that are there now."""
        places = [f"{self.below}/{path}" for path in paths]
        if not places:
            return {}
        ended = self.operate(("stat", "--printf", r"%a %n\0", "--", *places))
        lines = [line.partition(" ") for line in os.fsdecode(ended.stdout).split("\0") if line]
        return {place[len(self.below) + 1 :]: int(mode, 8) for mode, _, place in lines}

    def _inside(self, path: str) -> str:
        project = self.program.project
        if path == project or path.startswith(project + "/"):
            return self._box.roots.project + path[len(project) :]
        return path

    def _path(self, path: str) -> str:
        return f"{self._prefix}/{path}"

    def _mode(self, path: str, modes: Mapping[str, int]) -> int:
        try:
            return stat.S_IMODE(os.lstat(os.path.join(self.program.directory, path)).st_mode)
        except OSError:
            return modes.get(path, 0o644)


def _seen(fact: FileFact) -> Fact | None:
    return None if fact.kind == "deleted" else Fact(fact.kind, 0 if fact.kind == "symlink" else fact.size, fact.sha256)


def said(ended: Ended) -> str:
    """The words that tell most: the first line of the output, else the last of the errors, else how it ended."""
    out = [line for line in ended.stdout.decode("utf-8", "replace").splitlines() if line.strip()]
    errors = [line for line in ended.stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    line = out[0] if out else errors[-1] if errors else ""
    return line.strip()[:_SAID_CHARACTERS] or how(ended)


def how(ended: Ended) -> str:
    """How a command ended, in words."""
    if ended.start_error:
        return f"could not be started ({ended.start_error})"
    if ended.timed_out:
        return "did not end"
    return f"ended by signal {ended.signal}" if ended.signal is not None else f"exit code {ended.exit_code}"
