"""Corners of the oracle of stop hooks that no boundary scenario enters, each as stops made by hand."""

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from harness.core.fault import Fault, Injection, Scalar
from harness.core.history import Entry, EntryType, FileFact, History, InputFact
from harness.core.scenario import FileSpec, Scenario, World
from harness.systems.stop_gate.contract import (
    PROMPT_MARK,
    RUNTIME_DIRECTORY,
    SKIP_VARIABLE,
    Decision,
    StopArguments,
    StopResult,
)
from harness.systems.stop_gate.oracle.stop_hook_settings import known_keys_override, prompt_has_its_mark, skip_variable
from harness.systems.stop_gate.oracle.stop_hook_steering import (
    future_semaphore,
    own_prompt_is_known,
    ten_invalid_lines,
    too_many_invalid_lines,
)
from harness.systems.stop_gate.oracle.stop_hook_stops import Stop, StopHistory

NOW = "2026-01-01T12:00:00+00:00"
SEMAPHORE = f"{RUNTIME_DIRECTORY}/.session-1_completed"
APPROVED = StopResult(Decision.APPROVE, "nothing", "empty", 0)
BLOCKED = StopResult(Decision.BLOCK, "json", "object", 0)
HUNG = msgspec.structs.replace(APPROVED, exit_code=None, timed_out=True)
MISSING = InputFact("missing")


def stop(
    result: StopResult,
    *,
    sample: str = "block",
    faults: tuple[Injection, ...] = (),
    before: Mapping[str, FileFact] | None = None,
    transcript: InputFact = MISSING,
    config: InputFact = MISSING,
    **arguments: Any,
) -> Stop:
    files = before or {}
    return Stop(0, 1, StopArguments(**arguments), {}, faults, files, files, transcript, config, sample, result)


CONTROL = stop(BLOCKED, role="control")


def view(*stops: Stop, age_s: float | None = None) -> StopHistory:
    files = {} if age_s is None else {SEMAPHORE: FileSpec(text="", age_s=age_s)}
    world = World(NOW, files)
    return StopHistory(Scenario(1, "s", "t", "stop_gate", "stop_hook", (), world, (), group="power_steering"), stops)


def file(data: bytes) -> InputFact:
    return InputFact("file", len(data), data)


@pytest.mark.parametrize("text", [b'{"enabled": true}', b'{"enabled": false, "timeout_seconds": 5}', b"{}"])
def test_only_a_configuration_of_one_telling_key_shows_that_it_overrides_alone(text: bytes) -> None:
    silent = stop(BLOCKED, config=file(text))
    telling = stop(BLOCKED, config=file(b'{"timeout_seconds": 5}'))
    assert known_keys_override(view(CONTROL, silent)) is None
    judgement = known_keys_override(view(CONTROL, silent, telling))
    assert judgement is not None
    assert (judgement.ok, judgement.witnesses) == (True, 1)


@pytest.mark.parametrize(
    ("reason", "ok"),
    [("x" * 1_999, False), ("x" * 2_000, None), (PROMPT_MARK + "x" * 1_970, True), (PROMPT_MARK, True)],
)
def test_a_reason_that_was_cut_off_may_have_its_mark_further_on(reason: str, ok: bool | None) -> None:
    said = msgspec.structs.replace(BLOCKED, stdout_excerpt=reason)
    judgement = prompt_has_its_mark(view(stop(said)))
    assert (None if judgement is None else judgement.ok) is ok


def skipping(result: StopResult, value: str, **more: Any) -> Stop:
    return stop(result, environment={SKIP_VARIABLE: value}, **more)


@pytest.mark.parametrize(
    "unjudged",
    [
        skipping(BLOCKED, "1", faults=(Injection(Fault("filesystem.full"), armed=True, proof="ENOSPC"),)),
        skipping(BLOCKED, "1", drop=("session_id",)),
        skipping(BLOCKED, "1", role="repeat"),
        skipping(HUNG, "true"),
    ],
    ids=["fault", "odd", "repeat", "hung"],
)
def test_the_skip_variable_is_judged_in_calm_weather_and_by_an_answer(unjudged: Stop) -> None:
    judgement = skip_variable(view(CONTROL, skipping(APPROVED, "1"), skipping(BLOCKED, "0"), unjudged))
    assert judgement is not None
    assert (judgement.ok, judgement.witnesses, judgement.readings) == (True, 2, None)


@pytest.mark.parametrize(("result", "reading"), [(BLOCKED, "one_only"), (APPROVED, "non_empty")])
def test_another_value_of_the_skip_variable_shows_its_reading(result: StopResult, reading: str) -> None:
    judgement = skip_variable(view(CONTROL, skipping(result, "true"), skipping(BLOCKED, "")))
    assert judgement is not None
    assert (judgement.ok, judgement.readings) == (True, {reading})


