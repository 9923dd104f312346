"""``windtunnel qualify --planted``: hunts defects that no system shows alone, by simulations."""

from pathlib import Path
from statistics import median

import msgspec
from rich.console import Console
from rich.table import Table

from harness.errors import UsageError
from harness.qualify.planted import MOST_INCIDENTS, PLANTED, Hunted, Planted, hunt_all
from harness.report.files import laid_out, write_whole
from harness.simulation.rules import RULES
from harness.targets.target_file import closest

FILE = "planted.json"


def hunted(names: tuple[str, ...], share: int, seed: int, jobs: int, directory: Path | None) -> int:
    """Hunts them; 3 when one is not found, or is not shrunk to a few incidents."""
    wanted = _wanted(names)[seed % share :: share]
    if not wanted:
        raise UsageError(f"no planted defect is in slice {seed % share} of {share}; make --one-in smaller")
    console = Console()
    found: list[Hunted] = []
    for each in hunt_all(wanted, jobs, seed):
        found.append(each)
        if not each.is_small:
            name = f"{each.planted.system}/{each.planted.mutant}"
            why = f"shrunk to more than {MOST_INCIDENTS} incidents" if each.shrunk else f"not found in {each.runs} runs"
            console.print(f"[bold red]survived[/] {name}: {why}", soft_wrap=True)
    console.print(_table(found))
    small = sum(each.is_small for each in found)
    console.print(
        f"{small} of {len(found)} planted defects found and shrunk to {MOST_INCIDENTS} incidents at most; "
        f"median {median(each.cpu_s for each in found):.1f} s of processor time to find one, "
        f"{median(each.cpu_s + each.shrinking_s for each in found):.1f} s with shrinking"
    )
    if directory is not None:
        _write(found, directory)
    return 0 if small == len(found) else 3


def _wanted(names: tuple[str, ...]) -> tuple[Planted, ...]:
    known = {f"{planted.system}/{planted.mutant}": planted for planted in PLANTED}
    for name in names:
        if name not in known:
            near = closest(name, list(known))
            hint = f"did you mean {near!r}?" if near else f"there are {', '.join(known)}"
            raise UsageError(f"no defect {name!r} is planted; {hint}")
    return tuple(known[name] for name in names) or PLANTED


def _table(found: list[Hunted]) -> Table:
    table = Table("planted", "rule", "runs", "incidents", "events", "seconds", show_edge=False, pad_edge=False)
    for each in found:
        incidents = str(len(each.shrunk.case.incidents)) if each.shrunk else "-"
        events = str(each.shrunk.event) if each.shrunk else "-"
        name = f"{each.planted.system}/{each.planted.mutant}"
        table.add_row(
            name, each.rule or "survived", str(each.runs), incidents, events, f"{each.cpu_s + each.shrinking_s:.1f}"
        )
    return table


def _write(found: list[Hunted], directory: Path) -> None:
    content = [
        {
            "system": each.planted.system,
            "mutant": each.planted.mutant,
            "description": each.planted.description,
            "rule": each.rule,
            "says": RULES[each.rule].says if each.rule else "",
            "runs": each.runs,
            "event": each.shrunk.event if each.shrunk else None,
            "agents": each.shrunk.case.plan.agents if each.shrunk else None,
            "incidents": msgspec.to_builtins(each.shrunk.case.incidents) if each.shrunk else None,
        }
        for each in found
    ]
    try:
        directory.mkdir(parents=True, exist_ok=True)
        write_whole(directory / FILE, laid_out({"format": 1, "planted": content}))
    except OSError as error:
        raise UsageError(f"cannot write {directory}/{FILE}: {error.strerror}; choose another --report") from error
