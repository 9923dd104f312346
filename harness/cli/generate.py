"""``windtunnel generate``: write scenario files that each cover something new, or that keep failures from returning."""

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from harness.certify.events import RunStarted, ScenarioJudged
from harness.certify.plan import runs_for
from harness.certify.reach import Reach, reference
from harness.cli.certify import reached
from harness.core.finding import CheckVerdict
from harness.core.history import EntryType
from harness.core.scenario import Scenario, load
from harness.errors import FileFormatError, HarnessFault, UsageError, WindtunnelError
from harness.explore import folder, plain, regressions
from harness.explore.generate import Generated, Wish, generate
from harness.explore.pairs import Paired, paired
from harness.explore.playing import play
from harness.faults import catalogue
from harness.report.files import read_events
from harness.systems import registry
from harness.targets.session import Session
from harness.targets.slots import Slots
from harness.targets.target_file import closest

MOST = 10_000
COUNT = 20  # where nobody says how many
TOLD_OPEN = 5  # reasons for which pairs are in no file


@click.command("generate")
@click.option("--system", metavar="NAME", default="stop_gate", show_default=True, help="For which system.")
@click.option("--fault", "faults", multiple=True, metavar="NAME", help="Only this fault or family; repeatable.")
@click.option("--count", type=click.IntRange(1, MOST), help=f"How many scenarios; {COUNT}, or all there are of pairs.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Where chance begins.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="Where the files go.")
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
    found = registry.get(system)
    if run is not None:
        return _from_failures(found, run, out or Path("scenarios") / "regressions" / found.name, kind)
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
        _write(found, out, made, kind, as_files=as_files, old=_of_profiles(old, profiles))
    for name, its in made.items():
        if isinstance(its, Paired):
            _tell_pairs(name, its)
        else:
            _tell(name, shares[name] or 0, its, faults)
    red = [scenario for each in made.values() for scenario in each.red]
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
) -> None:
    chosen = [scenario for each in made.values() for scenario in each.chosen]
    if as_files:
        chosen = [found for scenario in chosen if (found := plain.rendered(scenario, system)) is not None]
    folder.write(out, chosen, kind, old)
    red = [scenario for each in made.values() for scenario in each.red]
    aside = out / folder.RED
    if red or aside.is_dir():
        aside.mkdir(exist_ok=True)
        folder.write(aside, red, "yaml", sorted(aside.glob("*.yaml")))
        if not any(aside.iterdir()):
            aside.rmdir()


def _of_profiles(old: Sequence[Path], profiles: Sequence[str]) -> list[Path]:
    return [path for path in old if load(path.read_bytes(), where=path.name).profile in profiles]


def _tell(profile: str, count: int, made: Generated, asked: tuple[str, ...]) -> None:
    click.echo(f"{profile}: {len(made.chosen)} of {count} scenarios, chosen from {made.tried} candidates")
    if len(made.chosen) < count:
        why = ["no further candidate covered anything new"] if made.tried else ["no fault of these strikes anything"]
        if made.unsteady:
            why.append(f"{made.unsteady} did not end twice the same")
        click.echo(f"  fewer than asked for: {'; '.join(why)}")
    for name, reason in made.refused.items():
        if asked or not reason.startswith("nothing for it"):
            click.echo(f"  {name} is in none of them: {reason}")


def _tell_pairs(profile: str, made: Paired) -> None:
    click.echo(f"{profile}: {len(made.chosen)} scenarios of {made.needed} that would hold every pair")
    click.echo(
        f"  {made.met:,} of {made.pairs:,} pairs of faults stood against one operation; {made.exclusive:,} strike one "
        f"place and cannot stand at once; {len(made.open):,} are left open"
    )
    reasons = Counter(made.open.values())
    for reason, count in reasons.most_common(TOLD_OPEN):
        first = next(pair for pair, why in made.open.items() if why == reason)
        click.echo(f"  open: {count:,} {reason}; the first is {' and '.join(sorted(first))}")
    if len(reasons) > TOLD_OPEN:
        click.echo(f"  ... and {sum(count for _, count in reasons.most_common()[TOLD_OPEN:]):,} for other reasons")
    if made.left_out:
        click.echo(
            f"  in no pair, for want of a place or of an end that is always the same: {', '.join(made.left_out)}"
        )
    if made.unsteady:
        click.echo(f"  {made.unsteady} did not end twice the same")


def _from_failures(system: registry.System, run: Path, out: Path, kind: folder.Format) -> int:
    events = [event for event in read_events(run) if isinstance(event, RunStarted | ScenarioJudged)]
    started = events[0]
    judged = [event for event in events if isinstance(event, ScenarioJudged) and event.scenario.system == system.name]
    failures = regressions.smallest(
        regressions.failed((event.scenario, event.findings, _waited(event)) for event in judged)
    )
    if not failures:
        click.echo(f"no failure of {system.name} in {run}: nothing to write")
        return 0
    reaches = _still_reached(started.replay if isinstance(started, RunStarted) else "", system)
    with _folder(out):
        out.mkdir(parents=True, exist_ok=True)
        known = _known_shapes(out)
        written = 0
        for failure in failures:
            scenario = _regression(system, failure, reaches)
            key = regressions.shape(failure.clause, scenario)
            if key in known:
                continue
            known.add(key)
            (path,) = folder.write(out, [scenario], kind)
            click.echo(f"{path}  {scenario.title}")
            written += 1
    click.echo(f"{written} written; {len(failures) - written} were known already")
    return 0


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
        click.echo(f"the target cannot be reached, so nothing is made smaller: {error}", err=True)
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
        click.echo(f"{failure.scenario.id} is kept as it is: {error}", err=True)
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
