"""``windtunnel doctor``: what this machine can and cannot inject, and how to get the rest."""

import platform
import shutil

import click
import msgspec

from harness import __version__
from harness.errors import MachineError
from harness.faults import survey
from harness.sandbox.probe import probe

# tools that later tests and levels use, with what each is for and how Debian names it
TOOLS = {
    "node": ("run Stop hooks written for node", "nodejs"),
    "bash": ("run Stop hooks written in bash", "bash"),
    "unshare": ("contain what is under test", "util-linux"),
    "bwrap": ("contain it where unshare is refused", "bubblewrap"),
    "strace": ("slow the disk of other processes, and a second opinion on injected errors", "strace"),
    "faketime": ("move the clock of other processes", "faketime"),
}


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def command(as_json: bool) -> int:
    """Say what this machine can contain and inject. Exit 0 when everything level L2 needs is there, 4 when not."""
    facts = probe()
    families = _families()
    ready = bool(facts.namespaces) and not any(fact.refused or fact.unproven for fact in families)
    tools = {name: shutil.which(name) is not None for name in TOOLS}
    if as_json:
        content = {
            "windtunnel": __version__,
            "machine": msgspec.to_builtins(facts),
            "tools": tools,
            "faults": msgspec.to_builtins(families),
        }
        click.echo(msgspec.json.format(msgspec.json.encode(content), indent=2).decode())
        return 0 if ready else 4
    click.echo(
        f"windtunnel {__version__} on Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    )
    for way in facts.ways:
        click.echo(
            f"{'ok ' if not way.refused else 'no '} sandbox by {way.name}{f': {way.refused}' if way.refused else ''}"
        )
    yes = "ok " if facts.namespaces else "no "
    click.echo(f"{yes} full and read-only disks (real tmpfs and bind mounts)")
    click.echo(f"{'ok ' if facts.overlay else 'no '} the project as an overlay (else a copy)")
    for fact in families:
        _tell(fact)
    for name, (purpose, package) in TOOLS.items():
        hint = "" if tools[name] else f" - on Debian: apt-get install {package}"
        click.echo(f"{'ok ' if tools[name] else 'no '} {name}: {purpose}{hint}")
    for sentence in facts.advice:
        click.echo(f"advice: {sentence}")
    click.echo("untested here: other kernels than Linux, other machines than x86_64")
    return 0 if ready else 4


def _families() -> tuple[survey.FamilyFact, ...]:
    try:
        return survey.families()
    except MachineError:
        return ()  # no sandbox at all, which the ways to one have said


def _tell(fact: survey.FamilyFact) -> None:
    here = fact.faults - len(fact.refused) - len(fact.unproven)
    click.echo(f"{'ok ' if here == fact.faults else 'no '} faults {fact.family}: {here} of {fact.faults}")
    for reason, names in fact.reasons().items():
        click.echo(f"    {', '.join(names)}: {reason}")
    if fact.unproven:
        unproven = ", ".join(name.partition(".")[2] for name in fact.unproven)
        click.echo(f"    {unproven}: armed, but nothing was met that proves it")
