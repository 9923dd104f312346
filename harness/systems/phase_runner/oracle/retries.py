"""What a retry is told of the attempt before. Pure. Clauses AB-RTY-02, 05 and 06, AB-ERR-01 to 05."""

import re
from typing import Final

from harness.systems.phase_runner.contract import RetryContext
from harness.systems.phase_runner.contract.words import GUIDANCE, FailureType
from harness.systems.phase_runner.oracle.failures import CLAUSES, OTHER, Outcome
from harness.systems.phase_runner.oracle.run import Book, Phase, Run

_PLACES: Final = ("FILES", "LINT_COMMAND", "LINT_FIX_COMMAND", "TYPECHECK_COMMAND")
_LONGEST: Final = 500  # characters of a text that nobody has to shorten


def judge_context(run: Run, phase: Phase, context: RetryContext | None, book: Book) -> None:
    """The context of a phase that is launched a second time."""
    failure = phase.failures[1]
    told = "the retry is told of the attempt before"
    if context is None:
        book.breaks("AB-RTY-02", told, "there is no context")
        return
    said = f"{context.previous_error_message}\n{context.previous_error_details}"
    is_told = failure.is_silent or (bool(said.strip()) and _holds(said, (failure.message,)))
    book.holds("AB-RTY-02", is_told, told, f"it is told {said[:200]!r} of {failure.message[:100]!r}")
    judge_type(failure, context.previous_error_type, book)
    _judge_fields(failure, context, book)
    _judge_captured(failure, said, book)
    _judge_guidance(run, failure, context.retry_guidance, book)


def judge_type(failure: Outcome, told: str | None, book: Book) -> None:
    """The type of a failure, as it is told."""
    if OTHER in failure.types:
        return
    clause = CLAUSES[min(failure.types)]
    wanted = " or ".join(sorted(failure.types))
    if told not in failure.types:
        book.breaks(clause, f"it failed with {wanted}", f"the type is {str(told)[:60]!r}")
    elif failure.only is not None and not failure.texts:
        book.agrees(clause, f"it failed with {wanted}")


def _judge_fields(failure: Outcome, context: RetryContext, book: Book) -> None:
    counts = (context.tasks_completed, context.tasks_total)
    wanted = (failure.result.tasks_completed, failure.result.tasks_total) if failure.result is not None else counts
    text = "type, message, details, the tasks that were done and guidance"
    book.holds(
        "AB-RTY-05", counts == wanted and bool(context.previous_error_type), text, f"tasks {counts}, not {wanted}"
    )
    said, details = context.previous_error_message.strip(), context.previous_error_details.strip()
    is_absent = failure.result is not None and not failure.result.details.strip() and not failure.texts
    if is_absent and said and details == said:
        book.breaks("AB-RTY-05", "details that are absent are an empty text", f"they are the message: {said[:200]!r}")


def agree_captured(failure: Outcome, said: str, book: Book) -> None:
    """Notes that a failure which is told elsewhere has all that is to be captured of it; there it need not."""
    if failure.texts and all(_holds(said, each) for each in failure.texts):
        book.agrees(CLAUSES[min(failure.types)], "what went wrong is captured")


def _judge_captured(failure: Outcome, said: str, book: Book) -> None:
    if failure.only is None or not failure.texts:
        return
    lost = [each for each in failure.texts if not _holds(said, each)]
    book.holds(CLAUSES[failure.only], not lost, "what went wrong is captured",
               f"{(lost or [('',)])[0][0][:100]!r} is not in {said[:300]!r}")  # fmt: skip


def _holds(said: str, spellings: tuple[str, ...]) -> bool:
    """Is one of the spellings there, as a word of its own when it is a number? What is long may be shortened."""
    flat = " ".join(said.split())
    return any(len(each) > _LONGEST or _is_there(" ".join(each.split()), flat) for each in spellings)


def _is_there(wanted: str, flat: str) -> bool:
    if re.fullmatch(r"[0-9.]+", wanted):
        return re.search(rf"(?<![\w.]){re.escape(wanted)}(?!\.?\d)(?![^\W\d]{{3}})", flat) is not None
    return wanted in flat


def _judge_guidance(run: Run, failure: Outcome, given: str, book: Book) -> None:
    only = failure.only
    if only is None or only == OTHER:
        return
    template = GUIDANCE.get(FailureType(only))
    if template is None:
        readings = ("own_words",) if given.strip() else ("empty",)
        book.agrees("AB-RTY-06", "guidance of its own, or none", readings)
        return
    commands = run.args.commands
    values = {"LINT_COMMAND": commands.lint, "LINT_FIX_COMMAND": commands.lint_fix,
              "TYPECHECK_COMMAND": commands.typecheck}  # fmt: skip
    filled = [*(each for each in values.values() if each), *failure.files]
    wanted = f"the guidance of {only}, filled in"
    if not any(f"{{{place}}}" in text for text in filled for place in _PLACES):
        left = [place for place in _PLACES if f"{{{place}}}" in given]
        if left:
            book.breaks("AB-RTY-06", wanted, f"{left[0]} is left in {given[:200]!r}")
            return
    places = [place for place in _PLACES if f"{{{place}}}" in template]
    has_all = all(values.get(place) or place == "FILES" for place in places)
    parts = re.split(r"\{(\w+)\}", template)
    pattern = "".join(_pattern(part, values) if number % 2 else _plain(part) for number, part in enumerate(parts))
    first = _plain(template.partition(". ")[0])
    is_chosen = re.search(pattern if has_all else first, given, re.DOTALL) is not None
    told = [values.get(place) for place in places]
    is_chosen = is_chosen and all(each in given for each in told if each)
    named = all(file in given for file in failure.files) or "FILES" not in places
    book.holds("AB-RTY-06", is_chosen and named, wanted, f"it is {given[:300]!r}")


def _plain(part: str) -> str:
    return r"\s+".join(re.escape(word) for word in re.split(r"\s+", part))


def _pattern(place: str, values: dict[str, str | None]) -> str:
    value = values.get(place)
    return ".*?" if value is None else re.escape(value)
