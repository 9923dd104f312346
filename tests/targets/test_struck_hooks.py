"""A hook under faults that surround or strike a process: each meets the very next stops, and none after a reset."""

import struct
from pathlib import Path

import needs
import pytest
from carriers import CLOCK, op, scenario
from hook_sessions import stopped

from harness.core.fault import Fault, Injection
from harness.errors import UsageError
from harness.faults import clock
from harness.ports.clock import to_seconds
from harness.sandbox import Surroundings, WallClock, Write, probe

UNTIL_CALM = "[ -e ~/calm ] && exit 0; exec sleep 1000\n"


def inject(session, name, **params):
    return session.inject(Fault(name, None, params), 1)


@pytest.mark.parametrize("signal", ["SIGKILL", "SIGTERM"])
def test_a_stop_is_killed_while_it_runs_and_the_next_one_is_calm(hooks, signal):
    session = hooks.shell(UNTIL_CALM)
    fault = Fault("process.killed", None, {"signal": signal, "at": 0.5})
    assert session.inject(fault, 1) == Injection(fault, armed=True, proof="")
    result = stopped(session)
    assert (result["exit_code"], result["signal"]) == (None, {"SIGKILL": 9, "SIGTERM": 15}[signal])
    assert session.met() == ((0, Injection(fault, armed=True, proof=signal)),)
    assert session.met() == (), "it is told once"
    session.sandbox.apply([Write("{home}/calm", b"")])
    assert (stopped(session)["exit_code"], session.met()) == (0, ())


def test_a_stop_that_has_ended_is_struck_by_nothing(hooks):
    session = hooks.session(("/bin/true",))
    stopped(session)
    for _ in range(3):
        session._strikes.measured(5.0)  # as if it took so long in calm weather
    fault = Fault("process.killed")
    session.inject(fault, 1)
    assert stopped(session)["exit_code"] == 0
    assert session.met() == ((0, Injection(fault, armed=True, proof="")),)


def test_of_stops_begun_together_the_first_is_killed(hooks):
    session = hooks.shell("mkdir ~/first 2>/dev/null; exec sleep 0.3\n")
    inject(session, "process.killed", at=0.0)
    ends = session.perform([(1, op("stop")), (2, op("stop"))])
    assert [end.value.get("signal") for end in ends] == [9, None]
    assert [(index, injection.proof) for index, injection in session.met()] == [(1, "SIGKILL")]


def test_a_stop_is_held_for_a_while_each_time(hooks):
    session = hooks.shell("sleep 0.05; echo $(cut -d' ' -f1 /proc/uptime) >> ~/ends\n")
    assert inject(session, "process.paused", for_ms=300).proof == "SIGSTOP"
    began = float(Path("/proc/uptime").read_text().split()[0])
    stopped(session)
    stopped(session)
    ends = [float(line) for line in session.input("{home}/ends").data.split()]
    assert ends[0] - began >= 0.29
    assert ends[1] - ends[0] >= 0.29
    session.reset(scenario())
    assert session._strikes.due(0) is None


def test_a_hook_is_started_anew_each_time_anyhow(hooks):
    session = hooks.shell("exit 0\n")
    assert inject(session, "process.restarted") == Injection(Fault("process.restarted"), armed=True, proof="restarted")
    assert stopped(session)["exit_code"] == 0


def test_what_surrounds_a_stop_is_calm_again_after_a_reset(hooks):
    session = hooks.shell('echo "${HOME-unset}" >&2\n')
    assert inject(session, "environment.no_home").proof == "unset"
    assert stopped(session)["stderr_excerpt"] == "unset\n"
    session.reset(scenario())
    assert session.sandbox.surroundings == Surroundings()
    assert stopped(session)["stderr_excerpt"] == "{home}\n"


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("stdin_closed", {"exit_code": 0, "stderr_excerpt": "0 closed\n"}),
        ("stdout_closed", {"exit_code": 0, "stderr_excerpt": "1 closed\n", "output": "empty"}),
        ("stdout_full", {"exit_code": 0, "output": "empty"}),
        ("stdout_slow", {"exit_code": 0, "output": "text"}),
    ],
)
def test_the_streams_of_a_stop_fail_as_they_are_made_to(hooks, kind, expected):
    session = hooks.shell(
        "for n in 0 1; do [ -e /proc/$$/fd/$n ] || echo $n closed >&2; done; (echo said) 2>/dev/null; exit 0\n"
    )
    assert inject(session, f"environment.{kind}").proof
    result = stopped(session)
    assert expected == {name: result.get(name) for name in expected}


