"""Strategies and builders of core values."""

from hypothesis import strategies as st

from harness.core.clause import Catalogue, Clause, Level, Reading
from harness.core.fault import Fault, Injection
from harness.core.finding import CheckVerdict, Finding
from harness.core.history import Entry, EntryType, FileFact, InputFact
from harness.core.scenario import (
    ClockStep,
    Crash,
    FileSpec,
    Operation,
    Repeat,
    Scenario,
    Schedule,
    Step,
    World,
)
from harness.core.verdict import JudgedScenario

CLOCK = "2026-03-01T12:00:00Z"

words = st.text(st.characters(codec="utf-8"), max_size=12)
numbers = st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | numbers | words
plain = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3), max_leaves=8
)
faults = st.builds(Fault, words, st.none() | words, st.dictionaries(words, scalars, max_size=3))
operations = st.builds(Operation, words, st.dictionaries(words, plain, max_size=3))

_crashed = st.dictionaries(words, st.builds(FileSpec, kind=st.sampled_from(("file", "absent")), text=words), max_size=2)
_single_steps = (
    st.builds(lambda process, op: Step(process=process, op=op), st.integers(0, 9), operations)
    | st.builds(lambda fault: Step(fault=fault), faults)
    | st.builds(lambda by_s: Step(clock=ClockStep(by_s)), st.floats(allow_nan=False, allow_infinity=False))
    | st.builds(
        lambda ops, order: Step(schedule=Schedule(tuple(ops), order)),
        st.lists(operations, max_size=3),
        st.none() | st.lists(st.integers(0, 10**12), max_size=4).map(tuple),
    )
    | st.builds(lambda op, files, says: Step(crash=Crash(op, files, says)), operations, _crashed, words)
)
steps = _single_steps | st.builds(
    lambda at_most, until, inner: Step(repeat=Repeat(at_most, until, tuple(inner))),
    st.integers(0, 30),
    st.dictionaries(words, plain, max_size=2),
    st.lists(_single_steps, max_size=2),
)
file_specs = st.builds(
    FileSpec,
    kind=st.sampled_from(("file", "directory", "fifo", "symlink", "absent")),
    text=st.none() | words,
    base64=st.none() | st.binary(max_size=20),
    sample=st.sampled_from((None, "approve", "block")),
    pad_bytes=st.none() | st.integers(0, 10**9),
    target=st.none() | words,
    mode=st.none() | st.integers(0, 0o7777),
    age_s=st.none() | st.floats(-1e9, 1e9),
)
worlds = st.builds(
    World, st.just(CLOCK), st.dictionaries(words, file_specs, max_size=3), st.dictionaries(words, plain, max_size=3)
)
scenarios = st.builds(
    Scenario,
    format=st.just(1),
    id=words,
    title=words,
    system=words,
    profile=words,
    clauses=st.lists(words, max_size=3).map(tuple),
    world=worlds,
    steps=st.lists(steps, max_size=4).map(tuple),
    seed=st.integers(0, 2**63 - 1),
    group=st.none() | words,
    full_length=st.booleans(),
    allowed=st.lists(st.dictionaries(words, plain, max_size=2), max_size=2).map(tuple),
)
entries = st.builds(
    Entry,
    n=st.integers(0, 1000),
    process=st.integers(0, 5),
    type=st.sampled_from(EntryType),
    op=words,
    value=st.dictionaries(words, plain, max_size=3),
    now=st.just(CLOCK),
    faults=st.lists(st.builds(Injection, faults, st.booleans(), words), max_size=2).map(tuple),
    files=st.dictionaries(
        words, st.builds(FileFact, words, st.integers(0, 2**40), words, st.floats(-1e12, 1e12)), max_size=2
    ),
    inputs=st.dictionaries(
        words, st.builds(InputFact, words, st.integers(0, 2**40), st.none() | st.binary(max_size=30)), max_size=2
    ),
)


def clause(id_="T-1", level=Level.MUST, *, profiles=None, readings=(), ambiguous=False) -> Clause:
    """A clause of the system ``toy``."""
    return Clause(
        id=id_,
        system="toy",
        statement=f"{id_} holds",
        level=level,
        source="1",
        kind="behaviour",
        witness="it was asked",
        profiles={"gate": None} if profiles is None else profiles,
        ambiguous=ambiguous,
        readings={name: Reading(name) for name in readings},
    )


def catalogue(*clauses: Clause) -> Catalogue:
    """A catalogue of these clauses."""
    return Catalogue("toy", ("a document",), clauses)


def passed(clause_id="T-1", *, readings=None, witnesses=1) -> Finding:
    """A PASS."""
    return Finding(clause_id, CheckVerdict.PASS, readings, witnesses)


def failed(clause_id="T-1", *, reason="", observed="it did not", witnesses=1) -> Finding:
    """A FAIL."""
    return Finding(clause_id, CheckVerdict.FAIL, None, witnesses, reason, "it holds", observed)


def inconclusive(clause_id="T-1", reason="") -> Finding:
    """An INCONCLUSIVE."""
    return Finding(clause_id, CheckVerdict.INCONCLUSIVE, reason=reason)


def judged(name: str, *findings: Finding, size=10, profile="gate") -> JudgedScenario:
    """A scenario with these findings."""
    return JudgedScenario(name, profile, size, findings)
