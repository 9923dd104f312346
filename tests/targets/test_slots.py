"""A case that only waits gives its slot to another."""

import os
import threading
import time

import pytest

from harness.targets.slots import Slots

PATIENCE_S = 20.0  # only a defect waits so long


def eventually(holds) -> None:
    until = time.monotonic() + PATIENCE_S
    while not holds() and time.monotonic() < until:
        os.sched_yield()


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


def test_who_has_waited_goes_on_when_a_slot_is_free_and_before_anybody_begins():
    slots = Slots(1)
    order: list[str] = []
    works, may_end, next_one_wants = threading.Event(), threading.Event(), threading.Event()

    def other() -> None:
        with slots.held():
            works.set()
            may_end.wait(PATIENCE_S)
            order.append("other ends")

    def next_one() -> None:
        next_one_wants.set()
        with slots.held():
            order.append("next begins")

    def waits() -> None:
        with slots.held():
            with slots.waiting():
                threads.append(started(other))
                works.wait(PATIENCE_S)
                threads.append(started(next_one))
                next_one_wants.wait(PATIENCE_S)
                ends.start()
            order.append("waited goes on")

    threads: list[threading.Thread] = []
    # the other ends only once both want its slot
    ends = threading.Thread(target=lambda: (eventually(lambda: slots._back == 1), may_end.set()))
    waits()
    for thread in (*threads, ends):
        thread.join(PATIENCE_S)
    assert ["other ends", "waited goes on", "next begins"] == order


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
