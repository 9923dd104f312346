"""The recorder as a process: what it keeps, and that it becomes the hook."""

import base64
import json
import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from harness.hosts import recorder

PROGRAM = Path(recorder.__file__)


def begun(folder, *words, name="Stop", **more):
    return subprocess.Popen(
        [sys.executable, "-I", "-S", PROGRAM, folder, name, *words],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more,
    )  # fmt: skip


def recorded(folder, stdin, *words, **more):
    """What was kept of one call, and what the hook printed."""
    folder.mkdir(exist_ok=True)
    process = begun(folder, *words, **more)
    out, err = process.communicate(stdin)
    assert b"" == err
    return json.loads((folder / "0").read_text()), out, process


def test_a_call_is_kept_whole(tmp_path):
    transcript = tmp_path / "t.jsonl"
    transcript.write_bytes(b'{"role": "user"}\n\xff')
    stdin = json.dumps({"transcript_path": str(transcript), "n": "\u00fc"}).encode() + b"\n"
    kept, out, _ = recorded(
        tmp_path / "calls", stdin, "cat", cwd=tmp_path, env={"A": "b c", "PATH": os.environ["PATH"]}
    )
    assert out == stdin == base64.b64decode(kept["stdin"])
    assert transcript.read_bytes() == base64.b64decode(kept["transcript"])
    assert ("Stop", True, str(tmp_path), "b c") == (kept["hook"], kept["closed"], kept["cwd"], kept["environment"]["A"])


def test_the_hook_is_the_same_process_and_ends_as_it_likes(tmp_path):
    _, out, process = recorded(tmp_path / "calls", b"{}", "sh", "-c", "echo $$; exit 7")
    assert (str(process.pid), 7) == (out.decode().strip(), process.returncode)


@pytest.mark.parametrize(
    "stdin",
    [b"", b"\x00\xff{not json", b'["a"]', b'{"transcript_path": null}', b'{"transcript_path": "/nowhere/t"}', b"{}}",
     b'{"transcript_path": "a\\u0000b"}', b'"text"'],
)  # fmt: skip
def test_whatever_is_given_is_given_on_and_without_a_transcript_none_is_kept(tmp_path, stdin):
    kept, out, _ = recorded(tmp_path / "calls", stdin, "cat")
    assert (stdin, stdin, None, True) == (out, base64.b64decode(kept["stdin"]), kept["transcript"], kept["closed"])


KINDS = {"pipe": stat.S_ISFIFO, "socket": stat.S_ISSOCK}
KIND_OF_INPUT = "import os, sys; print(os.fstat(0).st_mode); print(sys.stdin.read())"


@pytest.mark.parametrize("kind", KINDS)
def test_a_hook_gets_the_kind_of_stream_that_the_host_gave(tmp_path, kind):
    (tmp_path / "calls").mkdir()
    theirs, ours = (each.detach() for each in socket.socketpair()) if kind == "socket" else os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", PROGRAM, tmp_path / "calls", "Stop", sys.executable, "-c", KIND_OF_INPUT],
        stdin=theirs, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    os.close(theirs)
    os.write(ours, b"{}")
    os.close(ours)
    mode, given, _ = process.communicate()[0].split("\n")
    assert (True, "{}") == (KINDS[kind](int(mode)), given)


def test_nothing_but_whole_calls_is_left_in_the_folder(tmp_path):
    recorded(tmp_path / "calls", b"{}", "true")
    assert ["0"] == os.listdir(tmp_path / "calls")


def test_more_than_a_pipe_holds_is_given_on(tmp_path):
    stdin = json.dumps({"x": "y" * (1 << 21)}).encode()
    kept, out, _ = recorded(tmp_path / "calls", stdin, "cat")
    assert stdin == out == base64.b64decode(kept["stdin"])


def test_a_host_that_closes_nothing_is_not_waited_for_for_ever(tmp_path):
    calls = tmp_path / "calls"
    calls.mkdir()
    process = begun(calls, "cat")
    process.stdin.write(b'{"a": 1}')
    process.stdin.flush()
    assert b'{"a": 1}' == process.stdout.read()
    assert 0 == process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        stream.close()
    assert json.loads((calls / "0").read_text())["closed"] is False


def test_calls_at_the_same_time_have_numbers_of_their_own(tmp_path):
    calls = tmp_path / "calls"
    calls.mkdir()
    running = [begun(calls, "true", name=f"hook {number}") for number in range(20)]
    for process in running:
        process.communicate(b"{}")
    kept = [json.loads((calls / str(number)).read_text())["hook"] for number in range(20)]
    assert sorted(f"hook {number}" for number in range(20)) == sorted(kept)
    assert 20 == len(os.listdir(calls))
