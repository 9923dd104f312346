"""A plan of which no phase runs. Pure. Clauses AB-NRT-02, 03 and 05, AB-CLS-02, AB-STA-05."""

from typing import Any, Final

from harness.systems.phase_runner.contract import StartArguments
from harness.systems.phase_runner.contract.words import PHASES_DIRECTORY, FailureType, Mode, Problem
from harness.systems.phase_runner.oracle.asking import Call, is_same
from harness.systems.phase_runner.oracle.graph import Problems, is_cycle
from harness.systems.phase_runner.oracle.plans import Plan
from harness.systems.phase_runner.oracle.run import Book

_NO_PHASE: Final = "no phase of a plan that is wrong runs, and it is told what is wrong"
_GRAPHS: Final = frozenset((Problem.CYCLE, Problem.SELF_DEPENDENCY, Problem.UNKNOWN_ID))
_FINAL: Final = (FailureType.CIRCULAR_DEPENDENCY, FailureType.PLAN_INVALID)


def judge_plan_error(plan: Plan, problems: Problems, call: Call, book: Book) -> None:
    """What is answered to a plan that has these problems."""
    clauses = _clauses(problems)
    answer = call.answer
    if answer.error is None or answer.launch or answer.completed:
        for clause in clauses:
            book.breaks(clause, _NO_PHASE, call.said[:400])
        return
    error = answer.error
    if error.type not in _FINAL:
        book.breaks("AB-CLS-02", "what is wrong with a plan cannot be retried", f"the type is {error.type.value}")
        return
    book.agrees("AB-CLS-02", "what is wrong with a plan cannot be retried")
    is_cyclic = error.problem is Problem.CYCLE
    wanted = FailureType.CIRCULAR_DEPENDENCY if is_cyclic else FailureType.PLAN_INVALID
    if error.problem not in problems.told or error.type is not wanted or not error.message.strip():
        for clause in clauses:
            book.breaks(clause, _NO_PHASE, f"the problem is {error.problem.value}, the type {error.type.value}")
        return
    written = _written(call)
    if written:
        book.breaks("AB-NRT-05", "before a plan is sound nothing is written", f"{written[0]} is another one")
        return
    concerned = problems.concerned.get(error.problem, frozenset())
    if concerned and not is_cyclic and error.phases and not concerned & set(error.phases):
        book.breaks("AB-NRT-05", _NO_PHASE, f"it is about {min(error.phases)[:80]!r}")
        return
    if is_cyclic and not is_cycle(error.edges, plan):
        book.breaks("AB-NRT-02", "the edges of the cycle", f"they are {error.edges!r}"[:400])
        return
    for clause in clauses:
        readings = ("before",) if clause in ("AB-NRT-02", "AB-NRT-05") else None
        book.agrees(clause, _NO_PHASE, readings)


def _written(call: Call) -> list[str]:
    """The records that the operation changed, but a fresh start."""
    if Mode.FRESH in call.args.modes or not call.found or not call.left:
        return []
    paths = [path for path in {**call.found, **call.left} if path.startswith(f"{PHASES_DIRECTORY}/")]
    return [path for path in paths if not is_same(call.found.get(path), call.left.get(path))]


def _clauses(problems: Problems) -> list[str]:
    """The clauses of which a plan with these problems is a case."""
    clauses = ["AB-NRT-02"] if problems.told == {Problem.CYCLE} else []
    if problems.told <= _GRAPHS:
        clauses.append("AB-NRT-03")
    if Problem.CYCLE not in problems.told:
        clauses.append("AB-NRT-05")
    if problems.told == {Problem.DUPLICATE_ID}:
        clauses.append("AB-STA-05")
    return clauses or ["AB-NRT-05"]


def judge_refused_plan(args: StartArguments, error: Any, book: Book) -> None:
    """A plan that is one is told to be none."""
    clause = {Problem.CYCLE: "AB-NRT-02", Problem.SELF_DEPENDENCY: "AB-NRT-03", Problem.UNKNOWN_ID: "AB-NRT-03",
              Problem.DUPLICATE_ID: "AB-STA-05"}.get(error.problem, "AB-NRT-05")  # fmt: skip
    book.breaks(
        clause, "a plan that is sound starts", f"{error.problem.value}: {error.message[:200]} of {args.plan_path}"
    )
