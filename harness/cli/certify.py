"""``windtunnel certify``: run an implementation against the documents, clause by clause."""

import shlex
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import click
from rich.console import Console

from harness.certify import corpus
from harness.certify.disguise import any_day
from harness.certify.engine import Engine
from harness.certify.events import RunFinished
from harness.certify.plan import RunPlan, in_scope, runs_for
from harness.certify.reach import Reach, command_target, from_spec, python_factory, reference
from harness.cli import discovered, hosted
from harness.cli.baselined import Beside, known_deviations
from harness.cli.engines import of_engines, opened
from harness.cli.named_system import named_system
from harness.cli.options import (
    DEFAULT_LEVEL,
    DURATION,
    FOLDER,
    LEVEL,
    SEED,
    chaos_scope,
    of_simulations,
    of_timeouts,
)
from harness.core.clause import Catalogue
from harness.core.scenario import Scenario
from harness.errors import NothingRanError, UsageError
from harness.explore.enumerated import LIMIT
from harness.explore.operation_orders import SCHEDULES
from harness.report import Handler
from harness.report.certificate import CertificateFile
from harness.report.console import ConsoleReport
from harness.report.failures import DEFAULT_REPORT
from harness.report.files import RESULT, EventsFile, JUnitFile, ResultFile, ScenarioFiles, prepare
from harness.report.markdown import MarkdownFile
from harness.systems import registry
from harness.targets.target_file import closest, load

DEFAULT_CASES = 40


@click.command("certify", context_settings={"ignore_unknown_options": False})
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="TARGET | -- CMD...")
@click.option("--hook", is_flag=True, help="CMD is a Stop hook, one process a call.")
@click.option("--stdio", is_flag=True, help="CMD speaks windtunnel's protocol on its standard streams.")
@click.option("--python", metavar="PKG.MOD:FACTORY", help="Python code, reached in a worker process.")
@click.option(
    "--system",
    "names",
    multiple=True,
    metavar="NAME",
    default=("stop_gate",),
    show_default=True,
    help="Which system to certify; repeatable, `all` for every one.",
)
@click.option("--level", type=LEVEL, default=DEFAULT_LEVEL, show_default=True, help="How far to go.")
@click.option("--seed", type=SEED, default=0, show_default=True, metavar="N|random", help="Where fresh search begins.")
@click.option(
    "--cases",
    type=click.IntRange(min=0),
    default=DEFAULT_CASES,
    show_default=True,
    help="Cases of fresh search, per profile.",
)
@click.option("--budget", type=DURATION, metavar="60s", help="Stop after that long; then there is no certificate.")
@click.option(
    "--explore-limit",
    type=click.IntRange(min=1),
    default=LIMIT,
    show_default=True,
    help="Variants of one operation at L3; what is cut is said, and then L3 is not reached.",
)
@click.option(
    "--schedules",
    type=click.IntRange(min=1),
    default=SCHEDULES,
    show_default=True,
    help="Orders of operations begun together at L3, depth-first; half as many more at random.",
)
@of_simulations
@of_engines
@click.option("--clause", "clauses", multiple=True, metavar="ID", help="Only scenarios for this clause; repeatable.")
@click.option(
    "--report",
    "directory",
    type=FOLDER,
    default=DEFAULT_REPORT,
    show_default=True,
    help="Where results go.",
)
@of_timeouts
@click.option("--unsafe", is_flag=True, help="Go on where this machine cannot contain the command.")
@click.option(
    "--baseline",
    "baseline_path",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Known deviations, each with its reason: exit 0 when there are these and no others.",
)
@click.option(
    "--host",
    "host_name",
    metavar="NAME",
    help="Judge a hook by that host's rules, then run it under the real host (`windtunnel host list` names them).",
)
@click.option(
    "--write-target",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Without a target: run nothing, write what was found as a target file.",
)
@click.option("--json", "as_json", is_flag=True, help="result.json on standard output, the report on standard error.")
@click.pass_context
def command(  # noqa: PLR0913, PLR0917 - one parameter an option, as click wants it
    context: click.Context,
    /,
    words: tuple[str, ...],
    hook: bool,
    stdio: bool,
    python: str | None,
    names: tuple[str, ...],
    directory: Path,
    timeout_scale: float,
    baseline_path: Path | None,
    host_name: str | None,
    write_target: Path | None,
    as_json: bool,
    **of_the_plan: object,
) -> int:
    """Certify TARGET: `reference`, a target file, or a command given after --hook -- or --stdio --.

    Without any, the hooks are certified that the settings of the current project name.

    \b
    windtunnel certify reference --report out
    windtunnel certify examples/hooks/sound_python/target.yaml
    windtunnel certify --hook -- node hooks/stop.js
    windtunnel certify --python mypkg.gate:make

    Exit codes: 0 conformant, 1 not conformant, 2 usage, 3 windtunnel broke, 4 cannot be tested, 5 inconclusive,
    130 interrupted.
    """
    found = systems_named(names)
    is_found = not (words or hook or stdio or python)
    if as_json and (host_name is not None or is_found):
        raise UsageError("--json shows the one result of one target; name the target, and leave out --host")
    if write_target is not None or is_found:
        return discovered.run(context)
    real = hosted.chosen(words, hook=hook, other=stdio or python is not None, name=host_name)
    target, replay, reaches = _ways(real, context.params, found, timeout_scale)
    del of_the_plan  # which is made of context.params
    plan = _plan(context.params, found, target, replay, reaches)
    baseline = None if baseline_path is None else known_deviations(baseline_path)
    catalogues = tuple(system.catalogue for system in found)
    beside = [] if baseline is None else [Beside(baseline, directory, catalogues)]
    with opened(context.params) as shards:
        prepare(directory)
        code = run_to_end(Engine(plan, shards=shards), [*_handlers(directory, catalogues, as_json), *beside])
    for each in beside:
        code = each.told(Console(stderr=as_json), code)
    if as_json and (directory / RESULT).exists():  # there is none when windtunnel broke
        click.echo((directory / RESULT).read_bytes(), nl=False)
    return code if real is None else hosted.run(real, directory, code)


