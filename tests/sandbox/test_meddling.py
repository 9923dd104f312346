"""What goes on beside runs: it is there when it says so, stands still while someone looks, and ends with the world."""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from shell import shell, shell_run

from harness.errors import MachineError
from harness.sandbox import Ended, MakeDirectory, Sandbox, SandboxPlan, Write, base_environment, meddlers

BESIDE = "{home}/.windtunnel-x"  # where a directory is while it is away


@pytest.fixture(params=["namespaces", "plain"])
def empty(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """A sandbox without a project, which is the kind that can be renewed."""
    if request.param == "namespaces":
        request.getfixturevalue("namespaces")
    with Sandbox(SandboxPlan(force_fallback=request.param == "plain")) as sandbox:
        yield sandbox


def looks(sandbox: Sandbox, test: str, times: int = 60) -> Ended:
    """One letter for each of so many looks of a program: y when ``test`` holds, otherwise n."""
    script = f"i=0; while [ $i -lt {times} ]; do i=$((i+1)); {test} && printf y || printf n; sleep 0.0013; done"
    return shell(sandbox, script)


def in_time(sandbox: Sandbox, test: str) -> bool:
    """Whether ``test`` holds for a program within some seconds."""
    return (
        shell(sandbox, f"i=0; until {test}; do i=$((i+1)); [ $i -gt 500 ] && exit 1; sleep 0.01; done").exit_code == 0
    )


def test_a_file_comes_and_goes_and_comes_back_whole(sandbox: Sandbox) -> None:
    sandbox.apply([Write("{home}/f", b"whole", 0o640, 1000.0)])
    assert sandbox.meddle(("@vanishing", "{home}/f", BESIDE)) == ""
    assert set(sandbox.watch("{home}/f")) == {"5", "missing"}
    assert (True, True) == (in_time(sandbox, "test -e ~/f"), in_time(sandbox, "! test -e ~/f"))
    assert set(looks(sandbox, 'v=$(cat ~/f 2>/dev/null); test "${v:-whole}" = whole').stdout) == set(b"y")
    assert in_time(sandbox, '[ "$(stat -c %a-%Y ~/f 2>/dev/null)" = 640-1000 ]')


def test_a_directory_comes_and_goes_with_all_that_is_in_it(sandbox: Sandbox) -> None:
    sandbox.apply([Write("{home}/d/e/f", b"whole")])
    sandbox.meddle(("@vanishing", "{home}/d", BESIDE))
    assert len(sandbox.watch("{home}/d")) == 2
    assert (True, True) == (in_time(sandbox, "test -e ~/d/e/f"), in_time(sandbox, "! test -e ~/d/e/f"))
    assert list(sandbox.snapshot()) == ["{home}/d", "{home}/d/e", "{home}/d/e/f"]


def test_what_a_program_writes_meanwhile_is_not_lost(sandbox: Sandbox) -> None:
    sandbox.apply([MakeDirectory("{home}/d")])
    sandbox.meddle(("@vanishing", "{home}/d", BESIDE))
    wrote = shell(
        sandbox,
        "cd; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do"
        " until { mkdir -p d/s && echo $i > d/s/$i; } 2>/dev/null; do :; done; done",
        timeout_s=60,
    )
    assert wrote.exit_code == 0
    assert {f"{{home}}/d/s/{n}" for n in range(1, 21)} <= set(sandbox.snapshot())


def test_a_file_that_a_program_replaces_stays_what_it_became(sandbox: Sandbox) -> None:
    sandbox.apply([Write("{home}/f", b"old")])
    sandbox.meddle(("@vanishing", "{home}/f", BESIDE))
    shell(sandbox, "cd; for i in 1 2 3 4 5 6 7 8 9; do echo new > t && mv t f; sleep 0.002; done")
    assert sandbox.read("{home}/f").data == b"new\n"


def test_a_file_that_a_program_removed_stays_away(sandbox: Sandbox) -> None:
    sandbox.apply([Write("{home}/f", b"old")])
    sandbox.meddle(("@vanishing", "{home}/f", BESIDE))
    assert shell(sandbox, "until rm ~/f 2>/dev/null; do :; done").exit_code == 0
    assert sandbox.watch("{home}/f", 0.05) == ("missing",)
    assert sandbox.read("{home}/f").kind == "missing"


def test_a_file_that_is_removed_while_it_is_taken_stays_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = os.fsencode(tmp_path / "f")
    Path(os.fsdecode(path)).write_bytes(b"old")
    rename = os.rename
    monkeypatch.setattr(os, "rename", lambda taken, hidden: (os.unlink(taken), rename(taken, hidden)))
    with pytest.raises(FileNotFoundError):
        meddlers._take(path, os.fsencode(tmp_path / "hidden"))
    assert os.listdir(tmp_path) == []


CALLS = ("lstat", "rename", "link", "open", "fstat", "unlink", "read", "close", "listdir", "rmdir", "fchmod", "utime")


def before_call(monkeypatch: pytest.MonkeyPatch, number: int, do: Callable[[], None]) -> list[str]:
    """Before the call of that number of those that are made from now on ``do`` is done; their names, as they are made."""
    made: list[str] = []

    def struck(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def calling(*args: Any, **more: Any) -> Any:
            made.append(name)
            if len(made) == number:
                monkeypatch.undo()
                do()
            return call(*args, **more)

        return calling

    for name in CALLS:
        monkeypatch.setattr(os, name, struck(name, getattr(os, name)))
    return made


@pytest.mark.parametrize("kind", ["file", "directory", "made anew"])
def test_what_a_program_puts_there_at_any_moment_is_what_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    struck: list[str] = []
    for number in range(1, 100):
        room = tmp_path / str(number)
        path, file, beside = room / "d", room / "d" / "f", tmp_path / "new"
        path.mkdir(parents=True)
        file.write_bytes(b"old")

        def put(file: Path = file, beside: Path = beside) -> None:
            file.parent.mkdir(exist_ok=True)
            beside.write_bytes(b"new")
            beside.replace(file)

        hidden = os.fsencode(room / "hidden")
        if kind == "made anew":
            back = meddlers._take(os.fsencode(path), hidden)
            path.mkdir()
            (path / "g").touch()
            made = before_call(monkeypatch, number, put)
            back()
        else:
            made = before_call(monkeypatch, number, put)
            meddlers._take(os.fsencode(file if kind == "file" else path), hidden)()
        monkeypatch.undo()
        assert ["d"] == os.listdir(room)
        assert {"f"} == set(os.listdir(path)) - {"g"}
        if number > len(made):
            assert b"old" == file.read_bytes()
            break
        assert b"new" == file.read_bytes(), made
        struck.append(made[-1])
    assert {"rename", "lstat"} <= set(struck)
    assert number > 4


def test_whoever_looks_from_outside_finds_it_there(sandbox: Sandbox) -> None:
    sandbox.apply([Write("{home}/f", b"x"), MakeDirectory("{home}/d")])
    sandbox.meddle(("@vanishing", "{home}/f", BESIDE))
    sandbox.meddle(("@vanishing", "{home}/d", BESIDE + "2"))
    assert {sandbox.read("{home}/f").kind for _ in range(50)} == {"file"}
    assert {tuple(sandbox.snapshot()) for _ in range(50)} == {("{home}/d", "{home}/f")}
    assert len(sandbox.watch("{home}/f")) == 2, "and afterwards it goes on"


def test_a_file_grows_up_to_a_limit(sandbox: Sandbox) -> None:
    line = "x" * 4095 + "\n"
    sandbox.apply([Write("{home}/f", b"first\n")])
    sandbox.meddle(("@growing", "{home}/f", line))
    first, second = map(int, sandbox.watch("{home}/f"))
    assert first < second
    full = 6 + 128 * 1024
    assert in_time(sandbox, f"[ $(wc -c < ~/f) = {full} ]")
    assert sandbox.watch("{home}/f", 0.05) == (str(full),)
    assert (sandbox.read("{home}/f").data or b"").splitlines()[0] == b"first"


def test_a_file_that_grows_and_is_removed_is_not_made_again(sandbox: Sandbox) -> None:
    sandbox.apply([Write("{home}/f", b"")])
    sandbox.meddle(("@growing", "{home}/f", "x\n"))
    shell(sandbox, "rm ~/f")
    assert sandbox.watch("{home}/f", 0.05) == ("missing",)


def test_a_lock_is_held(sandbox: Sandbox) -> None:
    sandbox.meddle(("@locking", "{home}/a.lock", "{home}/b.lock"))
    assert shell(sandbox, "flock -n ~/a.lock true; echo $?; flock -n ~/c.lock true; echo $?").stdout == b"1\n0\n"
    with pytest.raises(MachineError, match="EAGAIN"):
        sandbox.meddle(("@locking", "{home}/b.lock"))
    assert sandbox.read("{home}/b.lock").kind == "file"


def test_a_server_answers_on_the_loopback_and_only_in_there(sandbox: Sandbox) -> None:
    port = sandbox.meddle(("@serving", "HTTP/1.1 429 Too Many\r\n\r\n"))
    silent = sandbox.meddle(("@serving",))
    ask = 'exec 3<>/dev/tcp/127.0.0.1/$0; echo "GET /" >&3; read -t 0.2 -r line <&3; echo "$line"'
    said = [
        sandbox.run(("bash", "-c", ask, at), env=base_environment(sandbox.roots), cwd="/", timeout_s=20).stdout.strip()
        for at in (port, port, silent)
    ]
    assert said == [b"HTTP/1.1 429 Too Many", b"HTTP/1.1 429 Too Many", b""]
    listening = {
        connection.laddr.port for connection in psutil.net_connections("tcp4") if connection.status == "LISTEN"
    }
    assert (int(port) in listening) is not sandbox.containment.network_isolated


def test_a_command_goes_on_beside_runs_and_is_not_counted_against_them(sandbox: Sandbox) -> None:
    assert sandbox.meddle(("sh", "-c", "setsid sleep 1000 & sleep 1000")) == ""
    assert in_time(sandbox, "[ $(grep -c sleep /proc/[0-9]*/comm | grep -c ':1') -ge 2 ]")
    assert shell(sandbox, "true").children_left == ()
    assert shell(sandbox, "sleep 1000 & true").children_left == ("sleep",)
    assert sandbox.run_together([shell_run(sandbox, "sleep 1000", timeout_s=0.1)])[0].timed_out
    assert {"sh", "sleep"} <= set(sandbox.kill_everything())


def test_none_of_them_has_a_capability(contained: Sandbox) -> None:
    contained.apply([Write("{home}/f", b"x"), Write("{home}/g", b"x")])
    for argv in (("@vanishing", "{home}/f", BESIDE), ("@growing", "{home}/g", "x"), ("@serving",), ("sleep", "1000")):
        contained.meddle(argv)
    held = shell(contained, "cd /proc; for p in [0-9]*; do [ $p = 1 ] || grep -h CapPrm $p/status; done").stdout.split()
    assert held.count(b"CapPrm:") >= 5
    assert {int(word, 16) for word in held if word != b"CapPrm:"} == {0}


def test_a_command_has_no_capabilities_and_no_streams(sandbox: Sandbox) -> None:
    sandbox.meddle(
        (
            "sh",
            "-c",
            "(grep -E 'Cap(Eff|Prm|Inh)' /proc/self/status; ls -l /proc/self/fd) > ~/out; mv ~/out ~/said; exec sleep 1000",
        )
    )
    assert in_time(sandbox, "test -e ~/said")
    said = (sandbox.read("{home}/said").data or b"").decode()
    assert said.count("/dev/null") == 2, "stdin and stderr: stdout is the file"
    assert "socket:" not in said
    if sandbox.containment.namespaces:
        assert said.count("0000000000000000") == 3


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (("no-such-command",), "ENOENT"),
        (("{home}/text",), "EACCES"),
        (("@vanishing", "{home}/none", BESIDE), "@vanishing: No such file or directory"),
        (("@vanishing", "{home}/link", BESIDE), "ELOOP"),
        (("@vanishing", "{home}/large", BESIDE), "EFBIG"),
        (("@growing", "{home}/none", "x"), "@growing: No such file or directory"),
        (("@vanishing",), "@vanishing"),
    ],
)
def test_what_cannot_begin_says_why(sandbox: Sandbox, argv: tuple[str, ...], says: str) -> None:
    shell(sandbox, "cd; echo x > text; ln -s text link; head -c 1100000 /dev/zero > large")
    with pytest.raises(MachineError, match=says):
        sandbox.meddle(argv)
    assert sandbox.kill_everything() == ()


