"""Who is who in a race, by numbers that are the same in every execution: run, process of the run, call of the process.

Processes are numbered as they make their first call that is held, whoever started them before; those that do so at the
same moment of rest in the order in which they were started. Which of a pool's threads takes up which work differs from
time to time, so a thread has no number: the calls of one process that are held at once are told apart by what they ask
for.
"""

from collections.abc import Callable, Collection, Iterable
from typing import Final, NamedTuple

from harness.explore.races.processes import Chain
from harness.faults.syscalls import Call

_RUN: Final = 10**8
_PROCESS: Final = 10**4
_KILLS: Final = 10**12


class Actor(NamedTuple):
    """Whoever makes a step: a process of a run; ``kill`` is what kills the whole run."""

    run: int
    process: int
    kill: bool


def kill_number(run: int) -> int:
    """The number of what kills that run."""
    return _KILLS + run


def run_number(run: int) -> int:
    """The number of a run's first process."""
    return run * _RUN


def actor(number: int) -> Actor:
    """Whose step it is."""
    if number >= _KILLS:
        return Actor(number - _KILLS, 0, kill=True)
    return Actor(number // _RUN, number % _RUN // _PROCESS, kill=False)


class Identities:
    """The numbers of one execution."""

    def __init__(self) -> None:
        self._processes: dict[int, int] = {}
        self._counts: dict[int, int] = {}
        self._slots: dict[int, int] = {}  # by thread, while its call is held or goes on
        self._owners: dict[int, int] = {}

    def number(
        self, calls: Iterable[Call], chain: Callable[[int], Chain], sorting: Callable[[Call], tuple[str, ...]]
    ) -> dict[int, Call]:
        """The held calls by number; ``chain`` tells the ancestors of a process within its run.

        Those of one process are put in order by ``sorting``, which processes that have their numbers are asked.
        """
        calls = list(calls)
        new = {call.pid: call.run for call in calls if call.pid not in self._processes}
        for pid, run in sorted(new.items(), key=lambda each: chain(each[0])):
            for _, ancestor in chain(pid):
                if ancestor not in self._processes:
                    self._processes[ancestor] = self._counts.get(run, 0)
                    self._counts[run] = self._processes[ancestor] + 1
        for call in sorted(calls, key=lambda call: (call.name, sorting(call), call.tid)):
            if call.tid not in self._slots:
                taken = {slot for tid, slot in self._slots.items() if self._owners[tid] == call.pid}
                self._slots[call.tid] = min(set(range(len(taken) + 1)) - taken)
                self._owners[call.tid] = call.pid
        return {call.run * _RUN + self._processes[call.pid] * _PROCESS + self._slots[call.tid]: call for call in calls}

    def process(self, pid: int) -> int:
        """The number within its run of a process that has one; KeyError of another."""
        return self._processes[pid]

    def free(self, tids: Collection[int]) -> None:
        """The calls of these threads are over: their places can be taken by others of the same process."""
        for tid in tids:
            self._slots.pop(tid, None)
            self._owners.pop(tid, None)

    def taken(self) -> tuple[int, ...]:
        """The threads whose call is held or goes on."""
        return tuple(self._slots)
