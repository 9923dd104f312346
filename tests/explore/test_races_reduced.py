"""The orders that are left out show nothing new: real programs end in the same ways as when every order is run."""

import pytest
from racing import Racing, Seen, python, sandbox_for

from harness.explore.races import Race
from harness.explore.schedules import Schedules

FCNTL = """
import fcntl, os
lock = os.open("lock", os.O_CREAT | os.O_RDWR)
fcntl.lockf(lock, fcntl.LOCK_EX)
n = int(os.read(os.open("n", os.O_RDONLY), 9))
file = os.open("n", os.O_WRONLY); os.write(file, b"%d" % (n + 1))
os.close(lock)
os.close(os.open("done" + os.environ.get("WHO", ""), os.O_CREAT | os.O_WRONLY))
"""
TRY = """
import fcntl, os
lock = os.open("lock", os.O_CREAT | os.O_RDWR)
try: fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
except BlockingIOError: print("busy"); raise SystemExit
os.close(os.open("a", os.O_CREAT | os.O_WRONLY))
os.close(lock)
print(os.path.exists("b"))
"""
PROGRAMS = {
    "names": [["bash", "-c", "mkdir d 2>/dev/null; echo 1 >d/a; mv d e 2>/dev/null; cat e/* 2>/dev/null"]] * 2,
    "try a lock": [python(TRY), python(TRY.replace('"a"', '"b"'))],
    "wait for a lock": [python(FCNTL)] * 2,
    "list": [["bash", "-c", "echo *; : >a; rm a"], ["bash", "-c", ": >b; echo *"]],
    "pipeline": [["bash", "-c", "cat a | tee b; cat b"], ["bash", "-c", "echo 2 >>a; rm -f b"]],
    "a link": [
        ["bash", "-c", "[ -e a ] && echo 1 >>l; ln -sf n l"],
        ["bash", "-c", "ln -sf a l; read -r x <a; echo $x; rm l"],
    ],
    "listing after a rename": [["bash", "-c", "mv a b; ls"], ["bash", "-c", "[ -e a ] && cat b; echo 3 >>b"]],
}
AT_RANDOM = 25  # with 300 of them the same held


@pytest.fixture(scope="module")
def box():
    with sandbox_for(["bash"]) as box:
        yield box


def ways(race: Racing, schedules: Schedules) -> set[tuple[object, ...]]:
    """How executions end: what is in the files, what was said, and the exit codes."""
    found: set[tuple[object, ...]] = set()
    for schedule in schedules:
        with Race(schedule, below=(race.state,)) as one:
            seen: Seen = race.attempt(one)
        if schedule.end == "exited":
            ends = tuple((end.exit_code, end.stdout, end.stderr) for end in seen.ends)
            found.add((tuple(sorted(seen.files.items())), ends))
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_orders_at_random_show_nothing_that_the_reduced_ones_do_not(box, name):
    race = Racing(box, PROGRAMS[name], {"n": b"0", "a": b"1\n"})
    schedules = Schedules()
    exhaustive = ways(race, schedules)
    assert schedules.coverage.exhausted
    assert ways(race, Schedules(bound=0, beyond=AT_RANDOM)) <= exhaustive
