"""The wall clock of a program, told by the supervisor: any program in any language, static ones too.

What is told: clock_gettime of the wall clock and its kin (coarse, TAI, alarm), gettimeofday and time, to every process
that a run starts, children and grandchildren too (see ``vdso``). Waits until a moment of the wall clock (of
clock_nanosleep and futex, by which libraries wait with a time-out) end when the clock told to the program comes there,
if it goes on as it did when the wait began. The monotonic clocks, sleeping, and the times of files stay the machine's:
what a program writes is dated by the kernel. Not covered: timers set to a moment of the wall clock (timerfd_settime,
timer_settime, mq_timedreceive), adjtimex, the time-stamp counter read directly, programs that set up no thread
(assembly) or are of 32 bits, and a clock that steps while a program waits until a moment of it.

With a ``SteppedTime`` the monotonic clocks are told too, and neither moves but when it is stepped: such a program lives
in the time of a scenario. Its waits take as long as they say, by the machine's clock, and move nothing.
"""

import errno
import os
import struct
import time
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Final

from harness.errors import MachineError
from harness.faults.syscalls import memory, notification, vdso
from harness.sandbox import WallClock

Match = tuple[int, str, *tuple[int, ...]]  # which argument, how libseccomp compares it, and with what

_WALL_CLOCKS: Final = (0, 5, 8, 11)  # CLOCK_REALTIME, _COARSE, _ALARM and TAI
_STEADY_CLOCKS: Final = (1, 4, 6, 7, 9)  # CLOCK_MONOTONIC, _RAW, _COARSE, BOOTTIME and its _ALARM
_ABSOLUTE: Final = 1  # TIMER_ABSTIME
_REALTIME_FUTEX: Final = 0x100  # FUTEX_CLOCK_REALTIME
_LOCK_PI: Final = 6  # always until a moment of the wall clock
_WAIT_BITSET: Final = 9  # until a moment, where FUTEX_WAIT waits for so long
_COMMAND: Final = 0x7F
_NS: Final = 1_000_000_000
_TIMESPEC: Final = struct.Struct("=qq")
_ZONE: Final = bytes(8)

_START: Final = vdso.START_CALLS.get(os.uname().machine, {})
TIME_CALLS: Final[Mapping[str, tuple[tuple[Match, ...], ...]]] = {
    "clock_gettime": tuple(((0, "EQ", clock),) for clock in _WALL_CLOCKS),
    "gettimeofday": ((),),
    "time": ((),),
    "clock_nanosleep": tuple(((0, "EQ", clock), (1, "MASKED_EQ", _ABSOLUTE, _ABSOLUTE)) for clock in _WALL_CLOCKS),
    "futex": (
        ((1, "MASKED_EQ", _REALTIME_FUTEX, _REALTIME_FUTEX), (3, "NE", 0)),
        ((1, "MASKED_EQ", _COMMAND, _LOCK_PI), (3, "NE", 0)),
    ),
    **{name: ((),) if value is None else (((0, "EQ", value),),) for name, value in _START.items()},
}
"""Each call that tells the time, waits for it, or shows that a program starts, and in which uses it is of interest."""
STEADY_CALLS: Final[Mapping[str, tuple[tuple[Match, ...], ...]]] = {
    "clock_gettime": tuple(((0, "EQ", clock),) for clock in _STEADY_CLOCKS),
    "clock_nanosleep": tuple(((0, "EQ", clock), (1, "MASKED_EQ", _ABSOLUTE, _ABSOLUTE)) for clock in _STEADY_CLOCKS),
    "futex": (((1, "MASKED_EQ", _COMMAND | _REALTIME_FUTEX, _WAIT_BITSET), (3, "NE", 0)),),
}
"""The further uses of these calls that have to do with a clock nobody can set."""
_FIRST_STEADY_NS: Final = (
    1_000_000 * _NS
)  # what a machine says that has been up for days: nothing lies before its start
_LAST_STEADY_NS: Final = 8_000_000_000 * _NS  # what 64 bits hold, with room for a sum


class SteppedTime:
    """The clocks of programs that live in a scenario's time: they stand still until they are stepped.

    The wall clock goes where it is stepped to; the monotonic ones go on by as much, and stand where that goes back.
    """

    def __init__(self, now_us: int) -> None:
        self.wall_ns = now_us * 1000
        self.steady_ns = _FIRST_STEADY_NS

    def step(self, now_us: int) -> None:
        """It is now so many microseconds since the epoch."""
        self.steady_ns = min(self.steady_ns + max(0, now_us * 1000 - self.wall_ns), _LAST_STEADY_NS)
        self.wall_ns = now_us * 1000

    def read_ns(self, clock: int) -> int:
        """What the clock of that number says, in nanoseconds."""
        return self.wall_ns if clock in _WALL_CLOCKS else self.steady_ns


