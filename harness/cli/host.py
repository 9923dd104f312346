"""``windtunnel host``: real agents, installed at pinned versions, and what they do with a Stop hook."""

import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import click
import msgspec

from harness.certify.reach import COMMON_PROGRAMS
from harness.cli import options
from harness.errors import MachineError, UsageError
from harness.hosts import installed
from harness.hosts.check import CheckedHost, Question, as_file, check, summary
from harness.hosts.installed import InstalledHost
from harness.hosts.kind import HostKind
from harness.hosts.kinds import KINDS
from harness.hosts.model.host_tools import tools_of
from harness.hosts.rig import SESSION_LIMIT_S, HostRig
from harness.report.files import laid_out
from harness.systems import registry

REPORT = "hosts.json"
_DIFFERENT = 4
_LONGEST_HOOKS_S = 900.0


@click.group("host")
def command() -> None:
    """Run real coding agents, offline and with a scripted model, to see what they do with a Stop hook."""


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="As JSON, one list.")
def list_hosts(as_json: bool) -> int:
    """Name the hosts that can be run, and whether they are installed."""
    folder = installed.real_folder()
    rows = [_listed(kind, folder) for kind in KINDS.values()]
    rows += [
        {"host": host.host, "version": host.version, "state": "documented", "says": "documented, not run"}
        for host in room_of_hosts()[1].hosts()
        if host.host not in KINDS
    ]
    if as_json:
        click.echo(laid_out(rows))
        return 0
    for row in rows:
        click.echo(f"{row['host']} {row['version']}: {row['says']}")
    return 0


def _listed(kind: HostKind, folder: Path) -> dict[str, str]:
    row = {"host": kind.name, "version": installed.pinned_version(kind)}
    try:
        installed.find(kind, folder)
    except MachineError as error:
        return {**row, "state": "not_run", "says": f"not run: {error}"}
    return {**row, "state": "installed", "says": "installed"}


@command.command("install")
@click.argument("names", nargs=-1, metavar="[HOST]...")
@click.option("--json", "as_json", is_flag=True, help="As JSON, one list.")
def install(names: tuple[str, ...], as_json: bool) -> int:
    """Install hosts from the npm registry at their pinned versions (all of them without a name)."""
    folder = installed.real_folder()
    rows: list[dict[str, str]] = []
    for kind in [installed.kind_named(name) for name in names or tuple(KINDS)]:
        host = installed.install(kind, folder)
        rows.append({"host": kind.name, "version": host.version, "folder": str(host.folder)})
        if not as_json:
            click.echo(f"{kind.name} {host.version}: installed in {host.folder}")
    if as_json:
        click.echo(laid_out(rows))
    return 0


@command.command("check")
@click.argument("names", nargs=-1, metavar="[HOST]...")
@click.option("--report", "directory", type=options.FOLDER, help="Where hosts.json goes.")
@click.option("--write", is_flag=True, help="Write what was seen as the table of facts of this checkout.")
@click.option("--jobs", type=click.IntRange(1, 16), default=4, show_default=True, help="Hosts at the same time.")
@click.option("--json", "as_json", is_flag=True, help="As JSON, one document.")
def check_hosts(names: tuple[str, ...], directory: Path | None, write: bool, jobs: int, as_json: bool) -> int:
    """Ask each HOST (without a name: all that are installed) what it does, and compare it with the table of facts.

    Exit codes: 0 as stated and predicted, 2 usage, 4 a host is missing, of another version, or does otherwise.
    """
    folder = installed.real_folder()
    if directory is not None:
        prepare(directory)
    found, missing = _found(names, folder)
    say = _silent if as_json else click.echo
    for sentence in missing:
        say(f"not run: {sentence}")
    if not found:
        if as_json:
            click.echo(laid_out(_as_data((), missing, (), MachineError.exit_code)))
        raise MachineError("no host is installed; install all with: windtunnel host install")
    if write:
        _require_writable()
    checked, failed = _checked(found, jobs)
    _tell(checked, failed, say)
    if directory is not None:
        text = msgspec.json.format(msgspec.json.encode(msgspec.to_builtins(checked)), indent=2)
        with _writing(directory):
            (directory / REPORT).write_bytes(text + b"\n")
    written: list[str] = []
    for each in checked if write else ():
        written.append(_write(each))
        say(f"wrote {written[-1]}")
    wrong = failed or (not write and any(each.differences for each in checked))
    code = _DIFFERENT if wrong else 0
    if as_json:
        click.echo(laid_out(_as_data(checked, [*missing, *failed], written, code)))
    return code


