"""Phases that run together: who waits for whom, which are retried, and files that several changed. Level L1."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.core.scenario import Scenario
from harness.systems.phase_runner.contract.words import RETRYABLE, FailureType
from harness.systems.phase_runner.workload.phase_steps import Story, calm, scenario, verified
from harness.systems.phase_runner.workload.plans import EXAMPLE, PAIR, Phase, Plan, batch
from harness.systems.phase_runner.workload.results import changes, claimed, lines

WAITED = ("CLS-01", "PAR-01", "RTY-02", "RTY-05", "STA-01")
SPARED = ("PAR-02", "RTY-07", "STA-02", "STA-04")
SEVERAL = ("PAR-03", "RTY-02", "STA-01")
LOOKED = ("STA-04", "STA-05")
SIDES = ("1a", "1b")
_FIRST, _SECOND = SIDES
_EIGHT = batch(8)
_OF_EIGHT = _EIGHT.ids[1:-1]
_MISMATCH = FailureType.VERIFICATION_MISMATCH


def batch_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    yield from _waiting()
    yield from _several()
    yield from _retries_end()
    yield from _orders()
    yield from _conflicts()
    yield from _no_conflicts()
    yield from _odd_conflicts()


def _pair() -> Story:
    return calm().start(PAIR)


def _waiting() -> Iterator[Scenario]:
    for kind in sorted(RETRYABLE):
        story = (
            _pair().fail(_FIRST, kind).look(PAIR).complete(_SECOND).look(PAIR).complete(_FIRST, attempt=2).look(PAIR)
        )
        yield scenario(f"waits-{kind.replace('_', '-')}", f"One of two ends in {kind} while the other is running.",
                       (*WAITED, *SPARED), story.complete("2").look(PAIR))  # fmt: skip
    story = _pair().claim(_SECOND).fail(_FIRST).look(PAIR).verify(_SECOND).look(PAIR).complete(_FIRST, attempt=2)
    yield scenario("waits-for-verification", "One of two fails while what the other claims is being verified.",
                   ("CLS-01", *SPARED), story.look(PAIR).complete("2").look(PAIR))  # fmt: skip
    story = _pair().complete(_SECOND).fail(_FIRST).look(PAIR).complete(_FIRST, attempt=2).look(PAIR)
    yield scenario("waits-for-nobody", "One of two fails after the other is complete.", ("CLS-01", *SPARED),
                   story.complete("2").look(PAIR))  # fmt: skip
    story = calm().start(_EIGHT).complete("0").fail("10")
    for phase_id in _OF_EIGHT[1:]:
        story.complete(phase_id)
    yield scenario("waits-for-seven", "The first of eight fails while seven are running.", (*WAITED, *SPARED),
                   story.look(_EIGHT).complete("10", attempt=2).complete("2").look(_EIGHT))  # fmt: skip
    story = calm().start(EXAMPLE).complete("0").complete("1").fail("2a").look(EXAMPLE).complete("2c").look(EXAMPLE)
    story.complete("2b").look(EXAMPLE).complete("2a", attempt=2).look(EXAMPLE).complete("3")
    yield scenario("waits-document", "The document's batch: one failed, one is running, one is complete.",
                   (*WAITED, *SPARED), story.look(EXAMPLE))  # fmt: skip
    for mode in ("message-only", "single"):
        story = calm().start(PAIR, commit_mode=mode).fail(_FIRST).complete(_SECOND).look(PAIR)
        story.complete(_FIRST, attempt=2).look(PAIR).complete("2").look(PAIR)
        yield scenario(f"waits-{mode}", f"One of two is retried; commits are {mode}.", (*WAITED, *SPARED), story)
    story = calm().start(_EIGHT).complete("0").complete(*_OF_EIGHT[::-1]).look(_EIGHT).complete("2").look(_EIGHT)
    yield scenario("nobody-fails", "Eight succeed, the last one first.", ("STA-04", "STA-05"), story)


def _failing(kinds: Mapping[str, FailureType], attempt: int = 1) -> Story:
    """Those of the document's batch fail with these types, in their order; it was reached in calm weather."""
    story = calm().start(EXAMPLE).complete("0").complete("1")
    for phase_id, kind in kinds.items():
        story.fail(phase_id, kind, attempt)
    return story


