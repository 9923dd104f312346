"""Boundaries of the profile gate in the analysis: checkers, limits, decisions, prompts, summaries, monitoring."""

import json
from collections.abc import Iterator

from harness.core.scenario import FileSpec, Repeat, Scenario, Step
from harness.systems.stop_gate.contract import PROMPT_WITHOUT_FAILURES, SUMMARY_LIMIT_CHARACTERS
from harness.systems.stop_gate.workload.gate_steps import (
    ANSWERED,
    APPROVE,
    ASKED,
    BLOCK,
    CONTROL,
    FAILED,
    FINE,
    HEALTHY,
    METRICS,
    MUST_BLOCK,
    PROMPT_TEXT,
    SCALE,
    TRANSCRIPT,
    WARNED,
    ask_prompt,
    calm,
    check,
    consideration,
    fault,
    flat,
    later,
    nested,
    reasons,
    scenario,
    text,
)

HANGS = consideration("hangs")
SEVEN = tuple(consideration("hangs", name=f"hangs-{number}") for number in range(1, 8))
SEVEN_SWALLOWING = tuple(consideration("hangs_swallowing", name=f"swallows-{number}") for number in range(1, 8))
ONLY_WARNINGS = reasons("only_warnings")
TIMEOUT = reasons("timeout")
HOUR_S = 3600
LAST = calm(FINE, session_id="calm-9")  # what counters hold is not said to the number, so the answer shows on this
BLOCKS_AT_MOST = 25  # PS-LOOP-04


def analysis_boundaries() -> Iterator[Scenario]:
    """Every boundary of the analysis and of what is said about it."""
    yield from _whole_check()
    yield from _checkers()
    yield from _limits()
    yield from _decisions()
    yield from _loops()
    yield from _questions()
    yield from _summaries()
    yield from _chaos()
    yield from _monitoring()


def _whole_check() -> Iterator[Scenario]:
    yield scenario(
        "answer-form", "One session is blocked and one approved.",
        ("PS-FO-03", "PS-PRM-02", "PS-PRM-04"), (check(FAILED), check(FINE, session_id="session-2")), APPROVE,
    )  # fmt: skip
    for outcome in ("keyless", "exits", "interrupts"):
        yield scenario(
            f"whole-check-{outcome}", f"A consideration leaves the ordinary way of a check: {outcome}.", ("PS-FO-02",),
            (*CONTROL, check(consideration(outcome), FINE)), APPROVE,
        )  # fmt: skip
    yield scenario(
        "whole-check-no-project", "The project does not exist.", ("PS-FO-02",),
        (*CONTROL, check(FINE, project_root="{project}/nowhere")), APPROVE,
    )  # fmt: skip


def _checkers() -> Iterator[Scenario]:
    yield scenario(
        "checker-missing", "A checker does not exist, and the one after it fails.", ("PS-CHK-01", "PS-FO-01"),
        (*CONTROL, check(consideration("missing"), FAILED)), BLOCK,
    )  # fmt: skip
    yield scenario(
        "checker-keyless", "A consideration names no checker, and the one after it fails.", ("PS-CHK-01",),
        (check(consideration("keyless"), FAILED),), BLOCK,
    )  # fmt: skip
    yield scenario(
        "checker-missing-alone", "The only checker does not exist.", ("PS-CHK-01", "PS-FO-01"),
        (*CONTROL, check(consideration("missing"))), APPROVE,
    )  # fmt: skip
    for outcome in ("raises", "exits", "interrupts", "recurses"):
        yield scenario(
            f"checker-{outcome}", f"A checker {outcome}, and the one after it fails.", ("PS-CHK-02", "PS-FO-01"),
            (*CONTROL, check(consideration(outcome), FAILED), check(consideration(outcome), WARNED)), ONLY_WARNINGS,
        )  # fmt: skip
    yield scenario(
        "checker-raises-alone", "The only checker raises.", ("PS-FO-01", "PS-PRM-02"),
        (*CONTROL, check(consideration("raises"))), APPROVE,
    )  # fmt: skip
    for severity in ("blocker", "warning"):
        decision = BLOCK if severity == "blocker" else ONLY_WARNINGS
        yield scenario(
            f"checker-network-error-{severity}", "A checker meets a network error, and the one after it fails.",
            ("PS-CON-03", "PS-FO-01"),
            (*CONTROL, check(consideration("network_error"), consideration("failed", severity))), decision,
        )  # fmt: skip


