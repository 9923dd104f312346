"""`windtunnel serve`, spoken to by hand over its pipes, as any host of the protocol would."""

import fcntl
import json
import os
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from harness.systems import registry
from harness.targets.messages import schema

NOW = "2026-03-01T12:00:00Z"
INVALID_REQUEST, UNKNOWN_METHOD, INVALID_PARAMS, FAILED, PARSE_ERROR = -32600, -32601, -32602, -32000, -32700
FACTORY = """
import os, sys, time
class Gate:
    def __init__(self, workdir, clock, config):
        print("made in", workdir)
        self.clock, self.config = clock, config
    def check(self, args):
        print("a line that belongs to nobody")
        os.write(1, b"and one past sys.stdout\\n")
        if args["transcript_path"] == "raise":
            raise KeyError("no such thing")
        if args["transcript_path"] == "exit":
            sys.exit(3)
        return {"clock": self.clock(), "config": self.config, "system": time.time()}
def make(workdir, clock, config):
    return Gate(workdir, clock, config)
class Frozen(Gate):
    reads_system_clock = True
"""


class Host:
    """The other side of the pipes."""

    def __init__(self, *words: str, cwd: Path) -> None:
        command = [sys.executable, "-m", "harness.cli", "serve", *words]
        self.process = subprocess.Popen(
            command,
            cwd=cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="surrogateescape",
        )
        self._last = 0

    def line(self, text: str) -> Any:
        """The answer to one line, decoded."""
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        assert answer, self.process.stderr.read()
        return json.loads(answer)

    def call(self, method: str, params: Any) -> Any:
        """The answer to one call, its envelope checked."""
        self._last += 1
        answer = self.line(json.dumps({"jsonrpc": "2.0", "method": method, "params": params, "id": self._last}))
        assert (answer["jsonrpc"], answer["id"]) == ("2.0", self._last)
        return answer

    def result(self, method: str, params: Any) -> Any:
        """The result of a call that is expected to have one."""
        return self.call(method, params)["result"]

    def code(self, method: str, params: Any) -> int:
        """The error code of a call that is expected to fail."""
        return int(self.call(method, params)["error"]["code"])

    def end(self) -> tuple[int, str, str]:
        """Exit code, what was left on standard output, and standard error, after its input ends."""
        out, err = self.process.communicate(timeout=30)
        return self.process.returncode, out, err


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Callable[..., Host]]:
    hosts: list[Host] = []

    def start(*words: str) -> Host:
        hosts.append(Host(*words, cwd=tmp_path))
        return hosts[-1]

    yield start
    for each in hosts:
        each.process.kill()
        each.process.communicate()


def placed(tmp_path: Path) -> dict[str, Any]:
    return {"workdir": str(tmp_path), "config": {"home": str(tmp_path / "home")}, "now": NOW}


def test_a_whole_conversation(host, tmp_path):
    served = host()
    hello = served.result("initialize", {"protocolVersions": [1, 2], "harness": "by hand"})
    assert (hello["protocolVersion"], hello["implementation"]["name"]) == (1, "reference")
    assert hello["implementation"]["language"] == "python"
    assert "stop_gate" in hello["systems"]
    jsonschema.validate(hello, {"$ref": "#/$defs/InitializeResult", "$defs": schema()["$defs"]})
    assert served.result("reset", placed(tmp_path)) == {}
    asked = {"transcript_path": str(tmp_path / "none"), "project_root": str(tmp_path), "session_id": "s", "now": NOW}
    assert served.result("stop_gate/check", asked)["decision"] == "approve"
    assert served.result("open", placed(tmp_path)) == {}
    assert "counters" in served.result("stop_gate/metrics", {"now": NOW})
    assert served.result("shutdown", {}) == {}
    assert served.end()[:2] == (0, "")


