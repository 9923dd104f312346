"""The rules that bind only hooks that follow document 004 (group power_steering), as far as they show outside. Pure.

Each compares a session that the hook blocks, or approves, in calm weather with the same session in one situation of
the document. They join the table of stop_hook_rules. Configuration, variables and links are in stop_hook_settings.py.
"""

from collections.abc import Callable, Iterable

from harness.systems.rules import Judgement, combine, failed, passed
from harness.systems.stop_gate.contract import (
    INVALID_LINES_TOLERATED,
    RUNTIME_DIRECTORY,
    SEMAPHORE_LIFETIME_S,
    SEMAPHORE_NAME,
    SUMMARY_NAME,
    TRANSCRIPT_LIMIT_BYTES,
    Decision,
)
from harness.systems.stop_gate.oracle import struck, transcript, weather
from harness.systems.stop_gate.oracle.gate_paths import seconds
from harness.systems.stop_gate.oracle.session import BLOCKS_BEFORE_MERCY
from harness.systems.stop_gate.oracle.stop_hook_rules import RULES
from harness.systems.stop_gate.oracle.stop_hook_stops import Stop, StopHistory
from harness.systems.stop_gate.oracle.transcript import Answer3, Transcript

GroupRule = Callable[[StopHistory], Judgement | None]
WHOLE_SECOND_S = 1.0 - 1e-6  # what is lost when a time is cut to a whole second
MACHINE_S = 30.0  # how long ago the world may have been made, by the machine's own clock
SKEW_S = 60.0  # of clocks, within which a semaphore from the future may count


def steering(clause_id: str) -> Callable[[GroupRule], GroupRule]:
    """Registers a rule that looks only at histories of hooks that declare the group."""

    def register(function: GroupRule) -> GroupRule:
        @RULES.rule(clause_id)
        def in_group(view: StopHistory) -> Judgement | None:
            return function(view) if view.in_group else None

        in_group.__doc__ = function.__doc__
        return function

    return register


def semaphore_of(stop: Stop) -> str:
    """Where document 004 puts the semaphore of the stop's session."""
    return f"{RUNTIME_DIRECTORY}/{SEMAPHORE_NAME.replace('{session_id}', str(stop.given_id))}"


def summary_folder(stop: Stop) -> str:
    """Where document 004 puts the summary of the stop's session."""
    return f"{RUNTIME_DIRECTORY}/{stop.given_id}"


def semaphore_ages(view: StopHistory, stop: Stop) -> tuple[float, float] | None:
    """The least and the most that the hook may have found the semaphore's age to be, in seconds.

    None when the scenario put none there, or it moves. A clock that was moved goes on from where the machine's is, so
    the least is exact and the most is not; one that stands still was stopped at a whole second.
    """
    path = semaphore_of(stop)
    spec, fact = view.scenario.world.files.get(path), stop.before.get(path)
    if spec is None or spec.age_s is None or fact is None or weather.stirred(path, stop.injections):
        return None
    start = seconds(view.scenario.world.clock)
    began, ended = stop.moments or (start, start)
    made = fact.mtime_s or start - spec.age_s
    cut_s = WHOLE_SECOND_S if any(fault.name == "clock.frozen" for fault in stop.faults) else 0.0
    return began - made - cut_s, max(began, ended) - made + MACHINE_S


def unfinished(view: StopHistory) -> Iterable[Stop]:
    """The judged stops of sessions that the hook blocks, as controls in the same history show.

    Repetitions are none: who was blocked before may be let go.
    """
    if not view.guard_blocks:
        return []
    return [
        stop
        for stop in view.subjects
        if stop.sample == "block"
        and stop.arguments.role != "repeat"
        and not stop.arguments.stop_hook_active
        and stop.held < BLOCKS_BEFORE_MERCY
    ]


def unmarked(view: StopHistory) -> Iterable[Stop]:
    """Those of them that no semaphore of document 004 may let go before they are looked at."""
    return [stop for stop in unfinished(view) if semaphore_of(stop) not in stop.before]


def gets(decision: Decision, stop: Stop, because: str, *, readings: Iterable[str] | None = None) -> Judgement:
    """The stop's session has to get that decision, by the hook itself."""
    right = stop.blocked if decision is Decision.BLOCK else stop.approved
    expected = f"{decision.value}: {because}"
    return passed(expected, stop.answer, readings=readings) if right else failed(expected, stop.answer)


def lines_of(stop: Stop) -> Transcript | None:
    """The stop's transcript line by line; None when its bytes are not known."""
    fact = stop.transcript
    return transcript.read(fact.data or b"") if fact.kind == "file" and not (fact.size and fact.data is None) else None


def whole(judgements: Iterable[Judgement], *, sides: int) -> Judgement | None:
    """The judgements as one; a pass needs the situation from every one of its ``sides``."""
    found = list(judgements)
    judgement = combine(found)
    expectations = {each.expected for each in found}
    return judgement if judgement is None or not judgement.ok or len(expectations) >= sides else None


def _only(stop: Stop, name: str) -> bool:
    """Of what may change a hook's mind only that fault stands, and it was proven."""
    return any(fault.name == name for fault in stop.faults) and stop.steady(name, follower=True)


