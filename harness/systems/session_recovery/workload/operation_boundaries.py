"""Checkpoints, operations, subagents and breakers: each side of every limit. Level L1."""

from collections.abc import Iterator, Mapping
from typing import Any

from harness.core.scenario import FileSpec, Scenario
from harness.systems.fault_rows import YEAR_S
from harness.systems.session_recovery.contract import BREAKERS_PATH, CHECKPOINT_PATH, ORCHESTRATOR_PATH
from harness.systems.session_recovery.workload.session_steps import (
    CLOSED,
    HALF_OPEN,
    LEFT_S,
    OPEN,
    Story,
    as_json,
    breaker,
    calm,
    checkpointed,
    scenario,
)

KEPT = ("RC-01", "SYS-02", "SYS-04")
STATES: tuple[tuple[str, str, Mapping[str, Any]], ...] = (
    ("empty", "nothing", {}),
    ("nested", "objects and lists in each other", {"a": {"b": [{"c": [None, True, -1.5]}]}, "d": []}),
    ("unicode", "every script, and names that are empty", {"": "\u6f22\r\n", "e\u0301": "\u05d0\u2028\x00"}),
    ("numbers", "large, small and negative numbers", {"n": [2**53 - 1, -(2**53) + 1, 0, 0.1, -7]}),
    ("its-own-words", "the names that a checkpoint may have itself", {"name": "other", "state": {"state": 1}}),
    ("long", "100,000 characters", {"log": "one more line. " * 6_700}),
)
NAMES: tuple[tuple[str, str, str], ...] = (
    ("separators", "has separators and dots", "../../tmp/checkpoint"),
    ("unicode", "is in another script", "\u6f22 e\u0301"),
    ("empty", "is empty", ""),
    ("nul", "has a NUL character and line breaks", "a\x00b\n"),
    ("long", "has 5,000 characters", "c" * 5_000),
)


def operation_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    yield from _checkpoints()
    yield from _last()
    yield from _kinds()
    yield from _spawns()
    yield from _guarded()
    yield from _breakers()
    yield from _without_state()


def _kept(name: str, title: str, story: Story, files: Mapping[str, FileSpec] | None = None) -> Scenario:
    return scenario(f"checkpoint-{name}", title, KEPT, story, files=files)


def _checkpoints() -> Iterator[Scenario]:
    for word, what, state in STATES:
        yield _kept(f"state-{word}", f"The state that is checkpointed has {what}.",
                    calm().checkpoint(state).lose_context().restart().lose_context())  # fmt: skip
    for word, what, name in NAMES:
        yield _kept(f"name-{word}", f"The name of a checkpoint, and of an operation, {what}.",
                    calm().checkpoint(name=name).lose_context().begin(name=name + "-2").lose_context())  # fmt: skip


def _last() -> Iterator[Scenario]:
    yield scenario("checkpoint-none", "The context is lost before there is a checkpoint.", ("RC-01", "SYS-02"),
                   calm().lose_context().lose_context(1))  # fmt: skip
    story = calm().checkpoint().checkpoint().lose_context()
    for _ in range(10):
        story.checkpoint().later(60)
    yield _kept("many", "Of two and of twelve checkpoints the last one counts.", story.lose_context())
    story = calm().checkpoint().lose_context()
    for by_s in (-0.000001, -3600.0, -365 * 86400.0):
        story.later(by_s).checkpoint().lose_context().restart().lose_context()
    yield _kept("clock-back", "The clock goes back an instant, an hour and a year between checkpoints.", story)
    story = calm().checkpoint().checkpoint(process=1).lose_context().lose_context(2).checkpoint().lose_context(1)
    yield _kept("processes", "Three processes make and ask for checkpoints.", story)
    story = calm().checkpoint().restart().lose_context().checkpoint().restart().lose_context()
    yield _kept("restarts", "The process ends after each checkpoint.", story)
    story = calm().checkpoint().together(checkpointed("one"), checkpointed("other")).lose_context().checkpoint()
    yield _kept("at-once", "Two processes make checkpoints at once: one of them is the last.", story.lose_context())
    many = calm().together(*(checkpointed(f"c{number}") for number in range(8))).lose_context().checkpoint()
    yield _kept("eight-at-once", "Eight processes make checkpoints at once.", many.lose_context())


