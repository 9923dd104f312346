"""The oracle of the profile stop_hook, on histories made by hooks that are a few lines of script.

A script is a word of one letter a stop (see scripted_hook.ANSWERS); the last letter goes on for ever. Controls answer
rightly unless a test says otherwise, so each row below is a history made by hand around one boundary scenario.
"""

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest
from scripted_hook import Hook, Play, Situation, scripted

from harness.core.clause import Level
from harness.core.finding import CheckVerdict, Finding
from harness.core.history import EntryType, History
from harness.core.scenario import Scenario
from harness.systems import registry
from harness.systems.stop_gate.contract import CONFIG_PATH, RUNTIME_DIRECTORY
from harness.systems.stop_gate.oracle.stop_hook import judge
from harness.systems.stop_gate.workload.boundaries_stop_hook import stop_hook_boundaries

CATALOGUE = registry.get("stop_gate").catalogue
SCENARIOS = {scenario.id: scenario for scenario in stop_hook_boundaries()}
BELOW_L3 = tuple(scenario for scenario in SCENARIOS.values() if scenario.level != "L3")  # variants show the rest
BOUNDARIES = tuple(scenario for scenario in SCENARIOS.values() if scenario.level == "L1")
PASS, FAIL, INCONCLUSIVE = CheckVerdict.PASS, CheckVerdict.FAIL, CheckVerdict.INCONCLUSIVE
DECLARED = {"runtime": "{home}/.cache/x"}
_change = msgspec.structs.replace


def judged(
    scenario: Scenario, hook: Hook, declared: Mapping[str, str] = DECLARED, proof: str = "changed"
) -> list[Finding]:
    return list(judge(scenario, History(tuple(Play(scenario, hook, declared, proof).entries)), CATALOGUE))


def verdict(findings: list[Finding], clause: str) -> CheckVerdict | None:
    return next((finding.verdict for finding in findings if finding.clause == clause), None)


