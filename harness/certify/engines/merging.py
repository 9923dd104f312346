"""Puts the results of shards together: any order and any number of repeats come to the same."""

from collections.abc import Iterable, Iterator

from harness.certify.engines.shard import ShardResult
from harness.errors import WindtunnelError


def merged(results: Iterable[ShardResult]) -> Iterator[ShardResult]:
    """The results in the order of the plan, each shard once: of two results the first to arrive counts.

    A run that ends early, or with an error, still gives all that had arrived.
    """
    waiting: dict[int, ShardResult] = {}
    due = 0
    broke: WindtunnelError | None = None
    try:
        for result in results:
            if result.number < due or result.number in waiting:
                continue
            waiting[result.number] = result
            while due in waiting:
                yield waiting.pop(due)
                due += 1
    except WindtunnelError as error:
        broke = error
    yield from (waiting[number] for number in sorted(waiting))
    if broke is not None:
        raise broke
