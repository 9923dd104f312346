"""Orders of steps: exhaustive, reduced, bounded, repeated. Source: issue 4, "Schedules"; FAULTS.md "What bites"."""

import os
import random

import pytest

from harness.explore.accesses import Access, accessed
from harness.explore.schedules import Schedules, Step, replay
from harness.faults.syscalls.calls import Kind

MAKING = os.O_CREAT


class Model:
    """Processes as generators that yield the Access they are held at, or the name of the lock they wait for."""

    def __init__(self, *bodies):
        self.files, self.locks, self.said = {}, {}, [[] for _ in bodies]
        self.bodies = [body(self, number) for number, body in enumerate(bodies)]
        self.at = {}
        self.waiting = []
        for number in range(len(bodies)):
            self.go(number)

    def go(self, number):
        try:
            self.at[number] = next(self.bodies[number])
        except StopIteration:
            self.at.pop(number, None)
        if isinstance(self.at.get(number), str) and number not in self.waiting:
            self.waiting.append(number)

    def run(self, schedule):
        """What everybody can see at the end; None when the schedule was given up."""
        while True:
            held = {number: at for number, at in self.at.items() if isinstance(at, Access)}
            chosen = schedule.choose(held, [number for number in self.at if number not in held])
            if chosen is None:
                break
            self.go(chosen)
            for number in list(self.waiting):
                if self.at[number] not in self.locks:
                    self.waiting.remove(number)
                    self.go(number)
        if schedule.end not in ("exited", "deadlock"):
            return None
        return tuple(sorted(self.files.items())), tuple(map(tuple, self.said)), schedule.end, schedule.stuck


def perform(model, me, call, path):
    """One call of the toy machine."""
    match call:
        case "append":
            yield accessed("write", Kind.OPEN, (path,), MAKING)
            model.files[path] = model.files.get(path, "") + str(me)
        case "read":
            yield accessed("read", Kind.READ, (path,))
            model.said[me].append(model.files.get(path))
        case "exclusive":
            yield accessed("open", Kind.OPEN, (path,), MAKING)
            model.said[me].append("no" if path in model.files else "got")
            model.files.setdefault(path, "")
        case "unlink":
            yield accessed("unlink", Kind.UNLINK, (path,))
            model.files.pop(path, None)
        case "list":
            yield accessed("list", Kind.LIST, (".",))
            model.said[me].append(tuple(sorted(model.files)))
        case "rename":
            other = "ab".replace(path, "")
            yield accessed("rename", Kind.RENAME, (path, other))
            if path in model.files:
                model.files[other] = model.files.pop(path)
        case "check":
            yield accessed("stat", Kind.STAT, (path,))
            if path in model.files:
                yield from perform(model, me, "append", "c")
        case _:
            yield from lock(model, me, call, path)


def lock(model, me, call, path):
    """One call of the toy machine that has to do with a lock."""
    match call:
        case "lock" if model.locks.get(path) != me:
            yield accessed("flock", Kind.LOCK, (path,))
            while path in model.locks:
                yield path
            model.locks[path] = me
        case "try lock" if model.locks.get(path) != me:
            yield accessed("flock", Kind.LOCK, (path,))
            model.said[me].append("busy" if path in model.locks else "locked")
            model.locks.setdefault(path, me)
        case "unlock" if model.locks.get(path) == me:
            yield accessed("flock", Kind.LOCK, (path,))
            del model.locks[path]


CALLS = ("append", "read", "exclusive", "unlink", "list", "rename", "check", "lock", "try lock", "unlock")


def body(*calls):
    def run(model, me):
        for call, path in calls:
            yield from perform(model, me, call, path)

    return run


def ends(bodies, **options):
    schedules = Schedules(**{"bound": 30_000, **options})
    found = {Model(*bodies).run(schedule) for schedule in schedules}
    return found - {None}, schedules.coverage


def touch(model, me):
    yield accessed("stat", Kind.STAT, ("s",))
    if "s" not in model.files:
        yield accessed("open", Kind.OPEN, ("s",), MAKING)
        model.files["s"] = ""
        model.said[me].append("got")


EXCLUSIVE = body(("exclusive", "s"))


@pytest.mark.parametrize("seed", range(60))
def test_reduction_loses_no_final_state(seed):
    chance = random.Random(seed)
    for _ in range(6):
        bodies = [
            body(*((chance.choice(CALLS), chance.choice("ab")) for _ in range(chance.randint(1, 3))))
            for _ in range(chance.choice([2, 2, 3]))
        ]
        whole, without = ends(bodies, reduced=False)
        reduced, coverage = ends(bodies)
        assert (True, whole) == (coverage.exhausted, reduced)
        assert coverage.run <= without.run


def test_check_then_touch_is_exhausted_and_both_may_get_it():
    found, coverage = ends([touch, touch])
    assert {(("got",), ("got",)), (("got",), ()), ((), ("got",))} == {said for _, said, *_ in found}
    assert (4, True, "") == (coverage.run, coverage.exhausted, coverage.cut)


