"""The boundaries of hooks that declare the group power_steering: document 004 as it shows outside a process."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from harness.core.scenario import FileSpec, Scenario, Step
from harness.systems.stop_gate.contract import (
    CONFIG_PATH,
    PROMPT_MARK,
    RUNTIME_DIRECTORY,
    SKIP_VARIABLE,
    TRANSCRIPT_LIMIT_BYTES,
    Decision,
    StopArguments,
)
from harness.systems.stop_gate.workload.gate_steps import text
from harness.systems.stop_gate.workload.recorded import CONVERSATIONS
from harness.systems.stop_gate.workload.stop_steps import (
    EITHER,
    ENDS,
    FINISHED,
    FOLDER,
    HOLDS,
    RESET,
    UNFINISHED,
    UNFINISHED_PATH,
    control,
    fault,
    stop,
)
from harness.systems.stop_gate.workload.stop_steps import scenario as any_scenario

GROUP = "power_steering"
# ids of their own, so that no semaphore of the world speaks for the controls
CALM = (control(UNFINISHED, session_id="calm-2"), control(FINISHED, session_id="calm-1"), RESET)
SIZES = (TRANSCRIPT_LIMIT_BYTES, TRANSCRIPT_LIMIT_BYTES + 1)
BROKEN_CONFIGS = (
    "json_document.truncated",
    "json_document.not_json",
    "json_document.list",
    "json_document.null",
    "json_document.bad_utf8",
    "filesystem.empty",
    "filesystem.directory",
    "filesystem.fifo",
    "filesystem.unreadable",
)
NO_BOOLEANS = (("number", 0), ("text", "false"), ("null", None))
ASK = "What does the retry limit of this project mean?"
ANSWER = "The retry limit says how often a call is tried again before it counts as failed. It is three."
QUESTION = "There are two retry limits in this project. Which of them do you mean?"
PROMPT = f"{PROMPT_MARK}: the objective was not reached. Please go on with it."


def steering_boundaries() -> tuple[Scenario, ...]:
    """Every boundary scenario of the group."""
    return (*_transcripts(), *_identifiers(), *_semaphores(), *_configurations(), *_links(), *_conversations())


def _scenario(
    name: str,
    title: str,
    clauses: tuple[str, ...],
    steps: tuple[Step, ...],
    files: dict[str, FileSpec] | None = None,
    *,
    allowed: tuple[Mapping[str, Any], ...] | None = None,
) -> Scenario:
    return any_scenario(f"steering-{name}", title, clauses, steps, files=files, group=GROUP, allowed=allowed)


def semaphore_of(session_id: str) -> str:
    """Where document 004 puts the semaphore of that session."""
    return f"{RUNTIME_DIRECTORY}/.{session_id}_completed"


def _transcripts() -> Iterator[Scenario]:
    for name, kind, clauses, what, allowed in (
        ("blank-lines", "jsonl.blank_lines", ("PS-TR-03",), "twelve blank lines", HOLDS),
        ("wrong-roles", "jsonl.wrong_roles", ("PS-TR-08",), "messages without a known role", HOLDS),
        ("non-objects", "jsonl.non_object_lines", ("PS-TR-09",), "JSON lines that are no objects", HOLDS),
        ("bad-utf8", "jsonl.bad_utf8", ("PS-TR-09",), "a line that is no UTF-8", EITHER),
    ):
        yield _scenario(
            f"transcript-{name}",
            f"An unfinished session has {what} in its transcript",
            clauses,
            (*CALM, fault(kind, UNFINISHED_PATH), stop(UNFINISHED)),
            allowed=allowed,
        )
    counts = [(fault("jsonl.garbage_lines", UNFINISHED_PATH, count=count), stop(UNFINISHED)) for count in (10, 11)]
    yield _scenario(
        "transcript-invalid-lines",
        "An unfinished session has ten lines that are no JSON, then eleven",
        ("PS-TR-05", "PS-TR-06"),
        (*CALM, *counts[0], RESET, *counts[1]),
        allowed=ENDS,
    )
    paths = [f"{FOLDER}/{size}.jsonl" for size in SIZES]
    yield _scenario(
        "transcript-size",
        "An unfinished session's transcript has exactly 10 MiB, then one byte more",
        ("PS-TR-07",),
        (
            *CALM,
            *(stop(UNFINISHED, transcript_path=path, session_id=f"size-{n}") for n, path in enumerate(paths)),
        ),
        {path: FileSpec(sample="block", pad_bytes=size) for path, size in zip(paths, SIZES, strict=True)},
        allowed=ENDS,
    )


def _identifiers() -> Iterator[Scenario]:
    changes = ({"drop": ("session_id",)}, {"replace": {"session_id": None}}, {"session_id": ""})
    steps = [step for change in changes for step in (stop(UNFINISHED, **change), RESET)]
    yield _scenario(
        "session-id-missing",
        "An unfinished session has no id: missing, null, or empty",
        ("PS-SES-01",),
        (*CALM, *steps, stop(FINISHED, drop=("session_id",))),
    )


def _semaphores() -> Iterator[Scenario]:
    yield _scenario(
        "completion",
        "A session is blocked, then finished and stopped again",
        ("PS-SES-02", "PS-FS-03", "PS-LOOP-02", "PS-PRM-04"),
        (
            *CALM,
            stop(UNFINISHED, session_id="session-3"),
            stop(FINISHED, session_id="session-3", stop_hook_active=True),
        ),
    )
    yield _scenario(
        "completion-without-transcript",
        "A session is stopped that has no transcript; another one is blocked, and stopped again",
        ("PS-LOOP-02",),
        (
            *CALM,
            fault("filesystem.missing", FINISHED.transcript_path),
            stop(FINISHED, session_id="session-4"),
            stop(UNFINISHED, session_id="session-3"),
            stop(UNFINISHED, session_id="session-3", stop_hook_active=True),
        ),
        allowed=HOLDS,
    )
    # a hook reads the machine's clock: a minute on either side of the hour is far from it
    ages = (("just-now", 10.0), ("in-the-hour", 3540.0), ("after-the-hour", 3660.0))
    yield _scenario(
        "semaphore-age",
        "Unfinished sessions have semaphores of ten seconds, of less and of more than an hour",
        ("PS-SES-04", "PS-LOOP-01"),
        (*CALM, *(stop(UNFINISHED, session_id=name) for name, _ in ages)),
        {semaphore_of(name): FileSpec(text="", age_s=age) for name, age in ages},
        allowed=HOLDS,
    )
    futures = (("slightly-ahead", -30.0), ("far-ahead", -7200.0))
    yield _scenario(
        "semaphore-future",
        "Unfinished sessions have semaphores from the future, by half a minute and by two hours",
        ("PS-SES-05",),
        (*CALM, *(stop(UNFINISHED, session_id=name) for name, _ in futures)),
        {semaphore_of(name): FileSpec(text="", age_s=age) for name, age in futures},
        allowed=EITHER,
    )


def _configurations() -> Iterator[Scenario]:
    # the world's configuration would decide the control too, so the control is shown without one
    without = (
        control(FINISHED, session_id="calm-1"),
        fault("filesystem.missing", CONFIG_PATH),
        control(UNFINISHED, session_id="calm-2"),
        RESET,
    )
    for name, value, clauses, what in (
        ("disabled", {"enabled": False}, ("PS-CFG-01", "PS-CFG-03", "PS-CFG-07"), "turns the check off"),
        ("partial", {"timeout_seconds": 60}, ("PS-CFG-03",), "sets the time limit only"),
        *((f"enabled-{kind}", {"enabled": wrong}, ("PS-CFG-05",), f"has {wrong!r} for enabled")
          for kind, wrong in NO_BOOLEANS),
    ):  # fmt: skip
        yield _scenario(
            f"config-{name}",
            f"The configuration {what}",
            clauses,
            (*without, stop(UNFINISHED)),
            {CONFIG_PATH: FileSpec(text=json.dumps(value))},
            allowed=ENDS if name == "disabled" else HOLDS,
        )
    broken = [(RESET, fault(kind, CONFIG_PATH), stop(UNFINISHED)) for kind in BROKEN_CONFIGS]
    yield _scenario(
        "config-broken",
        "The configuration cannot be used, in nine ways, and the defaults hold",
        ("PS-CFG-02",),
        (*CALM[:-1], *(step for steps in broken for step in steps)),
        allowed=HOLDS,
    )
    values = (("skipped", "1"), ("zero", "0"), ("word", "true"))
    yield _scenario(
        "skip-variable",
        "The skip variable is 1, then unset, 0, and another word",
        ("PS-ENV-01",),
        (
            *CALM,
            stop(UNFINISHED, session_id="skipped", environment={SKIP_VARIABLE: "1"}),
            stop(UNFINISHED, session_id="unset"),
            *(stop(UNFINISHED, session_id=name, environment={SKIP_VARIABLE: value}) for name, value in values[1:]),
        ),
        allowed=EITHER,
    )


def _links() -> Iterator[Scenario]:
    refused = ("PS-FS-04", "PS-FS-05")
    for name, kind, path in (
        ("semaphore", "filesystem.dangling_link", semaphore_of("session-1")),
        ("summary", "filesystem.link_outside", f"{RUNTIME_DIRECTORY}/session-1"),
    ):
        yield _scenario(
            f"link-{name}",
            f"Where the {name} goes a link leads out of the runtime directory",
            refused,
            (*CALM, fault(kind, path), stop(FINISHED)),
        )
    sibling = f"{RUNTIME_DIRECTORY}-evil"
    yield _scenario(
        "link-sibling",
        "Where the summary goes a link leads to a sibling whose name begins alike",
        refused,
        (*CALM, stop(FINISHED)),
        {
            sibling: FileSpec(kind="directory"),
            f"{RUNTIME_DIRECTORY}/session-1": FileSpec(kind="symlink", target=sibling),
        },
    )


def _conversations() -> Iterator[Scenario]:
    asked = ("user", ASK)
    files = {
        "answer": talk_of(asked, ("assistant", ANSWER)),
        "question": talk_of(asked, ("assistant", QUESTION)),
        "prompted": talk_of(asked, ("assistant", f"{PROMPT} {QUESTION}")),
        "prompted-by-user": talk_of(asked, ("assistant", QUESTION), ("user", PROMPT)),
    }
    paths = {name: f"{FOLDER}/{name}.jsonl" for name in files}
    world = {paths[name]: spec for name, spec in files.items()}

    def talk(name: str, deserves: Decision | None) -> StopArguments:
        return StopArguments(session_id=name, transcript_path=paths[name], deserves=deserves)

    answered, open_end = talk("answer", Decision.APPROVE), talk("question", Decision.BLOCK)
    yield _scenario(
        "conversation",
        "Sessions without tool calls end with a plain answer, and with an open question",
        ("PS-CON-01",),
        (*CALM, stop(open_end), stop(answered)),
        world,
    )
    recorded = {name: f"recorded-{name}" for name in CONVERSATIONS}
    paths |= {recorded[name]: f"{FOLDER}/{recorded[name]}.jsonl" for name in CONVERSATIONS}
    yield _scenario(
        "conversation-recorded-claude-code",
        "The same, as Claude Code writes them: among many lines that nobody said",
        ("PS-CON-01",),
        (*CALM, stop(talk(recorded["question"], Decision.BLOCK)), stop(talk(recorded["answer"], Decision.APPROVE))),
        {paths[recorded[name]]: text(*lines) for name, lines in CONVERSATIONS.items()},
    )
    yield _scenario(
        "own-prompt",
        "A session that would be blocked ends with the hook's own prompt",
        ("PS-LOOP-03",),
        (
            *CALM[:-1],
            control(open_end),
            RESET,
            stop(talk("prompted", None)),
            stop(talk("prompted-by-user", None)),
        ),
        world,
        allowed=EITHER,
    )


def talk_of(*messages: tuple[str, str]) -> FileSpec:
    """A transcript in the form agents write: the role inside the message."""
    lines = [{"type": role, "message": {"role": role, "content": text}} for role, text in messages]
    return FileSpec(text="".join(json.dumps(line) + "\n" for line in lines))
