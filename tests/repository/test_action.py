"""The composite action: its steps run here with the variables that GitHub sets. On GitHub itself it is not tested."""

import json
import re
import shutil
import subprocess
import sys

import pytest
import yaml

EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")
# as GitHub runs `shell: bash`
BASH = ["bash", "--noprofile", "--norc", "-eo", "pipefail"]


@pytest.fixture(scope="module")
def action(pytestconfig):
    return yaml.safe_load((pytestconfig.rootpath / "action.yml").read_text())


@pytest.fixture
def runner(tmp_path, pytestconfig):
    """A runner's folders, a checked-out project with a hook, and windtunnel where the action installs it."""
    for name in ("temp/windtunnel/bin", "project"):
        (tmp_path / name).mkdir(parents=True)
    command = tmp_path / "temp/windtunnel/bin/windtunnel"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m harness.cli "$@"\n')
    command.chmod(0o755)
    for name in ("sound_python", "never_blocks", "samples"):
        shutil.copytree(pytestconfig.rootpath / "examples" / "hooks" / name, tmp_path / "project" / name)
    return tmp_path


def step(action, name):
    (found,) = [each for each in action["runs"]["steps"] if each["name"] == name]
    return found


def run(action, name, runner, inputs):
    """One step in bash, with the environment that its `env` gives for these inputs; how it ended and what it wrote."""
    given = {key: str(value.get("default", "")) for key, value in action["inputs"].items()} | inputs
    values = {f"inputs.{key}": value for key, value in given.items()} | {"github.action_path": str(runner / "action")}
    environment = {
        key: EXPRESSION.sub(lambda match: values[match[1]], value) for key, value in step(action, name)["env"].items()
    }
    files = {key: runner / key.lower() for key in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    for file in files.values():
        file.touch()
    done = subprocess.run(
        [*BASH, "-c", step(action, name)["run"]],
        env={
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": str(runner / "home"),
            "RUNNER_TEMP": str(runner / "temp"),
            **{key: str(file) for key, file in files.items()},
            **environment,
        },
        cwd=runner / "project",
        capture_output=True,
        text=True,
        check=False,
    )
    outputs = dict(line.split("=", 1) for line in files["GITHUB_OUTPUT"].read_text().splitlines())
    return done, outputs, files["GITHUB_STEP_SUMMARY"].read_text()


def test_it_is_a_composite_action_whose_steps_say_what_they_need(action):
    assert {"name", "description", "branding", "inputs", "outputs", "runs"} == set(action)
    assert "composite" == action["runs"]["using"]
    for each in action["runs"]["steps"]:
        assert each.keys() <= {"name", "id", "if", "shell", "env", "run", "uses", "with"}
        assert ("run" in each) != ("uses" in each)
        assert ("run" in each) == (each.get("shell") == "bash")
    assert {"target", "level", "report"} <= set(action["inputs"])
    assert all(set(value) == {"description", "default"} for value in action["inputs"].values())


def test_every_expression_names_something_that_exists(action):
    steps = {each["id"] for each in action["runs"]["steps"] if "id" in each}
    known = {f"inputs.{name}" for name in action["inputs"]} | {"github.action_path"}
    for expression in EXPRESSION.findall(json.dumps(action)):
        for name in re.findall(r"[a-z]+(?:\.[a-z_-]+)+", expression):
            if name.startswith("steps."):
                _, step_id, _, output = name.split(".")
                assert step_id in steps
                assert f"{output}=" in step(action, "Certify")["run"]
            else:
                assert name in known


def test_no_input_is_pasted_into_a_script(action):
    """What a pull request names must not become a command: inputs reach the scripts as variables only."""
    assert [] == [each["name"] for each in action["runs"]["steps"] if "${{" in each.get("run", "")]


def test_every_script_is_one_that_bash_reads(action):
    for each in action["runs"]["steps"]:
        if "run" in each:
            checked = subprocess.run([*BASH, "-n", "-c", each["run"]], capture_output=True, text=True, check=False)
            assert (0, "") == (checked.returncode, checked.stderr)


QUICK = "--clause SH-08 --cases 0 --jobs 2"


def test_a_hook_that_conforms_ends_with_0_and_its_page_is_the_summary(action, runner):
    inputs = {"target": "sound_python/target.yaml", "level": "L1", "report": "out", "arguments": QUICK}
    done, outputs, summary = run(action, "Certify", runner, inputs)
    assert 0 == done.returncode, done.stdout + done.stderr
    assert {"exit-code": "0", "report": "out"} == outputs
    assert summary.startswith("# sound-python: conformant\n")
    assert (runner / "project" / "out" / "junit.xml").is_file()


def test_a_hook_that_does_not_fails_the_step_with_its_exit_code(action, runner):
    inputs = {"target": "never_blocks/target.yaml", "level": "L1", "arguments": QUICK}
    done, outputs, summary = run(action, "Certify", runner, inputs)
    assert (1, {"exit-code": "1", "report": "windtunnel-report"}) == (done.returncode, outputs)
    assert "# never-blocks: nonconformant" in summary


def test_without_a_target_the_hooks_of_the_project_are_certified(action, runner):
    settings = runner / "project" / ".claude" / "settings.json"
    settings.parent.mkdir()
    hooks = [
        {"type": "command", "command": f"python3 {name}", "timeout": 5} for name in ("sound_python/hook.py", "no.py")
    ]
    settings.write_text(json.dumps({"hooks": {"Stop": [{"hooks": hooks}]}}))
    done, outputs, summary = run(action, "Certify", runner, {"level": "L1", "arguments": QUICK})
    assert (4, "4") == (done.returncode, outputs["exit-code"])
    assert "stop-2: untestable (exit code 4)" in done.stdout
    assert "# stop-1: conformant" in summary


def test_without_a_report_the_summary_says_so(action, runner):
    done, outputs, summary = run(action, "Certify", runner, {"target": "none.yaml; touch pasted"})
    assert (2, "2") == (done.returncode, outputs["exit-code"])
    assert "windtunnel ended with exit code 2 and no report; see the log of this step.\n" == summary
    assert not (runner / "project" / "pasted").exists()


@pytest.mark.parametrize(
    ("version", "installed"), [("", "{runner}/action"), ("windtunnel==0.1.0", "windtunnel==0.1.0")]
)
def test_the_copy_that_the_action_is_part_of_is_installed_unless_another_is_named(action, runner, version, installed):
    python = runner / "python"
    python.write_text(
        '#!/bin/sh\necho "$0 $*" >> "$RUNNER_TEMP/calls"\n'
        'if [ "$2" = venv ]; then cp "$0" "$RUNNER_TEMP/windtunnel/bin/python"; fi\n'
    )
    python.chmod(0o755)
    done, _, _ = run(action, "Install windtunnel", runner, {"python": str(python), "version": version})
    assert 0 == done.returncode, done.stderr
    at = runner / "temp" / "windtunnel"
    assert [f"{python} -m venv {at}", f"{at}/bin/python -m pip install -q {installed.format(runner=runner)}"] == (
        (runner / "temp" / "calls").read_text().splitlines()
    )


def test_the_example_workflow_uses_what_there_is(pytestconfig, action):
    workflow = yaml.safe_load((pytestconfig.rootpath / "examples" / "ci" / "github.yml").read_text())
    (job,) = workflow["jobs"].values()
    checkout, uses = job["steps"]
    assert "actions/checkout@v4" == checkout["uses"]
    assert uses["uses"].endswith("/windtunnel@main")
    assert set(uses.get("with", {})) <= set(action["inputs"])
    assert 8 == len((pytestconfig.rootpath / "examples" / "ci" / "github.yml").read_text().splitlines())
