"""Runs one shard, in whatever process it came to."""

import os
import socket

import msgspec

from harness.certify import events
from harness.certify.engines.shard import Copy, Shard, ShardResult, copy_of, failed
from harness.certify.events import Waiting
from harness.certify.plan import Play, Work
from harness.certify.plays import Plays
from harness.certify.reach import reopened
from harness.certify.threads import Threads
from harness.core import struct_types
from harness.errors import HarnessFault, MachineError, WindtunnelError
from harness.targets.session import Session
from harness.targets.slots import Slots


class ShardRun:
    """One shard, on a slot of this process or on ``slots`` it shares; ``abort`` ends it early, from another thread."""

    def __init__(self, shard: Shard, slots: Slots | None = None) -> None:
        self._shard = shard
        self._threads = Threads(1, self._carry_out, slots=slots)
        self._plays = Plays(self._threads)

    def abort(self) -> None:
        """Kills what runs; ``run`` returns soon."""
        self._threads.stop()
        self._threads.sessions.abort()

    def run(self) -> ShardResult:
        """What came of it. An error of windtunnel's is in the result, never raised."""
        shard, lines = self._shard, []
        broke: WindtunnelError | None = None
        try:
            reach = reopened(shard.reach)
            reach.system.load()
            struct_types.build()
            for said in self._threads.phase([Play(scenario, reach) for scenario in shard.scenarios]):
                if isinstance(said, WindtunnelError):
                    broke = broke or said
                    self.abort()
                elif isinstance(said, events.Event) and not isinstance(said, Waiting):
                    lines.append(events.encode(said))
        except WindtunnelError as error:
            broke = error
        finally:
            self._threads.stop()
            self._threads.close()
        if broke is not None:
            return failed(shard, whoami(), broke, lines)
        return ShardResult(shard.number, shard.reach.system, whoami(), tuple(lines))

    def _carry_out(self, item: Work, session: Session) -> None:
        if not isinstance(item, Play):
            raise HarnessFault(f"a shard holds {type(item).__name__}, and only scenarios can be in it")
        if not session.contained() and not self._shard.unsafe:
            raise MachineError(
                f"the machine of worker {whoami()} refuses namespaces, so the command could reach its files and its "
                "network; take other workers, or add --unsafe to go on all the same"
            )
        self._plays.play(item, session)


def run_encoded(copy: bytes, shard: bytes) -> bytes:
    """As ``ShardRun``, from msgpack to msgpack, for a process that may hold another windtunnel than who sends it.

    ``copy`` is the sender's Copy. RuntimeError, in a sentence, when it is not this process's: before the shard is
    looked at, whose format may differ.
    """
    system, theirs = msgspec.msgpack.decode(copy, type=tuple[str, Copy])
    ours = copy_of(system)
    for name, mine, wanted in zip(Copy.__struct_fields__, _fields(ours), _fields(theirs), strict=True):
        if mine != wanted:
            what = _WHAT[name]
            raise RuntimeError(
                f"worker {whoami()} has {what} {mine[:16]}, and this run has {wanted[:16]}; give all workers the same "
                "windtunnel and start them again"
            )
    return msgspec.msgpack.encode(ShardRun(msgspec.msgpack.decode(shard, type=Shard)).run())


def encoded(shard: Shard) -> tuple[bytes, bytes]:
    """The arguments of ``run_encoded``."""
    system = shard.reach.system
    return msgspec.msgpack.encode((system, copy_of(system))), msgspec.msgpack.encode(shard)


def whoami() -> str:
    """This process, for people."""
    return f"{os.getpid()} on {socket.gethostname()}"


_WHAT = {"version": "windtunnel", "suite": "the suite", "judging": "oracles of digest"}


def _fields(copy: Copy) -> tuple[str, ...]:
    return msgspec.structs.astuple(copy)
