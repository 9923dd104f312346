"""``windtunnel explore``: every error, crash and order that a program's own operation can meet."""

import signal
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import click
import msgspec

from harness.cli.engines import JOBS
from harness.cli.options import DURATION, FOLDER
from harness.errors import MachineError, UsageError
from harness.explore.program.cases import LAYERS
from harness.explore.program.commands import Program, program
from harness.explore.program.crew import Crew
from harness.explore.program.exploration import GROUPS, Bounds, Exploration
from harness.explore.program.result import Event, Failing, Finished, Observed, Started, as_utf8, encoded, result
from harness.explore.program.scripts import script
from harness.explore.program.telling import lines, replayed
from harness.report.failures import DEFAULT_REPORT
from harness.report.files import EVENTS, RESULT, laid_out, prepare
from harness.report.text import as_line

DEFAULT_LIMIT = 1000
DEFAULT_TIMEOUT_S = 10.0
SCRIPTS = "failing"  # below the report directory


@click.command("explore")
@click.option("--op", required=True, metavar="CMD", help="The operation, as one string: what faults strike.")
@click.option("--check", required=True, metavar="CMD", help="Exits 0 while all is well: your invariant.")
@click.option("--recover", metavar="CMD", help="Run after a fault, before the check.")
@click.option("--with", "rival", metavar="CMD", help="A second command, run at once with the operation.")
@click.option(
    "--dir",
    "directory",
    type=click.Path(path_type=Path),
    default=".",
    show_default=True,
    help="Holds the state; the real one is never changed.",
)
@click.option("--only", type=click.Choice(tuple(GROUPS)), multiple=True, help="Only that way to explore; repeatable.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Chooses where not all is run.")
@click.option("--limit", type=click.IntRange(min=1), default=DEFAULT_LIMIT, show_default=True, help="Cases a way.")
@click.option("--budget", type=DURATION, metavar="60s", help="Begin nothing more after that long.")
@click.option("--timeout", type=DURATION, default=f"{DEFAULT_TIMEOUT_S:g}s", show_default=True, help="Of one command.")
@click.option("--jobs", type=JOBS, default="auto", show_default=True)
@click.option("--env", multiple=True, metavar="NAME=VALUE", help="A variable for all commands; repeatable.")
@click.option("--unsafe", is_flag=True, help="Go on where this machine cannot contain the commands.")
@click.option("--replay", metavar="ID", help="Only that case, by the id a failure was told with.")
@click.option(
    "--report",
    type=FOLDER,
    default=DEFAULT_REPORT,
    show_default=True,
    help="Where results and scripts go.",
)
@click.option("--json", "as_json", is_flag=True, help="The result as JSON, and nothing else.")
def command(  # noqa: PLR0913, PLR0917 - one parameter an option, as click wants it
    op: str,
    check: str,
    recover: str | None,
    rival: str | None,
    directory: Path,
    only: tuple[str, ...],
    seed: int,
    limit: int,
    budget: float | None,
    timeout: float,
    jobs: int,
    env: tuple[str, ...],
    unsafe: bool,
    replay: str | None,
    report: Path,
    as_json: bool,
) -> int:
    """Enumerate what can befall --op, and let --check judge every state that is left.

    Each file call is refused with each error it can meet; the operation is killed at each call and each byte; power is
    lost with any of the data that was not synced; with --with, both commands run in every order of their file calls.

    \b
    windtunnel explore --op "python3 app.py save" --check "python3 app.py verify" --dir state
    windtunnel explore --op "./take job" --with "./take job" --recover "./tidy" --check "./verify" --dir queue

    Exit codes: 0 sound, 1 a failing state found, 2 usage, 3 windtunnel broke, 4 --op or --check fails without any
    fault, 5 nothing explored, 130 interrupted.
    """
    if replay is not None and as_json:
        raise UsageError("--json is for a whole exploration; leave it out with --replay")
    found = program(op=op, check=check, recover=recover, rival=rival, directory=directory, folder=Path.cwd(), env=env)
    chosen = frozenset(name for group in only or GROUPS for name in GROUPS[group])
    if replay is None:  # a replay keeps the run it is from
        _prepare(report)
    deadline = None if budget is None else time.monotonic() + budget
    with Crew(found, jobs, timeout, deadline) as crew, _interrupting(crew):
        if not unsafe and not crew.alone(lambda place: place.contained):
            raise MachineError(
                "this machine refuses namespaces: the commands could change the real files; "
                "add --unsafe to go on all the same"
            )
        exploration = Exploration(found, crew, Bounds(seed, limit, chosen & frozenset(LAYERS)), jobs)
        output = _Output(found, exploration, crew, report, timeout)
        if replay is not None:
            return output.replay(replay)
        return output.explore(str(directory), as_json=as_json)


