"""From what a person names to sessions, and whose fault it is when that fails. Source: issue 2, "Bad input" and CLI."""

from pathlib import Path

import msgspec
import pytest

from harness.certify import reach
from harness.certify.reach import command_target, from_spec, mutant_hook, python_factory, reference, served_python
from harness.errors import HarnessFault, UntestableError, UsageError
from harness.systems import registry
from harness.targets.slots import Slots
from harness.targets.target_file import Samples, TargetFile, TargetSpec, load

SYSTEM = registry.get("stop_gate")


def hook(folder, *words, **more):
    return TargetSpec(TargetFile(name="mine", carrier="hook", command=words, **more), str(folder))


def reached(spec, **settings):
    return from_spec(spec, SYSTEM, timeout_scale=1.0, **settings)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "hook.py").write_text("import sys\n")
    (tmp_path / "run.sh").write_text("#!/bin/sh\n")
    (tmp_path / "run.sh").chmod(0o755)
    (tmp_path / "inner").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["no-such-command-anywhere"], "the command 'no-such-command-anywhere' does not exist on this machine's PATH"),
        (["./missing.sh"], "the command './missing.sh' does not exist in"),
        (["./hook.py"], "the command './hook.py' is not executable; chmod +x it, or name its interpreter first"),
        (["./inner"], "the command './inner' is a directory; name the program in it"),
        (["python3", "missing.py"], "python3 has no script to run: missing.py does not exist in"),
        (["python3.11", "missing.py"], "has no script to run|does not exist on this machine's PATH"),
        (["bash", "inner/missing.sh"], "bash has no script to run: inner/missing.sh does not exist in"),
    ],
)
@pytest.mark.parametrize("carrier", ["hook", "stdio"])
def test_a_command_that_cannot_run_is_untestable_and_said_in_one_sentence(folder, words, sentence, carrier):
    spec = TargetSpec(TargetFile(name="mine", carrier=carrier, command=tuple(words)), str(folder))
    with pytest.raises(UntestableError) as caught:
        reached(spec)
    assert any(part in str(caught.value) for part in sentence.split("|"))
    assert 4 == caught.value.exit_code
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("words", [["./run.sh"], ["python3", "hook.py"], ["sh", "-c", "true"], ["python3", "-c", "1"]])
def test_a_command_that_can_run_is_reached(folder, words):
    assert ("stop_hook", "hook") == (reached(hook(folder, *words)).profile, reached(hook(folder, *words)).carrier)


def shown(words):
    """The folder a command of the command line is run in, and the paths that the sandbox shows for it."""
    spec = command_target(tuple(words), "hook")
    return spec.folder, reach._exposed(spec)[1]


def test_a_command_that_names_a_file_of_the_current_folder_runs_there(folder):
    assert str(folder) == shown(["python3", "hook.py"])[0]


def test_a_command_that_names_no_file_here_runs_in_an_empty_folder(folder):
    assert "" == shown(["true"])[0]


