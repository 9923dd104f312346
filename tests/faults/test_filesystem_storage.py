"""Storage that fails by mounts, modes and processes: proven by the harness, met by a program, gone with the world."""

import json
import time

import needs
import pytest

from harness.core.fault import Fault, Injection
from harness.faults.catalogue import inject
from harness.faults.filesystem import MEMORY_BYTES, OLD_S
from harness.sandbox import MakeDirectory, Sandbox, Surroundings, Symlink, Write, base_environment

FILE = "{home}/deep/file"
PLACE = "{home}/deep"
MOUNTED = ("no_inodes", "busy", "full_device", "read_only", "full")
PYTHON = "/usr/bin/python3"


def injected(sandbox: Sandbox, name: str, path: str = FILE, **params: object) -> Injection:
    return inject(Fault(f"filesystem.{name}", path, params), sandbox, 7)


def shell(sandbox: Sandbox, script: str) -> str:
    environment = {**base_environment(sandbox.roots), "LC_ALL": "C"}
    ended = sandbox.run(("sh", "-c", script), env=environment, cwd="{home}", timeout_s=20.0)
    return (ended.stdout + ended.stderr).decode()


@pytest.mark.parametrize(
    ("kind", "path", "proof"),
    [
        ("no_inodes", PLACE, "ENOSPC"),
        ("no_inodes", "{home}", "ENOSPC"),
        ("no_inodes", "{project}", "ENOSPC"),
        ("busy", FILE, "EBUSY"),
        ("full_device", FILE, "ENOSPC"),
        ("not_writable", FILE, "EACCES"),
        ("not_writable", PLACE, "EACCES"),
        ("not_writable", "{home}", "EACCES"),
        ("not_writable", "{project}", "EACCES"),
        ("parent_missing", FILE, "missing"),
        ("leftover", FILE, "file"),
        ("leftover", PLACE, "file"),
        ("leftover", "{home}", "file"),
        ("vanishing", FILE, "vanishing"),
        ("vanishing", PLACE, "vanishing"),
        ("growing", FILE, "growing"),
    ],
)
@pytest.mark.parametrize("there", [True, False], ids=["over something", "over nothing"])
def test_each_is_proven_and_gone_with_the_world(contained, kind, path, proof, there):
    if there:
        contained.apply([Write(FILE, b"text")])
    found = injected(contained, kind, path)
    assert found == Injection(Fault(f"filesystem.{kind}", path), armed=True, proof=proof)
    contained.renew()
    assert contained.snapshot() == {}
    assert contained.kill_everything() == ()
    assert shell(contained, "mkdir deep && echo x > deep/file && mv deep/file deep/other && cat deep/other") == "x\n"
    assert shell(contained, "touch $PWD/../../project/x ~/y && echo done") == "done\n"


@pytest.mark.parametrize("kind", ["busy", "full_device", "not_writable"])
def test_a_mount_or_mode_leaves_the_mounts_as_they_were(contained, kind):
    before = shell(contained, "wc -l < /proc/self/mountinfo")
    for name in ("a", "b", "a"):
        injected(contained, kind, f"{{home}}/{name}")
    contained.fresh()
    assert shell(contained, "wc -l < /proc/self/mountinfo") == before


@pytest.mark.parametrize(
    ("kind", "path", "script", "says"),
    [
        ("no_inodes", PLACE, "echo more >> deep/file && echo written; touch deep/new", "No space left"),
        ("no_inodes", "{home}", "echo more >> deep/file && echo written; touch new", "No space left"),
        ("busy", FILE, "echo more >> deep/file && echo written; echo x > t; mv t deep/file; rm deep/file", "busy"),
        (
            "full_device",
            FILE,
            "head -c 3 deep/file | wc -c; (exec >> deep/file) && echo written; head -c 9 /dev/zero > deep/file",
            "No space left",
        ),
        (
            "not_writable",
            FILE,
            "cat deep/file; echo x > t && mv -f t deep/file && echo written; chmod 444 deep/file; echo x >> deep/file",
            "Permission denied",
        ),
        (
            "not_writable",
            PLACE,
            "cat deep/file; echo more >> deep/file && echo written; touch deep/new",
            "Permission denied",
        ),
    ],
)
def test_a_program_meets_it_and_nothing_else(contained, kind, path, script, says):
    contained.apply([Write(FILE, b"text\n")])
    injected(contained, kind, path)
    said = shell(contained, script)
    assert "written\n" in said
    assert says in said


@pytest.mark.parametrize("kind", MOUNTED)
def test_a_mount_is_refused_without_namespaces(plain, kind):
    plain.apply([Write(FILE, b"text")])
    found = injected(plain, kind)
    assert (found.armed, "needs namespaces" in found.proof) == (False, True)
    assert plain.surroundings == Surroundings()
    assert plain.read(FILE).data == b"text"


