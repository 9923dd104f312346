"""How long it takes to certify the reference, without the one run that takes 30 s by its nature."""

import os
import time

from benchmarks.measure import Figure
from harness.certify import corpus
from harness.certify.engine import Engine
from harness.certify.engines.local import for_jobs
from harness.certify.plan import RunPlan
from harness.certify.reach import reference
from harness.systems import registry

ROUNDS = 3


def seconds() -> list[tuple[str, Figure]]:
    """Seconds of runs of the references at L2, without fresh search, with the full-length scenarios left out."""
    small = ("circuit_breaker", "rate_limit", "fallback")
    return [
        ("certify", _figure(("stop_gate",), "certify reference at L2, full-length run apart", "under 40 s", rounds=1)),
        ("certify three", _figure(small, f"certify reference at L2: {', '.join(small)}", "under 30 s")),
        ("certify all", _figure(registry.NAMES, "certify reference at L2: all systems", "under 60 s", rounds=1)),
    ]


def _figure(names: tuple[str, ...], what: str, goal: str, rounds: int = ROUNDS) -> Figure:
    return Figure(tuple(_once(names) for _ in range(rounds)), " s", what, goal)


def _once(names: tuple[str, ...]) -> float:
    begun = time.perf_counter()
    systems = tuple(map(registry.get, names))
    plan = RunPlan(
        systems=systems,
        target="reference",
        replay="reference",
        reaches=tuple(way for system in systems for way in reference(system, timeout_scale=1.0)),
        scenarios=tuple(each for name in names for each in corpus.scenarios(name) if not each.full_length),
        level="L2",
        seed=0,
        cases=0,
        budget_s=None,
        jobs=os.cpu_count() or 1,
    )
    for _ in Engine(plan, shards=for_jobs(plan.jobs)).run():
        pass
    return time.perf_counter() - begun