def _tell(checked: Sequence[CheckedHost], failed: Sequence[str], say: Callable[[str], None]) -> None:
    for each in checked:
        for sentence in each.differences:
            say(f"{each.host} {each.version}: {sentence}")
    for sentence in failed:
        say(f"not run: {sentence}")
    if checked:
        say(summary(checked))


def _silent(text: str) -> None:
    """With --json one document is all that is said."""


def _as_data(
    checked: Sequence[CheckedHost], not_run: Sequence[str], written: Sequence[str], code: int
) -> dict[str, Any]:
    """What a check came to, as builtins; each host as in hosts.json, and its differences in sentences."""
    hosts = [{**msgspec.to_builtins(each), "differences": list(each.differences)} for each in checked]
    return {"exit_code": code, "hosts": hosts, "not_run": list(not_run), "written": list(written)}


def prepare(directory: Path) -> None:
    """Makes the report directory; UsageError when it cannot be written."""
    with _writing(directory):
        directory.mkdir(parents=True, exist_ok=True)
        (directory / REPORT).unlink(missing_ok=True)
        (directory / REPORT).touch()


@contextmanager
def _writing(directory: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UsageError(
            f"cannot write the report to {directory}: {error.strerror}; choose another with --report"
        ) from error


def room_of_hosts() -> tuple[ModuleType, ModuleType]:
    """What is known of how hooks are called, and of hosts, for the one system that runs as a hook."""
    (system,) = [each for each in registry.every() if each.runs_as_hook]
    return system.process_calls, system.hosts


@contextmanager
def rig_for(
    host: InstalledHost, *, project: str | None = None, exposed: Sequence[str] = (), hooks_s: float = 0.0
) -> Iterator[HostRig]:
    """A rig for that host with its tools, in the folder ``project``, with the programs that hooks are made of.

    Hooks may take ``hooks_s`` seconds of a session, up to 15 minutes.
    """
    limit_s = SESSION_LIMIT_S + min(hooks_s, _LONGEST_HOOKS_S)
    with HostRig(
        host, tools_of(host.kind.name), project=project, programs=COMMON_PROGRAMS, exposed=exposed, limit_s=limit_s
    ) as rig:
        yield rig


def today() -> date:
    """The date by which facts are dated."""
    return datetime.now(UTC).date()


def _found(names: Sequence[str], folder: Path) -> tuple[list[InstalledHost], list[str]]:
    found: list[InstalledHost] = []
    missing: list[str] = []
    for kind in [installed.kind_named(name) for name in names or tuple(KINDS)]:
        try:
            found.append(installed.find(kind, folder))
        except MachineError as error:
            if names:
                raise
            missing.append(str(error))
    return found, missing


def _checked(hosts: Sequence[InstalledHost], jobs: int) -> tuple[list[CheckedHost], list[str]]:
    """What was found of each host, and a sentence for each that could not be run; Ctrl-C ends all of them at once."""
    calls, facts = room_of_hosts()
    rigs: list[HostRig] = []
    over = threading.Event()

    def go_on(question: Question) -> None:
        if over.is_set():
            raise MachineError(f"interrupted after {question.rule}")

    def one(host: InstalledHost) -> CheckedHost | str:
        try:
            with rig_for(host) as rig:
                rigs.append(rig)
                if over.is_set():  # it was made while the others were ended
                    raise MachineError("interrupted before it began")
                return check(rig, calls, facts, today(), go_on)
        except MachineError as error:
            return str(error)

    with ThreadPoolExecutor(jobs) as pool:
        waiting = [pool.submit(one, host) for host in hosts]
        try:
            results = [each.result() for each in waiting]
        except BaseException:
            over.set()
            for each in waiting:
                each.cancel()
            for rig in rigs:
                rig.abort()
            raise
    return [each for each in results if isinstance(each, CheckedHost)], [str(e) for e in results if isinstance(e, str)]


def _facts_folder() -> Path:
    _, facts = room_of_hosts()
    return Path(str(facts.__file__)).parent / str(facts.FOLDER)


def _require_writable() -> None:
    """A check takes minutes: what it is to be written to is tried before it."""
    try:
        with tempfile.TemporaryFile(dir=_facts_folder()):
            pass
    except OSError as error:
        raise UsageError(f"cannot write to {_facts_folder()}: {error.strerror}; --write is for a checkout") from error


def _write(checked: CheckedHost) -> str:
    """Writes its table of facts; the name of the file."""
    place = _facts_folder() / f"{checked.host}-{checked.version}.yaml"
    try:
        place.write_text(as_file(checked))
    except OSError as error:
        raise UsageError(f"cannot write {place}: {error.strerror}; --write is for a checkout") from error
    return place.name
