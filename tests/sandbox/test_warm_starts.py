"""A module of ours that a fork of the agent starts is what an interpreter of its own would make of it."""

import json
import os
import sys
from contextlib import suppress
from pathlib import Path

import needs
import pytest

from harness.sandbox import CALM, Sandbox, SandboxPlan, Surroundings
from harness.sandbox.exposure import exposure_for

ROOT = Path(__file__).parents[2]
MODULE = "tests.sandbox.tells_itself"
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), "PYTHONSAFEPATH": "1", "LC_ALL": "C.UTF-8", "A": "b"}
PATIENCE_S = 20.0


def plan(*warm: str, **more) -> SandboxPlan:
    paths = exposure_for((sys.executable,), search=os.defpath, home="/", cwd="/", extra=(), needs_harness=True).paths
    return SandboxPlan(exposed=(*paths, str(Path(__file__).parent)), warm=warm, **more)


def run(sandbox: Sandbox, *words: str, surroundings: Surroundings = CALM, said: bytes = b""):
    started = sandbox.start(
        (sys.executable, "-m", MODULE, *words), env=ENVIRONMENT, cwd="/tmp", surroundings=surroundings
    )
    try:
        with suppress(BrokenPipeError):  # who does not read may be gone by now
            os.write(started.stdin_fd, said + b"\n")
        with (
            os.fdopen(os.dup(started.stdout_fd), "rb") as out,
            os.fdopen(os.dup(started.stderr_fd), "rb") as complaints,
        ):
            return out.read(), complaints.read(), started.wait(PATIENCE_S)
    finally:
        started.close()


@pytest.fixture(scope="module")
def warm():
    needs.require_namespaces()
    with Sandbox(plan(MODULE, "begun")) as sandbox:
        assert sandbox.is_warm
        yield sandbox


@needs.namespaces
def test_it_is_the_process_that_exec_would_make(warm):
    with Sandbox(plan()) as fresh:
        expected, complaint, ended = run(fresh, "one", "two words", said=b"hello")
    assert (b"a complaint\n", 0) == (complaint, ended.exit_code)
    actual, complaint, ended = run(warm, "one", "two words", said=b"hello")
    assert (b"a complaint\n", 0) == (complaint, ended.exit_code)
    told, by_fork = json.loads(expected), json.loads(actual)
    assert ["one", "two words"] == told["words"]
    assert "hello\n" == told["said"]
    assert told == by_fork


@pytest.mark.parametrize(
    ("words", "code", "complaint"),
    [
        (("raise",), 1, b"RuntimeError: on purpose\n"),
        (("exit", "in words"), 1, b"in words\n"),
        (("exit with", "7"), 7, b""),
        (("exit with", "0"), 0, b""),
    ],
)
def test_its_end_is_told_as_of_any_process(warm, words, code, complaint):
    _, said, ended = run(warm, *words)
    assert code == ended.exit_code
    assert said.endswith(complaint)


def test_what_one_changes_the_next_does_not_find(warm):
    first, second = (json.loads(run(warm)[0]) for _ in range(2))
    assert first == second


def test_in_surroundings_it_is_started_as_anything_else(warm):
    said = json.loads(run(warm, surroundings=Surroundings(environment={"A": None}))[0])
    assert "A" not in said["environment"]


@needs.namespaces
def test_what_the_agent_cannot_import_is_started_by_an_interpreter():
    with Sandbox(plan("harness.nowhere")) as sandbox:
        assert not sandbox.is_warm
        assert b"hello" in run(sandbox, said=b"hello")[0]


def test_without_namespaces_nothing_is_kept_warm():
    with Sandbox(plan("harness.nowhere", force_fallback=True)) as sandbox:
        assert (False, False) == (sandbox.containment.namespaces, sandbox.is_warm)
