"""An implementation over stdio that says ``clock: system``: every clock it reads stands in the scenario's time."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from carriers import CLOCK, op, scenario, stdio

from harness.core.fault import Fault
from harness.core.history import EntryType
from harness.faults.syscalls import SteppedTime, TimeCalls
from harness.ports.clock import to_seconds
from harness.sandbox import Sandbox, SandboxPlan, WallClock, exposure_for
from harness.targets.slots import Slots
from harness.targets.stdio import StdioSession

SECOND = 10**9
TELLS = """
ANSWER["clock"] = "system"
import threading, subprocess
def told(call):
    answer(call, {"pid": os.getpid(), "wall": time.time_ns(), "steady": time.monotonic_ns(),
                  "coarse": time.clock_gettime_ns(6), "raw": time.clock_gettime_ns(4), "up": time.clock_gettime_ns(7),
                  "used": time.process_time_ns() < 10**11})
def slept(call):
    before = time.clock_gettime_ns(2); time.sleep(0.05); told(call)
def waited(call):
    threading.Event().wait(0.05); told(call)
def polled(call):
    import select; select.select([], [], [], 0.05); told(call)
def child(call):
    answer(call, {"date": subprocess.run(["/bin/date", "+%s.%N"], capture_output=True, text=True).stdout.strip()})
