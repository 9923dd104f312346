"""What it costs to cut a plan into shards, how more processes pay, and what Dask adds: the same scenarios each time."""

import os
import time
from collections.abc import Sequence
from functools import partial
from typing import Final

from benchmarks.measure import Figure, ratios
from harness.certify import corpus
from harness.certify.engines import ShardEngine
from harness.certify.engines.local import WorkerProcesses
from harness.certify.engines.running import encoded, run_encoded
from harness.certify.engines.shard import Shard
from harness.certify.plan import runs_for
from harness.certify.reach import Reach, reference
from harness.core.scenario import Scenario
from harness.errors import HarnessFault, MachineError, UsageError
from harness.systems import registry

SYSTEM: Final = "circuit_breaker"
ROUNDS: Final = 3
SCENARIOS: Final = 96  # some seconds of one process
TEN_SECONDS: Final = 192  # scenarios
SIZES: Final = (1, 6, 48)  # of a shard, beside the 24 that a run takes
USUAL: Final = 24


def costs() -> list[tuple[str, Figure]]:
    """Other sizes of shards, and two and four workers, each against one with shards as usual; their start included."""
    usual = partial(_played_s, 1, USUAL)
    figures = []
    for size in SIZES:
        values = ratios(partial(_played_s, 1, size), usual, ROUNDS)
        what = f"{SCENARIOS} scenarios in shards of {size} : in shards of {USUAL}, one process"
        figures.append((f"shards-{size}", Figure(values, "", what, "told, none")))
    for jobs in (2, 4):
        values = ratios(usual, partial(_played_s, jobs, USUAL), ROUNDS)
        what = f"{SCENARIOS} scenarios by one process : by {jobs}, on {os.cpu_count()} processors"
        figures.append((f"cores-{jobs}", Figure(values, "", what, "told, none")))
    return figures


def dask() -> Figure:
    """A shard of ten seconds by a worker of a Dask cluster that is there : by this process."""
    try:
        from harness.certify.engines.dask_cluster import DaskCluster  # noqa: PLC0415 - an extra
    except UsageError as error:
        raise MachineError(str(error)) from error
    (shard,) = _cut(_scenarios()[:TEN_SECONDS], TEN_SECONDS)
    with DaskCluster(None, 1) as cluster:
        values = ratios(lambda: _shards_s(cluster, [shard]), lambda: _here_s(shard), ROUNDS)
    return Figure(values, "", "a shard of ten seconds by a worker of Dask : by this process", "at most 1.05")


def _here_s(shard: Shard) -> float:
    begun = time.perf_counter()
    run_encoded(*encoded(shard))
    return time.perf_counter() - begun


def _played_s(jobs: int, size: int) -> float:
    return _shards_s(WorkerProcesses(jobs), _cut(_scenarios()[:SCENARIOS], size))


def _shards_s(engine: ShardEngine, shards: Sequence[Shard]) -> float:
    begun = time.perf_counter()
    results = list(engine.run(shards, lambda: False))
    took_s = time.perf_counter() - begun
    for result in results:
        if result.error:
            raise result.raised()
    if len(results) != len(shards):
        raise HarnessFault(f"{len(results)} of {len(shards)} shards came back")
    return took_s


def _scenarios() -> tuple[Scenario, ...]:
    reach = _reach()
    return tuple(
        scenario
        for scenario in corpus.scenarios(SYSTEM)
        if scenario.level != "L3" and not scenario.full_length and runs_for(scenario, reach)
    )


def _cut(scenarios: Sequence[Scenario], size: int) -> list[Shard]:
    spec = _reach().spec
    if spec is None:
        raise HarnessFault(f"the reference of {SYSTEM} is reached in a way that no other process could be told of")
    begins = range(0, len(scenarios), size)
    return [Shard(number, spec, tuple(scenarios[at : at + size]), unsafe=False) for number, at in enumerate(begins)]


def _reach() -> Reach:
    (reach,) = reference(registry.get(SYSTEM), timeout_scale=1.0)
    return reach
