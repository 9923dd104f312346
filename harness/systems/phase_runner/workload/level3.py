"""Level L3: one operation struck at every file call, or several in every order, and what comes after in calm weather.

What was complete stays complete and is not run again; the run is resumed and comes to its end, with the same statuses
as one that nothing struck, wherever an operation was cut off.
"""

from collections.abc import Iterator, Sequence

from harness.core.scenario import ExploreKind, Scenario
from harness.systems.phase_runner.contract.words import FailureType
from harness.systems.phase_runner.workload.legs import DAMAGES, REMOVES, RETRIES, WHOLE
from harness.systems.phase_runner.workload.phase_steps import Story, calm, reported, scenario, started, verified
from harness.systems.phase_runner.workload.plans import CHAIN, ONE, PAIR, Plan
from harness.systems.phase_runner.workload.results import claimed, failed, lines
from harness.systems.tours import told

CALLS: tuple[ExploreKind, ...] = ("errno", "killed", "torn")
STATES: tuple[ExploreKind, ...] = (*CALLS, "power")
ORDERS: tuple[ExploreKind, ...] = ("schedule",)
LOOKED = ("STA-04", "STA-05")


def level3() -> Iterator[Scenario]:
    """The enumerated scenarios of the level, in a fixed order."""
    yield from _starts()
    yield from _attempts()
    yield from _batches()
    yield from _ends()
    yield from _looks()
    yield from _everything()
    yield from _orders()


def _calls(name: str, title: str, clauses: Sequence[str], story: Story) -> Scenario:
    return scenario(f"l3-{name}", title, clauses, story, level="L3")


def _resumed(story: Story, plan: Plan) -> Story:
    """What comes after: it is resumed, whatever is left comes to its end, and it is resumed once more."""
    return story.look(plan).start(plan).look(plan).finish(plan).look(plan).start(plan).look(plan)


def _starts() -> Iterator[Scenario]:
    story = _resumed(calm().explore(*STATES).start(CHAIN), CHAIN)
    yield _calls("start-first", "The first start is struck at every call, then done again.", LOOKED, story)
    story = _resumed(calm().start(PAIR).complete("1a").fail_twice("1b").explore(*STATES).resume(PAIR), PAIR)
    yield _calls("start-resume", "The resume of a halted run is struck.", (*LOOKED, "RES-02"), story)
    story = calm().start(CHAIN).complete("0").complete("1").explore(*STATES).fresh(ONE).look(CHAIN).fresh(ONE)
    yield _calls("start-fresh", "A fresh start is struck over the state of a run; it is done again.",
                 (*LOOKED, "FRS-01"), story.look(CHAIN).complete("0").look(ONE))  # fmt: skip
    story = calm().start(CHAIN).complete("0").explore(*CALLS).fresh("").look(CHAIN)
    yield _calls("start-refused", "A start is struck whose plan is none.", (*LOOKED, "NRT-05"), story.fresh("").look())


def _attempts() -> Iterator[Scenario]:
    begun = "CLS-01"
    story = _resumed(calm().start(CHAIN).complete("0").explore(*STATES).claim("1"), CHAIN)
    yield _calls("claim", "A claim is struck.", (*LOOKED, "RES-02", "RES-04"), story)
    story = _resumed(calm().start(CHAIN).complete("0").explore(*STATES).fail("1"), CHAIN)
    yield _calls("first-failure", "The failure of a first attempt is struck, before its retry.",
                 (*LOOKED, "RES-02", "RES-04"), story)  # fmt: skip
    story = _resumed(calm().start(CHAIN).complete("0").fail("1").explore(*STATES).fail("1", attempt=2), CHAIN)
    yield _calls("last-failure", "The failure of a second attempt is struck: it halts.",
                 (*LOOKED, begun, "RES-02"), story)  # fmt: skip
    story = calm().start(CHAIN).complete("0").claim("1").explore(*STATES).verify("1")
    yield _calls("verified", "A verification that passes is struck.", (*LOOKED, "RES-02"), _resumed(story, CHAIN))
    story = calm().start(CHAIN).fail("0").claim("0", attempt=2).explore(*STATES).verify("0", attempt=2)
    yield _calls("verified-retry", "The verification of a retry is struck.", (*LOOKED, begun, "RTY-02"),
                 _resumed(story, CHAIN))  # fmt: skip
    story = calm().start(CHAIN).claim("0").explore(*CALLS).mismatch("0")
    yield _calls("mismatch", "A verification that fails is struck.", LOOKED, _resumed(story, CHAIN))
    story = _resumed(calm().start(CHAIN).explore(*CALLS).fail("0", FailureType.TIMEOUT), CHAIN)
    yield _calls("timeout", "A report of no answer is struck.", LOOKED, story)


