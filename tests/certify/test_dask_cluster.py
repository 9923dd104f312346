"""Shards on a Dask cluster of real worker processes. Source: issue "Engines"; distributed's documentation, "Resilience"."""

import json
import os
import signal
import subprocess
import sys

import msgspec
import psutil
import pytest
from sharded_run import SHARDS, SMALL, run, said

from harness.certify.engines import dask_cluster, shard
from harness.certify.engines.dask_cluster import DaskCluster
from harness.certify.engines.shard import Shard
from harness.core.verdict import Outcome
from harness.errors import UsageError

QUICK = ("certify", "reference", "--system", "rate_limit", "--level", "L1", "--cases", "0")
PATIENCE_S = 60.0


@pytest.fixture(autouse=True)
def small_shards(monkeypatch):
    monkeypatch.setattr(shard, "SCENARIOS", SMALL)


@pytest.fixture(scope="module")
def cluster():
    """Two worker processes of this machine."""
    with DaskCluster(None, 2) as opened:
        yield opened


@pytest.fixture(scope="module")
def by_itself():
    """The plan on one job, in this process."""
    return run(jobs=1)


class Killing:
    """Kills a worker process once, when the first result came: the one that brought it, which has the next shard."""

    least = 0

    def __init__(self, engine):
        self.engine, self.results, self.pid = engine, [], None

    def run(self, shards, over):
        for each in self.engine.run(shards, over):
            self.results.append(each)
            if self.pid is None:
                self.pid = int(each.worker.split()[0])
                os.kill(self.pid, signal.SIGKILL)
            yield each


def test_two_worker_processes_come_to_the_same(by_itself, cluster):
    assert said(by_itself) == said(run(cluster))


def test_a_worker_that_is_killed_in_the_middle_changes_nothing(by_itself, cluster):
    killing = Killing(cluster)
    assert said(by_itself) == said(run(killing))
    assert not psutil.pid_exists(killing.pid)
    assert [*range(SHARDS)] == sorted(each.number for each in killing.results)
    assert {killing.pid} != {int(each.worker.split()[0]) for each in killing.results}


def test_a_shard_that_always_kills_its_worker_ends_the_run_and_is_named(cluster, monkeypatch):
    def deadly(copy, data, number=6, real=dask_cluster.run_encoded):
        if msgspec.msgpack.decode(data, type=Shard).number == number:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(copy, data)

    monkeypatch.setattr(dask_cluster, "run_encoded", deadly)
    end = run(cluster)[-1]
    assert (Outcome.UNTESTABLE, 4) == (end.outcome, end.exit_code)
    assert end.message.startswith("shard 6 (5 scenarios of rate_limit, ")
    assert "ended the worker that ran it 4 times, last the one at tcp://127.0.0.1:" in end.message


def test_a_worker_of_another_windtunnel_is_refused(cluster, monkeypatch):
    def foreign(one, real=dask_cluster.encoded):
        system, copy = msgspec.msgpack.decode(real(one)[0], type=tuple[str, shard.Copy])
        return msgspec.msgpack.encode((system, msgspec.structs.replace(copy, version="9.9.9"))), real(one)[1]

    monkeypatch.setattr(dask_cluster, "encoded", foreign)
    end = run(cluster)[-1]
    assert (Outcome.UNTESTABLE, 4) == (end.outcome, end.exit_code)
    assert "has windtunnel 0." in end.message
    assert "this run has 9.9.9; give all workers the same windtunnel" in end.message


def test_a_cluster_that_is_there_is_used_by_its_address(by_itself, cluster, windtunnel, tmp_path):
    address = cluster._client.scheduler.address
    ran = windtunnel(*QUICK, "--engine", "dask", "--scheduler", address, "--report", tmp_path / "dask")
    assert 0 == ran.code, ran
    windtunnel(*QUICK, "--jobs", "1", "--report", tmp_path / "one")
    digests = {json.loads((tmp_path / name / "result.json").read_text())["digest"] for name in ("dask", "one")}
    assert 1 == len(digests)
    assert said(by_itself) == said(run(cluster))  # it is left as it was


