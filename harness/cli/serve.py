"""``windtunnel serve``: run the reference, a mutant of it or Python code as an implementation over stdio."""

import sys

import click

from harness.cli.named_system import named_system
from harness.errors import UsageError
from harness.targets.serve import ServedFactory, ServedReference, serve


@click.command("serve")
@click.option("--system", metavar="NAME", default="stop_gate", show_default=True)
@click.option("--mutant", metavar="NAME", help="The reference with one thing wrong.")
@click.option("--python", metavar="PKG.MOD:FACTORY", help="Somebody's Python code instead of the reference.")
@click.option("--as-hook", is_flag=True, help="Be one call of the (mutant) reference hook instead.")
def command(system: str, mutant: str | None, python: str | None, as_hook: bool) -> int:
    """Speak windtunnel's protocol on standard input and output until `shutdown`."""
    found = named_system(system)
    if mutant is not None and mutant not in (*found.mutants.MUTANTS, getattr(found.mutants, "EVERY_L2", None)):
        raise UsageError(f"{system} has no mutant {mutant!r}; `windtunnel qualify` lists them")
    if as_hook:
        if mutant is None:
            raise UsageError("--as-hook needs --mutant; the reference hook itself is the command windtunnel-stop-hook")
        return int(found.mutants.mutant_hook(mutant).main())
    if python is not None:
        sys.path.insert(0, "")
        serve(found, ServedFactory(python), python, "unversioned")
    else:
        serve(found, ServedReference(found, mutant), mutant or "reference")
    return 0