def test_without_reduction_every_order_is_run():
    assert 6 == ends([touch, touch], reduced=False)[1].run


def test_an_exclusive_creation_is_proven_in_two_schedules():
    found, coverage = ends([EXCLUSIVE, EXCLUSIVE])
    assert ({(("got",), ("no",)), (("no",), ("got",))}, 2) == ({said for _, said, *_ in found}, coverage.run)


def test_independent_calls_do_not_multiply():
    bodies = [body(*[("append", f"own{number}")] * 5) for number in range(4)]
    assert (1, True) == (ends(bodies)[1].run, ends(bodies)[1].exhausted)


def test_readers_of_one_file_do_not_multiply():
    assert 1 == ends([body(*[("read", "a")] * 5)] * 3)[1].run


@pytest.mark.parametrize(
    ("expected", "bodies"),
    [
        (90, [body(("append", "a"), ("append", "a"))] * 3),
        (6, [body(("append", "a"))] * 3),
        (3, [body(("append", "a"), ("append", "b")), body(("append", "b"), ("append", "a"))]),
    ],
)
def test_as_many_schedules_are_run_as_there_are_different_orders(expected, bodies):
    coverage = ends(bodies)[1]
    assert (expected, 0) == (coverage.run, coverage.redundant)


def test_who_looks_again_after_a_change_does_not_look_in_vain():
    def looks(model, me):
        for _ in range(6):
            yield from perform(model, me, "read", "a")
            yield accessed("nanosleep", Kind.SLEEP, ())

    found, coverage = ends([looks, body(*[("append", "a")] * 3)])
    seen = {tuple(dict.fromkeys(said)) for _, (said, _), *_ in found}
    assert (None, "1", "11", "111") in seen
    assert "in vain" in coverage.cut


def test_locking_code_is_not_a_deadlock():
    critical = body(("lock", "l"), ("read", "a"), ("append", "a"), ("unlock", "l"))
    found, coverage = ends([critical, critical])
    assert ({"exited"}, 0, True) == ({end for *_, end, _ in found}, coverage.deadlocks, coverage.exhausted)


def test_a_deadlock_is_reported_and_does_not_hang():
    found, coverage = ends([body(("lock", "a"), ("lock", "b")), body(("lock", "b"), ("lock", "a"))])
    assert {"deadlock"} < {end for *_, end, _ in found} | {"exited", "deadlock"}
    assert (0, 1) in {stuck for *_, stuck in found}
    assert coverage.deadlocks >= 1


def waiter(model, me):
    while True:
        yield accessed("open", Kind.OPEN, ("lock",), MAKING)
        if "lock" not in model.files:
            break
        yield accessed("nanosleep", Kind.SLEEP, ())
    model.files["lock"] = ""
    yield from perform(model, me, "append", "log")
    yield accessed("unlink", Kind.UNLINK, ("lock",))
    del model.files["lock"]


@pytest.mark.parametrize("reduced", [True, False])
def test_a_loop_that_waits_for_a_lock_ends_and_the_cut_is_told(reduced):
    found, coverage = ends([waiter, waiter], reduced=reduced)
    assert {"01", "10"} == {dict(files)["log"] for files, *_ in found}
    assert not coverage.exhausted
    assert "process 0 looks at most 2 times in vain at open lock" in coverage.cut


def spinner(model, me):
    while "go" not in model.files:
        yield accessed("stat", Kind.STAT, ("go",))


def test_a_loop_without_a_pause_waits_for_the_others_too():
    found, coverage = ends([spinner, body(("append", "go"))])
    assert {"exited"} == {end for *_, end, _ in found}
    assert not coverage.exhausted


def test_a_schedule_that_never_ends_is_cut():
    coverage = ends([spinner], steps=50)[1]
    assert (False, 1) == (coverage.exhausted, coverage.untold)
    assert ("", "1 of 1 schedules had more than 50 steps and were given up") == (coverage.bounded, coverage.cut)


def test_beyond_the_bound_orders_are_random_and_the_cut_is_told():
    chatty = body(*[("append", "a")] * 4)
    schedules = Schedules(bound=3, beyond=4, seed=1)
    origins = []
    for schedule in schedules:
        Model(chatty, chatty).run(schedule)
        origins.append(schedule.origin)
    assert ["depth-first"] * 3 + ["random", "pct", "random", "pct"] == origins
    bound = "at most 52.72 % of orders drawn so fail, at 95 % confidence"
    told = f"at 3 orders depth-first, then 4 more at random (seed 1): {bound}; how many there are is not known"
    assert told == schedules.coverage.bounded
    assert (7, False, told) == (
        schedules.coverage.run,
        schedules.coverage.exhausted,
        schedules.coverage.cut,
    )


def test_nothing_is_run_beyond_what_was_exhausted():
    assert 2 == ends([EXCLUSIVE, EXCLUSIVE], beyond=10)[1].run


def traces(**options):
    chatty = body(*[("append", "a")] * 3)
    found = []
    for schedule in Schedules(bound=5, beyond=6, **options):
        Model(chatty, chatty, chatty).run(schedule)
        found.append(schedule.choices)
    return found


