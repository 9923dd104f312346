"""The functions through which Python code reaches files, exchanged for ones that ask first.

Seen: ``open`` (with real buffering: what is asked about are the writes of its buffer), the functions of ``os`` that
``pathlib``, ``shutil`` and ``tempfile`` build on, ``fcntl.flock`` and ``lockf``, ``time.sleep``. Not seen: C code with
file calls of its own (sqlite3, mmap, dbm), child processes, and functions that a module took by name
(``from os import replace``) before, unless that module is named.
"""

import contextlib
import errno
import os
import threading
import weakref
from collections.abc import Callable, Generator, Iterable
from types import ModuleType, TracebackType
from typing import Any, Final, Self, TypeVar

from harness.errors import HarnessFault
from harness.explore.in_process.calls import Call, Handler, Killed, failure
from harness.explore.in_process.originals import ORIGINAL, Patches, taken_by_name
from harness.explore.in_process.raw_file import Raw
from harness.explore.in_process.wrappers import wrappers
from harness.faults.syscalls.calls import Kind
from harness.faults.syscalls.supervisor import Answer, Delay, Fail, Go, Kill, Torn

T = TypeVar("T")
_GO: Final = Go()
_LINKS: Final = 40  # as many as Linux follows


class Life:
    """One simulated process: what it holds open, and whether it is dead."""

    def __init__(self) -> None:
        self.dead = False
        self.descriptors: set[int] = set()
        self.files: weakref.WeakSet[Raw] = weakref.WeakSet()

    def bury(self) -> None:
        """Closes everything without writing what is still in buffers, as the kernel does for a process that dies."""
        self.dead = True
        for file in list(self.files):
            file.abandon()
        for descriptor in self.descriptors:
            with contextlib.suppress(OSError):
                ORIGINAL.close(descriptor)
        self.descriptors.clear()


class Boundary:
    """The boundary around one directory, as a context manager; only one can stand at a time (HarnessFault).

    ``modules`` are those of the code under test that took functions by name.
    """

    _standing: "Boundary | None" = None

    def __init__(self, directory: str, modules: Iterable[ModuleType] = ()) -> None:
        self.directory = os.path.realpath(directory)
        self._below = self.directory + "/"
        self._modules = tuple(modules)
        self._handlers: list[Handler] = []
        self._lives = threading.local()
        self._patches = Patches()
        self.locked: set[int] = set()  # descriptors that hold a lock, whose close sets others free
        self.sleepless = False  # sleeping is a call like others, and takes no time

    def __enter__(self) -> Self:
        if Boundary._standing is not None:
            raise HarnessFault(f"a boundary stands around {Boundary._standing.directory} already")
        Boundary._standing = self
        try:
            exchanged = wrappers(self)
            for (owner, name), function in exchanged.items():
                self._patches.put(owner, name, function)
            for module, name, original in taken_by_name(self._modules, exchanged):
                self._patches.put(module, name, exchanged[original])
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._patches.restore()
        finally:
            Boundary._standing = None

    @property
    def standing(self) -> bool:
        """Whether calls are still asked about: a file object may outlive the boundary."""
        return Boundary._standing is self

    @contextlib.contextmanager
    def under(self, handler: Handler) -> Generator[Handler]:
        """``handler`` is asked about every call inside, before those that were there already."""
        self._handlers.insert(0, handler)
        try:
            yield handler
        finally:
            self._handlers.remove(handler)

    @contextlib.contextmanager
    def process(self) -> Generator[Life]:
        """Inside, this thread is a process of its own; a Killed that ends it stays inside."""
        outer = getattr(self._lives, "life", None)
        self._lives.life = life = Life()
        try:
            yield life
        except Killed:
            if not life.dead:
                raise
        finally:
            self._lives.life = outer
            if life.dead:
                life.bury()

    @property
    def life(self) -> Life | None:
        """The process that this thread is, if it is one."""
        found: Life | None = getattr(self._lives, "life", None)
        return found

    def path(self, path: Any, directory: int | None = None) -> str | None:
        """``path`` relative to the directory; None for what lies elsewhere. A descriptor has its file's name."""
        if isinstance(path, int):
            return self._path_of(path)
        text = os.fsdecode(path)
        if not text.startswith("/"):
            base: str = ORIGINAL.getcwd() if directory is None else ORIGINAL.readlink(f"/proc/self/fd/{directory}")
            text = f"{base}/{text}"
        text = os.path.normpath(text)
        if text.startswith(self._below):
            return text[len(self._below) :]
        return "." if text == self.directory else None

    def _path_of(self, descriptor: int) -> str | None:
        try:
            text: str = ORIGINAL.readlink(f"/proc/self/fd/{descriptor}")
        except OSError:
            return None
        if text.startswith(self._below):
            return text[len(self._below) :]
        return "." if text == self.directory else None

    def followed(self, path: str, flags: int) -> str:
        """The name of the file that an open of ``path`` reaches: through symbolic links, if it follows them."""
        for _ in range(_LINKS):
            if flags & os.O_NOFOLLOW or flags & os.O_EXCL:
                break
            try:
                target = ORIGINAL.readlink(f"{self._below}{path}")
            except OSError:
                break
            reached = self.path(os.path.join(self._below, os.path.dirname(path), target))
            if reached is None:
                break
            path = reached
        return path

    def closed(self, descriptor: int) -> None:
        """The descriptor is given back: nothing holds it any more."""
        self.locked.discard(descriptor)
        if self.life is not None:
            self.life.descriptors.discard(descriptor)

    def refreshed(self, call: Call) -> Call:
        """The call with the name that its file has now."""
        path = None if call.descriptor is None else self._path_of(call.descriptor)
        if path is not None and path != call.paths[0]:
            call.paths = (path, *call.paths[1:])
        return call

    def perform(self, call: Call, do: Callable[[], T], part: Callable[[int], T] | None = None) -> T:
        """Does the call, or what is answered instead; ``part`` does only the first bytes of it."""
        self.check_alive()
        answer = self._answer(call)
        self.check_alive()  # the threads of a schedule are ended while they wait for their answer
        match answer:
            case Fail(name):
                if call.kind is Kind.CLOSE:  # Linux gives the descriptor back before it fails
                    do()
                raise failure(getattr(errno, name), call.paths[0])
            case Kill():
                self._die()
            case Torn(size, kill) if part is not None:
                result = part(size)
                self._done(call, result)
                if kill:
                    self._die()
                return result
            case Delay(seconds):
                ORIGINAL.sleep(seconds)
        result = do()
        self._done(call, result)
        return result

    def waited(self, call: Call, attempt: Callable[[], bool]) -> bool:
        """Whether a handler took over the waiting for a lock, and got it."""
        return any(handler.waited(call, attempt) for handler in self._handlers)

    def _answer(self, call: Call) -> Answer:
        for handler in self._handlers:
            handler.about(call)
        for handler in self._handlers:
            answer = handler.before(call)
            if not isinstance(answer, Go):
                return answer
        return _GO

    def _done(self, call: Call, result: Any) -> None:
        for handler in self._handlers:
            handler.after(call, result)

    def check_alive(self) -> None:
        """Raises Killed when this thread is a process that is dead: it does nothing any more."""
        life = self.life
        if life is not None and life.dead:
            raise Killed

    def _die(self) -> None:
        life = self.life
        if life is None:
            raise HarnessFault("a call is to be killed outside Boundary.process")
        life.dead = True
        raise Killed
