"""A model there is: it is right, slow, hangs, raises, or answers with whatever. Level L1."""

from collections.abc import Iterator

from harness.core.scenario import Scenario
from harness.systems.diagnosis.contract import ErrorType
from harness.systems.diagnosis.workload.diagnosis_steps import SILENT, calm, scenario
from harness.systems.diagnosis.workload.failures import FIRST, GIT, READ, UNKNOWN
from harness.systems.diagnosis.workload.model_texts import (
    BROKEN,
    HANGS,
    HUNG_LIMIT_S,
    RAISES,
    RIGHT,
    SLOW,
    TOO_SLOW,
    UNTRUE,
    WRAPPED,
)
from harness.systems.diagnosis.workload.trigger_boundaries import SAID

ASKED = ("DR-IN-01", "DR-IN-02", "DR-CFG-03", "DR-CFG-04")
WITHOUT = ("DR-LLM-01", *SAID)


def model_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    yield from _right()
    yield from _answers()
    yield from _fails()


def _right() -> Iterator[Scenario]:
    for kind, failure in FIRST.items():
        word = kind.value.replace("_", "-")
        yield scenario(
            f"model-asked-{word}", f"A model is asked about {kind.value}, and answers about a missing git.",
            (*ASKED, *SAID), calm().fail(failure, model=RIGHT).shown().ok(), SILENT,
        )  # fmt: skip
    yield scenario(
        "model-right", "A model is asked, and right.", (*ASKED, *SAID, "DR-MET-02"),
        calm().fail(GIT, model=RIGHT).shown().tried(success=True).ok(), SILENT,
    )  # fmt: skip
    yield scenario(
        "model-slow", "A model is asked, and takes its time.", ASKED, calm().fail(GIT, model=SLOW).ok(), SILENT
    )
    yield scenario(
        "model-after-success", "There is a model, and nothing for it to say.", ("DR-TRG-01",),
        calm().fail(GIT, model=RIGHT).ok().ok(), SILENT,
    )  # fmt: skip
    yield scenario(
        "model-unknown", "A model is asked about a failure that says nothing of itself.", (*ASKED, "DR-CLS-01"),
        calm().fail(UNKNOWN[0], model=RIGHT).ok(), SILENT,
    )  # fmt: skip
    for word, said, model in WRAPPED:
        yield scenario(
            f"model-{word}", f"A model answers with {said}.", (*ASKED, *SAID),
            calm().fail(GIT, model=model).shown().ok(), SILENT,
        )  # fmt: skip


def _answers() -> Iterator[Scenario]:
    for word, said, model in BROKEN:
        yield scenario(
            f"model-{word}", f"A model answers with {said}: the diagnosis is whole.", WITHOUT,
            calm().fail(GIT, model=model).shown().fail(READ, model=model).ok(), SILENT,
        )  # fmt: skip
    for word, said, model in UNTRUE:
        yield scenario(
            f"model-says-{word}", f"A model says {said}: the diagnosis is whole.", (*SAID, "DR-CLS-02"),
            calm().fail(GIT, model=model).shown().gave_up(2).ok(), SILENT,
        )  # fmt: skip
        yield scenario(
            f"model-says-{word}-of-unknown", f"A model says {said} of a failure that says nothing of itself.", SAID,
            calm().fail(UNKNOWN[0], model=model).shown().gave_up(2).ok(), SILENT,
        )  # fmt: skip


def _fails() -> Iterator[Scenario]:
    yield scenario(
        "model-raises", "A model fails: the diagnosis is made without it.", (*WITHOUT, *ASKED),
        calm().fail(GIT, model=RAISES).shown().tried(success=True).fail(READ, model=RAISES).ok(), SILENT,
    )  # fmt: skip
    for word, model in (("hangs", HANGS), ("too-slow", TOO_SLOW)):
        yield scenario(
            f"model-{word}", "A model does not answer in time: the diagnosis is made without it.",
            (*WITHOUT, *ASKED), calm().fail(GIT, model=model).shown().fail(READ).ok(), SILENT,
            config={"model_limit_s": HUNG_LIMIT_S},
        )  # fmt: skip
    then = calm().fail(GIT, model=RAISES).fail(READ, model=RIGHT).fail(FIRST[ErrorType.TIMEOUT])
    yield scenario(
        "model-comes-and-goes", "A model fails, is right, and is gone.", ("DR-LLM-01", *ASKED, *SAID), then.ok(), SILENT
    )
