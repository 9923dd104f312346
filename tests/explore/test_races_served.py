"""Programs that live on and are asked over their pipes, raced while they do what they were asked."""

from types import SimpleNamespace

import pytest
from racing import STATE, python, sandbox_for, texts

from harness.errors import MachineError
from harness.explore.races import Race, explore_races, replay_race
from harness.explore.races.processes import Waiting
from harness.faults.syscalls import filters
from harness.sandbox import MakeDirectory, Running, Sandbox, base_environment

READ = next(number for number in range(1000) if filters.name_of(number) == "read")
TAKES = """
import os, sys
for line in sys.stdin:
    word = line.strip()
    if not os.path.exists(word):
        open(word, "w").close()
        print("took", flush=True)
    else:
        print("left", flush=True)
"""
LOCKS = """
import fcntl, sys
for line in sys.stdin:
    held = [open(name, "a") for name in line.split()]
    for each in held: fcntl.flock(each, fcntl.LOCK_EX)
    for each in held: each.close()
    print("done", flush=True)
"""


class Served:
    """Two of the same program, each asked one thing at once, and afterwards ``last`` of the first alone."""

    def __init__(self, box: Sandbox, code: str, questions: tuple[str, str], last: str = "") -> None:
        self.box = box
        self._code = code
        self._questions = questions
        self._last = last
        self.below = (box.roots.resolve(STATE),)

    def attempt(self, race: Race) -> list[str]:
        self.box.fresh()
        self.box.apply([MakeDirectory(STATE)])
        environment = base_environment(self.box.roots)
        running = [
            self.box.start(python(self._code), env=environment, cwd=STATE, filter=race.filter(served=True))
            for _ in self._questions
        ]
        with race.feeding():
            for each, question in zip(running, self._questions, strict=True):
                each.stdin.write(question.encode() + b"\n")
        answers = [_line(each) for each in running]
        if self._last and all(answers):
            with race.feeding():
                running[0].stdin.write(self._last.encode() + b"\n")
            answers.append(_line(running[0]))
        for each in running:
            each.close()
        return answers


def _line(running: Running) -> str:
    found = b""
    while not found.endswith(b"\n"):
        read = running.stdout.read(1)
        if not read:
            break
        found += read
    return found.decode().strip()


@pytest.fixture(scope="module")
def box():
    with sandbox_for() as box:
        yield box


def one_took_it(answers: list[str]) -> str:
    took = answers.count("took")
    return "" if took == 1 else f"{took} took it"


def test_two_that_are_asked_at_once_are_raced(box):
    served = Served(box, TAKES, ("a", "a"))
    report = explore_races(served.attempt, one_took_it, below=served.below)
    assert ("2 took it", True) == (report.smallest.verdict, report.exhausted)
    again = replay_race(served.attempt, one_took_it, report.smallest.choices, below=served.below)
    assert (report.smallest.verdict, texts(report.smallest.order)) == (again.verdict, texts(again.order))


def test_they_can_be_asked_again_afterwards(box):
    served = Served(box, TAKES, ("a", "b"), last="b")
    report = explore_races(
        served.attempt, lambda answers: "" if answers == ["took", "took", "left"] else str(answers), below=served.below
    )
    assert (0, True, ()) == (report.failing, report.exhausted, report.inconclusive)


def test_two_that_wait_for_each_other_are_a_deadlock_and_not_idle(box):
    served = Served(box, LOCKS, ("a b", "b a"))
    report = explore_races(served.attempt, lambda answers: "", below=served.below)
    assert f"deadlock: 0: flock({served.below[0]}/b), 1: flock({served.below[0]}/a)" == report.smallest.verdict
    assert report.exhausted


def test_one_that_dies_before_it_answers_does_not_hold_up_the_other(box):
    served = Served(box, TAKES, ("a", "a"))
    seen: set[tuple[str, ...]] = set()
    report = explore_races(
        served.attempt, lambda answers: seen.add(tuple(answers)) or "", below=served.below, crashing=(0,)
    )
    assert report.exhausted
    assert {("", "took"), ("took", "left"), ("left", "took")} <= seen


def test_when_our_own_service_breaks_that_is_told_and_not_what_it_did_to_the_runs(box, monkeypatch):
    def broken(self, silent):
        raise MachineError("this machine is odd")

    monkeypatch.setattr(Race, "_rest", broken)
    served = Served(box, TAKES, ("a", "a"))
    with pytest.raises(MachineError, match="this machine is odd"):
        explore_races(served.attempt, one_took_it, below=served.below)


@pytest.mark.parametrize(("later", "stuck"), [("gone", ()), ("runs", ()), ("the same", ("0: read",))])
def test_who_ends_while_it_is_looked_at_is_not_stuck(later, stuck):
    """A served program is told to end, and its input cannot be looked at any more: nobody waits for another."""
    gone = 2**22 + 1  # above every process id: nothing of it can be looked at
    asleep = {gone: Waiting(0, gone, gone, READ, (0, 0, 0, 0, 0, 0), b"1")}
    seen = {"gone": {}, "runs": None, "the same": dict(asleep)}[later]
    stops = []
    race = SimpleNamespace(
        stuck=(),
        by_time=False,
        _processes=SimpleNamespace(settled=lambda: seen),
        _schedule=SimpleNamespace(choose=lambda held, blocked: None),
        _is_idle=lambda run, sleepers: False,
        _wait=lambda: 0.1,
        _stop=stops.append,
    )
    Race._nobody_held(race, asleep)
    assert (stuck, [""] * len(stuck)) == (race.stuck, stops)
