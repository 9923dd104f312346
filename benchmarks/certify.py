"""How long it takes to certify the reference, without the one run that takes 30 s by its nature."""

import os
import time

from benchmarks.measure import Figure
from harness.certify import corpus
from harness.certify.engine import Engine
from harness.certify.plan import RunPlan
from harness.certify.reach import reference
from harness.systems import registry

ROUNDS = 3


def seconds() -> Figure:
    """Seconds of a run of the reference at L2, without fresh search, with the full-length scenarios left out."""
    return Figure(
        tuple(_once() for _ in range(ROUNDS)), " s", "certify reference at L2, full-length run apart", "under 40 s"
    )


def _once() -> float:
    begun = time.perf_counter()
    system = registry.get("stop_gate")
    plan = RunPlan(
        system=system,
        target="reference",
        replay="reference",
        reaches=reference(system, timeout_scale=1.0),
        scenarios=tuple(scenario for scenario in corpus.scenarios(system.name) if not scenario.full_length),
        level="L2",
        seed=0,
        cases=0,
        budget_s=None,
        jobs=os.cpu_count() or 1,
    )
    for _ in Engine(plan).run():
        pass
    return time.perf_counter() - begun
