"""The table of file calls: what each does and how it can fail, and its numbers on machines that are not at hand."""

import errno
import os

import pytest

from harness.faults.syscalls import SIGNATURES, Kind, believable_errnos, errnos_of, filters
from harness.faults.syscalls.calls import CHANGES, FILE_CALLS, kind_of

# include/uapi/asm-generic/unistd.h of Linux, which aarch64 follows
AARCH64 = {
    "setxattr": 5, "lsetxattr": 6, "fsetxattr": 7, "removexattr": 14, "lremovexattr": 15, "fremovexattr": 16,
    "fcntl": 25, "flock": 32, "mknodat": 33, "mkdirat": 34, "unlinkat": 35, "symlinkat": 36, "linkat": 37,
    "renameat": 38, "truncate": 45, "ftruncate": 46, "fallocate": 47, "faccessat": 48, "fchmod": 52, "fchmodat": 53,
    "fchownat": 54, "fchown": 55, "openat": 56, "close": 57, "getdents64": 61, "read": 63, "write": 64, "readv": 65,
    "writev": 66, "pread64": 67, "pwrite64": 68, "preadv": 69, "pwritev": 70, "sendfile": 71, "splice": 76,
    "readlinkat": 78, "newfstatat": 79, "fstat": 80, "sync": 81, "fsync": 82, "fdatasync": 83, "sync_file_range": 84,
    "utimensat": 88, "nanosleep": 101, "clock_nanosleep": 115, "mmap": 222, "syncfs": 267, "renameat2": 276,
    "copy_file_range": 285, "preadv2": 286, "pwritev2": 287, "statx": 291, "openat2": 437, "faccessat2": 439,
}  # fmt: skip
# arch/x86/entry/syscalls/syscall_64.tbl
X86_64 = {
    "setxattr": 188, "lsetxattr": 189, "fsetxattr": 190, "removexattr": 197, "lremovexattr": 198, "fremovexattr": 199,
    "read": 0, "write": 1, "open": 2, "close": 3, "stat": 4, "fstat": 5, "lstat": 6, "mmap": 9, "pread64": 17,
    "pwrite64": 18, "readv": 19, "writev": 20, "access": 21, "nanosleep": 35, "sendfile": 40, "fcntl": 72, "flock": 73,
    "fsync": 74, "fdatasync": 75, "truncate": 76, "ftruncate": 77, "getdents": 78, "rename": 82, "mkdir": 83,
    "rmdir": 84, "creat": 85, "link": 86, "unlink": 87, "symlink": 88, "readlink": 89, "chmod": 90, "fchmod": 91,
    "chown": 92, "fchown": 93, "lchown": 94, "utime": 132, "mknod": 133, "sync": 162, "getdents64": 217,
    "clock_nanosleep": 230, "utimes": 235, "openat": 257, "mkdirat": 258, "mknodat": 259, "fchownat": 260,
    "futimesat": 261, "newfstatat": 262, "unlinkat": 263, "renameat": 264, "linkat": 265, "symlinkat": 266,
    "readlinkat": 267, "fchmodat": 268, "faccessat": 269, "splice": 275, "sync_file_range": 277, "utimensat": 280,
    "fallocate": 285, "preadv": 295, "pwritev": 296, "syncfs": 306, "renameat2": 316, "copy_file_range": 326,
    "preadv2": 327, "pwritev2": 328, "statx": 332, "openat2": 437, "faccessat2": 439,
}  # fmt: skip


@pytest.mark.parametrize(("machine", "expected"), [("aarch64", AARCH64), ("x86_64", X86_64)])
def test_the_numbers_of_the_calls_are_those_of_the_kernel(machine, expected):
    found = filters.numbers(machine)
    assert expected == {name: number for name, number in found.items() if name in SIGNATURES}


def test_what_one_machine_lacks_has_a_twin_there():
    # each old call of x86-64 that aarch64 never had has a newer one of the same kind that it has
    kinds = {SIGNATURES[name].kind for name in AARCH64}
    assert {SIGNATURES[name].kind for name in X86_64} == kinds | {Kind.RMDIR}
    assert Kind.RMDIR is kind_of("unlinkat", 0x200)
    assert SIGNATURES.keys() == AARCH64.keys() | X86_64.keys()


def test_a_filter_leaves_out_what_the_machine_lacks():
    assert filters.program(frozenset({"write", "no_such_call"})) == filters.program(frozenset({"write"}))
    assert len(filters.program(FILE_CALLS)) > len(filters.program(frozenset({"write"})))
    assert 0 == len(filters.program(FILE_CALLS)) % 8


def test_the_name_of_any_call_can_be_asked_for():
    assert ("write", "") == tuple(map(filters.name_of, (filters.numbers()["write"], 999_999)))


def test_every_error_of_every_call_is_one_that_exists():
    for name in SIGNATURES:
        for error in errnos_of(name, os.O_CREAT | os.O_RDWR):
            assert hasattr(errno, error), f"{name} {error}"
        assert len(errnos_of(name)) == len(set(errnos_of(name))) > 0


@pytest.mark.parametrize(
    ("name", "flags", "more"),
    [
        ("openat", os.O_RDONLY, ()),
        ("openat", os.O_WRONLY, ("EROFS",)),
        ("openat", os.O_RDWR | os.O_CREAT, ("ENOSPC", "EDQUOT", "EROFS")),
        ("creat", 0, ("ENOSPC", "EDQUOT", "EROFS")),
    ],
)
def test_an_open_can_fail_in_the_ways_of_what_it_asks_for(name, flags, more):
    assert ("EACCES", "EMFILE", "EIO", "EINTR", "ENOENT", "ENAMETOOLONG", *more) == errnos_of(name, flags)


def test_room_for_a_file_can_be_refused_as_a_write_can():
    assert set(errnos_of("write")) == set(errnos_of("fallocate")) != set(errnos_of("ftruncate"))


def test_an_attribute_can_lack_room_and_be_unknown_to_the_file_system():
    assert {"ENOSPC", "EDQUOT", "ENOTSUP"} == set(errnos_of("fsetxattr")) - set(errnos_of("removexattr"))


def test_an_error_that_the_files_contradict_is_not_believable():
    assert {"ENOENT", "ELOOP"} == set(errnos_of("statx")) - set(believable_errnos("statx"))
    assert errnos_of("fsync") == believable_errnos("fsync")


def test_what_is_no_file_call_has_no_errors():
    with pytest.raises(KeyError):
        errnos_of("getpid")
    with pytest.raises(KeyError):
        kind_of("getpid", 0)


def test_sleeping_is_no_file_call_and_reading_changes_nothing():
    assert {"nanosleep", "clock_nanosleep"} == SIGNATURES.keys() - FILE_CALLS
    assert {Kind.OPEN, Kind.READ, Kind.STAT, Kind.LIST, Kind.SYNC, Kind.CLOSE, Kind.LOCK, Kind.MAP, Kind.SLEEP} == (
        set(Kind) - CHANGES
    )
