"""The enumerated scenarios of level L1: each clause in its own simplest situation, and both sides of every limit."""

from collections.abc import Iterator

from harness.core.scenario import Scenario
from harness.systems.fallback.contract import (
    CONFIDENCE_LIMIT,
    CONSECUTIVE_FAILURES,
    ESCALATE,
    MODEL_LADDER,
    RECOVERY_CONFIDENCE_LIMIT,
    WORKFLOW_LADDER,
    Decision,
)
from harness.systems.fallback.workload.steps import (
    CALLED,
    CONFIDENCE,
    DANGER,
    FAILURES,
    HUMAN,
    MODELS,
    NOT_CALLED,
    WORKFLOWS,
    after,
    facts,
    scenario,
    triggers,
)

HUGE = 10**9
LONG_CHARACTERS = 10_000
A_STEP = 1e-7
LADDERS = (("model", MODEL_LADDER, MODELS), ("workflow", WORKFLOW_LADDER, WORKFLOWS))
STRANGERS = (
    "gpt-4", "", " ", "OPUS", "Sonnet ", "human", "../../outside", "opus\x00", "\u043epus", "x" * LONG_CHARACTERS,
)  # fmt: skip
# each side of each limit, by what is decided
LIMITS = tuple(
    (decision.value, RECOVERY_CONFIDENCE_LIMIT if decision is Decision.RECOVERY_STRATEGY else CONFIDENCE_LIMIT)
    for decision in Decision
)
NO_CONFIDENCE = (-1.0, -0.001, 1.001, 1.5, 1e308, "NaN", "0.1", True, [0.1])


def first_level() -> Iterator[Scenario]:
    """The enumerated scenarios, in a fixed order."""
    yield from _ladders()
    yield from _confidence()
    yield from _failures()
    yield from _danger()
    yield from _together()


def _ladders() -> Iterator[Scenario]:
    for ladder, rungs, clause in LADDERS:
        yield scenario(
            f"{ladder}-down", "Down the ladder, to the human, and no further.", (clause,),
            after(ladder, *rungs, ESCALATE), HUMAN,
        )  # fmt: skip
        for rung, below in zip(rungs, (*rungs[1:], ESCALATE), strict=True):
            yield scenario(
                f"{ladder}-after-{rung}", "What comes after a rung hangs on nothing but that rung.", (clause,),
                after(ladder, *reversed(rungs), rung, rung), {"next": below},
            )  # fmt: skip
        yield scenario(
            f"{ladder}-strangers", "What stands on no rung is refused or escalated; no rung of it is taken.", (clause,),
            (*after(ladder, *rungs), *after(ladder, *STRANGERS), *after(ladder, *rungs)), HUMAN,
        )  # fmt: skip
    yield scenario(
        "of-the-other-ladder", "The rungs of the other ladder are none.", (MODELS, WORKFLOWS),
        (*after("model", *MODEL_LADDER, *WORKFLOW_LADDER), *after("workflow", *MODEL_LADDER, *WORKFLOW_LADDER)), HUMAN,
    )  # fmt: skip


def _confidence() -> Iterator[Scenario]:
    for decision, limit in LIMITS:
        name = decision.replace("_", "-")
        sides = (
            ("below", limit - A_STEP, triggers("low_confidence")),
            ("at", limit, NOT_CALLED),
            ("above", limit + A_STEP, NOT_CALLED),
        )
        for side, confidence, result in sides:
            yield scenario(
                f"confidence-{name}-{side}-the-limit", "A confidence below, at or above the limit of its decision.",
                (CONFIDENCE,),
                (facts(confidence=0.0, decision=decision), facts(confidence=1.0, decision=decision),
                 facts(confidence=round(confidence, 7), decision=decision)), result,
            )  # fmt: skip
    yield scenario(
        "confidence-between-the-limits", "0.35: too little in general, enough to choose a recovery strategy.",
        (CONFIDENCE,),
        tuple(facts(confidence=each, decision=decision) for each in (0.35, 0.3, 0.29) for decision, _ in LIMITS),
        triggers("low_confidence"),
    )  # fmt: skip
    yield scenario(
        "confidence-unknown", "No confidence is told, or null.", (CONFIDENCE,),
        (facts(confidence=0.1), facts(), facts(confidence=None), facts(decision="critical")), NOT_CALLED,
    )  # fmt: skip
    yield scenario(
        "confidence-that-is-none", "Numbers out of range and values that are no numbers, before those that are.",
        (CONFIDENCE,),
        (*(facts(confidence=each) for each in NO_CONFIDENCE), facts(confidence=0.39), facts(confidence=0.41)),
        NOT_CALLED,
    )  # fmt: skip