# clause, scenario, a script that passes, one that fails, one that witnesses nothing (empty: there is none)
ROWS = (
    ("SH-01", "hook-transcript-fifo", "a", "b", "h"),
    ("SH-01", "hook-transcript-fifo", "x", "2", "n"),
    ("SH-01", "hook-config-list", "ba", "bb", "bh"),
    ("SH-02", "hook-stdin-no-object", "x", "aa2", "h"),
    ("SH-02", "hook-config-list", "ba", "2a", "hh"),
    ("SH-03", "hook-loop-identical", "bba", "b", "a"),
    ("SH-03", "hook-loop-grown", "bbba", "b", "bh"),
    ("SH-03", "hook-loop-read-only", "ba", "b", "a"),
    ("SH-03", "hook-storage-full", "baa", "b", "a"),
    ("SH-03", "hook-transcript-recorded-claude-code", "bbba", "b", "a"),
    ("SH-03", "hook-transcript-recorded-codex", "ba", "b", "a"),
    ("SH-03", "hook-transcript-recorded-qwen-code", "bba", "b", "a"),
    ("SH-04", "hook-transcript-fifo", "a", "h", "n"),
    ("SH-04", "hook-stdin-kept-open", "x", "h", "n"),
    ("SH-05", "hook-stdin-no-object", "a", "at", "h"),
    ("SH-06", "hook-session-id-hostile", "d", "o", "h"),
    ("SH-06", "hook-link-runtime", "d", "e", "h"),
    ("SH-07", "hook-transcript-empty", "a", "c", ""),
    ("SH-08", "hook-stdin-optional-missing", "ba", "aa", ""),
    ("SH-08", "hook-transcript-blank-lines", "ba", "ha", ""),
    ("PS-FO-01", "hook-runtime-fifo", "aa", "abb", "n"),
    ("PS-TR-01", "hook-transcript-missing", "a", "h", "n"),
    ("PS-TR-02", "hook-transcript-empty", "a", "b", "n"),
    ("PS-TR-02", "hook-transcript-noise", "a", "b", "n"),
    ("PS-TR-02", "hook-transcript-recorded-gemini-cli", "a", "ba", "n"),
    ("PS-TR-03", "steering-transcript-blank-lines", "b", "a", "n"),
    ("PS-TR-05", "steering-transcript-invalid-lines", "ba", "bb", "n"),
    ("PS-TR-05", "steering-transcript-invalid-lines", "ba", "aa", "bn"),
    ("PS-TR-06", "steering-transcript-invalid-lines", "aa", "ab", "n"),
    ("PS-TR-07", "steering-transcript-size", "ba", "aa", "bn"),
    ("PS-TR-08", "steering-transcript-wrong-roles", "b", "a", "n"),
    ("PS-TR-09", "hook-transcript-directory", "a", "b", "n"),
    ("PS-TR-09", "steering-transcript-non-objects", "b", "a", "n"),
    ("PS-SES-01", "hook-session-id-missing", "a", "aab", "n"),
    ("PS-SES-01", "steering-session-id-missing", "bbba", "bba", "n"),
    ("PS-SES-02", "steering-completion", "bwa", "baa", ""),
    ("PS-FS-03", "steering-completion", "bwa", "baa", ""),
    ("PS-SES-04", "steering-semaphore-age", "aab", "aaa", "n"),
    ("PS-SES-05", "steering-semaphore-future", "ab", "xb", "n"),
    ("PS-SES-07", "hook-session-id-hostile", "d", "o", "h"),
    ("PS-CFG-01", "steering-config-disabled", "a", "b", "n"),
    ("PS-CFG-02", "steering-config-broken", "b", "ba", "n"),
    ("PS-CFG-03", "steering-config-partial", "b", "a", "n"),
    ("PS-CFG-05", "steering-config-enabled-number", "b", "a", "n"),
    ("PS-CFG-07", "steering-config-disabled", "a", "b", "n"),
    ("PS-FS-01", "hook-storage-read-only", "aaa", "aab", "n"),
    ("PS-FS-04", "steering-link-semaphore", "w", "o", "h"),
    ("PS-FS-05", "steering-link-summary", "a", "b", "n"),
    ("PS-CON-01", "steering-conversation", "ba", "aa", "bn"),
    ("PS-CON-01", "steering-conversation-recorded-claude-code", "ba", "bb", "bn"),
    ("PS-LOOP-01", "steering-semaphore-age", "aab", "bab", "n"),
    ("PS-LOOP-02", "steering-completion", "bwa", "swa", "aaa"),
    ("PS-LOOP-03", "steering-own-prompt", "ab", "bb", "n"),
    ("PS-LOOP-04", "hook-loop-identical", "bba", "b", "a"),
    ("PS-PRM-04", "steering-completion", "bwa", "uwa", ""),
    ("PS-ENV-01", "steering-skip-variable", "abba", "bbbb", "n"),
    ("PS-ENV-01", "steering-skip-variable", "abbb", "aabb", ""),
    ("PS-TST-01", "hook-together", "aaa", "aba", "n"),
)  # fmt: skip


@pytest.mark.parametrize(("clause", "name", "good", "bad", "neither"), ROWS)
def test_each_rule_passes_fails_and_abstains(clause: str, name: str, good: str, bad: str, neither: str) -> None:
    scenario = SCENARIOS[name]
    assert verdict(judged(scenario, scripted(good)), clause) is PASS
    assert verdict(judged(scenario, scripted(bad)), clause) is FAIL
    if neither:
        assert verdict(judged(scenario, scripted(neither)), clause) in (None, INCONCLUSIVE)


def test_every_clause_of_the_profile_has_a_rule_a_row_and_a_scenario() -> None:
    shown = {clause.id for clause in CATALOGUE.judged_in("stop_hook")}
    assert shown == {row[0] for row in ROWS} | {"PS-PRM-02"}
    assert shown == {clause for scenario in SCENARIOS.values() for clause in scenario.clauses}


