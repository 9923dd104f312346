"""What a sleeping thread waits for, and whether time alone can end it, read off its call."""

import os
import threading

import pyseccomp
import pytest

from harness.explore import schedules
from harness.explore.races import Race, pipes, processes, ties, waits
from harness.explore.races.footprints import Footprints
from harness.explore.races.identities import actor, kill_number, run_number
from harness.explore.races.processes import Processes, Waiting
from harness.explore.races.race import RaceStep
from harness.faults.syscalls import Call, Kind

ARCHITECTURE = getattr(pyseccomp.Arch, os.uname().machine.upper())
FOR_EVER = 0xFFFFFFFFFFFFFFFF  # -1, as a register holds it
GONE = 2**22 + 1  # no process has such a number


def waiting(name: str, *arguments: int) -> Waiting:
    number = pyseccomp.resolve_syscall(ARCHITECTURE, name) if name else -1
    padded = (*arguments, *(0,) * (6 - len(arguments)))
    return Waiting(run=0, pid=os.getpid(), tid=os.getpid(), number=number, arguments=padded, times=b"1")


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (("futex", 1, 0, 0, 0), False),
        (("futex", 1, 0, 0, 4096), True),
        (("ppoll", 1, 1, 0), False),
        (("ppoll", 1, 1, 4096), True),
        (("pselect6", 1, 1, 0, 0, 4096), True),
        (("epoll_pwait", 1, 1, 1, FOR_EVER), False),
        (("epoll_pwait", 1, 1, 1, 0xFFFFFFFF), False),
        (("epoll_pwait", 1, 1, 1, 250), True),
        (("clock_nanosleep",), True),
        (("flock", 3, 2), False),
        (("wait4",), False),
    ],
    ids=str,
)
def test_only_a_wait_with_a_time_out_ends_by_itself(call, expected):
    assert expected == waits.timed(waiting(*call))


def test_a_place_is_the_call_and_the_file_it_is_about(tmp_path):
    with (tmp_path / "lock").open("w") as file:
        assert f"flock({tmp_path}/lock)" == waits.place(waiting("flock", file.fileno(), 2))
        assert f"read({tmp_path}/lock)" == waits.place(waiting("read", file.fileno()))
    assert "flock" == waits.place(waiting("flock", 9999, 2))
    assert "wait4" == waits.place(waiting("wait4", 1))
    assert "outside of a call" == waits.place(waiting(""))


def test_who_waits_at_a_pipe_is_told_by_its_inode():
    reading, writing = os.pipe()
    try:
        inode = os.fstat(reading).st_ino
        assert waits.reads_from(waiting("read", reading), {inode})
        assert not waits.reads_from(waiting("write", writing), {inode})
        assert waits.writes_to(waiting("writev", writing), {inode})
        assert not waits.writes_to(waiting("write", 9999), {inode})
    finally:
        os.close(reading)
        os.close(writing)


def test_a_run_that_is_gone_has_nothing_to_wait_for():
    watched = Processes()
    watched.add(0, GONE)
    assert ({}, 0.0) == (watched.settled(), watched.computed_s(0))
    watched.close()


def test_numbers_tell_the_run_and_the_process():
    assert [(2, 0, False), (3, 0, True)] == [tuple(actor(number)) for number in (run_number(2), kill_number(3))]


def test_a_step_says_who_does_what():
    assert ["1: openat(a)", "0.2: rename(a, b)", "1: kill"] == [
        step.text()
        for step in (RaceStep(1, 0, "openat", ("a",)), RaceStep(0, 2, "rename", ("a", "b")), RaceStep(1, 0, "kill"))
    ]


def test_of_a_process_that_is_gone_nothing_is_known():
    assert (0.0, None) == (processes._computed_s(GONE), processes._tag_of(GONE))
    assert ([], -1) == (ties._listed(f"/proc/{GONE}/fd"), pipes._inode(f"/proc/{GONE}/fd/0"))
    assert not waits._catches_alarm(GONE)
    with pytest.raises(FileNotFoundError):
        processes._Files(GONE, GONE)


def test_processor_time_grows_as_a_process_computes():
    before = processes._computed_s(os.getpid())
    while processes._computed_s(os.getpid()) == before:
        pass
    assert 0 < processes._computed_s(os.getpid()) - before < 60


def test_without_statistics_of_the_kernel_it_is_told_by_switches_how_often_a_thread_ran():
    assert b"voluntary_ctxt_switches" in processes._switches(os.getpid(), threading.get_native_id())


def test_a_lock_on_a_descriptor_that_is_closed_meanwhile_is_nobodys():
    footprints = Footprints(str)
    footprints.stepped(Call(run=0, process=0, name="flock", kind=Kind.LOCK, paths=("/a",), pid=GONE, descriptor=3))
    assert set() == footprints._held(0)


def test_a_process_that_has_no_input_any_more_waits_for_none(tmp_path):
    assert pipes._FULL == pipes._waits_in(GONE)
    with (tmp_path / "closed").open("w") as file:
        kept = os.dup(0)
        try:
            os.dup2(file.fileno(), 0)
            assert 0 == pipes._waits_in(os.getpid())
        finally:
            os.dup2(kept, 0)
            os.close(kept)


def test_a_run_that_is_just_being_made_known_is_no_trouble_to_the_thread_that_looks_on(monkeypatch):
    race = Race(schedules.replay(()), below=("/nowhere",), endless_s=1.0)
    known = race._supervisor.filter

    def looked_on(**times):
        race._rest(True)
        made = known(**times)
        race._rest(True)
        return made

    monkeypatch.setattr(race._supervisor, "filter", looked_on)
    try:
        programs = [race.filter(served=True).program for _ in range(2)]
        assert programs[0] == programs[1]
        assert not race._begun()
    finally:
        race._supervisor.close()
        race._processes.close()
