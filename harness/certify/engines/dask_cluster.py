"""Runs shards on a Dask cluster: one that is there, named by its scheduler's address, or one of this machine's own.

Its own listens on the loopback only, has no dashboard, and is gone with the run; without TLS, other users of this
machine could talk to it, as to any cluster of Dask's defaults.
Source: distributed's documentation, "Resilience" and "Worker State Machine".
"""

import logging
import re
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager
from types import TracebackType
from typing import Any, Self

import msgspec

from harness.certify.engines import DEATHS_OF_WORKERS
from harness.certify.engines.running import encoded, run_encoded
from harness.certify.engines.shard import Shard, ShardResult
from harness.errors import MachineError, UsageError

try:
    import dask.config
    import distributed
except ImportError as error:
    raise UsageError("--engine dask needs Dask's scheduler; pip install 'windtunnel[dask]'") from error

ADDRESS = re.compile(r"(tcp|tls)://(\[[0-9a-fA-F:]+\]|[^\s:/\[\]]+):(\d{1,5})")
LOOPBACK = "127.0.0.1"
CONNECT_S = 10.0  # a scheduler that is there answers in a few milliseconds
POLL_S = 0.2  # how often the end of the run is looked for
FETCH_S = 5.0  # for a result, which takes milliseconds, or for ever when its worker is gone
NO_WORKER_S = 60.0  # a cluster without any worker for so long is not about to get one
END_S = 5.0  # for workers to close; then they are killed
_SETTINGS = {
    "distributed.scheduler.allowed-failures": DEATHS_OF_WORKERS,
    "distributed.scheduler.worker-saturation": 1.0,  # one shard a worker, so that a death has one shard to blame
    "distributed.scheduler.worker-ttl": "60s",  # a worker that is not heard for so long is taken for lost
}


class DaskCluster:
    """An engine on the scheduler at ``address``, or on ``jobs`` worker processes of its own: a context manager.

    UsageError when the address is none, and on entering when nobody answers there within some seconds.
    """

    least = 0

    def __init__(self, address: str | None, jobs: int) -> None:
        if address is not None and ADDRESS.fullmatch(address) is None:
            raise UsageError(f"--scheduler {address!r} is no address; write it as tcp://host:port")
        self._address = address
        self._jobs = jobs
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            where: Any = self._address
            if where is None:
                where = stack.enter_context(_own_cluster(self._jobs))
            self._client = stack.enter_context(_connected(where))
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def run(self, shards: Sequence[Shard], over: Callable[[], bool]) -> Iterator[ShardResult]:
        """See ShardEngine.run."""
        futures = {}
        name = f"windtunnel-{uuid.uuid4()}"  # Dask gives what it knows of a key that it has seen
        for shard in shards:
            # a dead worker is the scheduler's to count; an exception is not tried again, as it would be the same
            future = self._client.submit(
                run_encoded, *encoded(shard), key=f"{name}-{shard.number}", pure=False, retries=0
            )
            futures[future] = shard
        try:
            yield from self._results(futures, over)
        finally:
            self._client.cancel(list(futures), force=True)

    def _results(self, futures: dict[Any, Shard], over: Callable[[], bool]) -> Iterator[ShardResult]:
        seen_s = time.monotonic()
        while futures and not over():
            try:
                with self._client.as_current():
                    done = distributed.wait(list(futures), timeout=POLL_S, return_when="FIRST_COMPLETED").done
            except CancelledError as error:
                raise MachineError(
                    f"the scheduler at {self._client.scheduler.address} is gone, and {len(futures)} shards are left"
                ) from error
            except TimeoutError:
                if self._has_workers():
                    seen_s = time.monotonic()
                elif time.monotonic() - seen_s > NO_WORKER_S:
                    raise MachineError(
                        f"the cluster at {self._client.scheduler.address} has had no worker for {NO_WORKER_S:.0f} s, "
                        f"and {len(futures)} shards are left; start workers there"
                    ) from None
                continue
            for future in done:
                result = self._result(future, futures[future])
                if result is not None:
                    del futures[future]
                    yield result

    def _result(self, future: Any, shard: Shard) -> ShardResult | None:
        """None when the worker died with its result, and the shard is run again."""
        if future.status in ("lost", "pending"):
            return None
        if future.status == "finished":
            try:
                return msgspec.msgpack.decode(future.result(timeout=FETCH_S), type=ShardResult)
            except TimeoutError:
                return None
        if future.status != "error":
            raise MachineError(
                f"the scheduler dropped {shard}, which is {future.status}; somebody else may have done that"
            )
        error = future.exception(timeout=FETCH_S)
        if isinstance(error, distributed.KilledWorker):
            raise MachineError(
                f"{shard} ended the worker that ran it {error.allowed_failures + 1} times, last the one at "
                f"{error.last_worker.address}; look at that worker's log, and at the memory it had"
            ) from error
        said = str(error) if isinstance(error, RuntimeError) else f"{type(error).__name__}: {error}"
        raise MachineError(f"no worker could run {shard}: {said}") from error

    def _has_workers(self) -> bool:
        try:
            return bool(self._client.nthreads())
        except (OSError, TimeoutError, ValueError) as error:
            raise MachineError(f"the scheduler at {self._client.scheduler.address} does not answer any more") from error


@contextmanager
def _connected(where: Any) -> Iterator[Any]:
    try:
        client = distributed.Client(where, timeout=CONNECT_S, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise UsageError(
            f"no Dask scheduler answers at {where} within {CONNECT_S:.0f} s; is one running there, of the same version?"
        ) from error
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # a scheduler that goes is told once, by us
    try:
        yield client
    finally:
        client.close(timeout=END_S)


@contextmanager
def _own_cluster(jobs: int) -> Iterator[Any]:
    with (
        tempfile.TemporaryDirectory(prefix="windtunnel-dask-", ignore_cleanup_errors=True) as folder,
        dask.config.set(_SETTINGS),
    ):
        cluster = distributed.LocalCluster(
            n_workers=jobs, threads_per_worker=1, processes=True, host=LOOPBACK, memory_limit=None,
            local_directory=folder, silence_logs=logging.CRITICAL,
            # a scheduler has an HTTP server even without its dashboard; two runs would want the same port
            dashboard_address=None, scheduler_kwargs={"dashboard_address": f"{LOOPBACK}:0"},
        )  # fmt: skip
        try:
            yield cluster
        finally:
            cluster.close(timeout=END_S)
