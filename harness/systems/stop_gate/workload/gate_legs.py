"""The legs of tours: short runs of operations, each with the clauses it witnesses, and the files it needs."""

import json
from collections.abc import Mapping
from typing import NamedTuple

from harness.core.scenario import FileSpec, Repeat, Schedule, Step
from harness.systems.stop_gate.contract import (
    CONFIG_PATH,
    RUNTIME_DIRECTORY,
    SEMAPHORE_LIFETIME_S,
    SKIP_VARIABLE,
    SUMMARY_LIMIT_CHARACTERS,
    TRANSCRIPT_LIMIT_BYTES,
)
from harness.systems.stop_gate.workload.gate_steps import (
    ANSWERED,
    APPROVE,
    ASKED,
    FAILED,
    FINE,
    HEALTHY,
    METRICS,
    PROMPT_TEXT,
    RESET,
    WARNED,
    ask_prompt,
    check,
    consideration,
    fault,
    flat,
    operation,
    semaphore,
    text,
)

LIBRARY = "{home}/.claude/projects/library"
MIXED = f"{LIBRARY}/mixed.jsonl"
PROMPTED = f"{LIBRARY}/prompted.jsonl"
NOBODY = f"{LIBRARY}/nobody.jsonl"
EDITED = f"{LIBRARY}/edited.jsonl"
ELEVEN = f"{LIBRARY}/eleven.jsonl"
EMPTY = f"{LIBRARY}/empty.jsonl"
ABSENT = f"{LIBRARY}/absent.jsonl"
FOLDER = f"{LIBRARY}/folder.jsonl"
LARGE = f"{LIBRARY}/large.jsonl"
LONG = f"{LIBRARY}/long.jsonl"
ASKING = f"{LIBRARY}/asking.jsonl"
PLAIN = f"{LIBRARY}/plain.jsonl"
OFF, BAD, BROKEN = "{project}/off", "{project}/bad", "{project}/broken"
IN_PROJECT = CONFIG_PATH.removeprefix("{project}")
LINKED_SESSION = f"{RUNTIME_DIRECTORY}/linked"
BLOCKS_AT_MOST = 25  # PS-LOOP-04