def _several() -> Iterator[Scenario]:
    tests, lint = FailureType.TEST_FAILURE, FailureType.LINT_ERROR
    story = _failing({"2a": tests, "2b": lint}).complete("2c").look(EXAMPLE).claim("2a", "2b", attempt=2)
    story.verify("2a", "2b", attempt=2).look(EXAMPLE).complete("3").look(EXAMPLE)
    yield scenario("several-two-of-three", "Two of three fail; both are retried, and succeed.",
                   (*WAITED, *SEVERAL, *SPARED), story)  # fmt: skip
    story = _failing({"2c": tests}).complete("2b").fail("2a", FailureType.TIMEOUT).look(EXAMPLE)
    story.claim("2a", attempt=2).complete("2c", attempt=2).verify("2a", attempt=2).look(EXAMPLE).complete("3")
    yield scenario("several-first-and-last", "Two of three fail, with a success between them.",
                   (*WAITED, *SEVERAL, *SPARED), story.look(EXAMPLE))  # fmt: skip
    story = _failing({"2b": tests, "2c": FailureType.PARSE_ERROR, "2a": lint}).look(EXAMPLE)
    story.complete("2c", "2a", "2b", attempt=2).look(EXAMPLE).complete("3").look(EXAMPLE)
    yield scenario("several-three-of-three", "All three fail; all are retried.", (*SEVERAL, "PAR-01", "STA-02"), story)
    story = _pair().claim(*SIDES).mismatch(_FIRST).mismatch(_SECOND).look(PAIR).complete(*SIDES, attempt=2)
    yield scenario("several-claims", "What both claim is not found.", (*SEVERAL, "ERR-05", "STA-02"),
                   story.look(PAIR).complete("2").look(PAIR))  # fmt: skip
    story = calm().start(_EIGHT).complete("0")
    for phase_id in _OF_EIGHT:
        story.fail(phase_id)
    story.look(_EIGHT).complete(*_OF_EIGHT, attempt=2).complete("2")
    yield scenario("several-eight-of-eight", "All eight fail; all are retried.", (*SEVERAL, "PAR-01", "STA-02"),
                   story.look(_EIGHT))  # fmt: skip


_HALTED = ("HLT-03", "HLT-04", "HLT-05", "RTY-01", "RTY-03", "STA-03", "STA-04")


def _retries_end() -> Iterator[Scenario]:
    both = {"2a": FailureType.TEST_FAILURE, "2b": FailureType.LINT_ERROR}
    for word, what, bad, good in (
        ("second", "the second retry fails after the first succeeded", "2b", "2a"),
        ("first", "the first retry fails, the second succeeds", "2a", "2b"),
    ):
        story = _failing(both).complete("2c").complete(good, attempt=2).fail(bad, attempt=2).look(EXAMPLE)
        yield scenario(f"retries-{word}-fails", f"Of two retries {what}.", (*_HALTED, *SEVERAL, "PAR-02", "PAR-04"),
                       story.resume(EXAMPLE).look(EXAMPLE).complete(bad).complete("3").look(EXAMPLE))  # fmt: skip
    story = _failing(both).complete("2c").fail("2a", attempt=2).look(EXAMPLE).complete("2b", attempt=2).look(EXAMPLE)
    yield scenario("retries-fails-while-other-runs", "A retry fails while the other is running, which then succeeds.",
                   ("CLS-01", "HLT-01", "HLT-02", "HLT-03", *SEVERAL),
                   story.resume(EXAMPLE).complete_either("2a", "2b").complete("3").look(EXAMPLE))  # fmt: skip
    story = _failing(both).complete("2c").fail("2a", attempt=2).fail("2b", attempt=2).look(EXAMPLE)
    yield scenario("retries-all-fail", "Both retries fail.", (*_HALTED, *SEVERAL, "HLT-01", "HLT-02", "PAR-02"),
                   story.resume(EXAMPLE).complete("2b", "2a").complete("3").look(EXAMPLE))  # fmt: skip
    story = _failing({"2a": FailureType.TEST_FAILURE}).complete("2b", "2c").fail("2a", attempt=2).look(EXAMPLE)
    yield scenario("retries-only-one-fails", "The one retry fails; its siblings stay complete.",
                   (*_HALTED, "CLS-01", "PAR-02", "RTY-07"),
                   story.resume(EXAMPLE).look(EXAMPLE).complete("2a").complete("3").look(EXAMPLE))  # fmt: skip
    story = _failing({"2a": _MISMATCH, "2b": _MISMATCH}).complete("2c").claim("2a", "2b", attempt=2)
    story.verify("2a", attempt=2).mismatch("2b", 2).look(EXAMPLE).resume(EXAMPLE).complete("2b").complete("3")
    yield scenario("retries-claim", "What one of two retries claims is not found.",
                   (*_HALTED, *SEVERAL, "ERR-05", "ERR-06", "PAR-04"), story.look(EXAMPLE))  # fmt: skip


