"""The certificate: one JSON file, an in-toto Statement with the test-result predicate. Source: CERTIFICATION.md.

Its subject is the implementation, by its digest. What a run found stands in ``predicate.windtunnel``, all of it without
times, paths or names of machines, so that the same run gives the same file. ``verify`` checks it against the events of
the run, whose digest it states.
"""

import hashlib
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any, Final

import msgspec

from harness.certify import qualified
from harness.certify.events import Event, ImplementationMet, PlanFiles, RunFinished, RunStarted
from harness.certify.qualified import Qualified
from harness.core.verdict import ClauseVerdict, LevelResult, Outcome, SystemResult
from harness.report.files import EVENTS, laid_out, write_whole

NAME: Final = "certificate.json"
FORMAT: Final = 1
STATEMENT: Final = "https://in-toto.io/Statement/v1"
PREDICATE: Final = "https://in-toto.io/attestation/test-result/v0.1"
MOST_BYTES: Final = 64 * 1024 * 1024
ISSUED: Final = "issued"


class Subject(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is certified: its name, and the SHA-256 over what it is made of."""

    name: str
    digest: Mapping[str, str]


class Evidence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The events of the run, which lie beside the certificate."""

    name: str
    sha256: str
    bytes: int


class Met(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the implementation called itself."""

    profile: str
    name: str
    version: str
    language: str


class ClauseSaid(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One clause: its verdict, the reading by which it conforms, how often its situation was entered, and why not."""

    verdict: ClauseVerdict
    reading: str | None
    witnesses: int
    reason: str


class SystemSaid(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One system: the highest level reached, each level of the scope, every clause."""

    level: str | None
    strict: bool
    levels: Mapping[str, LevelResult]
    clauses: Mapping[str, ClauseSaid]
    qualified: Qualified | None


class Content(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the run found, and with what.

    ``documents`` are, by system, the SHA-256 of the clauses that were read out of them; ``not_checked`` says of what
    was left out why.
    """

    format: int
    windtunnel: str
    target: str
    implementation_digest: str
    met: tuple[Met, ...]
    declared: Mapping[str, str]
    carriers: tuple[str, ...]
    profiles: Mapping[str, tuple[str, ...]]
    outcome: Outcome
    level: str
    seed: int
    cases: int
    suite_digest: str
    documents: Mapping[str, str]
    plan: PlanFiles
    digest: str
    systems: Mapping[str, SystemSaid]
    counts: Mapping[str, int]
    fail_open: str
    not_checked: tuple[str, ...]
    evidence: Evidence


class Predicate(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """A test result, of which the fields of in-toto name each clause once."""

    result: str
    configuration: tuple[Subject, ...]
    passed_tests: tuple[str, ...]
    warned_tests: tuple[str, ...]
    failed_tests: tuple[str, ...]
    windtunnel: Content


class Certificate(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"type": "_type"}):
    """An in-toto Statement."""

    type: str
    subject: tuple[Subject, ...]
    predicateType: str  # noqa: N815 - as in-toto writes it
    predicate: Predicate


class CertificateFile:
    """Writes certificate.json when the run has a verdict that may be certified; goes after the events."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._started: RunStarted | None = None
        self._met: list[ImplementationMet] = []

    def handle(self, event: Event) -> None:
        """See Handler.handle."""
        if isinstance(event, RunStarted):
            self._started = event
        elif isinstance(event, ImplementationMet):
            self._met.append(event)
        elif isinstance(event, RunFinished) and self._started is not None and event.certificate == ISSUED:
            data = (self._directory / EVENTS).read_bytes()
            made = certificate(self._started, self._met, event, Evidence(EVENTS, _sha256(data), len(data)))
            write_whole(self._directory / NAME, laid_out(msgspec.to_builtins(made)))

    def close(self) -> None:
        """See Handler.close."""


def certificate(
    started: RunStarted, met: "list[ImplementationMet]", finished: RunFinished, evidence: Evidence
) -> Certificate:
    """The certificate of that run; the same run gives the same."""
    content = Content(
        format=FORMAT,
        windtunnel=started.windtunnel,
        target=started.target,
        implementation_digest=started.implementation_digest,
        met=tuple(sorted((Met(e.profile, e.name, e.version, e.language) for e in met), key=lambda one: one.profile)),
        declared={clause: why for event in met for clause, why in sorted(event.not_implemented.items())},
        carriers=started.carriers,
        profiles=started.profiles,
        outcome=finished.outcome,
        level=started.level,
        seed=started.seed,
        cases=started.cases,
        suite_digest=started.suite_digest,
        documents={name: documents_digest(name) for name in started.systems},
        plan=started.plan,
        digest=finished.digest,
        systems={name: _said(name, result) for name, result in finished.systems.items()},
        counts=finished.counts,
        fail_open=finished.fail_open.says,
        not_checked=not_checked(started, finished),
        evidence=evidence,
    )
    return stated(content)


def stated(content: Content) -> Certificate:
    """The Statement about that content: all but the content itself follows from it."""
    subject = Subject(content.target, {"sha256": content.implementation_digest})
    configuration = (
        Subject("windtunnel suite", {"sha256": content.suite_digest}),
        Subject(content.evidence.name, {"sha256": content.evidence.sha256}),
    )
    passed, warned, failed = (tuple(names) for names in _by_result(content))
    conformant = content.outcome is Outcome.CONFORMANT
    strict = all(said.strict for said in content.systems.values())
    result = "FAILED" if not conformant else "PASSED" if strict else "WARNED"
    predicate = Predicate(result, configuration, passed, warned, failed, content)
    return Certificate(STATEMENT, (subject,), PREDICATE, predicate)


def _said(name: str, result: SystemResult) -> SystemSaid:
    clauses = {
        id_: ClauseSaid(found.verdict, found.reading, found.witnesses, found.reason)
        for id_, found in result.clauses.items()
    }
    return SystemSaid(result.level, result.strict, result.levels, clauses, qualified.known().get(name))


def _by_result(content: Content) -> tuple[list[str], list[str], list[str]]:
    passed: list[str] = []
    warned: list[str] = []
    failed: list[str] = []
    places = {
        ClauseVerdict.CONFORMS: passed,
        ClauseVerdict.NOT_ESTABLISHED: warned,
        ClauseVerdict.DEVIATES: failed,
    }
    for said in content.systems.values():
        for clause, found in said.clauses.items():
            if found.verdict in places:
                places[found.verdict].append(clause)
    return passed, warned, failed


def not_checked(started: RunStarted, finished: RunFinished) -> tuple[str, ...]:
    """What the run says nothing about, a sentence each."""
    found = [f"not contained: {sentence}" for sentence in started.uncontained]
    for result in finished.systems.values():
        found += [
            f"{id_} {clause.verdict.value}: {clause.reason}"
            for id_, clause in result.clauses.items()
            if clause.verdict in (ClauseVerdict.NOT_ESTABLISHED, ClauseVerdict.NOT_APPLICABLE)
        ]
        found += [
            f"level {name} not reached: {level.reason}" for name, level in result.levels.items() if not level.reached
        ]
    found += [f"{name} did not fire: {line.why_not}" for name, line in finished.ledger.faults.items() if not line.fired]
    found += [f"{each.scenario} cut: {each.cut}" for each in finished.explored if each.cut]
    return tuple(found)


def documents_digest(system: str) -> str:
    """The SHA-256 of the catalogue of a system: what of the documents it is certified against."""
    return _sha256(resources.files(f"harness.systems.{system}").joinpath("clauses.yaml").read_bytes())


def schema() -> dict[str, Any]:
    """The JSON Schema of a certificate."""
    return msgspec.json.schema(Certificate)


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