def _plan(
    params: Mapping[str, Any],
    systems: tuple[registry.System, ...],
    target: str,
    replay: str,
    reaches: tuple[Reach, ...],
) -> RunPlan:
    """What to run, by the options ``params``."""
    words, level, clauses = params["words"], params["level"], params["clauses"]
    named = {name: params[name] for name in ("hook", "stdio", "python")}
    return RunPlan(
        systems=systems,
        target=target,
        replay=replay,
        reaches=reaches,
        scenarios=_scenarios(systems, clauses, reaches, level),
        level=level,
        seed=params["seed"],
        cases=params["cases"],
        budget_s=params["budget"],
        jobs=params["jobs"],
        only=clauses,
        unsafe=params["unsafe"] or is_example(words),
        explore_limit=params["explore_limit"],
        schedules=params["schedules"],
        chaos=chaos_scope(level, params, **_simulated(words, systems, **named)),
        days=any_day(),
        baselined=params["baseline_path"] is not None,
    )


def _ways(
    real: hosted.HookOnHost | None, params: Mapping[str, Any], systems: tuple[registry.System, ...], scale: float
) -> tuple[str, str, tuple[Reach, ...]]:
    """As `reached`, for the options ``params``, or for a hook that is run under a real host."""
    if real is not None:
        return real.reached(systems, scale)
    named = {name: params[name] for name in ("hook", "stdio", "python")}
    return reached(params["words"], **named, systems=systems, scale=scale)


def _simulated(
    words: tuple[str, ...], systems: tuple[registry.System, ...], *, hook: bool, stdio: bool, python: str | None
) -> dict[str, Any]:
    """How `simulate --target SYSTEM=` names the target, and whether it is the whole reference."""
    if python is not None:
        where = f"python:{python}"
    elif hook or stdio:
        where = f"{'hook' if hook else 'stdio'}:{shlex.join(words)}"
    else:
        where = words[0]
    together = words == ("reference",) and {system.name for system in systems} == set(registry.NAMES)
    return {"where": where, "together": together}


def _handlers(directory: Path, catalogues: tuple[Catalogue, ...], to_stderr: bool) -> list[Handler]:
    return [
        EventsFile(directory),
        ScenarioFiles(directory),
        ResultFile(directory),
        JUnitFile(directory),
        MarkdownFile(directory, catalogues),
        CertificateFile(directory),
        ConsoleReport(Console(soft_wrap=False, stderr=to_stderr), catalogues, directory),
    ]


