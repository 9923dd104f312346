"""Files in a sandbox: actions, reads, snapshots, and the way back to the beginning."""

import hashlib
from pathlib import Path

import pytest
from shell import shell

from harness.core.history import InputFact
from harness.errors import HarnessFault, MachineError
from harness.sandbox import (
    Chmod,
    MakeDirectory,
    MakeFifo,
    Remove,
    Sandbox,
    SandboxPlan,
    SetTime,
    Symlink,
    Write,
)


def test_actions_do_what_they_say(sandbox: Sandbox) -> None:
    sandbox.apply(
        [
            Write("{home}/deep/er/file", b"text", mode=0o600, mtime_s=1000.5),
            MakeDirectory("{tmp}/dir", 0o700),
            MakeFifo("{outside}/pipe"),
            Symlink("{home}/link", "{home}/deep"),
            Write("{home}/replaced", b"1"),
            Remove("{home}/replaced"),
            MakeDirectory("{home}/replaced/now"),
            Write("{tmp}/t", b""),
            SetTime("{tmp}/t", 5.0),
        ]
    )
    found = sandbox.snapshot()
    assert {path: fact.kind for path, fact in found.items()} == {
        "{home}/deep": "directory",
        "{home}/deep/er": "directory",
        "{home}/deep/er/file": "file",
        "{home}/link": "symlink",
        "{home}/replaced": "directory",
        "{home}/replaced/now": "directory",
        "{tmp}/dir": "directory",
        "{tmp}/t": "file",
        "{outside}/pipe": "fifo",
    }
    file = found["{home}/deep/er/file"]
    assert (file.size, file.mtime_s, file.sha256) == (4, 1000.5, hashlib.sha256(b"text").hexdigest())
    assert found["{tmp}/t"].mtime_s == 5.0
    assert shell(sandbox, "stat -c %a ~/deep/er/file; readlink ~/link").stdout.decode().split() == [
        "600",
        f"{sandbox.roots.home}/deep",
    ]


def test_removing_replacing_and_modes(sandbox: Sandbox) -> None:
    sandbox.apply([Write("{home}/a/b", b"1"), Remove("{home}/a"), Remove("{home}/never"), Write("{tmp}/a", b"1")])
    sandbox.apply(
        [Symlink("{tmp}/a", "b"), Write("{tmp}/c", b"", mode=0o644), Chmod("{tmp}/c", 0o400), Remove("{tmp}/d/e")]
    )
    assert {path: fact.kind for path, fact in sandbox.snapshot().items()} == {"{tmp}/a": "symlink", "{tmp}/c": "file"}
    assert shell(sandbox, 'stat -c %a "${TMPDIR:-/tmp}/c"').stdout == b"400\n"
    sandbox.apply([Remove("{tmp}")])
    assert sandbox.snapshot() == {}


def test_an_action_that_fails_is_named_by_its_placeholder(sandbox: Sandbox) -> None:
    with pytest.raises(MachineError, match=r"\{home\}/none"):
        sandbox.apply([Chmod("{home}/none", 0o600)])
    with pytest.raises(HarnessFault, match="must begin with a root"):
        sandbox.apply([Remove("relative")])


def test_reading_tells_every_kind_and_never_blocks(sandbox: Sandbox) -> None:
    sandbox.apply(
        [
            Write("{home}/file", b"abc"),
            MakeDirectory("{home}/dir"),
            MakeFifo("{home}/fifo"),
            Symlink("{home}/loop", "loop"),
            Symlink("{home}/link", "file"),
        ]
    )
    kinds = {name: sandbox.read(f"{{home}}/{name}").kind for name in ("dir", "fifo", "loop", "none", "file/x")}
    assert kinds == {
        "dir": "directory",
        "fifo": "fifo",
        "loop": "symlink_loop",
        "none": "missing",
        "file/x": "missing",
    }
    assert sandbox.read("{home}/link") == InputFact("file", 3, b"abc")
    assert sandbox.read("{home}/file", limit=2) == InputFact("file", 3, None)


