"""What happens to processes: each fault as a program meets it, proven, and gone after a reset."""

import needs
import pytest
from placing import is_calm, placed, run, told

from harness.core.fault import Fault, Injection
from harness.faults import process
from harness.sandbox import Sandbox, Write


@pytest.mark.parametrize("count", [3, 4, 16, 64, 1024])
def test_few_descriptors_are_run_out_of(sandbox, count):
    assert placed(sandbox, "process.few_descriptors", count=count).proof == "EMFILE"
    assert told(sandbox, "ulimit -n") == str(count) if count > 3 else "Error 24" in told(sandbox, "true")
    assert is_calm(sandbox)


@pytest.mark.parametrize("size", [0, 64, 5000])
def test_a_file_has_only_so_many_bytes_and_the_last_write_is_short(sandbox, size):
    assert placed(sandbox, "process.file_size", bytes=size).proof == "EFBIG"
    assert run(sandbox, "exec head -c 9999 /dev/zero > a").signal == 25
    assert sandbox.read("{home}/a").size == size
    assert is_calm(sandbox)
    assert run(sandbox, "exec head -c 9999 /dev/zero > a").exit_code == 0


@pytest.mark.parametrize("there", [True, False], ids=["a file", "nothing"])
def test_a_lock_is_held_by_someone_else(sandbox, there):
    if there:
        sandbox.apply([Write("{home}/state", b"text")])
    assert placed(sandbox, "process.lock_held", "{home}/state").proof == "held"
    assert [run(sandbox, f"flock -n -E 75 {name} true").exit_code for name in ("state", "state.lock")] == [75, 75]
    assert sandbox.read("{home}/state").data == (b"text" if there else b"")
    assert is_calm(sandbox)
    assert run(sandbox, "flock -n -E 75 state true").exit_code == 0


def test_every_file_of_a_directory_is_locked(contained):
    contained.apply([Write("{home}/run/a", b""), Write("{home}/run/deep/counters.lock", b"")])
    assert placed(contained, "process.lock_held", "{home}/run").proof == "held"
    names = ("a", "deep/counters.lock", ".lock", "lock")
    assert [run(contained, f"flock -n -E 75 run/{name} true").exit_code for name in names] == [75] * 4


def test_the_directory_of_a_lock_is_made_when_it_is_not_there(contained):
    assert placed(contained, "process.lock_held", "{home}/a/b/lock").proof == "held"
    assert contained.read("{home}/a/b/lock").kind == "file"


@needs.strace
def test_a_slow_disk_delays_every_change(contained):
    injection = placed(contained, "process.slow_disk", delay_ms=30)
    assert (injection.armed, injection.proof) == (True, "1 delayed")
    ended = run(contained, "for name in a b c; do echo x > $name; done; cat a")
    assert ended.stdout == b"x\n"
    assert ended.duration_s >= 0.09, "three lines were written"
    log = contained.read(process.LOG).data
    assert log.count(b"(DELAYED)") >= 3
    assert is_calm(contained)


@needs.strace
@pytest.mark.parametrize(("script", "exit_code", "signal"), [("exit 7", 7, None), ("kill -9 $$", None, 9)])
def test_a_slow_disk_changes_no_end(contained, script, exit_code, signal):
    placed(contained, "process.slow_disk", delay_ms=1)
    ended = run(contained, script)
    assert (ended.exit_code, ended.signal, ended.stderr) == (exit_code, signal, b"")


@pytest.mark.parametrize(
    ("found", "says"),
    [
        ("", "a slow disk is made by strace, which is not installed; apt-get install strace"),
        ("/bin/false", "a slow disk is made by strace, which is refused here: it gives no reason"),
        ("/bin/cat", "a slow disk is made by strace, which is refused here: Try"),
    ],
)
def test_a_strace_that_is_missing_or_refused_arms_nothing(contained: Sandbox, monkeypatch, found, says):
    real = process.calm

    def calm(room, script, *words):
        return real(room, f"echo {found}") if script.startswith("command") else real(room, script, *words)

    monkeypatch.setattr(process, "calm", calm)
    injection = placed(contained, "process.slow_disk")
    assert injection.armed is False
    assert injection.proof.startswith(says)
    assert is_calm(contained)


@pytest.mark.parametrize("kind", sorted(process.BY_SESSION))
def test_what_a_session_carries_out_is_armed_and_not_yet_proven(sandbox, kind):
    assert placed(sandbox, f"process.{kind}") == Injection(Fault(f"process.{kind}"), armed=True, proof="")


def test_the_quantities_of_a_strike_have_their_defaults():
    killed = Fault("process.killed")
    assert (process.signal_of(killed).name, process.share_of(killed)) == ("SIGKILL", 0.5)
    given = Fault("process.killed", None, {"signal": "SIGTERM", "at": 0})
    assert (process.signal_of(given).name, process.share_of(given)) == ("SIGTERM", 0.0)
    assert process.pause_of(Fault("process.paused")) == 0.1
    assert process.pause_of(Fault("process.paused", None, {"for_ms": 20})) == 0.02