"""
SPECIAL = "check=told, slept=slept, waited=waited, polled=polled, child=child"
NODE = """
const ANSWER = {protocolVersion: 1, implementation: {name: "n", version: "1"}, systems: {toy: {}}, clock: "system"};
const fired = [];
require("readline").createInterface({input: process.stdin}).on("line", line => {
  const call = JSON.parse(line);
  const answer = result => process.stdout.write(JSON.stringify({jsonrpc: "2.0", id: call.id, result}) + "\\n");
  const told = () => answer({wall: Date.now(), steady: String(process.hrtime.bigint()), perf: performance.now(), fired});
  if (call.method === "initialize") return answer(ANSWER);
  if (!call.method.includes("/")) return answer({});
  if (call.method === "toy/timer") setTimeout(() => fired.push(call.params.ms), call.params.ms);
  setImmediate(() => setImmediate(told));
});
"""


@pytest.fixture
def session(tmp_path: Path) -> Iterator[StdioSession]:
    with stdio(tmp_path, SPECIAL, before=TELLS) as made:
        made.reset(scenario())
        yield made


def asked(session: StdioSession, name: str = "check", index: int = 0, **args: object):
    (reply,) = session.perform([(index, op(name, **args))])
    assert EntryType.OK is reply.type, reply.value
    return reply.value


def now_ns(session: StdioSession) -> int:
    return round(to_seconds(session.now()) * 10**6) * 1000


def test_every_clock_is_the_scenarios_to_the_microsecond_and_stands_still(session):
    first, second = asked(session), asked(session)
    assert first == second
    assert now_ns(session) == first["wall"]
    for by_s in (0.000001, 10, 299.999999, 300, 86_400):
        before = asked(session)
        session.move_clock(by_s)
        after = asked(session)
        assert now_ns(session) == after["wall"]
        moved = round(by_s * 10**6) * 1000
        assert [moved] * 5 == [after[name] - before[name] for name in ("wall", "steady", "coarse", "raw", "up")]


def test_a_clock_that_goes_back_takes_the_monotonic_ones_nowhere(session):
    first = asked(session)
    session.move_clock(-3600.0)
    back = asked(session)
    assert (first["wall"] - 3600 * SECOND, first["steady"]) == (back["wall"], back["steady"])
    session.move_clock(10.0)
    assert 10 * SECOND == asked(session)["steady"] - first["steady"]


@pytest.mark.parametrize("name", ["slept", "waited", "polled"])
def test_who_waits_inside_an_operation_gets_on_and_finds_the_same_time(session, name):
    assert now_ns(session) == asked(session, name)["wall"]


def test_a_child_is_told_the_same(session):
    session.move_clock(0.000001)
    assert {"date": f"{int(to_seconds(CLOCK))}.000001000"} == asked(session, "child")


def test_several_processes_and_those_started_later_share_the_time(session):
    session.move_clock(5.0)
    replies = session.perform([(1, op()), (2, op())])
    assert [now_ns(session)] * 2 == [reply.value["wall"] for reply in replies]
    assert replies[0].value["steady"] == replies[1].value["steady"] == asked(session)["steady"]


def test_a_reset_begins_at_the_scenarios_time_with_the_same_process(session):
    session.move_clock(500.0)
    before = asked(session)
    session.reset(scenario())
    after = asked(session)
    assert (before["pid"], round(to_seconds(CLOCK)) * SECOND) == (after["pid"], after["wall"])
    assert before["steady"] == after["steady"]


@pytest.mark.parametrize(("name", "by_s"), [("back", -7200), ("forward", 7200)])
def test_a_wrong_clock_is_wrong_by_exactly_that(session, name, by_s):
    before = asked(session)
    assert "moved" == session.inject(Fault(f"clock.{name}", None, {"by_s": 7200}), 1).proof
    after = asked(session)
    assert (before["wall"] + by_s * SECOND, now_ns(session)) == (after["wall"], after["wall"])
    assert "LD_PRELOAD" not in session.sandbox.surroundings.environment
    session.reset(scenario())
    assert before["wall"] == asked(session)["wall"]


def test_a_clock_that_steps_between_two_questions_steps_around_the_scenarios_time(session):
    assert "stepped" == session.inject(Fault("clock.jump", None, {"by_s": 3600}), 1).proof
    walls = {asked(session)["wall"] - now_ns(session) for _ in range(2)}
    assert walls <= {0, 3600 * SECOND}


def test_the_year_9999_costs_those_who_cannot_tell_it_and_no_more(session):
    session.inject(Fault("clock.year_9999"), 1)
    (reply,) = session.perform([(0, op())])
    # CPython's clocks end in 2262: it dies of the question here, and an adapter that catches that answers with an error
    assert ("died", "implementation") == (reply.value["reason"], reply.value["blame"])
    session.reset(scenario())
    assert round(to_seconds(CLOCK)) * SECOND == asked(session)["wall"]


def test_a_fault_at_a_call_meets_it_and_the_time_is_the_scenarios_all_the_same(tmp_path):
    script = TELLS + (
        "def kept(call):\n"
        "    try: open(call['params']['path'], 'w').close(); met = 0\n"
        "    except OSError as error: met = error.errno\n"
        "    answer(call, {'met': met, 'wall': time.time_ns()})\n"
    )
    with stdio(tmp_path, "kept=kept", before=script) as session:
        session.reset(scenario())
        fault = Fault("syscall.errno", "{home}/kept", {"call": "openat", "errno": "EDQUOT"})
        assert session.inject(fault, 1).armed
        first, second = (asked(session, "kept", path="{home}/kept") for _ in range(2))
    assert [122, 0] == [first["met"], second["met"]]
    assert now_ns(session) == first["wall"] == second["wall"]


@pytest.mark.tools
def test_node_reads_it_too_and_its_timers_are_due_when_the_scenario_says(tmp_path):
    program = shutil.which("node")
    script = tmp_path / "adapter.js"
    script.write_text(NODE)
    shown = exposure_for((program,), search="/usr/bin", home=str(Path.home()), cwd="/", extra=(str(tmp_path),))
    plan = SandboxPlan(exposed=shown.paths, force_fallback=True)
    command = (shown.programs[0] or program, str(script))
    with StdioSession(Sandbox(plan), command, {}, "/", "toy", Slots(1)) as session:
        session.reset(scenario())
        first = asked(session, "timer", ms=30_000)
        session.move_clock(29.998)
        early = asked(session)
        session.move_clock(0.002001)
        due = asked(session)
    assert (round(to_seconds(CLOCK)) * 1000, []) == (first["wall"], first["fired"])
    assert 29_998 == early["wall"] - first["wall"]
    assert (30_000_001_000, [30_000]) == (int(due["steady"]) - int(first["steady"]), due["fired"])
    assert [] == early["fired"]
    assert 29_998 == round(early["perf"] - first["perf"])


def test_time_that_is_stepped_never_goes_beyond_what_64_bits_hold():
    time = SteppedTime(0)
    time.step(253_402_128_000 * 10**6)
    assert time.steady_ns < 2**63
    assert 253_402_128_000 * SECOND == time.read_ns(0)
    assert TimeCalls(WallClock(), stepped=time).steady
