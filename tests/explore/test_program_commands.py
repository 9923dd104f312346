"""Commands as people give them. Source: issue 4, item 7: one string, split as a shell splits words."""

import os
from pathlib import Path

import pytest

from harness.errors import UntestableError, UsageError
from harness.explore.program.commands import program, words_of


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "state").mkdir()
    (tmp_path / "run.sh").write_text("#!/bin/sh\n")
    return tmp_path


def made(here, **more):
    return program(**{"op": "sh run.sh op", "check": "true", "directory": here / "state", "folder": here, **more})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("app save", ("app", "save")),
        ("app 'a b' \"c d\"", ("app", "a b", "c d")),
        ("sh -c 'a > b; c'", ("sh", "-c", "a > b; c")),
        (r"app a\ b", ("app", "a b")),
    ],
)
def test_a_command_is_split_as_a_shell_splits_words(text, words):
    assert words == words_of(text, "--op")


@pytest.mark.parametrize("text", ["app 'a>b;c'", 'app "x|y"', r"app a\;b", "app a=b #c"])
def test_operators_of_a_shell_in_quotes_are_parts_of_words(text):
    assert "app" == words_of(text, "--op")[0]


def test_a_variable_before_the_command_is_a_usage_error_that_names_the_option_for_it():
    with pytest.raises(UsageError, match="--env"):
        words_of("LANG=C app", "--op")


@pytest.mark.parametrize(
    "text", ["", "  ", "''", "app 'x", "a | b", "a && b", "app > file", "a ; b", "app>file", "cd a; b"]
)
def test_what_is_no_command_is_a_usage_error_that_names_the_option(text):
    with pytest.raises(UsageError, match="--recover"):
        words_of(text, "--recover")


def test_what_needs_a_shell_is_told_how_to_get_one():
    with pytest.raises(UsageError, match="sh -c 'a > b'"):
        words_of("a > b", "--op")


def test_the_project_is_the_folder_where_it_holds_the_state(folder):
    assert str(folder) == made(folder).project


def test_the_project_is_the_state_where_the_folder_does_not_hold_it(folder, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    found = made(folder, directory=elsewhere)
    assert (str(elsewhere), str(folder)) == (found.project, found.folder)
    assert str(folder) in found.exposed


def test_links_are_followed_once_and_for_all(folder, tmp_path_factory):
    link = tmp_path_factory.mktemp("links") / "link"
    link.symlink_to(folder)
    found = made(folder, directory=link / "state", folder=link)
    assert (f"{folder}/state", str(folder)) == (found.directory, found.folder)


def test_a_script_that_lies_elsewhere_is_shown(folder, tmp_path_factory):
    script = tmp_path_factory.mktemp("scripts") / "check.sh"
    script.write_text("")
    assert str(script) in made(folder, check=f"sh {script}").exposed


def test_a_directory_that_is_not_there_is_a_usage_error(folder):
    with pytest.raises(UsageError, match=r"--dir .*missing is not a directory"):
        made(folder, directory=folder / "missing")


@pytest.mark.parametrize("place", [Path("/"), Path.home()])
def test_the_whole_machine_or_home_is_not_shown(folder, place):
    with pytest.raises(UsageError, match="would see all of"):
        made(folder, directory=place, folder=place)


@pytest.mark.parametrize("command", ["no-such-program-of-anyone", "./missing.sh", "./state"])
def test_a_command_that_does_not_exist_cannot_be_tested(folder, command):
    with pytest.raises(UntestableError, match="does not exist"):
        made(folder, check=command)


def test_a_script_that_is_not_executable_cannot_be_tested(folder):
    with pytest.raises(UntestableError, match=r"chmod \+x"):
        made(folder, check="./run.sh")


def test_variables_are_given_to_all_commands(folder):
    assert {"A": "1", "B": "x=y"} == made(folder, env=("A=1", "B=x=y")).env


@pytest.mark.parametrize("text", ["A", "=1", ""])
def test_what_is_no_variable_is_a_usage_error(folder, text):
    with pytest.raises(UsageError, match="NAME=VALUE"):
        made(folder, env=(text,))


def test_every_command_is_named(folder):
    found = made(folder, recover="true", rival="sh run.sh other")
    assert [("sh", "run.sh", "op"), ("true",), ("true",), ("sh", "run.sh", "other")] == list(found.every)
    assert os.path.isabs(found.project)
