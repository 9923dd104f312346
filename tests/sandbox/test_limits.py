"""Faults made of mounts: real for the program under test, proven by the agent, undone in order."""

import pytest
from shell import shell

from harness.errors import MachineError
from harness.sandbox import Sandbox, SandboxPlan, Write

PAGE = 4096


def test_a_full_disk_is_full(contained: Sandbox) -> None:
    contained.apply([Write("{home}/state/old", b"kept")])
    assert contained.limit_space("{home}/state", 64 * 1024) == "ENOSPC"
    ended = shell(contained, "cat ~/state/old; dd if=/dev/zero of=$HOME/state/new bs=1 count=1")
    assert ended.stdout == b"kept"
    assert b"No space left on device" in ended.stderr


def test_so_much_is_free_and_no_more(contained: Sandbox) -> None:
    assert contained.limit_space("{home}", 64 * 1024, free_bytes=3 * PAGE) == "ENOSPC"
    shell(contained, "head -c 65536 /dev/zero > ~/torn")
    assert contained.snapshot()["{home}/torn"].size == 3 * PAGE, "a real short write"


def test_files_can_run_out_before_bytes(contained: Sandbox) -> None:
    assert contained.limit_space("{home}", 1 << 20, free_bytes=1 << 20, inodes=2) == "ENOSPC"
    ended = shell(contained, "cd; for n in 1 2 3; do touch $n; done")
    assert b"No space left on device" in ended.stderr
    assert list(contained.snapshot()) == ["{home}/1", "{home}/2"]


def test_a_limit_that_is_no_limit_proves_nothing(contained: Sandbox) -> None:
    assert contained.limit_space("{home}", 1 << 20, free_bytes=1 << 20, inodes=5000) == ""


def test_read_only_is_read_only(contained: Sandbox) -> None:
    contained.apply([Write("{home}/d/f", b"1"), Write("{home}/g", b"1")])
    assert contained.read_only("{home}/d") == "EROFS"
    assert contained.read_only("{home}/g") == "EROFS"
    assert contained.read_only("{project}") == "EROFS"
    ended = shell(contained, "echo 2 > ~/d/f; echo 2 > ~/g; echo 2 > new; touch ~/elsewhere")
    assert ended.stderr.count(b"Read-only file system") == 3
    with pytest.raises(MachineError, match="EROFS"):
        contained.apply([Write("{home}/d/f", b"3")])


def test_lifting_keeps_what_was_written(contained: Sandbox) -> None:
    contained.limit_space("{home}", 64 * 1024, free_bytes=PAGE)
    shell(contained, "echo during > ~/a")
    contained.read_only("{home}")
    contained.lift()
    assert shell(contained, "head -c 100000 /dev/zero > ~/b && cat ~/a").stdout == b"during\n"
    contained.lift()
    contained.fresh()
    assert contained.snapshot() == {}
    assert shell(contained, "touch ~/a new").exit_code == 0


def test_faults_leave_no_mount_after_fresh(contained: Sandbox) -> None:
    before = shell(contained, "cat /proc/self/mountinfo | wc -l").stdout
    for _ in range(3):
        contained.limit_space("{home}/x", 64 * 1024)
        contained.read_only("{home}")
    contained.fresh()
    assert shell(contained, "cat /proc/self/mountinfo | wc -l").stdout == before


def test_a_cover_below_a_directory_made_read_only_later_is_gone_after_fresh(contained: Sandbox) -> None:
    before = shell(contained, "cat /proc/self/mountinfo | wc -l").stdout
    contained.apply([Write("{home}/f", b"1")])
    contained.full_device("{home}/f")
    contained.read_only("{home}")
    contained.fresh()
    assert shell(contained, "cat /proc/self/mountinfo | wc -l").stdout == before
    assert contained.snapshot() == {}


def test_a_cover_that_a_later_disk_hides_is_gone_after_fresh(contained: Sandbox) -> None:
    before = shell(contained, "cat /proc/self/mountinfo | wc -l").stdout
    contained.apply([Write("{home}/d/f", b"1")])
    contained.busy("{home}/d/f")
    contained.limit_space("{home}", 64 * 1024, free_bytes=PAGE)
    shell(contained, "rm -r ~/d")
    contained.fresh()
    assert shell(contained, "cat /proc/self/mountinfo | wc -l").stdout == before
    assert contained.snapshot() == {}


def test_contents_that_do_not_fit_are_refused_and_stay(contained: Sandbox) -> None:
    contained.apply([Write("{home}/x/f", b"a" * 100_000)])
    with pytest.raises(MachineError, match="ENOSPC"):
        contained.limit_space("{home}/x", 64 * 1024)
    assert contained.snapshot()["{home}/x/f"].size == 100_000


def test_an_exposed_path_never_becomes_writable(namespaces: None, tmp_path_factory: pytest.TempPathFactory) -> None:
    place = tmp_path_factory.mktemp("exposed")
    with Sandbox(SandboxPlan(exposed=(str(place),))) as sandbox:
        sandbox.read_only("{tmp}")
        sandbox.lift()
        assert shell(sandbox, f"touch {place}/x").exit_code != 0
        sandbox.fresh()
        assert shell(sandbox, f"touch {place}/x").exit_code != 0


def test_without_namespaces_a_mounted_fault_is_a_machine_error() -> None:
    with Sandbox(SandboxPlan(force_fallback=True)) as sandbox:
        with pytest.raises(MachineError, match="needs namespaces"):
            sandbox.limit_space("{home}", 64 * 1024)
        with pytest.raises(MachineError, match="needs namespaces"):
            sandbox.read_only("{home}")
