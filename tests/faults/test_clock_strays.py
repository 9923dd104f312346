"""What libfaketime leaves in shared memory is told from what a program makes there."""

import pytest

from harness.faults import clock


@pytest.mark.parametrize(
    ("name", "stray"),
    [
        ("faketime_shm_12", True),
        ("sem.faketime_sem_12", True),
        ("sem.twNd8v", True),  # the name that glibc's sem_open gives a semaphore until it is linked to its own
        ("sem.of-a-program", False),
        ("sem.longer7", False),
        ("twNd8v", False),
    ],
)
def test_only_its_own_names_are_left_out(name, stray):
    assert stray == bool(clock.STRAYS.fullmatch(f"/dev/shm/{name}"))
