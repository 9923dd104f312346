"""Python code as several processes, each a thread of this one, that make their file calls in a chosen order.

Only one of them runs at a time, from one call to the next. A thread is held at a call, blocked, or has exited. Blocked
is one that waits for a ``flock``, which is tried for it after each step of another, or one that the kernel has put to
sleep elsewhere (a ``threading.Lock``): that shows in its state under /proc, and only there costs time.

Not as between processes: memory is shared, record locks (``lockf``) never conflict, and a thread that sleeps for ever
in the kernel cannot be ended and stays behind. ``time.sleep`` is a step that takes no time. In which order a
``threading.Lock`` is taken is not explored: it is no file call.
"""

import os
import threading
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from harness.errors import UntestableError
from harness.explore.accesses import Access, accessed
from harness.explore.in_process.boundary import Boundary, Life
from harness.explore.in_process.calls import Call, Handler
from harness.explore.in_process.originals import ORIGINAL, exists
from harness.explore.in_process.subject import Ended, lived
from harness.explore.new_names import MadeUp, Namer, NewNames
from harness.explore.schedules import Schedule, ScheduleCoverage, Schedules, Step
from harness.explore.state_folder import settle
from harness.explore.writes import Files
from harness.faults.syscalls.calls import Kind
from harness.faults.syscalls.supervisor import Answer, Go

STEP_S: Final = 10.0  # a thread that comes to no call for so long is stuck in a loop of its own
_LOOK_S: Final = 0.002
_LOOKS: Final = 4  # so often in a row the kernel must say that a thread sleeps

_RUNS, _HELD, _WAITS, _SLEEPS, _GONE = "runs", "held", "waits", "sleeps", "gone"


class _Thread:
    """One simulated process and where it is."""

    def __init__(self, number: int, body: Callable[[], object]) -> None:
        self.number = number
        self.body = body
        self.state = _GONE  # not begun yet
        self.call: Call | None = None
        self.attempt: Callable[[], bool] = lambda: False
        self.gate = threading.Semaphore(0)
        self.life: Life | None = None
        self.ended = Ended(killed=True)
        self.kernel_id = 0
        self.seen = ("", 0)
        self.looks = 0


