"""An implementation over stdio under faults that surround or strike its process: another one opens what is on disk."""

import errno

import msgspec
import needs
import pytest
from carriers import CLOCK, op, scenario, stdio

from harness.core.fault import Fault, Injection
from harness.core.history import EntryType
from harness.ports.clock import to_seconds
from harness.targets.stdio import StdioSession

# tells which process it is, what it was asked before, and what surrounds it
TELLS = """
seen = []
def placed(call):
    seen.append(call["method"]); answer(call, {})
def told(call):
    answer(call, {"pid": os.getpid(), "seen": seen, "home": os.environ.get("HOME"), "now": call["params"]["now"],
                  "time": time.time(), "umask": os.umask(0o22)})
def stuck(call):
    if os.path.exists(WORKDIR + "/struck"): return told(call)
    open(WORKDIR + "/struck", "w").close(); time.sleep(1000)
def begun(call):
    global WORKDIR
    WORKDIR = call["params"]["workdir"]; placed(call)
"""
PLACED = "reset=begun, open=begun, check=told, stuck=stuck"


@pytest.fixture
def session(tmp_path):
    with stdio(tmp_path, PLACED, before=TELLS) as made:
        made.reset(scenario())
        yield made


def asked(session: StdioSession, name: str = "check", index: int = 0):
    (reply,) = session.perform([(index, op(name))])
    return reply


def inject(session, name, **params):
    return session.inject(Fault(name, None, params), 1)


def test_other_surroundings_need_another_process_which_opens_and_the_calm_one_is_back_after_a_reset(session):
    calm = asked(session).value
    assert calm["seen"] == ["reset"]
    assert inject(session, "environment.odd_umask").proof == "0777"
    disturbed = asked(session).value
    assert (disturbed["seen"], disturbed["umask"], calm["umask"]) == (["open"], 0o777, 0o22)
    assert asked(session).value["pid"] == disturbed["pid"] != calm["pid"]
    session.reset(scenario())
    assert asked(session).value["pid"] == calm["pid"]
    assert asked(session).value["seen"] == ["reset", "reset"]


def test_a_second_fault_needs_a_third_process(session):
    inject(session, "environment.odd_umask")
    first = asked(session).value["pid"]
    inject(session, "environment.missing_home")
    second = asked(session).value
    assert second["pid"] != first
    assert (second["home"], second["umask"]) == ("/nonexistent/home", 0o777)


def test_every_process_of_a_schedule_is_surrounded(session):
    asked(session, index=1)
    inject(session, "environment.odd_umask")
    ends = session.perform([(1, op()), (2, op())])
    assert [end.value["umask"] for end in ends] == [0o777, 0o777]


def test_a_restart_ends_the_process_between_operations(session):
    before = asked(session).value["pid"]
    assert inject(session, "process.restarted").proof == "restarted"
    after = asked(session).value
    assert (after["pid"] != before, after["seen"]) == (True, ["open"])


@pytest.mark.parametrize("signal", ["SIGKILL", "SIGTERM"])
def test_an_operation_is_killed_while_it_runs_and_the_next_one_is_calm(session, signal):
    fault = Fault("process.killed", None, {"signal": signal, "at": 0.5})
    assert session.inject(fault, 1) == Injection(fault, armed=True, proof="")
    reply = asked(session, "stuck")
    assert (reply.type, reply.value["reason"]) == (EntryType.INFO, "died")
    assert session.met() == ((0, Injection(fault, armed=True, proof=signal)),)
    after = asked(session, "stuck")
    assert (after.type, after.value["seen"]) == (EntryType.OK, ["open"])
    assert session.met() == ()


def test_one_that_answers_sooner_is_killed_after_its_answer(session):
    before = asked(session).value["pid"]
    session._strikes._measured.clear()
    session._strikes.measured(5.0)  # as if it took so long in calm weather
    fault = Fault("process.killed", None, {"at": 1.0})
    session.inject(fault, 1)
    reply = asked(session)
    assert (reply.type, reply.value["pid"]) == (EntryType.OK, before)
    assert session.met() == ((0, Injection(fault, armed=True, proof="SIGKILL")),)
    assert asked(session).value["seen"] == ["open"]