def test_a_look_is_a_snapshot_with_what_is_read_at_the_same_moment(sandbox: Sandbox) -> None:
    assert ({}, {"{home}/a": InputFact("missing")}) == sandbox.look(["{home}/a"], 9)
    assert ({}, {"{home}/a": InputFact("missing")}) == sandbox.look(["{home}/a"], 9), "it is still known to be empty"
    sandbox.apply([Write("{home}/a", b"abc"), Write("{home}/b", b"longer")])
    seen = sandbox.look(["{home}/b", "{home}/a", "{home}"], 3)
    assert sandbox.snapshot() == seen.files
    assert {
        "{home}/b": InputFact("file", 6, None),
        "{home}/a": InputFact("file", 3, b"abc"),
        "{home}": InputFact("directory"),
    } == seen.inputs
    assert (seen.files, {}) == sandbox.look([], 3)


def test_a_snapshot_survives_what_programs_leave(sandbox: Sandbox) -> None:
    shell(
        sandbox,
        "cd; mkfifo p; ln -s nowhere l; printf x > \"$(printf 'bad\\377')\"; truncate -s 2M big; mkdir -m 0 shut",
    )
    found = sandbox.snapshot()
    assert {path: fact.kind for path, fact in found.items()} == {
        "{home}/bad\\xff": "file",
        "{home}/big": "file",
        "{home}/l": "symlink",
        "{home}/p": "fifo",
        "{home}/shut": "directory",
    }
    assert found["{home}/big"].sha256 == ""
    assert sandbox.snapshot() == found


def test_the_snapshot_of_the_project_is_what_differs(sandbox: Sandbox) -> None:
    assert sandbox.snapshot() == {}
    shell(sandbox, "echo new > new; rm hook.sh; echo '{\"a\":1}' > sub/state.json")
    assert {path: fact.kind for path, fact in sandbox.snapshot().items()} == {
        "{project}/hook.sh": "deleted",
        "{project}/new": "file",
        "{project}/sub/state.json": "file",
    }


def test_a_directory_that_replaced_another_hides_what_was_in_it(sandbox: Sandbox) -> None:
    shell(sandbox, "rm -r sub && mkdir sub")
    assert sandbox.snapshot()["{project}/sub/state.json"].kind == "deleted"
    shell(sandbox, "rmdir sub")
    kinds = {path: fact.kind for path, fact in sandbox.snapshot().items()}
    assert kinds == {"{project}/sub": "deleted"}


def test_fresh_brings_the_beginning_back(sandbox: Sandbox) -> None:
    script = """
    echo x > new; rm -r sub; chmod 700 .; echo changed > hook.sh
    mkdir -p ~/a/b "${TMPDIR:-/tmp}/c"; mkdir -m 0 ~/shut; chmod 500 ~ ; touch {outside}/z
    sleep 1000 & exec sleep 1000
    """.replace("{outside}", sandbox.roots.outside)
    shell(sandbox, script, timeout_s=0.3)
    assert sandbox.snapshot() != {}
    sandbox.fresh()
    assert sandbox.snapshot() == {}
    assert shell(sandbox, "./hook.sh; cat sub/state.json; touch ~/writable").stdout == b"hook\n{}"


def test_fresh_empties_the_shared_places_too(contained: Sandbox) -> None:
    shell(contained, "touch /dev/shm/a /var/tmp/b /run/c")
    assert list(contained.snapshot()) == ["/dev/shm/a", "/run/c", "/var/tmp/b"]
    contained.fresh()
    assert contained.snapshot() == {}


def test_a_planted_link_leads_no_action_out_of_a_plain_sandbox(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("x")
    with Sandbox(SandboxPlan(force_fallback=True)) as sandbox:
        shell(sandbox, f"ln -s {tmp_path} ~/trap")
        for action in (Remove("{home}/trap/precious"), Write("{home}/trap/precious", b"y")):
            with pytest.raises(MachineError, match="leads out"):
                sandbox.apply([action])
        sandbox.fresh()
    assert (tmp_path / "precious").read_text() == "x"


def test_a_project_that_nobody_may_write_to_is_writable_again(sandbox: Sandbox) -> None:
    before = shell(sandbox, "stat -c %a .").stdout
    sandbox.apply([Chmod("{project}", 0o555)])
    assert shell(sandbox, "stat -c %a .").stdout == b"555\n"
    sandbox.fresh()
    assert shell(sandbox, "stat -c %a .").stdout == before