def settled(stop: Stop) -> bool:
    """Nothing stands against the stop that may change the mind of a hook that follows document 004."""
    return not stop.unproven and stop.steady(follower=True)


def _invalid(stop: Stop) -> int | None:
    if not _only(stop, "jsonl.garbage_lines"):
        return None
    lines = lines_of(stop)
    if lines is not None:
        return lines.invalid_at_least if lines.invalid_at_least == lines.invalid_at_most else None
    count = next(fault.params.get("count") for fault in stop.faults if fault.name == "jsonl.garbage_lines")
    return count if isinstance(count, int) else None


@steering("PS-TR-03")
def blank_lines(view: StopHistory) -> Judgement | None:
    """004 1.3: blank lines are no errors."""
    return combine(
        gets(Decision.BLOCK, stop, "blank lines are ignored")
        for stop in unmarked(view)
        if _only(stop, "jsonl.blank_lines")
    )


@steering("PS-TR-05")
def ten_invalid_lines(view: StopHistory) -> Judgement | None:
    """004 1.3: the eleventh invalid line is one too many."""
    found: list[Judgement] = []
    for stop in unmarked(view):
        if _invalid(stop) == INVALID_LINES_TOLERATED:
            found.append(gets(Decision.BLOCK, stop, "ten invalid lines are tolerated"))
        elif _invalid(stop) == INVALID_LINES_TOLERATED + 1:
            found.append(gets(Decision.APPROVE, stop, "eleven invalid lines are too many"))
    return whole(found, sides=2)


@steering("PS-TR-06")
def too_many_invalid_lines(view: StopHistory) -> Judgement | None:
    """004 1.3: too many invalid lines end in approval."""
    return combine(
        gets(Decision.APPROVE, stop, "more than ten lines are no JSON")
        for stop in unmarked(view)
        if (_invalid(stop) or 0) > INVALID_LINES_TOLERATED
    )


@steering("PS-TR-07")
def size_limit(view: StopHistory) -> Judgement | None:
    """004 1.4: exactly the limit is analysed, one byte more is not."""
    found: list[Judgement] = []
    for stop in unmarked(view):
        if settled(stop) and stop.transcript.size == TRANSCRIPT_LIMIT_BYTES:
            found.append(gets(Decision.BLOCK, stop, "the transcript has exactly 10*1024*1024 bytes"))
        elif settled(stop) and stop.transcript.size == TRANSCRIPT_LIMIT_BYTES + 1:
            found.append(gets(Decision.APPROVE, stop, "the transcript has one byte more than 10*1024*1024"))
    return whole(found, sides=2)


@steering("PS-TR-08")
def wrong_roles(view: StopHistory) -> Judgement | None:
    """004 1.5: messages without a known role are dropped and the rest decides."""
    return combine(
        gets(Decision.BLOCK, stop, "messages without a known role are dropped, the others decide")
        for stop in unmarked(view)
        if _only(stop, "jsonl.wrong_roles")
    )


def _let_go(view: StopHistory) -> Iterable[Stop]:
    """Finished sessions that were analysed and approved in calm weather, with a plain id that left nothing before.

    What a stop left that was ended on the way is whole after the next one all the same.
    """
    return [
        stop
        for stop in view.stops
        if stop.sample == "approve"
        and settled(stop)
        and stop.approved
        and stop.config.kind == "missing"
        and semaphore_of(stop) not in stop.before
        and (summary_folder(stop) not in stop.before or _left_by_a_kill(stop))
    ]


def _left_by_a_kill(stop: Stop) -> bool:
    return stop.before[summary_folder(stop)].kind == "directory" and any(
        fault.name in struck.KILLS for fault in stop.aftermath
    )


@steering("PS-SES-02")
def semaphore_is_written(view: StopHistory) -> Judgement | None:
    """004 2.2: completion is recorded."""
    expected = "a file .<session_id>_completed stands in the runtime directory after an approval"
    return combine(
        passed(expected) if semaphore_of(stop) in stop.after else failed(expected, "no such file")
        for stop in _let_go(view)
    )


@steering("PS-FS-03")
def summary_is_written(view: StopHistory) -> Judgement | None:
    """004 5.2: the summary has its place."""
    expected = "a file <session_id>/summary.md stands in the runtime directory after an approval"
    return combine(
        passed(expected) if f"{summary_folder(stop)}/{SUMMARY_NAME}" in stop.after
        else failed(expected, "no such file")
        for stop in _let_go(view)
    )  # fmt: skip


@steering("PS-SES-04")
def stale_semaphore(view: StopHistory) -> Judgement | None:
    """004 2.3: an hour counts, more does not."""
    found: list[Judgement] = []
    for stop in unfinished(view):
        ages = semaphore_ages(view, stop)
        if ages is None or not settled(stop):
            continue
        least, most = ages
        if least > SEMAPHORE_LIFETIME_S / 2 and most <= SEMAPHORE_LIFETIME_S:
            found.append(gets(Decision.APPROVE, stop, "a semaphore of less than an hour counts as already run"))
        elif least > SEMAPHORE_LIFETIME_S:
            found.append(gets(Decision.BLOCK, stop, "a semaphore of more than an hour is ignored"))
    return whole(found, sides=2)


