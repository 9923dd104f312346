"""The plan in shards: any engine, order, repeat or lost worker, and the same verdicts. Source: issue "Engines"."""

import os
import random
import signal
import subprocess
import sys
from collections import deque
from multiprocessing.connection import Pipe
from pathlib import Path

import msgspec
import pytest
from scripted_run import Scripted, says, scenario
from scripted_run import plan as scripted_plan
from sharded_run import SHARDS, SMALL, SYSTEM, Arriving, plan, result, run, said

from harness.certify.engine import Engine
from harness.certify.engines import local, shard
from harness.certify.engines.local import WorkerProcesses, for_jobs
from harness.certify.engines.merging import merged
from harness.certify.engines.processors import available
from harness.certify.engines.running import encoded, run_encoded
from harness.certify.engines.shard import Shard, ShardResult, cut, failed
from harness.certify.events import ImplementationMet, Notice, ScenarioJudged, encode
from harness.certify.plan import Play, planned
from harness.certify.reach import from_spec, reopened
from harness.core.verdict import Outcome
from harness.errors import HarnessFault, MachineError, UntestableError
from harness.systems import registry
from harness.targets.target_file import load


@pytest.fixture(autouse=True)
def small_shards(monkeypatch):
    monkeypatch.setattr(shard, "SCENARIOS", SMALL)


@pytest.fixture(scope="module")
def by_itself():
    """The plan on one job, in this process."""
    return run(jobs=1)


def shards_of(a_plan):
    return cut(a_plan, [each for each in planned(a_plan) if isinstance(each, Play)])


@pytest.mark.parametrize(
    "order",
    [
        pytest.param(list, id="in order"),
        pytest.param(lambda results: results[::-1], id="reversed"),
        pytest.param(lambda results: random.Random(1).sample(results, len(results)), id="shuffled"),
        pytest.param(lambda results: [results[3], *results, *results[2:4]], id="some twice"),
    ],
)
def test_results_merge_in_any_order_to_the_same(by_itself, order):
    arriving = Arriving(order)
    events = run(arriving)
    assert said(by_itself) == said(events)
    assert {*range(SHARDS)} == {*arriving.numbers}
    told = [event.scenario.id for event in events if isinstance(event, ScenarioJudged)]
    assert [each.id for one in shards_of(plan())[0] for each in one.scenarios] == told
    assert 1 == sum(isinstance(event, ImplementationMet) for event in events)  # whichever shard met it first


def test_four_jobs_of_this_process_come_to_the_same(by_itself):
    assert said(by_itself) == said(run(jobs=4))


def test_worker_processes_come_to_the_same(by_itself):
    workers = WorkerProcesses(2)
    assert said(by_itself) == said(run(workers))
    assert [] == workers._workers


class Watched:
    """An engine that keeps the results that came."""

    least = 0

    def __init__(self, engine):
        self.engine, self.results = engine, []

    def run(self, shards, over):
        for each in self.engine.run(shards, over):
            self.results.append(each)
            yield each


@pytest.fixture
def struck(monkeypatch):
    """``struck(number, signal, times)``: a worker that takes that shard is sent the signal; the pids it was sent to."""

    def arm(number, sent, times):
        pids = []

        def take(worker, one, real=local._Worker.take):
            real(worker, one)
            if one.number == number and len(pids) < times:
                pids.append(worker.pid)
                os.kill(worker.pid, sent)

        monkeypatch.setattr(local._Worker, "take", take)
        return pids

    return arm


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGSTOP])
def test_a_worker_that_is_lost_in_the_middle_changes_nothing(by_itself, struck, monkeypatch, sent):
    monkeypatch.setattr(local, "SILENT_S", 4.0)
    pids, watched = struck(3, sent, 1), Watched(WorkerProcesses(2))
    assert said(by_itself) == said(run(watched))
    (pid,) = pids
    (again,) = [each for each in watched.results if each.number == 3]
    assert not again.worker.startswith(f"{pid} ")
    assert [*range(SHARDS)] == sorted(each.number for each in watched.results)


def test_a_shard_that_always_kills_its_worker_ends_the_run_and_is_named(struck):
    pids = struck(1, signal.SIGKILL, 99)
    end = run(WorkerProcesses(2))[-1]
    assert (Outcome.UNTESTABLE, 4, 4) == (end.outcome, end.exit_code, len(pids))
    assert end.message.startswith("shard 1 (4 scenarios of rate_limit, ")
    assert f"ended the worker that ran it 4 times, last process {pids[-1]}, which was killed by SIGKILL" in end.message


def test_what_had_arrived_is_kept_when_the_workers_keep_dying():
    def results():
        yield ShardResult(2, SYSTEM.name, "w")
        raise MachineError("they keep dying")

    arrived = merged(results())
    assert 2 == next(arrived).number
    with pytest.raises(MachineError, match="keep dying"):
        next(arrived)