@pytest.mark.parametrize(
    ("kind", "path"),
    [("parent_missing", FILE), ("leftover", FILE), ("vanishing", FILE), ("vanishing", PLACE), ("growing", FILE)],
)
def test_the_others_need_none(plain, kind, path):
    plain.apply([Write(FILE, b"text")])
    found = injected(plain, kind, path)
    assert found.armed
    assert found.proof
    plain.fresh()
    assert plain.snapshot() == {}
    assert plain.kill_everything() == ()


@needs.system_python
def test_a_disk_that_fills_takes_a_part_first_and_then_nothing(contained):
    contained.apply([MakeDirectory(PLACE)])
    assert injected(contained, "full", PLACE, free_bytes=4096).proof == "ENOSPC"
    script = (
        "import os, errno\n"
        "fd = os.open('deep/new', os.O_CREAT | os.O_WRONLY)\n"
        "print(os.write(fd, bytes(10000)))\n"
        "try: os.write(fd, bytes(10000))\n"
        "except OSError as error: print(errno.errorcode[error.errno])"
    )
    ended = contained.run((PYTHON, "-I", "-c", script), env={}, cwd="{home}", timeout_s=20.0)
    assert ended.stdout == b"4096\nENOSPC\n"


def test_a_device_without_end_comes_with_a_limit_on_memory(contained):
    injected(contained, "full_device")
    assert contained.surroundings == Surroundings(limits={"memory": MEMORY_BYTES})
    assert contained.snapshot()[FILE].kind == "device"
    limited = contained.run(("/bin/sh", "-c", "ulimit -d"), env={}, cwd="/", timeout_s=20.0, surrounded=True)
    assert int(limited.stdout) == MEMORY_BYTES // 1024


@needs.system_python
def test_who_reads_a_device_to_its_end_fails_and_harms_nobody(contained):
    injected(contained, "full_device")
    contained.surround(Surroundings(limits={"memory": 64 * 1024 * 1024}))
    command = (PYTHON, "-I", "-c", "open('deep/file', 'rb').read()")
    ended = contained.run(command, env={}, cwd="{home}", timeout_s=60.0, surrounded=True)
    assert (ended.timed_out, ended.stderr.strip()[-11:]) == (False, b"MemoryError")


def test_what_was_left_over_is_old_and_beside_and_within(sandbox):
    sandbox.apply([Write("{home}/deep/state/a", b"a")])
    injected(sandbox, "leftover", "{home}/deep/state")
    found = {path: fact.mtime_s for path, fact in sandbox.snapshot().items() if fact.kind == "file"}
    beside = {f"{{home}}/deep/{name}" for name in ("state.tmp", "state.lock", "state~", "state.bak", ".state.swp")}
    within = {f"{{home}}/deep/state/left{ending}" for ending in (".tmp", ".lock", "~", ".bak")}
    assert set(found) == {*beside, *within, "{home}/deep/state/a"}
    assert {found[path] for path in beside | within} == {OLD_S}


def test_what_was_left_over_holds_what_the_file_held(sandbox):
    sandbox.apply([Write(FILE, b"the text")])
    injected(sandbox, "leftover")
    assert sandbox.read(f"{FILE}.tmp").data == b"the text"
    assert sandbox.read(FILE).data == b"the text"


@pytest.mark.parametrize(
    ("kind", "path", "says"),
    [
        ("parent_missing", "{home}/file", "lies in a root"),
        ("vanishing", "{home}", "is a root"),
        ("vanishing", "{home}/link", "ELOOP"),
        ("growing", "{home}/dir", "EISDIR"),
        ("busy", "{home}/dir", "only a regular file"),
        ("full_device", "{home}/dir", "only a regular file"),
    ],
)
def test_where_it_cannot_be_is_said(contained, kind, path, says):
    contained.apply([MakeDirectory("{home}/dir"), Write("{home}/other", b""), Symlink("{home}/link", "{home}/other")])
    before = contained.snapshot()
    found = injected(contained, kind, path)
    assert found.armed is False
    assert says in found.proof
    assert before == contained.snapshot()


@pytest.mark.parametrize("kind", ["vanishing", "growing"])
def test_what_moves_is_armed_in_milliseconds(sandbox, kind):
    costs = []
    for _ in range(8):
        sandbox.fresh()
        sandbox.apply([Write(FILE, b"text")])
        began = time.perf_counter()
        assert injected(sandbox, kind).proof == kind
        costs.append(time.perf_counter() - began)
    assert min(costs) < 0.05, "3 ms; this bound is for machines under load"


def test_what_grows_stays_lines_of_json(sandbox):
    sandbox.apply([Write(FILE, b'{"role": "user"}\n')])
    injected(sandbox, "growing")
    lines = (sandbox.read(FILE).data or b"").splitlines()
    assert len(lines) > 2
    assert {json.loads(line)["role"] for line in lines[1:]} == {"system"}