def systems_named(names: tuple[str, ...]) -> tuple[registry.System, ...]:
    """The systems that are named, each once; UsageError when one is not known."""
    if "all" in names:
        return registry.every()
    return tuple(named_system(name) for name in dict.fromkeys(names))


def _scenarios(
    systems: tuple[registry.System, ...], clauses: tuple[str, ...], reaches: tuple[Reach, ...], level: str
) -> tuple[Scenario, ...]:
    """The plan: every scenario of that level and those before it, or those of the clauses that were picked."""
    scenarios = tuple(
        scenario for system in systems for scenario in corpus.scenarios(system.name) if in_scope(scenario, level)
    )
    if not clauses:
        return scenarios
    for clause in clauses:
        require_clause(systems, clause)
    chosen = tuple(scenario for scenario in scenarios if set(clauses) & set(scenario.clauses))
    if not any(runs_for(scenario, reach) for scenario in chosen for reach in reaches):
        raise NothingRanError(f"no scenario for {', '.join(clauses)} runs against this target; nothing was checked")
    return chosen


def run_to_end(engine: Engine, handlers: list[Handler]) -> int:
    """Feeds the run's events to the handlers; Ctrl-C ends the run in order, with what was judged kept."""
    exit_code = 3
    try:
        with _interrupting(engine):
            for event in engine.run():
                for handler in handlers:
                    handler.handle(event)
                if isinstance(event, RunFinished):
                    exit_code = event.exit_code
    finally:
        for handler in handlers:
            handler.close()
    return exit_code


@contextmanager
def _interrupting(engine: Engine) -> Iterator[None]:
    def interrupt(number: int, frame: FrameType | None) -> None:
        del number, frame
        engine.interrupt()

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def reached(
    words: tuple[str, ...],
    *,
    hook: bool,
    stdio: bool,
    python: str | None,
    systems: tuple[registry.System, ...],
    scale: float,
) -> tuple[str, str, tuple[Reach, ...]]:
    """The target's name, the words that name it on a command line, and the ways to it; UsageError when unclear."""
    if sum((hook, stdio, python is not None)) > 1:
        raise UsageError("--hook, --stdio and --python exclude each other; give one")
    if python is not None:
        if words:
            raise UsageError(f"--python names the target already; {' '.join(words)!r} is one too many")
        ways = tuple(python_factory(python, system, timeout_scale=scale) for system in systems)
        return python, f"--python {shlex.quote(python)}", ways
    if hook or stdio:
        if not words:
            raise UsageError(f"no command: write --{'hook' if hook else 'stdio'} -- CMD...")
        spec = command_target(words, "hook" if hook else "stdio")
        flag = "--hook" if hook else "--stdio"
        ways = tuple(from_spec(spec, system, timeout_scale=scale) for system in systems)
        return spec.file.name, f"{flag} -- {shlex.join(words)}", ways
    if len(words) != 1:
        raise UsageError("name one target: reference, a target file, --hook -- CMD..., --stdio -- CMD... or --python")
    if words[0] == "reference":
        ways = tuple(way for system in systems for way in reference(system, timeout_scale=scale))
        return "reference", "reference", ways
    spec = load(Path(words[0]))
    ways = tuple(from_spec(spec, system, timeout_scale=scale) for system in systems)
    return spec.file.name, shlex.quote(words[0]), ways


def is_example(words: tuple[str, ...]) -> bool:
    """Is the target one of ours, known to be harmless?"""
    if words == ("reference",):
        return True
    return len(words) == 1 and Path(words[0]).resolve().is_relative_to(corpus.directory().parent / "examples")


def require_clause(systems: tuple[registry.System, ...], clause: str) -> None:
    """UsageError, with the nearest name, when none of the systems has such a clause."""
    if not any(clause in system.catalogue for system in systems):
        near = closest(clause.upper(), [known.id for system in systems for known in system.catalogue])
        names = " and ".join(system.name for system in systems)
        listed = " and ".join(f"`windtunnel list clauses --system {system.name}`" for system in systems)
        hint = f"did you mean {near}?" if near else f"{listed} names them"
        raise UsageError(f"{names} has no clause {clause!r}; {hint}")
