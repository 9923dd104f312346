"""A small plan that is cut into shards, and what any engine has to say of it."""

import msgspec

from harness.certify import corpus
from harness.certify.engine import Engine
from harness.certify.engines.running import encoded, run_encoded
from harness.certify.engines.shard import ShardResult
from harness.certify.events import RunFinished
from harness.certify.plan import RunPlan
from harness.certify.reach import reference
from harness.systems import registry

SYSTEM = registry.get("rate_limit")
SMALL = 5  # scenarios a shard, for a plan that has few
SHARDS = 9  # of that plan then, the first two smaller


def plan(**more):
    """The reference of one system at L1; ``more`` are fields of the plan."""
    settings = {"level": "L1", "seed": 0, "cases": 0, "budget_s": None, "jobs": 2, "unsafe": True, **more}
    scenarios = tuple(each for each in corpus.scenarios(SYSTEM.name) if each.level == "L1")
    ways = reference(SYSTEM, timeout_scale=1.0)
    return RunPlan((SYSTEM,), "reference", "reference", ways, scenarios, **settings)


def run(shards=None, **more):
    """The events of that plan on an engine."""
    return list(Engine(plan(**more), shards=shards).run())


def said(events):
    """What may not hang on the engine."""
    end = events[-1]
    assert isinstance(end, RunFinished)
    clauses = {id_: (found.verdict, found.reading) for id_, found in end.systems[SYSTEM.name].clauses.items()}
    return end.digest, end.outcome, clauses, end.counts["scenarios"], end.counts["checks_passed"]


def result(shard):
    """What came of a shard, to bytes and back as between processes."""
    return msgspec.msgpack.decode(run_encoded(*encoded(shard)), type=ShardResult)


class Arriving:
    """An engine in this process, whose results arrive as ``order`` of all of them says."""

    least = 0

    def __init__(self, order):
        self.order = order
        self.numbers = []

    def run(self, shards, over):
        for each in self.order([result(shard) for shard in shards]):
            self.numbers.append(each.number)
            yield each
