"""A test is skipped for a reason that stands in tests/needs.py, and in CI not at all."""

import re
from pathlib import Path

import needs
import pytest

TESTS = Path(__file__).parents[1]
SKIPS = re.compile(r"pytest\.(skip|xfail|importorskip)\(|mark\.(skip|skipif|xfail)\b")


def _told(outcome: str) -> pytest.TestReport:
    report = pytest.TestReport("a", ("a", 1, "a"), {}, outcome, "no strace", "call")  # type: ignore[arg-type]
    return needs.judged(report)


def test_skips_stand_in_one_file():
    found = {
        path.relative_to(TESTS).as_posix()
        for path in TESTS.rglob("*.py")
        if path != Path(__file__) and SKIPS.search(path.read_text())
    }
    assert {"needs.py"} == found


@pytest.mark.parametrize("outcome", ["passed", "failed"])
def test_where_skips_fail_other_outcomes_stay(monkeypatch, outcome):
    monkeypatch.setenv(needs.SKIPS_FAIL, "1")
    assert outcome == _told(outcome).outcome


def test_a_skip_fails_in_ci_and_nowhere_else(monkeypatch):
    monkeypatch.setenv(needs.SKIPS_FAIL, "1")
    told = _told("skipped")
    assert ("failed", "skipped, which WINDTUNNEL_SKIPS_FAIL forbids: no strace") == (told.outcome, told.longrepr)
    monkeypatch.delenv(needs.SKIPS_FAIL)
    assert "skipped" == _told("skipped").outcome


def test_ci_lets_no_test_be_skipped():
    assert f"export {needs.SKIPS_FAIL}=1" in (TESTS.parent / ".ci" / "run").read_text()
