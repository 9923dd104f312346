"""The command `windtunnel`: one module a command, each loaded when it is called."""

import errno
import importlib
import os
import sys
import traceback
from collections.abc import Mapping
from difflib import get_close_matches
from typing import NamedTuple

import click

from harness import __version__
from harness.errors import HarnessFault, UsageError, WindtunnelError

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)  # the person's disk, not our defect


class _Command(NamedTuple):
    """Where a command is, and its first sentence, so that the list of all of them imports none."""

    module: str
    says: str


COMMANDS: Mapping[str, _Command] = {
    "demo": _Command(
        "harness.cli.demo",
        "Ten seconds of windtunnel: the reference, three broken hooks, and a program that loses its state.",
    ),
    "certify": _Command(
        "harness.cli.certify",
        "Certify TARGET: `reference`, a target file, or a command given after --hook -- or --stdio --.",
    ),
    "replay": _Command("harness.cli.replay", "Play WHAT against TARGET (default: the reference)."),
    "explore": _Command(
        "harness.cli.explore", "Enumerate what can befall --op, and let --check judge every state that is left."
    ),
    "simulate": _Command(
        "harness.cli.simulate",
        "Let agents work for days, in seconds, and check the order in which the safety parts fire.",
    ),
    "campaign": _Command(
        "harness.cli.campaign", "Play many simulations, and demand that together they have seen what has to be seen."
    ),
    "agent-run": _Command(
        "harness.cli.agent_run", "Run the phases of PLAN, a YAML file of shell commands, under all the safety parts."
    ),
    "generate": _Command(
        "harness.cli.generate",
        "Write scenarios that each cover what no other does: a clause, under a fault, by an operation, in a state.",
    ),
    "list": _Command(
        "harness.cli.listing",
        "List clauses, systems, faults or scenarios; or the coverage: each clause under each fault at each level.",
    ),
    "explain": _Command(
        "harness.cli.explain",
        "Say what a clause requires and how it is tested, or what the code of an error means and what to do.",
    ),
    "host": _Command(
        "harness.cli.host",
        "Run real coding agents, offline and with a scripted model, to see what they do with a Stop hook.",
    ),
    "doctor": _Command("harness.cli.doctor", "Say what this machine can contain and inject."),
    "qualify": _Command(
        "harness.cli.qualify",
        "Run what is wrong on purpose through the path of any implementation; exit 3 when something goes unnoticed.",
    ),
    "serve": _Command(
        "harness.cli.serve", "Speak windtunnel's protocol on standard input and output until `shutdown`."
    ),
    "adapter": _Command(
        "harness.cli.adapter", "Write an adapter: what stands between windtunnel and an implementation in any language."
    ),
    "report": _Command(
        "harness.cli.report", "Write reports of a stored run into its directory, from its events.jsonl alone."
    ),
    "verify": _Command(
        "harness.cli.verify",
        "Check a certificate offline, step by step: its form, its digests and counts, and its histories judged again.",
    ),
    "sign": _Command(
        "harness.cli.sign",
        "Sign a certificate: certificate.dsse.json beside it, a DSSE envelope that others check with your public key.",
    ),
    "diff": _Command(
        "harness.cli.diff",
        "Compare two certificates, or two reports: clauses and levels gained and lost, and what has moved.",
    ),
}

READER_GONE = 141  # what a shell reports of a program that SIGPIPE ended


class _Commands(click.Group):
    """Loads a command's module only when that command is asked for, and guesses what a misspelt one meant."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.says) for name, command in COMMANDS.items()])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(COMMANDS[cmd_name].module).command
        assert isinstance(command, click.Command)  # noqa: S101 - narrows for the type checker
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            near = get_close_matches(name, COMMANDS, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else f"; there are: {', '.join(COMMANDS)}"
            raise click.UsageError(f"there is no command {name!r}{hint}", ctx)
        return super().resolve_command(ctx, args)


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="windtunnel")
def group() -> None:
    """Find out, clause by clause, how a coding agent's safety parts behave when things go wrong.

    \b
    windtunnel certify reference
    windtunnel certify --hook -- python3 my_stop_hook.py
    windtunnel certify path/to/target.yaml --report out
    """


def main(arguments: list[str] | None = None) -> int:  # noqa: PLR0911 - one return a way to end
    """Runs one command line and gives its exit code; every expected error is one sentence on standard error."""
    try:
        # not group.main: it ends with 1 when the reader of our output is gone, and 1 is a verdict
        with group.make_context("windtunnel", sys.argv[1:] if arguments is None else arguments) as context:
            result = group.invoke(context)
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.ClickException as error:
        _show(error)
        return error.exit_code
    except (click.Abort, KeyboardInterrupt) as error:
        # no code: it is no error, and whoever did it knows what to do
        click.echo(f"windtunnel: interrupted {error}".rstrip(), err=True)
        return 130
    except WindtunnelError as error:
        _tell(str(error), type(error))
        return error.exit_code
    except BrokenPipeError:
        return _reader_gone()
    except SystemExit as error:
        if isinstance(error.__context__, BrokenPipeError):  # rich ends so
            return _reader_gone()
        raise
    except OSError as error:
        if error.errno not in FULL:
            return _our_defect()
        where = error.filename or "the report or the output"
        hint = "make room, or choose another place with --report"
        _tell(f"cannot write {where}: {error.strerror}; {hint}", UsageError)
        return UsageError.exit_code
    except Exception:  # noqa: BLE001 - a defect of ours must not look like exit 1, which is a verdict
        return _our_defect()
    return result if isinstance(result, int) else 0


def _our_defect() -> int:
    traceback.print_exc()
    _tell("this is a defect of windtunnel, not of what it was testing; please report it", HarnessFault)
    return HarnessFault.exit_code


def _tell(sentence: str, error: type[WindtunnelError]) -> None:
    text = importlib.import_module("harness.report.text")  # costs time, and most commands err not
    click.echo(f"windtunnel: {text.as_line(_with_code(sentence, error))}", err=True)


def _show(error: click.ClickException) -> None:
    if type(error).__name__ == "NoArgsIsHelpError":  # click 8.2 and later: no mistake is told, but the help
        error.show()
    else:
        context = error.ctx if isinstance(error, click.UsageError) else None
        click.UsageError(_with_code(error.format_message(), click.ClickException), context).show()


def _with_code(sentence: str, error: type[WindtunnelError | click.ClickException]) -> str:
    """The sentence and the code that ``explain`` knows, where there is one."""
    try:
        told: str = importlib.import_module("harness.messages").with_code(sentence, error)
    except Exception:  # noqa: BLE001 - an error is told even where the catalogue of errors cannot be read
        return sentence
    return told


def _reader_gone() -> int:
    # nobody is left to tell, and what Python still holds back for its end must not fail once more
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return READER_GONE