@steering("PS-SES-05")
def future_semaphore(view: StopHistory) -> Judgement | None:
    """004 2.3: clock skew neither blocks what deserves approval nor breaks the hook."""
    found: list[Judgement] = []
    for stop in unfinished(view):
        ages = semaphore_ages(view, stop)
        if ages is None or ages[0] >= 0 or not settled(stop):
            continue
        nearest, farthest = -ages[1], -ages[0]
        expected = "the hook answers, with a semaphore from the future counted or ignored"
        if not stop.ended or stop.exit_code not in (0, 2):
            found.append(failed(expected, stop.answer))
        elif farthest <= SKEW_S:
            names = ["ignored"] if stop.blocked else ["ignored_beyond_skew", "counts"]
            found.append(passed(expected, stop.answer, readings=names))
        elif nearest > SKEW_S:
            names = ["ignored_beyond_skew", "ignored"] if stop.blocked else ["counts"]
            found.append(passed(expected, stop.answer, readings=names))
    return combine(found)


@steering("PS-CON-01")
def conclusive_answers(view: StopHistory) -> Judgement | None:
    """004 6.1: without tool calls the last answer decides."""
    found: list[Judgement] = []
    for stop in view.stops:
        lines = lines_of(stop)
        if stop.sample or not settled(stop) or not stop.started or lines is None or not lines.is_sure:
            continue
        messages = lines.sure_messages
        spoken = [message for message in messages if message.role == "assistant"]
        if not spoken or messages[-1] is not spoken[-1] or any(message.tools for message in messages):
            continue
        if any(message.mark is not Answer3.NO for message in messages):
            continue
        if spoken[-1].text.rstrip().endswith("?"):
            found.append(gets(Decision.BLOCK, stop, "the session ends with an open question"))
        else:
            found.append(gets(Decision.APPROVE, stop, "the session ends with a plain answer"))
    return whole(found, sides=2)


@steering("PS-LOOP-01")
def semaphore_comes_first(view: StopHistory) -> Judgement | None:
    """004 7.1: a session that already ran is not analysed again."""
    return combine(
        gets(Decision.APPROVE, stop, "a fresh semaphore stands there")
        for stop in unfinished(view)
        if settled(stop) and _ran_lately(view, stop)
    )


def _ran_lately(view: StopHistory, stop: Stop) -> bool:
    least, most = semaphore_ages(view, stop) or (-1.0, -1.0)
    return least > 0 and most <= SEMAPHORE_LIFETIME_S


@steering("PS-LOOP-02")
def only_approval_marks(view: StopHistory) -> Judgement | None:
    """004 7.1: a block writes no semaphore; whether an early approval does is open."""
    held = (stop for stop in view.stops if isinstance(stop.given_id, str) and not stop.together)
    found: list[Judgement] = []
    for stop in held:
        path = semaphore_of(stop)
        if path in stop.before or weather.stirred(path, stop.injections):
            continue
        if stop.killed and stop.sample == "block" and view.guard_blocks and path in stop.after:
            found.append(failed("what was ended before an approval leaves no semaphore", "it stands there"))
        if not stop.blocked:
            continue
        again = any(
            later.given_id == stop.given_id and later.epoch == stop.epoch and later.began > stop.began
            for later in view.stops
        )
        marked = path in stop.after
        if marked:
            found.append(failed("a block leaves no semaphore", "the semaphore stands there after a block"))
        elif again:
            found.append(passed("a block leaves no semaphore", "none was left"))
    if not found:
        return None
    for stop in view.subjects:
        if (
            stop.approved
            and stop.told_transcript
            and stop.transcript.kind == "missing"
            and semaphore_of(stop) not in stop.before
        ):
            marked = semaphore_of(stop) in stop.after
            reading = "early_too" if marked else "analysed_only"
            found.append(passed("an early approval marks completion, or not", reading, readings=[reading]))
    return combine(found)


@steering("PS-LOOP-03")
def own_prompt_is_known(view: StopHistory) -> Judgement | None:
    """004 7.2: a session whose last message is the prompt is let go."""
    open_end = [stop for stop in view.controls if not stop.sample and stop.blocked]
    found: list[Judgement] = []
    for stop in view.subjects:
        lines = lines_of(stop)
        if not open_end or stop.sample or not settled(stop) or lines is None or not lines.is_sure:
            continue
        assistant, anyone = lines.last_has_mark(assistant_only=True), lines.last_has_mark(assistant_only=False)
        expected = "a session whose last message holds the prompt's text is let go"
        if not stop.ended:
            found.append(failed(expected, stop.answer))
        elif assistant is Answer3.YES and anyone is Answer3.YES:
            found.append(gets(Decision.APPROVE, stop, expected))
        elif assistant is Answer3.NO and anyone is Answer3.YES:
            reading = "any_role" if stop.approved else "assistant_only"
            found.append(passed(expected, stop.answer, readings=[reading]))
    return combine(found)