def _kinds() -> Iterator[Scenario]:
    for kind in ("major", "spawn"):
        story = calm().begin(kind).begin(kind, process=1).lose_context(2).checkpoint().begin(kind).lose_context()
        yield scenario(f"begin-{kind}", f"Before a {kind} operation its state is checkpointed.", KEPT,
                       story.begin(kind, state={}).restart().lose_context())  # fmt: skip
    story = calm().checkpoint().begin("minor").lose_context().begin("minor").lose_context()
    yield scenario("begin-minor", "A minor operation needs no checkpoint, and harms none.", KEPT, story)
    story = calm().begin("major", state={"a": {"b": [None]}}).begin("minor").begin("spawn").lose_context().turn()
    yield scenario("begin-each", "Operations of every kind, one after the other.", (*KEPT, "GEN-01"), story)


def _spawns() -> Iterator[Scenario]:
    grid = {
        "one": ((1, 0), (1, 1), (1, 5)), "two": ((2, 2), (2, 0), (2, 3)), "two-in-one": ((2, 1), (2, 2)),
        "three": ((3, 3), (3, 0), (3, 1)), "three-in-two": ((3, 2), (3, 3)), "five": ((5, 5), (5, 0), (5, 9), (5, 3)),
        "five-in-four": ((5, 4), (5, 5)), "fifty": ((50, 50), (50, 0), (50, 49)),
    }  # fmt: skip
    for word, pairs in grid.items():
        story = calm().spawn(2, 0).lose_context()
        for agents, worktrees in pairs:
            story.spawn(agents, worktrees).lose_context()
        tried = ", then ".join(f"{agents} in {worktrees} worktrees" for agents, worktrees in pairs)
        yield scenario(f"spawn-{word}", f"Agents are to implement: {tried}.", ("SYS-01", *KEPT), story)
    story = calm()
    for agents, worktrees in ((1, 0), (2, 0), (3, 1), (5, 5)):
        story.spawn(agents, worktrees, implementing=False)
    yield scenario("spawn-readers", "Agents that only read need no worktrees.", ("SYS-01", *KEPT),
                   story.spawn(2, 0).lose_context())  # fmt: skip
    story = calm().spawn(2, 0).spawn(1, 0).spawn(2, 2).begin("major", agents=3).spawn(3, 0, implementing=False)
    yield scenario("spawn-each", "Spawns of every sort, one after the other.", ("SYS-01", *KEPT), story.lose_context())


def _guard(name: str, title: str, story: Story) -> Scenario:
    return scenario(f"guarded-{name}", title, ("SYS-02", "SYS-05"), story)


def _guarded() -> Iterator[Scenario]:
    for kind in ("major", "minor", "spawn"):
        story = calm().begin(kind, breaker=OPEN).begin(kind, breaker=CLOSED).begin(kind).begin(kind, breaker=OPEN)
        yield _guard(kind, f"A {kind} operation, guarded by breakers that are open and closed, and by none.", story)
    for word, ats in (("before", (100.0, LEFT_S - 1, LEFT_S - 0.001)), ("after", (LEFT_S, LEFT_S + 0.001, 86400.0))):
        story = calm().begin("minor", breaker=OPEN)
        for at_s in ats:
            story.at(at_s).begin("minor", breaker=OPEN).begin("minor", breaker=CLOSED)
        yield _guard(f"{word}-the-end", f"An open breaker is asked {word} the end of its cooldown.", story)
    story = calm().begin("minor", breaker=OPEN).at(LEFT_S + 10).begin("minor", breaker=OPEN).at(50)
    yield _guard("clock-back", "The clock goes on past the cooldown, and back.", story.begin("minor", breaker=OPEN))
    story = calm().begin("minor", breaker=HALF_OPEN).begin("minor", breaker=OPEN).begin("minor", breaker=CLOSED)
    yield _guard("each", "Operations guarded by a breaker in each state.", story)
    story = calm().begin("minor", breaker="api/nobody").begin("minor", breaker=OPEN).begin("minor", breaker="")
    yield _guard("unknown", "Breakers that nobody has used.", story)
    story = calm().begin("minor", breaker=OPEN).restart().begin("minor", breaker=OPEN, process=1)
    yield _guard("processes", "Every process obeys.", story.begin("minor", breaker=OPEN).begin("minor", breaker=CLOSED))
    story = calm().later(73 * YEAR_S).begin("minor", breaker=OPEN).limit(OPEN).begin("minor", breaker=CLOSED)
    yield scenario("guarded-in-2099", "A cooldown ends after 2038.", _GUARDED, story.begin("minor", breaker=OPEN),
                   files={BREAKERS_PATH: as_json({OPEN: breaker(cooldown_until="2099-03-01T00:00:00Z")})})  # fmt: skip
    story = calm().spawn(3, 0, breaker=OPEN).spawn(3, 3, breaker=OPEN).spawn(3, 0, breaker=CLOSED)
    yield scenario("guarded-spawn-not-isolated", "Agents without worktrees, guarded by an open breaker, and without.",
                   ("SYS-01", "SYS-02", "SYS-05"), story.spawn(3, 3, breaker=CLOSED))  # fmt: skip