@pytest.mark.parametrize("ending", ["fresh", "renew"])
def test_it_ends_with_the_world(empty: Sandbox, ending: str) -> None:
    running = empty.start(["sleep", "1000"], env=base_environment(empty.roots), cwd="/")
    empty.apply([Write("{home}/f", b"x"), MakeDirectory("{home}/d"), Write("{tools}/t", b"x")])
    for argv in (
        ("@vanishing", "{home}/f", BESIDE),
        ("@vanishing", "{home}/d", BESIDE),
        ("sleep", "1001"),
        ("@serving",),
    ):
        empty.meddle(argv)
    getattr(empty, ending)()
    assert empty.snapshot() == {}
    assert empty.read("{tools}/t").kind == "missing"
    assert (running.poll() is None) is (ending == "renew")
    assert empty.kill_everything() == (("sleep",) if ending == "renew" else ())
    assert running.wait(20) is not None
    running.close()
    empty.apply([Write("{home}/f", b"x")])
    assert empty.watch("{home}/f", 0.02) == ("1",)


def test_it_begins_at_once_and_ends_at_once(empty: Sandbox) -> None:
    costs = []
    for _ in range(10):
        empty.apply([Write("{home}/f", b"x")])
        began = time.perf_counter()
        empty.meddle(("@vanishing", "{home}/f", BESIDE))
        empty.watch("{home}/f")
        empty.renew()
        costs.append(time.perf_counter() - began)
    assert min(costs) < 0.05, "3 ms; this bound is for machines under load"


def test_tools_are_the_harness_s_own(sandbox: Sandbox) -> None:
    sandbox.apply([Write("{tools}/bin/git", b"#!/bin/sh\necho mine\n", 0o755), Write("{tools}/note", b"x", 0o600)])
    assert shell(sandbox, f"{sandbox.roots.tools}/bin/git").stdout == b"mine\n"
    assert sandbox.snapshot() == {}
    assert sandbox.roots.hide(f"{sandbox.roots.tools}/bin") == "{tools}/bin"
    if sandbox.containment.namespaces:
        shell(sandbox, f"mv {sandbox.roots.tools} {os.path.dirname(sandbox.roots.tools)}/elsewhere; true")
    sandbox.fresh()
    assert shell(sandbox, f"ls -A {sandbox.roots.tools}").stdout == b""
