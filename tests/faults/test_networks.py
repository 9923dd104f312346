"""Whoever asks the network through a proxy, or a model at its address, meets what the fault says."""

import pytest
from placing import is_calm, placed, run, told

from harness.core.fault import Fault, Injection
from harness.faults.network import KINDS, MODELS, PROXIES

# a client that has nothing but what every machine has: what comes back for a question to that variable's address
ASK = r"""
bash -c 'url=$1; port=${url##*:}; port=${port%%%%/*}; exec 3<>/dev/tcp/127.0.0.1/$port || exit 7
printf "GET / HTTP/1.0\r\n\r\n" >&3; read -r -t %s -u 3 line || echo "ended $?"; echo "$line"; cat <&3' bash "$%s" 2>&1
"""
SEEN = {
    "refused": "Connection refused",
    "timeout": "ended 142",
    "rate_limited": "HTTP/1.1 429",
    "rate_limited_retry_after": "Retry-After: 3600",
    "server_error": "HTTP/1.1 503",
    "garbage": "not what you asked for",
}
PROOFS = {"refused": "ECONNREFUSED", "timeout": "silent"}


def test_every_kind_is_tried():
    assert {f"network.{kind}" for kind in SEEN} == {kind.name for kind in KINDS}


@pytest.mark.parametrize("kind", SEEN)
def test_it_is_armed_proven_and_gone_after_a_reset(sandbox, kind):
    name = f"network.{kind}"
    assert placed(sandbox, name) == Injection(Fault(name), armed=True, proof=PROOFS.get(kind, "answered"))
    assert is_calm(sandbox)


@pytest.mark.parametrize("variable", ["HTTPS_PROXY", "http_proxy", "ANTHROPIC_BASE_URL", "OPENAI_BASE_URL"])
@pytest.mark.parametrize("kind", [kind for kind in SEEN if kind != "timeout"])
def test_who_asks_meets_it(contained, kind, variable):
    placed(contained, f"network.{kind}")
    assert SEEN[kind] in told(contained, ASK % (5, variable))


def test_a_question_that_nobody_answers_lasts_as_long_as_the_asker_waits(contained):
    placed(contained, "network.timeout")
    assert SEEN["timeout"] in told(contained, (ASK % (0.05, "ALL_PROXY")).replace("; cat <&3", ""))


def test_every_variable_says_where_and_no_exception_is_left(contained):
    placed(contained, "network.refused")
    ended = run(contained, "env", env={"NO_PROXY": "*", "no_proxy": "localhost", "HTTPS_PROXY": "http://mine"})
    lines = dict(line.split("=", 1) for line in ended.stdout.decode().splitlines())
    here = "http://127.0.0.1:1"
    assert {name: lines[name] for name in PROXIES} == dict.fromkeys(PROXIES, here)
    assert {name: lines[name] for name in MODELS} == {"ANTHROPIC_BASE_URL": here, "OPENAI_BASE_URL": f"{here}/v1"}
    assert not {"NO_PROXY", "no_proxy"} & set(lines)


def test_without_bash_it_stands_and_is_not_proven(contained, monkeypatch):
    monkeypatch.setattr(
        "harness.faults.network.met",
        lambda *args, **more: contained.run(("/no/such/bash",), env={}, cwd="/", timeout_s=1.0),
    )
    assert placed(contained, "network.refused") == Injection(Fault("network.refused"), armed=True, proof="")
