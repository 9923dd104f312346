"""Runs of several processes and threads: pipelines, children, pools; and that each order comes again as it was."""

import pytest
from racing import Racing, Seen, all_exit_0, python, sandbox_for, texts

THREADS = """
import os, threading
def work():
    file = os.open("n", os.O_RDWR); n = int(os.read(file, 9)); os.pwrite(file, b"%d" % (n + 1), 0)
threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""
POOL = """
const fs = require('fs').promises;
async function work() { await fs.writeFile('n', String(1 + Number(await fs.readFile('n')))); }
Promise.all([work(), work()]);
"""


def counted(seen: Seen) -> str:
    return "" if seen.files["n"] == b"2" else f"n is {seen.files['n']!r}"


@pytest.fixture(scope="module")
def box():
    with sandbox_for(["bash", "node"]) as box:
        yield box


def test_pipelines_are_run_under_every_order_and_none_hangs(box):
    race = Racing(box, [["bash", "-c", "cat in | tr a b | tee out >/dev/null"]] * 2, {"in": b"aaa\n"})
    report = race.explore(lambda seen: "" if seen.files["out"] == b"bbb\n" else f"out is {seen.files['out']!r}")
    assert (0, True, "") == (report.failing, report.exhausted, report.cut)
    assert 1 < report.schedules < 50


def test_the_processes_of_a_run_are_numbered_in_the_order_of_their_birth(box):
    race = Racing(box, [["bash", "-c", "cat a | cat - b >c; cat d"]], {"a": b"", "b": b"", "d": b""})
    steps = texts(race.replay(all_exit_0, ()).order)
    openings = [step for step in steps if "openat" in step]
    assert {"0.1: openat(a)", "0.2: openat(c)", "0.2: openat(b)", "0: openat(d)"} == set(openings)


def test_two_that_write_to_one_pipe_are_run_in_both_orders(box):
    said: set[bytes] = set()
    code = "{ read -r x <a; echo $x; } & { read -r y <b; echo $y; } & wait"
    race = Racing(box, [["bash", "-c", code]], {"a": b"1\n", "b": b"2\n"})
    report = race.explore(lambda seen: said.add(seen.ends[0].stdout) or "")
    assert ({b"1\n2\n", b"2\n1\n"}, True) == (said, report.exhausted)


def test_threads_of_one_process_are_raced(box):
    report = Racing(box, [python(THREADS)], {"n": b"0"}).explore(counted)
    assert ("n is b'1'", True) == (report.smallest.verdict, report.exhausted)
    assert 0 < report.failing < report.judged


@pytest.mark.tools
def test_the_pool_of_node_is_raced(box):
    report = Racing(box, [["node", "-e", POOL]], {"n": b"0"}).explore(counted)
    assert (True, True) == (report.failing > 0, report.exhausted)


def test_a_child_that_has_its_parents_memory_until_it_execs_is_held_like_any_other(box):
    code = """
import os
opened = (os.POSIX_SPAWN_OPEN, 5, "b", os.O_CREAT | os.O_WRONLY, 0o600)
os.waitpid(os.posix_spawn("/bin/sh", ["sh", "-c", ": >a"], {}, file_actions=[opened]), 0)
"""
    outcome = Racing(box, [python(code)]).replay(all_exit_0, ())
    assert ("", ["0.1: openat(b)", "0.1: openat(a)"]) == (outcome.verdict, texts(outcome.order))


CHECK_THEN_TOUCH = {
    "bash": ["bash", "-c", "if [ ! -e sem ]; then : >sem; cat sem; echo got; fi"],
    "python": python("import os\nif not os.path.exists('sem'):\n    open('sem', 'w').close()\n    print('got')"),
}


def one_got_it(seen: Seen) -> str:
    got = sum(end.stdout == b"got\n" for end in seen.ends)
    return "" if got == 1 else f"{got} got it"


@pytest.mark.parametrize("language", CHECK_THEN_TOUCH)
def test_a_hundred_replays_give_the_same_calls_in_the_same_order_and_the_same_verdict(box, language):
    race = Racing(box, [CHECK_THEN_TOUCH[language]] * 2)
    failure = race.explore(one_got_it).smallest
    again = [race.replay(one_got_it, failure.choices) for _ in range(100)]
    assert {(failure.verdict, failure.order)} == {(each.verdict, each.order) for each in again}


def test_an_order_that_cannot_be_made_again_is_told_and_not_judged(box):
    race = Racing(box, [CHECK_THEN_TOUCH["bash"]] * 2)
    outcome = race.replay(one_got_it, (0, 0, 7))
    assert (None, "a run did not repeat what it had done before, after 2 steps") == (outcome.verdict, outcome.why)
