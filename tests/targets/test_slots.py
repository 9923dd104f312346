"""A case that only waits gives its slot to another."""

import threading

import pytest

from harness.targets.slots import Slots

PATIENCE_S = 20.0  # only a defect waits so long


def started(work) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def test_a_slot_is_held_by_one_at_a_time():
    slots = Slots(1)
    order: list[str] = []
    second_runs = threading.Event()

    def second() -> None:
        second_runs.set()
        with slots.held():
            order.append("second")

    with slots.held():
        thread = started(second)
        assert second_runs.wait(PATIENCE_S)
        order.append("first")
    thread.join(PATIENCE_S)
    assert order == ["first", "second"]


def test_a_waiting_case_lets_another_work_and_then_takes_its_slot_back():
    slots = Slots(1)
    other_works, other_may_end, back = threading.Event(), threading.Event(), threading.Event()

    def other() -> None:
        with slots.held():
            other_works.set()
            other_may_end.wait(PATIENCE_S)

    def waits() -> None:
        with slots.held():
            with slots.waiting():
                started(other)
                assert other_works.wait(PATIENCE_S)
            back.set()

    thread = started(waits)
    assert other_works.wait(PATIENCE_S), "the waiting case kept its slot"
    other_may_end.set()
    thread.join(PATIENCE_S)
    assert back.is_set()


def test_the_slot_given_away_is_taken_back_before_the_case_goes_on():
    said: list[str] = []

    class Spy(threading.Semaphore):
        def acquire(self, *args, **kwargs):
            said.append("taken")
            return super().acquire(*args, **kwargs)

        __enter__ = acquire

        def release(self, n=1):
            said.append("given")
            super().release(n)

    slots = Slots(1)
    slots._free = Spy(1)
    with slots.held():
        said.append("works")
        with slots.waiting():
            said.append("waits")
        said.append("works")
    assert said == ["taken", "works", "given", "waits", "taken", "works", "given"]


def test_several_slots_are_held_at_once():
    slots = Slots(2)
    both = threading.Barrier(2)

    def work() -> None:
        with slots.held():
            both.wait(PATIENCE_S)

    threads = [started(work), started(work)]
    for thread in threads:
        thread.join(PATIENCE_S)
    assert not both.broken


@pytest.mark.parametrize("waiting", [False, True])
def test_a_case_that_breaks_gives_its_slot_back(waiting):
    slots = Slots(1)

    def breaks() -> None:
        with slots.held():
            if waiting:
                with slots.waiting():
                    raise KeyError
            raise KeyError

    with pytest.raises(KeyError):
        breaks()
    free = threading.Event()

    def next_one() -> None:
        with slots.held():
            free.set()

    started(next_one).join(PATIENCE_S)
    assert free.is_set()
