"""The command `windtunnel`: one module a command, each loaded when it is called."""

import errno
import importlib
import os
import sys
import traceback
from collections.abc import Mapping
from difflib import get_close_matches

import click

from harness import __version__
from harness.errors import HarnessFault, UsageError, WindtunnelError

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)  # the person's disk, not our defect
COMMANDS: Mapping[str, str] = {
    "demo": "harness.cli.demo",
    "certify": "harness.cli.certify",
    "replay": "harness.cli.replay",
    "explore": "harness.cli.explore",
    "simulate": "harness.cli.simulate",
    "campaign": "harness.cli.campaign",
    "agent-run": "harness.cli.agent_run",
    "generate": "harness.cli.generate",
    "list": "harness.cli.listing",
    "explain": "harness.cli.explain",
    "host": "harness.cli.host",
    "doctor": "harness.cli.doctor",
    "qualify": "harness.cli.qualify",
    "serve": "harness.cli.serve",
    "adapter": "harness.cli.adapter",
    "report": "harness.cli.report",
    "verify": "harness.cli.verify",
    "sign": "harness.cli.sign",
    "diff": "harness.cli.diff",
}

READER_GONE = 141  # what a shell reports of a program that SIGPIPE ended


class _Commands(click.Group):
    """Loads a command's module only when that command is asked for, and guesses what a misspelt one meant."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(COMMANDS[cmd_name]).command
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
        error.show()
        return error.exit_code
    except click.Abort:
        return 130
    except KeyboardInterrupt:
        return 130
    except WindtunnelError as error:
        click.echo(f"windtunnel: {error}", err=True)
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
        click.echo(
            f"windtunnel: cannot write {error.filename or 'the report or the output'}: {error.strerror}; "
            "make room, or choose another place with --report",
            err=True,
        )
        return UsageError.exit_code
    except Exception:  # noqa: BLE001 - a defect of ours must not look like exit 1, which is a verdict
        return _our_defect()
    return result if isinstance(result, int) else 0


def _our_defect() -> int:
    traceback.print_exc()
    click.echo("windtunnel: this is a defect of windtunnel, not of what it was testing; please report it", err=True)
    return HarnessFault.exit_code


def _reader_gone() -> int:
    # nobody is left to tell, and what Python still holds back for its end must not fail once more
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return READER_GONE
