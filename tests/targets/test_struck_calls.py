"""Faults at one file call, over the carriers that start processes: the next operation meets it, no other, and proves it."""

from types import SimpleNamespace

import pytest
from carriers import CLOCK, op, scenario, stdio

from harness.core.fault import Fault, Injection
from harness.core.history import EntryType
from harness.core.scenario import Step, World
from harness.errors import MachineError
from harness.explore.driver import JudgingDriver
from harness.faults import strace
from harness.faults.syscalls import Supervisor, probe
from harness.targets.target_file import DeclaredPaths

WRITES = "echo hello >> ~/log || echo failed >&2; echo on >&2; exit 0\n"
STDIO = """
def write(call):
    try:
        with open(call["params"]["path"], "a") as log:
            log.write("hello")
        answer(call, {"pid": os.getpid(), "error": None})
    except OSError as error:
        answer(call, {"pid": os.getpid(), "error": error.errno})
"""
CASES = [
    ("errno", {"errno": "EIO"}, "EIO"),
    ("killed", {}, "SIGKILL"),
    ("killed", {"signal": "SIGTERM"}, "SIGTERM"),
    ("torn", {"bytes": 3}, "3 bytes of "),
    ("delayed", {"delay_ms": 20}, "delayed"),
]


def log(session):
    return session.sandbox.read("{home}/log", 1 << 16).data


def stop(session):
    (reply,) = session.perform([(0, op("stop"))])
    return {"signal": None, "stderr_excerpt": "", **reply.value}


@pytest.mark.parametrize(("kind", "params", "proof"), CASES)
def test_a_stop_meets_it_and_the_next_one_is_calm(hooks, kind, params, proof):
    session = hooks.shell(WRITES)
    fault = Fault(f"syscall.{kind}", "{home}/log", params)
    assert Injection(fault, armed=True, proof="") == session.inject(fault, 1)
    struck = stop(session)
    (met,) = session.met()
    assert (0, fault, True) == (met[0], met[1].fault, met[1].armed)
    assert met[1].proof.startswith(proof)
    assert {"SIGKILL": 9, "SIGTERM": 15, "3 bytes of ": 9}.get(proof) == struck["signal"]
    assert {"torn": b"hel", "delayed": b"hello\n"}.get(kind, b"") == log(session)
    assert ("failed" in struck["stderr_excerpt"]) is (kind == "errno")
    after = stop(session)
    assert ("on\n", None, ()) == (after["stderr_excerpt"], after["signal"], session.met())


def test_a_stop_that_never_makes_the_call_meets_nothing(hooks):
    session = hooks.shell("exit 0\n")
    fault = Fault("syscall.errno", "{home}/log")
    session.inject(fault, 1)
    stop(session)
    assert ((0, Injection(fault, armed=True, proof="")),) == session.met()


@pytest.mark.parametrize(("kind", "blame"), [("errno", "implementation"), ("killed", "harness")])
def test_who_dies_of_a_call_that_failed_is_to_blame_for_it_and_who_was_killed_is_not(tmp_path, kind, blame):
    dies = """
def write(call):
    try:
        open(call["params"]["path"], "a").close()
    except OSError:
        os._exit(1)
    answer(call, {})
"""
    with stdio(tmp_path, "write=write", before=dies) as session:
        session.reset(scenario())
        session.inject(Fault(f"syscall.{kind}", "{home}/log", {"call": "openat"}), 1)
        (reply,) = session.perform([(0, op("write", path="{home}/log"))])
        (met,) = session.met()
    assert (EntryType.INFO, "died", blame) == (reply.type, reply.value["reason"], reply.value["blame"])
    assert met[1].proof


def test_a_reset_takes_it_back(hooks):
    session = hooks.shell(WRITES)
    session.inject(Fault("syscall.killed", "{home}/log"), 1)
    session.reset(scenario())
    assert "on\n" == stop(session)["stderr_excerpt"]
    assert () == session.met()


def test_of_stops_begun_together_the_first_meets_it(hooks):
    session = hooks.shell("echo hello >> ~/log; sleep 0.1; exit 0\n")
    fault = Fault("syscall.killed", "{home}/log")
    session.inject(fault, 1)
    ends = session.perform([(1, op("stop")), (2, op("stop"))])
    assert [9, None] == [end.value.get("signal") for end in ends]
    assert ((1, Injection(fault, armed=True, proof="SIGKILL")),) == session.met()


@pytest.mark.parametrize("path", ["{runtime}/state", "{home}/.claude/state"])
def test_a_path_that_the_target_declares_is_known_by_its_name(hooks, path):
    session = hooks.shell(
        "mkdir -p ~/.claude; echo x > ~/.claude/state\n", paths=DeclaredPaths(runtime="{home}/.claude")
    )
    fault = Fault("syscall.errno", path)
    session.inject(fault, 1)
    stop(session)
    assert ["EIO"] == [injection.proof for _, injection in session.met()]


@pytest.fixture
def unsupervised(hooks, monkeypatch):
    """A hook on a machine where no supervisor works."""
    monkeypatch.setattr(probe, "_known", {False: "no seccomp here"})
    return hooks.shell(WRITES)


@pytest.mark.tools
def test_without_a_supervisor_strace_gives_the_error(unsupervised):
    fault = Fault("syscall.errno", "{home}/log", {"call": "openat", "errno": "EDQUOT"})
    assert Injection(fault, armed=True, proof="") == unsupervised.inject(fault, 1)
    assert "failed" in stop(unsupervised)["stderr_excerpt"]
    assert ((0, Injection(fault, armed=True, proof="EDQUOT")),) == unsupervised.met()
    assert "on\n" == stop(unsupervised)["stderr_excerpt"]
    assert () == unsupervised.met()