def test_the_folder_of_a_file_from_elsewhere_is_shown(folder, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "stop.py"
    elsewhere.write_text("")
    at, paths = shown(["python3", str(elsewhere)])
    assert "" == at
    assert str(elsewhere.parent) in paths


def test_a_file_that_lies_directly_in_the_home_is_shown_alone(folder, monkeypatch, tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    (home / "stop.py").write_text("")
    (home / "secret.txt").write_text("")
    monkeypatch.setenv("HOME", str(home))
    _, paths = shown(["python3", str(home / "stop.py")])
    assert str(home) not in paths
    assert str(home / "stop.py") in paths


@pytest.mark.parametrize("place", ["home", "/"])
def test_a_command_that_would_see_the_whole_home_or_machine_is_refused(folder, monkeypatch, place):
    if place == "home":
        monkeypatch.setenv("HOME", str(folder))
        word = "./run.sh"
    else:
        monkeypatch.chdir("/")
        word = str(folder / "run.sh")
    with pytest.raises(UsageError, match=r"would see all of .*; go to the folder that holds the hook") as caught:
        command_target((word,), "hook")
    assert 2 == caught.value.exit_code


def test_an_exposed_path_of_the_target_file_is_shown(folder, tmp_path_factory):
    extra = tmp_path_factory.mktemp("extra")
    _, paths = reach._exposed(hook(folder, "./run.sh", expose=(str(extra),)))
    assert str(extra) in paths


def test_a_host_nobody_knows_is_a_usage_error(folder):
    with pytest.raises(UsageError, match="there is no host 'emacs'; known: claude-code"):
        reached(hook(folder, "./run.sh", host="emacs"))


def digest_of(folder, **change):
    spec = hook(folder, "python3", "hook.py")
    return reached(msgspec.structs.replace(spec, **change) if change else spec).digest


def test_the_digest_of_a_command_is_of_its_files(folder):
    before = digest_of(folder)
    assert before == digest_of(folder)
    (folder / "hook.py").write_text("import os\n")
    assert before != digest_of(folder)


def test_the_digest_of_a_command_does_not_depend_on_where_it_lies(folder):
    (folder / "inner" / "hook.py").write_text((folder / "hook.py").read_text())
    assert digest_of(folder) == digest_of(folder / "inner")


def test_samples_and_declarations_are_part_of_the_digest(folder):
    spec = hook(folder, "python3", "hook.py")
    declared = msgspec.structs.replace(spec.file, max_blocks=3)
    digests = {digest_of(folder), digest_of(folder, samples={"block": b"{}"}), digest_of(folder, file=declared)}
    assert 3 == len(digests)


def test_a_mutant_has_another_digest_than_the_reference():
    served = {
        served_python(SYSTEM, mutant, timeout_scale=1.0).digest for mutant in (None, *list(SYSTEM.mutants.MUTANTS)[:2])
    }
    assert 3 == len(served)


def test_the_reference_is_reached_over_stdio_and_as_the_hook_people_install():
    reaches = reference(SYSTEM, timeout_scale=1.0)
    assert [("gate", "stdio"), ("stop_hook", "hook")] == [(way.profile, way.carrier) for way in reaches]
    assert ("power_steering",) == reaches[1].groups
    assert ("approve", "block") == reaches[1].stated_samples


def test_a_system_without_a_hook_is_reached_over_stdio_only(monkeypatch):
    monkeypatch.setattr(registry.System, "hook_target", lambda self: None)
    assert ["stdio"] == [way.carrier for way in reference(SYSTEM, timeout_scale=1.0)]
    with pytest.raises(HarnessFault, match="no reference hook"):
        mutant_hook(SYSTEM, "any", timeout_scale=1.0)


def test_a_python_factory_is_reached_in_process_on_the_current_folder(folder, monkeypatch):
    made = python_factory("gate_of_mine:make", SYSTEM, timeout_scale=1.0)
    assert ("gate", "in_process") == (made.profile, made.carrier)
    assert made.digest != python_factory("gate_of_mine:other", SYSTEM, timeout_scale=1.0).digest


def test_the_factory_of_a_target_file_is_served_by_our_interpreter(folder):
    file = TargetFile(name="mine", carrier="in_process", factory="gate_of_mine:make")
    assert ("gate", "in_process") == reached(TargetSpec(file, str(folder)))[1:3]


def test_what_is_stated_about_a_hook_is_known_to_the_plan(folder):
    (folder / "block.jsonl").write_text("{}\n")
    (folder / "target.yaml").write_text(
        "name: mine\ncarrier: hook\ncommand: [./run.sh]\ngroups: [power_steering]\n"
        "paths: {config: '{home}/c'}\nsamples: {block: block.jsonl}\n"
    )
    way = reached(load(folder / "target.yaml"))
    assert (("power_steering",), {"config": "{home}/c"}, ("block",)) == (way.groups, way.declared, way.stated_samples)
    assert Samples() == Samples(approve=None, block=None)


def test_a_session_of_a_hook_runs_it_contained_in_its_folder(folder):
    (folder / "hook.py").write_text("import os, sys; sys.stderr.write(os.getcwd()); sys.exit(0)\n")
    slots = Slots(1)
    with slots.held(), reached(hook(folder, "python3", "hook.py")).open(slots) as session:
        assert reached(hook(folder, "true")).probe is not None
        session.reset(SYSTEM.process_calls.probe())
        (reply,) = session.perform([(0, SYSTEM.process_calls.probe().steps[0].op)])
    assert (0, "{project}") == (reply.value["exit_code"], reply.value["stderr_excerpt"])


def test_the_harness_own_package_is_on_the_path_of_what_it_serves():
    assert (Path(reach._package_parent()) / "harness" / "__init__.py").is_file()


def test_a_script_is_named_by_its_whole_path_so_that_it_is_found_where_the_folder_is_gone(folder):
    (folder / "adapter.mjs").write_text("")
    whole = ("/usr/bin/node", str(folder / "adapter.mjs"), "adapter.mjs")
    assert whole == reach._with_its_script(("/usr/bin/node", "adapter.mjs", "adapter.mjs"), str(folder))
    for command in (("/usr/bin/node", "-e", "adapter.mjs"), ("/bin/cat", "adapter.mjs"), ("/usr/bin/node",)):
        assert command == reach._with_its_script(command, str(folder))
