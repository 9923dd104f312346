"""Clauses as items of pytest: one run for all of them, also under xdist, and what each of them says of it."""

import fcntl
import os
import shlex
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from harness.certify import corpus
from harness.certify.disguise import any_day
from harness.certify.engine import Engine
from harness.certify.engines.local import for_jobs
from harness.certify.engines.processors import available
from harness.certify.events import RunFinished, RunStarted, ScenarioJudged
from harness.certify.plan import RunPlan, in_scope
from harness.certify.reach import Reach, from_spec, reference
from harness.core.clause import Catalogue, Level
from harness.core.digest import sha256_of
from harness.core.verdict import ClauseVerdict, Outcome
from harness.errors import HarnessFault, UsageError, WindtunnelError
from harness.report import Handler
from harness.report.failures import Failure, failures, replay_command
from harness.report.files import EventsFile, JUnitFile, ResultFile, ScenarioFiles, prepare
from harness.report.markdown import MarkdownFile
from harness.systems import registry
from harness.targets.target_file import load

ROOT = "windtunnel"
REFERENCE = "reference"
LEVELS = ("L1", "L2", "L3")
DEFAULT_LEVEL = "L2"
OTHERS_SHOWN = 6
# a run that came to its own end; of any other, what conforms so far is no pass
_WHOLE = (Outcome.CONFORMANT, Outcome.NONCONFORMANT, Outcome.INCONCLUSIVE)


class Told(msgspec.Struct, frozen=True):
    """One clause after the run: its verdict and the text that goes with it."""

    verdict: ClauseVerdict
    text: str


class Ran(msgspec.Struct, frozen=True):
    """What the items of a run read: ``broken`` says why it came to no end of its own, "" when it did."""

    broken: str
    clauses: dict[str, Told]


_RAN = pytest.StashKey[Ran]()


def plan_for(
    target: str | Path,
    *,
    system: str,
    level: str | None,
    seed: int,
    cases: int,
    jobs: int,
    unsafe: bool = False,
    folder: Path | None = None,
) -> RunPlan:
    """The plan of a run against a target file (relative to ``folder``), or the reference.

    UsageError, in a sentence, when there is none.
    """
    found, asked = registry.get(system), _level(level)
    name, reaches = _reached(target, found, folder or Path())
    return RunPlan(
        systems=(found,),
        target=name,
        replay=shlex.quote(str(target)),
        reaches=reaches,
        scenarios=tuple(each for each in corpus.scenarios(system) if in_scope(each, asked)),
        level=asked,
        seed=seed,
        cases=cases,
        budget_s=None,
        jobs=jobs,
        unsafe=unsafe or str(target) == REFERENCE,
        days=any_day(),
    )


def _level(level: str | None) -> str:
    if level not in (None, *LEVELS):
        raise UsageError(f"there is no level {level!r} to ask for; this version certifies {', '.join(LEVELS)}")
    return level or DEFAULT_LEVEL


def _reached(target: str | Path, system: registry.System, folder: Path) -> tuple[str, tuple[Reach, ...]]:
    if str(target) == REFERENCE:
        return REFERENCE, reference(system, timeout_scale=1.0)
    spec = load(folder / target)
    return spec.file.name, (from_spec(spec, system, timeout_scale=1.0),)


def require(config: pytest.Config) -> None:
    """pytest.UsageError when the options name no system, level or target file."""
    option = config.getoption
    try:
        _level(option("windtunnel_level"))
        # without the scenarios, whose reading takes a second in every worker
        _reached(option("windtunnel_target"), registry.get(option("windtunnel_system")), config.invocation_params.dir)
    except UsageError as error:
        raise pytest.UsageError(f"--windtunnel-target: {error}") from error
    except WindtunnelError:
        pass  # what cannot be tested is told by every clause


def clause_items(session: pytest.Session) -> list[pytest.Item]:
    """An item a clause, in document order, reported as collected like any other."""
    root = _Root.from_parent(session, name=ROOT, nodeid=ROOT)
    system = _System.from_parent(root, name=session.config.getoption("windtunnel_system"))
    report = session.ihook.pytest_make_collect_report(collector=system)
    session.ihook.pytest_collectreport(report=report)
    return list(report.result)


class _Root(pytest.Collector):
    """What all systems are below."""

    def collect(self) -> list[pytest.Collector]:
        """Nothing: the one system that is asked for is made by itself."""
        return []


class _System(pytest.Collector):
    """The clauses of one system."""

    def collect(self) -> list[pytest.Item]:
        """An item a clause."""
        # under --dist loadgroup one worker takes them all; otherwise the others wait for the one that runs
        grouped = self.config.pluginmanager.hasplugin("xdist")
        items: list[pytest.Item] = []
        for clause in registry.get(self.name).catalogue:
            item = ClauseItem.from_parent(self, name=clause.id, level=clause.level)
            item.add_marker(ROOT)
            if grouped:
                item.add_marker(pytest.mark.xdist_group(ROOT))
            items.append(item)
        return items


