"""What a run of a scenario has covered: which clause, under which fault, by which operation, in which state."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from harness.core.finding import CheckVerdict, Finding
from harness.core.history import Completed, Entry, History, InputFact
from harness.core.scenario import Scenario, Step

CALM = "calm"
ANY = "-"
MANY = 2  # prior operations, or files written, beyond which a state is the same
LARGE_BYTES = 1024 * 1024
RESET = "reset"


class Feature(NamedTuple):
    """One thing covered; ``fault`` is calm when none was proven, ``state`` says a few words."""

    clause: str
    fault: str
    operation: str
    state: str


def features(history: History, findings: Sequence[Finding], unsteady: Callable[[str], bool]) -> frozenset[Feature]:
    """Everything that a judged history covers.

    What ran beside something else, or under a fault that strikes while an operation runs, may end differently next
    time: of that only clause, fault and operation count.
    """
    clauses = [finding.clause for finding in findings if finding.verdict is CheckVerdict.PASS and finding.witnesses]
    found: set[Feature] = set()
    prior = 0
    for done in history.operations():
        if done.begin.op == RESET:
            prior = 0
            continue
        names = proven(done) or (CALM,)
        shaky = done.begin.process > 0 or any(unsteady(name) for name in names)
        state = ANY if shaky else _state(done, prior)
        found.update(Feature(clause, name, done.begin.op, state) for clause in clauses or [ANY] for name in names)
        prior += 1
    return frozenset(found)


def proven(done: Completed) -> tuple[str, ...]:
    """The names of the faults that this operation is known to have met."""
    entries: tuple[Entry, ...] = (done.begin,) if done.end is None else (done.begin, done.end)
    return tuple(sorted({each.fault.name for entry in entries for each in entry.faults if each.armed and each.proof}))


def refused(scenario: Scenario, history: History) -> Mapping[str, str]:
    """The faults of the scenario that nothing proved, each with the reason: such a run shows nothing about them."""
    wanted = struck_by(scenario)
    met: set[str] = set()
    reasons: dict[str, str] = {}
    for entry in history.entries:
        for each in entry.faults:
            if each.armed and each.proof:
                met.add(each.fault.name)
            elif not each.armed:
                reasons[each.fault.name] = each.proof
    return {name: reasons.get(name, "nothing proved that it stood") for name in wanted if name not in met}


def struck_by(scenario: Scenario) -> tuple[str, ...]:
    """The names of the faults in the scenario's steps."""
    return tuple(dict.fromkeys(step.fault.name for step in _all_steps(scenario.steps) if step.fault is not None))


def _all_steps(steps: Sequence[Step]) -> list[Step]:
    found: list[Step] = []
    for step in steps:
        found += [step] if step.repeat is None else _all_steps(step.repeat.steps)
    return found


def _state(done: Completed, prior: int) -> str:
    inputs = [f"{label} {_kind(fact)}" for label, fact in sorted(done.begin.inputs.items())]
    before = done.begin.files
    after = before if done.end is None else done.end.files
    written = [fact.kind for path, fact in after.items() if path not in before or before[path].sha256 != fact.sha256]
    answer = "no answer" if done.end is None else str(done.end.value.get("decision", done.end.type.value))
    wrote = "many" if len(written) > MANY else ("+".join(sorted(written)) or "nothing")
    return "; ".join([*inputs, f"after {min(prior, MANY)}", f"wrote {wrote}", answer])


def _kind(fact: InputFact) -> str:
    if fact.kind != "file":
        return fact.kind
    return "empty" if not fact.size else "large" if fact.size > LARGE_BYTES else "file"
