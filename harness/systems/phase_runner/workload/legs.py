"""The legs of a tour: what is done so that every clause shows once more, one leg after the other.

Each begins a run of its own, fresh, but for those that go on with what stands there. Clauses are named without their
``AB-``.
"""

from harness.systems.phase_runner.contract.words import FailureType, phase_path
from harness.systems.phase_runner.workload.phase_steps import Story
from harness.systems.phase_runner.workload.plans import CHAIN, CYCLE, ONE, PAIR, Phase, Plan, batch, chain
from harness.systems.phase_runner.workload.results import lines
from harness.systems.tours import Leg

TRIO = batch(3)
UNKNOWN = Plan(Phase("1", "Setup", ("9",)))
ITSELF = Plan(Phase("1", "Setup", ("1",)))
_SIDES = ("1a", "1b")
_CAPTURED = (
    FailureType.LINT_ERROR,
    FailureType.TYPECHECK_ERROR,
    FailureType.TIMEOUT,
    FailureType.VERIFICATION_MISMATCH,
    FailureType.PARSE_ERROR,
)


def _retries(story: Story) -> None:
    story.fresh(CHAIN).look(CHAIN).fail("0").look(CHAIN).complete("0", attempt=2).look(CHAIN)


def _halts(story: Story) -> None:
    story.fresh(CHAIN).complete("0").fail("1").fail("1", attempt=2).look(CHAIN).complete("1", attempt=3)


def _resumes(story: Story) -> None:
    story.fresh(CHAIN).complete("0").fail_twice("1").resume(CHAIN).look(CHAIN).complete("1").complete("2").look(CHAIN)


def _goes_on(story: Story) -> None:
    """Whatever there is; nothing is said of it but that it goes on."""
    story.start(CHAIN).look(CHAIN).finish(CHAIN, 1).look(CHAIN)


def _interrupts(story: Story) -> None:
    story.fresh(CHAIN).complete("0").resume(CHAIN).look(CHAIN).complete_either("1").complete("2").look(CHAIN)


def _batches(story: Story) -> None:
    story.fresh(TRIO).complete("0").fail("10").fail("11").complete("12").look(TRIO)
    story.complete("10", attempt=2).fail("11", attempt=2).look(TRIO).resume(TRIO).complete("11").complete("2")
    story.look(TRIO)


def _waits_to_halt(story: Story) -> None:
    story.fresh(PAIR).fail("1a", FailureType.DEPENDENCY_MISSING).fail("1b").look(PAIR)
    story.resume(PAIR).complete_either(*_SIDES).complete("2")


def _conflicts(story: Story) -> None:
    story.fresh(PAIR).claim("1a", modified=lines("src/api/routes.ts", (10, 25)))
    story.claim("1b", modified=lines("./src/api/routes.ts", (15, 30))).verify(*_SIDES).look(PAIR).complete("2")


def _refuses(story: Story) -> None:
    story.fresh(CYCLE).fresh(UNKNOWN).fresh(ITSELF).fresh("")


def _captures(story: Story) -> None:
    plan = chain(len(_CAPTURED))
    story.fresh(plan)
    for phase_id, kind in zip(plan.ids, _CAPTURED, strict=True):
        story.fail(phase_id, kind).complete(phase_id, attempt=2).look(None, phase_id)


def _begins_fresh(story: Story) -> None:
    story.fresh(CHAIN).complete("0").fresh(CHAIN).look(CHAIN).complete("0").look(CHAIN)


def _damages(story: Story) -> None:
    story.fresh(CHAIN).complete("0").fail_twice("1").fault("json_document.truncated", phase_path("0"))
    story.resume(CHAIN).look(CHAIN).complete("1").fresh(CHAIN).look(CHAIN)


def _removes(story: Story) -> None:
    story.fresh(CHAIN).complete("0").complete("1").fail_twice("2").fault("filesystem.missing", phase_path("2"))
    story.resume(CHAIN).look(CHAIN).complete("2").look(CHAIN)


def _one_run(story: Story) -> None:
    story.fresh(ONE).complete("0").look(ONE)


RETRIES = Leg(
    _retries,
    ("CLS-01", "ERR-01", "RTY-02", "RTY-05", "RTY-06", "STA-01", "STA-02", "STA-04", "STA-05"),
)
HALTS = Leg(_halts, ("ERR-06", "HLT-03", "HLT-04", "HLT-05", "HLT-06", "RTY-01", "RTY-03", "STA-03"))
RESUMES = Leg(_resumes, ("RES-01", "RES-02", "RES-03"))
GOES_ON = Leg(_goes_on, ())
INTERRUPTS = Leg(_interrupts, ("RES-02", "RES-04"))
BATCHES = Leg(_batches, ("PAR-01", "PAR-02", "PAR-03", "PAR-04", "RTY-07"))
WAITS_TO_HALT = Leg(_waits_to_halt, ("CLS-02", "HLT-01", "HLT-02", "NRT-01", "PAR-05", "RTY-04"))
CONFLICTS = Leg(_conflicts, ("NRT-04",))
REFUSES = Leg(_refuses, ("CLS-02", "NRT-02", "NRT-03", "NRT-05"))
CAPTURES = Leg(_captures, ("ERR-02", "ERR-03", "ERR-04", "ERR-05", "ERR-07"))
BEGINS_FRESH = Leg(_begins_fresh, ("FRS-01", "FRS-02"))
DAMAGES = Leg(_damages, ("COR-01",))
REMOVES = Leg(_removes, ("PRT-01",))
ONE_RUN = Leg(_one_run, ("STA-04", "STA-05"))

WHOLE = (
    RETRIES,
    HALTS,
    RESUMES,
    INTERRUPTS,
    BATCHES,
    WAITS_TO_HALT,
    CONFLICTS,
    REFUSES,
    CAPTURES,
    BEGINS_FRESH,
)
SHORT = (RETRIES, HALTS, REFUSES, BEGINS_FRESH)
"""Where most of what shows is what the fault itself did."""
ANSWERED = frozenset(REFUSES.clauses)
"""What shows in answers alone, whatever becomes of files."""
FILED = frozenset(clause for leg in WHOLE for clause in leg.clauses) - ANSWERED