def _failures() -> Iterator[Scenario]:
    for count in (CONSECUTIVE_FAILURES - 1, CONSECUTIVE_FAILURES, CONSECUTIVE_FAILURES + 1):
        result = triggers("consecutive_failures") if count >= CONSECUTIVE_FAILURES else NOT_CALLED
        yield scenario(
            f"failures-{count}", "Failures in a row: two, three and four.", (FAILURES,),
            (facts(consecutive_failures=HUGE), facts(consecutive_failures=0), facts(consecutive_failures=count)),
            result,
        )  # fmt: skip
    yield scenario(
        "failures-again-and-again", "The number that is told counts, not how often somebody asks.", (FAILURES,),
        (*(facts(consecutive_failures=each) for each in (1, 1, 1, 1, 2, 2, 3, 3, 4, 0, 1, 2, 5)),
         facts(consecutive_failures=2)), NOT_CALLED,
    )  # fmt: skip
    yield scenario(
        "failures-whatever-is-decided", "Failures count whatever is decided, and however sure of it somebody is.",
        (FAILURES,),
        (*(facts(consecutive_failures=count, decision=decision, confidence=1.0) for count in (2, 3)
           for decision, _ in LIMITS), facts(consecutive_failures=2)), NOT_CALLED,
    )  # fmt: skip
    yield scenario(
        "failures-that-are-none", "Numbers that no failures have.", (FAILURES,),
        (*(facts(consecutive_failures=each) for each in (-1, -HUGE, 2.5, "3", None, True)),
         facts(consecutive_failures=3)), CALLED,
    )  # fmt: skip


def _danger() -> Iterator[Scenario]:
    yield scenario(
        "security-critical", "A security-critical decision, and one that is none.", (DANGER,),
        (facts(security_critical=False), facts(security_critical=True)), triggers("security_critical"),
    )  # fmt: skip
    yield scenario(
        "security-critical-with-a-rollback", "A security-critical decision, whatever can be taken back.", (DANGER,),
        (facts(rollback=True), *(facts(security_critical=True, irreversible=irreversible, rollback=rollback)
           for irreversible in (False, True) for rollback in (True, False, None)),
         facts(security_critical=True, rollback=True)), triggers("security_critical"),
    )  # fmt: skip
    for word, told in (("none", {"rollback": False}), ("unknown", {}), ("null", {"rollback": None})):
        yield scenario(
            f"irreversible-rollback-{word}", "An irreversible operation without a clear rollback.", (DANGER,),
            (facts(irreversible=False, **told), facts(irreversible=True, rollback=True),
             facts(irreversible=True, **told)), triggers("irreversible"),
        )  # fmt: skip
    yield scenario(
        "irreversible-rollback-clear", "An irreversible operation with a clear rollback.", (DANGER,),
        (facts(irreversible=True, rollback=False), facts(rollback=False), facts(irreversible=True, rollback=True)),
        NOT_CALLED,
    )  # fmt: skip


def _together() -> Iterator[Scenario]:
    all_of_them = {"confidence": 0.39, "consecutive_failures": 3, "security_critical": True, "irreversible": True}
    nearly = {"confidence": 0.4, "consecutive_failures": 2, "security_critical": False, "irreversible": False}
    named = ("low_confidence", "consecutive_failures", "security_critical", "irreversible")
    yield scenario(
        "triggers-all", "Every trigger at once: each is named, once.", (CONFIDENCE, FAILURES, DANGER),
        (facts(**nearly), facts(**all_of_them)), triggers(*named),
    )  # fmt: skip
    yield scenario(
        "triggers-each-beside-others", "Each trigger beside facts that are none.", (CONFIDENCE, FAILURES, DANGER),
        (*(facts(**{**nearly, name: value}) for name, value in all_of_them.items()), facts(**nearly)), NOT_CALLED,
    )  # fmt: skip
    yield scenario(
        "triggers-each-missing", "Every trigger but one.", (CONFIDENCE, FAILURES, DANGER),
        (facts(), *(facts(**{**all_of_them, name: nearly[name]}) for name in all_of_them)),
        triggers(*named[:3]),
    )  # fmt: skip
