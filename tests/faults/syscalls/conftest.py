"""Sandboxes that show our Python: one of each kind a module, fresh for each test."""

from collections.abc import Iterator

import needs
import pytest
import supervised

from harness.sandbox import Sandbox


@pytest.fixture(scope="module", params=["namespaces", "plain"])
def _both(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    plain = request.param == "plain"
    if not plain:
        needs.require_namespaces()
    with supervised.showing_python(force_fallback=plain) as sandbox:
        yield sandbox


@pytest.fixture
def both(_both: Sandbox) -> Sandbox:
    """A fresh sandbox, once of namespaces and once plain."""
    _both.fresh()
    return _both


@pytest.fixture(scope="module")
def _room() -> Iterator[Sandbox]:
    with supervised.showing_python() as sandbox:
        yield sandbox


@pytest.fixture
def room(_room: Sandbox) -> Sandbox:
    """A fresh sandbox of whichever kind this machine has."""
    _room.fresh()
    return _room
