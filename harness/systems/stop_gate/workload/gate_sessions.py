"""Boundaries of the profile gate in what is kept: session ids, semaphores, summaries, links, storage that fails."""

from collections.abc import Iterator

from harness.core.scenario import FileSpec, Scenario, Schedule, Step
from harness.systems.stop_gate.contract import RUNTIME_DIRECTORY, SEMAPHORE_LIFETIME_S
from harness.systems.stop_gate.workload.gate_steps import (
    APPROVE,
    BLOCK,
    CONTROL,
    FAILED,
    FINE,
    MUST_BLOCK,
    PROMPT_TEXT,
    RESET,
    SESSION,
    TRANSCRIPT,
    WARNED,
    calm,
    check,
    fault,
    flat,
    operation,
    reasons,
    scenario,
    semaphore,
    text,
)

ALREADY_RAN = reasons("already_ran")
ONLY_WARNINGS = reasons("only_warnings")
LONG_ID = "x" * 300
HOSTILE_IDS = {
    "climbing": "../../../../outside/x",
    "placeholder": "{outside}/x",
    "separator": "a/b",
    "parent": "..",
    "itself": ".",
    "nul": "a\x00b",
    "long": LONG_ID,
    "absolute": "/abs",
    "backslash": "..\\..\\x",
}
RUNTIME = {RUNTIME_DIRECTORY: FileSpec("directory")}
SESSION_DIRECTORY = f"{RUNTIME_DIRECTORY}/{SESSION}"
SIBLING = f"{RUNTIME_DIRECTORY}-evil"


def session_boundaries() -> Iterator[Scenario]:
    """Every boundary of what is kept between checks."""
    yield from _ids()
    yield from _semaphores()
    yield from _several_writers()
    yield from _already_ran()
    yield from _loops()
    yield from _summaries()
    yield from _failing_storage()
    yield from _links()


def _ids() -> Iterator[Scenario]:
    for name, session_id in {"null": None, "empty": ""}.items():
        yield scenario(
            f"session-id-{name}", f"There is no session id: {name}.", ("PS-SES-01",),
            (check(FAILED, session_id=session_id), check(FINE, session_id=session_id),
             check(FAILED, session_id=session_id)), BLOCK, ALREADY_RAN,
        )  # fmt: skip
    for name, session_id in HOSTILE_IDS.items():
        clauses = ("PS-SES-07", "PS-FO-02", "PS-FO-01") if name in ("nul", "long") else ("PS-SES-07", "PS-FO-01")
        yield scenario(
            f"session-id-{name}", f"The session id is hostile: {name}.", clauses,
            (*CONTROL, check(FAILED, session_id=session_id), check(WARNED, session_id=session_id)), APPROVE,
        )  # fmt: skip
    yield scenario(
        "session-id-unicode", "The session id is made of letters beyond ASCII.", ("PS-FO-03",),
        (MUST_BLOCK, check(FINE, session_id="séance-日本-🙂")), APPROVE,
    )  # fmt: skip


def _semaphores() -> Iterator[Scenario]:
    hour = SEMAPHORE_LIFETIME_S
    for age in (0, hour - 1, hour):
        yield scenario(
            f"semaphore-aged-{age}", f"The semaphore is {age} s old.", ("PS-SES-04", "PS-LOOP-01", "PS-SES-03"),
            (MUST_BLOCK, check(FAILED)), ALREADY_RAN, files=semaphore(age),
        )  # fmt: skip
    for age in (hour + 1, 30 * 24 * hour):
        yield scenario(
            f"semaphore-aged-{age}", f"The semaphore is {age} s old.", ("PS-SES-04",),
            (check(FAILED),), BLOCK, files=semaphore(age),
        )  # fmt: skip
    yield scenario(
        "semaphore-stale-then-approved", "A session with a stale semaphore is approved again.",
        ("PS-SES-03", "PS-SES-04", "PS-SES-02"), (check(FINE),), APPROVE, files=semaphore(hour + 1),
    )  # fmt: skip
    for ahead in (30, 90, hour):
        yield scenario(
            f"semaphore-ahead-{ahead}", f"The semaphore is dated {ahead} s in the future.", ("PS-SES-05",),
            (MUST_BLOCK, check(FINE, session_id="session-2"), check(FAILED)), ALREADY_RAN, BLOCK,
            files={**semaphore(-ahead), **semaphore(-ahead, "session-2")},
        )  # fmt: skip
    for name, target in {"beside": f"{RUNTIME_DIRECTORY}/gone", "away": "{tmp}/gone"}.items():
        yield scenario(
            f"semaphore-link-{name}", "The semaphore is a link whose target is gone.", ("PS-SES-06", "PS-FO-01"),
            (*CONTROL, check(FINE)), APPROVE, files=semaphore(kind="symlink", target=target),
        )  # fmt: skip
    yield scenario(
        "semaphore-link-blocked", "The semaphore of an unfinished session is a link whose target is gone.",
        ("PS-SES-06",), (*CONTROL, check(FAILED)), BLOCK,
        files=semaphore(kind="symlink", target=f"{RUNTIME_DIRECTORY}/gone"),
    )  # fmt: skip


