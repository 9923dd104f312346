"""Operations over stdio, validated and recorded, against a bare exchange of JSON lines with the very same child."""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from benchmarks.measure import Figure, ratios
from harness.core.scenario import Operation, Scenario, Step, World
from harness.sandbox import Sandbox, SandboxPlan, exposure_for
from harness.systems import registry
from harness.targets.player import Player
from harness.targets.slots import Slots
from harness.targets.stdio import StdioSession

OPERATIONS = 1000
ROUNDS = 31
HISTORY = 50  # operations of one scenario: a history that never ends costs more and more of the collector's time
SYSTEM = "rate_limit"
MEANINGS = {
    "stdio": "operations, checked by schema",
    "recorded": "operations with snapshots of files and history",
    "": "bare exchanges of JSON lines with the same child",
    " fast": "the same by msgspec on bare descriptors, with no time-out",
}
_CHUNK = 1 << 16
OPERATION = Operation("classify", {"status": 429, "message": "slow down"})
STEP = Step(op=OPERATION)
# the least that a child can do: every call is read, and answered by the same result
CHILD = """
import json, sys
HELLO = {"protocolVersion": 1, "implementation": {"name": "echo", "version": "1"}, "systems": {"rate_limit": {}}}
for line in sys.stdin:
    call = json.loads(line)
    method = call["method"]
    result = HELLO if method == "initialize" else {"rate_limited": True, "log": []} if "/" in method else {}
    print(json.dumps({"jsonrpc": "2.0", "id": call["id"], "result": result}), flush=True)
"""


def operations() -> list[tuple[str, Figure]]:
    """Operations a second : exchanges a second, without snapshots of files and with them."""
    with _pinned(), _session() as session:
        scenario = Scenario(1, "s", "t", SYSTEM, session.profile, (), World("2026-03-01T12:00:00Z"), ())
        inputs_of = registry.get(SYSTEM).inputs_of
        Player(scenario, session, inputs_of).begin()
        performed = [(0, OPERATION)]

        def perform() -> None:
            for _ in range(HISTORY):
                session.perform(performed)

        def play() -> None:
            player = Player(scenario, session, inputs_of)
            for _ in range(HISTORY):
                player.take(STEP)

        figures = []
        for label, goals, exchange in (("", ("at least 0.7", "at least 0.4"), _plain), (" fast", ("told",) * 2, _fast)):
            for what, some, goal in (("stdio", perform, goals[0]), ("recorded", play, goals[1])):
                values = ratios(partial(_rate, some), partial(_bare_rate, session, exchange), ROUNDS)
                figures.append((f"{what}{label}", Figure(values, "", f"{MEANINGS[what]} : {MEANINGS[label]}", goal)))
    return figures


def _rate(some: Callable[[], None]) -> float:
    """How many a second, of something that does HISTORY of them."""
    begun = time.perf_counter()
    for _ in range(OPERATIONS // HISTORY):
        some()
    return OPERATIONS / (time.perf_counter() - begun)


def _bare_rate(session: StdioSession, exchange: Callable[[BinaryIO, BinaryIO, dict[str, Any]], None]) -> float:
    """The same of bare exchanges with the first process of that session, past all that is checked."""
    process, _ = session._processes.obtained(0)  # noqa: SLF001 - the same child, past its keeper
    stdin, stdout = process._stdin, process._stdout  # noqa: SLF001 - as above
    params = {**OPERATION.args, "now": session.now()}
    message = {"jsonrpc": "2.0", "method": f"{SYSTEM}/{OPERATION.name}", "params": params, "id": 1}
    os.set_blocking(stdout, True)
    try:
        with open(stdin, "wb", closefd=False) as requests, open(stdout, "rb", closefd=False) as answers:
            return _rate(partial(exchange, requests, answers, message))
    finally:
        os.set_blocking(stdout, False)


def _plain(requests: BinaryIO, answers: BinaryIO, message: dict[str, Any]) -> None:
    for _ in range(HISTORY):
        requests.write(json.dumps(message).encode() + b"\n")
        requests.flush()
        json.loads(answers.readline())


def _fast(requests: BinaryIO, answers: BinaryIO, message: dict[str, Any]) -> None:
    write_to, read_from = requests.fileno(), answers.fileno()
    for _ in range(HISTORY):
        os.write(write_to, msgspec.json.encode(message) + b"\n")
        msgspec.json.decode(os.read(read_from, _CHUNK))


@contextmanager
def _pinned() -> Iterator[None]:
    """Both sides on one processor: with two, an exchange takes one time or three times as long, by chance."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _session() -> StdioSession:
    shown = exposure_for((sys.executable,), search=os.defpath, home=str(Path.home()), cwd="/")
    command = (shown.programs[0] or sys.executable, "-S", "-E", "-c", CHILD)
    return StdioSession(Sandbox(SandboxPlan(exposed=shown.paths)), command, {}, "/", SYSTEM, Slots(1))