class Saying:
    """An engine whose first shard comes to that result; the others to none, or an empty one."""

    least = 0

    def __init__(self, first, *, rest=True):
        self.first, self.rest = first, rest

    def run(self, shards, over):
        yield self.first(shards[0])
        for each in shards[1:] if self.rest else ():
            if over():
                return
            yield ShardResult(each.number, each.reach.system, "w")


def test_a_worker_that_gave_up_ends_the_whole_run():
    lines = (encode(Notice(text="gave up after 4 scenarios")),)
    end = run(Saying(lambda one: ShardResult(one.number, SYSTEM.name, "w", lines)))[-1]
    assert (Outcome.INCONCLUSIVE, "gave up after 4 scenarios") == (end.outcome, end.message)


def test_an_error_of_a_shard_is_an_error_of_the_run():
    end = run(Saying(lambda one: failed(one, "w", UntestableError("it never starts"))))[-1]
    assert (Outcome.UNTESTABLE, 4, "it never starts") == (end.outcome, end.exit_code, end.message)


def test_an_engine_that_loses_shards_is_a_fault_of_ours():
    end = run(Saying(result, rest=False))[-1]
    assert (Outcome.HARNESS_FAULT, 3) == (end.outcome, end.exit_code)
    assert f"{SHARDS - 1} shards of the plan" in end.message


def test_a_budget_that_runs_out_cuts_a_sharded_run():
    ticks = iter([0.0] * 3 + [100.0] * 1000)
    shards = Saying(result)
    end = list(Engine(plan(budget_s=5.0), lambda: next(ticks), shards).run())[-1]
    assert (Outcome.INCONCLUSIVE, True) == (end.outcome, end.message.startswith("the budget ran out"))


def test_a_shard_is_a_value():
    shards, kept = shards_of(plan())
    assert [] == [*kept]
    for each in shards:
        assert each == msgspec.msgpack.decode(encoded(each)[1], type=Shard)
    assert sys.executable.encode() not in encoded(shards[0])[1]  # a worker has a Python of its own


def test_what_only_waits_or_cannot_be_told_stays_here():
    a_plan = plan()
    waits = [each for each in planned(a_plan) if isinstance(each, Play)][:1]
    waits = [each._replace(scenario=msgspec.structs.replace(each.scenario, full_length=True)) for each in waits]
    assert ((), tuple(waits)) == cut(a_plan, waits)
    scripted = scripted_plan(Scripted(says()), (scenario("s-1"),), system=None)
    work = [each for each in planned(scripted) if isinstance(each, Play)]
    assert ((), tuple(work)) == cut(scripted, work)


def test_a_worker_with_another_windtunnel_is_refused_before_it_looks_at_the_shard():
    (one, *_), _ = shards_of(plan())
    system, copy = msgspec.msgpack.decode(encoded(one)[0], type=tuple[str, shard.Copy])
    for name, what in (("version", "windtunnel"), ("suite", "the suite"), ("judging", "oracles")):
        other = msgspec.msgpack.encode((system, msgspec.structs.replace(copy, **{name: "another"})))
        with pytest.raises(RuntimeError, match=f"has {what} .*, and this run has another; give all workers the same"):
            run_encoded(other, b"no shard at all")


def test_a_worker_whose_files_differ_is_refused(tmp_path):
    (tmp_path / "hook.sh").write_text("exit 0\n")
    (tmp_path / "target.yaml").write_text("name: mine\ncarrier: hook\ncommand: [sh, hook.sh]\n")
    reach = from_spec(load(tmp_path / "target.yaml"), registry.get("stop_gate"), timeout_scale=1.0)
    again = reopened(reach.spec)
    assert (reach.profile, reach.digest, reach.spec) == (again.profile, again.digest, again.spec)
    (tmp_path / "hook.sh").write_text("exit 2\n")
    with pytest.raises(MachineError, match="mine is another on this machine than the one that is certified"):
        reopened(reach.spec)