@pytest.mark.parametrize(
    ("clause", "name", "script", "readings"),
    [
        ("PS-SES-05", "steering-semaphore-future", "ab", ("ignored_beyond_skew",)),
        ("PS-SES-05", "steering-semaphore-future", "aa", ("counts",)),
        ("PS-SES-05", "steering-semaphore-future", "bb", ("ignored",)),
        ("PS-SES-05", "steering-semaphore-future", "ba", None),
        ("PS-LOOP-02", "steering-completion-without-transcript", "wbb", ("early_too",)),
        ("PS-LOOP-02", "steering-completion-without-transcript", "abb", ("analysed_only",)),
        ("PS-LOOP-03", "steering-own-prompt", "aa", ("any_role",)),
        ("PS-LOOP-03", "steering-own-prompt", "ab", ("assistant_only",)),
        ("PS-ENV-01", "steering-skip-variable", "abba", ("non_empty",)),
        ("PS-ENV-01", "steering-skip-variable", "abbb", ("one_only",)),
        ("PS-TR-09", "steering-transcript-bad-utf8", "a", ("approve",)),
        ("PS-TR-09", "steering-transcript-bad-utf8", "b", ("invalid_line",)),
    ],
)
def test_readings_are_told_apart(clause: str, name: str, script: str, readings: tuple[str, ...] | None) -> None:
    finding = next(each for each in judged(SCENARIOS[name], scripted(script)) if each.clause == clause)
    if readings is None:
        assert (finding.verdict, finding.reason) == (FAIL, "inconsistent")
    else:
        assert (finding.verdict, finding.readings) == (PASS, readings)


def test_a_block_of_torn_lines_is_held_against_the_hook_only_without_them() -> None:
    torn = SCENARIOS["hook-transcript-torn-tail"]
    assert verdict(judged(torn, scripted("b", controls="bwa")), "SH-01") is FAIL
    for clause in ("SH-01", "SH-02", "PS-FO-01"):
        assert verdict(judged(torn, scripted("2", controls="bw2")), clause) is INCONCLUSIVE
    assert verdict(judged(torn, scripted("a", controls="bw2")), "SH-01") is PASS


def test_a_fault_without_proof_witnesses_nothing() -> None:
    for word in ("a", "b"):
        findings = judged(SCENARIOS["hook-transcript-fifo"], scripted(word), proof="")
        assert verdict(findings, "SH-01") is INCONCLUSIVE


def test_without_a_declared_place_writing_is_not_established_and_not_writing_is() -> None:
    hostile = SCENARIOS["hook-session-id-hostile"]
    assert verdict(judged(hostile, scripted("a", "ba"), {}), "SH-06") is PASS
    assert verdict(judged(hostile, scripted("d", "ba"), {}), "SH-06") is INCONCLUSIVE
    assert verdict(judged(hostile, scripted("o", "ba"), {}), "SH-06") is FAIL


def test_where_one_writes_is_not_established_while_its_processes_go_on() -> None:
    hostile = SCENARIOS["hook-session-id-hostile"]
    assert verdict(judged(hostile, scripted("c", "ba"), {}), "SH-06") is INCONCLUSIVE


def test_a_semaphore_is_declared_with_its_session_left_open() -> None:
    pattern = {"semaphore": f"{RUNTIME_DIRECTORY}/.{{session_id}}_completed"}
    scenario = SCENARIOS["hook-link-runtime"]
    assert verdict(judged(scenario, scripted("a", "ba"), pattern), "SH-06") is PASS
    assert verdict(judged(scenario, scripted("w", "ba"), pattern), "SH-06") is FAIL  # the summary is not declared


def test_unstated_samples_pass_nothing_until_one_was_blocked() -> None:
    def unstated(name: str) -> Scenario:
        scenario = SCENARIOS[name]
        steps = tuple(
            _change(step, op=_change(step.op, args={**step.op.args, "deserves": None})) if step.op else step
            for step in scenario.steps
        )
        return _change(scenario, steps=steps)

    fifo = unstated("hook-transcript-fifo")
    assert verdict(judged(fifo, scripted("a", "ba")), "SH-01") is PASS
    assert verdict(judged(fifo, scripted("a", "aa")), "SH-01") is INCONCLUSIVE
    assert verdict(judged(fifo, scripted("b", "aa")), "SH-01") is FAIL
    blocked = {finding.clause: finding for finding in judged(fifo, scripted("b", "bb"))}
    assert blocked["SH-01"].verdict is INCONCLUSIVE
    assert "samples.approve" in blocked["SH-01"].reason
    calm = judged(unstated("hook-calm"), scripted("a", "aa"))
    assert verdict(calm, "SH-08") is INCONCLUSIVE
    assert verdict(calm, "PS-PRM-02") is INCONCLUSIVE


DEGENERATES = {
    "a": {"SH-08"},  # exits 0 at once
    "b": {"SH-01", "SH-03"},
    "2": {"SH-01", "SH-02", "SH-03"},
    "t": {"SH-05", "SH-08"},  # talks, or gives its input back
    "x": {"SH-08"},  # crashes
    "h": {"SH-04", "SH-08"},
    "n": set(),  # cannot be started: nothing is known
}


