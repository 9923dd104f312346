"""pybreaker behind the protocol. A call is a thread: the library lets it into its body, where it stays until record."""

import json
import os
import sys
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path

from freezegun import freeze_time
from pybreaker import CircuitBreaker

PLAIN = {"initialize": json.loads(Path("about.json").read_text("utf-8")), "reset": {}, "open": {}, "shutdown": {}}
clock, threads = freeze_time("2026-01-01").start(), ThreadPoolExecutor(10_000)  # pybreaker asks datetime.now
breakers, calls = {}, {}


def body(begun, ending):
    begun.set_result(None)
    ending.result()


def operate(operation, name, call=None, outcome="success", error="failed", **_):
    limits = tunables["threshold"], tunables["cooldown_s"], tunables["recovery_threshold"]
    breaker, known, found = breakers.setdefault(name, CircuitBreaker(*limits)), calls.setdefault(name, {}), {}
    if operation == "acquire":
        busy = any(begun.done() for begun, _, _ in known.values())
        if call not in known:
            doors = Future(), Future()
            known[call] = *doors, threads.submit(breaker.call, body, *doors)
        begun, _, over = known[call]
        wait([begun, over], 0.2 if busy else None, FIRST_COMPLETED)  # who gets nowhere for so long is blocked
        found = {"permitted": True} if begun.done() else {"permitted": False, "held": "blocked"}
        if over.done():
            found |= {"held": "refused", "error": str(known.pop(call)[2].exception())}
    elif operation == "record" and call in known and known[call][0].done():
        _, ending, over = known.pop(call)
        ending.set_exception(RuntimeError(error)) if outcome == "failure" else ending.set_result(None)
        left = [over]
        while left:  # until it has ended, and one of those it blocked is in its body
            wait(left, None, FIRST_COMPLETED)
            busy = any(begun.done() for begun, _, _ in known.values())
            left = [each for begun, _, over in known.values() if not (busy or over.done()) for each in (begun, over)]
    elif operation == "inspect":
        found = {"failure_count": breaker.fail_counter, "success_count": breaker.success_counter}
    return {**found, "state": breaker.current_state.upper().replace("-", "_")}


for line in sys.stdin:
    message = json.loads(line)
    method, params = message["method"].removeprefix("circuit_breaker/"), message["params"]
    clock.move_to(params.pop("now", "2026-01-01"))
    if "config" in params:  # the threads of the last scenario end: their calls are let go
        [ending.cancel() for known in calls.values() for _, ending, _ in known.values()]
        breakers, calls = {}, {}
        tunables = {"threshold": 3, "cooldown_s": 300, "recovery_threshold": 3, **params["config"].get("tunables", {})}
    answer = {"error": {"code": -32601, "message": f"pybreaker has nothing like {method}"}}
    if method in PLAIN or "name" in params:
        answer = {"result": PLAIN[method] if method in PLAIN else operate(method, **params)}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}), flush=True)
os._exit(0)  # whoever is still in a call would be waited for