def _batches() -> Iterator[Scenario]:
    story = _resumed(calm().start(PAIR).fail("1a").claim("1b").explore(*STATES).verify("1b"), PAIR)
    yield _calls("last-sibling", "What ends a batch is struck, before the retry of another.", LOOKED, story)
    missing = FailureType.DEPENDENCY_MISSING
    story = _resumed(calm().start(PAIR).complete("1b").explore(*CALLS).fail("1a", missing), PAIR)
    yield _calls("missing", "The report of a missing package is struck: it halts.", (*LOOKED, "RES-02"), story)
    story = calm().start(PAIR).claim("1a", modified=lines("a.ts", (1, 5))).claim("1b", modified=lines("a.ts", (2, 6)))
    story = _resumed(story.verify("1a").explore(*CALLS).verify("1b"), PAIR)
    yield _calls("conflict", "What shows a conflict is struck: it halts.", LOOKED, story)


def _ends() -> Iterator[Scenario]:
    for mode in ("auto", "message-only", "single"):
        story = calm().start(ONE, commit_mode=mode).claim("0").explore(*STATES).verify("0").look(ONE)
        yield _calls(f"end-{mode}", f"The end of a run is struck whose commits are {mode}.", LOOKED,
                     story.start(ONE, commit_mode=mode).look(ONE).complete_either("0").look(ONE))  # fmt: skip


def _looks() -> Iterator[Scenario]:
    story = calm().start(CHAIN).complete("0").fail_twice("1").explore("errno", "killed").look(CHAIN).look(CHAIN)
    yield _calls("status", "A question is struck: nothing changes by it.", (*LOOKED, "HLT-04", "RES-02"),
                 _resumed(story, CHAIN))  # fmt: skip


def _everything() -> Iterator[Scenario]:
    """A start, or a report, dies at each of its calls, and after that every clause is seen once more."""
    story = calm().start(CHAIN).complete("0").explore("killed").fresh(CHAIN)
    clauses = told(story, (*WHOLE, DAMAGES, REMOVES))
    yield _calls("everything-after-start", "A fresh start is killed at each call; then everything is asked for.",
                 clauses, story.look())  # fmt: skip
    story = calm().start(CHAIN).explore("killed").fail("0")
    clauses = told(story, (RETRIES, DAMAGES, REMOVES))
    yield _calls("everything-after-report", "A report is killed; then runs begin fresh and are resumed.", clauses,
                 story.look())  # fmt: skip


def _orders() -> Iterator[Scenario]:
    """Operations at once, each by a process of its own, their calls in every order."""
    both = (reported("1a", claimed("1a")), reported("1b", claimed("1b")))
    yield _calls("order-claims", "Two processes report claims at once, in every order.", LOOKED,
                 _resumed(calm().start(PAIR).explore(*ORDERS).together(*both), PAIR))  # fmt: skip
    failing = (reported("1a", failed()), reported("1b", claimed("1b")))
    yield _calls("order-failure-and-claim", "Two processes report at once, one a failure, in every order.", LOOKED,
                 _resumed(calm().start(PAIR).explore(*ORDERS).together(*failing), PAIR))  # fmt: skip
    same = (reported("0", failed()), reported("0", failed()))
    story = _resumed(calm().start(CHAIN).explore(*ORDERS).together(*same), CHAIN).fresh(ONE).fail_twice("0")
    yield _calls("order-same-failure", "Two processes report one failure at once, in every order.",
                 (*LOOKED, "RTY-01", "RTY-03"), story.look(ONE))  # fmt: skip
    ended = (verified("1a"), verified("1b"))
    yield _calls("order-verified", "Two verifications end at once, in every order.", LOOKED,
                 _resumed(calm().start(PAIR).claim("1a", "1b").explore(*ORDERS).together(*ended), PAIR))  # fmt: skip
    starting = (started(CHAIN), started(CHAIN))
    yield _calls("order-starts", "Two processes start at once, in every order.", LOOKED,
                 _resumed(calm().explore(*ORDERS).together(*starting), CHAIN))  # fmt: skip
