"""Canaries: small runs of the harness whose outcome is known, so that a harness that is broken shows.

Each gives the sentence that says what is wrong, "" when all is as it should be. They go the way of any run, from the
scenario files through a process over stdio to the verdict; none looks at how the harness does it.
"""

import itertools
from collections.abc import Callable, Mapping

import msgspec

from harness.certify import corpus
from harness.certify.disguise import disguised
from harness.certify.engine import Engine
from harness.certify.events import RunFinished, RunStarted
from harness.certify.plan import RunPlan
from harness.certify.reach import Reach, served_python
from harness.core.finding import CheckVerdict, Finding
from harness.core.verdict import L1, L2, ClauseVerdict, JudgedScenario, Outcome, roll_up_system
from harness.explore.stateful import search
from harness.qualify import subjects
from harness.qualify.degenerates import refuted
from harness.qualify.mutants import Killed, qualify
from harness.qualify.plays import Plays
from harness.systems import registry
from harness.targets.slots import Slots

CLAUSE = "LK-RL-06"
SYSTEM = "rate_limit"
"""The smallest system: it has mutants that only a fault, a struck call or a torn write shows."""
STATEFUL, RACING, UNENTERED = "fallback", "circuit_breaker", "signals"
JOBS = 2
DAYS = 1000
ENOUGH = 200  # looks at whether to go on, two a scenario: what is to be killed is, in a sound harness, by then
SEARCHED = 40  # cases: the planted defect is met in the first few


def reference_conforms() -> str:
    """The reference reaches L2, by faults that fired and situations that were entered, and in every scenario."""
    started, finished = _run(None, L2)
    result = finished.systems[SYSTEM]
    mine = [each for each in corpus.enumerated(SYSTEM) if each.level <= L2]
    again = disguised(mine, registry.get(SYSTEM).catalogue, mine[0].profile, DAYS)
    count = len(mine) + len(again)
    if started.planned != count or finished.counts["scenarios"] != started.planned:
        return f"{finished.counts['scenarios']} of {count} scenarios were played, {started.planned} planned"
    if finished.outcome is not Outcome.CONFORMANT or result.level != L2:
        return f"the reference is {finished.outcome}, level {result.level}: {finished.message}"
    if not finished.counts["faults"] or not finished.fail_open.confidence:
        return "no fault fired"
    return ""


def mutant_deviates() -> str:
    """A mutant fails its clause and nothing but its clause, and the exit code says so."""
    started, finished = _run("no-retries", L1)
    verdicts = {id_: found.verdict for id_, found in finished.systems[SYSTEM].clauses.items()}
    if (finished.outcome, finished.exit_code) != (Outcome.NONCONFORMANT, 1):
        return f"a mutant is {finished.outcome}, exit code {finished.exit_code}"
    if verdicts[CLAUSE] is not ClauseVerdict.DEVIATES:
        return f"the clause that a mutant breaks {verdicts['LK-RL-06']}"
    return "a mutant has a level" if finished.systems[SYSTEM].level is not None or not started.planned else ""


def digests_tell_apart() -> str:
    """The same run has the same digest, and another verdict has another, by the same implementation's name."""
    first, again = (_run(None, L1)[1].digest for _ in range(2))
    other = _run("no-retries", L1, digest_of=None)[1].digest
    if first != again:
        return "the same run has two digests"
    return "" if first != other else "a mutant's run has the digest of the reference's"


def degenerates_pass_nothing() -> str:
    """Whoever says no to everything, or anything at all, passes no MUST clause, if only for want of a witness."""
    slots = Slots(1)
    # of signals there is a clause that nobody breaks who keeps nothing: its situation is just never entered
    for system, kind in ((UNENTERED, "always-no"), (SYSTEM, "random"), (SYSTEM, "empty")):
        found = refuted(registry.get(system), kind, 0, slots)
        if found.passed:
            return f"{kind} passes {', '.join(found.passed)} of {system}"
    return ""


def faults_kill() -> str:
    """A mutant that only a fault shows dies under it."""
    return _killed(SYSTEM, "retries-counted-in-a-file")


def moved_clocks_kill() -> str:
    """A mutant that only another time shows dies."""
    return _killed(SYSTEM, "no-delay-after-2038")


def struck_calls_kill() -> str:
    """A mutant that only an error of a single file call shows dies."""
    return _killed(SYSTEM, "retries-read-from-a-file")


def torn_writes_kill() -> str:
    """A mutant that only a crash in the middle of a write shows dies."""
    return _killed(RACING, "recovery-glued-to-a-torn-line")


def orders_kill() -> str:
    """A mutant that only an order of two processes shows dies."""
    return _killed(RACING, "failures-without-a-lock")