def _orders() -> Iterator[Scenario]:
    """Reports in every order of two, and at once."""
    steps = {"a-then-b": (_FIRST, _SECOND), "b-then-a": (_SECOND, _FIRST)}
    for word, (one, other) in steps.items():
        story = _pair().claim(one, other).verify(other, one).look(PAIR).complete("2").look(PAIR)
        yield scenario(f"order-{word}-crossed", "Claims come in one order, verifications in the other.",
                       ("STA-04", "STA-05"), story)  # fmt: skip
        story = _pair().complete(one).complete(other).look(PAIR).complete("2").look(PAIR)
        yield scenario(f"order-{word}-whole", "One is verified before the other claims.", ("STA-04", "STA-05"), story)
    story = _pair().claim(*SIDES).together(verified(_FIRST), verified(_SECOND)).look(PAIR).resume(PAIR)
    yield scenario("order-verified-at-once", "Two verifications end at once.", ("STA-04", "STA-05"),
                   story.finish(PAIR).look(PAIR))  # fmt: skip


def _conflict(
    word: str, title: str, one: Mapping[str, Any], other: Mapping[str, Any], clauses: Sequence[str]
) -> Scenario:
    story = _pair().claim(_FIRST, **one).claim(_SECOND, **other).verify(*SIDES).look(PAIR).complete("2").look(PAIR)
    story.resume(PAIR).look(PAIR).complete_either(*SIDES).look(PAIR).fresh(PAIR).complete(*SIDES)
    return scenario(word, title, clauses, story.complete("2").look(PAIR))


_ROUTES = "src/api/routes.ts"
_HALTS = ("CLS-02", "HLT-03", "HLT-05", "NRT-04")
ALIASES: tuple[tuple[str, str, str], ...] = (
    ("same", "as it is", _ROUTES),
    ("dot", "with a dot before it", f"./{_ROUTES}"),
    ("dots", "with dots within it", "src/./api/./routes.ts"),
    ("up-and-down", "by way of another directory", "src/web/../api/routes.ts"),
    ("slashes", "with two slashes", "src//api/routes.ts"),
)
KINDS: tuple[tuple[str, str, str], ...] = (
    ("created", "created", "created"), ("created", "modified", "created-modified"),
    ("modified", "deleted", "modified-deleted"), ("deleted", "deleted", "deleted"),
    ("created", "deleted", "created-deleted"),
)  # fmt: skip


def _conflicts() -> Iterator[Scenario]:
    overlapping = (lines(_ROUTES, (10, 25)), lines(_ROUTES, (15, 30)))
    yield _conflict("conflict-document", "Two change overlapping lines of a file.",
                    {"modified": overlapping[0]}, {"modified": overlapping[1]}, _HALTS)  # fmt: skip
    for word, what, path in ALIASES:
        yield _conflict(f"conflict-{word}", f"Two change a file, which the second names {what}.",
                        {"modified": lines(_ROUTES, (1, 9))}, {"modified": lines(path, (9, 9))}, _HALTS)  # fmt: skip
        yield _conflict(f"conflict-created-{word}", f"Two create a file, which the first names {what}.",
                        {"created": changes("src/a.ts", path)}, {"created": changes(_ROUTES, "src/b.ts")},
                        _HALTS)  # fmt: skip
    for one, other, word in KINDS:
        clauses = _HALTS if (one, other) == ("created", "created") else ("NRT-04",)
        yield _conflict(f"conflict-both-{word}", f"One has {one} a file, the other has {other} it.",
                        {one: changes(_ROUTES)}, {other: changes(_ROUTES)}, clauses)  # fmt: skip
    both = (*lines("a.ts", (1, 2)), *lines("b.ts", (7, 9)))
    yield _conflict("conflict-twice", "Two change two files.", {"modified": both}, {"modified": both[::-1]}, _HALTS)
    for word, what, first, second in (
        ("disjoint", "lines far from each other", (1, 5), (100, 105)), ("adjacent", "neighbours", (1, 5), (6, 9)),
    ):  # fmt: skip
        yield _conflict(f"conflict-{word}", f"Two change {what} of a file.",
                        {"modified": lines(_ROUTES, first)}, {"modified": lines(_ROUTES, second)},
                        ("NRT-04",))  # fmt: skip
    yield _conflict("conflict-lines-unknown", "Two change a file, nobody says where.",
                    {"modified": changes(_ROUTES)}, {"modified": changes(_ROUTES)}, ("NRT-04",))  # fmt: skip
    story = calm().start(EXAMPLE).complete("0").complete("1").claim("2a", modified=lines(_ROUTES, (1, 20)))
    story.claim("2b", modified=lines(_ROUTES, (5, 6), (50, 60))).claim("2c", modified=lines(_ROUTES, (2, 55)))
    yield scenario("conflict-of-three", "Three change a file.", _HALTS,
                   story.verify("2a", "2b", "2c").look(EXAMPLE).complete("3").look(EXAMPLE))  # fmt: skip
    story = calm().start(EXAMPLE).complete("0").complete("1").claim("2a", modified=lines("a.ts", (1, 2)))
    story.claim("2b", modified=[*lines("./a.ts", (2, 3)), *lines("b.ts", (7, 7))]).claim(
        "2c", modified=lines("b.ts", (7, 8))
    )
    yield scenario("conflict-of-two-files", "Three change two files, two each.", _HALTS,
                   story.verify("2a", "2b", "2c").look(EXAMPLE).complete("3").look(EXAMPLE))  # fmt: skip


