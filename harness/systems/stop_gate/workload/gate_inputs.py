"""Boundaries of the profile gate in what a check is given: transcript, configuration, environment."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from harness.core.scenario import FileSpec, Scenario, Step
from harness.systems.stop_gate.contract import CONFIG_PATH, COUNTERS, SKIP_VARIABLE, TRANSCRIPT_LIMIT_BYTES
from harness.systems.stop_gate.workload.gate_steps import (
    ANSWERED,
    APPROVE,
    ASKED,
    BLOCK,
    CONTROL,
    FAILED,
    FINE,
    HEALTHY,
    HEALTHY_NESTED,
    METRICS,
    MUST_APPROVE,
    MUST_BLOCK,
    PROMPT_TEXT,
    SCALE,
    TRANSCRIPT,
    calm,
    check,
    codex,
    config,
    consideration,
    fault,
    flat,
    nested,
    reasons,
    scenario,
    text,
)
from harness.systems.stop_gate.workload.recorded import CONVERSATIONS, RECORDED, THREE_FORMS

TORN = '{"role": "assistant", "content": "half a'
UNDECODABLE = b'{"role": "assistant", "content": "\xff\xfe"}\n'
NON_OBJECTS = ("5", "[1, 2]", '"a role"', "null", "true")
MISSING_TRANSCRIPTS = {"file": FileSpec("absent"), "link": FileSpec("symlink", target="{tmp}/nothing.jsonl")}
EMPTY_TRANSCRIPTS = {
    "zero-bytes": FileSpec(text=""),
    "blank-lines": text("", "  ", ""),
    "no-roles": text('{"type": "summary"}', '{"role": "tool", "content": "x"}', '{"content": "no role"}'),
    "invalid-only": text(TORN, "no JSON at all"),
    "non-objects-only": text(*NON_OBJECTS),
}
UNREADABLE_TRANSCRIPTS = {
    "directory": FileSpec("directory"),
    "fifo": FileSpec("fifo"),
    "unreadable": FileSpec(text=ASKED + "\n", mode=0),
    "symlink-loop": FileSpec("symlink", target=TRANSCRIPT),
}
UNUSABLE_CONFIGS = {
    "not-json": FileSpec(text="enabled = false\n"),
    "truncated": FileSpec(text='{"enabled": false'),
    "empty": FileSpec(text=""),
    "list": FileSpec(text="[false]"),
    "null": FileSpec(text="null"),
    "number": FileSpec(text="5"),
    "bad-utf8": FileSpec(base64=b'{"enabled": "\xff"}'),
    "directory": FileSpec("directory"),
    "fifo": FileSpec("fifo"),
    "unreadable": FileSpec(text='{"enabled": false}', mode=0),
}
BAD_ENABLED: Mapping[str, Any] = {
    "one": 1, "zero": 0, "text-true": "true", "text-false": "false", "null": None, "list": [],
}  # fmt: skip
BAD_TIMEOUTS: Mapping[str, Any] = {
    "zero": 0, "301": 301, "true": True, "false": False, "30-0": 30.0, "text-30": "30", "null": None, "negative": -1,
    "beyond-64-bits": 2**64 + 30, "list": [30],
}  # fmt: skip
# document 004 does not know the form of Codex, so a gate may drop its lines
HELD_AS = {"claude-code": (BLOCK,), "codex": (BLOCK, reasons("empty_transcript"))}
NOTHING_COUNTED: Mapping[str, Any] = {"counters": dict.fromkeys(COUNTERS, 0), "alerts": []}


def input_boundaries() -> Iterator[Scenario]:
    """Every boundary of the inputs."""
    yield from _no_transcript()
    yield from _invalid_lines()
    yield from _sizes()
    yield from _messages()
    yield from _recorded()
    yield from _unreadable()
    yield from _configs()
    yield from _exhausting()
    yield from _timeouts()
    yield from _environment()


def _no_transcript() -> Iterator[Scenario]:
    for name, spec in MISSING_TRANSCRIPTS.items():
        yield scenario(
            f"transcript-missing-{name}", "The transcript is not there.", ("PS-TR-01", "PS-FO-01"),
            (*CONTROL, check(FAILED)), reasons("transcript_missing"), files={TRANSCRIPT: spec},
        )  # fmt: skip
    for name, spec in EMPTY_TRANSCRIPTS.items():
        yield scenario(
            f"transcript-empty-{name}", "The transcript holds no message.", ("PS-TR-02", "PS-FO-01"),
            (*CONTROL, check(FAILED)), reasons("empty_transcript"), transcript=spec,
        )  # fmt: skip


def _invalid_lines() -> Iterator[Scenario]:
    yield scenario(
        "transcript-blank-lines", "Thirty blank lines stand between two messages.", ("PS-TR-03",),
        (*CONTROL, check(FINE, session_id="session-2"), check(FAILED)), BLOCK,
        transcript=text(ASKED, *[""] * 20, *["   "] * 10, ANSWERED),
    )  # fmt: skip
    many: list[Step] = []
    files: dict[str, FileSpec] = {}
    for n, blanks in enumerate((1, 7, 11, 40, 200)):  # who answers by lot is right once or twice
        files[f"{TRANSCRIPT}.{n}"] = text(ASKED, *[("", "  ", "\t")[n % 3]] * blanks, ANSWERED)
        many.append(check(FINE, session_id=f"fine-{n}", transcript_path=f"{TRANSCRIPT}.{n}"))
        many.append(check(FAILED, session_id=f"failed-{n}", transcript_path=f"{TRANSCRIPT}.{n}"))
    yield scenario(
        "transcript-blank-lines-often", "Blank lines stand in five transcripts, in each as many as in no other.",
        ("PS-TR-03",), tuple(many), BLOCK, files=files,
    )  # fmt: skip
    prompt = flat("assistant", PROMPT_TEXT)
    yield scenario(
        "transcript-one-invalid-line", "The last line is torn.", ("PS-TR-04", "PS-FO-01"),
        (*CONTROL, check(FAILED)), BLOCK, transcript=text(*HEALTHY, TORN),
    )  # fmt: skip
    yield scenario(
        "transcript-invalid-lines-after-blanks", "Two invalid lines follow blank ones, which count as lines.",
        ("PS-TR-04",), (check(FAILED),), BLOCK, transcript=text("", ASKED, "", "nonsense", "", TORN, ANSWERED),
    )  # fmt: skip
    yield scenario(
        "transcript-valid-line-after-invalid", "The line after an invalid one is the gate's own prompt.",
        ("PS-TR-04",), (MUST_BLOCK, check(FAILED)), reasons("power_steering_prompt"),
        transcript=text(*HEALTHY, TORN, prompt),
    )  # fmt: skip
    yield scenario(
        "transcript-ten-invalid-lines", "Ten lines are no JSON.", ("PS-TR-04", "PS-TR-05"), (check(FAILED),), BLOCK,
        transcript=text(ASKED, *["nonsense"] * 10, ANSWERED),
    )  # fmt: skip
    yield scenario(
        "transcript-eleven-invalid-lines", "Eleven lines are no JSON.", ("PS-TR-05", "PS-TR-06", "PS-FO-01"),
        (*CONTROL, check(FAILED)), APPROVE, transcript=text(ASKED, *["nonsense"] * 11, ANSWERED),
    )  # fmt: skip
    yield scenario(
        "transcript-ten-invalid-lines-among-blanks", "Ten lines are no JSON and thirty are blank.",
        ("PS-TR-03", "PS-TR-05"), (check(FAILED),), BLOCK,
        transcript=text(ASKED, *["", "nonsense", "", ""] * 10, ANSWERED),
    )  # fmt: skip
    yield scenario(
        "transcript-many-invalid-lines", "A hundred lines are no JSON.", ("PS-TR-06",), (*CONTROL, check(FAILED)),
        APPROVE, transcript=text(*["nonsense"] * 100, *HEALTHY),
    )  # fmt: skip
    bad = {f"{TRANSCRIPT}.{count}": text(*HEALTHY, *["nonsense"] * count) for count in (11, 12, 20, 50, 500)}
    turns = [(calm(FAILED, session_id=f"calm-{n}"), check(FAILED, session_id=f"bad-{n}", transcript_path=path))
             for n, path in enumerate(bad)]  # fmt: skip
    yield scenario(
        "transcript-many-invalid-lines-often", "Five transcripts have too many lines that are no JSON.", ("PS-TR-06",),
        tuple(step for pair in turns for step in pair), APPROVE, files=bad,
    )  # fmt: skip


def _sizes() -> Iterator[Scenario]:
    body = "".join(line + "\n" for line in HEALTHY)
    yield scenario(
        "transcript-at-the-limit", "The transcript has exactly 10 MiB.", ("PS-TR-07",), (check(FAILED),), BLOCK,
        transcript=FileSpec(text=body, pad_bytes=TRANSCRIPT_LIMIT_BYTES),
    )  # fmt: skip
    yield scenario(
        "transcript-over-the-limit", "The transcript has one byte more than 10 MiB.", ("PS-TR-07", "PS-FO-01"),
        (*CONTROL, check(FAILED)), reasons("transcript_too_large"),
        transcript=FileSpec(text=body, pad_bytes=TRANSCRIPT_LIMIT_BYTES + 1),
    )  # fmt: skip


def _messages() -> Iterator[Scenario]:
    other = flat("tool", PROMPT_TEXT)
    cases = {
        "wrong-role": ("A message of another role comes last, and would end the check.", (*HEALTHY, other)),
        "no-role": ("Lines without a role stand among messages.", ('{"type": "summary"}', *HEALTHY, '{"a": 1}')),
        "odd-roles": ("Roles of other types stand among messages.", ('{"role": 5}', *HEALTHY, '{"role": ["user"]}')),
        "nested": ("The role stands inside message.", (*HEALTHY_NESTED, '{"type": "file-history-snapshot"}')),
        "nested-wrong-role": (
            "A nested message of another role comes last.",
            (*HEALTHY_NESTED, nested("developer", PROMPT_TEXT)),
        ),
    }
    for name, (title, lines) in cases.items():
        yield scenario(
            f"messages-{name}", title, ("PS-TR-08",), (MUST_BLOCK, check(FAILED)), BLOCK, transcript=text(*lines)
        )
    yield scenario(
        "messages-three-forms", "Flat, nested and Codex lines stand in one transcript.", ("PS-PRM-02",),
        (check(FAILED),), BLOCK, transcript=text(ASKED, codex("assistant", "I am at it."), HEALTHY_NESTED[1]),
    )  # fmt: skip


def _recorded() -> Iterator[Scenario]:
    for host in THREE_FORMS:
        yield scenario(
            f"messages-recorded-{host}-held", f"The transcript is as {host} writes it, and the session is held.",
            ("PS-PRM-02",), (MUST_APPROVE, check(FAILED)), *HELD_AS[host],
            transcript=text(*RECORDED[host].unfinished),
        )  # fmt: skip
    # nothing in these is amiss, whoever wrote them: no counter rises, no alert stands
    for host in (*THREE_FORMS, "qwen-code"):
        yield scenario(
            f"messages-recorded-{host}-ended", f"The transcript is as {host} writes it, and the session may end.",
            ("PS-PRM-02", "PS-MON-02"), (MUST_BLOCK, check(FINE), METRICS), NOTHING_COUNTED,
            transcript=text(*RECORDED[host].finished),
        )  # fmt: skip
    yield scenario(
        "messages-recorded-gemini-cli-ended",
        "The transcript is as gemini-cli writes it, without a role in any line, and the session may end.",
        ("PS-TR-02", "PS-FO-01"), (*CONTROL, check(FAILED), METRICS), NOTHING_COUNTED,
        transcript=text(*RECORDED["gemini-cli"].finished),
    )  # fmt: skip
    path = f"{TRANSCRIPT}.open"
    yield scenario(
        "messages-recorded-claude-code-question",
        "Without tool calls, as claude-code writes them, one session ends in a question and one in a plain answer.",
        ("PS-CON-01",), (check(own=True, transcript_path=path), check(own=True, session_id="session-2")), APPROVE,
        transcript=text(*CONVERSATIONS["answer"]), files={path: text(*CONVERSATIONS["question"])},
    )  # fmt: skip


def _unreadable() -> Iterator[Scenario]:
    for name, spec in UNREADABLE_TRANSCRIPTS.items():
        yield scenario(
            f"transcript-is-{name}", f"The transcript is no readable file: {name}.", ("PS-TR-09", "PS-FO-01"),
            (*CONTROL, check(FAILED)), APPROVE, files={TRANSCRIPT: spec},
        )  # fmt: skip
    first, last = f"{ASKED}\n".encode(), f"{ANSWERED}\n".encode()
    yield scenario(
        "transcript-one-undecodable-line", "One line is no UTF-8.", ("PS-TR-09",), (*CONTROL, check(FAILED)),
        BLOCK, APPROVE, transcript=FileSpec(base64=first + UNDECODABLE + last),
    )  # fmt: skip
    yield scenario(
        "transcript-ten-undecodable-lines", "Ten lines are no UTF-8.", ("PS-TR-09",), (*CONTROL, check(FAILED)),
        BLOCK, APPROVE, transcript=FileSpec(base64=first + UNDECODABLE * 10 + last),
    )  # fmt: skip
    yield scenario(
        "transcript-eleven-undecodable-lines", "Eleven lines are no UTF-8.", ("PS-TR-09",),
        (*CONTROL, check(FAILED)), APPROVE, transcript=FileSpec(base64=first + UNDECODABLE * 11 + last),
    )  # fmt: skip
    for name in ("deep_nesting", "huge_integer"):
        yield scenario(
            f"transcript-{name.replace('_', '-')}", f"A line exhausts a parser: {name}.", ("PS-TR-09", "PS-FO-01"),
            (*CONTROL, fault(f"jsonl.{name}", TRANSCRIPT), check(FINE, session_id="session-2"), check(FAILED)),
            BLOCK, APPROVE,
        )  # fmt: skip
    yield scenario(
        "transcript-non-objects", "Twenty lines are JSON but no objects.", ("PS-TR-09",), (*CONTROL, check(FAILED)),
        BLOCK, transcript=text(ASKED, *NON_OBJECTS * 4, ANSWERED),
    )  # fmt: skip


def _configs() -> Iterator[Scenario]:
    second = "{project}/second"
    yield scenario("config-missing", "There is no configuration.", ("PS-CFG-01",), (check(FAILED),), BLOCK)
    yield scenario(
        "config-disabled", "The configuration of one of two projects disables the gate.",
        ("PS-CFG-01", "PS-CFG-03", "PS-CFG-07"), (calm(FAILED, project_root=second), check(FAILED)), APPROVE,
        files={**config({"enabled": False}), second: FileSpec("directory")},
    )  # fmt: skip
    asked = [(calm(FAILED, project_root=second, session_id=f"calm-{n}"), check(FAILED, session_id=f"off-{n}"))
             for n in range(5)]  # fmt: skip
    yield scenario(
        "config-disabled-often", "One of two projects disables the gate, and sessions of both end in turn.",
        ("PS-CFG-07",), tuple(step for pair in asked for step in pair), APPROVE,
        files={**config({"enabled": False}), second: FileSpec("directory")},
    )  # fmt: skip
    for name, spec in UNUSABLE_CONFIGS.items():
        yield scenario(
            f"config-unusable-{name}", f"The configuration is unusable: {name}.", ("PS-CFG-02", "PS-FO-01"),
            (check(FINE, session_id="session-2"), check(FAILED)), BLOCK, files={CONFIG_PATH: spec},
        )  # fmt: skip
    for key, known in {"enabled": True, "timeout_seconds": 60}.items():
        yield scenario(
            f"config-only-{key.replace('_', '-')}", f"The configuration sets {key} and nothing else.", ("PS-CFG-03",),
            (check(FAILED),), BLOCK, files=config({key: known}),
        )  # fmt: skip
    yield scenario(
        "config-one-of-two-bad", "The configuration disables the gate, and its other value is not usable.",
        ("PS-CFG-03", "PS-CFG-07"), (calm(FAILED, project_root=second), check(FAILED)), APPROVE,
        files={**config({"enabled": False, "timeout_seconds": "soon"}), second: FileSpec("directory")},
    )  # fmt: skip
    yield scenario(
        "config-defaults-unchanged", "A second project without a configuration follows one that is disabled.",
        ("PS-CFG-03", "PS-CFG-07"), (check(FAILED), check(FAILED, project_root=second, session_id="session-2")), BLOCK,
        files={**config({"enabled": False}), second: FileSpec("directory")},
    )  # fmt: skip
    yield scenario(
        "config-unknown-keys", "The configuration holds two keys that are not known.", ("PS-CFG-04",),
        (check(FAILED),), BLOCK, files=config({"enabled": True, "colour": "red", "retries": 3}),
    )  # fmt: skip
    yield scenario(
        "config-unknown-keys-beside-known", "A key that is not known stands beside one that disables the gate.",
        ("PS-CFG-04", "PS-CFG-07"), (calm(FAILED, project_root=second), check(FAILED)), APPROVE,
        files={**config({"colour": "red", "enabled": False}), second: FileSpec("directory")},
    )  # fmt: skip
    for name, value in BAD_ENABLED.items():
        yield scenario(
            f"config-enabled-{name}", f"The configuration has enabled as {json.dumps(value)}.", ("PS-CFG-05",),
            (check(FAILED),), BLOCK, files=config({"enabled": value}),
        )  # fmt: skip


def _exhausting() -> Iterator[Scenario]:
    for name in ("huge_integer", "deep_nesting"):
        yield scenario(
            f"config-{name.replace('_', '-')}", f"The configuration exhausts a parser: {name}.",
            ("PS-FO-01", "PS-TST-01"),
            (*CONTROL, fault(f"json_document.{name}", CONFIG_PATH), check(FINE, session_id="session-2"), check(FAILED)),
            BLOCK,
        )  # fmt: skip


def _timeouts() -> Iterator[Scenario]:
    for limit in (1, 300):
        yield scenario(
            f"config-timeout-{limit}", f"timeout_seconds is {limit}, which is in range.", ("PS-CFG-06",),
            (check(FAILED),), BLOCK, files=config({"timeout_seconds": limit}),
        )  # fmt: skip
    for name, value in BAD_TIMEOUTS.items():
        yield scenario(
            f"config-timeout-{name}", f"timeout_seconds is {json.dumps(value)}, which is not allowed.",
            ("PS-CFG-06",), (check(FAILED),), BLOCK, files=config({"timeout_seconds": value}),
        )  # fmt: skip
    yield scenario(
        "config-timeout-in-force", "One checker hangs for longer than timeout_seconds.", ("PS-CFG-06",),
        (check(consideration("hangs"), FINE),), APPROVE,
        files=config({"timeout_seconds": 2}), scale=SCALE,
    )  # fmt: skip


def _environment() -> Iterator[Scenario]:
    def skipped(value: str, session_id: str = "session-1") -> Step:
        return check(FAILED, environment={SKIP_VARIABLE: value}, session_id=session_id)

    # the later check is another session's, lest the skipped one counts as completed
    unset = check(FAILED, session_id="session-2")
    yield scenario(
        "skip-variable", "The skip variable is 1, and then unset.", ("PS-ENV-01",), (skipped("1"), unset), BLOCK
    )
    for name, value in {"zero": "0", "empty": ""}.items():
        yield scenario(
            f"skip-variable-{name}", f"The skip variable is {value!r}, which skips nothing.", ("PS-ENV-01",),
            (skipped("1"), skipped(value, "session-2")), BLOCK,
        )  # fmt: skip
    yield scenario(
        "skip-variable-true", "The skip variable is the word true.", ("PS-ENV-01",),
        (skipped("1"), unset, skipped("true", "session-3")), BLOCK, APPROVE,
    )  # fmt: skip
