"""Clocks of programs that libfaketime cannot reach: told by a supervisor, over both carriers."""

import errno
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from carriers import op, scenario, stdio
from hook_sessions import Hooks, stopped

from harness.core.fault import Fault, Injection
from harness.core.history import EntryType
from harness.core.scenario import Step
from harness.errors import MachineError, UntestableError, UsageError
from harness.faults import program
from harness.faults.syscalls import TimeCalls
from harness.ports.clock import to_seconds
from harness.sandbox import Ended, Surroundings, WallClock
from harness.targets import wall_clock
from harness.targets.hook import HookSession
from harness.targets.stdio import StdioSession

ASKS = "date +%s%N >&2\n"


@pytest.fixture
def _static(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every program is taken to be static."""
    monkeypatch.setattr(program, "is_static", lambda path: True)


def inject(session: Any, name: str, **params: object) -> Injection:
    """That fault in that session."""
    found: Injection = session.inject(Fault(name, None, params), 1)
    return found


def said_s(session: HookSession) -> list[float]:
    """The times a stop reads, in seconds."""
    return [int(line) / 1e9 for line in stopped(session)["stderr_excerpt"].split()]


@pytest.mark.usefixtures("_static")
@pytest.mark.parametrize("contained", [True, False])
@pytest.mark.parametrize("by_s", [7200, 10**6])
def test_a_static_hook_reads_a_clock_that_is_wrong_until_the_reset(hooks: Hooks, contained: bool, by_s: int):
    session = hooks.shell(ASKS, contained=contained)
    (before_s,) = said_s(session)
    told_s = to_seconds(session.now())
    assert inject(session, "clock.back", by_s=by_s) == Injection(
        Fault("clock.back", None, {"by_s": by_s}), armed=True, proof="moved"
    )
    assert to_seconds(session.now()) == told_s - by_s
    (moved_s,) = said_s(session)
    assert 0 <= moved_s + by_s - before_s < 60
    assert "LD_PRELOAD" not in session.sandbox.surroundings.environment
    session.sandbox.fresh()
    assert session.sandbox.surroundings == Surroundings()
    assert said_s(session)[0] >= before_s


@pytest.mark.usefixtures("_static")
@pytest.mark.parametrize(
    ("fault", "params", "proof", "first_s", "second_s"),
    [
        ("year_1970", {}, "moved", 10, 10), ("year_2038", {}, "moved", 2_147_483_640, 2_147_483_640),
        ("year_9999", {}, "moved", 253_402_128_000, 253_402_128_000),
    ],
)  # fmt: skip
def test_a_static_hook_lives_in_another_year(hooks, fault, params, proof, first_s, second_s):
    session = hooks.shell("date +%s >&2; date +%s >&2")
    assert inject(session, f"clock.{fault}", **params).proof == proof
    first, second = map(int, stopped(session)["stderr_excerpt"].split())
    assert (0 <= first - first_s < 60, 0 <= second - second_s < 60) == (True, True)


@pytest.mark.usefixtures("_static")
def test_a_frozen_clock_stands_still_for_a_static_hook(hooks):
    session = hooks.shell(ASKS * 2)
    assert inject(session, "clock.frozen").proof == "moved"
    first_s, second_s = said_s(session)
    assert (first_s, first_s) == (second_s, int(first_s))


@pytest.mark.usefixtures("_static")
@pytest.mark.parametrize("by_s", [3600, -3600])
def test_a_jumping_clock_steps_there_and_back_within_one_operation_of_a_static_hook(hooks, by_s):
    session = hooks.shell(ASKS * 3)
    assert inject(session, "clock.jump", by_s=by_s).proof == "stepped"
    first_s, second_s, third_s = said_s(session)
    assert abs(second_s - first_s + by_s) < 60
    assert abs(third_s - second_s - by_s) < 60


@pytest.mark.usefixtures("_static")
def test_the_time_that_passes_between_stops_of_a_static_hook_is_exact_for_files_too(hooks):
    session = hooks.shell("[ -e ~/old ] && echo $(($(date +%s) - $(stat -c %Y ~/old))) >&2; echo x > ~/old\n")
    stopped(session)
    session.move_clock(3600.0)
    assert 3600 <= int(stopped(session)["stderr_excerpt"]) <= 3605
    session.move_clock(3601.0)
    assert 3601 <= int(stopped(session)["stderr_excerpt"]) <= 3606


@pytest.mark.usefixtures("_static")
def test_a_machine_that_refuses_arms_nothing_and_moves_nothing(hooks, monkeypatch):
    def refused(*_: object) -> str:
        raise MachineError("no filter here")

    monkeypatch.setattr(wall_clock, "tell", refused)
    session = hooks.shell("exit 0")
    fault = Fault("clock.back", None, {})
    assert session.inject(fault, 1) == Injection(fault, armed=False, proof="no filter here")
    with pytest.raises(UsageError, match=r"cannot be moved by 60 s here: no filter here; set the ages of files"):
        session.move_clock(60.0)


@pytest.mark.usefixtures("_static")
def test_a_time_zone_stays_a_variable(hooks):
    session = hooks.shell("echo $TZ >&2")
    assert session.inject(Fault("clock.time_zone", None, {"name": "Pacific/Kiritimati"}), 1).proof == "changed"
    assert stopped(session)["stderr_excerpt"].strip() == "Pacific/Kiritimati"
    assert session.sandbox.surroundings.wall_clock is None


@pytest.mark.tools
@pytest.mark.parametrize("contained", [True, False])
def test_a_hook_that_is_a_static_program_reads_the_wrong_time(hooks: Hooks, contained: bool):
    source = Path(hooks.folder, "hook.c")
    source.write_text('#include <stdio.h>\n#include <time.h>\nint main(void){fprintf(stderr,"%ld",(long)time(0));}\n')
    subprocess.run(["cc", "-static", "-o", hooks.folder / "hook", source], check=True)
    session = hooks.session(("./hook",), contained=contained)
    assert inject(session, "clock.year_1970").proof == "moved"
    assert 10 <= int(stopped(session)["stderr_excerpt"]) < 70


CLOCKED = """
def told(call):
    answer(call, {"pid": os.getpid(), "now": call["params"]["now"], "time": time.time(), "monotonic": time.monotonic()})
"""


@pytest.fixture
def stdio_session(tmp_path: Path) -> Iterator[StdioSession]:
    """An implementation over stdio that tells the time."""
    with stdio(tmp_path, "check=told", before=CLOCKED) as made:
        made.reset(scenario())
        yield made


def asked(session: StdioSession, *indices: int) -> list[dict[str, Any]]:
    """What processes answer that are asked at once."""
    replies = session.perform([(index, op()) for index in indices])
    assert [reply.type for reply in replies] == [EntryType.OK] * len(indices)
    return [dict(reply.value) for reply in replies]


@pytest.mark.usefixtures("_static")
def test_a_static_implementation_over_stdio_reads_the_wrong_time_until_the_reset(stdio_session):
    (calm,) = asked(stdio_session, 0)
    assert inject(stdio_session, "clock.back", by_s=7200).proof == "moved"
    began = time.monotonic()
    (moved,) = asked(stdio_session, 0)
    (again,) = asked(stdio_session, 0)
    assert 0 <= moved["time"] + 7200 - calm["time"] < 60
    assert to_seconds(moved["now"]) == to_seconds(calm["now"]) - 7200
    assert began <= moved["monotonic"] <= again["monotonic"] <= time.monotonic()
    assert moved["pid"] == again["pid"] != calm["pid"]
    stdio_session.reset(scenario())
    (after,) = asked(stdio_session, 0)
    assert (after["pid"], after["time"] >= calm["time"]) == (calm["pid"], True)


@pytest.mark.usefixtures("_static")
def test_every_process_of_a_schedule_reads_it_and_a_second_clock_takes_the_place_of_the_first(stdio_session):
    assert inject(stdio_session, "clock.back", by_s=10**6).proof == "moved"
    inject(stdio_session, "clock.frozen")
    first, second = asked(stdio_session, 1, 2)
    assert (first["time"], second["time"]) == (int(first["time"]), first["time"])
    assert abs(first["time"] - time.time()) < 60


@pytest.mark.usefixtures("_static")
def test_a_supervisor_that_breaks_is_no_answer(stdio_session, monkeypatch):
    def broken(*_: object) -> bool:
        raise MachineError("it broke")

    assert inject(stdio_session, "clock.back").proof == "moved"
    monkeypatch.setattr(TimeCalls, "answer", broken)
    with pytest.raises((MachineError, UntestableError)):
        stdio_session.perform([(0, op())])


@pytest.mark.usefixtures("_static")
@pytest.mark.parametrize("at_once", [(0,), (1, 2)])
def test_a_clock_and_a_fault_at_a_call_meet_in_one_operation(tmp_path, at_once):
    script = """
def told(call):
    try: open("/home/agent/kept", "w").close(); met = ""
    except OSError as error: met = str(error.errno)
    answer(call, {"met": met, "time": time.time()})
"""
    fault = Fault("syscall.errno", "{home}/kept", {"call": "openat", "errno": "EDQUOT"})
    with stdio(tmp_path, "check=told", before=script, contained=True) as session:
        session.reset(scenario(Step(fault=fault)))
        assert inject(session, "clock.year_1970").proof == "moved"
        assert session.inject(fault, 1).armed
        answers = asked(session, *at_once)
        assert [answer["met"] for answer in answers] == [str(errno.EDQUOT), ""][: len(at_once)]
        assert all(10 <= answer["time"] < 70 for answer in answers)
        assert [(index, injection.proof) for index, injection in session.met()] == [(at_once[0], "EDQUOT")]


@pytest.mark.usefixtures("_static")
def test_a_hook_with_another_clock_meets_a_fault_at_a_call(hooks):
    session = hooks.shell("date +%s >&2; echo x > ~/kept || echo lost >&2", contained=True)
    assert inject(session, "clock.year_1970").proof == "moved"
    fault = Fault("syscall.errno", "{home}/kept", {"call": "openat", "errno": "EDQUOT"})
    assert session.inject(fault, 1).armed
    said = stopped(session)["stderr_excerpt"].split()
    assert (said[0] < "70", said[-1]) == (True, "lost")
    assert [injection.proof for _, injection in session.met()] == ["EDQUOT"]
    assert 10 <= int(stopped(session)["stderr_excerpt"]) < 70


@pytest.mark.parametrize(
    ("said", "proof"), [(b"10\n10\n", "moved"), (b"10\n", ""), (b"10\n99\n", ""), (b"date: no\n", "")]
)
def test_a_clock_is_proven_by_what_a_program_read(hooks, monkeypatch, said, proof):
    session = hooks.shell("exit 0")
    monkeypatch.setattr(session.sandbox, "run_together", lambda runs: [Ended(exit_code=0, stdout=said)])
    assert wall_clock.tell(session.sandbox, WallClock(stands_at_s=10)) == proof


def test_a_machine_that_starts_nothing_under_a_filter_says_so(hooks, monkeypatch):
    session = hooks.shell("exit 0")
    monkeypatch.setattr(session.sandbox, "run_together", lambda runs: [Ended(start_error="EPERM")])
    with pytest.raises(MachineError, match=r"this machine starts no program under a filter \(EPERM\)"):
        wall_clock.tell(session.sandbox, WallClock(stands_at_s=10))
