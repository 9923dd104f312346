"""``windtunnel generate``: write scenario files that each cover something new, or that keep failures from returning."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from harness.certify.events import RunStarted, ScenarioJudged
from harness.certify.plan import runs_for
from harness.certify.reach import Reach, reference
from harness.cli.certify import reached
from harness.cli.generated import as_data, lines
from harness.cli.named_system import named_system
from harness.cli.options import FOLDER
from harness.cli.replayed import of_scenario
from harness.core.finding import CheckVerdict
from harness.core.history import EntryType
from harness.core.scenario import Scenario, load
from harness.errors import FileFormatError, HarnessFault, UsageError, WindtunnelError
from harness.explore import folder, plain, regressions
from harness.explore.generate import Generated, Wish, generate
from harness.explore.pairs import Paired, paired
from harness.explore.playing import play
from harness.faults import catalogue
from harness.report.files import laid_out, read_events
from harness.report.text import as_line
from harness.systems import registry
from harness.targets.session import Session
from harness.targets.slots import Slots
from harness.targets.target_file import closest

MOST = 10_000
COUNT = 20  # where nobody says how many


@click.command("generate")
@click.option("--system", metavar="NAME", default="stop_gate", show_default=True, help="For which system.")
@click.option("--fault", "faults", multiple=True, metavar="NAME", help="Only this fault or family; repeatable.")
@click.option("--count", type=click.IntRange(1, MOST), help=f"How many scenarios; {COUNT}, or all there are of pairs.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Where chance begins.")
@click.option("--out", type=FOLDER, metavar="DIR", help="Where the files go.")
@click.option("--profile", metavar="NAME", help="Only for this profile; otherwise an equal share for each.")
@click.option("--format", "kind", type=click.Choice(["yaml", "json"]), default="yaml", show_default=True)
@click.option("--plain", "as_files", is_flag=True, help="Faults as files of the world, for readers of your own.")
@click.option("--pairs", is_flag=True, help="Each two faults in one world at least once, in few files.")
@click.option("--force", is_flag=True, help="Write into a folder that holds other files too.")
@click.option(
    "--from-failures",
    "run",
    type=click.Path(path_type=Path),
    metavar="RUN_DIR",
    help="A regression for each failure of that run instead.",
)
@click.option("--json", "as_json", is_flag=True, help="As JSON, one document.")
def command(  # noqa: PLR0913, PLR0917 - one parameter an option, as click wants it
    system: str,
    faults: tuple[str, ...],
    count: int | None,
    seed: int,
    out: Path | None,
    profile: str | None,
    kind: folder.Format,
    as_files: bool,
    pairs: bool,
    force: bool,
    run: Path | None,
    as_json: bool,
) -> int:
    """Write scenarios that each cover what no other does: a clause, under a fault, by an operation, in a state.

    \b
    windtunnel generate --count 40 --seed 1 --out found
    windtunnel generate --fault jsonl --fault filesystem.fifo --profile stop_hook --out found
    windtunnel generate --profile stop_hook --plain --format json --out for-my-own-reader
    windtunnel generate --pairs --profile stop_hook --out pairs
    windtunnel generate --from-failures windtunnel-report

    The same arguments give the same files. Each is played against the reference first; one it fails goes to
    DIR/red, and the exit code is 3: that is a defect of ours.
    """
    found = named_system(system)
    if run is not None:
        return _from_failures(found, run, out or Path("scenarios") / "regressions" / found.name, kind, as_json=as_json)
    if out is None:
        raise UsageError("say where the scenarios go, with --out DIR")
    if pairs and as_files:
        raise UsageError("--pairs and --plain go apart: hardly two faults that are files can stand at once")
    profiles = _profiles(found, profile)
    names = _faults(faults)
    reaches = {reach.profile: reach for reach in reference(found, timeout_scale=1.0)}
    shares = _shares(profiles, count, COUNT if not pairs else None)
    with _folder(out):
        old = folder.require_ours(out, force=force)
        made: dict[str, Generated | Paired] = {}
        for name, share in shares.items():
            wish = Wish(name, names, share or 0, seed, calm=not faults, plain=as_files)
            with _opened(reaches[name]) as session:
                made[name] = paired(found, session, wish, share) if pairs else generate(found, session, wish)
        paths = _write(found, out, made, kind, as_files=as_files, old=_of_profiles(old, profiles))
    red = [scenario for each in made.values() for scenario in each.red]
    if as_json:
        told = {name: as_data(its, shares[name], faults) for name, its in made.items()}
        code = HarnessFault.exit_code if red else 0
        click.echo(
            laid_out({"exit_code": code, "system": system, "seed": seed, **_files(out, paths), "profiles": told})
        )
    else:
        for name, its in made.items():
            for line in lines(name, its, shares[name], faults):
                click.echo(line)
    if red:
        many = f"{len(red)} scenario{'s' if len(red) > 1 else ''}"
        raise HarnessFault(f"the reference itself fails in {many}, kept in {out / folder.RED}; please report that")
    return 0


def _shares(profiles: Sequence[str], count: int | None, otherwise: int | None) -> dict[str, int | None]:
    """How many scenarios of each profile; None for as many as there are."""
    wanted = count if count is not None else otherwise
    if wanted is None:
        return dict.fromkeys(profiles)
    shares = {each: wanted // len(profiles) + (n < wanted % len(profiles)) for n, each in enumerate(profiles)}
    return {each: share for each, share in shares.items() if share}


def _profiles(system: registry.System, asked: str | None) -> tuple[str, ...]:
    known: tuple[str, ...] = tuple(system.contract.PROFILES)
    if asked is None:
        return known
    if asked not in known:
        raise UsageError(f"{system.name} has no profile {asked!r}; it has: {', '.join(known)}")
    return (asked,)


def _faults(asked: tuple[str, ...]) -> tuple[str, ...]:
    """Every fault that these names, of faults or families, stand for; all without any."""
    known = [kind.name for kind in catalogue.EVERY]
    families = list(dict.fromkeys(name.partition(".")[0] for name in known))
    for word in asked:
        if word not in known and word not in families:
            near = closest(word, known + families)
            hint = f"did you mean {near!r}?" if near else "`windtunnel list faults` names them"
            raise UsageError(f"there is no fault {word!r}; {hint}")
    if not asked:
        return tuple(known)
    return tuple(name for name in known if name in asked or name.partition(".")[0] in asked)


@contextmanager
def _folder(out: Path) -> Iterator[None]:
    """Leaves no empty folder behind that was not there, when the work comes to nothing."""
    existed = out.exists()
    try:
        yield
    except BaseException:
        if not existed and out.is_dir() and not any(out.iterdir()):
            out.rmdir()
        raise


@contextmanager
def _opened(reach: Reach) -> Iterator[Session]:
    slots = Slots(1)
    with slots.held(), reach.open(slots) as session:
        if not session.contained():
            click.echo("windtunnel: this machine refuses namespaces; faults that need one are left out", err=True)
        yield session


def _write(
    system: registry.System,
    out: Path,
    made: Mapping[str, Generated | Paired],
    kind: folder.Format,
    *,
    as_files: bool,
    old: Sequence[Path],
) -> list[Path]:
    """Writes what was chosen, and beside it what the reference fails; the files of the first."""
    chosen = [scenario for each in made.values() for scenario in each.chosen]
    if as_files:
        chosen = [found for scenario in chosen if (found := plain.rendered(scenario, system)) is not None]
    paths = folder.write(out, chosen, kind, old)
    red = [scenario for each in made.values() for scenario in each.red]
    aside = out / folder.RED
    if red or aside.is_dir():
        aside.mkdir(exist_ok=True)
        folder.write(aside, red, "yaml", sorted(aside.glob("*.yaml")))
        if not any(aside.iterdir()):
            aside.rmdir()
    return paths


def _files(out: Path, paths: Sequence[Path]) -> dict[str, Any]:
    return {"folder": str(out), "files": [str(path) for path in paths]}


def _of_profiles(old: Sequence[Path], profiles: Sequence[str]) -> list[Path]:
    return [path for path in old if load(path.read_bytes(), where=path.name).profile in profiles]


def _from_failures(system: registry.System, run: Path, out: Path, kind: folder.Format, *, as_json: bool) -> int:
    events = [event for event in read_events(run) if isinstance(event, RunStarted | ScenarioJudged)]
    started = events[0]
    judged = [event for event in events if isinstance(event, ScenarioJudged) and event.scenario.system == system.name]
    failures = regressions.smallest(
        regressions.failed((event.scenario, event.findings, _waited(event)) for event in judged)
    )
    rows: list[dict[str, Any]] = []
    if failures:
        reaches = _still_reached(started.replay if isinstance(started, RunStarted) else "", system)
        rows = _kept(system, failures, reaches, out, kind, as_json=as_json)
    known = len(failures) - len(rows)
    if as_json:
        paths = [Path(row["file"]) for row in rows]
        told = {"exit_code": 0, "system": system.name, "run": str(run), **_files(out, paths)}
        click.echo(laid_out({**told, "scenarios": rows, "known": known}))
    elif failures:
        click.echo(f"{len(rows)} written; {known} were known already")
    else:
        click.echo(f"no failure of {system.name} in {run}: nothing to write")
    return 0


def _kept(
    system: registry.System,
    failures: Sequence[regressions.Failed],
    reaches: Sequence[Reach],
    out: Path,
    kind: folder.Format,
    *,
    as_json: bool,
) -> list[dict[str, Any]]:
    """Writes a regression for each failure whose shape is not there yet; what was written."""
    rows: list[dict[str, Any]] = []
    with _folder(out):
        out.mkdir(parents=True, exist_ok=True)
        known = _known_shapes(out)
        for failure in failures:
            scenario = _regression(system, failure, reaches)
            key = regressions.shape(failure.clause, scenario)
            if key in known:
                continue
            known.add(key)
            (path,) = folder.write(out, [scenario], kind)
            rows.append({"file": str(path), **of_scenario(scenario)})
            if not as_json:
                click.echo(as_line(f"{path}  {scenario.title}"))
    return rows


def _still_reached(replay: str, system: registry.System) -> tuple[Reach, ...]:
    """The ways to the run's target, as its replay command names it; none when it is gone."""
    words = shlex.split(replay)
    flag = words[0] if words and words[0].startswith("--") else ""
    rest = tuple(words[2:] if flag in ("--hook", "--stdio") else () if flag else words)
    try:
        return reached(
            rest,
            hook=flag == "--hook",
            stdio=flag == "--stdio",
            python=words[1] if flag == "--python" else None,
            systems=(system,),
            scale=1.0,
        )[2]
    except WindtunnelError as error:
        click.echo(as_line(f"the target cannot be reached, so nothing is made smaller: {error}"), err=True)
        return ()


