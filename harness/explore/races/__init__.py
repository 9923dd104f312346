"""Races of real processes: two or more runs under one supervisor, held at their file calls, released in every order.

How to use it::

    def attempt(race: Race) -> Seen:
        box.fresh()                                        # every schedule begins with the same files
        ends = box.run_together([Run(..., filter=race.filter()), Run(..., filter=race.filter())])
        return Seen(ends, box.snapshot())

    report = explore_races(attempt, judge, below=(box.roots.home,), bounds=RaceBounds(schedules=1000), seed=0)

``attempt`` makes one execution: it brings the files to their beginning, starts the runs, each with a filter of its
own, and carries them to their ends; what it gives is judged by ``judge``: "" when all is well, otherwise a sentence.
Both are called in the thread of the caller. Nothing is released before ``runs`` (2) of them have been started and have
all their input. ``Race.killed`` tells which of them this schedule killed; give it on to the judge if it matters. A
failing order is repeated by ``replay_race(attempt, judge, failure.choices, below=...)``. Let the runs' own time limits
be far longer than ``bounds.idle_s``: an execution in which nothing happens any more is inconclusive, not failed; so is
one with a run whose input is kept open and silent. A run that computes for ever is found by ``bounds.endless_s``. A run
of ``crashing`` is killed before each of its calls.

Programs that live on and are asked over their pipes are started with ``race.filter(served=True)``: while they wait for
their input they are idle, not stuck. Send what they are to do at once within ``with race.feeding():``, which holds all
of them back until the last one has it, then read their answers.

A *run* is whatever one command starts: threads, children, pipelines. Each of its processes has three states besides
running: held at a call, blocked in the kernel (flock, pipe, wait, futex), gone. Only when none is running, which is
seen in /proc and not guessed from time, the next call is chosen; all blocked and none held is a deadlock. A sleep ends
at once, but one that follows a look in vain lasts until another process has changed what was looked at, or until nobody
else can go on: a loop around a lock has not endless orders.

What is the same in every execution is (process, call, paths): processes are numbered within their run in the order of
their birth, as they make their first call, and names that they make up (temporary files) in the order in which they
name them, see new_names. Two executions of the same choices are the same, and so is their verdict; one in which a
process does not repeat what it did is told as such (``untold``), and never judged as if it had. So that this shows
where there are few orders, too, the first one is run once more at the end.

Not covered: waits with a time-out (poll, select, epoll, timed locks) end when their time has come, in no chosen order;
runs that talk to each other by other means than files below the watched paths (sockets, signals, shared memory, writes
through a mapping) are not ordered by them; a program that gives up after so many looks is not made to give up early;
loops around a lock without a sleep are cut; two names of one file (hard links) count as two files. A descriptor is
closed, and its lock let go, together with the call before; fstat is done together with the call before, too; a sync
shows nobody anything; of one run, who ends early among processes that only share a pipe's two ends.
"""

from harness.explore.races.race import SCHEDULED, Race, RaceStep
from harness.explore.races.search import (
    RaceBounds,
    RaceFailure,
    RaceOutcome,
    RaceReport,
    explore_races,
    replay_race,
)

__all__ = [
    "SCHEDULED",
    "Race",
    "RaceBounds",
    "RaceFailure",
    "RaceOutcome",
    "RaceReport",
    "RaceStep",
    "explore_races",
    "replay_race",
]