def test_the_same_seed_gives_the_same_schedules_and_another_seed_others():
    assert traces(seed=7) == traces(seed=7)
    assert traces(seed=7) != traces(seed=8)


def test_pct_finds_a_defect_that_needs_one_interruption():
    found = set()
    for schedule in Schedules(bound=0, beyond=40, seed=3, depth=2):
        found.add(Model(touch, touch).run(schedule)[1])
    assert (("got",), ("got",)) in found


def test_no_interruption_finds_nothing_and_one_finds_the_race():
    none, one = ends([touch, touch], preemptions=0)[0], ends([touch, touch], preemptions=1)[0]
    assert (("got",), ("got",)) not in {said for _, said, *_ in none}
    assert (("got",), ("got",)) in {said for _, said, *_ in one}


def test_fewer_interruptions_are_fewer_schedules():
    chatty = body(*[("append", "a")] * 4)
    counts = [ends([chatty, chatty], preemptions=number)[1].run for number in (0, 1, 2)]
    assert [2, 8, 26] == counts


def test_recorded_choices_repeat_a_schedule_a_hundred_times():
    bad = next(schedule for schedule in Schedules() if Model(touch, touch).run(schedule)[1] == (("got",), ("got",)))
    for _ in range(100):
        again = replay(bad.choices)
        assert (("got",), ("got",)) == Model(touch, touch).run(again)[1]
        assert bad.trace == again.trace


def test_a_replay_that_cannot_be_followed_says_so():
    schedule = replay([5])
    assert (None, "diverged") == (schedule.choose({0: Access("read")}), schedule.end)


def test_after_its_choices_a_replay_takes_the_lowest():
    schedule = replay([1])
    held = {0: Access("read"), 1: Access("read")}
    assert [1, 0, 0] == [schedule.choose(held) for _ in range(3)]
    assert Step(0, "read", ()) == schedule.trace[-1]


def test_processes_that_do_not_repeat_themselves_are_told():
    schedules = Schedules()
    for number, schedule in enumerate(schedules):
        calls = ["append", "unlink", "read"] if number == 0 else ["list", "list", "list"]
        Model(body(*((call, "a") for call in calls)), body(("append", "a"))).run(schedule)
    assert 1 <= schedules.coverage.untold
    assert "" == schedules.coverage.bounded
    assert "did not repeat what it had done" in schedules.coverage.cut


def test_nobody_is_chosen_after_the_end():
    schedule = replay([])
    assert [None, None] == [schedule.choose({}), schedule.choose({0: Access("read")})]
    assert "exited" == schedule.end


def call(name, *paths, kind=None, flags=0):
    return accessed(name, kind or Kind(name), paths, flags)


@pytest.mark.parametrize(
    ("expected", "one", "other"),
    [
        (False, call("read", "a"), call("read", "a")),
        (True, call("read", "a"), call("write", "a")),
        (False, call("write", "a"), call("write", "b")),
        (True, call("stat", "a"), call("open", "a", flags=MAKING)),
        (False, call("stat", "a"), call("open", "a")),
        (True, call("read", "a"), call("open", "a", flags=os.O_TRUNC)),
        (False, call("open", "d/a", flags=MAKING), call("open", "d/b", flags=MAKING)),
        (True, call("list", "d"), call("open", "d/b", flags=MAKING)),
        (True, call("list", "."), call("unlink", "a")),
        (False, call("list", "d"), call("write", "d/b")),
        (True, call("rename", "d", "e"), call("read", "d/a")),
        (True, call("mkdir", "d"), call("open", "d/a", flags=MAKING)),
        (True, call("rename", "t", "s"), call("read", "s")),
        (False, call("sync", "a"), call("write", "a")),
        (False, call("close", "a"), call("write", "a")),
        (True, call("lock", "a"), call("lock", "a")),
        (False, call("lock", "a"), call("write", "a")),
        (True, call("copy", "a", "b"), call("write", "b")),
        (True, call("link", "a", "b"), call("stat", "a")),
        (False, call("sleep"), call("sleep")),
    ],
)
def test_calls_depend_on_each_other_when_their_order_can_show(expected, one, other):
    assert (expected, expected) == (one.depends(other), other.depends(one))


def test_a_process_that_is_not_there_another_time_is_told_as_divergence():
    """What a program starts now and then, as a thread of a library, was there when it was noted to be tried."""
    schedules = Schedules(reduced=False)
    calls = {number: accessed("write", Kind.OPEN, ("a",), MAKING) for number in range(3)}
    ends = []
    for schedule in schedules:
        left = dict(calls) if not ends else {0: calls[0], 1: calls[1]}
        while left:
            chosen = schedule.choose(left, [])
            if chosen is None:
                break
            del left[chosen]
        else:
            schedule.choose({}, [])
        ends.append(schedule.end)
    assert {"exited", "diverged"} == set(ends)
    assert "a process did not repeat" in schedules.coverage.cut
