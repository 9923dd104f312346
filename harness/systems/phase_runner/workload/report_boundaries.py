"""Reports that nobody awaits: unknown, never launched, twice, late, early, at once; and odd names. Level L1."""

from collections.abc import Iterator

from harness.core.scenario import Scenario
from harness.systems.phase_runner.contract.words import Gate
from harness.systems.phase_runner.workload.phase_steps import Story, asked, calm, reported, scenario, verified
from harness.systems.phase_runner.workload.plans import CHAIN, EXAMPLE, ONE, PAIR, Phase, Plan, batch
from harness.systems.phase_runner.workload.results import BROKEN, claimed, failed, gates

LOOKED = ("STA-04", "STA-05")
RETRIED = (*LOOKED, "CLS-01", "RTY-02", "STA-01")


def report_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    yield from _not_awaited()
    yield from _twice()
    yield from _attempts()
    yield from _early_and_late()
    yield from _at_once()
    yield from _names()
    yield from _time()


def _begun() -> Story:
    return calm().start(CHAIN).complete("0")


def _not_awaited() -> Iterator[Scenario]:
    for word, what, phase_id in (
        ("unknown", "nobody knows", "99"), ("not-launched", "was not launched yet", "2"),
        ("complete", "is complete", "0"), ("empty", "has no id", ""), ("path", "is a path", "../phases/phase-0"),
        ("record", "is the name of a file", "phase-1.json"),
    ):  # fmt: skip
        story = (
            _begun().complete(phase_id).fail(phase_id).verify(phase_id).look(CHAIN, *filter(str.isalnum, [phase_id]))
        )
        yield scenario(f"report-{word}", f"A phase is reported that {what}.", LOOKED,
                       story.complete("1").complete("2").look(CHAIN))  # fmt: skip
    story = calm().complete("0").verify("0").look().look(CHAIN).start(CHAIN).verify("0").look(CHAIN)
    yield scenario("report-no-run", "A phase is reported before there is a run.", LOOKED, story.run(CHAIN).look(CHAIN))
    story = calm().start(CHAIN).run(CHAIN).look(CHAIN)
    for phase_id in (*CHAIN.ids, "99"):
        story.claim(phase_id).fail(phase_id).verify(phase_id).mismatch(phase_id)
    yield scenario("report-after-completion", "Everything is reported after the run is complete.", LOOKED,
                   story.look(CHAIN))  # fmt: skip
    story = calm().look(ONE, "99").start(ONE).do(asked(("0", "99", "0"))).look().complete("0").look()
    yield scenario("status-unknown", "Somebody asks for phases that nobody knows, and for one twice.", LOOKED,
                   story.look(ONE))  # fmt: skip


def _twice() -> Iterator[Scenario]:
    story = calm().start(CHAIN).claim("0").claim("0").look(CHAIN).verify("0").verify("0").look(CHAIN)
    yield scenario("twice-claim", "A claim comes twice, and its verification.", LOOKED,
                   story.complete("1").complete("2").look(CHAIN))  # fmt: skip
    story = calm().start(CHAIN).fail("0").fail("0").look(CHAIN).complete("0", attempt=2).look(CHAIN)
    yield scenario("twice-failure", "The failure of a first attempt is told twice: there is one retry.",
                   (*RETRIED, "STA-02"), story.complete("1").complete("2").look(CHAIN))  # fmt: skip
    story = calm().start(CHAIN).fail_twice("0").fail("0", attempt=2).fail("0").look(CHAIN)
    yield scenario("twice-last-failure", "The failure of a second attempt is told twice.",
                   (*RETRIED, "RTY-01", "RTY-03", "STA-03"), story.resume(CHAIN).complete("0").look(CHAIN))  # fmt: skip
    story = calm().start(CHAIN).claim("0").fail("0").look(CHAIN).verify("0").look(CHAIN).finish(CHAIN)
    yield scenario("twice-claim-then-failure", "A sub-agent claims success, and then says that it failed.", LOOKED,
                   story.look(CHAIN))  # fmt: skip
    story = calm().start(CHAIN).fail("0").claim("0").verify("0").look(CHAIN).complete("0", attempt=2).look(CHAIN)
    yield scenario("twice-failure-then-claim", "A sub-agent fails, and then claims success.", (*RETRIED, "STA-02"),
                   story.complete("1").look(CHAIN))  # fmt: skip
    story = calm().start(CHAIN).claim("0").mismatch("0").verify("0").look(CHAIN).complete("0", attempt=2).look(CHAIN)
    yield scenario("twice-verified", "A verification fails, and then passes.", (*RETRIED, "ERR-05", "STA-02"), story)
    story = calm().start(CHAIN).claim("0").verify("0").mismatch("0").look(CHAIN).complete("1").complete("2")
    yield scenario("twice-verified-then-not", "A verification passes, and then fails.", LOOKED, story.look(CHAIN))


def _attempts() -> Iterator[Scenario]:
    for word, attempt in (("zero", 0), ("two", 2), ("three", 3), ("negative", -1), ("huge", 2**40)):
        story = calm().start(CHAIN).complete("0", attempt=attempt).fail("0", attempt=attempt).look(CHAIN)
        yield scenario(f"attempt-{word}", f"An attempt is reported that was never made: {attempt}.", LOOKED,
                       story.complete("0").look(CHAIN).complete("1").complete("2").look(CHAIN))  # fmt: skip
    story = calm().start(CHAIN).fail("0").complete("0").complete("0", attempt=3).look(CHAIN).complete("0", attempt=2)
    yield scenario("attempt-of-a-retry", "While a retry runs the first attempt is reported, and a third.",
                   (*RETRIED, "STA-02"), story.look(CHAIN))  # fmt: skip
    story = calm().start(CHAIN).claim("0").verify("0", attempt=2).look(CHAIN).verify("0").look(CHAIN)
    yield scenario("attempt-verified", "The verification of another attempt ends.", LOOKED, story.complete("1"))