_GUARDED = ("RC-02", "SYS-02", "SYS-05")
_UNTOLD = ("RC-02", "SYS-02")  # where what a breaker says is not told, an operation may begin or not
SHAPES: tuple[tuple[str, str, tuple[str, ...], FileSpec], ...] = (
    ("offset", "a time with an offset", _GUARDED, as_json({OPEN: breaker(cooldown_until="2026-03-01T14:03:20+02:00")})),
    ("fraction", "a time with a fraction", _GUARDED,
     as_json({OPEN: breaker(cooldown_until="2026-03-01T12:03:20.500000Z")})),
    ("far", "a cooldown that ends in a year", _GUARDED,
     as_json({OPEN: breaker(cooldown_until="2027-03-01T12:00:00Z")})),
    ("extra", "a breaker with fields of its own", _GUARDED, as_json({OPEN: breaker(note=[None], last_error="429")})),
    ("neighbour", "neighbours that are no breakers", _GUARDED, as_json({"x": 3, OPEN: breaker(), "y": None})),
    ("no-time", "no time at all", _UNTOLD, as_json({OPEN: breaker(cooldown_until=None)})),
    ("odd-time", "a number for the time", _UNTOLD, as_json({OPEN: breaker(cooldown_until=1772366600)})),
    ("odd-state", "a state that is none", _UNTOLD, as_json({OPEN: breaker(state="BROKEN")})),
    ("nothing", "no bytes", _UNTOLD, FileSpec(text="")),
    ("truncated", "half of an object", _UNTOLD, FileSpec(text='{"api/openai": {"state": "OPEN"')),
    ("list", "a list", _UNTOLD, as_json([breaker()])),
)  # fmt: skip


def _breakers() -> Iterator[Scenario]:
    for word, what, clauses, file in SHAPES:
        story = calm().begin("minor", breaker=OPEN).limit(OPEN).begin("minor").limit(OPEN, failing_tries=2)
        yield scenario(f"breakers-{word}", f"circuit-breakers.json has {what}.", clauses, story,
                       files={BREAKERS_PATH: file})  # fmt: skip
    story = calm().begin("minor", breaker=OPEN).begin("major", breaker=CLOSED).limit(OPEN).limit(CLOSED)
    yield scenario("breakers-missing", "circuit-breakers.json is not there.", _GUARDED, story,
                   files={BREAKERS_PATH: FileSpec(kind="absent")})  # fmt: skip


def _without_state() -> Iterator[Scenario]:
    gone = {path: FileSpec(kind="absent") for path in (BREAKERS_PATH, ORCHESTRATOR_PATH)}
    story = calm().turn().lose_context().checkpoint().lose_context().begin("major").lose_context().turn()
    yield _kept("without-state", "There is no .loki/state when the session begins.", story, gone)
    for word, text in (
        ("torn", '{"name": "c1", "sta'),
        ("list", "[]"),
        ("nothing", ""),
        ("no-state", '{"name": "c1"}'),
    ):
        story = calm().turn().checkpoint().lose_context().begin("major").restart().lose_context()
        yield _kept(f"beside-{word}", f"Another left a checkpoint that is none: {word.replace('-', ' ')}.", story,
                    {CHECKPOINT_PATH: FileSpec(text=text)})  # fmt: skip
