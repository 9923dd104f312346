"""The reference where it may not read or write what it wants to: EACCES on pyfakefs, also when the tests run as root.

Root ignores modes and pyfakefs checks them for the user it is told to be, so the owner of what is closed is another.
"""

import os
import stat
from contextlib import contextmanager

import pytest
from pyfakefs.fake_filesystem_unittest import Patcher
from pyfakefs.helpers import set_uid

from harness.ports.clock import FakeClock
from harness.ports.files import RealFiles
from harness.systems.stop_gate.contract import CheckArguments, CheckerOutcome, Consideration, Decision, Limits, Severity
from harness.systems.stop_gate.reference import StopGate

NOW_S = 1_772_366_400.0
HOME, PROJECT, TRANSCRIPT = "/people/me", "/projects/shop", "/projects/sessions/t.jsonl"
RUNTIME = f"{HOME}/.amplihack/.claude/runtime/power-steering"
CONFIG = f"{PROJECT}/.claude/tools/amplihack/.power_steering_config"
SAID = '{"role": "user", "content": "Go."}\n{"role": "assistant", "content": "Done."}\n'
ME, SOMEBODY = 1000, 1001
APPROVE, BLOCK = Decision.APPROVE, Decision.BLOCK
# what is closed, how, and what a session that deserves a block gets; one that deserves to end always does
CLOSED = [
    (TRANSCRIPT, 0o000, APPROVE),  # PS-FO-01: what cannot be read holds nobody
    ("/projects/sessions", 0o000, APPROVE),
    (CONFIG, 0o000, BLOCK),  # PS-CFG: an unreadable configuration is the default one
    (f"{PROJECT}/.claude", 0o000, BLOCK),
    (HOME, 0o500, BLOCK),  # PS-FS-01, PS-FS-02: a failing write changes no answer
    (HOME, 0o000, BLOCK),
    (f"{HOME}/.amplihack", 0o500, BLOCK),
    (RUNTIME, 0o500, BLOCK),
    (RUNTIME, 0o000, BLOCK),
    (f"{RUNTIME}/s1", 0o000, BLOCK),
    (f"{RUNTIME}/counters.json", 0o000, BLOCK),
    (f"{RUNTIME}/counters.lock", 0o000, BLOCK),
    (f"{RUNTIME}/power_steering.log", 0o400, BLOCK),
]


@contextmanager
def disk():
    with Patcher() as patcher:
        fs = patcher.fs
        set_uid(0)
        fs.create_file(TRANSCRIPT, contents=SAID)
        fs.create_file(CONFIG, contents="{}")
        fs.create_dir(HOME)
        for path in (HOME, "/projects"):
            give(path, ME)
        set_uid(ME)
        try:
            check("satisfied", session_id="s0")  # makes what a home in use holds
            RealFiles().append(f"{RUNTIME}/power_steering.log", b"old\n")
            os.mkdir(f"{RUNTIME}/s1")
            yield fs
        finally:
            set_uid(0)


def give(top, to):
    for path in [top, *(f"{at}/{name}" for at, names, files in os.walk(top) for name in (*names, *files))]:
        os.chown(path, to, to)


def close(fs, path, mode):
    """``path`` belongs to somebody else, who lets nobody do more than ``mode``, spread over group and others."""
    set_uid(0)
    kind = fs.get_object(path).st_mode
    os.chown(path, SOMEBODY, SOMEBODY)
    allowed = mode >> 6
    fs.chmod(path, (allowed << 6) | (allowed << 3) | allowed, force_unix_mode=True)
    assert stat.S_IFMT(kind) == stat.S_IFMT(fs.get_object(path).st_mode)
    set_uid(ME)


def check(outcome, session_id="s1", now_s=NOW_S):
    gate = StopGate(HOME, FakeClock(NOW_S), RealFiles(), Limits())
    asked = Consideration("done", CheckerOutcome(outcome), Severity.BLOCKER)
    return gate.check(CheckArguments(TRANSCRIPT, PROJECT, session_id, (asked,)), now_s)


def errors(result):
    return {entry.code.value for entry in result.log if entry.level.value in ("error", "warning")}


def test_where_everything_is_open_nothing_is_complained_about():
    """The control."""
    with disk():
        assert (BLOCK, set()) == ((result := check("failed")).decision, errors(result))
        assert (APPROVE, set()) == ((result := check("satisfied")).decision, errors(result))


@pytest.mark.parametrize(("path", "mode", "blocked"), CLOSED, ids=str)
def test_what_is_closed_holds_nobody_who_may_go_and_lets_nobody_go_who_may_not(path, mode, blocked):
    with disk() as fs:
        close(fs, path, mode)
        with pytest.raises(PermissionError):  # the fault is there: the same user meets it
            touch(path)
        assert blocked is check("failed").decision
        assert APPROVE is check("satisfied").decision


def touch(path):
    if os.path.isdir(path):
        os.mkdir(f"{path}/probe")
    else:
        RealFiles().read(path, 1)
        RealFiles().append(path, b"x")


@pytest.mark.parametrize("path", [TRANSCRIPT, CONFIG])
def test_what_could_not_be_read_is_told(path):
    with disk() as fs:
        close(fs, path, 0o000)
        assert errors(check("failed"))


def test_a_semaphore_that_cannot_be_removed_or_read_still_counts_for_its_hour():
    """PS-SES-03, PS-SES-05: its being there and its time are what counts."""
    with disk() as fs:
        check("satisfied")
        close(fs, f"{RUNTIME}/.s1_completed", 0o000)
        assert APPROVE is check("failed").decision
        assert BLOCK is check("failed", session_id="s2").decision


def test_nothing_is_made_beside_what_is_closed():
    """PS-FS-05: a write that is refused goes nowhere else."""
    with disk() as fs:
        close(fs, RUNTIME, 0o500)
        before = {path for at, _, names in os.walk("/") for path in (f"{at}/{name}" for name in names)}
        check("failed", session_id="s2")
        check("satisfied", session_id="s2")
        after = {path for at, _, names in os.walk("/") for path in (f"{at}/{name}" for name in names)}
        assert before == after
