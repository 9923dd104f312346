"""What a supervisor sees: which calls, by which paths, of which processes."""

import os

import needs
import pytest
from supervised import PYTHON, Seen, a_run, data, ended, said, supervisor

from harness.faults.syscalls import Go, Kind
from harness.sandbox import MakeDirectory, Symlink, Write

CHANGING = {Kind.WRITE, Kind.RENAME, Kind.UNLINK, Kind.MKDIR, Kind.TRUNCATE, Kind.LINK, Kind.SYMLINK, Kind.RMDIR}


def paths(room, script, only=lambda call: True, **options):
    seen = Seen(room, only)
    end = ended(room, seen, *PYTHON, script, **options)
    assert (end.exit_code, end.stderr) == (0, b"")
    return seen


def changes(room, script):
    return paths(room, script, lambda call: call.kind in CHANGING)


def test_each_call_of_a_shell_and_its_children_is_seen_with_its_path(both):
    seen = Seen(both, lambda call: call.kind in CHANGING)
    end = ended(both, seen, "sh", "-c", "echo hi > ~/a; mv ~/a ~/b; rm ~/b")
    assert said(end) == (0, "")
    assert [("write", "/a"), ("renameat2", "/a", "/b"), ("unlinkat", "/b")] == seen
    assert [0, 1, 2] == [call.process for call in seen.calls], "the shell, mv and rm"


def test_calls_elsewhere_are_no_business_of_a_decision(both):
    both.apply([MakeDirectory("{home}/in")])
    seen = Seen(both)
    end = ended(both, seen, "sh", "-c", "echo hi > ~/in/a; echo hi > ~/b; cat ~/b", below=("{home}/in",))
    assert said(end) == (0, "hi\n")
    assert {"/in/a"} == {path for _, path in seen}


def test_only_the_names_asked_for_are_seen(room):
    seen = Seen(room)
    ended(room, seen, "sh", "-c", "echo hi > ~/a; rm ~/a", names=frozenset({"write"}))
    assert [("write", "/a")] == seen


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("os.chdir('sub'); os.mkdir('x')", [("mkdir", "/sub/x")]),
        ("os.chdir('link'); os.mkdir('x')", [("mkdir", "/sub/x")]),
        ("os.mkdir('link/x')", [("mkdir", "/sub/x")]),
        ("os.mkdir(home + '/link/x')", [("mkdir", "/sub/x")]),
        ("os.mkdir(home + '/link/../x')", [("mkdir", "/x")]),
        ("os.mkdir(home + '//sub/./x/')", [("mkdir", "/sub/x")]),
        ("os.chdir('sub'); os.mkdir('../x')", [("mkdir", "/x")]),
        ("fd = os.open('link', os.O_RDONLY); os.mkdir('x', dir_fd=fd)", [("mkdirat", "/sub/x")]),
        ("os.symlink('whatever', 'x')", [("symlink", "/x")]),
        ("os.link('f', 'sub/x')", [("link", "/f", "/sub/x")]),
        ("os.rename('f', 'link/x')", [("rename", "/f", "/sub/x")]),
        ("os.rename('f', home + '/x')", [("rename", "/f", "/x")]),
        ("os.truncate('f', 1)", [("truncate", "/f")]),
        ("os.unlink('alias')", [("unlink", "/alias")]),
        ("os.mkdir('new'); os.rename('new', 'newer'); os.mkdir('newer/x')",
         [("mkdir", "/new"), ("rename", "/new", "/newer"), ("mkdir", "/newer/x")]),
        ("os.unlink('link'); os.symlink('other', 'link'); os.mkdir('link/x')",
         [("unlink", "/link"), ("symlink", "/link"), ("mkdir", "/other/x")]),
    ],
)  # fmt: skip
@needs.namespaces
def test_a_path_is_what_it_means_whichever_way_it_is_written(room, script, expected):
    room.apply([MakeDirectory("{home}/sub"), MakeDirectory("{home}/other"), Write("{home}/f", b"12")])
    room.apply([Symlink("{home}/link", "sub"), Symlink("{home}/alias", "f")])
    assert expected == changes(room, f"import os; home = os.getcwd(); {script}")


def test_what_is_asked_for_behind_a_link_is_told_by_the_path_asked_for(room):
    room.apply([MakeDirectory("{home}/real/in"), Symlink("{home}/link", "real")])
    seen = Seen(room, lambda call: call.kind in CHANGING)
    end = ended(
        room,
        seen,
        "sh",
        "-c",
        "echo x > real/a; echo x > link/in/b; mkdir ~/c; cd link; mv -T a in/a",
        below=("{home}/link",),
    )
    assert (0, "") == said(end)
    assert [("write", "/link/a"), ("write", "/link/in/b"), ("renameat2", "/link/a", "/link/in/a")] == seen