def _prepare(report: Path) -> None:
    prepare(report)
    for old in (report / SCRIPTS).glob("*.py"):
        if old.is_dir():
            raise UsageError(f"{old} is a directory where a script has to stand; move it, or name another --report")
        old.unlink()


class _Output:
    """Shows and writes what an exploration finds. Nothing is written to the disk while it runs: it may be watched."""

    def __init__(self, found: Program, exploration: Exploration, crew: Crew, report: Path, timeout_s: float) -> None:
        self._program = found
        self._exploration = exploration
        self._crew = crew
        self._report = report
        self._timeout_s = timeout_s

    def explore(self, shown: str, *, as_json: bool) -> int:
        """Everything; the exit code."""
        events: list[Event] = []
        for event in self._exploration.run():
            if isinstance(event, Finished):
                event = self._with_scripts(event)  # noqa: PLW2901 - the paths are known only now
            events.append(event)
            if not as_json:
                _say(lines(event, shown))
        return self._written(events, as_json=as_json)

    def replay(self, id_: str) -> int:
        """One case; 1 when it fails again."""
        case, failing = self._exploration.replay(id_)
        if failing is not None:
            failing = msgspec.structs.replace(failing, script=self._write_script(failing.id))
        _say(replayed(failing, case.label, case.id))
        return 0 if failing is None else 1

    def _with_scripts(self, event: Finished) -> Finished:
        smallest = [self._scripted(failing) for failing in event.smallest]
        return msgspec.structs.replace(event, smallest=tuple(smallest))

    def _scripted(self, failing: Failing) -> Failing:
        try:
            return msgspec.structs.replace(failing, script=self._write_script(failing.id))
        except OSError:
            return failing  # what was found is told even so; writing the result says what is wrong with the disk

    def _write_script(self, id_: str) -> str:
        case, _ = self._exploration.failing[id_]
        path = self._report / SCRIPTS / f"{id_}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        environment = self._crew.alone(lambda place: dict(place.environment))
        path.write_text(script(self._program, case, environment, self._timeout_s), encoding="utf-8")
        return str(path)

    def _written(self, events: list[Event], *, as_json: bool) -> int:
        (self._report / EVENTS).write_bytes(b"".join(map(encoded, events)))
        started = next(event for event in events if isinstance(event, Started))
        observed = next((event for event in events if isinstance(event, Observed)), None)
        finished = events[-1]
        assert isinstance(finished, Finished)  # noqa: S101 - it is always the last
        every = [failing for _, failing in self._exploration.failing.values()]
        text = laid_out(result(started, observed, every, finished))
        (self._report / RESULT).write_bytes(as_utf8(text + "\n"))
        if as_json:
            click.echo(as_utf8(text).decode())
        return finished.exit_code


def _say(texts: Iterable[str]) -> None:
    for text in texts:
        click.echo(as_line(text).rstrip())


@contextmanager
def _interrupting(crew: Crew) -> Iterator[None]:
    """Ctrl-C and its kin end the exploration in order, with what was found kept."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        del number, frame
        crew.interrupt()

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
