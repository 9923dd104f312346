"""From hooks that were found to targets: what is guessed, and what a command in a shell's text names."""

from pathlib import Path

import pytest

from harness.certify import discovery, reach
from harness.certify.reach import from_spec
from harness.core.discovered import FoundHook
from harness.errors import FileFormatError, UntestableError, UsageError
from harness.systems import registry
from harness.targets.hook import HookSession
from harness.targets.target_file import TargetFile, TargetSpec, load, parse

SYSTEM = registry.get("stop_gate")


def found(*command):
    return FoundHook("stop", command, " ".join(command), "settings.json: x", "claude-code", 5.0, ("it was said",))


def shell(folder, text):
    return TargetSpec(TargetFile(name="mine", carrier="hook", command=("sh", "-c", text)), str(folder))


@pytest.fixture
def project(tmp_path, monkeypatch):
    made = tmp_path / "project"
    (made / "hooks").mkdir(parents=True)
    (made / "hooks" / "stop.py").write_text("import sys\n")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(made)
    return made


@pytest.mark.parametrize(
    ("written", "place"),
    [
        ([], None),
        (["{home}/.cache/mine/a"], "{home}/.cache/mine"),
        (["{home}/.cache/mine/a", "{home}/.cache/mine/b/c"], "{home}/.cache/mine"),
        (["{home}/.claude/stop-count"], "{home}/.claude/stop-count"),
        (["{home}/.claude/stop-count", "{home}/.claude/stop-log"], None),
        (["{home}/.local/state/mine/x"], "{home}/.local/state/mine"),
        (["{home}/.local/state/a", "{home}/.local/state/b"], None),
        (["{tmp}/counter"], "{tmp}/counter"),
        (["{tmp}/counter", "{home}/.cache/mine/a"], None),
        (["{project}/.state/x", "{project}/.state/y"], None),
    ],
)
def test_the_own_place_of_a_hook_is_where_all_it_wrote_lies_unless_others_live_there(written, place):
    assert place == discovery.own_place(written)


def test_a_system_no_host_has_settings_for_is_told(monkeypatch, project):
    monkeypatch.setattr(registry.System, "discovery", None)
    with pytest.raises(UsageError, match="no host has settings for stop_gate; name a target"):
        discovery.discover(SYSTEM, project, Path.home(), {})


def test_where_nothing_contains_a_hook_it_is_not_tried(project, monkeypatch):
    monkeypatch.setattr(HookSession, "contained", lambda self: False)
    monkeypatch.setattr(HookSession, "perform", lambda *more: pytest.fail("it was run"))
    guess = discovery.tried(found("sh", "-c", "true"), project, SYSTEM, timeout_scale=1.0, unsafe=False)
    assert guess == discovery.stated(found("sh", "-c", "true"), project, SYSTEM)
    assert "it was said" == guess.said[0]


def test_a_hook_without_a_clear_place_is_told(project):
    text = "date > ~/.a; date > ~/.b"
    guess = discovery.tried(found("sh", "-c", text), project, SYSTEM, timeout_scale=1.0, unsafe=False)
    assert guess.spec.file.paths.runtime is None
    assert (
        "it wrote {home}/.a, {home}/.b, of which none is clearly a place of its own; state paths.runtime" in guess.said
    )


def test_what_is_written_is_a_target_file_with_the_guesses_as_comments(project):
    guess = discovery.stated(found("sh", "-c", 'python3 "{project}/hooks/stop.py"'), project, SYSTEM)
    text = discovery.target_text(guess, project / "hooks", {"approve": "a.jsonl", "block": "b.jsonl"})
    assert text.startswith("# it was said\n# samples.approve is ours")
    file = parse(text.encode(), "target.yaml")
    assert (guess.spec.file.command, "..", 5.0) == (file.command, file.folder, file.timeout_s)


# -- folder, of a target file


def test_the_folder_of_a_target_file_is_where_its_command_runs(project):
    (project / "ci").mkdir()
    target = project / "ci" / "target.yaml"
    target.write_text("name: mine\ncarrier: hook\ncommand: [python3, hooks/stop.py]\nfolder: ..\n")
    assert str(project) == load(target).folder


@pytest.mark.parametrize(
    ("folder", "sentence"),
    [
        ("nowhere", "is no directory"),
        ("target.yaml", "is no directory"),
        ("/", "would see all of /; name one below it"),
    ],
)
def test_a_folder_that_cannot_be_run_in_is_one_sentence(project, folder, sentence):
    (project / "target.yaml").write_text(f"name: mine\ncarrier: hook\ncommand: ['true']\nfolder: {folder}\n")
    with pytest.raises(UsageError, match=sentence):
        load(project / "target.yaml")


def test_a_folder_is_a_text(project):
    with pytest.raises(FileFormatError, match="is no target file"):
        parse(b"name: mine\ncarrier: hook\ncommand: ['true']\nfolder: 1\n", "target.yaml")


# -- a shell's text, in reach


@pytest.mark.parametrize("text", ["python3 hooks/gone.py", 'exec python3 "{project}/hooks/gone.py"', "./hooks/gone.sh"])
def test_a_script_that_a_text_names_and_that_is_gone_is_untestable(project, text):
    with pytest.raises(UntestableError, match="gone") as caught:
        from_spec(shell(project, text), SYSTEM, timeout_scale=1.0)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text", ["python3 hooks/stop.py", "test ! -f hooks/gone.py || python3 hooks/gone.py", "python3 $GONE", "no-such-program", "a 'b"]
)  # fmt: skip
def test_what_a_shell_might_still_run_is_left_to_it(project, text):
    assert "stop_hook" == from_spec(shell(project, text), SYSTEM, timeout_scale=1.0).profile


def test_the_digest_of_a_text_is_of_the_scripts_it_names_wherever_they_lie(project, tmp_path):
    def digest(folder):
        return from_spec(shell(folder, 'python3 "{project}"/hooks/stop.py | cat'), SYSTEM, timeout_scale=1.0).digest

    first = digest(project)
    other = tmp_path / "other"
    (other / "hooks").mkdir(parents=True)
    (other / "hooks" / "stop.py").write_text("import sys\n")
    assert first == digest(other)
    (other / "hooks" / "stop.py").write_text("import os\n")
    assert first != digest(other)


def test_of_a_hidden_folder_in_the_home_only_the_script_is_shown(project, tmp_path):
    script = tmp_path / "home" / ".agent" / "stop.py"
    script.parent.mkdir(parents=True)
    script.write_text("")
    (tmp_path / "home" / "hooks").mkdir()
    (tmp_path / "home" / "hooks" / "other.py").write_text("")
    home = tmp_path / "home"
    _, paths = reach._exposed(shell(project, f"python3 {script}; python3 {home}/hooks/other.py"))
    assert {str(script), str(home / "hooks")} <= set(paths)
    assert str(script.parent) not in paths


def test_every_program_of_a_text_is_shown(project, tmp_path, monkeypatch):
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("first-tool", "second-tool"):
        (tools / name).write_text("#!/bin/sh\n")
        (tools / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")
    _, paths = reach._exposed(shell(project, "X=1 first-tool | second-tool"))
    assert {str(tools / "first-tool"), str(tools / "second-tool")} <= set(paths) or str(tools) in paths
