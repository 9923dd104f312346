"""Known deviations beside a run: CI stays green with them, and with nothing else; they certify nothing."""

import json
import sys

import pytest

from harness.certify import closing
from harness.certify.baseline import Baseline, compared
from harness.core.clause import Catalogue, Clause, Level
from harness.core.verdict import ClauseResult, ClauseVerdict, Outcome, SystemResult

C, D, N = ClauseVerdict.CONFORMS, ClauseVerdict.DEVIATES, ClauseVerdict.NOT_ESTABLISHED
CATALOGUE = Catalogue(
    "rate_limit",
    ("000",),
    tuple(Clause(f"T-0{n}", "rate_limit", "x", Level.MUST, "000", "state", "y", {"p": None}) for n in (1, 2, 3)),
)


def beside(known, outcome=Outcome.NONCONFORMANT, **verdicts):
    clauses = {f"T-0{name[1:]}": ClauseResult(verdict) for name, verdict in verdicts.items()}
    found = compared(
        Baseline(1, dict.fromkeys(known, "it is known")),
        outcome,
        (CATALOGUE,),
        {"rate_limit": SystemResult(None, clauses)},
    )
    return found._asdict()


@pytest.mark.parametrize(
    ("known", "verdicts", "expected"),
    [
        (["T-01"], {"c1": D, "c2": C, "c3": C}, {"known": ("T-01",), "exit_code": 0}),
        ([], {"c1": D, "c2": C, "c3": C}, {"new": ("T-01",), "exit_code": 1}),
        (["T-01", "T-02"], {"c1": D, "c2": C, "c3": C}, {"unexpected": ("T-02",), "exit_code": 1}),
        (["T-01", "T-02"], {"c1": D, "c2": N, "c3": C}, {"stale": ("T-02",), "exit_code": 1}),
        (["T-01"], {"c1": D, "c2": N, "c3": C}, {"known": ("T-01",), "exit_code": 5}),
        (["T-09"], {"c1": C, "c2": C, "c3": C}, {"stale": ("T-09",), "exit_code": 1}),
    ],
)
def test_a_run_is_as_its_baseline_says_or_it_fails(known, verdicts, expected):
    assert expected.items() <= beside(known, **verdicts).items()


@pytest.mark.parametrize(
    ("outcome", "code"), [(Outcome.UNTESTABLE, 4), (Outcome.HARNESS_FAULT, 3), (Outcome.INTERRUPTED, 130)]
)
def test_a_run_that_did_not_end_keeps_its_exit_code(outcome, code):
    assert code == beside(["T-01"], outcome, c1=C)["exit_code"]


def certified(windtunnel, tmp_path, text):
    path = tmp_path / "baseline.yaml"
    path.write_text(text)
    words = ("certify", "reference", "--system", "rate_limit", "--level", "L1", "--cases", "0")
    return windtunnel(*words, "--baseline", path, "--report", tmp_path / "report")


def test_a_baseline_that_is_not_needed_fails_and_never_certifies(windtunnel, tmp_path, monkeypatch):
    monkeypatch.setattr(closing, "why_not", lambda names: "")
    ran = certified(windtunnel, tmp_path, "format: 1\ndeviations:\n  LK-RL-06: it counts attempts\n")
    assert 1 == ran.code
    assert "unexpected pass LK-RL-06: it conforms now; take it out of the baseline" in ran.out
    assert ["LK-RL-06"] == json.loads((tmp_path / "report" / "baseline.json").read_text())["unexpected"]
    ran = certified(windtunnel, tmp_path, "format: 1\ndeviations: {}\n")
    assert 0 == ran.code
    assert "as the baseline says: 0 known deviations; a baseline certifies nothing" in ran.out
    assert (
        "refused(a baseline was used)" == json.loads((tmp_path / "report" / "result.json").read_text())["certificate"]
    )
    assert not (tmp_path / "report" / "certificate.json").exists()


def test_a_known_deviation_keeps_ci_green(windtunnel, tmp_path):
    path = tmp_path / "baseline.yaml"
    path.write_text("format: 1\ndeviations:\n  LK-RL-06: it retries once more than the document has it\n")
    words = ("certify", "--system", "rate_limit", "--level", "L1", "--cases", "0", "--report", tmp_path / "report")
    target = ("--stdio", "--", sys.executable, "-m", "harness.targets.served", "rate_limit", "one-retry-more")
    assert 1 == windtunnel(*words, *target).code
    ran = windtunnel(*words, "--baseline", path, *target)
    assert "known deviation LK-RL-06: it retries once more than the document has it" in ran.out
    assert 0 == ran.code, ran.out
    assert 1 == json.loads((tmp_path / "report" / "result.json").read_text())["exit_code"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "format: 1\ndeviations:\n  LK-RL-99: whatever it is\n",
            "the baseline names 'LK-RL-99', which is no clause; did you mean LK-RL-0",
        ),
        ("format: 1\ndeviations:\n  LK-RL-06: old\n", "gives no reason for LK-RL-06"),
        ("format: 2\ndeviations: {}\n", "has format 2; this version reads format 1"),
        ("deviations: {}\n", "is no baseline"),
        ("format: 1\ndeviations: [LK-RL-06]\n", "is no baseline"),
        ("{", "is no baseline"),
    ],
)
def test_a_file_that_is_no_baseline_is_told_before_anything_runs(windtunnel, tmp_path, text, why):
    ran = certified(windtunnel, tmp_path, text)
    assert ran.code != 0
    assert why in ran.err
    assert not (tmp_path / "report").exists()


def test_a_baseline_that_is_not_there_is_a_usage_error(windtunnel, tmp_path):
    ran = windtunnel("certify", "reference", "--baseline", tmp_path / "none.yaml", "--report", tmp_path / "report")
    assert 2 == ran.code
    assert "cannot read the baseline" in ran.err