_SPARED = (*LOOKED, "NRT-04")


def _then_conflict(story: Story) -> Story:
    """Afresh two that run together change one line of a file: what was no conflict before is the control."""
    same = lines(_ROUTES, (1, 9))
    return story.fresh(PAIR).claim(*SIDES, modified=same).verify(*SIDES).look(PAIR)


def _no_conflicts() -> Iterator[Scenario]:
    names = ("routes.ts", "src/routes.ts", "src/api/routes.tsx", "src/api", "api/routes.ts")
    for number, name in enumerate(names, start=1):
        story = _pair().claim(_FIRST, modified=lines(_ROUTES, (1, 9))).claim(_SECOND, modified=lines(name, (1, 9)))
        yield scenario(f"no-conflict-{number}", f"Two change different files, one of them {name}; later the same.",
                       _SPARED, _then_conflict(story.verify(*SIDES).look(PAIR).complete("2").look(PAIR)))  # fmt: skip
    same = lines(_ROUTES, (1, 9))
    plan = Plan(Phase("0", "A"), Phase("1", "B", ("0",)))
    story = calm().start(plan).claim("0", modified=same).verify("0").claim("1", modified=same).verify("1").look(plan)
    yield scenario("no-conflict-in-a-row", "Two that do not run together change one file; later two that do.", _SPARED,
                   _then_conflict(story))  # fmt: skip
    story = _pair().claim(_FIRST).claim(_SECOND).verify(*SIDES).look(PAIR).claim("2", modified=same).verify("2")
    yield scenario("no-conflict-at-all", "Two that run together change files of their own; later the same.", _SPARED,
                   _then_conflict(story.look(PAIR)))  # fmt: skip


def _odd_conflicts() -> Iterator[Scenario]:
    """What is one file on some systems only, and changes of an attempt that failed."""
    for word, what, path in (
        ("case", "in capitals", "SRC/API/ROUTES.TS"), ("backslashes", "with backslashes", "src\\api\\routes.ts"),
        ("absolute", "from the root", "/src/api/routes.ts"), ("outside", "by way of the outside", f"../tree/{_ROUTES}"),
        ("empty", "not at all", ""), ("composed", "with a composed letter", "src/\u00e9.ts"),
    ):  # fmt: skip
        first = "src/e\u0301.ts" if word == "composed" else _ROUTES
        story = _pair().claim(_FIRST, modified=changes(first)).claim(_SECOND, modified=changes(path)).verify(*SIDES)
        story.look(PAIR).complete("2").fresh(PAIR).complete(*SIDES).complete("2")
        yield scenario(f"odd-conflict-{word}", f"Two change a file, which one of them names {what}.",
                       ("FRS-01", "STA-04", "STA-05"), story.look(PAIR))  # fmt: skip
    same: Mapping[str, Any] = {"modified": lines(_ROUTES, (1, 9))}
    story = _pair().fail(_FIRST, **same).claim(_SECOND, **same).verify(_SECOND).look(PAIR).complete(_FIRST, attempt=2)
    yield scenario("odd-conflict-of-a-failure", "The attempt that failed changed what its sibling changed.",
                   ("FRS-01", "STA-04", "STA-05"), story.look(PAIR).complete("2").fresh(PAIR).look(PAIR))  # fmt: skip
    story = _pair().fail(_FIRST).claim(_SECOND, **same).verify(_SECOND).look(PAIR)
    story.report(_FIRST, claimed(_FIRST, **same), 2).verify(_FIRST, attempt=2).look(PAIR).complete("2")
    yield scenario("odd-conflict-of-a-retry", "A retry changes what its sibling changed before.",
                   ("FRS-01", "STA-04", "STA-05"), story.fresh(PAIR).look(PAIR))  # fmt: skip
