"""What an error's code means, asked of the command line. Source: issue 13, 3."""

import json
import subprocess
import sys

import click
import pytest

from harness import messages
from harness.errors import HarnessFault, MachineError, NothingRanError
from harness.messages import KINDS, PREFIX


@pytest.mark.parametrize("letter", KINDS)
def test_a_code_of_each_kind_is_explained(windtunnel, snapshot, letter):
    ran = windtunnel("explain", f"{PREFIX}{letter}01")
    assert (0, "") == (ran.code, ran.err)
    assert snapshot == ran.out


@pytest.mark.parametrize("family", messages.families().values(), ids=lambda family: family.code)
def test_every_code_is_explained_with_its_cause_its_remedy_and_its_exit_code(windtunnel, family):
    ran = windtunnel("explain", family.code)
    assert (0, "") == (ran.code, ran.err)
    assert {f"cause    {family.cause}", f"remedy   {family.remedy}"} <= set(ran.out.splitlines())
    assert ran.out.startswith(f"{family.code}  exit {family.kind.exit_code}  ")


@pytest.mark.parametrize("word", ["wt-u09", "[WT-U09]", "[wt-u09]"])
def test_a_code_is_taken_as_it_is_printed_and_in_any_case(windtunnel, word):
    assert windtunnel("explain", "WT-U09") == windtunnel("explain", word)


def test_no_system_is_loaded_for_a_code():
    told = "import sys, harness.cli; harness.cli.main(['explain', 'WT-U09']); print(any('systems' in n for n in sys.modules))"
    ran = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert "False" == ran.stdout.splitlines()[-1]


def test_the_catalogue_is_not_loaded_where_nothing_goes_wrong():
    told = "import sys, harness.cli; harness.cli.main(['--version']); print('harness.messages' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert "False" == ran.stdout.splitlines()[-1]


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (MachineError("interrupted before it began"), 4, "windtunnel: interrupted before it began [WT-M14]\n"),
        (MachineError("nobody knows this"), 4, "windtunnel: nobody knows this\n"),
        (HarnessFault("nobody knows this"), 3, "windtunnel: nobody knows this [WT-H01]\n"),
        (NothingRanError("{} was not met"), 5, "windtunnel: {} was not met\n"),
        (OSError(28, "No space left", "r.md"), 2, "windtunnel: cannot write r.md: No space left; make room, or choose another place with --report [WT-U12]\n"),
        (click.ClickException("whatever"), 1, "Error: whatever [WT-C05]\n"),
    ],
)  # fmt: skip
def test_an_error_ends_with_its_code_and_the_exit_code_is_its_own(windtunnel, monkeypatch, error, code, said):
    def broken():
        raise error

    monkeypatch.setattr("harness.cli.doctor.probe", broken)
    assert (code, "", said) == windtunnel("doctor")


def test_an_error_is_told_where_the_catalogue_cannot_be_read(windtunnel, monkeypatch):
    def unreadable():
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(messages, "families", unreadable)
    ran = windtunnel("list", "clauses", "--system", "gate")
    assert (2, "", True) == (ran.code, ran.out, ran.err.startswith("windtunnel: there is no system 'gate'; "))
    assert "[" not in ran.err


def test_without_a_command_the_help_is_told_without_a_code(windtunnel):
    ran = windtunnel()
    assert "Usage: windtunnel" in ran.out + ran.err
    assert "[WT-" not in ran.out + ran.err


def test_a_code_is_told_as_json_too(windtunnel):
    told = json.loads(windtunnel("explain", "wt-u09", "--json").out)
    family = messages.families()["WT-U09"]
    assert (family.cause, family.remedy, 2) == (told["cause"], told["remedy"], told["exit_code"])
    assert len(list(family.templates())) == len(told["says"])


def test_a_clause_is_told_as_json_too(windtunnel):
    told = json.loads(windtunnel("explain", "LK-RL-01", "--json").out)
    assert ("rate_limit", "LK-RL-01", "MUST") == (told["system"], told["id"], told["level"])
    assert told["statement"] in windtunnel("explain", "LK-RL-01").out
    assert told["scenarios"]
    assert told["mutants"]
