"""Every errno, crash and schedule for Python code in this process, at the boundary between it and the library.

How to use it (docs/explore.md has it as a program that runs)::

    with Boundary(directory) as boundary:
        subject = Subject(directory, before, operate, judge, recover, survives)
        swept = sweep(boundary, subject)                      # each file call fails, with each error it can meet
        crashed = crashes(boundary, subject, "power")         # each state that a crash can leave is recovered
        raced = race(boundary, before, [operate, operate], judge_ends, Schedules())   # each order of file calls
    assert patched() == []

What is counted has to be looked at: ``swept.unfired`` and ``coverage.cut`` say what was not tested.
"""

from harness.explore.in_process.boundary import Boundary
from harness.explore.in_process.crashes import Crashed, Crashes, crashes
from harness.explore.in_process.originals import patched
from harness.explore.in_process.subject import Ended, Subject
from harness.explore.in_process.sweep import Strike, Struck, Swept, sweep
from harness.explore.in_process.threads import Race, Raced, race

__all__ = [
    "Boundary",
    "Crashed",
    "Crashes",
    "Ended",
    "Race",
    "Raced",
    "Strike",
    "Struck",
    "Subject",
    "Swept",
    "crashes",
    "patched",
    "race",
    "sweep",
]