def _regression(system: registry.System, failure: regressions.Failed, reaches: Sequence[Reach]) -> Scenario:
    fitting = [reach for reach in reaches if runs_for(failure.scenario, reach)]
    if not fitting:
        return regressions.regression(failure, None)
    try:
        with _opened(fitting[0]) as session:

            def fails(scenario: Scenario) -> bool:
                history = play(scenario, session, system.inputs_of)
                findings = system.judge(scenario, history, system.catalogue)
                return any(f.clause == failure.clause and f.verdict is CheckVerdict.FAIL for f in findings)

            return regressions.regression(failure, fails)
    except WindtunnelError as error:
        click.echo(as_line(f"{failure.scenario.id} is kept as it is: {error}"), err=True)
        return regressions.regression(failure, None)


def _known_shapes(out: Path) -> set[tuple[str, ...]]:
    found: set[tuple[str, ...]] = set()
    for path in out.iterdir():
        if path.suffix in folder.ENDINGS and path.is_file():
            try:
                scenario = load(path.read_bytes(), where=path.name)
            except FileFormatError:
                continue
            found |= {regressions.shape(clause, scenario) for clause in scenario.clauses}
    return found


def _waited(event: ScenarioJudged) -> bool:
    """Was a time-out waited for in this run?"""
    return any(entry.type is EntryType.INFO or entry.value.get("timed_out") is True for entry in event.history)
