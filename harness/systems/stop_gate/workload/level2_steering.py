"""Level L2 for hooks that follow document 004: its own rules hold while something goes wrong that is none of theirs.

The further faults are those that leave an answer as it is: another time zone, language or year, a slow reader. What a
hook answers under the harder ones is for it to choose, and is judged by the clauses that bind every hook.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from harness.core.scenario import FileSpec, Scenario, Step
from harness.systems.stop_gate.contract import CONFIG_PATH, RUNTIME_DIRECTORY, SKIP_VARIABLE, Decision, StopArguments
from harness.systems.stop_gate.workload import stop_tours
from harness.systems.stop_gate.workload.boundaries_steering import (
    ANSWER,
    ASK,
    GROUP,
    PROMPT,
    QUESTION,
    SIZES,
    semaphore_of,
    talk_of,
)
from harness.systems.stop_gate.workload.stop_steps import ENDS, FOLDER, HOLDS, RESET, control, fault, stop
from harness.systems.stop_gate.workload.stop_tours import Cast, Strike

WORDS: Mapping[str, str] = {
    "zone": "and the time zone has daylight saving time",
    "language": "and the language is one nobody has",
    "late": "and standard output is drained late",
    "year": "and the clock says 2038",
    "frozen": "and the clock stands still",
}
FURTHER: Mapping[str, Strike] = {
    "zone": Strike("clock.time_zone", None, {"name": "America/New_York"}),
    "language": Strike("environment.odd_locale"),
    "late": Strike("environment.stdout_slow"),
    "year": Strike("clock.year_2038"),
    "frozen": Strike("clock.frozen"),
}
UNSAID: Mapping[str, Any] = {"deserves": None}  # of a session whose limit, semaphore or configuration may end it
SURE = ("PS-PRM-02", "PS-PRM-04", "SH-07", "SH-08")


def level2_steering() -> tuple[Scenario, ...]:
    """Every scenario of the level for hooks that declare the group."""
    return (
        *(_transcripts(name) for name in ("language", "year")),
        _sizes("zone"),
        *(_semaphores(name) for name in ("zone", "language")),
        _hour("frozen"),
        *_configurations(),
        *(_skipped(name) for name in ("late", "zone")),
        _links("language"),
        *(_conversation(name) for name in ("zone", "year")),
    )


def _scenario(
    name: str,
    title: str,
    clauses: tuple[str, ...],
    steps: tuple[Step, ...],
    allowed: tuple[Mapping[str, Any], ...],
    *,
    files: Mapping[str, FileSpec] | None = None,
) -> Scenario:
    further = name.rpartition("-")[2]
    sure = SURE if further != "frozen" else tuple(clause for clause in SURE if clause not in stop_tours.GUARD)
    return stop_tours.scenario(
        f"steering-{name}",
        f"{title}, {WORDS[further]}",
        (*sure, *clauses),
        Cast.of(f"steering-{name}"),
        steps,
        files=files or {},
        group=GROUP,
        allowed=allowed,
    )


def _transcripts(further: str) -> Scenario:
    name = f"transcript-{further}"
    cast = Cast.of(f"steering-{name}")
    path = cast.unfinished.transcript_path
    kinds = ("blank_lines", "wrong_roles", "non_object_lines")
    damages = [
        *(fault(f"jsonl.{kind}", path) for kind in kinds),
        *(fault("jsonl.garbage_lines", path, count=count) for count in (10, 11)),
    ]
    steps = [
        step
        for damage in damages
        for step in (RESET, *cast.put((FURTHER[further],)), damage, stop(cast.unfinished))
    ]  # fmt: skip
    return _scenario(
        name,
        "An unfinished session has blank lines, wrong roles, no objects, ten and eleven lines that are no JSON",
        ("PS-TR-03", "PS-TR-05", "PS-TR-06", "PS-TR-08", "PS-TR-09"),
        (*cast.calm[:-1], *steps),
        ENDS,
    )


def _sizes(further: str) -> Scenario:
    name = f"size-{further}"
    cast = Cast.of(f"steering-{name}")
    paths = {f"{FOLDER}/{size}.jsonl": FileSpec(sample="block", pad_bytes=size) for size in SIZES}
    stops = [
        stop(cast.unfinished, transcript_path=path, session_id=f"{cast.unfinished.session_id[:-1]}{number}", **UNSAID)
        for number, path in enumerate(paths)
    ]
    return _scenario(
        name,
        "An unfinished session's transcript has exactly 10 MiB, then one byte more",
        ("PS-TR-07",),
        (*cast.calm, *cast.put((FURTHER[further],)), *stops),
        ENDS,
        files=paths,
    )


def _semaphores(further: str) -> Scenario:
    name = f"semaphore-{further}"
    cast = Cast.of(f"steering-{name}")
    ages = {"just-now": 10.0, "in-the-hour": 3540.0, "after-the-hour": 3660.0, "ahead": -30.0, "far-ahead": -7200.0}
    ids = {f"{word}-{cast.unfinished.session_id[:8]}": age for word, age in ages.items()}
    return _scenario(
        name,
        "Sessions have semaphores of less and of more than an hour, and from the future; others get theirs now",
        ("PS-SES-02", "PS-SES-04", "PS-SES-05", "PS-LOOP-01", "PS-LOOP-02", "PS-FS-03"),
        (
            *cast.calm,
            *cast.put((FURTHER[further],)),
            *(stop(cast.unfinished, session_id=session, **UNSAID) for session in ids),
            stop(cast.finished),
            stop(cast.unfinished),
            stop(cast.unfinished, stop_hook_active=True),
            stop(cast.finished, session_id=cast.unfinished.session_id, stop_hook_active=True),
        ),
        ENDS,
        files={semaphore_of(session): FileSpec(text="", age_s=age) for session, age in ids.items()},
    )


def _hour(further: str) -> Scenario:
    name = f"semaphore-hour-{further}"
    cast = Cast.of(f"steering-{name}")
    # a clock that stands still is read in whole seconds, and a moment after the world was made
    ages = {f"{word}-{cast.unfinished.session_id[:8]}": age for word, age in (("within", 3598.0), ("past", 3602.0))}
    return _scenario(
        name,
        "Unfinished sessions have semaphores of an hour less, and more, than two seconds",
        (),
        (
            *cast.calm,
            *cast.put((FURTHER[further],)),
            *(stop(cast.unfinished, session_id=session, **UNSAID) for session in ages),
        ),
        HOLDS,
        files={semaphore_of(session): FileSpec(text="", age_s=age) for session, age in ages.items()},
    )


def _configurations() -> Iterator[Scenario]:
    values: tuple[tuple[str, str, Mapping[str, Any], tuple[str, ...]], ...] = (
        ("disabled", "zone", {"enabled": False}, ("PS-CFG-01", "PS-CFG-03", "PS-CFG-07")),
        ("partial", "year", {"timeout_seconds": 60}, ("PS-CFG-03",)),
        ("enabled", "late", {"enabled": "false"}, ("PS-CFG-05",)),
        *(
            (f"timeout-{seconds}", "language", {"timeout_seconds": seconds}, ("PS-CFG-03",))
            for seconds in (1, 300)
        ),
        *(
            (f"timeout-{seconds}", "language", {"timeout_seconds": seconds}, ())
            for seconds in (0, 301)
        ),
    )  # fmt: skip
    for word, further, value, clauses in values:
        name = f"config-{word}-{further}"
        cast = Cast.of(f"steering-{name}")
        # the world's configuration would decide the control too, so the control is shown without one
        without = (control(cast.finished), fault("filesystem.missing", CONFIG_PATH), control(cast.unfinished), RESET)
        yield _scenario(
            name,
            f"The configuration is {json.dumps(value)}",
            clauses,
            (*without, *cast.put((FURTHER[further],)), stop(cast.unfinished, **UNSAID)),
            ENDS if value.get("enabled") is False else HOLDS,
            files={CONFIG_PATH: FileSpec(text=json.dumps(value))},
        )
    cast = Cast.of("steering-config-broken-late")
    kinds = ("json_document.truncated", "json_document.list", "json_document.huge_integer", "filesystem.directory")
    steps = [
        step
        for kind in kinds
        for step in (RESET, *cast.put((FURTHER["late"],)), fault(kind, CONFIG_PATH), stop(cast.unfinished))
    ]
    yield _scenario(
        "config-broken-late",
        "The configuration cannot be used, in four ways, and the defaults hold",
        ("PS-CFG-02",),
        (*cast.calm[:-1], *steps),
        HOLDS,
    )


def _skipped(further: str) -> Scenario:
    name = f"skip-{further}"
    cast = Cast.of(f"steering-{name}")
    values = ("1", "", "0")
    stops = [
        stop(cast.unfinished, session_id=f"{cast.unfinished.session_id[:-1]}{number}", environment=variables)
        for number, variables in enumerate({SKIP_VARIABLE: value} if value else {} for value in values)
    ]
    return _scenario(
        name,
        "The skip variable is 1, then unset, then 0",
        ("PS-ENV-01",),
        (*cast.calm, *cast.put((FURTHER[further],)), *stops),
        HOLDS,
    )


def _links(further: str) -> Scenario:
    name = f"links-{further}"
    cast = Cast.of(f"steering-{name}")
    links = (
        fault("filesystem.dangling_link", semaphore_of(cast.finished.session_id)),
        fault("filesystem.link_outside", f"{RUNTIME_DIRECTORY}/{cast.finished.session_id}"),
    )
    steps = [
        step
        for link in links
        for step in (RESET, *cast.put((FURTHER[further],)), link, stop(cast.finished), stop(cast.finished))
    ]
    return _scenario(
        name,
        "Where the semaphore, then the summary, goes a link leads out of the runtime directory",
        ("PS-FS-04", "PS-FS-05"),
        (*cast.calm[:-1], *steps),
        ENDS,
    )


def _conversation(further: str) -> Scenario:
    name = f"conversation-{further}"
    cast = Cast.of(f"steering-{name}")
    asked = ("user", ASK)
    texts = {
        "question": talk_of(asked, ("assistant", QUESTION)),
        "prompted": talk_of(asked, ("assistant", f"{PROMPT} {QUESTION}")),
        "answer": talk_of(asked, ("assistant", ANSWER)),
    }
    paths = {word: f"{FOLDER}/{word}-{cast.finished.session_id[:8]}.jsonl" for word in texts}

    def talk(word: str, deserves: Decision | None) -> StopArguments:
        return StopArguments(session_id=word, transcript_path=paths[word], deserves=deserves)

    return _scenario(
        name,
        "Sessions without tool calls end with an open question, with the hook's own prompt, with a plain answer",
        ("PS-CON-01", "PS-LOOP-03"),
        (
            *cast.calm[:-1],
            control(talk("question", Decision.BLOCK)),
            RESET,
            *cast.put((FURTHER[further],)),
            stop(talk("question", Decision.BLOCK)),
            stop(talk("prompted", None)),
            stop(talk("answer", Decision.APPROVE)),
        ),
        ENDS,
        files={paths[word]: spec for word, spec in texts.items()},
    )
