"""The faults of the family syscall: each strikes one call, by name, path and number, and proves what that call met."""

import pytest
from supervised import PYTHON, a_run, data, said

from harness.core.fault import Fault, Injection
from harness.errors import FileFormatError, MachineError
from harness.faults import survey, syscall
from harness.faults.catalogue import checked, inject
from harness.faults.syscalls import Go, Supervisor, probe
from harness.sandbox import SandboxPlan, launch
from harness.targets.direct import DirectRoom

PLACE = "{home}/f"
TWO = "import os\nfd = os.open('f', os.O_CREAT | os.O_WRONLY)\nfor n in (1, 2, 3):\n"
TRIED = "    try: print(n, os.write(fd, b'0123456789'))\n    except OSError as error: print(n, error.strerror)"


def met(box, kind, *argv, path=PLACE, **params):
    """How the command ends while that fault strikes it, and the fault's proof."""
    armed = syscall.CallFault(checked(Fault(f"syscall.{kind}", path, params), box), box.roots.hide)
    with Supervisor(armed, below=(box.roots.home,), names=armed.names) as sup:
        (end,) = box.run_together([a_run(box, sup, *argv)])
    return end, armed.proof(sup.struck)


def test_the_call_of_that_number_fails_and_no_other(both):
    end, proof = met(both, "errno", *PYTHON, TWO + TRIED, nth=2, errno="EDQUOT")
    assert "EDQUOT" == proof
    assert (0, ["1 10", "2 5", "3 Disk quota exceeded"]) == (end.exit_code, end.stdout.decode().splitlines())
    end, proof = met(both, "errno", *PYTHON, TWO + TRIED, nth=2)
    assert ("EIO", (0, "1 10\n2 Input/output error\n3 10\n")) == (proof, said(end))


def test_a_full_disk_stays_full_for_that_file_after_a_short_write(room):
    script = TWO + TRIED + "\nopen('g', 'w').write('room elsewhere')"
    end, proof = met(room, "errno", *PYTHON, script, errno="ENOSPC")
    full = "No space left on device"
    assert ("ENOSPC", (0, f"1 5\n2 {full}\n3 {full}\n")) == (proof, said(end))
    assert (b"01234", b"room elsewhere") == (data(room, PLACE), data(room, "{home}/g"))


@pytest.mark.parametrize("signal", ["SIGKILL", "SIGTERM"])
def test_a_signal_strikes_before_the_call(both, signal):
    end, proof = met(both, "killed", *PYTHON, TWO + TRIED, nth=2, signal=signal)
    assert ({"SIGKILL": 9, "SIGTERM": 15}[signal], signal) == (end.signal, proof)
    assert b"0123456789" == data(both, PLACE)


def test_a_write_is_torn(both):
    end, proof = met(both, "torn", *PYTHON, TWO + TRIED, nth=2, bytes=7)
    assert (9, "7 bytes of 10", b"01234567890123456") == (end.signal, proof, data(both, PLACE))


def test_a_call_takes_longer(room):
    end, proof = met(
        room, "delayed", "sh", "-c", "s=$(date +%s%N); echo x > f; echo $(($(date +%s%N) - s))", delay_ms=50
    )
    assert "delayed" == proof
    assert int(end.stdout) >= 50_000_000


@pytest.mark.parametrize(
    ("kind", "params"),
    [
        ("errno", {"nth": 4}),
        ("errno", {"call": "rename"}),
        ("killed", {"nth": 4}),
        ("torn", {"bytes": 10}),
        ("torn", {"call": "openat", "bytes": 0}),
        ("delayed", {"call": "unlink"}),
    ],
)
def test_a_call_that_never_came_proves_nothing(room, kind, params):
    end, proof = met(room, kind, *PYTHON, TWO + TRIED, **params)
    assert ((0, "1 10\n2 10\n3 10\n"), "") == (said(end), proof)


def test_of_a_call_with_two_paths_both_have_to_be_those(room):
    command = ("sh", "-c", "> f; mv -T f g; mv -T g f; mv -T f h; echo $?")
    end, proof = met(room, "errno", *command, call="renameat2", to="{home}/h", errno="EACCES")
    assert ("EACCES", (0, "1\n")) == (proof, said(end))
    _, proof = met(room, "errno", *command, call="renameat2", to="{home}/i")
    assert "" == proof