def test_an_answer_is_whole_when_the_process_is_stopped_while_it_writes(host, tmp_path):
    """A pipe holds 64 KiB; a write that blocks there, is stopped and goes on, ends short."""
    served = host("--system", "stop_gate")
    served.result("initialize", {"protocolVersions": [1], "harness": "by hand"})
    served.result("reset", placed(tmp_path))
    asked, done = {"role": "user", "content": "retry " * 17_000}, {"role": "assistant", "content": "Done."}
    (tmp_path / "transcript").write_text(f"{json.dumps(asked)}\n{json.dumps(done)}\n")
    case = {"transcript_path": str(tmp_path / "transcript"), "project_root": str(tmp_path), "session_id": "s"}
    params = {**case, "now": NOW, "considerations": [{"id": "tidy", "outcome": "satisfied", "severity": "blocker"}]}
    served.process.stdin.write(f"{json.dumps(call('stop_gate/check', params))}\n")
    served.process.stdin.flush()
    wait_until(lambda: held_in(served.process.stdout) == 64 * 1024)
    served.process.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, served.process.pid, os.WSTOPPED | os.WNOWAIT)
    served.process.send_signal(signal.SIGCONT)
    os.waitid(os.P_PID, served.process.pid, os.WCONTINUED | os.WNOWAIT)
    served.process.stdin.write(f"{json.dumps(call('shutdown', {}))}\n")
    out = served.end()[1]
    first, last = out.splitlines()
    assert "complete" == json.loads(first)["result"]["reasons"][0]
    assert {} == json.loads(last)["result"]


def call(method, params):
    return {"jsonrpc": "2.0", "method": method, "params": params, "id": 9}


def held_in(pipe):
    """How many bytes nobody has read yet."""
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4), sys.byteorder)


def wait_until(holds):
    deadline = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < deadline


def test_a_checker_that_prints_does_not_speak_for_the_gate(host, tmp_path):
    served = host("--system", "stop_gate")
    served.result("initialize", {"protocolVersions": [1], "harness": "by hand"})
    served.result("reset", placed(tmp_path))
    (tmp_path / "transcript").write_text('{"role": "user", "content": "go on"}\n')
    considerations = [
        {"id": "noisy", "outcome": "prints"},
        {"id": "failing", "outcome": "failed", "severity": "blocker"},
    ]
    asked = {
        "transcript_path": str(tmp_path / "transcript"),
        "project_root": str(tmp_path),
        "session_id": "s",
        "now": NOW,
    }
    answer = served.result("stop_gate/check", {**asked, "considerations": considerations})
    assert answer["decision"] == "block"
    assert "noisy" not in "".join(answer["reasons"])
    code, out, err = served.end()
    assert (code, out) == (0, "")
    assert "not what was asked for" in err


def test_the_end_of_its_input_ends_it_too(host):
    assert host().end()[:2] == (0, "")


def test_a_mutant_names_itself(host):
    name = min(registry.get("stop_gate").mutants.MUTANTS)
    hello = host("--mutant", name).result("initialize", {"protocolVersions": [1], "harness": "by hand"})
    assert hello["implementation"]["name"] == name


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("initialize", {}),
        ("initialize", {"protocolVersions": ["one"], "harness": "x"}),
        ("initialize", {"protocolVersions": [2], "harness": "x"}),
        ("initialize", {"protocolVersions": [1], "harness": "x", "more": 1}),
        ("reset", {}),
        ("reset", [1, 2, 3]),
        ("reset", {"workdir": "/w", "config": {}, "now": NOW}),
        ("reset", {"workdir": "/w", "config": {"home": "/h", "limits": {"scale": "fast"}}, "now": NOW}),
        ("reset", {"workdir": "w", "config": {"home": "/h"}, "now": NOW}),
        ("reset", {"workdir": "/w", "config": {"home": "/h"}, "now": "noon"}),
        ("open", {"workdir": 5, "config": {"home": "/h"}, "now": NOW}),
        ("open", {"workdir": "/w", "config": {"home": "/h"}, "now": "2026-03-01T12:00:00"}),
        ("stop_gate/metrics", {"now": "yesterday"}),
        ("stop_gate/metrics", {"now": "2026-03-01T12:00:00"}),
        ("stop_gate/metrics", {"now": 5}),
        ("stop_gate/metrics", {"now": NOW, "more": 1}),
        ("stop_gate/check", {}),
        ("stop_gate/check", {"now": NOW}),
        ("stop_gate/check", {"transcript_path": 5, "project_root": "/p", "now": NOW}),
        ("stop_gate/check", {"transcript_path": "/t", "project_root": "/p", "what": 1, "now": NOW}),
        ("shutdown", {"now": NOW}),
    ],
)
def test_wrong_parameters_are_refused_and_the_conversation_goes_on(conversation, method, params):
    assert conversation.code(method, params) == INVALID_PARAMS