def garbage(result: StopResult, count: Scalar, *, transcript: InputFact) -> Stop:
    faults = (Injection(Fault("jsonl.garbage_lines", "{home}/t", {"count": count}), armed=True, proof="changed"),)
    return stop(result, faults=faults, transcript=transcript)


TOO_LARGE_FOR_A_HISTORY = InputFact("file", 300_000)


def test_invalid_lines_of_a_transcript_whose_bytes_are_not_known_are_those_of_the_fault() -> None:
    ten = garbage(BLOCKED, 10, transcript=TOO_LARGE_FOR_A_HISTORY)
    eleven = garbage(APPROVED, 11, transcript=TOO_LARGE_FOR_A_HISTORY)
    for rule, witnesses in ((ten_invalid_lines, 2), (too_many_invalid_lines, 1)):
        judgement = rule(view(CONTROL, ten, eleven))
        assert judgement is not None
        assert (judgement.ok, judgement.witnesses) == (True, witnesses)


def test_invalid_lines_that_nothing_counts_are_not_judged() -> None:
    uncounted = garbage(BLOCKED, "many", transcript=TOO_LARGE_FOR_A_HISTORY)
    unsure = garbage(BLOCKED, 11, transcript=file(b"\xc2\xa0\n" + b"nonsense\n" * 10))
    for rule in (ten_invalid_lines, too_many_invalid_lines):
        assert rule(view(CONTROL, uncounted, unsure)) is None


@pytest.mark.parametrize(
    ("ahead_s", "readings"),
    [
        (60.0, {"ignored"}),
        (60.5, None),
        (90.0, None),  # half a minute may have passed since the world was made
        (90.5, {"ignored_beyond_skew", "ignored"}),
    ],
)
def test_a_semaphore_at_the_edge_of_the_skew_tells_no_reading(ahead_s: float, readings: set[str] | None) -> None:
    blocked = stop(BLOCKED, before={SEMAPHORE: FileFact("file")})
    judgement = future_semaphore(view(CONTROL, blocked, age_s=-ahead_s))
    assert (None if judgement is None else judgement.readings) == readings


def message(role: str, content: str) -> bytes:
    return msgspec.json.encode({"role": role, "content": content}) + b"\n"


PROMPTED = message("assistant", PROMPT_MARK)
OPEN_END = stop(BLOCKED, sample="", role="control")


def test_a_hook_that_hangs_on_its_own_prompt_fails() -> None:
    judgement = own_prompt_is_known(view(OPEN_END, stop(HUNG, sample="", transcript=file(PROMPTED))))
    assert judgement is not None
    assert (judgement.ok, judgement.observed) == (False, "it did not end within its time")


@pytest.mark.parametrize(
    "data", [message("assistant", "no mark"), PROMPTED + message("user", "go on")], ids=["unmarked", "answered"]
)
def test_a_session_whose_last_message_is_no_prompt_says_nothing_about_prompts(data: bytes) -> None:
    for result in (APPROVED, BLOCKED):
        assert own_prompt_is_known(view(OPEN_END, stop(result, sample="", transcript=file(data)))) is None
    judgement = own_prompt_is_known(view(OPEN_END, stop(APPROVED, sample="", transcript=file(PROMPTED))))
    assert judgement is not None
    assert judgement.ok


def test_a_hook_whose_output_does_not_end_is_hung_and_said_to_be() -> None:
    flooding = stop(msgspec.structs.replace(BLOCKED, flooded=True))
    assert flooding.answer == "its output did not end"
    assert (flooding.hung, flooding.ended, flooding.blocked) == (True, False, False)


def entry(n: int, kind: EntryType, op: str, value: Any) -> Entry:
    return Entry(n, 0, kind, op, value, NOW)


def test_only_stops_are_stops_and_one_without_a_stops_arguments_has_the_defaults() -> None:
    answer = msgspec.to_builtins(APPROVED)
    history = History(
        (
            entry(0, EntryType.INVOKE, "open", {}),
            entry(1, EntryType.OK, "open", {}),
            entry(2, EntryType.INVOKE, "reset", {}),
            entry(3, EntryType.OK, "reset", {}),
            entry(4, EntryType.INVOKE, "stop", {"session_id": 5, "role": "control"}),
            entry(5, EntryType.OK, "stop", answer),
        )
    )
    (only,) = StopHistory.of(view().scenario, history).stops
    assert (only.began, only.epoch, only.arguments) == (4, 1, StopArguments())
    assert only.approved
