"""What a run of ``certify`` comes to, as ``result.json`` has it. Published as ``result.schema.json``."""

from collections.abc import Mapping
from typing import Any

import msgspec

from harness.certify import events
from harness.certify.events import PlanFiles, RunFinished, RunStarted
from harness.certify.explored import Explored
from harness.certify.ledger import FailOpen, Ledger
from harness.core.verdict import Outcome, SystemResult


class Result(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Header and verdict of a run; see RunStarted and RunFinished for the meaning of each field."""

    format: int
    outcome: Outcome
    exit_code: int
    strict: bool
    seed: int
    cases: int
    digest: str
    certificate: str
    message: str
    target: str
    carriers: tuple[str, ...]
    level: str
    complete: bool
    suite_digest: str
    plan: PlanFiles
    implementation_digest: str
    uncontained: tuple[str, ...]
    counts: Mapping[str, int]
    fail_open: FailOpen
    systems: Mapping[str, SystemResult]
    explored: tuple[Explored, ...]
    ledger: Ledger


def result(started: RunStarted, finished: RunFinished) -> Result:
    """The content of result.json."""
    return Result(
        format=events.FORMAT,
        outcome=finished.outcome,
        exit_code=finished.exit_code,
        strict=finished.strict,
        seed=started.seed,
        cases=started.cases,
        digest=finished.digest,
        certificate=finished.certificate,
        message=finished.message,
        target=started.target,
        carriers=started.carriers,
        level=started.level,
        complete=finished.complete,
        suite_digest=started.suite_digest,
        plan=started.plan,
        implementation_digest=started.implementation_digest,
        uncontained=started.uncontained,
        counts=finished.counts,
        fail_open=finished.fail_open,
        systems=finished.systems,
        explored=finished.explored,
        ledger=finished.ledger,
    )


def schema() -> dict[str, Any]:
    """The JSON Schema of result.json."""
    return msgspec.json.schema(Result)
