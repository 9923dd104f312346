"""Same implementation, suite, seed and scope: the same verdicts and the same digest. Source: CERTIFICATION.md."""

import json

import pytest
from sharded_run import plan

from harness.certify import closing
from harness.certify.events import ScenarioJudged
from harness.core.finding import CheckVerdict, Finding


def certified(windtunnel, report, *words):
    ran = windtunnel("certify", *words, "--report", report)
    found = json.loads((report / "result.json").read_text())
    return ran, found


@pytest.fixture
def twice(windtunnel, tmp_path):
    def run(first, second):
        return [certified(windtunnel, tmp_path / name, *words)[1] for name, words in (("a", first), ("b", second))]

    return run


def said(result):
    """What a run says of the implementation: no counts, which a race may move by one."""
    clauses = result["systems"]["stop_gate"]["clauses"]
    verdicts = {id_: (found["verdict"], found["reading"], found["scenario"]) for id_, found in clauses.items()}
    return result["digest"], result["outcome"], result["plan"], verdicts


@pytest.mark.parametrize(
    "selection",
    [
        pytest.param(("--clause", "PS-TR-07", "--level", "L1"), id="gate and hook"),
        pytest.param(("--clause", "SH-06", "--level", "L1"), id="hook"),
        pytest.param(("--clause", "PS-SES-03", "--level", "L1"), id="together"),
    ],
)
def test_the_reference_has_one_digest_a_seed_whatever_the_jobs(twice, windtunnel, tmp_path, selection):
    words = ("reference", "--cases", "0", *selection)
    one, four = twice((*words, "--jobs", "1"), (*words, "--jobs", "4"))
    assert said(one) == said(four)
    assert 64 == len(one["digest"])


def test_another_seed_is_another_digest(windtunnel, tmp_path):
    words = ("reference", "--cases", "0", "--clause", "PS-CON-03", "--level", "L1")
    runs = [certified(windtunnel, tmp_path / seed, *words, "--seed", seed)[1]["digest"] for seed in ("0", "1")]
    assert 2 == len(set(runs))


def test_a_search_with_the_same_seed_runs_the_same_cases(twice):
    words = ("reference", "--clause", "PS-TR-07", "--level", "L1", "--cases", "4", "--seed", "7")
    one, two = twice((*words, "--jobs", "1"), (*words, "--jobs", "3"))
    assert said(one) == said(two)
    assert one["counts"]["search_cases"] == two["counts"]["search_cases"] > 0


def digest_of(*found):
    """Of a run whose first scenario had a finding of its clause with that verdict and those readings."""
    a_plan = plan()
    scenario = a_plan.scenarios[0]
    finding = Finding(scenario.clauses[0], *found)
    judged = ScenarioJudged(scenario=scenario, origin="plan", history=(), findings=(finding,))
    return closing._digest(a_plan, [judged], {}, [])


def test_what_a_kill_in_time_lets_be_seen_of_a_reading_is_in_no_digest():
    # "not counted" and "counted as another" both explain a call that was killed before it came to the difference
    both, one = digest_of(CheckVerdict.PASS, ("kept", "generic")), digest_of(CheckVerdict.PASS, ("kept",))
    assert both == one != digest_of(CheckVerdict.FAIL, ("kept",))
