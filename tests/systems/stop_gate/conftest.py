"""Worlds for the reference gate: on disk, in memory, or each in turn."""

import os
import shutil
import tempfile

import pytest
from gate_world import World

from harness.ports.fake_files import FakeFiles
from harness.ports.files import RealFiles


@pytest.fixture
def disk():
    root = tempfile.mkdtemp(dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
    yield World(os.path.realpath(root), RealFiles())
    shutil.rmtree(root)


@pytest.fixture
def memory():
    return World("/world", FakeFiles())


@pytest.fixture(params=["disk", "memory"])
def world(request):
    return request.getfixturevalue(request.param)
