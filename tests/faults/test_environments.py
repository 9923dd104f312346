"""What surrounds a process is what the fault says, as a program meets it, and nothing of it is left after a reset."""

import pytest
from placing import is_calm, placed, run, told

from harness.core.fault import Fault, Injection
from harness.faults.environment import KINDS

PROOFS = {
    "no_home": "unset", "empty_home": "empty", "missing_home": "ENOENT", "odd_locale": "changed", "no_path": "empty",
    "no_tmpdir": "ENOENT", "nothing": "empty", "deleted_cwd": "deleted", "odd_umask": "0777", "stdin_closed": "closed",
    "stdout_closed": "closed", "stderr_closed": "closed", "stdout_full": "ENOSPC", "stderr_full": "ENOSPC",
    "stdout_slow": "EAGAIN",
}  # fmt: skip
SEEN = {
    "no_home": ('echo "${HOME-unset}"', "unset"),
    "empty_home": ('echo "<$HOME>"', "<>"),
    "missing_home": ('ls -d "$HOME" 2>&1', "No such file"),
    "odd_locale": ("echo $LANG", "KOI8"),
    "no_path": ("/usr/bin/env | /bin/grep -c ^PATH=.", "0"),
    "no_tmpdir": ("mktemp 2>&1", "No such file"),
    "nothing": ("/usr/bin/env", "PWD="),
    "deleted_cwd": ("touch here 2>&1", "No such file"),
    "odd_umask": ("echo x > f; stat -c %a f", "0"),
    "stdin_closed": ("head -c 1 2>&1", "Bad file descriptor"),
    "stdout_closed": ("echo x", "I/O error"),
    "stderr_closed": ("[ -e /proc/$$/fd/2 ] || echo closed", "closed"),
    "stdout_full": ("head -c 9 /etc/passwd", "No space left"),
    "stderr_full": ("ls /nowhere; echo $?", "2"),
}


def test_every_kind_is_tried():
    assert {f"environment.{kind}" for kind in (*PROOFS, "read_only_home")} == {kind.name for kind in KINDS}


@pytest.mark.parametrize("kind", PROOFS)
def test_it_is_armed_and_proven_and_gone_after_a_reset(sandbox, kind):
    name = f"environment.{kind}"
    assert placed(sandbox, name) == Injection(Fault(name), armed=True, proof=PROOFS[kind])
    assert is_calm(sandbox)


@pytest.mark.parametrize("kind", SEEN)
def test_a_program_meets_it(sandbox, kind):
    placed(sandbox, f"environment.{kind}")
    script, says = SEEN[kind]
    assert says in told(sandbox, script)


def test_a_slow_output_is_drained_late_and_loses_nothing(contained):
    placed(contained, "environment.stdout_slow")
    ended = run(contained, "echo said")
    assert (ended.exit_code, ended.stdout) == (0, b"said\n")
    assert ended.duration_s > 0.2


def test_a_read_only_home_refuses_writes_until_the_world_is_fresh(contained):
    assert placed(contained, "environment.read_only_home").proof == "EROFS"
    assert "Read-only file system" in told(contained, "echo x > ~/a")
    contained.fresh()
    assert told(contained, "echo x > ~/a; cat ~/a") == "x"


def test_a_read_only_home_needs_namespaces(plain):
    found = placed(plain, "environment.read_only_home")
    assert found.armed is False
    assert "namespace" in found.proof
