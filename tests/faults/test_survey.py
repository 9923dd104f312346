"""What a machine can inject is told family by family, with the reason for what it refuses."""

import needs

from harness.faults import clock, survey
from harness.faults.catalogue import EVERY
from harness.sandbox import SandboxPlan, launch


@needs.namespaces
def test_every_fault_is_tried_and_a_missing_library_is_told(monkeypatch):
    monkeypatch.setattr(clock, "LIBRARY_PLACES", ())
    found = {fact.family: fact for fact in survey.families()}
    assert sum(fact.faults for fact in found.values()) == len(EVERY)
    assert list(found["clock"].reasons().values()) == [
        ("back", "forward", "frozen", "jump", "year_1970", "year_2038", "year_9999")
    ]
    assert "apt-get install faketime" in next(iter(found["clock"].reasons()))
    others = [fact for name, fact in found.items() if name not in ("clock", "process")]
    assert {fact.family: (fact.refused, fact.unproven) for fact in others} == {fact.family: ({}, ()) for fact in others}


def test_a_machine_without_namespaces_refuses_mounts_and_clocks(monkeypatch):
    monkeypatch.setattr(launch, "WAYS", (launch.PLAIN,))
    monkeypatch.setattr("harness.faults.survey.SandboxPlan", lambda: SandboxPlan(force_fallback=True))
    found = {fact.family: fact for fact in survey.families()}
    assert {"filesystem.read_only", "filesystem.full", "filesystem.busy"} <= set(found["filesystem"].refused)
    assert set(found["environment"].refused) == {"environment.read_only_home"}
    assert found["jsonl"].refused == found["collaborator"].refused == {}