class Threads(Handler):
    """Runs ``bodies`` once, in the order that ``schedule`` chooses. Use ``run``, once.

    ``made_up`` is what is known from executions before of the names that the bodies make up (``tempfile``).
    """

    def __init__(
        self,
        boundary: Boundary,
        schedule: Schedule,
        bodies: Sequence[Callable[[], object]],
        made_up: MadeUp | None = None,
    ) -> None:
        prefix = boundary.directory + "/"
        self._names = NewNames(made_up or MadeUp(), (boundary.directory,), lambda path: path.removeprefix(prefix))
        self._boundary = boundary
        self._schedule = schedule
        self._threads = [_Thread(number, body) for number, body in enumerate(bodies)]
        self._mutex = threading.RLock()
        self._mine = threading.local()
        self._settled = threading.Event()
        self._choosing = False
        self._linked = False
        self._waiting: list[_Thread] = []

    def run(self) -> list[Ended]:
        """How each body ended. Raises UntestableError when one computes for STEP_S without any file call."""
        before = self._boundary.sleepless
        self._boundary.sleepless = True
        try:
            with self._boundary.under(self):
                for thread in self._threads:
                    self._settled.clear()
                    thread.state = _RUNS
                    threading.Thread(target=self._live, args=[thread], daemon=True).start()
                    self._until_settled()
                self._settled.clear()
                with self._mutex:
                    self._choosing = True
                    self._go_on()
                self._until_settled()
        finally:
            self._boundary.sleepless = before
        return [thread.ended for thread in self._threads]

    def _live(self, thread: _Thread) -> None:
        self._mine.thread = thread
        thread.kernel_id = threading.get_native_id()

        def body() -> object:
            thread.life = self._boundary.life
            return thread.body()

        thread.ended = lived(self._boundary, body)
        with self._mutex:
            thread.state = _GONE
            self._go_on()

    def before(self, call: Call) -> Answer:
        """Holds the thread until it is its turn."""
        thread = self._current()
        if thread is not None:
            with self._mutex:
                self._linked = self._linked or call.kind is Kind.LINK
                thread.call = call
                thread.state = _HELD
                self._go_on()
            thread.gate.acquire()
        return Go()

    def waited(self, call: Call, attempt: Callable[[], bool]) -> bool:
        """Waits for a lock without the kernel, which would stop the whole baton."""
        thread = self._current()
        if thread is None:
            return False
        if not attempt():
            with self._mutex:
                thread.attempt = attempt
                thread.state = _WAITS
                self._waiting.append(thread)
                self._go_on()
            thread.gate.acquire()
            self._boundary.check_alive()
        return True

    def _current(self) -> _Thread | None:
        found: _Thread | None = getattr(self._mine, "thread", None)
        return found if found is not None and found.life is not None and not found.life.dead else None

    def _go_on(self) -> None:
        """Lets somebody run if nobody does: whoever got its lock, else whoever is chosen."""
        if any(thread.state == _RUNS for thread in self._threads) or self._woken():
            return
        if not self._choosing:
            self._settled.set()
            return
        held = {thread.number: self._access(thread) for thread in self._threads if thread.state == _HELD}
        stopped = [thread.number for thread in self._threads if thread.state in (_WAITS, _SLEEPS)]
        chosen = self._schedule.choose(held, stopped)
        if chosen is None:
            self._end()
        else:
            self._resume(self._threads[chosen])

    def _woken(self) -> bool:
        for thread in self._threads:
            if thread.state == _SLEEPS and _in_kernel(thread.kernel_id) != thread.seen:
                thread.state = _RUNS
                thread.looks = 0
                return True
        for thread in self._waiting:
            if thread.attempt():
                self._waiting.remove(thread)
                self._resume(thread)
                return True
        return False

    def _resume(self, thread: _Thread) -> None:
        thread.state = _RUNS
        thread.looks = 0
        thread.gate.release()

    def _end(self) -> None:
        """Nobody goes on: whoever is left dies where it is."""
        self._choosing = False
        self._waiting.clear()
        left = [thread for thread in self._threads if thread.state in (_HELD, _WAITS)]
        for thread in self._threads:
            if thread.life is not None and thread.state != _GONE:
                thread.life.dead = True
        for thread in left:
            self._resume(thread)
        if not left:
            self._settled.set()

    def _access(self, thread: _Thread) -> Access:
        assert thread.call is not None  # noqa: S101 - it is held at it
        call = self._boundary.refreshed(thread.call)
        kind = Kind.LOCK if call.kind is Kind.CLOSE and call.descriptor in self._boundary.locked else call.kind
        flags = call.flags & ~os.O_CREAT if kind is Kind.OPEN and self._exists(call.paths[0]) else call.flags
        namer = Namer(str(thread.number), self._schedule.choices, exists)
        identity = tuple(self._names.identity(self._whole(path), namer) for path in call.paths)
        access = msgspec.structs.replace(accessed(call.name, kind, call.paths, flags), identity=identity)
        return self._same_file(access) if self._linked else access

    def _exists(self, path: str) -> bool:
        return exists(self._whole(path))

    def _whole(self, path: str) -> str:
        return f"{self._boundary.directory}/{path}"

    def _same_file(self, access: Access) -> Access:
        """With the inodes as well: two names may be one file."""
        return msgspec.structs.replace(
            access, reads=access.reads | self._inodes(access.reads), writes=access.writes | self._inodes(access.writes)
        )

    def _inodes(self, paths: frozenset[str]) -> frozenset[str]:
        found = set()
        for path in paths:
            try:
                found.add(f"\0{ORIGINAL.stat(f'{self._boundary.directory}/{path}').st_ino}")
            except (OSError, ValueError):
                continue
        return frozenset(found)

    def _until_settled(self) -> None:
        """Waits until nobody runs any more, and looks now and then whether whoever runs sleeps in the kernel."""
        waited = 0.0
        steps = len(self._schedule.trace)
        while not self._settled.wait(_LOOK_S):
            waited = waited + _LOOK_S if steps == len(self._schedule.trace) else 0.0
            steps = len(self._schedule.trace)
            with self._mutex:
                self._look()
            if waited > STEP_S:
                raise UntestableError(f"no thread came to a file call within {STEP_S:g} s; it may loop without any")

    def _look(self) -> None:
        for thread in self._threads:
            if thread.state != _RUNS or not thread.kernel_id:
                continue
            seen = _in_kernel(thread.kernel_id)
            thread.looks = thread.looks + 1 if seen == thread.seen and seen[0] == "S" else 0
            thread.seen = seen
            if thread.looks >= _LOOKS:
                thread.state = _SLEEPS
                self._go_on()


def _in_kernel(thread: int) -> tuple[str, int]:
    """The state letter of a thread, and how often it has gone to sleep; a thread that is gone has neither."""
    try:
        with ORIGINAL.open(f"/proc/self/task/{thread}/status") as file:
            lines = dict(line.split(":", 1) for line in file)
    except (OSError, ValueError):
        return "", 0
    return lines["State"].split()[0], int(lines["voluntary_ctxt_switches"])


class Race(msgspec.Struct, frozen=True):
    """A schedule after which the directory or what was answered is not sound; ``choices`` repeat it (see replay)."""

    choices: tuple[int, ...]
    trace: tuple[Step, ...]
    complaint: str


class Raced(msgspec.Struct, frozen=True):
    """What the schedules of some bodies have shown."""

    coverage: ScheduleCoverage
    races: tuple[Race, ...]


def race(
    boundary: Boundary,
    before: Files,
    bodies: Sequence[Callable[[], object]],
    judge: Callable[[list[Ended]], str],
    schedules: Schedules,
) -> Raced:
    """Runs ``bodies`` under each schedule, each time on a directory that holds ``before``; a deadlock is a race."""
    races = []
    made_up = MadeUp()
    for schedule in schedules:
        settle(boundary.directory, before)
        complaint = judged(boundary, schedule, bodies, judge, made_up)
        if complaint:
            races.append(Race(schedule.choices, tuple(schedule.trace), complaint))
    return Raced(schedules.coverage, tuple(races))


def judged(
    boundary: Boundary,
    schedule: Schedule,
    bodies: Sequence[Callable[[], object]],
    judge: Callable[[list[Ended]], str],
    made_up: MadeUp | None = None,
) -> str:
    """One schedule, run to its end and judged; nothing is said of one that was given up. ``made_up``: see Threads."""
    ends = Threads(boundary, schedule, bodies, made_up).run()
    if schedule.end == "deadlock":
        return f"deadlock: {', '.join(map(str, schedule.stuck))} wait for each other"
    return judge(ends) if schedule.end == "exited" else ""
