"""Two real processes in every order: defects of order are found, and their correct twins are passed, exhaustively."""

import sys
from pathlib import Path

import pytest
from defects.programs import HERE, PROGRAMS
from racing import STATE, Racing, Seen, sandbox_for, texts

from harness.explore.races import RaceBounds
from harness.sandbox import base_environment

RACING = [program for program in PROGRAMS if program.beside]
PLAIN = ("python", "bash")  # what every machine has that runs these tests; the others need tools


def rows():
    for program in RACING:
        marks = () if program.language in PLAIN else pytest.mark.tools
        yield pytest.param(program, id=str(program), marks=marks)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    built = tmp_path_factory.mktemp("built")
    with sandbox_for([sys.executable, "bash", "perl", "node", "flock"], HERE, built) as box:
        yield box, Path(built)


@pytest.mark.parametrize("program", list(rows()))
def test_what_the_order_breaks_is_found_and_its_correct_twin_is_passed_exhaustively(place, program):
    box, built = place
    program = program.made(built)
    commands = program.commands(Path(box.roots.resolve(STATE)))
    environment = base_environment(box.roots)

    def judge(seen: Seen) -> str:
        ends = [
            box.run(words, env=environment, cwd="{home}", timeout_s=60) for words in (commands.recover, commands.check)
        ]
        return "" if all(end.exit_code == 0 for end in ends) else ends[1].stdout.decode()

    report = Racing(box, [commands.op, commands.beside], program.begin).explore(judge)
    assert ("schedule" in program.found_by, True, "") == (report.failing > 0, report.exhausted, report.cut)


CHECK_THEN_TOUCH = "if [ ! -e sem ]; then : >sem; echo got; else echo no; fi"
GOT = b"got\n"


def one_got_it(seen: Seen) -> str:
    got = sum(end.stdout == GOT for end in seen.ends)
    return "" if got == 1 else f"{got} got it"


@pytest.fixture(scope="module")
def box():
    with sandbox_for(["bash"]) as box:
        yield box


def test_the_smallest_failing_order_has_the_fewest_switches_and_says_who_did_what(box):
    report = Racing(box, [["bash", "-c", CHECK_THEN_TOUCH]] * 2).explore(one_got_it)
    calls = [text for text in texts(report.smallest.order) if text.endswith("(sem)")]
    assert ["0: newfstatat(sem)", "1: newfstatat(sem)", "1: openat(sem)", "0: openat(sem)"] == calls
    assert ("2 got it", 2, ()) == (report.smallest.verdict, report.smallest.switches, report.smallest.killed)


def test_orders_that_cannot_differ_are_run_once(box):
    report = Racing(box, [["bash", "-c", f"set -C; : >{name}; : >{name}2; rm {name}"] for name in "ab"]).explore(
        lambda seen: "" if sorted(seen.files) == ["a2", "b2"] else str(seen.files)
    )
    assert (1, 0, True) == (report.schedules, report.failing, report.exhausted)


def test_a_cut_is_told_and_random_orders_go_on_beyond_it(box):
    race = Racing(box, [["bash", "-c", "echo 1 >>a; echo 2 >>a; echo 3 >>a"]] * 2)
    report = race.explore(lambda seen: "", bounds=RaceBounds(schedules=3, beyond=2), seed=1)
    assert (5, 5, False, report.bounded) == (report.schedules, report.judged, report.exhausted, report.cut)
    bound = "at most 77.64 % of orders drawn so fail, at 95 % confidence"
    told = f"at 3 orders depth-first, then 2 more at random (seed 1): {bound}; how many there are is not known"
    assert told == report.bounded
    assert report.longest > 6


def test_whoever_explores_can_end_it_and_keeps_what_was_found(box):
    seen: list[Seen] = []

    def judge(each: Seen) -> str:
        seen.append(each)
        return one_got_it(each)

    report = Racing(box, [["bash", "-c", CHECK_THEN_TOUCH]] * 2).explore(
        judge, bounds=RaceBounds(over=lambda: len(seen) == 2)
    )
    assert (2, False, "ended after 2 schedules") == (report.schedules, report.exhausted, report.cut)


def test_the_same_race_explored_twice_gives_the_same_report(box):
    race = Racing(box, [["bash", "-c", CHECK_THEN_TOUCH]] * 2)
    assert race.explore(one_got_it) == race.explore(one_got_it)


def test_without_namespaces_the_same_is_found():
    with sandbox_for(["bash"], fallback=True) as box:
        report = Racing(box, [["bash", "-c", CHECK_THEN_TOUCH]] * 2).explore(one_got_it)
        assert ("2 got it", True) == (report.smallest.verdict, report.exhausted)


def test_three_runs_are_ordered_as_two_are(box):
    race = Racing(box, [["bash", "-c", "set -C; { : >lock; } 2>/dev/null && echo got || echo no"]] * 3)
    report = race.explore(one_got_it)
    assert (0, True) == (report.failing, report.exhausted)
    assert report.schedules >= 3


def test_an_error_of_the_attempt_is_not_swallowed(box):
    def attempt(seen):
        raise LookupError("no such thing")

    race = Racing(box, [["bash", "-c", ":"]] * 2)
    with pytest.raises(LookupError, match="no such thing"):
        race.explore(attempt)