def _several_writers() -> Iterator[Scenario]:
    for count in (2, 3, 4, 8):
        together = Step(schedule=Schedule((operation(FINE),) * count))
        yield scenario(
            f"semaphore-{count}-writers", f"{count} checks of one session are made at once.",
            ("PS-SES-03", "PS-TST-01"), (*CONTROL, together), APPROVE,
        )  # fmt: skip


def _already_ran() -> Iterator[Scenario]:
    yield scenario(
        "semaphore-written", "A session is approved, and stops again unfinished.", ("PS-SES-02", "PS-LOOP-01"),
        (check(FINE), check(FAILED)), ALREADY_RAN,
    )  # fmt: skip
    yield scenario(
        "semaphore-before-transcript", "The semaphore is fresh and the transcript is missing.", ("PS-LOOP-01",),
        (MUST_BLOCK, check(FAILED)), ALREADY_RAN,
        files={**semaphore(10), TRANSCRIPT: FileSpec("absent")},
    )  # fmt: skip
    yield scenario(
        "semaphore-only-on-approval", "A session is blocked twice, then finished, then stops again.",
        ("PS-LOOP-02", "PS-SES-02", "PS-LOOP-01"), (check(FAILED), check(FAILED), check(FINE), check(FAILED)),
        ALREADY_RAN,
    )  # fmt: skip
    for name, spec in {"missing": FileSpec("absent"), "empty": FileSpec(text="")}.items():
        early = check(FAILED, session_id="session-2")
        yield scenario(
            f"semaphore-after-{name}", f"A session is approved early, its transcript being {name}; another is blocked.",
            ("PS-LOOP-02",), (early, calm(FAILED), calm(FAILED)), BLOCK, files={TRANSCRIPT: spec},
        )  # fmt: skip


def _loops() -> Iterator[Scenario]:
    asked, answered = flat("user", "Please go on."), flat("assistant", "I am at it.")
    assistant, user = flat("assistant", PROMPT_TEXT), flat("user", PROMPT_TEXT)
    parts = flat("assistant", [{"type": "text", "text": "Well."}, {"type": "text", "text": PROMPT_TEXT}])
    cases = {
        "assistant-last": ("The assistant's last message holds the prompt.", (asked, assistant), True),
        "in-parts": ("The prompt is one of the parts of the last message.", (asked, parts), True),
        "user-last": ("The user's last message holds the prompt.", (asked, answered, user), None),
        "assistant-before-user": ("The user wrote after the prompt.", (asked, assistant, asked), None),
    }
    prompt = reasons("power_steering_prompt")
    for name, (title, lines, sure) in cases.items():
        allowed = (prompt,) if sure else (prompt, BLOCK)
        yield scenario(
            f"prompt-{name}", title, ("PS-LOOP-03",), (MUST_BLOCK, check(FAILED)), *allowed, transcript=text(*lines)
        )
    # a prompt that was answered is over: beside one that is not, so that the rule is entered
    yield scenario(
        "prompt-answered", "The prompt was answered by the assistant.", ("PS-LOOP-03",),
        (calm(FAILED, transcript_path=f"{TRANSCRIPT}.2"), check(FAILED)), BLOCK,
        transcript=text(asked, assistant, asked, answered), files={f"{TRANSCRIPT}.2": text(asked, assistant)},
    )  # fmt: skip
    grown = {f"{TRANSCRIPT}.2": text(asked, answered, assistant)}
    yield scenario(
        "prompt-after-block", "A session is blocked, and stops again with the prompt as its last message.",
        ("PS-LOOP-04", "PS-LOOP-02"), (check(FAILED), check(FAILED, transcript_path=f"{TRANSCRIPT}.2")), prompt,
        transcript=text(asked, answered), files=grown,
    )  # fmt: skip