@pytest.mark.parametrize(
    ("files", "quota"),
    [
        ({}, None),
        ({"cpu.max": "max 100000\n"}, None),
        ({"cpu.max": "100000 100000\n"}, 1),
        ({"a/b/cpu.max": "max 100000\n", "a/cpu.max": "50000 100000\n"}, 1),
        ({"cpu/cpu.cfs_quota_us": "100000\n", "cpu/cpu.cfs_period_us": "100000\n"}, 1),
        ({"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}, None),
        ({"cpu.max": "nonsense"}, None),
    ],
)
def test_auto_is_the_processors_this_process_may_use(tmp_path, files, quota):
    for name, text in files.items():
        (tmp_path / "cgroups" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "cgroups" / name).write_text(text)
    (tmp_path / "own").write_text("0::/a/b\n")
    assert (quota or len(os.sched_getaffinity(0))) == available(tmp_path / "cgroups", tmp_path / "own")


def test_an_error_of_a_kind_nobody_knows_is_a_fault_of_ours():
    assert isinstance(ShardResult(0, SYSTEM.name, "w", error="Strange", message="m").raised(), HarnessFault)


def test_small_plans_are_played_by_this_process_and_large_ones_by_workers(by_itself):
    workers = for_jobs(2)
    assert (None, local.MUCH, 0) == (for_jobs(1), workers.least, for_jobs(local.ALONE + 1).least)
    watched = Watched(workers)
    watched.least = workers.least
    assert said(by_itself) == said(run(watched))
    assert [] == watched.results
    watched.least = len(plan().scenarios)
    assert said(by_itself) == said(run(watched))
    assert SHARDS == len(watched.results)


def test_operations_are_counted_although_no_history_is_kept(by_itself):
    judged = [event for event in by_itself if isinstance(event, ScenarioJudged)]
    assert sum(event.operations() for event in judged) == by_itself[-1].counts["operations"] > len(judged)


SERVING = """
import sys
from harness.certify.engines import local
from harness.certify.engines.shard import ShardResult

class Run:
    def __init__(self, shard, slots):
        self.shard, self.over = shard, local.threading.Event()
    def run(self):
        if self.shard.number == 0:
            self.over.wait()
        return ShardResult(self.shard.number, self.shard.reach.system, "w")
    def abort(self):
        self.over.set()

local.ShardRun = Run
local.serve(int(sys.argv[1]))
"""


def test_a_worker_ends_a_long_shard_although_others_came_after_it():
    ours, theirs = Pipe()
    words = [sys.executable, "-c", SERVING, str(theirs.fileno())]
    with subprocess.Popen(words, pass_fds=[theirs.fileno()]) as worker:
        theirs.close()
        for one in shards_of(plan())[0][:3]:
            ours.send_bytes(msgspec.msgpack.encode(one))
        came = (msgspec.msgpack.decode(data, type=ShardResult).number for data in iter(ours.recv_bytes, None) if data)
        assert {1, 2} == {next(came), next(came)}
        ours.close()
        try:
            assert 0 == worker.wait(20.0)
        finally:
            worker.kill()


SHARING = """
import sys
from harness.certify.engines import local
from harness.certify.engines.shard import ShardResult
from harness.sandbox import SandboxPlan

class Run:
    def __init__(self, shard, slots):
        self.shard, self.slots = shard, slots
    def run(self):
        with self.slots.sandbox(SandboxPlan(force_fallback=True)) as sandbox:
            return ShardResult(self.shard.number, self.shard.reach.system, sandbox.roots.home)

local.ShardRun = Run
local.serve(int(sys.argv[1]))
"""


def test_one_shard_after_the_other_has_the_same_sandbox_which_is_gone_with_its_worker():
    ours, theirs = Pipe()
    words = [sys.executable, "-c", SHARING, str(theirs.fileno())]
    with subprocess.Popen(words, pass_fds=[theirs.fileno()]) as worker:
        theirs.close()
        homes = []
        try:
            for one in shards_of(plan())[0][:3]:
                ours.send_bytes(msgspec.msgpack.encode(one))
                data = next(filter(None, iter(ours.recv_bytes, None)))
                homes.append(Path(msgspec.msgpack.decode(data, type=ShardResult).worker))
            assert [homes[0]] * 3 == homes
            assert homes[0].exists()
            ours.close()
            assert 0 == worker.wait(20.0)
            assert not homes[0].exists()
        finally:
            worker.kill()


def test_the_first_shards_are_small_so_that_there_is_soon_something_to_tell():
    shards, _ = shards_of(plan())
    assert [2, 4, *[SMALL] * (SHARDS - 3)] == [len(each.scenarios) for each in shards[:-1]]


class Taking:
    """A worker that only takes shards."""

    def __init__(self):
        self.shards = {}

    def take(self, one):
        self.shards[one.number] = one


def test_shards_that_lost_a_worker_are_played_alone_so_that_the_one_to_blame_is_found(monkeypatch):
    monkeypatch.setattr(local, "_Worker", Taking)
    workers, todo = WorkerProcesses(2), deque(shards_of(plan())[0])
    workers._hand_out(todo)
    assert [[0, 2], [1, 3]] == [[*each.shards] for each in workers._workers]  # one each before any has two
    todo.extendleft([*workers._workers.pop().shards.values()][::-1])
    workers._deaths.update([1, 3])
    workers._hand_out(todo)
    assert [[0, 2], [1]] == [[*each.shards] for each in workers._workers]
    del workers._workers[0].shards[0]
    workers._hand_out(todo)
    assert [[2], [1]] == [[*each.shards] for each in workers._workers]
    workers._workers[0].shards.clear()
    workers._hand_out(todo)
    assert ([3], 4) == ([*workers._workers[0].shards], todo[0].number)