def test_a_star_stands_for_what_a_program_makes_up_each_time(room):
    command = ("sh", "-c", "> d.$$.tmp && echo x > d.$$.tmp")
    for pattern, proof in (("{home}/d.*.tmp", "EIO"), ("{home}/*", "EIO"), ("{home}/e.*", ""), ("{home}/d.*.tm", "")):
        assert proof == met(room, "errno", *command, path=pattern)[1]


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        ({"call": "getpid"}, "call has to be one of access, "),
        ({"errno": "EWHATEVER"}, "errno has to be one of "),
        ({"nth": 0}, "nth has to be a whole number of at least 1, not 0"),
        ({"signal": "SIGINT"}, "has no parameter 'signal'"),
    ],
)
def test_what_no_call_can_meet_is_a_mistake_in_the_file(room, params, sentence):
    with pytest.raises(FileFormatError, match=sentence):
        checked(Fault("syscall.errno", PLACE, params), room)
    with pytest.raises(FileFormatError, match="needs a path"):
        checked(Fault("syscall.errno"), room)


@pytest.mark.parametrize("kind", ["errno", "killed", "torn", "delayed"])
def test_a_fault_is_armed_and_unproven_until_its_operation_ends(room, kind):
    fault = Fault(f"syscall.{kind}", PLACE)
    assert Injection(fault, armed=True, proof="") == inject(fault, room, 1)


def test_which_faults_end_their_operation(room):
    ends = {
        kind: syscall.CallFault(checked(Fault(f"syscall.{kind}", PLACE), room), str).kills
        for kind in ("errno", "killed", "torn", "delayed")
    }
    assert {"errno": False, "killed": True, "torn": True, "delayed": False} == ends


def test_where_nothing_can_be_struck_no_fault_is_armed(room, monkeypatch):
    monkeypatch.setattr(probe, "_known", {room.containment.namespaces: "no seccomp here"})
    fault = Fault("syscall.killed", PLACE)
    assert Injection(fault, armed=False, proof="no seccomp here") == inject(fault, room, 1)


def test_in_this_process_no_file_call_is_struck():
    place = DirectRoom()
    try:
        with pytest.raises(MachineError, match="a file call is struck in a sandbox; here is none"):
            syscall.place(place)
    finally:
        place.close()


def test_a_machine_is_asked_once_by_striking_a_call(both, monkeypatch):
    monkeypatch.setattr(probe, "_known", {})
    assert "" == probe.refusal(both)
    monkeypatch.setattr(probe, "tried", lambda sandbox: "asked again")
    assert "" == probe.refusal(both)


def broken_supervisor(error=None, decide=None):
    class Broken(Supervisor):
        def __init__(self, given, **options):
            if error is not None:
                raise error
            super().__init__(decide or given, **options)

    return Broken


def test_a_machine_without_libseccomp_says_so(room, monkeypatch):
    monkeypatch.setattr(probe, "Supervisor", broken_supervisor(MachineError("libseccomp is not installed")))
    assert "file calls cannot be struck here: libseccomp is not installed" == probe.tried(room)


def test_a_call_that_was_let_pass_is_no_proof(room, monkeypatch):
    monkeypatch.setattr(probe, "Supervisor", broken_supervisor(decide=lambda call: Go()))
    assert "file calls cannot be struck here: one that was to fail did not" == probe.tried(room)


def test_a_program_that_does_not_start_is_no_proof(room, monkeypatch):
    monkeypatch.setattr(probe, "base_environment", lambda roots: {"PATH": "/nowhere"})
    expected = "file calls cannot be struck here: a program under a filter does not start (ENOENT)"
    assert expected == probe.tried(room)


def test_other_systems_than_linux_have_no_seccomp(room, monkeypatch):
    monkeypatch.setattr(probe.sys, "platform", "darwin")
    assert "file calls are struck by seccomp, which only Linux has" == probe.tried(room)


@pytest.mark.parametrize("plain", [False, True])
def test_a_survey_strikes_a_call_with_each_of_them(monkeypatch, plain):
    if plain:
        monkeypatch.setattr(launch, "WAYS", (launch.PLAIN,))
        monkeypatch.setattr("harness.faults.survey.SandboxPlan", lambda: SandboxPlan(force_fallback=True))
    found = {fact.family: fact for fact in survey.families()}["syscall"]
    assert (4, {}, ()) == (found.faults, found.refused, found.unproven)


def test_a_survey_tells_why_none_can_be_struck(monkeypatch):
    monkeypatch.setattr(probe, "refusal", lambda sandbox: "no seccomp here")
    found = {fact.family: fact for fact in survey.families()}["syscall"]
    assert {"no seccomp here": ("errno", "killed", "torn", "delayed")} == found.reasons()
