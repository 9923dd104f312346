"""Where the runs of a plan keep their state: a folder of its own below a home, held by one run at a time."""

import contextlib
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from harness.errors import MachineError, UsageError
from harness.ports.files import Files

DEFAULT_HOME: Final = ".windtunnel"
PRIVATE: Final = {".claude", ".loki"}  # of other programs, which keep their own state there
_NAME_CHARACTERS: Final = 60
_DIGEST_CHARACTERS: Final = 8


class ShellHome:
    """``home`` is the folder of all plans, ``plan`` the file of this one; both absolute.

    The state is that of the plan's file, by its place beside the home: a project that is moved as a whole keeps it.
    """

    def __init__(self, home: str, plan: str, files: Files) -> None:
        self.home = home
        place = os.path.relpath(os.path.realpath(plan), os.path.realpath(home))
        digest = hashlib.sha256(os.fsencode(place)).hexdigest()[:_DIGEST_CHARACTERS]
        self.state = os.path.join(home, f"{Path(plan).stem[:_NAME_CHARACTERS]}-{digest}")
        self._files = files

    @property
    def has_state(self) -> bool:
        """Has a run of it begun here before?"""
        return os.path.isdir(self.state)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Nobody else runs the plan meanwhile; MachineError while somebody does, UsageError where nothing can lie."""
        if PRIVATE & set(Path(os.path.realpath(self.home)).parts):
            raise UsageError(
                f"--home {self.home} lies where another program keeps its own state; choose another folder"
            )
        with contextlib.ExitStack() as lock:
            try:
                self._files.create(os.path.join(self.home, ".gitignore"), b"*\n", 0.0)
                lock.enter_context(self._files.lock(f"{self.state}.lock", 0.0))
            except TimeoutError as error:
                raise MachineError(
                    f"another agent-run is at work on this plan ({self.state}); wait for it, or end it"
                ) from error
            except OSError as error:
                raise UsageError(
                    f"cannot keep state below {self.home}: {error.strerror or error}; choose another with --home"
                ) from error
            yield

    def begin_anew(self) -> str | None:
        """Puts the state aside; where it is now, None when there was none. May raise OSError."""
        if not self.has_state:
            return None
        number = 1
        while os.path.lexists(aside := f"{self.state}.before-{number}"):
            number += 1
        os.rename(self.state, aside)
        return aside
