"""``windtunnel explain``: one clause, or one code of a message, in full."""

import importlib
import json
from typing import Any

import click

from harness import messages
from harness.errors import UsageError


@click.command("explain")
@click.argument("word", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="As JSON, one document.")
def command(word: str, as_json: bool) -> int:
    """Say what a clause requires and how it is tested, or what the code of an error means and what to do.

    \b
    windtunnel explain SH-03
    windtunnel explain WT-U09
    """
    code = word.strip("[]").upper()  # a code is printed in brackets
    if code in messages.families():
        family = messages.families()[code]
        click.echo(_laid_out(of_family(family)) if as_json else explained(family))
    elif code.startswith(messages.PREFIX):
        raise UsageError(f"there is no message {word!r}; {_hint(code)}")
    else:  # the systems are loaded for a clause only: a code has to be told at once
        clause = importlib.import_module("harness.cli.explained_clause")
        click.echo(_laid_out(clause.facts(word)) if as_json else clause.explained(word))
    return 0


def _hint(code: str) -> str:
    kind, number = code[: len(messages.PREFIX) + 1], code[len(messages.PREFIX) + 1 :]
    meant = f"{kind}{number.zfill(2)}"
    if meant in messages.families():
        return f"did you mean {meant}?"
    like = [each for each in messages.families() if each.startswith(kind) and kind != messages.PREFIX]
    return f"there are: {like[0]} to {like[-1]}" if like else "docs/messages.md has them all"


def of_family(family: messages.Family) -> dict[str, Any]:
    """What the catalogue has of a family, as builtins."""
    kind = {"exit_code": family.kind.exit_code, "kind": family.kind.title}
    says = [messages.readable(template) for template in family.templates()]
    told = {"title": family.title, "cause": family.cause, "remedy": family.remedy, "says": says}
    return {"code": family.code, **kind, **told}


def _laid_out(value: dict[str, Any]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def explained(family: messages.Family) -> str:
    """All that the catalogue has of a family, in lines."""
    lines = [f"{family.code}  exit {family.kind.exit_code}  {family.kind.title}", "", family.title, ""]
    lines += [f"cause    {family.cause}", f"remedy   {family.remedy}"]
    lines += [f"says     {messages.readable(template)}" for template in family.templates()]
    return "\n".join(lines)
