"""Calls to a gate written by hand, under faults, for the tests of its oracle in foul weather."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import handmade_gate
from handmade_gate import (
    ASKED,
    NOON_S,
    PASS,
    SEMAPHORE,
    SUMMARY,
    Call,
    answer,
    found,
    injected,
    log,
)

from harness.core.fault import Injection
from harness.core.finding import CheckVerdict
from harness.core.history import FileFact, InputFact
from harness.systems.stop_gate import contract
from harness.systems.stop_gate.contract import Consideration
from harness.systems.stop_gate.oracle.gate_view import RUNTIME
from harness.systems.stop_gate.workload.gate_steps import WARNED

TRANSCRIPT = "{home}/t.jsonl"
GIVES_UP = answer("approve", "cannot tell", **log("error", "own-word"))
OBJECTIVE = json.loads(ASKED)["content"]
SAID = f"{OBJECTIVE}\n{contract.NO_FILES_TEXT}\n{WARNED.id}"
WARNINGS = answer("approve", "only_warnings", summary=SAID, **log("error", "own-word"))
MARK = FileFact("file", 0, "", NOON_S)
DONE = FileFact("file", len(SAID), hashlib.sha256(SAID.encode()).hexdigest(), NOON_S)
FINISHED = {SEMAPHORE: MARK, SUMMARY: DONE}
LINKED = {f"{RUNTIME}/s-1": FileFact("symlink")}
MISSING = InputFact("missing")
CRASHED = answer("approve", "fine", **log("error", "checker_raised", checker="crashes"))


def check(said: Mapping[str, Any] | None, *asked: Consideration, **more: Any) -> Call:
    """As in handmade_gate, with a configuration that says nothing."""
    return handmade_gate.check(said, *asked, **{"config": b"{}", **more})


def under(said: Mapping[str, Any] | None, *asked: Consideration, fault: Injection | str, **more: Any) -> Call:
    fault = injected(fault) if isinstance(fault, str) else fault
    return check(said, *asked, faults=(fault,), **more)


def verdict(clause: str, *calls: Call) -> CheckVerdict | None:
    finding = found(*calls).get(clause)
    return None if finding is None else finding.verdict


def wrong(*calls: Call) -> set[str]:
    return {name for name, finding in found(*calls).items() if finding.verdict is not PASS}
