"""The enumerated scenarios of levels L2 and L3.

L2: every MUST clause again under every single further fault, after the same in calm weather; hostile input. L3: each
operation struck at every file call it makes, and two at once in every order of these. One that keeps nothing makes no
call, which the supervisor of calls sees.
"""

from collections.abc import Iterator, Mapping

from harness.core.scenario import Explore, ExploreKind, Operation, Scenario, Schedule, Step
from harness.systems.fallback.workload.steps import MUSTS, NOT_CALLED, RESET, WHOLE, asking, scenario, telling
from harness.systems.stateless_faults import Row, identifiers, rows

CALLS: tuple[ExploreKind, ...] = ("errno", "killed", "torn", "power")
ORDERS: tuple[ExploreKind, ...] = ("schedule",)
TEXTS = (
    "absent", "empty", "null", "wrong_type", "separators", "dot_dot", "absolute", "nul", "long", "unicode",
    "whitespace",
)  # fmt: skip
ANY = ("absent", "null", "wrong_type")
TOLD = ("confidence", "consecutive_failures", "security_critical", "rollback")
STRUCK: Mapping[str, Operation] = {
    "model": asking("model", "opus"),
    "workflow": asking("workflow", "minimal"),
    "confidence": telling(confidence=0.39),
    "failures": telling(consecutive_failures=3),
    "danger": telling(security_critical=True, irreversible=True),
}


def own_rows() -> tuple[Row, ...]:
    """The faults that strike an argument: a rung of every kind, and facts that are none."""
    return (*identifiers(("current",), TEXTS), *identifiers(TOLD, ANY))


def second_level() -> Iterator[Scenario]:
    """The enumerated scenarios of the level, in a fixed order."""
    for row in rows():
        yield scenario(
            f"l2-{row.name}", f"{row.title}.", MUSTS, (*WHOLE, *row.steps, *WHOLE), NOT_CALLED, level="L2"
        )  # fmt: skip
    for row in own_rows():
        # the last operation has not the argument that is struck
        last = asking("model", "haiku") if row.name.endswith(_ENDINGS) else telling()
        result = {"next": "escalate"} if last.name == "next" else NOT_CALLED
        yield scenario(
            f"l2-{row.name}", f"{row.title}.", MUSTS, (*WHOLE, *row.steps, *WHOLE, Step(op=last)), result, level="L2"
        )
    for count in (2, 8):
        together = Step(schedule=Schedule((tuple(STRUCK.values()) * 2)[:count]))
        yield scenario(
            f"l2-together-{count}", f"{count} operations at once.", MUSTS, (*WHOLE, together, *WHOLE), NOT_CALLED,
            level="L2",
        )  # fmt: skip


_ENDINGS = tuple(f"-{name.replace('_', '-')}" for name in TOLD)


def third_level() -> Iterator[Scenario]:
    """The enumerated scenarios of the level, in a fixed order."""
    for name, operation in STRUCK.items():
        yield scenario(
            f"l3-{name}", "An operation is struck at every file call it makes; then all is asked for.", MUSTS,
            (*WHOLE, RESET, Step(explore=Explore(CALLS)), Step(op=operation), *WHOLE), NOT_CALLED, level="L3",
        )  # fmt: skip
    for one, other in (("model", "model"), ("workflow", "confidence"), ("failures", "danger")):
        asked = Schedule((STRUCK[one], STRUCK[other]))
        yield scenario(
            f"l3-order-{one}-{other}", "Two operations at once, in every order of the file calls they make.", MUSTS,
            (*WHOLE, RESET, Step(explore=Explore(ORDERS)), Step(schedule=asked), *WHOLE), NOT_CALLED, level="L3",
        )  # fmt: skip
