"""Hook sessions for the tests of targets."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hook_sessions import Hooks


@pytest.fixture
def hooks(tmp_path: Path) -> Iterator[Hooks]:
    """Opens hook sessions in a project of the test's own, and leaves them at its end."""
    folder = tmp_path / "project"
    folder.mkdir()
    opener = Hooks(folder)
    yield opener
    for session in opener.open:
        session.__exit__(None, None, None)
