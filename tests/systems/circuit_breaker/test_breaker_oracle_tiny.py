"""Whole scenarios played against a small breaker that is right, in each reading, and against wrong ones."""

import pytest
from tiny_breaker import Tiny

from harness.core.finding import CheckVerdict
from harness.systems import registry
from harness.targets.direct import DirectSession
from harness.targets.player import play

SYSTEM = registry.get("circuit_breaker")
WANTED = (
    "closed-permits", "failures-at-", "mixed-", "cooldown-", "open-", "wait-", "probe-", "late-", "reduced-", "ramp-",
    "logged-", "file-after-", "file-two-", "threshold-", "window-", "configure-", "tunables-", "restarted-", "name-unicode",
)  # fmt: skip
SCENARIOS = [
    scenario
    for scenario in SYSTEM.workload.boundaries()
    if scenario.level == "L1"
    and not any(step.fault for step in scenario.steps)  # here no process is started that could be restarted
    and scenario.id.removeprefix("breaker-").startswith(WANTED)
]


def played(scenarios, **knobs):
    """The findings of each scenario that are no PASS, and the readings that are left of each clause."""
    wrong, left = {}, {}
    with DirectSession("breaker", lambda config: Tiny(config, **knobs)) as session:
        for scenario in scenarios:
            history = play(scenario, session, SYSTEM.inputs_of)
            for finding in SYSTEM.judge(scenario, history, SYSTEM.catalogue):
                if finding.verdict is not CheckVerdict.PASS:
                    wrong.setdefault(finding.clause, []).append((scenario.id, finding.reason, finding.observed))
                elif finding.readings:
                    left[finding.clause] = left.get(finding.clause, set(finding.readings)) & set(finding.readings)
    return wrong, left


def test_a_right_breaker_passes_every_scenario():
    wrong, left = played(SCENARIOS)
    assert wrong == {}
    assert {left[clause] == {reading} for clause, reading in (("LK-CB-10", "sliding"), ("LK-CB-11", "inclusive"))} == {
        True
    }


@pytest.mark.parametrize(
    ("clause", "reading", "knobs"),
    [
        ("LK-CB-10", "tumbling", {"window_kind": "tumbling"}),
        ("LK-CB-11", "exclusive", {"edge": "out"}),
        ("LK-CB-23", "clears", {"success": "clears"}),
        ("LK-CB-17", "end", {"origin": "end"}),
        ("LK-CB-17", "slots", {"origin": "slots"}),
        ("LK-CB-07", "call", {"stamp": "call"}),
        ("LK-CB-18", "queued", {"surplus": "queued"}),
        ("LK-CB-18", "blocked", {"surplus": "blocked"}),
        ("LK-CB-21", "threshold", {"reopened_count": 3}),
        ("LK-CB-20", "kept", {"keeps_failure": True}),
        ("LK-CB-13", "generic", {"error_kept": False}),
        ("LK-CB-25", "default", {"tuning": "default"}),
        ("LK-RP-05", "multiplicative_up", {"multiplicative": True}),
    ],
)
def test_a_breaker_of_another_reading_passes_and_the_reading_is_named(clause, reading, knobs):
    wrong, left = played(SCENARIOS[::2] + [each for each in SCENARIOS[1::2] if clause in each.clauses], **knobs)
    assert wrong == {}
    assert reading in left[clause]