class TimeCalls:
    """Answers those calls for the runs of one supervisor. ``read_ns`` reads a clock of the machine, by its number.

    With ``stepped`` all clocks are told, from that; ``clock`` is then what steps the wall clock besides.
    MachineError where it is not known how programs ask for the time.
    """

    def __init__(
        self,
        clock: WallClock,
        read_ns: Callable[[int], int] = time.clock_gettime_ns,
        stepped: SteppedTime | None = None,
    ) -> None:
        self.clock = clock
        self.steady = stepped is not None
        self._read_ns = read_ns
        self._source_ns = read_ns if stepped is None else stepped.read_ns
        vdso.require_known()
        self._readings: Counter[int] = Counter()
        self._lent: dict[int, tuple[int, bytes, bytes]] = {}

    def readings(self, run: int) -> int:
        """How often that run has asked for the time so far."""
        return self._readings[run]

    def answer(self, run: int, listener: int, name: str, asked: notification.Notification) -> bool:
        """Answer that call if it is one of time; MachineError when this machine refuses what it takes."""
        if not (_concerns(TIME_CALLS, name, asked) or (self.steady and _concerns(STEADY_CALLS, name, asked))):
            return False
        self._give_back(asked.tid)
        if name in _START:
            vdso.take_out_of_use(asked.tid)
            notification.proceed(listener, asked.id)
        elif name in ("clock_nanosleep", "futex"):
            self._translate(run, asked, 2 if name == "clock_nanosleep" else 3)
            notification.proceed(listener, asked.id)
        else:
            self._tell(run, listener, name, asked)
        return True

    def _told_ns(self, run: int, clock: int) -> int:
        source_ns = self._source_ns(clock)
        return source_ns if clock in _STEADY_CLOCKS else self.clock.told_ns(source_ns, self._readings[run])

    def _tell(self, run: int, listener: int, name: str, asked: notification.Notification) -> None:
        self._readings[run] += 1
        first, second, *_ = asked.arguments
        value = 0
        try:
            told = self._told_ns(run, memory.signed(first) if name == "clock_gettime" else time.CLOCK_REALTIME)
            seconds, rest = divmod(told, _NS)
            if name == "clock_gettime":
                parts = [(second, _TIMESPEC.pack(seconds, rest))]
            elif name == "gettimeofday":
                parts = [(first, _TIMESPEC.pack(seconds, rest // 1000)), (second, _ZONE)]
            else:
                parts = [(first, struct.pack("=q", seconds))]
                value = seconds
            for address, data in parts:
                if address or name == "clock_gettime":
                    memory.write(asked.tid, address, data)
        except OSError as error:
            if error.errno in (errno.EPERM, errno.EACCES):
                raise MachineError("this machine does not let us write into a program we start") from error
            notification.refuse(listener, asked.id, error.errno or errno.EFAULT)
            return
        notification.give(listener, asked.id, value)

    def _translate(self, run: int, asked: notification.Notification, place: int) -> None:
        """The moment waited for, in the program's time, is made the machine's, until the thread asks us again.

        The kernel reads it from the program's own memory, so it is written there; the program gets its value back.
        """
        address = asked.arguments[place]
        try:
            before = memory.read(asked.tid, address, _TIMESPEC.size)
            seconds, rest = _TIMESPEC.unpack(before)
            clock = memory.signed(asked.arguments[0]) if place == 2 else _clock_of(asked.arguments[1])
            away = self._read_ns(clock) - self._told_ns(run, clock)
            if not away or not 0 <= rest < _NS or seconds < 0:
                return  # the kernel refuses what is no time, and does so itself
            meant = _TIMESPEC.pack(*divmod(max(0, seconds * _NS + rest + away), _NS))
            memory.write(asked.tid, address, meant)
        except (OSError, struct.error):
            return  # no such memory: the kernel says so
        self._lent[asked.tid] = (address, before, meant)

    def _give_back(self, tid: int) -> None:
        """What was translated for that thread's last wait is made the program's own again, if it is still there."""
        lent = self._lent.pop(tid, None)
        if lent is None:
            return
        address, before, meant = lent
        try:
            if memory.read(tid, address, len(meant)) == meant:
                memory.write(tid, address, before)
        except OSError:
            return


def _clock_of(futex_operation: int) -> int:
    """The clock of the moment that such a wait is given."""
    by_wall = futex_operation & _REALTIME_FUTEX or futex_operation & _COMMAND == _LOCK_PI
    return time.CLOCK_REALTIME if by_wall else time.CLOCK_MONOTONIC


def _concerns(calls: Mapping[str, tuple[tuple[Match, ...], ...]], name: str, asked: notification.Notification) -> bool:
    """Whether that use is one of ``calls``: another part of the filter may have asked for more of them."""
    return any(all(_holds(match, asked.arguments) for match in uses) for uses in calls.get(name, ()))


def _holds(match: Match, arguments: tuple[int, ...]) -> bool:
    place, comparison, *values = match
    argument = arguments[place]
    if comparison == "MASKED_EQ":
        return argument & values[0] == values[1]
    return (argument == values[0]) is (comparison == "EQ")
