"""An implementation called in this process: the same session, with nothing contained and no fault that needs a mount."""

import os
import threading
from typing import Any

import msgspec
import pytest
from carriers import CLOCK, op, scenario

from harness.core.fault import Fault, Injection
from harness.core.history import EntryType
from harness.core.scenario import FileSpec, World
from harness.errors import FileFormatError, MachineError
from harness.targets.direct import DirectSession


class Echo:
    """Answers with what it was given."""

    made = 0

    def __init__(self, config: Any) -> None:
        type(self).made += 1
        self.number = type(self).made
        self.config = config

    def check(self, args: Any, now_s: float) -> dict[str, Any]:
        return {"args": args, "now_s": now_s, "config": dict(self.config), "number": self.number}

    def write(self, args: Any, now_s: float) -> dict[str, Any]:
        with open(args["path"], "w") as file:
            file.write("text")
        return {}


MEETING = threading.Barrier(2)


class Meets(Echo):
    """Waits for the other of a schedule."""

    def check(self, args: Any, now_s: float) -> dict[str, Any]:
        MEETING.wait(20.0)
        return {"number": self.number}


@pytest.fixture
def session():
    with DirectSession("gate", Echo) as made:
        made.reset(scenario(files={"{home}/a": FileSpec(text="x", age_s=60.0)}, config={"limits": {"scale": 0.5}}))
        yield made


def test_arguments_have_real_paths_and_answers_placeholders(session):
    (reply,) = session.perform([(0, op(path="{home}/a"))])
    assert reply.type is EntryType.OK
    assert reply.value["args"] == {"path": "{home}/a"}
    assert reply.value["config"] == {"home": "{home}", "limits": {"scale": 0.5}}
    assert reply.value["now_s"] == 1772366400.0


def test_the_world_is_made_seen_damaged_and_made_again(session):
    assert session.look(()).files["{home}/a"].mtime_s == 1772366340.0
    session.perform([(0, op("write", path="{project}/b"))])
    assert session.input("{project}/b").data == b"text"
    assert session.inject(Fault("filesystem.dangling_link", "{home}/a"), 1).proof == "missing"
    assert session.look(()).files["{home}/a"].kind == "symlink"
    session.reset(scenario())
    assert session.look(()).files == {}


@pytest.mark.parametrize("name", ["filesystem.read_only", "filesystem.full", "filesystem.unreadable"])
def test_a_fault_that_needs_a_sandbox_is_not_armed(session, name):
    injection = session.inject(Fault(name, "{home}/a"), 1)
    assert injection.armed is False
    assert "sandbox" in injection.proof


@pytest.mark.parametrize(
    "name",
    [
        "environment.no_home", "environment.read_only_home", "process.killed", "process.slow_disk", "process.restarted",
        "collaborator.garbage", "collaborator.missing", "network.refused", "network.timeout", "clock.frozen",
        "clock.jump", "clock.time_zone",
    ],
)  # fmt: skip
def test_a_fault_that_strikes_a_process_is_not_armed(session, name):
    injection = session.inject(Fault(name), 1)
    assert injection.armed is False
    assert "here none is started" in injection.proof or "in this process there is none" in injection.proof
    assert session.met() == ()


def test_a_fault_that_moves_the_clock_moves_the_argument(session):
    assert session.inject(Fault("clock.back", None, {"by_s": 60}), 1) == Injection(
        Fault("clock.back", None, {"by_s": 60}), armed=True, proof="moved"
    )
    assert session.now() == "2026-03-01T11:59:00Z"
    session.inject(Fault("clock.year_1970"), 1)
    assert session.now() == "1970-01-01T00:00:10Z"


def test_a_fault_that_is_written_wrongly_is_the_files_fault_here_too(session):
    with pytest.raises(FileFormatError, match="by_s has to be between"):
        session.inject(Fault("clock.back", None, {"by_s": 0}), 1)


def test_no_program_runs_here(session):
    with pytest.raises(MachineError, match="needs a sandbox; in this process there is none"):
        session._room.run(("true",), env={}, cwd="{home}", timeout_s=1.0)


def test_the_clock_is_an_argument(session):
    session.move_clock(3600.0)
    (reply,) = session.perform([(0, op())])
    assert (session.now(), reply.value["now_s"]) == ("2026-03-01T13:00:00Z", 1772370000.0)
    session.reset(scenario())
    assert session.now() == CLOCK


def test_the_clock_goes_no_further_back_than_a_kernels(session):
    session.move_clock(-1.7e9)
    session.move_clock(-1.7e9)
    assert session.now() == "1970-01-01T00:00:00Z"
    session.move_clock(300.0)
    assert session.now() == "1970-01-01T00:05:00Z"
    session.inject(Fault("clock.back", None, {"by_s": 3600}), 1)
    assert session.now() == "1970-01-01T00:00:00Z"


def test_a_scenario_that_begins_before_1970_goes_on_from_there(session):
    session.reset(msgspec.structs.replace(scenario(), world=World("1918-11-11T11:00:00Z")))
    session.move_clock(-60.0)
    session.move_clock(300.0)
    assert session.now() == "1918-11-11T11:05:00Z"


def test_each_process_is_an_instance_of_its_own_and_lives_until_a_reset(session):
    first, other, again = (session.perform([(n, op())])[0].value["number"] for n in (0, 1, 0))
    assert first == again != other
    session.reset(scenario())
    assert session.perform([(0, op())])[0].value["number"] not in (first, other)


def test_operations_of_a_schedule_run_at_once():
    with DirectSession("gate", Meets) as session:
        session.reset(scenario())
        ends = session.perform([(1, op()), (2, op())])
    assert len({end.value["number"] for end in ends}) == 2


def test_it_says_that_nothing_is_contained_and_changes_nothing_it_is_asked(session):
    assert (session.contained(), session.uncontained()) == (False, ("Nothing is contained in this process.",))
    assert (session.repeats(9), session.stated(op(path="{home}/a"))) == (9, {"path": "{home}/a"})
    assert session.introduction() is None
    session.abort()


def test_nothing_is_left_behind():
    with DirectSession("gate", Echo) as session:
        base = session._room.base
        session.reset(scenario())
    assert not os.path.exists(base)
