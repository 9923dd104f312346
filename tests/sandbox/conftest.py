"""Sandboxes for the tests: one of each kind a module, fresh for each test."""

from collections.abc import Iterator
from pathlib import Path

import needs
import pytest

from harness.sandbox import Sandbox, SandboxPlan


@pytest.fixture(scope="session")
def namespaces() -> None:
    """Skip where the machine cannot do what the test is about."""
    needs.require_namespaces()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small project, which no test may change."""
    place = tmp_path_factory.mktemp("project")
    (place / "sub").mkdir()
    (place / "hook.sh").write_text("#!/bin/sh\necho hook\n")
    (place / "hook.sh").chmod(0o755)
    (place / "sub" / "state.json").write_text("{}")
    return place


@pytest.fixture(scope="module")
def _contained(namespaces: None, project: Path) -> Iterator[Sandbox]:
    with Sandbox(SandboxPlan(project=str(project))) as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def _plain(project: Path) -> Iterator[Sandbox]:
    with Sandbox(SandboxPlan(project=str(project), force_fallback=True)) as sandbox:
        yield sandbox


@pytest.fixture
def contained(_contained: Sandbox) -> Sandbox:
    """A fresh sandbox made of namespaces."""
    _contained.fresh()
    return _contained


@pytest.fixture(params=["namespaces", "plain"])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    """A fresh sandbox of either kind: what holds for one must hold for the other."""
    name = "_contained" if request.param == "namespaces" else "_plain"
    found: Sandbox = request.getfixturevalue(name)
    found.fresh()
    return found