def test_one_that_ends_by_itself_was_not_struck(tmp_path):
    special = f"{PLACED}, ends=lambda call: os._exit(3)"
    with stdio(tmp_path, special, before=TELLS) as session:
        session.reset(scenario())
        session._strikes.measured(5.0)
        fault = Fault("process.killed")
        session.inject(fault, 1)
        assert asked(session, "ends").value["reason"] == "died"
        assert session.met() == ((0, Injection(fault, armed=True, proof="")),)


def test_an_operation_is_held_and_then_goes_on(session):
    assert inject(session, "process.paused", for_ms=100).proof == "SIGSTOP"
    first, second = asked(session), asked(session)
    assert (first.type, second.type) == (EntryType.OK, EntryType.OK)
    assert first.value["pid"] == second.value["pid"]


@pytest.mark.parametrize("kind", ["stdin_closed", "stdout_closed", "stdout_full", "stdout_slow"])
def test_its_streams_cannot_be_taken_from_it(session, kind):
    injection = inject(session, f"environment.{kind}")
    assert injection.armed is False
    assert injection.proof == "a process that is asked over its standard input and output cannot do without them"
    assert asked(session).value["seen"] == ["reset"]


@pytest.mark.parametrize("kind", ["stderr_closed", "stderr_full"])
def test_its_standard_error_can(session, kind):
    assert inject(session, f"environment.{kind}").proof
    assert asked(session).type is EntryType.OK


NEEDS = "[os.open(os.devnull, os.O_RDONLY) for _ in range({count})]\n"
OPENS_NONE = """
def full(call):
    try: os.close(os.open(os.devnull, os.O_RDONLY)); answer(call, {"opened": True})
    except OSError as error: answer(call, {"opened": error.errno})
"""


def test_surroundings_in_which_it_cannot_start_are_an_answer_that_never_came(tmp_path):
    with stdio(tmp_path, PLACED, before=TELLS + NEEDS.format(count=60)) as session:
        session.reset(scenario())
        assert inject(session, "process.few_descriptors", count=3).proof == "EMFILE"
        reply = asked(session)
        assert (reply.type, reply.value["reason"]) == (EntryType.INFO, "not_started")
        session.reset(scenario())
        assert asked(session).type is EntryType.OK


def test_of_few_descriptors_it_has_as_few_as_it_can_start_with_and_no_operation_opens_another(tmp_path):
    with stdio(tmp_path, "check=full", before=OPENS_NONE + NEEDS.format(count=20)) as session:
        session.reset(scenario())
        assert {"opened": True} == asked(session).value
        assert 40 == inject(session, "process.few_descriptors", count=40).fault.params["count"]
        session.reset(scenario())
        injection = inject(session, "process.few_descriptors", count=16)
        assert injection.proof == "EMFILE"
        assert 23 <= injection.fault.params["count"] <= 26  # what an interpreter itself has open differs
        assert {"opened": errno.EMFILE} == asked(session).value
        session.reset(scenario())
        assert injection.fault == inject(session, "process.few_descriptors", count=16).fault


def test_one_that_cannot_be_restarted_is_not(session):
    session._beginnings.met = msgspec.structs.replace(session.initialized, restart=False)
    for name in ("process.restarted", "environment.no_home", "network.refused"):
        injection = inject(session, name)
        assert (injection.armed, injection.proof) == (
            False, "it says that it cannot be restarted, and this fault needs a process started anew",
        )  # fmt: skip


def test_in_the_year_9999_it_is_told_the_time_only(session):
    assert inject(session, "clock.year_9999") == Injection(Fault("clock.year_9999"), armed=True, proof="moved")
    told = asked(session).value
    assert told["now"].startswith("9999-12-30T")
    assert told["time"] < 4_000_000_000
    session.move_clock(10.0**9)
    assert asked(session).value["now"].startswith("9999-12-31T23:59:59"), "no later time can be written"


@needs.libfaketime
def test_a_moved_clock_is_told_and_read(tmp_path):
    with stdio(tmp_path, PLACED, before=TELLS, contained=True) as session:
        session.reset(scenario())
        before = asked(session).value["time"]
        assert inject(session, "clock.back", by_s=7200).proof == "moved"
        told = asked(session).value
        assert to_seconds(told["now"]) == to_seconds(CLOCK) - 7200
        assert -7200 <= told["time"] - before < -7100
        session.reset(scenario())
        assert session.now() == CLOCK
        assert asked(session).value["time"] >= before
