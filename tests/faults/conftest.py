"""Sandboxes for faults: one of each kind a module, fresh for each test."""

from collections.abc import Iterator

import needs
import pytest

from harness.sandbox import Sandbox, SandboxPlan


@pytest.fixture(scope="module")
def _contained() -> Iterator[Sandbox]:
    needs.require_namespaces()
    with Sandbox(SandboxPlan()) as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def _plain() -> Iterator[Sandbox]:
    with Sandbox(SandboxPlan(force_fallback=True)) as sandbox:
        yield sandbox


@pytest.fixture
def contained(_contained: Sandbox) -> Sandbox:
    """A fresh sandbox made of namespaces."""
    _contained.fresh()
    return _contained


@pytest.fixture
def plain(_plain: Sandbox) -> Sandbox:
    """A fresh sandbox as it is where the machine refuses namespaces."""
    _plain.fresh()
    return _plain


@pytest.fixture(params=["namespaces", "plain"])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    """A fresh sandbox of either kind."""
    found: Sandbox = request.getfixturevalue("contained" if request.param == "namespaces" else "plain")
    return found