def script(hooks, name, first_line):
    path = hooks.folder / name
    path.write_text(f"{first_line}\nexit 0\n")
    path.chmod(0o755)


def test_the_program_that_runs_a_hook_is_no_collaborator_of_it(hooks):
    script(hooks, "hook", "#!/usr/bin/env sh")
    session = hooks.session(("./hook",))
    fault = Fault("collaborator.missing", None, {"program": "sh"})
    refusal = "it is itself run by sh, which its first line names"
    assert session.inject(fault, 1) == Injection(fault, armed=False, proof=refusal)
    assert inject(session, "collaborator.exits", program="git").armed
    assert stopped(session)["exit_code"] == 0


def test_of_a_chain_of_programs_one_that_is_static_is_enough_for_a_supervised_clock(hooks):
    head = struct.pack("<16sHHIQQQIHHH", b"\x7fELF\x02\x01", 2, 62, 1, 0, 64, 0, 0, 64, 56, 1).ljust(64, b"\0")
    (hooks.folder / "static").write_bytes(head + struct.pack("<I52x", 1))
    script(hooks, "hook", f"#!{hooks.folder}/static")
    session = hooks.session(("./hook",))
    assert inject(session, "clock.back").proof == "moved"
    assert session.sandbox.surroundings.wall_clock is not None
    assert inject(session, "clock.time_zone").armed
    session.move_clock(60.0)
    assert session.sandbox.surroundings.wall_clock == WallClock(moved_s=60.0)
    began_s = to_seconds(CLOCK) - 3600  # a fault has put the clock of the scenario back
    for _ in range(2):
        session.move_clock(-1.7e9)
    assert session.sandbox.surroundings.wall_clock == WallClock(moved_s=-began_s)
    assert session.now() == "1970-01-01T00:00:00Z"


@needs.libfaketime
def test_a_hook_reads_the_clock_that_a_fault_has_moved_and_the_history_tells_it(hooks):
    session = hooks.shell("date +%s >&2\n", contained=True)
    before = int(stopped(session)["stderr_excerpt"])
    told = to_seconds(session.now())
    assert inject(session, "clock.back", by_s=7200).proof == "moved"
    assert to_seconds(session.now()) == told - 7200
    assert -7200 <= int(stopped(session)["stderr_excerpt"]) - before < -7100


@needs.libfaketime
def test_the_time_that_passes_between_stops_is_exact_for_files_too(hooks):
    script_text = "[ -e ~/old ] && echo $(($(date +%s) - $(stat -c %Y ~/old))) >&2; echo x > ~/old\n"
    session = hooks.shell(script_text, contained=True, now_s=None)
    stopped(session)
    session.move_clock(3600.0)
    first = int(stopped(session)["stderr_excerpt"])
    assert 3600 <= first <= 3605
    # written an hour after the beginning: so the next hour begins there
    session.move_clock(3601.0)
    assert 3601 <= int(stopped(session)["stderr_excerpt"]) <= 3606
    began = to_seconds("2026-03-01T12:00:00Z")
    assert to_seconds(session.now()) == began + 7201
    assert began + 7201 <= session.look(()).files["{home}/old"].mtime_s < began + 7231


@needs.libfaketime
def test_what_a_killed_process_leaves_of_the_moved_clock_is_no_file_of_the_hook(hooks):
    session = hooks.shell("kill -9 $$\n", contained=True)
    inject(session, "clock.forward")
    assert stopped(session)["signal"] == 9
    assert any(clock.STRAYS.fullmatch(path) for path in session.sandbox.snapshot())
    assert not [path for path in session.look(()).files if path.startswith("/dev/shm")]
    session.reset(scenario())
    assert session.sandbox.snapshot() == {}


def test_a_clock_that_cannot_be_moved_says_what_would_help(hooks, monkeypatch):
    monkeypatch.setattr(clock, "LIBRARY_PLACES", ())
    contained = bool(probe().namespaces)
    session = hooks.shell("exit 0\n", contained=contained)
    with pytest.raises(UsageError, match="apt-get install faketime" if contained else "namespaces"):
        session.move_clock(60.0)