def _early_and_late() -> Iterator[Scenario]:
    story = calm().start(CHAIN).verify("0").mismatch("0").look(CHAIN).complete("0").look(CHAIN)
    yield scenario("early-verified", "A verification ends before anything was claimed.", LOOKED,
                   story.complete("1").complete("2").look(CHAIN))  # fmt: skip
    story = calm().start(CHAIN).fail("0").verify("0").verify("0", attempt=2).look(CHAIN).complete("0", attempt=2)
    yield scenario("early-verified-failure", "A verification ends of what was never claimed.", (*RETRIED, "STA-02"),
                   story.look(CHAIN))  # fmt: skip
    story = calm().start(CHAIN).complete("2").complete("1").complete("0").look(CHAIN).complete("2").complete("1")
    yield scenario("backwards", "Phases are reported in the reverse order, twice.", LOOKED,
                   story.look(CHAIN).complete("2").look(CHAIN))  # fmt: skip
    story = calm().start(PAIR).claim("1a").verify("1b").claim("1b").verify("1b", "1a").look(PAIR).complete("2")
    yield scenario("crossed", "The verification of one comes for the other.", LOOKED, story.look(PAIR))
    story = calm().start(EXAMPLE).complete("0").complete("1").fail("2a").complete("2a", attempt=2).look(EXAMPLE)
    story.complete("2b", "2c").look(EXAMPLE).complete("2a", attempt=2).complete("3")
    yield scenario("early-retry", "A retry is reported that has to wait for siblings.",
                   (*RETRIED, "PAR-01", "PAR-02", "RTY-07"), story.look(EXAMPLE))  # fmt: skip


def _at_once() -> Iterator[Scenario]:
    eight = batch(8)
    members = eight.ids[1:-1]
    story = calm().start(PAIR).together(reported("1a", claimed("1a")), reported("1b", claimed("1b"))).look(PAIR)
    yield scenario("at-once-two", "Two processes report at once.", LOOKED,
                   story.resume(PAIR).finish(PAIR).look(PAIR))  # fmt: skip
    story = calm().start(EXAMPLE).complete("0").complete("1")
    story.together(reported("2a", failed()), reported("2b", claimed("2b")), reported("2c", claimed("2c")))
    yield scenario("at-once-three", "Three processes report at once, one of them a failure.", LOOKED,
                   story.look(EXAMPLE).resume(EXAMPLE).finish(EXAMPLE).look(EXAMPLE))  # fmt: skip
    story = calm().start(eight).complete("0").together(*(reported(each, claimed(each)) for each in members)).look(eight)
    yield scenario("at-once-eight", "Eight processes report at once.", LOOKED,
                   story.resume(eight).finish(eight).look(eight))  # fmt: skip
    story = calm().start(CHAIN).together(reported("0", failed()), reported("0", failed())).look(CHAIN)
    yield scenario("at-once-same", "Two processes report the same failure at once.", LOOKED,
                   story.resume(CHAIN).finish(CHAIN).look(CHAIN))  # fmt: skip
    broken = gates(test=BROKEN[Gate.TEST])
    story = calm().start(CHAIN).claim("0").together(verified("0"), verified("0", found=broken)).look(CHAIN)
    yield scenario("at-once-both-ways", "A verification passes and fails at once.", LOOKED,
                   story.resume(CHAIN).finish(CHAIN).look(CHAIN))  # fmt: skip


def _names() -> Iterator[Scenario]:
    for word, phase_id in (("upper-case", "2A"), ("with-the-word", "Phase 2a"), ("with-marks", "2-a")):
        plan = Plan(Phase("Phase 2A", "Backend"), Phase("3", "End", ("2A",)))
        story = calm().start(plan).complete(phase_id).look(plan).complete("2a").complete("3").look(plan)
        yield scenario(f"spelt-{word}", "A report spells the id as a person does.", LOOKED, story)
    plan = Plan(Phase("0", "x" * 5_000), Phase("1", "| \\ ` $(x) \u6f22", ("0",)))
    story = calm().start(plan).look(plan).complete("0").fail_twice("1").look(plan)
    yield scenario("long-names", "Names of phases are long, and odd; the run halts.", (*RETRIED, "HLT-03", "RTY-03"),
                   story.resume(plan).complete("1").look(plan))  # fmt: skip


def _time() -> Iterator[Scenario]:
    for word, by_s in (("back", -3600.0), ("forward", 86_400.0), ("far", 4e8), ("instant", -0.000001)):
        story = calm().start(CHAIN).later(by_s).complete("0").later(by_s).fail("1").look(CHAIN).later(by_s)
        story.complete("1", attempt=2).look(CHAIN).later(by_s).fail_twice("2").later(by_s).resume(CHAIN).look(CHAIN)
        yield scenario(f"clock-{word}", f"Between reports the clock moves by {by_s:g} seconds.",
                       (*RETRIED, "RES-01", "RES-02", "RTY-03", "STA-02"), story.complete("2").look(CHAIN))  # fmt: skip
