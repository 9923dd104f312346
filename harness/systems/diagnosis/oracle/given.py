"""The rules of what is taken from a failure and its context, as a model is told it: DR-IN-01 to DR-IN-04. Pure."""

from collections.abc import Callable, Iterator
from typing import Final

from harness.systems.diagnosis.contract import PREVIOUS_ACTIONS
from harness.systems.diagnosis.oracle.failure import Action, Context, Failure
from harness.systems.diagnosis.oracle.form import incomplete
from harness.systems.diagnosis.oracle.rules import rule
from harness.systems.diagnosis.oracle.view import Observed, View
from harness.systems.diagnosis.oracle.wording import Text, leaves, missing
from harness.systems.rules import Judgement, combine, failed, passed
from harness.systems.stateless import unanswered

LISTED: Final = 20  # entries of a list that nobody has to cut
_DISTINCT: Final = 8  # characters of a text that stands nowhere by chance


def _told(view: View) -> Iterator[tuple[Observed, Failure, Text]]:
    """The failures of the form of the document about which a model was asked, with all it was told."""
    for seen in view.failed:
        texts = [each["prompt"] for each in seen.prompts if isinstance(each.get("prompt"), str)]
        if seen.failure is not None and texts:
            yield seen, seen.failure, Text("\n".join(texts))


def _each(view: View, judged: Callable[[Failure, Context, Text], Judgement | None]) -> Judgement | None:
    return combine(
        judged(failure, failure.context, text) for _, failure, text in _told(view) if failure.context is not None
    )


@rule("DR-IN-01")
def _failure(view: View) -> Judgement | None:
    expected = "tool, args, message, code, stdout, stderr and signal, as far as they were given"

    def judged(failure: Failure, text: Text) -> Judgement:
        lost = missing(
            text,
            (
                ("tool", failure.tool),
                ("args", failure.args),
                ("message", failure.message),
                ("stdout", failure.stdout),
                ("stderr", failure.stderr),
                ("signal", failure.signal),
            ),
        )
        heard = text.holds_value(failure.code)
        if isinstance(failure.code, str) and not lost:
            return passed(expected, readings=("numbers_and_texts",) if heard else ("numbers",))
        lost += [] if heard else ["code"]
        return failed(expected, f"the model was not told: {', '.join(lost)}") if lost else passed(expected)

    return combine(judged(failure, text) for _, failure, text in _told(view))


@rule("DR-IN-02")
def _context(view: View) -> Judgement | None:
    expected = "the available tools, the files and directories of the workspace, and the goal"

    def judged(_: Failure, context: Context, text: Text) -> Judgement:
        lists = (
            ("availableTools", context.available),
            ("files", context.files),
            ("directories", context.directories),
        )
        wanted = [("taskGoal", context.goal), *((name, found) for name, found in lists if len(found) <= LISTED)]
        lost = missing(text, wanted)
        return failed(expected, f"the model was not told: {', '.join(lost)}") if lost else passed(expected)

    return _each(view, judged)


@rule("DR-IN-03")
def _previous(view: View) -> Judgement | None:
    expected = f"the last {PREVIOUS_ACTIONS} previous actions with tool, args and result, and none before them"

    def judged(failure: Failure, context: Context, text: Text) -> Judgement | None:
        if not context.previous:
            return None
        older, last = context.previous[:-PREVIOUS_ACTIONS], context.previous[-PREVIOUS_ACTIONS:]
        lost = [each.tool for each in last if missing(text, (("", [each.tool, each.args, each.result]),))]
        if lost:
            return failed(expected, f"the model was not told of a call of {lost[0]}")
        known = _everything_but(failure, context, last)
        surplus = [each for each in older if _is_distinct(each, known) and text.holds(each.result)]
        return failed(expected, f"the model was told {surplus[0].result!r} too") if surplus else passed(expected)

    return _each(view, judged)


def _everything_but(failure: Failure, context: Context, last: tuple[Action, ...]) -> str:
    """Everything that a model may be told, apart from the actions before the last ones."""
    told: list[object] = [failure.tool, failure.args, failure.message, failure.stdout, failure.stderr, failure.signal]
    told += [context.available, context.files, context.directories, context.goal]
    told += [[each.tool, each.args, each.result] for each in last]
    return "\n".join(str(leaf) for leaf in leaves(told))


def _is_distinct(action: Action, known: str) -> bool:
    result = action.result.strip()
    return len(result) >= _DISTINCT and not Text(known).holds(result)


@rule("DR-IN-04")
def _any_shape(view: View) -> Judgement | None:
    expected = "a complete diagnosis, whatever the shape of the failure and its context"

    def judged(seen: Observed) -> Judgement:
        if not seen.call.answered:
            return unanswered(seen.call, expected)
        wrong = "no diagnosis" if seen.diagnosis is None else incomplete(seen.diagnosis)
        return failed(expected, f"{wrong}: {seen.call.said}") if wrong else passed(expected)

    if view.flags.enabled is not True:
        return None
    return combine(judged(seen) for seen in view.failed if seen.hostile)
