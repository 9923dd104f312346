"""Where a run is played: the options of every command that cuts its plan into shards."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

import click

from harness.certify.engines import ShardEngine
from harness.certify.engines.local import for_jobs
from harness.certify.engines.processors import available
from harness.errors import UsageError

P = ParamSpec("P")
R = TypeVar("R")
LOCAL = "local"
DASK = "dask"
MOST_JOBS = 64


class Jobs(click.ParamType[int]):
    """A number of jobs from 1 to 64, or ``auto``: the processors that this process may use."""

    name = "auto|1-64"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number; a usage error when ``value`` is none."""
        if value == "auto":
            return min(available(), MOST_JOBS)
        if not str(value).removeprefix("-").isdecimal():
            self.fail(f"{value!r} is no number of jobs; write auto, or a number from 1 to {MOST_JOBS}", param, ctx)
        return click.IntRange(1, MOST_JOBS).convert(value, param, ctx)


JOBS = Jobs()


def of_engines(command: Callable[P, R]) -> Callable[P, R]:
    """Adds the options of engines to a command."""
    engine = click.option(
        "--engine",
        type=click.Choice((LOCAL, DASK)),
        default=LOCAL,
        show_default=True,
        help="Where scenarios are played; the verdicts are the same.",
    )
    scheduler = click.option(
        "--scheduler", metavar="tcp://HOST:PORT", help="With --engine dask: a cluster that is there."
    )
    jobs = click.option("--jobs", type=JOBS, default="auto", show_default=True, help="Scenarios at a time.")
    return engine(scheduler(jobs(command)))


@contextmanager
def opened(params: Mapping[str, Any]) -> Iterator[ShardEngine | None]:
    """The engine that those options name, None where this process plays by itself; closed at the end.

    UsageError when they do not fit together, Dask is not installed, or no scheduler answers.
    """
    address = params["scheduler"]
    if params["engine"] != DASK:
        if address is not None:
            raise UsageError("--scheduler names a Dask cluster; add --engine dask, or leave it out")
        yield for_jobs(params["jobs"])
        return
    from harness.certify.engines.dask_cluster import DaskCluster  # noqa: PLC0415 - an extra, and a second to load

    with DaskCluster(address, params["jobs"]) as cluster:
        yield cluster
