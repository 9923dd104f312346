"""circuitbreaker behind the protocol. A call is a decorated generator: it stays in the guarded body until record."""

import json
import sys
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

import circuitbreaker

PLAIN = {"initialize": json.loads(Path("about.json").read_text("utf-8")), "reset": {}, "open": {}, "shutdown": {}}
breakers, calls, limits = {}, {}, {}
last, passed = None, timedelta()
circuitbreaker.monotonic = lambda: passed.total_seconds()  # noqa: PLW0108 - whom it asks for the time; bound anew below


def body(errors):
    yield  # it has begun, and goes on at record
    if errors:
        raise RuntimeError(errors[0])


def operate(operation, name, call=None, outcome="success", error="failed", **_):
    new = circuitbreaker.CircuitBreaker(limits["threshold"], limits["cooldown_s"], name=name)
    breaker, found = breakers.setdefault(name, new), {}
    if operation == "acquire":
        running = breaker(body)(errors := [])
        try:
            if (name, call) not in calls:
                next(running)
                calls[name, call] = running, errors
            found = {"permitted": True}
        except circuitbreaker.CircuitBreakerError:
            found = {"permitted": False, "held": "refused", "error": str(breaker.last_failure)}
    elif operation == "record" and (name, call) in calls:
        running, errors = calls.pop((name, call))
        errors += [error] if outcome == "failure" else []
        with suppress(RuntimeError):  # the library has seen it by then
            next(running, None)
    elif operation == "inspect":
        found = {"failure_count": breaker.failure_count}
    if operation != "record":
        found["wait_s"] = breaker.open_remaining if breaker.opened else None
    return {**found, "state": breaker.state.upper()}


for line in sys.stdin:
    message = json.loads(line)
    method, params = message["method"].removeprefix("circuit_breaker/"), message["params"]
    if "now" in params:
        now = datetime.fromisoformat(params["now"])
        passed, last = passed + max(timedelta(), now - (last or now)), now  # a step back takes no time
    if "config" in params:
        breakers, calls, limits = {}, {}, {"threshold": 3, "cooldown_s": 300, **params["config"].get("tunables", {})}
    answer = {"error": {"code": -32601, "message": f"circuitbreaker has nothing like {method}"}}
    if method in PLAIN or "name" in params:
        answer = {"result": PLAIN[method] if method in PLAIN else operate(method, **params)}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}), flush=True)
