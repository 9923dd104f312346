"""EACCES, also where the tests run as root, who ignores modes: pyfakefs checks them for the user it is told to be."""

import pytest
from pyfakefs.fake_filesystem_unittest import Patcher
from pyfakefs.helpers import set_uid

from harness.ports.clock import FakeClock
from harness.ports.files import RealFiles
from harness.systems.stop_gate.contract import CheckArguments, CheckerOutcome, Consideration, Decision, Limits, Severity
from harness.systems.stop_gate.reference import StopGate

NOW_S = 1_772_366_400.0


@pytest.fixture
def fs():
    with Patcher() as patcher:
        set_uid(1000)
        yield patcher.fs
        set_uid(0)


def closed(fs, path):
    fs.create_dir(path)
    fs.chmod(path, 0o500, force_unix_mode=True)


def test_a_directory_of_somebody_else_refuses_to_be_written(fs):
    closed(fs, "/theirs")
    for change in (lambda files: files.create("/theirs/x", b"", NOW_S), lambda files: files.append("/theirs/x", b"")):
        with pytest.raises(PermissionError):
            change(RealFiles())


@pytest.mark.parametrize(("outcome", "decision"), [("satisfied", Decision.APPROVE), ("failed", Decision.BLOCK)])
def test_a_home_that_may_not_be_written_changes_no_answer(fs, outcome, decision):
    """PS-FS-01, PS-FS-02: "Failing to write ... is logged and changes nothing else"."""
    fs.create_file("/t.jsonl", contents='{"role": "user", "content": "Go."}\n')
    fs.create_dir("/p")
    closed(fs, "/h")
    gate = StopGate("/h", FakeClock(NOW_S), RealFiles(), Limits())
    asked = Consideration("done", CheckerOutcome(outcome), Severity.BLOCKER)
    result = gate.check(CheckArguments("/t.jsonl", "/p", "s1", (asked,)), NOW_S)
    assert decision is result.decision
    assert not fs.exists("/h/.amplihack")
    assert (decision is Decision.APPROVE) == any(entry.level.value == "error" for entry in result.log)