def _limits() -> Iterator[Scenario]:
    for outcome in ("hangs", "hangs_swallowing"):
        stuck = consideration(outcome)
        word = outcome.replace("_", "-")
        yield scenario(
            f"checker-{word}", "A checker does not return, and the one after it fails.", ("PS-CHK-03", "PS-FO-01"),
            (*CONTROL, check(stuck, FAILED)), BLOCK, scale=SCALE,
        )  # fmt: skip
        yield scenario(
            f"checker-{word}-alone", "The only checker does not return.", ("PS-CHK-03", "PS-FO-01"),
            (*CONTROL, check(stuck)), APPROVE, scale=SCALE,
        )  # fmt: skip
        yield scenario(
            f"checker-{word}-off-main-thread", "A checker does not return, off the main thread.", ("PS-CHK-06",),
            (MUST_BLOCK, check(stuck, FAILED, off_main_thread=True)), BLOCK, APPROVE, scale=SCALE,
        )  # fmt: skip
    yield scenario(
        "checker-slow", "A slow checker fails within its limit.", ("PS-CHK-03",),
        (check(consideration("slow", seconds=0.3)),), BLOCK,
    )  # fmt: skip
    for name, seven in {"hangs": SEVEN, "hangs-swallowing": SEVEN_SWALLOWING}.items():
        yield scenario(
            f"analysis-seven-{name}", "Seven checkers do not return, and the one after them fails.",
            ("PS-CHK-04", "PS-CHK-05", "PS-FO-01"), (*CONTROL, check(*seven, FAILED)), TIMEOUT, scale=SCALE,
        )  # fmt: skip
    yield scenario(
        "analysis-three-hang", "Three checkers do not return, for half of the whole limit.", ("PS-CHK-04", "PS-CHK-03"),
        (check(*SEVEN[:3], FAILED),), BLOCK, scale=SCALE,
    )  # fmt: skip
    slow = consideration("slow", name="slow-blocker", seconds=4.0)
    yield scenario(
        "analysis-29-seconds", "The checkers take 29 s of the 30, at full length.", ("PS-CHK-03", "PS-CHK-04"),
        (check(*SEVEN[:5], slow),), BLOCK, full_length=True,
    )  # fmt: skip
    yield scenario(
        "analysis-35-seconds", "The checkers would take 35 s of 30, at full length.", ("PS-CHK-04", "PS-CHK-05"),
        (check(*SEVEN),), TIMEOUT, full_length=True,
    )  # fmt: skip


def _decisions() -> Iterator[Scenario]:
    unnamed = consideration("failed", None, name="no-severity")
    cases = {
        "blocker-among-others": ((FINE, WARNED, FAILED, FINE), BLOCK, ("PS-PRM-02", "PS-PRM-04")),
        "blockers-only": ((FAILED, consideration("failed", name="second")), BLOCK, ("PS-PRM-02",)),
        "nothing-failed": ((FINE, FINE), APPROVE, ("PS-PRM-02",)),
        "nothing-asked": ((), APPROVE, ("PS-PRM-02",)),
        "satisfied-blocker-failed-warning": ((FINE, WARNED), ONLY_WARNINGS, ("PS-PRM-02", "PS-PRM-03")),
        "two-warnings": ((WARNED, consideration("failed", "warning", name="second-warning")), ONLY_WARNINGS,
                         ("PS-PRM-02", "PS-PRM-03")),
        "no-severity": ((unnamed,), ONLY_WARNINGS, ("PS-PRM-02", "PS-PRM-03")),
    }  # fmt: skip
    for name, (asked, allowed, clauses) in cases.items():
        yield scenario(f"decision-{name}", f"An analysis comes to its end: {name}.", clauses, (check(*asked),), allowed)
    yield scenario(
        "prompt-without-failures", "A prompt is asked for with a failure, and then with none.",
        ("PS-PRM-01", "PS-PRM-04"), (ask_prompt(FAILED), ask_prompt()), {"prompt": PROMPT_WITHOUT_FAILURES},
    )  # fmt: skip
    asked_, answered = flat("user", "Please go on."), flat("assistant", "I am at it.")
    again = Step(repeat=Repeat(BLOCKS_AT_MOST + 1, APPROVE, (check(FAILED, transcript_path=f"{TRANSCRIPT}.2"),)))
    yield scenario(
        "prompt-as-user-message", "A blocked session stops again and again, the user's last message being the prompt.",
        ("PS-LOOP-04",), (check(FAILED), again), APPROVE, transcript=text(asked_, answered),
        files={f"{TRANSCRIPT}.2": text(asked_, answered, flat("user", PROMPT_TEXT))},
    )  # fmt: skip


