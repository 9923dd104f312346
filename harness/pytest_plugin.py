"""For people who test their own hook with pytest: the fixture ``windtunnel_certify``.

``windtunnel_certify("target.yaml")`` runs the materialised plan against the target and gives the run's last event,
with its outcome and the verdict of every clause.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    # loaded when the fixture is used: every pytest run of every project imports this module
    from harness.certify.events import RunFinished


def certified(target: str | Path, *, system: str = "stop_gate", seed: int = 0, cases: int = 0) -> "RunFinished":
    """The end of a run against the target file at ``target``; what cannot be tested is an outcome, not an error."""
    from harness.certify import corpus
    from harness.certify.engine import Engine
    from harness.certify.events import RunFinished
    from harness.certify.plan import RunPlan
    from harness.certify.reach import from_spec
    from harness.errors import HarnessFault
    from harness.systems import registry
    from harness.targets.target_file import load

    found = registry.get(system)
    spec = load(Path(target))
    plan = RunPlan(
        system=found,
        target=spec.file.name,
        replay=str(target),
        reaches=(from_spec(spec, found, timeout_scale=1.0),),
        scenarios=corpus.scenarios(system),
        level="L1",
        seed=seed,
        cases=cases,
        budget_s=None,
        jobs=os.cpu_count() or 1,
    )
    for event in Engine(plan).run():
        if isinstance(event, RunFinished):
            return event
    raise HarnessFault("a run ended without its verdict")


@pytest.fixture
def windtunnel_certify() -> "Callable[..., RunFinished]":
    """``windtunnel_certify(target, seed=0, cases=0)``: see ``certified``."""
    return certified
