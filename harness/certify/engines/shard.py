"""A shard: some scenarios of a plan and the way to the implementation, as a value that goes to any process."""

from collections.abc import Iterator, Sequence
from functools import cache

import msgspec

from harness import __version__
from harness.certify import corpus, events
from harness.certify.events import Event
from harness.certify.plan import Play, RunPlan
from harness.certify.qualified import judging_digest
from harness.certify.reach import ReachSpec
from harness.core.scenario import Scenario
from harness.errors import HarnessFault, MachineError, UntestableError, UsageError, WindtunnelError

SCENARIOS = 24  # of one shard: a second or two of a process that is asked over stdio
FIRST = 2  # of the first shard, so that there is soon something to tell; each that follows has twice as many

_ERRORS: dict[str, type[WindtunnelError]] = {
    kind.__name__: kind for kind in (HarnessFault, MachineError, UntestableError, UsageError)
}


class Copy(msgspec.Struct, frozen=True):
    """Which windtunnel judges: its version, the digest of its suite for a system, and that of what judges it."""

    version: str
    suite: str
    judging: str


class Shard(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Scenarios that are played against one implementation, in one profile, by any worker.

    ``number`` is its place in the plan, from 0. Each scenario holds its own seed, so equal shards play alike.
    ``unsafe`` goes on where the worker's machine cannot contain the implementation.
    """

    number: int
    reach: ReachSpec
    scenarios: tuple[Scenario, ...]
    unsafe: bool

    def __str__(self) -> str:
        ids = [self.scenarios[n].id for n in (0, -1)]
        return f"shard {self.number} ({len(self.scenarios)} scenarios of {self.reach.system}, {ids[0]} to {ids[1]})"


class ShardResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What came of a shard: its events as lines of ``events.jsonl``, and the error that ended it, if any.

    ``error`` is the name of a class of harness.errors, "" for none; ``worker`` says which process it was, for people.
    """

    number: int
    system: str
    worker: str
    lines: tuple[bytes, ...] = ()
    error: str = ""
    message: str = ""

    def events(self) -> Iterator[Event]:
        """What it says, in order; there is no time in it."""
        return map(events.decode, self.lines)

    def raised(self) -> WindtunnelError:
        """Its error."""
        return _ERRORS.get(self.error, HarnessFault)(self.message)


def failed(shard: Shard, worker: str, error: WindtunnelError, lines: Sequence[bytes] = ()) -> ShardResult:
    """The result of a shard that an error ended."""
    kind = next(name for name, known in _ERRORS.items() if isinstance(error, known))
    return ShardResult(shard.number, shard.reach.system, worker, tuple(lines), kind, str(error))


@cache
def copy_of(system: str) -> Copy:
    """This windtunnel, as far as it judges that system."""
    return Copy(__version__, corpus.digest((system,)), judging_digest(system))


def cut(plan: RunPlan, work: Sequence[Play]) -> tuple[tuple[Shard, ...], tuple[Play, ...]]:
    """The shards of that work, in the plan's order, and what stays in this process.

    Scenarios of full length stay, as they only wait and would keep a worker from working, and so does what is reached
    in a way that no other process could be told of. The cut hangs on nothing but the plan.
    """
    kept = tuple(each for each in work if each.scenario.full_length or each.reach.spec is None)
    shards: list[Shard] = []
    for reach in plan.reaches:
        mine = [each.scenario for each in work if each.reach is reach and not each.scenario.full_length]
        while mine and reach.spec is not None:
            size = min(FIRST << len(shards), SCENARIOS)
            shards.append(Shard(len(shards), reach.spec, tuple(mine[:size]), plan.unsafe))
            del mine[:size]
    return tuple(shards), kept
