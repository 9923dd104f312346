"""Faults in a real sandbox: put in place by name, with the proof that the harness itself met them."""

import pytest

from harness.core.fault import Fault, Injection
from harness.errors import FileFormatError
from harness.faults import filesystem
from harness.faults.catalogue import EVERY, inject
from harness.sandbox import MakeDirectory, Sandbox, Write, base_environment

FILE = "{home}/deep/file"


def injected(sandbox: Sandbox, name: str, path: str = FILE, **params: object) -> Injection:
    return inject(Fault(name, path, params), sandbox, 7)


def shell(sandbox: Sandbox, script: str) -> str:
    environment = {**base_environment(sandbox.roots), "LC_ALL": "C"}
    ended = sandbox.run(("sh", "-c", script), env=environment, cwd="{home}", timeout_s=20.0)
    return (ended.stdout + ended.stderr).decode()


def test_the_catalogue_names_every_kind_once_with_a_meaning():
    names = [fault.name for fault in EVERY]
    assert len(names) == len(set(names))
    assert all(fault.meaning for fault in EVERY)
    placed = {f"filesystem.{kind}" for kind in filesystem.KINDS}
    assert placed == {name for name in names if name.startswith("filesystem.")}


@pytest.mark.parametrize("there", [True, False], ids=["over a file", "over nothing"])
@pytest.mark.parametrize(
    ("kind", "proof"),
    [
        ("missing", "missing"),
        ("empty", "empty"),
        ("directory", "directory"),
        ("fifo", "fifo"),
        ("symlink_loop", "symlink_loop"),
        ("dangling_link", "missing"),
        ("link_outside", "directory"),
        ("file_for_directory", "file"),
    ],
)
def test_what_stands_at_a_path_is_changed_and_proven(sandbox, kind, proof, there):
    if there:
        sandbox.apply([Write(FILE, b"text")])
    found = injected(sandbox, f"filesystem.{kind}")
    assert found == Injection(Fault(f"filesystem.{kind}", FILE), armed=True, proof=proof)


@pytest.mark.parametrize(
    ("kind", "script", "says"),
    [
        ("dangling_link", "readlink deep/file", "/outside/nowhere"),
        ("link_outside", "echo x > deep/file/new; ls {outside}/lured", "new"),
        ("symlink_loop", "cat deep/file", "Too many levels of symbolic links"),
        ("fifo", "test -p deep/file && echo pipe", "pipe"),
        ("file_for_directory", "mkdir deep/file/below", "Not a directory"),
    ],
)
def test_a_program_meets_what_the_harness_proved(sandbox, kind, script, says):
    sandbox.apply([MakeDirectory("{home}/deep")])
    injected(sandbox, f"filesystem.{kind}")
    assert says in shell(sandbox, script.replace("{outside}", sandbox.roots.outside))


@pytest.mark.parametrize("there", [True, False], ids=["over a file", "over nothing"])
def test_an_unreadable_file_is_proven_by_a_program_that_met_it(sandbox, there):
    if there:
        sandbox.apply([Write(FILE, b"text")])
    found = injected(sandbox, "filesystem.unreadable")
    # without namespaces real root keeps its capabilities and reads on: then there is no proof, and nothing is witnessed
    refused = "Permission denied" in shell(sandbox, "cat deep/file")
    assert refused or not sandbox.containment.namespaces
    assert found == Injection(Fault("filesystem.unreadable", FILE), armed=True, proof="EACCES" if refused else "")


@pytest.mark.parametrize("kind", ["directory", "fifo", "symlink_loop", "empty", "file_for_directory", "missing"])
def test_a_whole_directory_gives_way_to_a_fault(sandbox, kind):
    sandbox.apply([Write("{home}/deep/file/below", b"text")])
    assert injected(sandbox, f"filesystem.{kind}").proof


def test_a_read_only_place_refuses_writes_until_the_world_is_fresh(contained):
    contained.apply([Write("{home}/place/a", b"text")])
    assert injected(contained, "filesystem.read_only", "{home}/place").proof == "EROFS"
    assert "Read-only file system" in shell(contained, "echo x > place/b")
    contained.fresh()
    assert shell(contained, "mkdir place && echo x > place/b && cat place/b") == "x\n"