class ClauseItem(pytest.Item):
    """One clause. A MUST that is not established fails; a SHOULD that is not is an expected failure."""

    def __init__(self, *, level: Level, **more: object) -> None:
        super().__init__(**more)  # type: ignore[arg-type]  # what from_parent was given, and its own
        self._level = level
        self._clause = self.name

    def runtest(self) -> None:
        """Passes when the clause conforms."""
        ran = _ran(self.config)
        told = ran.clauses.get(self._clause)
        if told is not None and told.verdict is ClauseVerdict.NOT_APPLICABLE:
            pytest.skip(told.text)  # reason: the clause does not bind this implementation, as the text says
        if ran.broken or told is None:
            raise ClauseFailedError(ran.broken or "the run says nothing of this clause")
        if told.verdict is ClauseVerdict.NOT_ESTABLISHED and self._level is not Level.MUST:
            pytest.xfail(told.text)  # reason: a SHOULD that nothing witnessed is told, and fails no build
        if told.verdict is not ClauseVerdict.CONFORMS:
            raise ClauseFailedError(told.text)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The clause's text instead of a traceback through this file."""
        if isinstance(excinfo.value, ClauseFailedError):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where the item stands: in no file."""
        return self.session.path / ROOT, None, self._clause


class ClauseFailedError(Exception):
    """A clause that is not held, with everything there is to say about it."""


def _plan(config: pytest.Config) -> RunPlan:
    option = config.getoption
    return plan_for(
        option("windtunnel_target"),
        system=option("windtunnel_system"),
        level=option("windtunnel_level"),
        seed=option("windtunnel_seed"),
        cases=option("windtunnel_cases"),
        jobs=available(),
        unsafe=option("windtunnel_unsafe"),
        folder=config.invocation_params.dir,
    )


def _ran(config: pytest.Config) -> Ran:
    """The one run of this session: done here, or by another worker of it."""
    if _RAN not in config.stash:
        shared = _shared(config)
        config.stash[_RAN] = _run(config) if shared is None else _run_once(config, shared)
    return config.stash[_RAN]


def _shared(config: pytest.Config) -> Path | None:
    """Where the workers of this session find what one of them did; None when there are none."""
    worker = getattr(config, "workerinput", None)
    if worker is None:
        return None
    base: Path = config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]  # noqa: SLF001 - no public way
    return base.parent / f"windtunnel-{sha256_of(str(worker['testrunuid']))[:16]}"


def _run_once(config: pytest.Config, shared: Path) -> Ran:
    done = shared.with_suffix(".json")
    with shared.with_suffix(".lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # given back by the kernel when the worker that runs dies
        if not done.exists():
            ran = _run(config)
            begun = shared.with_suffix(".begun")
            begun.write_bytes(msgspec.json.encode(ran))
            begun.replace(done)
    return msgspec.json.decode(done.read_bytes(), type=Ran)


def _run(config: pytest.Config) -> Ran:
    try:
        plan = _plan(config)
        directory = config.invocation_params.dir / config.getoption("windtunnel_report")
        prepare(directory)
        _, finished, judged = _events(plan, directory)
    except WindtunnelError as error:
        return Ran(f"the run broke: {error}", {})
    shown = os.path.relpath(directory, config.invocation_params.dir)
    broken = "" if finished.outcome in _WHOLE else f"{finished.outcome.value}: {finished.message}"
    return Ran(broken, _told(plan.systems[0].catalogue, finished, judged, shown))


def _events(plan: RunPlan, directory: Path) -> tuple[RunStarted, RunFinished, list[ScenarioJudged]]:
    """Runs ``plan`` and writes its report; Ctrl-C ends it in order."""
    handlers: list[Handler] = [
        EventsFile(directory),
        ScenarioFiles(directory),
        ResultFile(directory),
        JUnitFile(directory),
        MarkdownFile(directory, tuple(system.catalogue for system in plan.systems)),
    ]
    started: RunStarted | None = None
    finished: RunFinished | None = None
    judged: list[ScenarioJudged] = []
    engine = Engine(plan, shards=for_jobs(plan.jobs))
    try:
        with _interrupting(engine):
            for event in engine.run():
                for handler in handlers:
                    handler.handle(event)
                if isinstance(event, RunStarted):
                    started = event
                elif isinstance(event, RunFinished):
                    finished = event
                elif isinstance(event, ScenarioJudged):
                    judged.append(event)
    finally:
        for handler in handlers:
            handler.close()
    if finished is None or started is None:
        raise HarnessFault("a run ended without its verdict")
    if finished.outcome is Outcome.INTERRUPTED:
        raise KeyboardInterrupt
    return started, finished, judged


@contextmanager
def _interrupting(engine: Engine) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, lambda *_: engine.interrupt())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _told(catalogue: Catalogue, finished: RunFinished, judged: list[ScenarioJudged], directory: str) -> dict[str, Told]:
    failed = {failure.clause.id: failure for failure in failures(finished, judged, (catalogue,))}
    told: dict[str, Told] = {}
    for clause in catalogue:
        result = finished.systems[catalogue.system].clauses[clause.id]
        text = result.reason
        if clause.id in failed:
            text = _failure_text(failed[clause.id], directory)
        elif result.verdict is ClauseVerdict.NOT_ESTABLISHED:
            text = f"{clause.id} ({clause.level.value}) is not established: {result.reason}\n  {clause.statement}"
        told[clause.id] = Told(result.verdict, text)
    return told


def _failure_text(failure: Failure, directory: str) -> str:
    clause = failure.clause
    lines = [f"{clause.id} ({clause.level.value}, {clause.source}): {failure.reason}"]
    lines.append(f"  requires: {clause.statement}")
    if failure.finding is not None:
        lines += [f"  expected: {failure.finding.expected}", f"  observed: {failure.finding.observed}"]
    if failure.scenario is not None:
        lines.append(f"  scenario: {failure.scenario}")
        lines.append(f"  replay:   {replay_command(failure.short, directory)}")
    if failure.others:
        more = f" and {len(failure.others) - OTHERS_SHOWN} more" if len(failure.others) > OTHERS_SHOWN else ""
        lines.append(f"  also in:  {', '.join(name for _, name in failure.others[:OTHERS_SHOWN])}{more}")
    return "\n".join(lines)