def time_passes() -> str:
    """A mutant that waits for nothing dies, and so does one that waits a moment too long."""
    return _killed(RACING, "no-cooldown") or _killed(RACING, "cooldown-end-is-exclusive")


def others_do_not_kill() -> str:
    """A mutant is not killed under a clause that it does not break."""
    (subject,) = _subjects(SYSTEM, "no-retries")
    looks = itertools.count()
    fate = next(iter(qualify([subject._replace(clause="LK-RL-01")], 1, lambda: next(looks) > ENOUGH)))
    return f"a mutant was killed under {fate.killed_by}, which it does not break" if fate.killed else ""


def search_finds() -> str:
    """Search finds a planted defect, makes it small, and what it gives fails again."""
    system = registry.get(STATEFUL)
    (subject,) = _subjects(STATEFUL, "simpler-escalates")
    slots = Slots(1)
    with slots.held(), subject.reach().open(slots) as session:
        found, cases = search(system, session, subject.profile, (), 0, SEARCHED, lambda: False)
        if not found:
            return f"nothing was found in {cases} cases"
        (played,) = Plays(system, subject.clause).of(found[0], session)
    if subject.clause not in played.failed:
        return "what search found does not fail again"
    steps = len(found[0].steps)
    return f"what search found has {steps} steps, where two would do" if steps > 2 else ""


def verdicts_take_the_worst() -> str:
    """One failure or one doubt is enough against any number of passes, and what is declared missing deviates."""
    catalogue = registry.get(SYSTEM).catalogue
    clause = catalogue[CLAUSE]
    expected = {
        CheckVerdict.PASS: ClauseVerdict.CONFORMS,
        CheckVerdict.FAIL: ClauseVerdict.DEVIATES,
        CheckVerdict.INCONCLUSIVE: ClauseVerdict.NOT_ESTABLISHED,
        CheckVerdict.HARNESS_ERROR: ClauseVerdict.NOT_ESTABLISHED,
    }
    profiles: dict[str, tuple[str, ...]] = dict.fromkeys(clause.profiles, ())
    for worst, wanted in expected.items():
        judged = [_judged("first", CheckVerdict.PASS), _judged("second", worst)]
        found = roll_up_system(catalogue, profiles, judged).clauses[CLAUSE].verdict
        if found is not wanted:
            return f"a pass and a {worst} come to {found}"
    declared = roll_up_system(catalogue, profiles, [_judged("first", CheckVerdict.PASS)], {CLAUSE: "not ours"})
    if declared.clauses[CLAUSE].verdict is not ClauseVerdict.DEVIATES or declared.level is not None:
        return "a clause that is declared missing conforms"
    return ""


def _judged(name: str, verdict: CheckVerdict) -> JudgedScenario:
    (profile,) = registry.get(SYSTEM).catalogue[CLAUSE].profiles
    return JudgedScenario(name, profile, 1, (Finding(CLAUSE, verdict, witnesses=1, reason="canary"),))


CANARIES: Mapping[str, Callable[[], str]] = {
    canary.__name__.replace("_", "-"): canary
    for canary in (
        reference_conforms,
        verdicts_take_the_worst,
        mutant_deviates,
        digests_tell_apart,
        degenerates_pass_nothing,
        faults_kill,
        moved_clocks_kill,
        struck_calls_kill,
        torn_writes_kill,
        orders_kill,
        time_passes,
        others_do_not_kill,
        search_finds,
    )
}
"""By name, the cheapest first."""


def _run(mutant: str | None, level: str, digest_of: str | None = "") -> tuple[RunStarted, RunFinished]:
    system = registry.get(SYSTEM)
    reach: Reach = served_python(system, mutant, timeout_scale=1.0)
    if digest_of is None:  # what is compared are the verdicts, not whose they are
        reach = reach._replace(digest=served_python(system, None, timeout_scale=1.0).digest)
    plan = RunPlan(
        (system,), "canary", "", (reach,), corpus.enumerated(SYSTEM), level, 0, 0, None, JOBS, unsafe=True, days=DAYS
    )
    events = list(Engine(plan).run())
    started, finished = events[0], events[-1]
    assert isinstance(started, RunStarted)  # noqa: S101 - as the engine promises
    assert isinstance(finished, RunFinished)  # noqa: S101 - the same
    return started, msgspec.structs.replace(finished)


def _subjects(system: str, name: str) -> list[subjects.Subject]:
    return [each for each in subjects.written(registry.get(system)) if each.name == name]


def _killed(system: str, name: str) -> str:
    found = _subjects(system, name)
    looks = itertools.count()
    fates: list[Killed] = list(qualify(found, 1, lambda: next(looks) > ENOUGH))
    if not fates:
        return f"there is no mutant {name}"
    why = fates[0].error or fates[0].killed_by or "nothing failed"
    return "" if fates[0].killed else f"{name} survived: {why}"
