"""``windtunnel agent-run``: a plan of shell commands, driven by a session on real files, processes and time."""

import contextlib
import os
import shlex
import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import click
import msgspec

from harness import __version__
from harness.cli.options import FOLDER
from harness.errors import UsageError
from harness.ports.clock import RealClock
from harness.ports.files import RealFiles
from harness.ports.interruption import InterruptibleWaiter, Interruption
from harness.ports.supervised import Marker, SupervisedLauncher, sweep
from harness.report.agent_run import Telling, closing, heading
from harness.report.failures import DEFAULT_REPORT
from harness.report.files import EVENTS, RESULT, laid_out, prepare
from harness.report.text import as_line
from harness.runtime.shell_crew import Ran
from harness.runtime.shell_home import DEFAULT_HOME, ShellHome
from harness.runtime.shell_plan import ShellPlan, parse
from harness.runtime.shell_result import EXIT_CODES, RunResult, result_of
from harness.runtime.shell_run import Machine, ShellRun
from harness.runtime.watched import Watched

PLAN_LIMIT_BYTES = 1024 * 1024
MARKER = "WINDTUNNEL_STATE"  # in the environment of every command of a run


@click.command("agent-run")
@click.argument("plan_path", metavar="PLAN", type=click.Path(path_type=Path))
@click.option(
    "--project",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Where commands run; by default the folder of PLAN.",
)
@click.option(
    "--home",
    type=click.Path(path_type=Path, file_okay=False),
    help=f"Where state is kept; by default {DEFAULT_HOME}/ beside PLAN.",
)
@click.option("--resume", "resumes", is_flag=True, help="A human has looked at a plan that is halted: try again.")
@click.option("--fresh", "is_fresh", is_flag=True, help="Put the state aside, and begin anew.")
@click.option(
    "--report",
    type=FOLDER,
    default=DEFAULT_REPORT,
    show_default=True,
    help="Where events.jsonl and result.json go.",
)
@click.option("--json", "as_json", is_flag=True, help="The result as JSON, and nothing else.")
def command(
    plan_path: Path,
    project: Path | None,
    home: Path | None,
    resumes: bool,
    is_fresh: bool,
    report: Path,
    as_json: bool,
) -> int:
    """Run the phases of PLAN, a YAML file of shell commands, under all the safety parts.

    Each phase does its work, is verified afresh, and is tried a second time when it fails; then the plan halts. A run
    that was killed goes on where it was when the same command is given again; phases that are complete never run again.

    \b
    windtunnel agent-run examples/plans/release.yaml
    windtunnel agent-run release.yaml --project .. --resume

    Exit codes: 0 all phases are complete, 1 the plan is halted or waits for a human, 2 usage, 3 windtunnel broke,
    4 the run cannot begin or go on (another one is at work, its state is damaged or cannot be written),
    130 interrupted.
    """
    if resumes and is_fresh:
        raise UsageError("--resume goes on with what is there and --fresh puts it aside; give one of them")
    plan = parse(_read(plan_path), str(plan_path))
    own = Path(os.path.abspath(plan_path))
    files = RealFiles()
    kept = ShellHome(os.path.abspath(home or own.parent / DEFAULT_HOME), str(own), files)
    again = _again(plan_path, project, home)
    with kept.held():
        prepare(report)
        result = _run(plan, kept, os.path.abspath(project or own.parent), report, resumes, is_fresh, as_json)
    text = laid_out(msgspec.to_builtins(result))
    files.replace(os.path.abspath(report / RESULT), f"{text}\n".encode())
    if as_json:
        click.echo(text)
    else:
        _say(closing(result, again))
    return EXIT_CODES[result.outcome]


def _run(
    plan: ShellPlan, kept: ShellHome, project: str, report: Path, resumes: bool, is_fresh: bool, as_json: bool
) -> RunResult:  # fmt: skip
    files, ran = RealFiles(), list[Ran]()
    marker = Marker(MARKER, kept.state)
    killed = sweep(marker)  # of a run that was killed itself: two must not do the same
    aside = kept.begin_anew() if is_fresh else None
    telling = Telling(plan, _nobody if as_json else _line)

    def told(one: Ran) -> None:
        ran.append(one)
        telling.told(one)

    with contextlib.ExitStack() as held:
        interruption = held.enter_context(_interrupting())
        machine = Machine(
            RealClock(),
            files,
            SupervisedLauncher(marker, interruption),
            InterruptibleWaiter(interruption),
            dict(os.environ),
        )
        events = held.enter_context((report / EVENTS).open("wb", buffering=0))
        watched = Watched(events.write, telling.show)
        goes_on = kept.has_state
        run = ShellRun(plan, kept.state, project, machine, watched.take, told)
        if not as_json:
            _say(heading(plan, run.statuses(), killed, aside))
        ended = run.run(resumes=resumes, is_fresh=is_fresh, goes_on=goes_on)
        watched.end(run.session_id)
    return result_of(plan, run, ended, watched, tuple(ran), version=__version__, killed=killed)


def _read(path: Path) -> bytes:
    try:
        return RealFiles().read(str(path), PLAN_LIMIT_BYTES)
    except OSError as error:
        raise UsageError(f"cannot read the plan {path}: {error.strerror or 'it is no regular file'}") from error


def _again(plan: Path, project: Path | None, home: Path | None) -> str:
    words = ["windtunnel", "agent-run", str(plan)]
    words += ["--project", str(project)] if project else []
    words += ["--home", str(home)] if home else []
    return shlex.join(words)


def _line(text: str) -> None:
    click.echo(as_line(text).rstrip())


def _nobody(text: str) -> None:
    """With --json the result is all that is said."""


def _say(texts: Iterable[str]) -> None:
    for text in texts:
        _line(text)


@contextmanager
def _interrupting() -> Iterator[Interruption]:
    """Ctrl-C and its kin end what runs, and leave a state that a run goes on from; who asks twice does not wait."""
    interruption = Interruption()

    def interrupt(number: int, frame: FrameType | None) -> None:
        del number, frame
        if interruption.is_set:
            raise KeyboardInterrupt
        interruption.set()

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        yield interruption
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        interruption.close()
