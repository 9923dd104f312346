"""Level L3 of the profile gate: one operation struck at every file call, or two in every order, and what comes after.

Each scenario shows the control in calm weather and begins afresh; what leads up to the operation follows, the
operation with what is enumerated about it, and then operations in calm weather: of the same session, and of others. The
situations are those in which a check calls other files: fresh and held before, finished, already run, configured, given
up, counted. One short check, of a session that already ran, is killed at each of its few calls before everything that
document 004 asks for is seen once more.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from harness.core.scenario import Explore, ExploreKind, FileSpec, Repeat, Scenario, Schedule, Step
from harness.systems.stop_gate.contract import RUNTIME_DIRECTORY, SEMAPHORE_LIFETIME_S
from harness.systems.stop_gate.workload import gate_legs as legs
from harness.systems.stop_gate.workload.gate_legs import Leg
from harness.systems.stop_gate.workload.gate_steps import (
    APPROVE,
    BLOCK,
    CONTROL,
    FAILED,
    FINE,
    METRICS,
    RESET,
    SCALE,
    WARNED,
    ask_prompt,
    calm,
    check,
    fault,
    operation,
    reasons,
    scenario,
    semaphore,
)

CALLS: tuple[ExploreKind, ...] = ("errno", "killed", "torn")
STATES: tuple[ExploreKind, ...] = (*CALLS, "power")
DEATHS: tuple[ExploreKind, ...] = ("killed", "torn")
ENDS: tuple[ExploreKind, ...] = (*DEATHS, "power")
ORDERS: tuple[ExploreKind, ...] = ("schedule",)
STRUCK = "struck-1"
SHORT = 0.01  # a checker has 50 ms, the whole 300: seven that hang exceed it in every variant
START = (*CONTROL, calm(WARNED, session_id="calm-3"), RESET)
WARM = (check(FAILED, session_id="earlier-1"),)  # so that the directories stand
# two other sessions: an unfinished one is held, and a finished one is let go, marked and known
OTHERS = (
    check(FAILED, session_id="other-1"), check(WARNED, session_id="other-2"), check(FAILED, session_id="other-2"),
)  # fmt: skip
_OTHERS = ("PS-PRM-02", "PS-PRM-03", "PS-PRM-04", "PS-SES-02", "PS-SES-04", "PS-LOOP-01", "PS-FS-03")
_ALWAYS = ("PS-FO-01", "PS-FO-03", "PS-TST-01")
ALREADY_RAN = reasons("already_ran")
_LEFT = fault("filesystem.leftover", RUNTIME_DIRECTORY)  # locks among them, whose holders are gone
SET = "{project}/set"
_SET_FILE = {SET + legs.IN_PROJECT: FileSpec(text=json.dumps({"timeout_seconds": 20}))}
CHAIN = (
    legs.HELD, legs.RELEASED, legs.CHECKERS, legs.SKIPPED, legs.PROMPTS, legs.SUMMED_UP, legs.TRANSCRIPTS,
    legs.NAMELESS, legs.HOSTILE, legs.PROJECTS, legs.KEPT, legs.QUESTIONS, legs.LIMITS, legs.TOO_MUCH, legs.COUNTED,
    legs.UNWRITABLE,
)  # fmt: skip


def level3_gate() -> Iterator[Scenario]:
    """The enumerated scenarios of the level, in a fixed order."""
    yield from _sessions()
    yield from _semaphores()
    yield from _configurations()
    yield from _others()
    yield _everything()
    yield from _orders()


def _tour(
    name: str,
    title: str,
    kinds: Sequence[ExploreKind],
    before: Sequence[Step],
    struck: Step,
    after: Sequence[Step],
    last: Mapping[str, Any],
    clauses: Sequence[str],
    *or_else: Mapping[str, Any],
    **world: Any,
) -> Scenario:
    explore = Step(explore=Explore(tuple(kinds)))
    named = tuple(dict.fromkeys(clauses))
    made = scenario(f"l3-{name}", title, named, (*START, *before, explore, struck, *after), last, *or_else, **world)
    return msgspec.structs.replace(made, level="L3")


def _files(*used: Leg) -> dict[str, FileSpec]:
    return {path: spec for leg in used for path, spec in leg.files.items()}


def _sessions() -> Iterator[Scenario]:
    """What a check does of itself: it holds an unfinished session, again and again, and lets a finished one go."""
    held = check(FAILED, session_id=STRUCK)
    yield _tour(
        "unfinished", "The first check ever, of an unfinished session, is struck at every call.", STATES,
        (), held, (held, *OTHERS), ALREADY_RAN, (*_ALWAYS, *_OTHERS, "PS-LOOP-02"),
    )  # fmt: skip
    prompted = check(FAILED, session_id=STRUCK, transcript_path=legs.PROMPTED)
    until = Step(repeat=Repeat(legs.BLOCKS_AT_MOST + 1, APPROVE, (held,)))
    yield _tour(
        "held-again", "A session that was held once is checked again, and struck; then until it may end.", CALLS,
        (held,), held, (prompted, until, OTHERS[0]), BLOCK,
        ("PS-FO-01", "PS-TST-01", "PS-PRM-02", "PS-PRM-04", "PS-LOOP-02", "PS-LOOP-03", "PS-LOOP-04"),
        files=_files(legs.HELD),
    )  # fmt: skip
    yield _tour(
        "held-on", "A session that was held twice is struck in its third check, and is stopped until it may end.",
        STATES, (held, held), held, (until,), APPROVE, ("PS-LOOP-04",),
    )  # fmt: skip
    let_go = check(WARNED, session_id=STRUCK)
    yield _tour(
        "finished", "A finished session is let go, and struck while that is recorded.", STATES,
        WARM, let_go, (let_go, check(FAILED, session_id=STRUCK), OTHERS[0]), BLOCK,
        (*_ALWAYS, "PS-PRM-02", "PS-PRM-03", "PS-CON-02", "PS-SUM-02", "PS-SES-02", "PS-FS-01", "PS-FS-02",
         "PS-FS-03", "PS-LOOP-01"),
    )  # fmt: skip


def _semaphores() -> Iterator[Scenario]:
    """A semaphore stands there: fresh, or too old."""
    done = check(FAILED, session_id="done")
    yield _tour(
        "already-ran", "A session that already ran is checked, and struck.", CALLS,
        (), done, (done, *OTHERS), ALREADY_RAN,
        ("PS-FO-01", "PS-TST-01", "PS-SES-03", "PS-SES-04", "PS-SES-06", "PS-LOOP-01"), files=semaphore(60, "done"),
    )  # fmt: skip
    old = semaphore(SEMAPHORE_LIFETIME_S + 1, "stale")
    yield _tour(
        "stale", "An unfinished session whose semaphore is too old is checked, and struck.", ("errno", "killed"),
        (), check(FAILED, session_id="stale"), (check(FINE, session_id="stale"), check(FAILED, session_id="stale")),
        ALREADY_RAN, ("PS-PRM-02", "PS-SES-03", "PS-SES-04", "PS-SES-06"), BLOCK, files=old,
    )  # fmt: skip
    yield _tour(
        "renewed", "A finished session whose semaphore is too old dies while it is renewed.", DEATHS,
        (), check(FINE, session_id="stale"), (check(FINE, session_id="stale"), OTHERS[0]), BLOCK,
        ("PS-SES-02", "PS-SES-03", "PS-PRM-02"), files=old,
    )  # fmt: skip


def _configurations() -> Iterator[Scenario]:
    """There is a configuration, which changes nothing, or everything."""
    off, bad, broken = (
        check(FAILED, session_id=f"{STRUCK}-{place[-3:]}", project_root=place)
        for place in (legs.OFF, legs.BAD, legs.BROKEN)
    )
    yield _tour(
        "configured", "The project has a configuration, and the check is struck.", ("errno",),
        WARM, check(FAILED, session_id=STRUCK, project_root=SET), (off, OTHERS[0]), BLOCK,
        ("PS-CFG-02", "PS-CFG-07", "PS-PRM-02", "PS-FO-01"), files={**_SET_FILE, **_files(legs.PROJECTS)},
    )  # fmt: skip
    yield _tour(
        "disabled", "The configuration turns the check off, and the check is struck.", CALLS,
        (), off, (off, bad, broken, OTHERS[0]), BLOCK,
        ("PS-CFG-01", "PS-CFG-02", "PS-CFG-03", "PS-CFG-04", "PS-CFG-05", "PS-CFG-06", "PS-CFG-07", "PS-FO-01"),
        files=_files(legs.PROJECTS),
    )  # fmt: skip


def _others() -> Iterator[Scenario]:
    """Checks that come to an early end, and operations that are none."""
    given_up = check(FAILED, session_id=STRUCK, transcript_path=legs.ELEVEN)
    yield _tour(
        "given-up", "The transcript is given up, and the check is struck while it says so.", CALLS,
        WARM, given_up, (given_up, *OTHERS), ALREADY_RAN, ("PS-FO-01", "PS-TST-01", "PS-TR-05", "PS-TR-06"),
        files=_files(legs.TRANSCRIPTS),
    )  # fmt: skip
    missing = check(FAILED, session_id=STRUCK, transcript_path=legs.ABSENT)
    yield _tour(
        "missing", "There is no transcript, and the check dies.", ("killed",),
        WARM, missing, (missing, check(FAILED, session_id=STRUCK)), BLOCK,
        ("PS-FO-01", "PS-TST-01", "PS-TR-01", "PS-PRM-02"),
    )  # fmt: skip
    yield _tour(
        "prompt", "A prompt is asked for without any failure, and that is struck.", CALLS,
        WARM, ask_prompt(), (ask_prompt(), ask_prompt(FAILED), OTHERS[0]), BLOCK, ("PS-PRM-01", "PS-PRM-04"),
    )  # fmt: skip
    counted = legs.COUNTED.steps[:-1]
    yield _tour(
        "counted", "A check dies while it is counted; then the counters are asked for.", ENDS,
        (*counted, check(*legs.SEVEN, session_id="late-1")), check(legs.CRASH, FINE, session_id=STRUCK),
        (check(legs.CRASH, FINE, session_id="crash-9"), METRICS, OTHERS[0]), BLOCK, ("PS-MON-01", "PS-MON-03"),
        files=_files(legs.COUNTED), scale=SHORT,
    )  # fmt: skip


def _everything() -> Scenario:
    """A check dies at each of its calls, and after that everything that document 004 asks for is seen once more."""
    files = _files(*CHAIN)
    clauses = [clause for leg in CHAIN for clause in leg.clauses]
    steps = tuple(step for leg in CHAIN for step in leg.steps)
    return _tour(
        "everything-after", "A check is killed at each of its calls; then every other rule is asked for.", ("killed",),
        (), check(FAILED, session_id="done"), steps, reasons("only_warnings"), (*clauses, "PS-TST-01"),
        files=files, scale=SCALE,
    )  # fmt: skip


def _orders() -> Iterator[Scenario]:
    """Two operations at once, each begun by a process of its own."""
    yield _order(
        "order-finished", "Two checks of one finished session at once, in every order.",
        operation(WARNED), operation(WARNED), (check(FAILED),), ALREADY_RAN,
        ("PS-SES-02", "PS-SES-03", "PS-TST-01", "PS-LOOP-01"),
    )  # fmt: skip
    yield _order(
        "order-unfinished", "Two checks of one unfinished session at once, in every order.",
        operation(FAILED), operation(FAILED), (check(FAILED, transcript_path=legs.PROMPTED),),
        reasons("power_steering_prompt"), ("PS-PRM-02", "PS-TST-01", "PS-LOOP-03", "PS-LOOP-04"),
        files=_files(legs.HELD),
    )  # fmt: skip
    yield _order(
        "order-two-sessions", "An unfinished session and a finished one at once, in every order.",
        operation(WARNED, session_id="other-1"), operation(FAILED),
        (check(FAILED, session_id="other-1"), check(FAILED)), BLOCK, ("PS-PRM-02", "PS-TST-01", "PS-LOOP-01"),
    )  # fmt: skip
    crashes = [operation(legs.CRASH, FINE, session_id=f"crash-{number}") for number in (8, 9)]
    yield _order(
        "order-counted", "Two checks that are counted at once, in every order.", crashes[0], crashes[1],
        (METRICS, OTHERS[0]), BLOCK, ("PS-MON-01", "PS-PRM-02"),
        before=(*legs.COUNTED.steps[:-1], check(*legs.SEVEN, session_id="late-1"), _LEFT), files=_files(legs.COUNTED),
        scale=SHORT,
    )  # fmt: skip


def _order(
    name: str, title: str, one: Any, other: Any, after: Sequence[Step], last: Mapping[str, Any],
    clauses: Sequence[str], *, before: Sequence[Step] = WARM, **world: Any,
) -> Scenario:  # fmt: skip
    return _tour(name, title, ORDERS, before, Step(schedule=Schedule((one, other))), after, last, clauses, **world)
