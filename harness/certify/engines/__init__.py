"""Where the shards of a plan are run: worker processes of this machine, or a Dask cluster.

An engine moves shards and results, and knows nothing of verdicts: what a shard says is decided by ``running``, the same
in each of them, and put together by ``merging``.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from harness.certify.engines.shard import Shard, ShardResult

DEATHS_OF_WORKERS = 3  # under one shard that are taken for an accident; at the next one the run ends


class ShardEngine(Protocol):
    """One way to run shards, for plans of ``least`` scenarios and more: of fewer this process plays each itself."""

    least: int

    def run(self, shards: Sequence[Shard], over: Callable[[], bool]) -> Iterator[ShardResult]:
        """A result of every shard, in any order, perhaps some of them twice; fewer once the run is ``over``.

        ``over`` is asked several times a second. MachineError when shards cannot be run: workers that keep dying, or
        that are none of this windtunnel. However it ends, no worker that it started is left.
        """
        ...
