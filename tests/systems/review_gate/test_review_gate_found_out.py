"""Wrong gates that once were certified, each by the scenario that finds it out now.

Source: a review of issue 8 by implementations that the document forbids.
"""

import msgspec
import pytest
from campaigns import sliced
from played import Served

from harness.core.finding import CheckVerdict
from harness.systems import registry
from harness.targets.direct import DirectSession
from harness.targets.player import play

SYSTEM = registry.get("review_gate")
SCENARIOS = {scenario.id: scenario for scenario in SYSTEM.workload.boundaries()}
FOUND_OUT = {
    "minor-findings-pass": "severity-minor",
    "analysis-finds-nothing-again": "again-found-analysis-medium",
    "findings-die-with-their-process": "found-by-another-process",
    "what-is-launched-anew-starts-over": "never-after-findings",
    "who-never-returns-found-nothing": "never-for-hours",
    "only-who-complained-is-heard": "again-found-reviewer-1-critical",
    "analysis-of-the-round-before-counts": "again-stale-analysis",
    "analysis-of-any-task-counts": "analysed-elsewhere",
    "a-fix-of-any-task-counts": "fixed-elsewhere",
    "a-finding-is-fixed-before-all-returned": "fixed-before-all-returned",
    "names-with-blanks-are-alike": "alike-blanks",
    "the-first-passing-is-for-good": "done-again",
}


@pytest.mark.parametrize("name", sliced(FOUND_OUT))
def test_a_wrong_gate_is_found_out(name):
    mutant = SYSTEM.mutants.MUTANTS[name]

    def make(config):
        return Served(SYSTEM, mutant.factory(msgspec.convert(config, SYSTEM.contract.Configuration)))

    scenario = SCENARIOS[f"review-{FOUND_OUT[name]}"]
    with DirectSession("gate", make) as session:
        history = play(scenario, session, SYSTEM.inputs_of)
    findings = SYSTEM.judge(scenario, history, SYSTEM.catalogue)
    assert mutant.clause in {each.clause for each in findings if each.verdict is CheckVerdict.FAIL}
