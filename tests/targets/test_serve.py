"""`windtunnel serve`, spoken to by hand over its pipes, as any host of the protocol would."""

import io
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema
import pytest

from harness.errors import UsageError
from harness.systems import registry
from harness.targets.messages import InitializeResult, schema
from harness.targets.serve import ServedFactory, ServedReference, _answer_all, _Methods, load_factory, serve

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
            command, cwd=cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
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
    jsonschema.validate(hello, {**schema(), "$ref": "#/$defs/InitializeResult"})
    assert served.result("reset", placed(tmp_path)) == {}
    asked = {"transcript_path": str(tmp_path / "none"), "project_root": str(tmp_path), "session_id": "s", "now": NOW}
    assert served.result("stop_gate/check", asked)["decision"] == "approve"
    assert served.result("open", placed(tmp_path)) == {}
    assert "counters" in served.result("stop_gate/metrics", {"now": NOW})
    assert served.result("shutdown", {}) == {}
    assert served.end()[:2] == (0, "")


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
        ("open", {"workdir": 5, "config": {"home": "/h"}, "now": NOW}),
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


def test_a_time_that_is_none_is_an_error_of_the_call(conversation):
    assert conversation.code("stop_gate/metrics", {"now": "yesterday"}) == FAILED


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


class Inside:
    """The other side, with the server in this very process."""

    def __init__(self, *lines: dict[str, Any]) -> None:
        self.requests = io.BytesIO(b"".join(json.dumps(line).encode() + b"\n" for line in lines))
        self.answers = io.BytesIO()

    def said(self) -> list[Any]:
        return [json.loads(line) for line in self.answers.getvalue().splitlines()]


def call(method: str, params: Any, number: int | None = 1) -> dict[str, Any]:
    """A call, or a notification, which has no number."""
    return {"jsonrpc": "2.0", "method": method, "params": params, **({} if number is None else {"id": number})}


@pytest.mark.parametrize("mutant", [None, *sorted(registry.get("stop_gate").mutants.MUTANTS)[:1]])
def test_the_server_answers_until_shutdown_and_not_beyond(tmp_path, mutant):
    system = registry.get("stop_gate")
    asked = {"transcript_path": str(tmp_path / "none"), "project_root": str(tmp_path), "session_id": "s", "now": NOW}
    inside = Inside(
        call("initialize", {"protocolVersions": [1], "harness": "x"}, 1),
        call("initialize", {"protocolVersions": [2], "harness": "x"}, 2),
        call("initialize", {}, 3),
        call("reset", placed(tmp_path), 4),
        call("reset", {}, 5),
        call("stop_gate/check", asked, None),
        call("stop_gate/check", asked, 6),
        call("stop_gate/check", {"now": NOW}, 7),
        call("stop_gate/check", {**asked, "now": "yesterday"}, 8),
        call("shutdown", {}, 9),
        call("stop_gate/check", asked, 10),
    )
    _answer_all(_Methods(system, ServedReference(system, mutant), "name", "1.2"), inside.requests, inside.answers)
    said = inside.said()
    assert [answer["id"] for answer in said] == list(range(1, 10)), "a notification has no answer"
    codes = [answer.get("error", {}).get("code") for answer in said]
    assert codes == [None, INVALID_PARAMS, INVALID_PARAMS, None, INVALID_PARAMS, None, INVALID_PARAMS, FAILED, None]
    assert said[0]["result"]["implementation"] == {"name": "name", "version": "1.2", "language": "python"}


def test_standard_output_is_the_protocols_alone_and_threads_do_not_keep_the_process(monkeypatch):
    """The process itself is replaced, so that its steps can be seen: which descriptors move, and how it ends."""
    inside, moved = Inside(call("shutdown", {})), []

    def leave(code: int) -> None:
        raise SystemExit(code)

    process = SimpleNamespace(
        dup=lambda descriptor: descriptor,
        fdopen=lambda descriptor, mode, buffering=-1: inside.answers if "w" in mode else inside.requests,
        dup2=lambda old, new: moved.append((old, new)),
        _exit=leave,
    )
    monkeypatch.setattr("harness.targets.serve.os", process)
    monkeypatch.setattr(sys, "stdout", sys.stdout)
    system = registry.get("stop_gate")
    with pytest.raises(SystemExit) as left:
        serve(system, ServedReference(system, None), "reference")
    assert (left.value.code, moved, sys.stdout is sys.stderr) == (0, [(2, 1)], True)
    assert [answer["result"] for answer in inside.said()] == [{}]


class Clocked:
    """Tells both clocks."""

    def __init__(self, workdir, clock, config):
        import time

        self.workdir, self.clock, self.config, self.born = workdir, clock, config, time.time()

    def check(self, args):
        import time

        return {
            "clock": self.clock(),
            "system": time.time(),
            "born": self.born,
            "args": args,
            "home": self.config["home"],
        }


class ReadsSystemClock(Clocked):
    """The same, said to read the machine's clock."""

    reads_system_clock = True


@pytest.mark.parametrize("name", ["Clocked", "ReadsSystemClock"])
def test_a_factorys_clock_tells_the_time_of_the_call(name):
    served = ServedFactory(f"{__name__}:{name}")
    served.create("/w", {"home": "/h"}, NOW)
    first = served.call("check", {"a": 1}, "2026-03-01T12:00:05Z")
    second = served.call("check", {}, "2020-01-01T00:00:00Z")
    assert (first["clock"], second["clock"]) == (1772366405.0, 1577836800.0)
    assert (first["args"], first["home"]) == ({"a": 1}, "/h")
    frozen = name == "ReadsSystemClock"
    assert frozen is (abs(second["system"] - 1577836800.0) < 60)
    assert frozen is (abs(first["born"] - 1772366400.0) < 60)


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("json", "names no factory"),
        (":dumps", "names no factory"),
        ("json:", "names no factory"),
        ("no_such_module:make", "cannot load the factory"),
        ("json:no_such_name", "cannot load the factory"),
        ("json:__name__", "is no factory: it cannot be called"),
    ],
)
def test_a_factory_that_is_none_is_told_in_one_sentence(path, says):
    with pytest.raises(UsageError, match=says):
        load_factory(path)


def test_the_published_schema_names_every_message():
    jsonschema.Draft202012Validator.check_schema(schema())
    assert {"InitializeParams", "InitializeResult", "WorkdirParams"} <= set(schema()["$defs"])
    assert InitializeResult.__struct_config__.forbid_unknown_fields
