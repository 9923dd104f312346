"""The files of a run below .autobuild, and the one lock under which they are read and changed.

The lock lies beside .autobuild: a fresh start deletes what is in there. run.json says which process changed the run
last, so that one that did not knows that what it remembers is old, and whether a start was cut off.
"""

import contextlib
import errno
import shlex
from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeVar

from harness.ports.files import Files
from harness.systems.phase_runner.contract.words import (
    COMMITS_PATH,
    CONFIG_PATH,
    LOGS_DIRECTORY,
    PHASES_DIRECTORY,
    STATE_DIRECTORY,
    LogCode,
    phase_path,
)
from harness.systems.phase_runner.reference.folders import Folders
from harness.systems.phase_runner.reference.records import (
    Config,
    DamagedError,
    NewerError,
    Record,
    Turn,
    config_of,
    encoded,
    record_of,
    turn_of,
    writable,
)

LIMIT_BYTES: Final = 1 << 26  # what is longer was not written by this, and is not read into memory
LOCK_S: Final = 0.5  # a change holds the lock for milliseconds; who holds it longer hangs
PATIENCE_SHARE: Final = 16  # of the time, the next time somebody still holds it
LEAST_PATIENCE_S: Final = 0.001  # below this nobody waits any more
TURN: Final = "run.json"
COMMITS_HEAD: Final = "#!/bin/sh\n"
Found = TypeVar("Found")


class StateError(Exception):
    """What is on disk cannot be used: the message names the file."""

    def __init__(self, code: LogCode, message: str, error: Exception | None = None) -> None:
        super().__init__(message if error is None else f"{message}: {type(error).__name__}: {error}")
        self.code = code


class Store:
    """The files of the runs below ``home``. Reading raises StateError, writing OSError."""

    def __init__(self, home: str, files: Files, folders: Folders) -> None:
        self.home = home
        self.files = files
        self.folders = folders
        self.directory = self.place(STATE_DIRECTORY)
        self.turn_path = f"{self.directory}/{TURN}"
        self.patience_s = LOCK_S
        self.turn_seen, self.turn_data = Turn(), b""

    def place(self, path: str) -> str:
        """The path of a file of the contract."""
        return path.replace("{home}", self.home)

    # -- the lock, and where it all lies

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """One process at a time; may raise OSError. Who waits in vain once waits less the next time."""
        with contextlib.ExitStack() as stack:
            self.take(stack)
            yield

    def take(self, stack: contextlib.ExitStack) -> None:
        """Takes the lock until ``stack`` ends; TimeoutError when somebody keeps it."""
        path = f"{self.directory}.lock"
        try:
            stack.enter_context(self.files.lock(path, 0))  # without a thread, which a wait needs
        except TimeoutError:
            if self.patience_s < LEAST_PATIENCE_S:  # each wait in vain leaves a thread behind until the lock is free
                raise
            patience_s, self.patience_s = self.patience_s, self.patience_s / PATIENCE_SHARE
            stack.enter_context(self.files.lock(path, patience_s))
        self.patience_s = LOCK_S

    def check_place(self) -> None:
        """What is there is a directory of this project, and no link that leads elsewhere (AB-FRS-02)."""
        self.check_directory(self.directory)

    def check_places(self) -> None:
        """The same, with the directories in there."""
        for path in (self.directory, self.place(PHASES_DIRECTORY), self.place(LOGS_DIRECTORY)):
            self.check_directory(path)

    def check_directory(self, path: str) -> None:
        """It is a directory, or nothing."""
        try:
            found = self.files.look(path)
        except OSError as error:
            raise StateError(LogCode.STATE_UNREADABLE, f"{path} cannot be looked at", error) from error
        if found is not None and found.kind != "directory":
            raise StateError(LogCode.NOT_A_DIRECTORY, f"{path} is a {found.kind}, no directory, and is not followed")

    # -- reading

    def turn(self) -> Turn:
        """Who changed the run last."""
        return self.read(self.turn_path, self.turn_of) or Turn()

    def turn_of(self, data: bytes) -> Turn:
        """What run.json says; what was read or written last is not parsed again."""
        if data != self.turn_data:
            self.turn_seen, self.turn_data = turn_of(data), data
        return self.turn_seen

    def config(self) -> Config | None:
        """config.json; None when there is none."""
        return self.read(self.place(CONFIG_PATH), config_of)

    def record(self, phase_id: str) -> Record | None:
        """The record of a phase; None when there is none."""
        return self.read(self.place(phase_path(phase_id)), lambda data: record_of(data, phase_id))

    def read(self, path: str, parsed: Callable[[bytes], Found]) -> Found | None:
        """What a file holds; None when there is none."""
        try:
            data = self.files.read(path, LIMIT_BYTES + 1)
            if len(data) > LIMIT_BYTES:
                raise OSError(errno.EFBIG, "too long", path)
            return parsed(data)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StateError(LogCode.STATE_UNREADABLE, f"{path} cannot be read", error) from error
        except DamagedError as error:
            raise StateError(LogCode.STATE_CORRUPT, f"{path} is corrupt", error) from error
        except NewerError as error:
            raise StateError(LogCode.STATE_NEWER, f"{path} is of another version", error) from error

    # -- writing

    def put_turn(self, turn: Turn) -> None:
        """Replaces run.json."""
        self.files.replace(self.turn_path, encoded(turn))

    def put_config(self, config: Config) -> None:
        """Replaces config.json."""
        self.files.replace(self.place(CONFIG_PATH), encoded(config))

    def put(self, record: Record) -> None:
        """Replaces the record of a phase."""
        self.files.replace(self.place(phase_path(record.phase_id)), encoded(record))

    def add_commit(self, subject: str) -> None:
        """Adds a commit to those that are only prepared."""
        path = self.place(COMMITS_PATH)
        head = "" if self.files.status(path) else COMMITS_HEAD
        self.files.append_lines(path, (head + commit_line(subject)).encode())

    def put_commits(self, subjects: Iterable[str]) -> None:
        """Replaces the commits that are prepared."""
        text = COMMITS_HEAD + "".join(map(commit_line, subjects))
        self.files.replace(self.place(COMMITS_PATH), text.encode())

    def clear(self) -> None:
        """Deletes all that is there but run.json, and follows no link."""
        for name in self.folders.names(self.directory):
            if name != TURN:
                self.remove(f"{self.directory}/{name}")

    def remove(self, path: str) -> None:
        """Deletes a file, a link, or a directory with all that is in there."""
        found = self.files.look(path)
        if found is None or found.kind != "directory":
            self.files.remove(path)
            return
        for name in self.folders.names(path):
            self.remove(f"{path}/{name}")
        self.folders.remove(path)


def commit_line(subject: str) -> str:
    """The command that makes a commit."""
    return f"git commit -m {shlex.quote(writable(subject))}\n"