_WRITE = {"type": "tool_use", "id": "call-1", "name": "Write", "input": {"file_path": "/srv/app/importer.py"}}
_MIXED_LINES = (ASKED, *[""] * 12, *["nonsense"] * 10, '{"role": "tool", "content": "x"}', "5", ANSWERED)
_QUESTION = flat("user", "Which Python versions does this project support?")
_FILES: Mapping[str, FileSpec] = {
    MIXED: text(*_MIXED_LINES),
    PROMPTED: text(ASKED, ANSWERED, flat("assistant", PROMPT_TEXT)),
    NOBODY: text(flat("assistant", "I tidied the notes."), flat("system", "The session was resumed.")),
    EDITED: text(ASKED, flat("assistant", [{"type": "text", "text": "On it."}, _WRITE]), ANSWERED),
    ELEVEN: text(ASKED, *["nonsense"] * 11, ANSWERED),
    EMPTY: text("", "  "),
    FOLDER: FileSpec("directory"),
    LARGE: FileSpec(text="".join(line + "\n" for line in HEALTHY), pad_bytes=TRANSCRIPT_LIMIT_BYTES + 1),
    LONG: text(flat("user", "retry " * (SUMMARY_LIMIT_CHARACTERS // 6 + 1)), ANSWERED),
    ASKING: text(_QUESTION, flat("assistant", "Do you mean the library or the command line tool?")),
    PLAIN: text(_QUESTION, flat("assistant", "It supports Python 3.11 and every later version.")),
    OFF + IN_PROJECT: FileSpec(text=json.dumps({"enabled": False, "colour": "red"})),
    BAD + IN_PROJECT: FileSpec(text=json.dumps({"enabled": 1, "timeout_seconds": 301})),
    BROKEN + IN_PROJECT: FileSpec(text='{"enabled": fal'),
    **semaphore(SEMAPHORE_LIFETIME_S + 1, "stale"),
    **semaphore(60, "done"),
    **semaphore(-30, "ahead"),
    **semaphore(session_id="gone", kind="symlink", target=f"{RUNTIME_DIRECTORY}/nothing"),
    LINKED_SESSION: FileSpec("symlink", target="{outside}/lured"),
}


class Leg(NamedTuple):
    """Operations that belong together; the clauses they witness when nothing keeps them from it; the files they use."""

    steps: tuple[Step, ...]
    clauses: tuple[str, ...]
    needs: tuple[str, ...] = ()

    @property
    def files(self) -> dict[str, FileSpec]:
        """The files of its world."""
        return {path: _FILES[path] for path in self.needs}


def _semaphore_of(session_id: str) -> str:
    return next(iter(semaphore(session_id=session_id)))


BROKEN_CHECKERS = tuple(
    consideration(outcome)
    for outcome in ("missing", "keyless", "raises", "exits", "interrupts", "recurses", "network_error")
)
HANGS = consideration("hangs")
SEVEN = tuple(consideration("hangs", name=f"hangs-{number}") for number in range(1, 8))
CRASH = consideration("raises", name="crashes")

# a session is held twice, and let go when the prompt is the last thing said in it
HELD = Leg(
    (check(FAILED), check(FAILED), check(FAILED, transcript_path=PROMPTED)),
    ("PS-FO-03", "PS-PRM-02", "PS-PRM-04", "PS-LOOP-02", "PS-LOOP-03", "PS-LOOP-04"), (PROMPTED,),
)  # fmt: skip
# another has a warning, is let go, and stops again
RELEASED = Leg(
    (check(WARNED, session_id="session-2"), check(FAILED, session_id="session-2")),
    ("PS-PRM-03", "PS-CON-02", "PS-SUM-02", "PS-SES-02", "PS-FS-03", "PS-LOOP-01", "PS-SES-04"),
)  # fmt: skip
CHECKERS = Leg(
    (check(*BROKEN_CHECKERS, FAILED, session_id="session-3"), check(*BROKEN_CHECKERS, session_id="session-4")),
    ("PS-FO-01", "PS-FO-02", "PS-CHK-01", "PS-CHK-02", "PS-CON-03", "PS-PRM-02", "PS-MON-03"),
)  # fmt: skip
SKIPPED = Leg(
    (check(FAILED, session_id="session-5", environment={SKIP_VARIABLE: "1"}), check(FAILED, session_id="session-5")),
    ("PS-ENV-01", "PS-PRM-02"),
)  # fmt: skip
PROMPTS = Leg((ask_prompt(FAILED), ask_prompt()), ("PS-PRM-01", "PS-PRM-04"))
SUMMED_UP = Leg(
    (check(WARNED, session_id="session-6", transcript_path=NOBODY),
     check(WARNED, session_id="session-7", transcript_path=EDITED)),
    ("PS-CON-02", "PS-SUM-01", "PS-SUM-02", "PS-PRM-03"), (NOBODY, EDITED),
)  # fmt: skip
TRANSCRIPTS = Leg(
    (check(FAILED, session_id="session-8", transcript_path=ABSENT),
     check(FAILED, session_id="session-8", transcript_path=EMPTY),
     check(FAILED, session_id="session-8", transcript_path=ELEVEN),
     check(FAILED, session_id="session-8", transcript_path=FOLDER),
     check(FAILED, session_id="session-9", transcript_path=MIXED)),
    ("PS-TR-01", "PS-TR-02", "PS-TR-03", "PS-TR-04", "PS-TR-05", "PS-TR-06", "PS-TR-08", "PS-TR-09"),
    (EMPTY, ELEVEN, FOLDER, MIXED),
)  # fmt: skip
DAMAGED = Leg(
    (check(FAILED, session_id="session-9", transcript_path=MIXED),),
    ("PS-TR-03", "PS-TR-04", "PS-TR-05", "PS-TR-08", "PS-TR-09"), (MIXED,),
)  # fmt: skip
NAMELESS = Leg((check(FAILED, session_id=None), check(FAILED, session_id="")), ("PS-SES-01",))
HOSTILE = Leg(
    (check(WARNED, session_id="../../../../outside/x"), check(WARNED, session_id="x" * 300),
     check(WARNED, session_id="a\x00b")),
    ("PS-SES-07", "PS-FO-02"),
)  # fmt: skip
PROJECTS = Leg(
    (check(FAILED, session_id="session-10"), check(FAILED, session_id="session-11", project_root=OFF),
     check(FAILED, session_id="session-11", project_root=BAD),
     check(FAILED, session_id="session-12", project_root=BROKEN)),
    ("PS-CFG-01", "PS-CFG-02", "PS-CFG-03", "PS-CFG-04", "PS-CFG-05", "PS-CFG-06", "PS-CFG-07"),
    (OFF + IN_PROJECT, BAD + IN_PROJECT, BROKEN + IN_PROJECT),
)  # fmt: skip
# what stands in the runtime directory: a stale semaphore, one from the future, a link to nothing, a link out
KEPT = Leg(
    (check(FINE, session_id="stale"), check(FAILED, session_id="done"), check(FAILED, session_id="ahead"),
     check(FAILED, session_id="gone"), check(WARNED, session_id="linked")),
    ("PS-SES-03", "PS-SES-04", "PS-SES-05", "PS-SES-06", "PS-LOOP-01", "PS-FS-04", "PS-FS-05"),
    (_semaphore_of("stale"), _semaphore_of("done"), _semaphore_of("ahead"), _semaphore_of("gone"), LINKED_SESSION),
)  # fmt: skip
QUESTIONS = Leg(
    (check(own=True, session_id="session-13", transcript_path=ASKING),
     check(own=True, session_id="session-14", transcript_path=PLAIN)),
    ("PS-CON-01",), (ASKING, PLAIN),
)  # fmt: skip
LIMITS = Leg(
    (check(HANGS, FAILED, session_id="session-16"), check(*SEVEN, FAILED, session_id="session-17"),
     check(HANGS, FAILED, session_id="session-18", off_main_thread=True)),
    ("PS-CHK-03", "PS-CHK-04", "PS-CHK-05", "PS-CHK-06"),
)  # fmt: skip
TOO_MUCH = Leg(
    (check(FAILED, session_id="session-19", transcript_path=LARGE),
     check(WARNED, session_id="session-20", transcript_path=LONG)),
    ("PS-TR-07", "PS-SUM-03"), (LARGE, LONG),
)  # fmt: skip
COUNTED = Leg(
    (check(FAILED, session_id="session-21", transcript_path=ELEVEN),
     *(check(CRASH, FINE, session_id=f"crash-{number}") for number in range(1, 4)), METRICS),
    ("PS-MON-01", "PS-MON-03", "PS-TR-06"), (ELEVEN,),
)  # fmt: skip
AGAIN_AND_AGAIN = Leg(
    (Step(repeat=Repeat(BLOCKS_AT_MOST + 1, APPROVE, (check(FAILED, session_id="session-22"),))),), ("PS-LOOP-04",)
)  # fmt: skip
# the last leg: nothing can be written any more, and the answer stays what it was
UNWRITABLE = Leg(
    (fault("filesystem.file_for_directory", RUNTIME_DIRECTORY), check(WARNED, session_id="session-23")),
    ("PS-FS-01", "PS-FS-02"),
)  # fmt: skip
LAST = Leg((check(FINE, session_id="session-24"),), ("PS-TST-01",))
# long enough to be killed in its middle; the same session is asked again after it
STRUCK = Leg(
    (check(consideration("slow", "warning", name="takes-its-time", seconds=2.0), WARNED, session_id="session-2"),
     check(FAILED, session_id="session-2")),
    ("PS-PRM-02",),
)  # fmt: skip
REWARNED = Leg((check(WARNED, session_id="session-24"),), ("PS-TST-01", "PS-PRM-03"))
LIFTED = Leg((RESET, check(FINE, session_id="session-24")), ())
HOSTILE_PATHS = Leg(
    tuple(
        check(FAILED, session_id="session-25", transcript_path=path)
        for path in (
            "", "a\x00b", "{home}/" + "x" * 5000, "{home}/../../../nowhere.jsonl", "{home}", "{home}/" + "a/" * 3000,
        )
    )
    + tuple(
        check(FINE, session_id="session-26", project_root=path)
        for path in ("{project}/nowhere", "{project}/" + "x" * 5000, "{project}/../..", "{home}/.claude/projects")
    ),
    ("PS-FO-01", "PS-FO-02", "PS-TR-09"),
)  # fmt: skip
HOSTILE_CONSIDERATIONS = Leg(
    (check(session_id="session-25"), check(FAILED, FAILED, FINE, session_id="session-26"),
     check(consideration("failed", "warning", name="../../x"), consideration("failed", "warning", name="two\nlines"),
           session_id="session-27"),
     check(consideration("failed", name="x" * 10_000), session_id="session-28"),
     check(*(consideration("failed", "warning", name=f"warning-{number}") for number in range(500)),
           session_id="session-29"),
     check(consideration("failed", None, name="\x00"), session_id="session-30")),
    ("PS-PRM-02", "PS-PRM-04"),
)  # fmt: skip


def at_once(count: int) -> Leg:
    """So many checks of one session at once, and so many of several sessions."""
    asked = (FAILED, FINE, WARNED)
    mixed = tuple(operation(asked[number % 3], session_id=f"beside-{number}") for number in range(count))
    same = (operation(FINE, session_id="session-15"),) * count
    return Leg(
        (Step(schedule=Schedule(same)), Step(schedule=Schedule(mixed)), check(FAILED, session_id="session-16")),
        ("PS-SES-03", "PS-TST-01"),
    )