def _summaries() -> Iterator[Scenario]:
    yield scenario(
        "summary-written", "A session that changed no file, with a warning, is approved.",
        ("PS-FS-03", "PS-PRM-03", "PS-SES-02", "PS-CON-02", "PS-SUM-02"), (check(WARNED),), ONLY_WARNINGS,
    )  # fmt: skip


def _failing_storage() -> Iterator[Scenario]:
    def struck(name: str, place: str, title: str, clauses: tuple[str, ...], *faults: Step) -> Scenario:
        steps = (*CONTROL, check(WARNED), RESET, MUST_BLOCK, *faults, check(WARNED))
        return scenario(f"storage-{name}-{place}", title, (*clauses, "PS-FO-01", "PS-TST-01"), steps, ONLY_WARNINGS,
                        files=RUNTIME)  # fmt: skip

    both = ("PS-FS-01", "PS-FS-02")
    for name in ("read_only", "file_for_directory", "unreadable"):
        word = name.replace("_", "-")
        yield struck(
            word, "runtime", f"The runtime directory is struck: {name}.", both,
            fault(f"filesystem.{name}", RUNTIME_DIRECTORY),
        )  # fmt: skip
    yield struck(
        "file-for-directory", "above", "A file stands where a directory above the runtime would be.", both,
        fault("filesystem.file_for_directory", "{home}/.amplihack"),
    )  # fmt: skip
    yield struck(
        "full", "runtime", "The disk of the runtime directory is full.", ("PS-FS-02",),
        fault("filesystem.full", RUNTIME_DIRECTORY, free_bytes=0),
    )  # fmt: skip
    yield struck(
        "file-for-directory", "session", "A file stands where the session's directory would be.", ("PS-FS-02",),
        fault("filesystem.file_for_directory", SESSION_DIRECTORY),
    )  # fmt: skip


def _links() -> Iterator[Scenario]:
    clauses = ("PS-FS-04", "PS-FS-05")
    targets = {
        "outside": ("{outside}/x", {"{outside}/x": FileSpec("directory")}),
        "sibling": (SIBLING, {SIBLING: FileSpec("directory")}),
        "absent": ("{outside}/absent", {}),
    }
    for name, (target, more) in targets.items():
        yield scenario(
            f"link-session-{name}", f"The session's directory is a link out of the runtime directory: {name}.", clauses,
            (*CONTROL, check(WARNED)), ONLY_WARNINGS,
            files={**RUNTIME, **more, SESSION_DIRECTORY: FileSpec("symlink", target=target)},
        )  # fmt: skip
    for name, target in {"outside": "{outside}/mark", "sibling": f"{SIBLING}/mark"}.items():
        yield scenario(
            f"link-semaphore-{name}", f"The semaphore is a link out of the runtime directory: {name}.", clauses,
            (*CONTROL, check(FINE)), APPROVE,
            files={**RUNTIME, SIBLING: FileSpec("directory"), **semaphore(kind="symlink", target=target)},
        )  # fmt: skip
    yield scenario(
        "link-summary-outside", "The summary is a link out of the runtime directory.", clauses,
        (*CONTROL, check(WARNED)), ONLY_WARNINGS,
        files={
            SESSION_DIRECTORY: FileSpec("directory"),
            "{outside}/kept.md": FileSpec(text="kept\n"),
            f"{SESSION_DIRECTORY}/summary.md": FileSpec("symlink", target="{outside}/kept.md"),
        },
    )  # fmt: skip
