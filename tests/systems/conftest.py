"""A directory of its own for tests that need a real one."""

import os
import shutil
import tempfile

import pytest


@pytest.fixture
def home():
    found = os.path.realpath(tempfile.mkdtemp(dir="/dev/shm" if os.path.isdir("/dev/shm") else None))
    yield found
    shutil.rmtree(found)