def _loops() -> Iterator[Scenario]:
    again = Step(repeat=Repeat(BLOCKS_AT_MOST + 1, APPROVE, (check(FAILED),)))
    yield scenario(
        "loop-identical", "A blocked session stops again and again, and nothing changes.",
        ("PS-LOOP-04",), (again,), APPROVE,
    )  # fmt: skip
    slowly = Step(repeat=Repeat(BLOCKS_AT_MOST + 1, APPROVE, (later(90), check(FAILED))))
    yield scenario(
        "loop-slowly", "A blocked session stops again and again, one and a half minutes after each block.",
        ("PS-LOOP-04",), (slowly,), APPROVE,
    )  # fmt: skip
    # whoever blocks and approves by lot ends every loop: each of these has to begin with a block
    second = consideration("failed", name="second")
    unfinished = {
        "two-failures": (FAILED, second), "failure-and-warning": (FAILED, WARNED), "warning-first": (WARNED, FAILED),
        "failure-and-satisfied": (FAILED, FINE), "satisfied-first": (FINE, FAILED), "second-failure": (second,),
        "failure-between": (FINE, FAILED, WARNED),
        "all-but-one": (FINE, consideration("satisfied", name="third"), FAILED),
        "everything": (FAILED, second, WARNED, FINE),
    }  # fmt: skip
    for name, asked in unfinished.items():
        loop = Step(repeat=Repeat(BLOCKS_AT_MOST + 1, APPROVE, (check(*asked),)))
        yield scenario(
            f"loop-{name}", f"A session that is unfinished stops again and again: {name}.", ("PS-LOOP-04",), (loop,),
            APPROVE,
        )  # fmt: skip


def _questions() -> Iterator[Scenario]:
    question = "Which Python versions does this project support?"
    for name, form in {"flat": flat, "nested": nested}.items():
        plain = text(form("user", question), form("assistant", "It supports Python 3.11 and every later version."))
        open_ = text(form("user", question), form("assistant", "Do you mean the library or the command line tool?"))
        path = f"{TRANSCRIPT}.open"
        yield scenario(
            f"question-{name}", "Without tool calls, one session ends in a question and one in a plain answer.",
            ("PS-CON-01",),
            (check(own=True, transcript_path=path), check(own=True, session_id="session-2")), APPROVE,
            transcript=plain, files={path: open_},
        )  # fmt: skip


def _tool(name: str, path: str) -> str:
    call = {"type": "tool_use", "id": f"call-{name}", "name": name, "input": {"file_path": path}}
    return flat("assistant", [{"type": "text", "text": "On it."}, call])