def test_a_directory_itself_is_below_itself(room):
    room.apply([MakeDirectory("{home}/d/e")])
    script = "import os\nfor path in ('d', 'd/', 'd/.', './d', 'd/e/..', 'd//', '/', '/..', '.'): os.stat(path)"
    seen = paths(room, script, lambda call: call.kind is Kind.STAT, below=("{home}/d",))
    assert 6 == len(seen)
    assert {"/d"} == {path for _, path in seen}


def test_a_descriptor_is_known_by_the_file_it_is_open_on(room):
    script = "f = open('a', 'w'); import os; os.rename('a', 'b'); os.write(f.fileno(), b'1'); os.unlink('b'); os.write(f.fileno(), b'2')"
    seen = changes(room, script)
    assert [("rename", "/a", "/b"), ("write", "/b"), ("unlink", "/b"), ("write", "/b")] == seen


def test_a_call_without_a_path_means_the_descriptor(room):
    script = "import os; fd = os.open('a', os.O_CREAT | os.O_WRONLY); os.utime(fd); os.fstat(fd)"
    seen = paths(room, script, lambda call: call.kind in (Kind.TIMES, Kind.STAT))
    assert [("utimensat", "/a"), ("/a",)] == [seen[0], seen[1][1:]], "how a C library asks for it differs"


def test_a_file_without_a_name_has_no_path_and_does_no_harm(room):
    script = (
        "import os; os.write(os.memfd_create('m'), b'x'); r, w = os.pipe(); os.write(w, b'x'); print(os.read(r, 1))"
    )
    assert [] == changes(room, script)


def test_an_address_that_is_none_is_for_the_kernel_to_refuse(room):
    script = "import ctypes; libc = ctypes.CDLL(None, use_errno=True); print(libc.open(ctypes.c_void_p(8), 0), ctypes.get_errno())"
    assert (0, "-1 14\n") == said(ended(room, Seen(room), *PYTHON, script))


def test_what_is_written_is_told_with_its_place(room):
    script = """
import os
fd = os.open("a", os.O_CREAT | os.O_RDWR)
os.write(fd, b"whole"); os.pwrite(fd, b"there", 7); os.writev(fd, [b"in", b"", b"parts"]); os.pwritev(fd, [b"both"], 3)
os.ftruncate(fd, 2); os.posix_fallocate(fd, 4, 6); os.write(fd, b"")
"""
    seen = Seen(room, lambda call: call.kind in (Kind.WRITE, Kind.TRUNCATE))
    assert 0 == ended(room, seen, *PYTHON, script, contents=True).exit_code
    assert [
        ("write", b"whole", 5, None),
        ("pwrite64", b"there", 5, 7),
        ("writev", b"inparts", 7, None),
        ("pwritev", b"both", 4, 3),
        ("ftruncate", b"", 2, None),
        ("fallocate", b"", 6, 4),
        ("write", b"", 0, None),
    ] == [(call.name.rstrip("2"), call.data, call.length, call.offset) for call in seen.calls]


def test_contents_are_not_read_unless_asked_for(room):
    seen = paths(room, "open('a', 'w').write('x')", lambda call: call.kind is Kind.WRITE)
    assert [(b"", 1)] == [(call.data, call.length) for call in seen.calls]


def test_a_copy_tells_what_it_reads(room):
    room.apply([Write("{home}/from", b"x" * 100)])
    script = """
import os
a, b = os.open("from", os.O_RDONLY), os.open("to", os.O_CREAT | os.O_WRONLY)
os.sendfile(b, a, None, 10); os.copy_file_range(a, b, 20)
"""
    seen = paths(room, script, lambda call: call.kind is Kind.COPY)
    assert [("sendfile", "/to"), ("copy_file_range", "/to")] == seen
    home = room.roots.home
    assert [(f"{home}/from", 10), (f"{home}/from", 20)] == [(call.source, call.length) for call in seen.calls]


@pytest.mark.parametrize(
    ("script", "flags"),
    [
        ("open('a', 'x')", os.O_CREAT | os.O_EXCL | os.O_WRONLY),
        ("ctypes.CDLL(None).creat(b'a', 0o600)", os.O_CREAT | os.O_WRONLY | os.O_TRUNC),
        ("os.mkfifo('a')", os.O_CREAT | os.O_EXCL),
        ("ctypes.CDLL(None).syscall(437, -100, b'a', ctypes.byref((ctypes.c_ulong * 3)(0o101, 0o600, 0)), 24)", os.O_CREAT | os.O_WRONLY),
    ],
)  # fmt: skip
def test_the_flags_of_an_open_say_what_it_makes(room, script, flags):
    seen = paths(
        room, f"import os, ctypes; {script}", lambda call: call.kind is Kind.OPEN and call.paths[0].endswith("/a")
    )
    assert [flags] == [call.flags & ~(os.O_CLOEXEC | 0o100000) for call in seen.calls]


