"""Level L3 for hooks: one stop struck at every file call, or two in every order, and the stops that come after.

Each scenario shows both sessions in calm weather and begins afresh; what leads up to the stop follows, the stop with
what is enumerated about it, and then calm stops: of the same session, and of others that were never stopped before. A
guard that one broken call puts to sleep shows it there. For every hook, and for those that follow document 004.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from harness.core.fault import Fault
from harness.core.scenario import Explore, ExploreKind, FileSpec, Operation, Scenario, Schedule, Step
from harness.systems.stop_gate.contract import (
    CONFIG_PATH,
    RUNTIME_DIRECTORY,
    SKIP_VARIABLE,
    Decision,
    Stdin,
    StopArguments,
)
from harness.systems.stop_gate.workload import stop_steps
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
from harness.systems.stop_gate.workload.stop_steps import (
    ENDS,
    FOLDER,
    HOLDS,
    RESET,
    again,
    control,
    fault,
    operation,
    stop,
    storage,
)
from harness.systems.stop_gate.workload.stop_tours import ALWAYS, BOUNDED, Cast

CALLS: tuple[ExploreKind, ...] = ("errno", "killed", "torn")
STATES: tuple[ExploreKind, ...] = (*CALLS, "power")
DEATHS: tuple[ExploreKind, ...] = ("killed", "torn")
ORDERS: tuple[ExploreKind, ...] = ("schedule",)
UNSAID: Mapping[str, Any] = {"deserves": None}  # of a session whose limit, semaphore or configuration may end it
ABSENT, EMPTY, DIRECTORY = (f"{FOLDER}/{name}.jsonl" for name in ("absent", "empty", "directory"))


def level3_stop_hook() -> Iterator[Scenario]:
    """The enumerated scenarios of the level, in a fixed order."""
    yield from _sessions()
    yield _everything()
    yield from _orders()
    yield from _steering()
    yield _steering_everything()
    yield _steering_damaged()


class Around(NamedTuple):
    """What is explored, what leads up to that step, the step, and what follows."""

    kinds: Sequence[ExploreKind]
    before: Sequence[Step]
    struck: Step
    after: Sequence[Step]


def _tour(
    name: str,
    title: str,
    casts: Sequence[Cast],
    around: Around,
    clauses: Sequence[str],
    *,
    allowed: tuple[Mapping[str, Any], ...] = HOLDS,
    files: Mapping[str, FileSpec] | None = None,
    head: Sequence[Step] | None = None,
    group: str | None = None,
) -> Scenario:
    shown = casts[0].calm if head is None else head
    every = {path: spec for cast in casts for path, spec in cast.files.items()}
    return stop_steps.scenario(
        f"hook-l3-{name}",
        title,
        tuple(sorted(set(clauses))),
        (*shown, *around.before, Step(explore=Explore(tuple(around.kinds))), around.struck, *around.after),
        files={**every, **(files or {})},
        group=group,
        allowed=allowed,
        level="L3",
        own_sessions=True,
    )


def _casts(name: str) -> tuple[Cast, Cast, Cast]:
    """The sessions of a scenario, those that are stopped before, and those that are stopped only afterwards."""
    return Cast.of(f"l3-{name}"), Cast.of(f"l3-{name}-earlier"), Cast.of(f"l3-{name}-later")


def _sessions() -> Iterator[Scenario]:
    """What a hook does of itself: it holds an unfinished session, again and again, and lets a finished one go."""
    clauses = (*ALWAYS, "PS-TST-01", "SH-04", "SH-06")
    casts = _casts("unfinished")
    own, _, later = casts
    yield _tour(
        "unfinished",
        "The first stop ever, of an unfinished session, is struck at every call.",
        casts,
        Around(STATES, (), stop(own.unfinished), (stop(own.finished), stop(own.unfinished), stop(later.unfinished))),
        clauses,
    )
    casts = _casts("held-again")
    own, _, later = casts
    more = stop(own.unfinished, stop_hook_active=True)
    yield _tour(
        "held-again",
        "A session that was held once is stopped again, and struck at every call; then until it may end.",
        casts,
        Around(STATES, (stop(own.unfinished),), more, (more, again(own.unfinished), stop(later.unfinished))),
        (*BOUNDED, "SH-08"),
    )
    casts = _casts("finished")
    own, earlier, later = casts
    yield _tour(
        "finished",
        "A finished session is stopped, and struck at every call.",
        casts,
        Around(STATES, (stop(earlier.unfinished),), stop(own.finished), (stop(own.finished), stop(later.unfinished))),
        (*clauses, "PS-FS-01"),
    )
    casts = _casts("released")
    own, _, later = casts
    done = stop(msgspec.structs.replace(own.finished, session_id=own.unfinished.session_id), stop_hook_active=True)
    yield _tour(
        "released",
        "A session that was held is finished now; it is stopped, and struck at every call.",
        casts,
        Around(STATES, (stop(own.unfinished),), done, (done, stop(later.unfinished))),
        clauses,
    )


def _everything() -> Scenario:
    """A stop is killed at each of its calls, and after that whatever else can be wrong is met once more."""
    casts = _casts("everything-after")
    own, earlier, later = casts
    done = later.finished
    steps = (
        stop(done, drop=("session_id",)),
        stop(done, session_id="../../../../outside/x"),
        stop(done, transcript_path=ABSENT),
        stop(done, transcript_path=EMPTY),
        stop(done, transcript_path=DIRECTORY),
        stop(done, stdin=Stdin.KEPT_OPEN),
        stop(later.unfinished),
        again(later.unfinished),
        fault("jsonl.bad_utf8", own.finished.transcript_path),
        stop(own.finished),
        *storage("filesystem.read_only"),
        stop(done),
    )
    return _tour(
        "everything-after",
        "A stop is killed at each of its calls; then ids, transcripts, input and disk are broken.",
        casts,
        Around(("killed",), (stop(earlier.unfinished),), stop(own.finished), steps),
        (
            *ALWAYS,
            *BOUNDED,
            "PS-SES-01",
            "PS-SES-07",
            "PS-TR-01",
            "PS-TR-02",
            "PS-TR-09",
            "PS-FS-01",
            "PS-TST-01",
            "SH-04",
            "SH-06",
        ),
        allowed=ENDS,
        files={EMPTY: FileSpec(text=""), DIRECTORY: FileSpec("directory")},
    )


def _orders() -> Iterator[Scenario]:
    """Two stops at once."""

    def order(
        name: str,
        title: str,
        casts: Sequence[Cast],
        both: tuple[Operation, Operation],
        after: Sequence[Step],
        clauses: Sequence[str],
        left: tuple[Step, ...] = (),
        allowed: tuple[Mapping[str, Any], ...] = HOLDS,
    ) -> Scenario:
        warm = (stop(casts[1].unfinished), *left)
        struck = Step(schedule=Schedule(both))
        around = Around(ORDERS, warm, struck, after)
        return _tour(f"order-{name}", f"{title} at once, in every order.", casts, around, clauses, allowed=allowed)

    casts = _casts("order-unfinished")
    own, _, later = casts
    yield order(
        "unfinished",
        "Two stops of one unfinished session",
        casts,
        (operation(own.unfinished),) * 2,
        (again(own.unfinished), stop(later.unfinished)),
        (*BOUNDED, "SH-08"),
    )
    casts = _casts("order-finished")
    own, _, later = casts
    yield order(
        "finished",
        "Two stops of one finished session",
        casts,
        (operation(own.finished),) * 2,
        (stop(own.finished), stop(later.unfinished)),
        ("PS-TST-01", "SH-08"),
    )
    casts = _casts("order-left")
    own = casts[0]
    yield order(
        "left",
        "Two stops of one finished session, where locks of others lie about,",
        casts,
        (operation(own.finished),) * 2,
        (stop(own.finished),),
        ("PS-TST-01",),
        (fault("filesystem.leftover", "{runtime}"),),
        ENDS,
    )
    casts = _casts("order-two-sessions")
    own, _, later = casts
    yield order(
        "two-sessions",
        "An unfinished session and a finished one",
        casts,
        (operation(own.unfinished), operation(own.finished)),
        (stop(later.unfinished),),
        ("PS-PRM-02", "PS-TST-01", "SH-08"),
    )


def _steering() -> Iterator[Scenario]:
    """For hooks that follow document 004: its semaphore, its summary, and its configuration."""
    casts = _casts("steering-finished")
    own, earlier, later = casts
    yield _tour(
        "steering-finished",
        "A finished session dies while its end is recorded, and is stopped again.",
        casts,
        Around(
            DEATHS,
            (stop(earlier.unfinished),),
            stop(own.finished),
            (stop(own.finished), stop(later.finished), stop(later.unfinished)),
        ),
        ("PS-SES-02", "PS-FS-03", "PS-PRM-02", "SH-08"),
        group=GROUP,
    )
    casts = _casts("steering-disabled")
    own, _, later = casts
    # the world's configuration would decide the control too, so the control is shown without one
    without = (control(own.finished), fault("filesystem.missing", CONFIG_PATH), control(own.unfinished), RESET)
    yield _tour(
        "steering-disabled",
        "The configuration turns the hook off, and the stop is struck.",
        casts,
        Around(("errno", "killed"), (), stop(own.unfinished, **UNSAID), (stop(later.unfinished, **UNSAID),)),
        ("PS-CFG-01", "PS-CFG-03", "PS-CFG-07"),
        allowed=ENDS,
        head=without,
        group=GROUP,
        files={CONFIG_PATH: FileSpec(text=json.dumps({"enabled": False}))},
    )
    casts = _casts("steering-configured")
    own, _, later = casts
    done = {semaphore_of("done"): FileSpec(text="", age_s=10.0)}
    yield _tour(
        "steering-configured",
        "The configuration has a value of a wrong type; a stop is killed at each of its calls, and another follows.",
        casts,
        Around(("killed",), (), _unsaid(own, "done"), (stop(later.unfinished, **UNSAID),)),
        ("PS-CFG-05",),
        group=GROUP,
        files={CONFIG_PATH: FileSpec(text=json.dumps({"enabled": "no"})), **done},
    )


def _steering_everything() -> Scenario:
    """A stop of a session that already ran is killed at each of its calls; then the group's rules are asked for.

    Damage comes last: what is damaged stays so, and only blank lines take nothing from a hook's verdict.
    """
    casts = _casts("steering-everything")
    own, earlier, later = casts
    files: dict[str, FileSpec] = {semaphore_of("done"): FileSpec(text="", age_s=10.0)}
    steps: list[Step] = [
        stop(earlier.unfinished),
        stop(earlier.unfinished),
        stop(earlier.finished, session_id=earlier.unfinished.session_id, stop_hook_active=True),
    ]
    for size in SIZES:
        path = f"{FOLDER}/{size}.jsonl"
        files[path] = FileSpec(sample="block", pad_bytes=size)
        steps.append(_unsaid(own, f"size-{size}", path))
    for name, age_s in (("within", 3540.0), ("past", 3660.0)):
        files[semaphore_of(name)] = FileSpec(text="", age_s=age_s)
        steps.append(_unsaid(own, name))
    steps += [stop(own.unfinished, session_id=f"skip-{value}", environment={SKIP_VARIABLE: value}) for value in "10"]
    steps += _conversations(files)
    for name, damage, count in (
        ("blank", "blank_lines", 12),
        ("ten", "garbage_lines", 10),
        ("more", "garbage_lines", 11),
    ):
        steps += _damaged(own, name, Fault(f"jsonl.{damage}", None, {"count": count}), files)
    steps += [
        fault("filesystem.link_outside", f"{RUNTIME_DIRECTORY}/{later.finished.session_id}"),
        stop(later.finished),
    ]
    head = (control(own.unfinished), control(own.finished), control(_talk("question", Decision.BLOCK)), RESET)
    return _tour(
        "steering-everything-after",
        "A stop is killed at each of its calls; then the rules of document 004 are met.",
        casts,
        Around(("killed",), (), _unsaid(own, "done"), steps),
        (
            *("PS-TR-03", "PS-TR-05", "PS-TR-06", "PS-TR-07", "PS-SES-02", "PS-SES-04", "PS-FS-03", "PS-FS-04"),
            *("PS-FS-05", "PS-CON-01", "PS-LOOP-01", "PS-LOOP-02", "PS-LOOP-03", "PS-PRM-04", "PS-ENV-01"),
        ),
        allowed=ENDS,
        files=files,
        head=head,
        group=GROUP,
    )


def _steering_damaged() -> Scenario:
    """As before, with a configuration that is no JSON; then a message has no role that is known."""
    casts = _casts("steering-damaged")
    own, _, later = casts
    files: dict[str, FileSpec] = {semaphore_of("done"): FileSpec(text="", age_s=10.0)}
    files[CONFIG_PATH] = FileSpec(text='{"enabled": fal')
    steps = (stop(later.unfinished, **UNSAID), *_damaged(own, "roles", Fault("jsonl.wrong_roles"), files))
    return _tour(
        "steering-damaged",
        "A stop is killed at each of its calls; configuration, then roles, of unfinished sessions are damaged.",
        casts,
        Around(("killed",), (), _unsaid(own, "done"), steps),
        ("PS-CFG-02", "PS-TR-08"),
        files=files,
        group=GROUP,
    )


def _damaged(cast: Cast, name: str, damage: Fault, files: dict[str, FileSpec]) -> list[Step]:
    """An unfinished session with damage in its transcript, which goes to ``files``."""
    path = f"{FOLDER}/{name}.jsonl"
    files[path] = FileSpec(sample="block")
    return [Step(fault=msgspec.structs.replace(damage, path=path)), _unsaid(cast, name, path)]


def _unsaid(cast: Cast, name: str, path: str | None = None) -> Step:
    """An unfinished session of that id, of which only document 004 says what becomes of it."""
    path = cast.unfinished.transcript_path if path is None else path
    return stop(msgspec.structs.replace(cast.unfinished, session_id=name, transcript_path=path), **UNSAID)


def _talk(word: str, deserves: Decision | None) -> StopArguments:
    return StopArguments(session_id=word, transcript_path=f"{FOLDER}/{word}.jsonl", deserves=deserves)


def _conversations(files: dict[str, FileSpec]) -> list[Step]:
    """Sessions without tool calls: an open question, the hook's own prompt, a plain answer; ``files`` gets theirs."""
    said = {"question": QUESTION, "prompted": f"{PROMPT} {QUESTION}", "answer": ANSWER}
    deserved = {"question": Decision.BLOCK, "prompted": None, "answer": Decision.APPROVE}
    for word, text in said.items():
        files[_talk(word, None).transcript_path] = talk_of(("user", ASK), ("assistant", text))
    return [stop(_talk(word, decision)) for word, decision in deserved.items()]
