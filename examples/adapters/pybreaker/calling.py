"""pybreaker by its context manager, which holds no lock meanwhile: entered at acquire, and left at record."""

import json
import sys
from contextlib import suppress
from pathlib import Path

from freezegun import freeze_time
from pybreaker import CircuitBreaker, CircuitBreakerError

PLAIN = {"initialize": json.loads(Path("about.json").read_text("utf-8")), "reset": {}, "open": {}, "shutdown": {}}
clock = freeze_time("2026-01-01").start()  # pybreaker asks datetime.now


def operate(operation, name, call=None, outcome="success", error="failed", **_):
    limits = tunables["threshold"], tunables["cooldown_s"], tunables["recovery_threshold"]
    breaker, found = breakers.setdefault(name, CircuitBreaker(*limits)), {}
    if operation == "acquire":
        block = breaker.calling()
        try:
            if (name, call) not in calls:
                block.__enter__()
                calls[name, call] = block
            found = {"permitted": True}
        except CircuitBreakerError as refusal:
            found = {"permitted": False, "held": "refused", "error": str(refusal)}
    elif operation == "record" and (name, call) in calls:
        failure = RuntimeError(error) if outcome == "failure" else None
        with suppress(CircuitBreakerError, RuntimeError):  # what the caller of the block would see
            calls.pop((name, call)).__exit__(failure and RuntimeError, failure, None)
    elif operation == "inspect":
        found = {"failure_count": breaker.fail_counter, "success_count": breaker.success_counter}
    return {**found, "state": breaker.current_state.upper().replace("-", "_")}


for line in sys.stdin:
    message = json.loads(line)
    method, params = message["method"].removeprefix("circuit_breaker/"), message["params"]
    clock.move_to(params.pop("now", "2026-01-01"))
    if "config" in params:
        breakers, calls = {}, {}
        tunables = {"threshold": 3, "cooldown_s": 300, "recovery_threshold": 3, **params["config"].get("tunables", {})}
    answer = {"error": {"code": -32601, "message": f"pybreaker has nothing like {method}"}}
    if method in PLAIN or "name" in params:
        answer = {"result": PLAIN[method] if method in PLAIN else operate(method, **params)}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}), flush=True)