def test_a_directory_is_removed_by_a_call_that_also_removes_files(room):
    room.apply([MakeDirectory("{home}/d"), Write("{home}/f", b"")])
    seen = paths(
        room,
        "import os; fd = os.open('.', 0); os.rmdir('d', dir_fd=fd); os.unlink('f', dir_fd=fd)",
        lambda call: call.name == "unlinkat",
    )
    assert [Kind.RMDIR, Kind.UNLINK] == [call.kind for call in seen.calls]


def test_locks_are_seen_and_other_uses_of_their_calls_are_not(room):
    script = """
import fcntl
f = open("a", "w"); fcntl.fcntl(f, fcntl.F_GETFL); fcntl.lockf(f, fcntl.LOCK_EX); fcntl.flock(f, fcntl.LOCK_SH)
"""
    seen = paths(room, script, lambda call: call.kind is Kind.LOCK)
    assert [("fcntl", "/a"), ("flock", "/a")] == seen


def test_a_file_mapped_to_be_written_is_named_as_what_nobody_sees(room):
    room.apply([Write("{home}/a", b"old"), Write("{home}/b", b"old")])
    script = """
import mmap
with open("a", "r+b") as f, mmap.mmap(f.fileno(), 3) as m: m[:] = b"new"
with open("b", "rb") as f, mmap.mmap(f.fileno(), 3, prot=mmap.PROT_READ) as m: print(m[:])
"""
    seen = Seen(room, lambda call: call.kind in (Kind.MAP, Kind.WRITE))
    with supervisor(room, seen) as sup:
        (end,) = room.run_together([a_run(room, sup, *PYTHON, script)])
    assert (0, "b'old'\n") == said(end)
    assert [("mmap", "/a")] == seen, "no write was seen"
    assert (f"{room.roots.home}/a",) == sup.mapped()
    assert b"new" == data(room, "{home}/a")


def test_children_threads_and_their_children_are_one_run(both):
    script = """
import os, subprocess, threading
def thread():
    open("thread", "w").close()
    subprocess.run(["sh", "-c", "> grandchild; (> great) & wait"])
t = threading.Thread(target=thread); t.start(); t.join()
if os.fork() == 0:
    open("forked", "w").close(); os._exit(0)
os.wait()
os.spawnv(os.P_WAIT, "/bin/sh", ["sh", "-c", "setsid sh -c '> daemon'"])
"""
    seen = Seen(both, lambda call: call.kind is Kind.OPEN and call.flags & os.O_CREAT)
    assert 0 == ended(both, seen, *PYTHON, script).exit_code
    assert ["/thread", "/grandchild", "/great", "/forked", "/daemon"] == [path for _, path in seen]
    numbers = [call.process for call in seen.calls]
    assert sorted(set(numbers)) == sorted(numbers), "each is a process of its own"
    thread = seen.calls[0]
    assert thread.pid != thread.tid, "of a thread it is the process that counts"


def test_two_runs_of_one_supervisor_are_told_apart(both):
    seen = Seen(both, lambda call: call.kind is Kind.WRITE)
    with supervisor(both, seen) as sup:
        runs = [a_run(both, sup, "sh", "-c", f"echo {name} > ~/{name}") for name in ("one", "two")]
        ends = both.run_together(runs)
    assert [0, 0] == [end.exit_code for end in ends]
    assert {(0, 0, "/one"), (1, 0, "/two")} == {
        (call.run, call.process, path) for call, (_, path) in zip(seen.calls, seen, strict=True)
    }


def test_a_process_that_has_ended_leaves_its_number_to_nobody(room):
    seen = Seen(room, lambda call: call.kind is Kind.UNLINK)
    script = "for n in 1 2 3; do > ~/$n; rm ~/$n; done"
    with supervisor(room, seen, names=frozenset({"unlink", "unlinkat"})) as sup:
        room.run_together([a_run(room, sup, "sh", "-c", script)])
        assert sup._all[0].over.wait(20)
        assert () == sup.processes(0)
    assert [0, 1, 2] == [call.process for call in seen.calls]


def test_a_supervisor_of_nothing_costs_nothing_and_sees_nothing(room):
    seen = Seen(room)
    assert (0, "") == said(ended(room, seen, "sh", "-c", "> ~/a", names=frozenset()))
    assert [] == seen


def test_a_system_call_of_io_uring_does_not_exist(room):
    script = (
        "import ctypes; libc = ctypes.CDLL(None, use_errno=True); print(libc.syscall(425, 1, 0), ctypes.get_errno())"
    )
    assert (0, "-1 38\n") == said(ended(room, lambda call: Go(), *PYTHON, script))