@pytest.fixture(scope="module")
def conversation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    """One process for calls that must leave it able to answer the next."""
    place = tmp_path_factory.mktemp("serve")
    served = Host(cwd=place)
    assert served.result("reset", placed(place)) == {}
    yield served
    assert served.result("stop_gate/metrics", {"now": NOW})["counters"] is not None
    assert served.result("shutdown", {}) == {}
    assert served.end()[0] == 0


@pytest.mark.parametrize("method", ["stop_gate/sing", "other/check", "", "check", "__init__"])
def test_an_unknown_method_is_told(conversation, method):
    assert conversation.code(method, {"now": NOW}) == UNKNOWN_METHOD


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("garbage", PARSE_ERROR),
        ("{", PARSE_ERROR),
        ("\x00\x01", PARSE_ERROR),
        ("[" * 100_000, PARSE_ERROR),
        ("5", INVALID_REQUEST),
        ("null", INVALID_REQUEST),
        ("[]", INVALID_REQUEST),
        ("[5]", INVALID_REQUEST),
        ('{"jsonrpc": "2.0"}', INVALID_REQUEST),
        ('{"method": "shutdown", "params": {}, "id": 1}', INVALID_REQUEST),
        ('{"jsonrpc": "1.0", "method": "shutdown", "params": {}, "id": 1}', INVALID_REQUEST),
        ('{"jsonrpc": "2.0", "method": "shutdown", "params": {}, "id": [1]}', INVALID_REQUEST),
        ("\udcff\udcfe", PARSE_ERROR),
        ('{"jsonrpc": "2.0", "method": 5, "id": 1}', INVALID_REQUEST),
    ],
)
def test_a_line_that_is_no_call_is_answered_by_an_error(conversation, line, code):
    assert conversation.line(line)["error"]["code"] == code


def test_a_batch_is_answered_by_a_batch(conversation):
    calls = [
        {"jsonrpc": "2.0", "method": m, "params": {"now": NOW}, "id": n}
        for n, m in enumerate(("stop_gate/metrics", "no"))
    ]
    first, second = conversation.line(json.dumps(calls))
    assert ("result" in first, second["error"]["code"]) == (True, UNKNOWN_METHOD)


def python(tmp_path: Path, name: str = "make") -> tuple[str, str]:
    (tmp_path / "made_by_hand.py").write_text(FACTORY)
    return "--python", f"made_by_hand:{name}"


def test_what_an_implementation_prints_goes_to_standard_error(host, tmp_path):
    served = host(*python(tmp_path))
    assert served.result("reset", placed(tmp_path)) == {}
    asked = {"transcript_path": "t", "project_root": "p", "now": NOW}
    assert served.result("stop_gate/check", asked)["clock"] == 1772366400.0
    served.result("shutdown", {})
    code, out, err = served.end()
    assert (code, out) == (0, "")
    for said in (f"made in {tmp_path}", "a line that belongs to nobody", "and one past sys.stdout"):
        assert said in err


def test_what_an_implementation_raises_is_an_answer(host, tmp_path):
    served = host(*python(tmp_path))
    asked = {"transcript_path": "raise", "project_root": "p", "now": NOW}
    assert served.code("stop_gate/check", asked) == FAILED, "before reset there is no implementation"
    served.result("reset", placed(tmp_path))
    assert served.call("stop_gate/check", asked)["error"]["message"] == "KeyError: 'no such thing'"


def test_python_code_that_reads_the_systems_clock_sees_the_calls_time(host, tmp_path):
    served = host(*python(tmp_path, "Frozen"))
    served.result("reset", placed(tmp_path))
    asked = {"transcript_path": "t", "project_root": "p", "now": "2031-05-06T07:08:09Z"}
    seen = served.result("stop_gate/check", asked)
    assert 0 <= seen["system"] - seen["clock"] < 30
    assert seen["clock"] == 1935817689.0


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--system", "toaster"), "there is no system 'toaster'"),
        (("--mutant", "nobody"), "stop_gate has no mutant 'nobody'"),
        (("--as-hook",), "--as-hook needs --mutant"),
        (("--python", "no_such_module:make"), "cannot load the factory no_such_module:make"),
        (("--python", "json"), "'json' names no factory; write it as package.module:factory"),
    ],
)
def test_a_command_that_cannot_be_served_is_a_usage_error(host, words, says):
    code, out, err = host(*words).end()
    assert (code, out) == (2, "")
    assert says in err
