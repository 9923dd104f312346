"""`windtunnel serve` within this very process: its loop, its streams, and the clocks of factories."""

import io
import json
import sys
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
INVALID_PARAMS = -32602


def placed(tmp_path: Path) -> dict[str, Any]:
    return {"workdir": str(tmp_path), "config": {"home": str(tmp_path / "home")}, "now": NOW}


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
    assert codes == [
        None,
        INVALID_PARAMS,
        INVALID_PARAMS,
        None,
        INVALID_PARAMS,
        None,
        INVALID_PARAMS,
        INVALID_PARAMS,
        None,
    ]
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