@pytest.mark.tools
def test_what_strace_never_met_is_not_proven_and_a_reset_takes_it_back(unsupervised):
    fault = Fault("syscall.errno", "{home}/other")
    unsupervised.inject(fault, 1)
    assert "on\n" == stop(unsupervised)["stderr_excerpt"]
    assert ((0, Injection(fault, armed=True, proof="")),) == unsupervised.met()
    unsupervised.inject(Fault("syscall.errno", "{home}/log"), 1)
    unsupervised.reset(scenario())
    assert "on\n" == stop(unsupervised)["stderr_excerpt"]
    assert () == unsupervised.met()


@pytest.mark.parametrize(
    "fault",
    [
        Fault("syscall.killed", "{home}/log"),
        Fault("syscall.torn", "{home}/log"),
        Fault("syscall.delayed", "{home}/log"),
        Fault("syscall.errno", "{home}/log.*"),
    ],
)
def test_strace_does_nothing_that_it_would_do_otherwise(unsupervised, fault):
    assert Injection(fault, armed=False, proof="no seccomp here") == unsupervised.inject(fault, 1)


def test_where_neither_works_both_reasons_are_told(unsupervised, monkeypatch):
    def missing(room):
        raise MachineError("strace is not installed")

    monkeypatch.setattr(strace, "place", missing)
    fault = Fault("syscall.errno", "{home}/log")
    expected = Injection(fault, armed=False, proof="no seccomp here; strace is not installed")
    assert expected == unsupervised.inject(fault, 1)


def test_a_supervisor_that_breaks_is_an_error_of_the_machine_and_no_verdict(hooks, monkeypatch):
    session = hooks.shell(WRITES)
    session.inject(Fault("syscall.errno", "{home}/log"), 1)

    def refused(self, run):
        raise MachineError("another supervisor listens")

    monkeypatch.setattr(Supervisor, "_notified", refused)
    with pytest.raises(MachineError, match="another supervisor listens"):
        stop(session)


@pytest.fixture
def session(tmp_path):
    """An adapter that writes when it is asked to."""
    with stdio(tmp_path, "write=write", before=STDIO) as opened:
        opened.reset(scenario())
        yield opened


def written(session, process=0):
    (reply,) = session.perform([(process, op("write", path="{home}/log"))])
    return reply


@pytest.mark.parametrize(("kind", "params", "proof"), CASES)
@pytest.mark.parametrize("told", [True, False])
def test_an_operation_meets_it_and_the_next_one_is_calm(session, kind, params, proof, told):
    fault = Fault(f"syscall.{kind}", "{home}/log", params)
    if told:
        session.reset(scenario(Step(fault=fault)))
    assert Injection(fault, armed=True, proof="") == session.inject(fault, 1)
    struck = written(session)
    (met,) = session.met()
    assert (0, fault, True) == (met[0], met[1].fault, met[1].armed)
    assert met[1].proof.startswith(proof)
    if kind in ("killed", "torn"):
        assert (EntryType.INFO, "died") == (struck.type, struck.value["reason"])
    else:
        assert (EntryType.OK, 5 if kind == "errno" else None) == (struck.type, struck.value["error"])
    before = log(session)
    after = written(session)
    assert (EntryType.OK, None, ()) == (after.type, after.value["error"], session.met())
    assert before + b"hello" == log(session)


def test_what_a_process_does_between_operations_is_struck_by_nothing(tmp_path):
    special = "write=write, open=lambda call: (os.close(os.open(call['params']['workdir'] + '/log', os.O_CREAT | os.O_WRONLY)), usual(call))"
    with stdio(tmp_path, special, before=STDIO) as session:
        fault = Fault("syscall.errno", "{home}/log", {"call": "openat"})
        session.reset(scenario())
        session.inject(fault, 1)
        assert (EntryType.OK, 5) == ((reply := written(session)).type, reply.value["error"])
        assert ["EIO"] == [injection.proof for _, injection in session.met()]


REMEMBERS = """
asked = []
def remember(call):
    asked.append(call["params"]["what"]); answer(call, {"asked": asked})
"""


def test_in_a_search_it_meets_a_process_that_was_asked_all_that_came_before(tmp_path):
    system = SimpleNamespace(name="toy", judge=lambda *_: (), catalogue=None, inputs_of=lambda *_: {})
    with stdio(tmp_path, "write=write, remember=remember", before=STDIO + REMEMBERS) as session:
        driver = JudgingDriver(system, session, "gate", 1)
        driver.begin(World(CLOCK))
        struck = Step(fault=Fault("syscall.errno", "{home}/log", {"call": "openat"}))
        first, second = (Step(op=op("remember", what=word)) for word in ("first", "second"))
        replies = [driver.take(step) for step in (first, struck, Step(op=op("write", path="{home}/log")), second)]
        driver.end()
    assert [["first"], 5, ["first", "second"]] == [
        reply.value.get("asked", reply.value.get("error")) for reply, *_ in filter(None, replies)
    ]


def test_one_that_cannot_be_restarted_meets_no_call_fault(tmp_path):
    answer = "initialize=lambda call: answer(call, {**ANSWER, 'restart': False}), write=write"
    with stdio(tmp_path, answer, before=STDIO) as session:
        session.reset(scenario())
        refusal = "it says that it cannot be restarted, and this fault needs a process started anew"
        fault = Fault("syscall.errno", "{home}/log")
        assert Injection(fault, armed=False, proof=refusal) == session.inject(fault, 1)


def test_a_session_that_ends_leaves_no_supervisor(tmp_path):
    with stdio(tmp_path, "write=write", before=STDIO) as session:
        session.reset(scenario())
        session.inject(Fault("syscall.killed", "{home}/log"), 1)
        written(session)
        supervisor = session._processes._supervisor
    assert not supervisor._thread.is_alive()
