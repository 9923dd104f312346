"""Is a certificate what it says? In named steps, each of which needs the ones before. Reads files; plays nothing."""

import hashlib
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import msgspec

from harness import __version__
from harness.certify import corpus
from harness.certify.events import RunFinished
from harness.certify.rejudging import (
    Stored,
    finished_again,
    judged_again,
    misplayed,
    recounted,
    stored,
    unexplored,
    unlike,
)
from harness.errors import FileFormatError, UsageError, WindtunnelError
from harness.ports.named_file import read_named
from harness.report import certificate as certificates
from harness.report.certificate import MOST_BYTES, Certificate, Content, SystemSaid
from harness.report.files import MOST_BYTES as MOST_EVENT_BYTES
from harness.report.files import read_events
from harness.systems import registry

SHOWN = 5  # differences of one step


class Step(NamedTuple):
    """One step: ``ok`` is None where it says nothing, for the reason in ``says``."""

    name: str
    ok: bool | None
    says: str


class _Verifying:
    """One certificate on its way."""

    def __init__(self, path: Path, evidence: Path | None) -> None:
        self.path = path
        self.evidence = evidence
        self.found: Certificate | None = None
        self.run: Stored | None = None
        self.again: RunFinished | None = None

    @property
    def content(self) -> Content:
        assert self.found is not None  # noqa: S101 - the first step was passed
        return self.found.predicate.windtunnel

    @cached_property
    def our_suite(self) -> str:
        """The digest of this windtunnel's suite for the systems of the run."""
        return corpus.digest(_run(self).started.systems)

    @property
    def has_our_suite(self) -> bool:
        """Was it made with the suite of this windtunnel?"""
        return self.our_suite == self.content.suite_digest


def verified(path: Path, evidence: Path | None = None) -> Iterator[Step]:
    """The steps in turn, up to the first that is refuted; ``evidence`` is where the events are, beside it if None.

    UsageError when the certificate or the events cannot be read: then nothing is refuted.
    """
    at = _Verifying(path, evidence)
    for name, step in STEPS.items():
        try:
            says, ok = step(at)
        except WindtunnelError as error:
            if at.run is None:  # nothing was read that could be refuted
                raise
            says, ok = str(error), False
        yield Step(name, ok, says)
        if ok is False:
            return


def _form(at: _Verifying) -> tuple[str, bool | None]:
    try:
        data = read_named(at.path, MOST_BYTES)
    except OSError as error:
        raise UsageError(f"cannot read the certificate {at.path}: {error.strerror}") from error
    try:
        raw = msgspec.json.decode(data)
        format_ = raw["predicate"]["windtunnel"]["format"]
    except (msgspec.DecodeError, RecursionError, KeyError, TypeError, UnicodeDecodeError):
        return "it is cut short, or no certificate of windtunnel", False
    if format_ != certificates.FORMAT:
        return (
            f"it has format {format_!r}; windtunnel {__version__} reads format {certificates.FORMAT}: use the version "
            "that made it",
            False,
        )
    try:
        at.found = msgspec.convert(raw, Certificate)
    except msgspec.ValidationError as error:
        return f"a field is not as the schema has it: {error}", False
    return f"format {format_}, made by windtunnel {at.content.windtunnel}", True


def _statement(at: _Verifying) -> tuple[str, bool | None]:
    """All but the content follows from the content."""
    expected = certificates.stated(at.content)
    for name in ("type", "subject", "predicateType"):
        if getattr(at.found, name) != getattr(expected, name):
            return f"its {name} does not follow from what it says of the run", False
    assert at.found is not None  # noqa: S101 - the first step was passed
    for name in ("result", "configuration", "passed_tests", "warned_tests", "failed_tests"):
        if getattr(at.found.predicate, name) != getattr(expected.predicate, name):
            return f"its {name} does not follow from the clauses it lists", False
    return f"{expected.predicate.result}: {len(expected.predicate.passed_tests)} clauses conform", True


def _evidence(at: _Verifying) -> tuple[str, bool | None]:
    stated = at.content.evidence
    place = at.evidence or at.path.parent / stated.name
    place = place / stated.name if place.is_dir() else place
    try:
        data = read_named(place, MOST_EVENT_BYTES)
    except OSError as error:
        raise UsageError(
            f"cannot read the events of the run {place}: {error.strerror}; name them with --evidence"
        ) from error
    if (len(data), hashlib.sha256(data).hexdigest()) != (stated.bytes, stated.sha256):
        return f"{place.name} is not the file that was certified: its SHA-256 is another", False
    try:
        at.run = stored(read_events(place))
    except WindtunnelError as error:
        return str(error), False
    return f"{place.name}, {len(data):,} bytes", True


