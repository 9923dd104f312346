"""What a real host's sessions leave in a report directory, beside the certification that was run before."""

import json

import msgspec
import pytest
from junitparser import JUnitXml, TestCase, TestSuite

from harness.core.hosted import HostedRun, HostFinding, HostStop, HostStory
from harness.errors import UsageError
from harness.report import host_sessions

MUSTS = frozenset(("SH-03",))


def stop(blocked, predicted=None):
    foretold = blocked if predicted is None else predicted
    return HostStop(blocked, foretold, 0, timed_out=False, stderr="", transcript=True)


def story(name, *stops, end="exited", calm=True, **more):
    condition = "as its user runs it" if calm else "no transcript is kept"
    return HostStory(name, condition, "A story.", calm, end, stops, **more)


def run(outcome, stories, *findings):
    return HostedRun("some-host", "1.0", "my|hook", outcome, tuple(stories), findings)


HELD = story("open_todo", *[stop(True)] * 3, end="stopped")
PASSED = story("plain", stop(False))
LEFT = story("plain", stop(False), calm=False, children_left=("sleep",))
UNBOUNDED = HostFinding("SH-03", "open_todo", "the session was held 3 times in a row")
CHILD = HostFinding("SH-07", "plain (no transcript is kept)", "after the session still ran: sleep")


@pytest.fixture
def report(tmp_path):
    """A report directory as a certification leaves it."""
    document = JUnitXml("windtunnel")
    suite = TestSuite("certified")
    suite.add_testcase(TestCase("SH-01"))
    document.add_testsuite(suite)
    document.write(str(tmp_path / "junit.xml"))
    (tmp_path / "report.md").write_text("# my hook: conformant\n")
    return tmp_path


def cases(report):
    """Each case of the host's suite with what it came to."""
    (suite,) = [each for each in JUnitXml.fromfile(str(report / "junit.xml")) if each.name != "certified"]
    return {case.name: [(type(each).__name__, each.type, each.message) for each in case.result] for case in suite}


def test_the_whole_run_is_in_host_json(report):
    found = run("fails", [HELD, PASSED], UNBOUNDED)
    host_sessions.write(report, found, MUSTS)
    assert found == msgspec.json.decode((report / "host.json").read_bytes(), type=HostedRun)
    assert "fails" == json.loads((report / "host.json").read_text())["outcome"]


def test_a_violated_must_is_a_failure_of_its_session_and_a_should_is_none(report):
    host_sessions.write(report, run("fails", [HELD, PASSED, LEFT], UNBOUNDED, CHILD), MUSTS)
    assert {
        "open_todo": [("Failure", "SH-03", UNBOUNDED.text)],
        "plain": [],
        "plain (no transcript is kept)": [],
    } == cases(report)


def test_a_host_that_differs_is_an_error_of_that_session_and_no_failure(report):
    other = story("tools", stop(True, predicted=False), stop(False))
    host_sessions.write(report, run("differs", [HELD, other], UNBOUNDED), MUSTS)
    why = "the hook answers otherwise to the same call, or the host is another; nothing is said of the hook"
    words = f"stops B., predicted ..: {why}"
    assert {"open_todo": [], "tools": [("Error", "NOT_AS_PREDICTED", words)]} == cases(report)


def test_the_certification_stays_in_the_junit_file(report):
    host_sessions.write(report, run("as_predicted", [PASSED]), MUSTS)
    assert ["certified", "my|hook: some-host 1.0"] == [
        each.name for each in JUnitXml.fromfile(str(report / "junit.xml"))
    ]


def test_the_page_gets_a_section_in_which_nothing_of_the_hook_is_markup(report, snapshot):
    hostile = HostFinding("SH-03", "open_todo", "<b>held</b>\n| often")
    host_sessions.write(report, run("fails", [HELD, PASSED, LEFT], hostile, CHILD), MUSTS)
    assert snapshot == (report / "report.md").read_text()


def test_the_page_says_nothing_of_a_hook_under_a_host_that_differs(report, snapshot):
    host_sessions.write(report, run("differs", [story("tools", stop(True, predicted=False))], UNBOUNDED), MUSTS)
    assert snapshot == (report / "report.md").read_text()


def test_sessions_that_broke_off_are_an_error_of_their_own(report):
    found = msgspec.structs.replace(run("untested", [PASSED]), message="the host hangs\nfor ever")
    host_sessions.write(report, found, MUSTS)
    assert {"plain": [], "the sessions": [("Error", "UNTESTED", "the host hangs for ever")]} == cases(report)
    assert "\nBroke off: the host hangs for ever.\n" in (report / "report.md").read_text()


def test_without_a_certification_before_there_is_a_report_all_the_same(tmp_path):
    host_sessions.write(tmp_path, run("as_predicted", [PASSED]), MUSTS)
    assert {"plain": []} == cases(tmp_path)
    assert (tmp_path / "report.md").read_text().startswith("# my\\|hook\n\n**Under the real host some-host 1.0")


def test_an_earlier_run_is_forgotten(report):
    host_sessions.forget(report)
    host_sessions.write(report, run("as_predicted", [PASSED]), MUSTS)
    host_sessions.forget(report)
    assert not (report / "host.json").exists()


@pytest.mark.parametrize("name", ["host.json", "report.md"])
def test_what_cannot_be_written_is_said_in_one_sentence(report, name):
    (report / name).unlink(missing_ok=True)
    (report / name).mkdir()
    with pytest.raises(UsageError, match=rf"^cannot write .*{name}: Is a directory; choose another with --report$"):
        host_sessions.write(report, run("as_predicted", [PASSED]), MUSTS)
