"""The faults that stood against the operations of a history, and whether the harness itself met them. Pure."""

from harness.core.fault import Injection
from harness.core.finding import CheckVerdict, Finding
from harness.core.history import Completed, Entry, History
from harness.core.scenario import Scenario

# what they damage is what the implementation kept; who keeps nothing is not struck, and shows that nothing is needed
ON_WHAT_IS_KEPT = frozenset({"filesystem.aged", "filesystem.garbled"})


def proven(injection: Injection) -> bool:
    """Did the harness itself meet the fault?"""
    return injection.armed and injection.proof != ""


def injections(begin: Entry, end: Entry | None) -> tuple[Injection, ...]:
    """The faults of an operation: those standing when it began, with the proof that its end may have brought."""
    if end is None or not end.faults:
        return begin.faults
    later = list(end.faults)
    found: list[Injection] = []
    for injection in begin.faults:
        same = next((each for each in later if each.fault == injection.fault), None)
        if same is not None:
            later.remove(same)
        found.append(same if same is not None and not proven(injection) else injection)
    return (*found, *later)


def faults_of(done: Completed) -> tuple[Injection, ...]:
    """The faults of an operation, as ``injections``."""
    return injections(done.begin, done.end)


def on_the_way(injection: Injection, path: str) -> bool:
    """Does the fault strike that path or a directory above it?"""
    struck = injection.fault.path
    return struck is not None and (path == struck or path.startswith(struck.rstrip("/") + "/"))


def unproven(history: History) -> str:
    """Why a history shows less than its scenario asked for, in a sentence; empty when every fault was met.

    A fault that was refused counts each time, one without proof when it was never met in the whole history.
    """
    everything = [
        injection
        for done in history.operations()
        for injection in faults_of(done)
        if not injection.fault.params.get("deleted")  # the file without the damage: a control, no fault
    ]
    for injection in everything:
        if not injection.armed:
            return injection.proof or f"the fault {injection.fault.name} could not be put in place on this machine"
    met = {injection.fault.name for injection in everything if proven(injection)}
    names = (injection.fault.name for injection in everything)
    lost = [name for name in names if name not in met and name not in ON_WHAT_IS_KEPT]
    return f"the fault {lost[0]} was put in place, and nothing shows that it struck" if lost else ""


def withheld(findings: tuple[Finding, ...], scenario: Scenario, history: History) -> tuple[Finding, ...]:
    """``findings``; when a fault could not be proven, what the scenario is meant for is not established by it."""
    why = unproven(history)
    if not why:
        return findings
    decided = (CheckVerdict.FAIL, CheckVerdict.HARNESS_ERROR)
    return tuple(
        finding
        if finding.clause not in scenario.clauses or finding.verdict in decided
        else Finding(finding.clause, CheckVerdict.INCONCLUSIVE, reason=why)
        for finding in findings
    )


def unshown(scenario: Scenario, history: History) -> tuple[Finding, ...]:
    """What a run that the harness gave up says of the clauses its scenario is meant for: nothing, and why."""
    why = f"the harness gave this run up: {history.given_up}"
    return tuple(Finding(clause, CheckVerdict.INCONCLUSIVE, reason=why) for clause in sorted(scenario.clauses))
