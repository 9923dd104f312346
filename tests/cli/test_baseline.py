"""Known deviations beside a run: CI stays green with them, and with nothing else; they certify nothing."""

import io
import json
import sys

import msgspec
import pytest
from rich.console import Console

from harness.certify import closing
from harness.certify.baseline import Baseline, compared
from harness.certify.events import RunFinished
from harness.certify.explored import Explored
from harness.cli.baselined import Beside
from harness.core.chaos import RuleBroken, SeedPlayed, Simulated
from harness.core.clause import Catalogue, Clause, Level
from harness.core.verdict import ClauseResult, ClauseVerdict, LevelResult, Outcome, SystemResult

C, D, N = ClauseVerdict.CONFORMS, ClauseVerdict.DEVIATES, ClauseVerdict.NOT_ESTABLISHED
CATALOGUE = Catalogue(
    "rate_limit",
    ("000",),
    tuple(Clause(f"T-0{n}", "rate_limit", "x", Level.MUST, "000", "state", "y", {"p": None}) for n in (1, 2, 3)),
)


def beside(known, outcome=Outcome.NONCONFORMANT, levels=None, stood=(), explored=(), **verdicts):
    clauses = {f"T-0{name[1:]}": ClauseResult(verdict) for name, verdict in verdicts.items()}
    found = compared(
        Baseline(1, dict.fromkeys(known, "it is known")),
        outcome,
        (CATALOGUE,),
        {"rate_limit": SystemResult(None, clauses, levels=levels or {}, simulated=stood)},
        explored,
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


CONFORMING = {"c1": C, "c2": C, "c3": C}
CUT = LevelResult(reached=False, reason="cut: x")
STOPPED = LevelResult(reached=False, stopped_by="T-01", reason="x", open=("T-01",))


@pytest.mark.parametrize(
    ("known", "verdicts", "outcome", "levels", "code"),
    [
        ([], CONFORMING, Outcome.INCONCLUSIVE, {"L3": CUT}, 5),
        (["T-01"], CONFORMING | {"c1": D}, Outcome.NONCONFORMANT, {"L1": STOPPED, "L2": STOPPED}, 0),
        (["T-01"], CONFORMING | {"c1": D}, Outcome.NONCONFORMANT, {"L1": STOPPED, "L3": CUT}, 5),
        (
            ["T-01"],
            CONFORMING | {"c1": D},
            Outcome.NONCONFORMANT,
            {"L1": msgspec.structs.replace(STOPPED, open=("T-01", "T-02"))},
            5,
        ),
    ],
)
def test_a_level_that_something_else_keeps_it_from_is_not_excused(known, verdicts, outcome, levels, code):
    assert code == beside(known, outcome, levels, **verdicts)["exit_code"]


def simulated(*rests_on, cut=""):
    broken = (RuleBroken("R", "x", rests_on, 1, 1, ""),) if rests_on else ()
    asked = {"op": 1}
    seed = SeedPlayed(seed=0, digest="", events=1, sessions=1, questions=asked, broken=broken, control=(), cut=cut)
    return Simulated(
        profile="p", carrier="stdio", days=1, agents=1, weather="calm", seeds=(seed,), rules=("R",), held=()
    )


@pytest.mark.parametrize(
    ("stood", "code"),
    [(simulated("T-01"), 0), (simulated("U-09"), 1), (simulated("T-02"), 1), (simulated(cut="time"), 5)],
)
def test_a_rule_is_excused_only_by_a_deviation_it_rests_on(stood, code):
    verdicts = CONFORMING | {"c1": D}
    assert code == beside(["T-01"], levels={"L1": STOPPED}, stood=(stood,), **verdicts)["exit_code"]


def test_a_rule_that_is_no_clause_is_never_excused():
    assert 1 == beside([], stood=(simulated("U-09"),), **CONFORMING)["exit_code"]


def test_an_exploration_that_was_cut_behind_a_known_deviation_is_not_excused():
    verdicts = CONFORMING | {"c1": D}
    cut = Explored("s", "p", "op", ("T-02",), cut="--explore-limit")
    assert 5 == beside(["T-01"], levels={"L1": STOPPED}, explored=(cut,), **verdicts)["exit_code"]


def test_a_run_that_was_cut_stays_inconclusive_and_says_so(tmp_path):
    clauses = {clause.id: ClauseResult(C) for clause in CATALOGUE}
    systems = {"rate_limit": SystemResult("L2", clauses, levels={"L3": CUT})}
    end = RunFinished(Outcome.INCONCLUSIVE, 5, False, "", "", "", systems, {})
    beside_it = Beside(Baseline(1, {}), tmp_path, (CATALOGUE,))
    beside_it.handle(end)
    told = io.StringIO()
    assert 5 == beside_it.told(Console(file=told), 5)
    assert "a baseline excuses no more than the deviations it lists, so the exit code is 5\n" in told.getvalue()
    assert 5 == json.loads((tmp_path / "baseline.json").read_text())["exit_code"]


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
