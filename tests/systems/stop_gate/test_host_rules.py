"""What a hook's end is called in the rules about hosts, and what is known of hosts. Source: stop-hook-contract.md."""

import json
import subprocess

import pytest

from harness.core.process import ProcessEnd
from harness.errors import UsageError
from harness.hosts.probes import PROBES
from harness.systems.stop_gate import hosts
from harness.systems.stop_gate.answers import read_answer, rules_of

BLOCK = {"decision": "block", "reason": "go on"}
MARK = b"\xef\xbb\xbf"
# what a probe's end is called: its own rule, what is called like another's, or nothing by which a host goes on
CALLED = {
    "silence": (), "empty_object": (), "approve": (), "unknown_decision": (), "text": (), "text_before_block": (),
    "text_after_block": (), "two_blocks": (), "block_in_an_array": (), "system_message": (), "suppress_output": (),
    "block_without_reason": ("block", "block_without_reason"),
    "block_with_blank_reason": ("block", "block_with_blank_reason"),
    "block_with_unknown_field": ("block", "block_with_unknown_field"),
    "block_and_continue_false": ("block", "block_and_continue_false"),
    "block_in_white_space": ("block",), "block_over_lines": ("block",), "block_twice_named": ("block",),
    "block_beside_warnings": ("block",),
    "block_after_byte_order_mark": ("block", "block_after_byte_order_mark"),
    "exit_1_with_block": ("block", "exit_1_with_block"), "exit_3_with_block": ("block", "exit_3_with_block"),
    "killed_after_block": ("block", "killed_after_block"),
    "not_found": ("exit_3",),
}  # fmt: skip


def end(stdout=b"", exit_code=0, **more):
    return ProcessEnd(exit_code, stdout=stdout, **more)


def called(stdout=b"", exit_code=0, **more):
    if not isinstance(stdout, bytes):
        stdout = json.dumps(stdout).encode()
    return rules_of(end(stdout, exit_code, **more), read_answer(stdout))


@pytest.mark.parametrize("probe", [probe for probe in PROBES if probe.timeout_s >= 20], ids=lambda probe: probe.rule)
def test_the_end_of_each_probe_has_the_name_of_its_rule(probe):
    ran = subprocess.run(probe.words, input=b"{}", capture_output=True, check=False)
    code, signal = (ran.returncode, None) if ran.returncode >= 0 else (None, -ran.returncode)
    expected = CALLED.get(probe.rule, () if probe.rule == "child" else (probe.rule,))
    assert expected == called(ran.stdout, code, signal=signal, stderr=ran.stderr)


@pytest.mark.parametrize("how", [{"timed_out": True}, {"flooded": True}, {"start_error": "ENOENT"}])
@pytest.mark.parametrize("code", [None, 0, 2])
def test_what_did_not_end_by_itself_blocks_nowhere(how, code):
    assert () == called(BLOCK, code, **how)


@pytest.mark.parametrize(
    ("value", "rules"),
    [
        (BLOCK, ("block",)),
        ({**BLOCK, "continue": True}, ("block",)),
        ({**BLOCK, "continue": "no"}, ()),
        ({**BLOCK, "reason": 1}, ()),
        ({**BLOCK, "reason": None}, ("block", "block_without_reason")),
        ({**BLOCK, "x": 1, "continue": False}, ("block", "block_and_continue_false", "block_with_unknown_field")),
        ({"continue": False}, ("continue_false",)),
        ({"continue": False, "decision": "approve"}, ("continue_false",)),
        ({"hookSpecificOutput": {"additionalContext": "x"}}, ("additional_context",)),
        ({"hookSpecificOutput": {"additionalContext": " "}}, ()),
        ({"hookSpecificOutput": {"additionalContext": 1}}, ()),
        ({"hookSpecificOutput": "x"}, ()),
        ({"hookSpecificOutput": {"additionalContext": "x"}, "decision": "approve"}, ()),
        ({}, ()),
        ([BLOCK], ()),
    ],
)
def test_an_object_is_called_by_what_it_says(value, rules):
    assert rules == called(value)


