"""The reference under the path rules of another system: drives, backslashes, no case. Run on pyfakefs, in this process.

Each fake disk is made inside the test: Hypothesis, asked for a fixture of one, would write its database into it.
"""

import os
from contextlib import contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyfakefs.fake_filesystem import OSType
from pyfakefs.fake_filesystem_unittest import Patcher

from harness.ports.clock import FakeClock
from harness.ports.files import RealFiles
from harness.systems.stop_gate.contract import CheckArguments, CheckerOutcome, Consideration, Decision, Limits, Severity
from harness.systems.stop_gate.reference import StopGate

NOW_S = 1_772_366_400.0
HOME, PROJECT, TRANSCRIPT = "C:\\Users\\me", "D:\\work\\shop", "D:\\sessions\\t.jsonl"
RUNTIME = "C:\\Users\\me\\.amplihack\\.claude\\runtime\\power-steering"
CONFIG = "D:\\work\\shop\\.claude\\tools\\amplihack\\.power_steering_config"
SAID = '{"role": "user", "content": "Go."}\n{"role": "assistant", "content": "Done."}\n'
HOSTILE = ("..\\..\\..\\x", "..\\..\\..\\..\\..\\x", "C:x", "C:\\x", "D:\\work\\shop\\x", "\\\\server\\share\\x", "\\\\?\\C:\\x",
           "a\\b", "a/..\\b", "NUL:", "x:stream", "c:")  # fmt: skip
OUTCOMES = [("satisfied", Decision.APPROVE), ("failed", Decision.BLOCK)]


@contextmanager
def windows():
    with Patcher() as patcher:
        patcher.fs.os = OSType.WINDOWS
        patcher.fs.create_file(TRANSCRIPT, contents=SAID)
        patcher.fs.create_dir(PROJECT)
        patcher.fs.create_dir(HOME)
        yield patcher.fs


def check(outcome, session_id="s1", transcript=TRANSCRIPT, home=HOME, project=PROJECT, now_s=NOW_S):
    gate = StopGate(home, FakeClock(NOW_S), RealFiles(), Limits())
    asked = Consideration("done", CheckerOutcome(outcome), Severity.BLOCKER)
    return gate.check(CheckArguments(transcript, project, session_id, (asked,)), now_s)


def files():
    found = [os.path.join(at, name) for drive in ("C:\\", "D:\\") for at, _, names in os.walk(drive) for name in names]
    return {path for path in found if path not in (TRANSCRIPT, CONFIG)}


def problems(result):
    return [entry.code.value for entry in result.log if entry.level.value == "error"]


@pytest.mark.parametrize(("outcome", "decision"), OUTCOMES)
def test_the_answer_is_the_same_and_nothing_is_refused(outcome, decision):
    with windows():
        result = check(outcome)
        assert decision is result.decision
        assert [] == problems(result)


def test_an_approval_is_remembered_in_the_runtime_directory_of_the_home():
    """PS-SES-02, PS-SES-03: the semaphore is found again, for its session alone."""
    with windows() as fs:
        check("satisfied")
        assert fs.exists(f"{RUNTIME}\\.s1_completed")
        assert Decision.APPROVE is check("failed").decision
        assert Decision.BLOCK is check("failed", session_id="s2").decision


@pytest.mark.parametrize("session_id", HOSTILE)
@pytest.mark.parametrize(("outcome", "decision"), OUTCOMES)
def test_a_session_id_with_the_separators_of_that_system_leads_nowhere(session_id, outcome, decision):
    """PS-SES-07: whatever the id, what is written lies in the runtime directory."""
    with windows():
        result = check(outcome, session_id=session_id)
        assert decision is result.decision
        assert [] == [path for path in files() if not path.startswith(f"{RUNTIME}\\")]
        assert outcome == "failed" or files()


@settings(max_examples=25, deadline=None, database=None)
@given(st.text(alphabet="\\/:.aC~$ %", min_size=1, max_size=12))
def test_no_id_of_separators_drives_and_dots_leaves_the_runtime_directory(session_id):
    """PS-SES-07."""
    with windows():
        assert Decision.APPROVE is check("satisfied", session_id=session_id).decision
        assert [] == [path for path in files() if not path.startswith(f"{RUNTIME}\\")]


@pytest.mark.parametrize(
    "transcript",
    [
        "D:\\sessions\\none.jsonl",
        "E:\\t.jsonl",
        "D:t.jsonl",
        "\\\\server\\share\\t.jsonl",
        "D:\\sessions",
        "C:\\a|b?.jsonl",
    ],
)
def test_a_transcript_that_cannot_be_there_lets_the_session_end(transcript):
    """PS-FO-01: missing, on a drive that is not there, relative to a drive, a directory, a name that is none."""
    with windows():
        assert Decision.APPROVE is check("failed", transcript=transcript).decision


def test_a_transcript_is_found_whatever_the_case_and_the_slashes():
    """Two-sided: what that system calls the same file still blocks."""
    with windows():
        assert Decision.BLOCK is check("failed", transcript="d:/Sessions/T.JSONL").decision


def test_a_configuration_is_read_below_the_project():
    """PS-CFG: with `enabled` false nothing is held."""
    with windows() as fs:
        fs.create_file(CONFIG, contents='{"enabled": false}')
        assert Decision.APPROVE is check("failed").decision


def test_a_sibling_that_begins_with_the_same_letters_is_not_the_runtime_directory():
    """PS-FS-04: a link to a directory beside it is refused, and the answer stays."""
    with windows() as fs:
        fs.create_dir(f"{RUNTIME}-evil")
        fs.create_symlink(f"{RUNTIME}\\s1", f"{RUNTIME}-evil")
        result = check("failed")
        assert Decision.BLOCK is result.decision
        result = check("satisfied")
        assert Decision.APPROVE is result.decision
        assert [] == [path for path in files() if path.startswith(f"{RUNTIME}-evil")]


@pytest.mark.parametrize(("outcome", "decision"), OUTCOMES)
@pytest.mark.parametrize("session_id", HOSTILE)
def test_on_this_system_such_an_id_is_one_name_like_any_other(tmp_path, session_id, outcome, decision):
    """PS-SES-07: backslashes and colons mean nothing here, and are still not taken into a path."""
    (tmp_path / "t.jsonl").write_text(SAID)
    (tmp_path / "home").mkdir()
    result = check(outcome, session_id, str(tmp_path / "t.jsonl"), str(tmp_path / "home"), str(tmp_path))
    assert decision is result.decision
    names = {path.name for path in (tmp_path / "home").rglob("*")}
    assert [] == [name for name in names if "\\" in name or ":" in name]