def _words(characters: int) -> str:
    """A request of exactly so many characters."""
    return ("Retry " + "and retry " * (characters // 10))[: characters - 1] + "."


ONE_TOO_LONG = SUMMARY_LIMIT_CHARACTERS - 127
"""Characters of a request with which the summary of the reference has one more than may be."""


def _summaries() -> Iterator[Scenario]:
    nobody = (flat("assistant", "I tidied the notes."), flat("system", "The session was resumed."))
    cases = {
        "no-user-message": (text(*nobody), ("PS-CON-02", "PS-SUM-01")),
        "first-of-two": (text(*HEALTHY, flat("user", "And document it."), ANSWERED), ("PS-CON-02",)),
        "several-lines": (
            text(flat("user", "Rename the option --all.\n\nKeep the old name working."), ANSWERED),
            ("PS-CON-02",),
        ),
        "files": (
            text(ASKED, _tool("Write", "/srv/app/importer.py"), _tool("Edit", "/srv/app/notes.md"), ANSWERED),
            ("PS-SUM-02",),
        ),
        "too-long": (text(flat("user", _words(SUMMARY_LIMIT_CHARACTERS + 1)), ANSWERED), ("PS-SUM-03",)),
        "too-long-in-greek": (text(flat("user", "\u03b1" * (SUMMARY_LIMIT_CHARACTERS + 1)), ANSWERED), ("PS-SUM-03",)),
        # with all else that a summary says it is longer than the limit; a little shorter it is not
        "at-the-limit": (text(flat("user", _words(SUMMARY_LIMIT_CHARACTERS)), ANSWERED), ("PS-PRM-03",)),
        "one-too-long": (text(flat("user", _words(ONE_TOO_LONG)), ANSWERED), ("PS-PRM-03",)),
        "below-the-limit": (text(flat("user", _words(SUMMARY_LIMIT_CHARACTERS - 5_000)), ANSWERED), ("PS-PRM-03",)),
    }
    for name, (transcript, clauses) in cases.items():
        yield scenario(
            f"summary-{name}", f"A session with a warning is summed up: {name}.", clauses, (check(WARNED),),
            ONLY_WARNINGS, transcript=transcript,
        )  # fmt: skip


def _chaos() -> Iterator[Scenario]:
    damages = {
        "garbage": ("jsonl.garbage_lines", {"count": 3}), "too-much-garbage": ("jsonl.garbage_lines", {"count": 11}),
        "torn": ("jsonl.torn_tail", {}), "non-objects": ("jsonl.non_object_lines", {}),
    }  # fmt: skip
    for name, (fault_name, params) in damages.items():
        yield scenario(
            f"chaos-{name}", f"The transcript is damaged under sessions of both kinds: {name}.",
            ("PS-TST-01", "PS-FO-01") if name != "non-objects" else ("PS-TST-01",),
            (*CONTROL, fault(fault_name, TRANSCRIPT, **params), check(FAILED), check(FINE, session_id="session-2")),
            APPROVE,
        )  # fmt: skip


def _monitoring() -> Iterator[Scenario]:
    crash = consideration("raises", name="crashes")
    broken = f"{TRANSCRIPT}.broken"
    yield scenario(
        "metrics-counters", "A time-out, a malformed transcript and a crashed checker are counted.", ("PS-MON-01",),
        (check(*SEVEN), check(FINE, session_id="session-2", transcript_path=broken),
         check(crash, FINE, session_id="session-3"), METRICS, LAST), APPROVE,
        files={broken: FileSpec(text="nonsense\n" * 11 + json.dumps({"role": "user", "content": "x"}) + "\n")},
        scale=SCALE,
    )  # fmt: skip
    yield scenario(
        "metrics-quiet", "Nothing went wrong in the last hour.", ("PS-MON-02",),
        (calm(FINE, session_id="calm-1"), calm(FINE, session_id="calm-2"), METRICS), {"alerts": []},
    )  # fmt: skip
    crashes = tuple(check(crash, FINE, session_id=f"session-{number}") for number in range(1, 5))
    yield scenario(
        "metrics-crashes", "One checker crashes in every check, and the alerts end when the hour is over.",
        ("PS-MON-02",), (*crashes, METRICS, later(2 * HOUR_S), METRICS), {"alerts": []},
    )  # fmt: skip
    hanging = tuple(check(*SEVEN, session_id=f"session-{number}") for number in range(1, 4))
    yield scenario(
        "metrics-timeouts", "Every check of an hour times out.", ("PS-MON-02",), (*hanging, METRICS, LAST), APPROVE,
        scale=SCALE,
    )  # fmt: skip
    fine = tuple(check(FINE, session_id=f"fine-{number}") for number in range(1, 20))
    yield scenario(
        "metrics-errors-at-the-rate", "One check of twenty fails, which is not above 5 %.", ("PS-MON-02",),
        (*fine, check(crash, FINE, session_id="session-1"), METRICS), {"alerts": []},
    )  # fmt: skip
    yield scenario(
        "metrics-timeouts-at-the-rate", "One check of ten times out, which is not above 10 %.", ("PS-MON-02",),
        (*fine[:9], check(*SEVEN, session_id="session-1"), METRICS, LAST), APPROVE, scale=SCALE,
    )  # fmt: skip
    yield scenario(
        "metrics-error-context", "A checker crashes, and the error says where.", ("PS-MON-03",),
        (check(crash, FAILED),), BLOCK,
    )  # fmt: skip