def test_a_scheduler_that_goes_away_ends_the_run():
    with dask_cluster._own_cluster(1) as cluster, DaskCluster(cluster.scheduler_address, 1) as client:

        class Closing:
            least = 0

            def run(self, shards, over):
                for each in client.run(shards, over):
                    cluster.close()
                    yield each

        end = run(Closing())[-1]
    assert (Outcome.UNTESTABLE, 4) == (end.outcome, end.exit_code), end.message
    assert f"is gone, and {SHARDS - 1} shards are left" in end.message
    assert shard.FIRST == end.counts["scenarios"]


def test_a_cluster_without_workers_is_not_waited_for_without_end(monkeypatch):
    monkeypatch.setattr(dask_cluster, "NO_WORKER_S", 1.0)
    with DaskCluster(None, 0) as empty:
        end = run(empty)[-1]
    assert (Outcome.UNTESTABLE, 4) == (end.outcome, end.exit_code)
    assert f"has had no worker for 1 s, and {SHARDS} shards are left" in end.message


@pytest.mark.parametrize("words", [("--engine", "dask", "--jobs", "2"), ("--jobs", "6")])
def test_ctrl_c_leaves_no_worker(tmp_path, words):
    command = [sys.executable, "-m", "harness.cli", *QUICK, "--level", "L2", *words, "--report", tmp_path / "report"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        said_first = ""
        while "scenarios judged" not in said_first:  # shards have come back, and others are out
            said_first = process.stdout.readline()
            assert said_first
        below = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()
        assert 130 == process.wait(PATIENCE_S), rest
    assert len(below) > 2
    assert [] == psutil.wait_procs(below, timeout=PATIENCE_S)[1]
    assert "interrupted" == json.loads((tmp_path / "report" / "result.json").read_text())["outcome"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--engine", "spark"), "'spark' is not one of 'local', 'dask'"),
        (("--scheduler", "tcp://127.0.0.1:8786"), "--scheduler names a Dask cluster; add --engine dask"),
        (("--engine", "dask", "--scheduler", "nowhere"), "--scheduler 'nowhere' is no address; write it as tcp://host:port"),
        (("--engine", "dask", "--scheduler", "tcp://127.0.0.1:1"), "no Dask scheduler answers at tcp://127.0.0.1:1 within 1 s"),
        (("--jobs", "many"), "'many' is no number of jobs; write auto, or a number from 1 to 64"),
        (("--jobs", "65"), "65 is not in the range"),
    ],
)  # fmt: skip
def test_bad_input_is_a_sentence(windtunnel, tmp_path, monkeypatch, words, sentence):
    monkeypatch.setattr(dask_cluster, "CONNECT_S", 1.0)
    ran = windtunnel(*QUICK, *words, "--report", tmp_path / "report")
    assert (2, True) == (ran.code, sentence in ran.err), ran
    assert not (tmp_path / "report").exists()


def test_without_dask_it_says_what_to_install(windtunnel, tmp_path, monkeypatch):
    monkeypatch.delitem(sys.modules, "harness.certify.engines.dask_cluster")
    monkeypatch.setitem(sys.modules, "distributed", None)
    ran = windtunnel(*QUICK, "--engine", "dask", "--report", tmp_path / "report")
    assert (2, "windtunnel: --engine dask needs Dask's scheduler; pip install 'windtunnel[dask]' [WT-U13]\n") == (
        ran.code,
        ran.err,
    )


def test_an_address_is_checked_before_anybody_is_asked():
    for address in ("tcp://host", "http://host:1", "tcp://:1", "tcp://a b:1", "inproc://x"):
        with pytest.raises(UsageError, match="is no address"):
            DaskCluster(address, 1)