@pytest.mark.parametrize("letter", DEGENERATES)
def test_degenerate_hooks_pass_nothing_and_fail_where_they_should(letter: str) -> None:
    findings = [finding for scenario in BOUNDARIES for finding in judged(scenario, lambda _: letter)]
    assert not [finding for finding in findings if finding.verdict is CheckVerdict.HARNESS_ERROR]
    assert not {finding.clause for finding in findings if finding.verdict is PASS}
    failed = {finding.clause for finding in findings if finding.verdict is FAIL}
    assert {clause for clause in failed if clause.startswith("SH-")} == DEGENERATES[letter]
    musts = {clause.id for clause in CATALOGUE if clause.level is Level.MUST}
    assert bool(failed & musts) is (letter != "n")


def sound(situation: Situation) -> str:
    """A hook that follows document 004, as far as a letter can tell."""
    arguments, faults = situation.arguments, {fault.name for fault in situation.faults}
    fact, config = situation.inputs["transcript"], situation.inputs["config"]
    touched = {fault.name for fault in situation.faults if fault.path == arguments.transcript_path}
    semaphore = f"{RUNTIME_DIRECTORY}/.{arguments.session_id}_completed"
    age = situation.ages.get(semaphore)
    unreadable = arguments.stdin.value not in ("object", "kept_open") or fact.kind != "file"
    unnamed = "transcript_path" in (*arguments.drop, *arguments.replace)
    skipped = arguments.environment.get("AMPLIHACK_SKIP_POWER_STEERING") == "1"
    disabled = config.data == b'{"enabled": false}' and config.kind == "file"
    ran = age is not None and -60 <= age <= 3600
    if (
        unreadable
        or unnamed
        or skipped
        or disabled
        or ran
        or fact.size > 10 * 1024 * 1024
        or b"\0" in (fact.data or b"")
    ):
        return "a"
    damaged = any(fault.params.get("count", 0) == 11 and fault.name in touched for fault in situation.faults)
    own = arguments.session_id.startswith("prompted")
    unfinished = situation.sample == "block" or arguments.session_id.endswith("question")
    state = {fault.path for fault in situation.faults} & {"{runtime}", "{semaphore}"}
    unwritable = bool(state or faults & {"filesystem.read_only", "filesystem.full"})
    if unfinished and not (damaged or own or unwritable or arguments.stop_hook_active):
        return "b"
    plain = not (unwritable or arguments.close_stdout) and arguments.session_id.replace("-", "").isalnum()
    linked = any(arguments.session_id in path and fact.kind == "symlink" for path, fact in situation.files.items())
    return "w" if plain and not linked else "a"


@pytest.mark.parametrize("scenario", BELOW_L3, ids=lambda scenario: scenario.id)
def test_a_sound_hook_is_witnessed_in_everything_a_scenario_is_meant_for(scenario: Scenario) -> None:
    findings = judged(scenario, sound, {"runtime": RUNTIME_DIRECTORY})
    assert {finding.clause: finding.verdict for finding in findings if finding.verdict is not PASS} == {}
    assert set(scenario.clauses) <= {finding.clause for finding in findings}
    assert all(finding.witnesses for finding in findings)


@pytest.mark.parametrize("value", [{}, {"decision": 5}, {"decision": "block", "means": []}, {"reason": "timed_out"}])
@pytest.mark.parametrize("kind", [EntryType.OK, EntryType.FAIL, EntryType.INFO])
def test_no_answer_of_any_shape_breaks_a_rule(value: dict[str, Any], kind: EntryType) -> None:
    for scenario in BOUNDARIES:
        entries = Play(scenario, sound, DECLARED).entries
        spoiled = [
            entry if entry.type is EntryType.INVOKE else _change(entry, type=kind, value=value) for entry in entries
        ]
        for history in (spoiled, spoiled[:-1], [_change(entry, value=value) for entry in entries]):
            findings = judge(scenario, History(tuple(history)), CATALOGUE)
            assert not [each for each in findings if each.verdict in (PASS, CheckVerdict.HARNESS_ERROR)]


def test_the_configuration_of_the_group_is_the_documents() -> None:
    assert CONFIG_PATH in SCENARIOS["steering-config-disabled"].world.files