def _expected(at: _Verifying) -> Content:
    """What a certificate of these events says."""
    run = _run(at)
    return certificates.certificate(run.started, list(run.met), run.finished, at.content.evidence).predicate.windtunnel


def _header(at: _Verifying) -> tuple[str, bool | None]:
    """All but counts and systems, of which other steps speak, is as in the events."""
    expected, content = _expected(at), at.content
    theirs = {"counts", "systems", *(() if at.has_our_suite else ("documents",))}
    fields = [name for name in type(content).__struct_fields__ if name not in theirs]
    wrong = [name for name in fields if getattr(content, name) != getattr(expected, name)]
    if _run(at).finished.certificate != certificates.ISSUED:
        wrong.append("certificate")
    return (f"{', '.join(wrong)}: not as in the events", False) if wrong else ("as in the events", True)


def _counts(at: _Verifying) -> tuple[str, bool | None]:
    run = _run(at)
    if at.content.counts != run.finished.counts:
        return "the counts are not those of the events", False
    if not at.has_our_suite:
        return "not counted again: made with another suite", None
    at.again = finished_again(run)
    wrong = [*recounted(run, at.again), *unexplored(run)]
    if wrong:
        return _joined(wrong), False
    variants = f" and {len(run.varied):,} variants" if run.varied else ""
    return f"{at.again.counts['scenarios']:,} scenarios{variants}, counted again", True


def _verdicts(at: _Verifying) -> tuple[str, bool | None]:
    """Every clause and level, and the outcome, follow from the checks that are stored, and are what is certified."""
    run, said, was = _run(at), at.content.systems, _expected(at).systems
    for name in sorted({*said, *was}):
        if name not in said or name not in was or _findings_of(said[name]) != _findings_of(was[name]):
            return f"what it says of {name} is not as in the events", False
    if at.again is None:
        return "not rolled up again: made with another suite", None
    unqualified = [name for name in said if said[name].qualified != was[name].qualified]
    if unqualified:
        return f"what it says of the qualification of {', '.join(unqualified)} is not what this windtunnel knows", False
    differences = list(unlike(run, at.again))
    if differences:
        return _joined(differences), False
    clauses = sum(len(result.clauses) for result in run.finished.systems.values())
    return f"{clauses:,} clauses rolled up again", True


def _findings_of(said: SystemSaid) -> SystemSaid:
    return msgspec.structs.replace(said, qualified=None)


def _suite(at: _Verifying) -> tuple[str, bool | None]:
    own = at.our_suite[:16]
    if at.has_our_suite:
        return f"the suite of this windtunnel, {own}", True
    return (
        f"made with another suite ({at.content.suite_digest[:16]}, windtunnel {at.content.windtunnel}; here "
        f"{own}, {__version__}): its histories can be judged again by that version only",
        None,
    )


def _plan(at: _Verifying) -> tuple[str, bool | None]:
    """Nothing of the suite was left out or changed: a failure that was cut out is missed."""
    if not at.has_our_suite:
        return "not compared: made with another suite", None
    wrong = list(misplayed(_run(at)))
    return (
        (_joined(wrong), False) if wrong else ("every scenario of the suite for its scope, as the suite has it", True)
    )


def _rejudged(at: _Verifying) -> tuple[str, bool | None]:
    run = _run(at)
    if not at.has_our_suite:
        return "not judged again: made with another suite", None
    for name in run.started.systems:
        registry.get(name).load()
    parted = list(judged_again(run))
    if parted:
        told = [f"{each.clause} in {each.scenario} is {each.now or 'not found'}, stored {each.stored or 'not found'}"
                for each in parted]  # fmt: skip
        return _joined(told), False
    checks = sum(len(event.findings) for event in run.judged)
    return f"{checks:,} checks of {len(run.judged):,} histories come out the same", True


STEPS: dict[str, Callable[[_Verifying], tuple[str, bool | None]]] = {
    "form": _form,
    "statement": _statement,
    "evidence": _evidence,
    "header": _header,
    "counts": _counts,
    "verdicts": _verdicts,
    "suite": _suite,
    "plan": _plan,
    "judged again": _rejudged,
}
"""By name, in their order: what each gives is what it says, and whether it holds."""


def _run(at: _Verifying) -> Stored:
    if at.run is None:
        raise FileFormatError("there are no events")
    return at.run


def _joined(told: list[str]) -> str:
    more = f"; and {len(told) - SHOWN} more" if len(told) > SHOWN else ""
    return "; ".join(told[:SHOWN]) + more