@pytest.mark.parametrize(
    ("stdout", "code", "more", "rules"),
    [
        (b"", 2, {}, ("exit_2_silent",)),
        (b"", 2, {"stderr": b" \n"}, ("exit_2_blank",)),
        (b"", 2, {"stderr": b"x"}, ("exit_2",)),
        (BLOCK, 2, {"stderr": b"x"}, ("exit_2",)),
        (BLOCK, 2, {}, ("exit_2_with_block_on_stdout",)),
        ({"decision": "approve"}, 2, {"stderr": b"x"}, ("exit_2_with_approve",)),
        ({"decision": "approve"}, 2, {}, ("exit_2_silent",)),
        (b"", 1, {}, ("exit_1",)),
        (b"", 127, {}, ("exit_3",)),
        (BLOCK, 127, {}, ("block", "exit_3_with_block")),
        (b"", None, {"signal": 9}, ("killed",)),
        (BLOCK, None, {"signal": 9}, ("block", "killed_after_block")),
        (b"", None, {}, ()),
    ],
)
def test_an_exit_is_called_by_its_code_and_what_was_said_beside_it(stdout, code, more, rules):
    assert rules == called(stdout, code, **more)


@pytest.mark.parametrize(
    ("stdout", "output", "whole", "marked"),
    [
        (b"", "empty", None, False),
        (b" \r\n\t", "empty", None, False),
        (b"\x0b", "text", None, False),
        (b"hello", "text", None, False),
        (b"{hello", "text", None, False),
        (b'{"decision": NaN}', "text", None, False),
        (b'{"continue": true}', "object", {"continue": True}, False),
        (b"{}", "object", {}, False),
        (b'{"x": 1}', "text", {"x": 1}, False),
        (b'{"decision": "halt"}', "text", {"decision": "halt"}, False),
        (b'{"continue": 1}', "text", {"continue": 1}, False),
        (b'{"decision": "block"}', "text", {"decision": "block"}, False),
        (b"{} {}", "several", None, False),
        (b"{} x", "mixed", None, False),
        (b"x {}", "mixed", None, False),
        (MARK + b"{}", "mixed", {}, True),
        (MARK + b"{} x", "mixed", None, False),
        (MARK, "text", None, False),
        (b"{" * 100_000, "text", None, False),
        (b'{"a":' * 2_000, "text", None, False),
        (b"\xff{}", "mixed", None, False),
    ],
)
def test_an_output_is_read_as_the_one_object_it_is(stdout, output, whole, marked):
    assert (output, whole, marked) == read_answer(stdout)


def test_a_host_does_as_seen_else_as_documented_else_as_the_contract_says_else_it_ends():
    seen = {"block": hosts.Cell("ends")}
    documented = hosts.Documented(5.0, cap=4, rules={"block": "blocks", "exit_2": "ends"})
    host = hosts.Host("a", "1", documented, seen="2026-03-01", rules=seen)
    told = [(host.does(rule), host.source(rule)) for rule in ("block", "exit_2", "exit_2_silent", "no such rule")]
    assert [
        ("ends", "run here on 2026-03-01"),
        ("ends", "documented"),
        ("blocks", "by the contract"),
        ("ends", "by the contract"),
    ] == told
    assert 4 == host.cap
    conduct = hosts.Conduct(cap=None, fields=(), variables=(), transcript="none", closes_stdin=True)
    assert hosts.Host("a", "1", documented, conduct=conduct).cap is None


@pytest.mark.parametrize(
    ("rules", "blocks"), [(("exit_2",), True), (("exit_2", "silence"), False), (("silence",), False)]
)
def test_a_host_goes_on_when_each_of_what_a_hook_did_is_a_block(rules, blocks):
    assert blocks == hosts.Host("a", "1", hosts.Documented(5.0)).blocks(rules)


def test_those_that_were_run_come_first_and_each_version_once():
    known = hosts.hosts()
    names = [(host.host, host.version) for host in known]
    assert len(set(names)) == len(names)
    assert sorted(known, key=lambda host: host.seen is None) == list(known)
    assert {probe.rule for probe in PROBES} == set(hosts.host_named("codex").rules)


def test_a_host_is_named_alone_or_with_its_version():
    newest = hosts.host_named("claude-code")
    assert newest.seen
    assert newest is hosts.host_named(f"claude-code:{newest.version}")
    assert "older" == hosts.host_named("claude-code:older").version
    with pytest.raises(UsageError, match=r"there is no host 'emacs'; known: claude-code:"):
        hosts.host_named("emacs")


def test_the_time_out_nobody_stated_is_the_shortest_of_all_versions():
    assert 60.0 == hosts.default_timeout_s("claude-code")
    assert 30.0 == hosts.default_timeout_s("kimi-code:2.1.0")
