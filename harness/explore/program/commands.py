"""The commands a person gives, and what the sandbox has to show so that they run as they do outside."""

import os
import re
import shlex
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import msgspec

from harness.errors import UntestableError, UsageError
from harness.ports.home import real_home
from harness.sandbox.exposure import exposure_for
from harness.targets.shell_command import simple_commands

Words = tuple[str, ...]
OPERATORS: Final = frozenset({"|", "||", "&", "&&", ";", ">", ">>", "<", "2>", "2>&1", "&>"})
# what programs call by name besides themselves; node and python3 come with what they need to start
COMMON_PROGRAMS: Final = ("python3", "node", "bash", "perl", "jq")
# the same calls in every run: no caches beside sources, and sets that come in one order
STEADY: Final = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0"}


class Program(msgspec.Struct, frozen=True, kw_only=True):
    """What is explored.

    ``directory`` holds the state that faults and crashes strike, ``folder`` is where the commands run, ``project`` the
    directory that the sandbox shows over itself; all absolute, without symbolic links. ``rival`` runs beside ``op``.
    """

    op: Words
    check: Words
    recover: Words | None = None
    rival: Words | None = None
    directory: str
    folder: str
    project: str
    exposed: tuple[str, ...] = ()
    env: Mapping[str, str] = msgspec.field(default_factory=dict)

    @property
    def every(self) -> tuple[Words, ...]:
        """All commands there are."""
        return tuple(words for words in (self.op, self.recover, self.check, self.rival) if words)


def words_of(text: str, option: str) -> Words:
    """The words of a command, split as a shell does; UsageError when it is empty, unfinished, or needs a shell."""
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(f"{option} {text!r} cannot be split into words: {error}") from error
    if not words or not words[0]:
        raise UsageError(f"{option} is empty; give the command as one string")
    for word in (*words, *_glued(text, words)):
        if word in OPERATORS:
            raise UsageError(f"{option} is one command, and {word!r} needs a shell; write: sh -c {shlex.quote(text)}")
    if re.match(r"\w+=", words[0]):
        raise UsageError(
            f"{option} begins with {words[0]!r}; give variables by --env, or write: sh -c {shlex.quote(text)}"
        )
    return words


def _glued(text: str, words: Words) -> Words:
    """The operators of a shell that stand in ``text`` without a space or a quote around them, as in ``a>b``."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars="|&;<>")
    lexer.commenters, lexer.whitespace_split = "", True
    parts = tuple(lexer)
    return () if parts == words else tuple(part for part in parts if part in OPERATORS)


def program(
    *,
    op: str,
    check: str,
    recover: str | None = None,
    rival: str | None = None,
    directory: Path,
    folder: Path,
    env: Iterable[str] = (),
) -> Program:
    """What the options mean. UsageError when they cannot be meant, UntestableError when a command does not exist."""
    place, work = os.path.realpath(directory), os.path.realpath(folder)
    if not os.path.isdir(place):
        raise UsageError(f"--dir {directory} is not a directory; make it, with the state that --op begins from")
    found = Program(
        op=words_of(op, "--op"),
        check=words_of(check, "--check"),
        recover=None if recover is None else words_of(recover, "--recover"),
        rival=None if rival is None else words_of(rival, "--with"),
        directory=place,
        folder=work,
        project=_project(place, work),
        env=dict(_variable(text) for text in env),
    )
    for words in found.every:
        _require(words, work)
    return msgspec.structs.replace(found, exposed=_exposed(found))


def _variable(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise UsageError(f"--env {text!r} is no variable; write NAME=VALUE")
    return name, value


def _within(path: str, directory: str) -> bool:
    return path == directory or path.startswith(directory.rstrip("/") + "/")


def _project(directory: str, folder: str) -> str:
    """The one directory shown over itself that holds the state, and the folder of the commands where that can be."""
    project = folder if _within(directory, folder) else directory
    if project in (str(real_home()), "/"):
        raise UsageError(
            f"the commands would see all of {project}; go to the folder that holds the program, or name one with --dir"
        )
    return project


def _require(words: Words, folder: str) -> None:
    path = os.path.join(folder, words[0]) if os.sep in words[0] else shutil.which(words[0])
    if path is None or not os.path.isfile(path):
        raise UntestableError(f"the command {words[0]!r} does not exist on this machine's PATH or in {folder}")
    if not os.access(path, os.X_OK):
        raise UntestableError(f"the command {words[0]!r} is not executable; chmod +x it, or name its interpreter first")


def _exposed(found: Program) -> tuple[str, ...]:
    inner = [each for words in found.every for each in (words, *simple_commands(words, found.folder)) if each]
    names = dict.fromkeys([*(each[0] for each in inner if each[0]), *COMMON_PROGRAMS])
    files = [path for each in inner for word in each if word and (path := _file(word, found.folder))]
    extra = [path for path in files if not _within(path, found.project) and not path.startswith("/usr/")]
    if not _within(found.folder, found.project):
        extra.append(found.folder)
    return exposure_for(
        tuple(names),
        search=os.environ.get("PATH", os.defpath),
        home=str(real_home()),
        cwd=found.folder,
        extra=extra,
    ).paths


def _file(word: str, folder: str) -> str:
    path = os.path.normpath(os.path.join(folder, word))
    return path if os.path.isfile(path) else ""