@pytest.mark.parametrize(("free_bytes", "fits"), [(0, False), (8192, True)])
def test_a_full_disk_has_only_what_is_left_free(contained, free_bytes, fits):
    contained.apply([MakeDirectory("{home}/place")])
    assert injected(contained, "filesystem.full", "{home}/place", free_bytes=free_bytes).proof == "ENOSPC"
    said = shell(contained, "head -c 4096 /dev/zero > place/b")
    assert fits is ("No space left" not in said)


@pytest.mark.parametrize("kind", ["read_only", "full"])
def test_a_fault_that_this_machine_refuses_is_not_armed(plain, kind):
    plain.apply([MakeDirectory("{home}/place")])
    found = injected(plain, f"filesystem.{kind}", "{home}/place")
    assert found.armed is False
    assert "namespace" in found.proof


def test_a_damaged_file_is_proven_by_having_changed(sandbox):
    sandbox.apply([Write(FILE, b'{"role": "user"}\n{"role": "assistant"}\n')])
    found = injected(sandbox, "jsonl.garbage_lines", count=2)
    assert found == Injection(Fault("jsonl.garbage_lines", FILE, {"count": 2}), armed=True, proof="changed")
    assert sandbox.read(FILE).data.count(b"\n") == 4


def test_damage_that_changes_nothing_proves_nothing(sandbox):
    sandbox.apply([Write(FILE, b"one line without an end")])
    assert injected(sandbox, "jsonl.interleaved") == Injection(Fault("jsonl.interleaved", FILE), armed=True, proof="")
    assert sandbox.read(FILE).data == b"one line without an end"


def test_the_control_of_a_damage_means_the_same_lines(sandbox):
    lines = [b'{"n": %d}' % n for n in range(50)]
    whole = b"\n".join(lines) + b"\n"
    sandbox.apply([Write(FILE, whole)])
    injected(sandbox, "jsonl.interleaved")
    damaged = sandbox.read(FILE).data.splitlines()
    sandbox.apply([Write(FILE, whole)])
    injected(sandbox, "jsonl.interleaved", deleted=True)
    assert sandbox.read(FILE).data.splitlines() == [line for line in damaged if line in lines]


@pytest.mark.parametrize(("there", "proof"), [(b'{"a": 1}', "changed"), (b"null", ""), (None, "changed")])
def test_a_document_is_damaged_or_made(sandbox, there, proof):
    if there is not None:
        sandbox.apply([Write(FILE, there)])
    assert injected(sandbox, "json_document.null").proof == proof
    assert sandbox.read(FILE).data == b"null"


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (Fault("jsonl.nonsense", FILE), "there is no fault 'jsonl.nonsense'; `windtunnel list faults` names them"),
        (Fault("filesystem.missing"), "the fault filesystem.missing needs a path"),
        (Fault("filesystem.missing", "deep/file"), "its path 'deep/file' has to begin with a root"),
        (Fault("filesystem.missing", "{nowhere}/file"), "its path '{nowhere}/file' has to begin with a root"),
        (Fault("jsonl.garbage_lines", FILE, {"count": "many"}), "count has to be a whole number, not 'many'"),
        (Fault("jsonl.garbage_lines", FILE, {"cuont": 3}), "has no parameter 'cuont'; it has: count, deleted"),
        (Fault("jsonl.bom", FILE, {"count": 3}), "has no parameter 'count'; it has: deleted"),
        (Fault("filesystem.fifo", FILE, {"deleted": True}), "has no parameter 'deleted'; it has: none"),
        (
            Fault("filesystem.full", "{home}", {"free_bytes": -1}),
            "free_bytes has to be a whole number of at least 0, not -1",
        ),
        (Fault("filesystem.full", "{home}", {"free_bytes": True}), "free_bytes has to be a whole number of at least 0"),
        (Fault("filesystem.full", "{home}", {"free_bytes": "0"}), "free_bytes has to be a whole number of at least 0"),
    ],
)
def test_a_fault_that_is_written_wrongly_is_the_files_fault(plain, fault, says):
    with pytest.raises(FileFormatError) as caught:
        inject(fault, plain, 1)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)
