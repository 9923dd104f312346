"""tenacity behind the protocol. What follows a failed attempt is one iteration of Retrying, asked at that attempt."""

import json
import sys
from math import ceil
from pathlib import Path

from tenacity import RetryCallState, RetryError, Retrying, stop_after_attempt, wait_exponential

PLAIN = {"initialize": json.loads(Path("about.json").read_text("utf-8")), "reset": {}, "open": {}, "shutdown": {}}
DEFAULTS = {"initial_delay_s": 5, "max_delay_s": 300, "multiplier": 2, "max_retries": 5}


def next_delay(tunables, retry):
    """What the library does when attempt number ``retry`` has failed: it sleeps, or gives up."""
    wait = wait_exponential(tunables["initial_delay_s"], tunables["max_delay_s"], tunables["multiplier"])
    retrying = Retrying(wait=wait, stop=stop_after_attempt(1 + tunables["max_retries"]))
    retrying.begin()
    failed = RetryCallState(retrying, None, (), {})
    failed.attempt_number = retry
    failed.set_exception((RuntimeError, RuntimeError("rate limit"), None))
    try:
        return {"retry": True, "delay_s": float(retrying.iter(failed))}
    except RetryError:
        return {"retry": False}


def configure(given):
    """The tunables are taken unless the library raises; it looks at none of them before it has to use them."""
    wanted, accepted = {name: given.get(name, value) for name, value in tunables.items()}, True
    try:
        next_delay(wanted, 1)
        json.dumps([float(value) for value in wanted.values()], allow_nan=False)  # what no answer can say is not taken
        tunables.update(wanted)
    except (TypeError, ValueError):
        accepted = False
    in_force = {name: float(value) for name, value in tunables.items()}
    return {"accepted": accepted, "tunables": {**in_force, "max_retries": ceil(in_force["max_retries"])}}


for line in sys.stdin:
    message = json.loads(line)
    method, params = message["method"].removeprefix("rate_limit/"), message["params"]
    if "config" in params:
        tunables = {**DEFAULTS, **params["config"].get("tunables", {})}
    answer = {"error": {"code": -32601, "message": f"tenacity has nothing like {method}"}}
    if method in PLAIN:
        answer = {"result": PLAIN[method]}
    elif method == "next_delay":
        answer = {"result": next_delay(tunables, params["retry"])}
    elif method == "configure":
        answer = {"result": configure(params["tunables"])}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}), flush=True)
