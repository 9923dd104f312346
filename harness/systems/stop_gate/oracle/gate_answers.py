"""Rules on the decision, the prompt and the summary: document 004, sections 6 to 9. Pure."""

from collections.abc import Iterator

from harness.core.fault import Injection
from harness.systems.rules import Judgement, combine, failed, passed
from harness.systems.stop_gate import contract
from harness.systems.stop_gate.contract import CheckerOutcome, LogCode
from harness.systems.stop_gate.oracle.gate_rules import RULES, as_permitted
from harness.systems.stop_gate.oracle.gate_view import Check, GateView
from harness.systems.stop_gate.oracle.session import ANALYSED, ENDED_WELL, Outcome
from harness.systems.stop_gate.oracle.transcript import MODIFYING_TOOLS, Answer3, Message, Transcript

BLOCKS_AT_MOST = 25  # PS-LOOP-04, reading bounded
RESTARTED = "process.restarted"
QUOTED_CHARACTERS = 500  # longer objectives may be shortened in a summary
LONG_PLACEHOLDER, SHORT_PLACEHOLDER = contract.UNKNOWN_OBJECTIVE


def summarised(view: GateView) -> Iterator[tuple[Check, Transcript, str]]:
    """The checks approved at the end of an analysis of a sure transcript, with the summary that was given."""
    for check in view.where(*ENDED_WELL):
        transcript, answer = check.facts.transcript, check.answer
        if transcript is None or not transcript.is_sure or answer is None or not check.approved:
            continue
        if answer.summary is not None or check.outcomes == {Outcome.ONLY_WARNINGS}:
            yield check, transcript, answer.summary or ""


@RULES.rule("PS-CON-01")
def conclusive(view: GateView) -> Judgement | None:
    """6.1: without tool calls a plain answer ends the session and an open question does not."""
    judgements: list[Judgement] = []
    for check in view.judged():
        transcript = check.facts.transcript
        if check.args.considerations is not None or transcript is None or not transcript.is_sure:
            continue
        if not check.outcomes <= ANALYSED or any(message.tools for message in transcript.sure_messages):
            continue
        wanted = _qa_decision(transcript.sure_messages)
        if wanted is not None:
            observed = check.answer is not None and check.answer.decision == wanted
            expected = f"{wanted}: the last answer is {'plain' if wanted == 'approve' else 'an open question'}"
            judgements.append(passed(expected) if observed else failed(expected, check.said))
    return combine(judgements)


def _qa_decision(messages: tuple[Message, ...]) -> str | None:
    """What a session of question and answer deserves, None when it is not as plain as that."""
    if len(messages) < 2 or not all(message.text_is_sure for message in messages):
        return None
    first, last = messages[0], messages[-1]
    if first.role != "user" or last.role != "assistant":
        return None
    if last.text.rstrip().endswith("?"):
        return "block"
    plain = first.text.rstrip().endswith("?") and last.text.rstrip().endswith(".") and "?" not in last.text
    return "approve" if plain else None


@RULES.rule("PS-CON-02")
def objective(view: GateView) -> Judgement | None:
    """6.2: the objective is the first user message's text, or a placeholder."""
    judgements: list[Judgement] = []
    for _check, transcript, summary in summarised(view):
        users = [message for message in transcript.sure_messages if message.role == "user"]
        if not users:
            readings = {"long_form"} if LONG_PLACEHOLDER in summary else set()
            readings |= {"short_form"} if SHORT_PLACEHOLDER in summary and not readings else set()
            judgements.append(passed(f"{LONG_PLACEHOLDER!r} in the summary", _start(summary), readings=readings))
        elif users[0].text_is_sure and 0 < len(users[0].text) <= QUOTED_CHARACTERS:
            text = users[0].text
            found = all(" ".join(part.split()) in " ".join(summary.split()) for part in text.split("\n"))
            expected = f"the first user message in the summary: {text[:80]!r}"
            judgements.append(passed(expected) if found else failed(expected, _start(summary)))
    return combine(judgements)


def is_cut(summary: str) -> bool:
    """Is it as long as a summary may be, so that anything may have been cut from its end (9.3)?"""
    return len(summary) >= contract.SUMMARY_LIMIT_CHARACTERS


def _start(summary: str) -> str:
    return f"a summary that begins {summary[:160]!r}" if summary else "no summary"


@RULES.rule("PS-LOOP-03")
def own_prompt(view: GateView) -> Judgement | None:
    """7.2: a session whose last message is the gate's own prompt may end."""
    judgements: list[Judgement] = []
    for check in view.judged():
        transcript = check.facts.transcript
        if transcript is None or not transcript.is_sure or not check.would_block:
            continue
        if not check.outcomes <= {Outcome.PROMPT, Outcome.BLOCK} or Outcome.PROMPT not in check.outcomes:
            continue
        judgement = as_permitted(check)
        marks = {
            "any_role": transcript.last_has_mark(assistant_only=False),
            "assistant_only": transcript.last_has_mark(assistant_only=True),
        }
        if judgement.ok and Answer3.MAYBE not in marks.values():
            said = Answer3.YES if check.approved else Answer3.NO
            readings = {name for name, mark in marks.items() if mark is said}
            judgement = passed(judgement.expected, judgement.observed, readings=readings)
        if judgement.ok and check.answer is not None and check.approved and check.answer.prompt:
            judgement = failed(f"{judgement.expected}, no prompt", check.said)
        judgements.append(judgement)
    return combine(judgements)


@RULES.rule("PS-LOOP-04")
def bounded(view: GateView) -> Judgement | None:
    """7.2 (derived): blocks come to an end, with the prompt at the end of the transcript and without."""
    judgements: list[Judgement] = []
    for segment in sorted({check.segment for check in view.checks}):
        checks = [check for check in view.answered() if check.segment == segment and check.would_block]
        for session_id in dict.fromkeys(check.args.session_id for check in checks):
            mine = [check for check in checks if check.args.session_id == session_id]
            judgements += _blocks(mine)
            judgements += _identical(mine)
    return combine(judgements)


def _identical(checks: list[Check]) -> list[Judgement]:
    """The judgement on stops that are the same in everything, also without the prompt in the transcript."""
    expected = f"approve after at most {BLOCKS_AT_MOST} identical stops that were blocked"
    in_a_row = 0
    for check, before in zip(checks, [None, *checks], strict=False):
        if before is not None and (check.args != before.args or _weather(check) != _weather(before)):
            in_a_row = 0
        if check.blocked:
            in_a_row += 1
        elif (
            check.approved and not check.gave_up and not check.overlapped and in_a_row > 2
        ):  # two blocks and an approval are no loop that was ended
            return [passed(expected)]
        if in_a_row > BLOCKS_AT_MOST:
            return [failed(expected, f"{in_a_row} identical stops were blocked in a row")]
    return []


def _weather(check: Check) -> list[Injection]:
    """The faults that make a stop another one: a process that is started anew is asked the same."""
    return [injection for injection in check.injections if injection.fault.name != RESTARTED]


def _blocks(checks: list[Check]) -> list[Judgement]:
    """The judgement on the stops of one session that follow a block and end with the prompt."""
    first = next((position for position, check in enumerate(checks) if check.blocked), None)
    after = [check for check in checks[first + 1 :] if Outcome.PROMPT in check.outcomes] if first is not None else []
    if not after:
        return []
    expected = f"approve after at most {BLOCKS_AT_MOST} blocks"
    if any(check.answer is None for check in after):
        return [failed(expected, next(check.said for check in after if check.answer is None))]
    if any(check.approved for check in after):
        return [passed(expected)]
    surely = all(check.outcomes == {Outcome.PROMPT} for check in after)
    if surely or len(after) > BLOCKS_AT_MOST:
        return [failed(expected, f"{len(after)} blocks in a row, the prompt last in the transcript")]
    return []


@RULES.rule("PS-PRM-01")
def nothing_failed(view: GateView) -> Judgement | None:
    """8.1: a prompt for no failure is a reported defect with a fixed text; one for a failure is not."""
    judgements: list[Judgement] = []
    witnessed = False
    for prompt in view.prompts:
        text = None if prompt.result is None else prompt.result.get("prompt")
        if prompt.args.get("failed"):
            if text == contract.PROMPT_WITHOUT_FAILURES:
                judgements.append(failed("control: a prompt about the failure", repr(text)))
            continue
        witnessed = True
        expected = f"{contract.PROMPT_WITHOUT_FAILURES!r} and an error in the log"
        told = any(entry.level == "error" and entry.says(LogCode.PROMPT_WITHOUT_FAILURES) for entry in prompt.log)
        right = text == contract.PROMPT_WITHOUT_FAILURES and told
        judgements.append(passed(expected) if right else failed(expected, f"{str(text)[:120]!r}, error: {told}"))
    return combine(judgements) if witnessed else None


@RULES.rule("PS-PRM-02")
def blockers_decide(view: GateView) -> Judgement | None:
    """8.2: a completed analysis blocks exactly when a failed consideration is a blocker."""
    return combine(
        as_permitted(check)
        for check in view.judged()
        if check.analysed and check.decision is not None and check.args.considerations is not None
    )


@RULES.rule("PS-PRM-03")
def only_warnings(view: GateView) -> Judgement | None:
    """8.2: warnings alone give approve [only_warnings], no prompt, and a summary that names them."""
    judgements: list[Judgement] = []
    for check in view.where(Outcome.ONLY_WARNINGS):
        failures = [item.id for item in check.args.considerations or () if item.outcome is CheckerOutcome.FAILED]
        expected = f"approve [only_warnings], no prompt, a summary that names {failures}"
        answer = check.answer
        if not check.permitted or answer is None or answer.prompt:
            judgements.append(failed(expected, check.said))
        elif not answer.summary or not (is_cut(answer.summary) or all(name in answer.summary for name in failures)):
            judgements.append(failed(expected, _start(answer.summary or "")))
        else:
            judgements.append(passed(expected))
    return combine(judgements)


@RULES.rule("PS-PRM-04")
def recognisable(view: GateView) -> Judgement | None:
    """7.2: every continuation prompt holds the text by which the loop rule knows it."""
    texts = [check.answer.prompt for check in view.judged() if check.answer is not None and check.blocked]
    asked = (prompt for prompt in view.prompts if prompt.args.get("failed"))
    texts += [prompt.result.get("prompt") for prompt in asked if prompt.result is not None]
    expected = f"a prompt with {contract.PROMPT_MARK!r}"
    return combine(
        passed(expected)
        if isinstance(text, str) and contract.PROMPT_MARK in text
        else failed(expected, repr(text)[:160])
        for text in texts
    )


@RULES.rule("PS-SUM-01")
def summary_anyway(view: GateView) -> Judgement | None:
    """9.1: without an objective there is a summary all the same."""
    judgements: list[Judgement] = []
    gives = any(check.answer is not None and check.answer.summary for check in view.where(Outcome.SATISFIED))
    for check in view.where(*ENDED_WELL):
        transcript = check.facts.transcript
        if transcript is None or not transcript.is_sure:
            continue
        if any(message.role == "user" for message in transcript.sure_messages):
            continue
        if check.outcomes != {Outcome.ONLY_WARNINGS} and not gives:
            continue  # nobody says that this approval carries a summary
        given = check.permitted and check.answer is not None and bool(check.answer.summary)
        judgements.append(passed("a summary") if given else failed(f"{check.wanted}, with a summary", check.said))
    return combine(judgements)


@RULES.rule("PS-SUM-02")
def files(view: GateView) -> Judgement | None:
    """9.2: one line for each file, or the fixed text when there was none."""
    judgements: list[Judgement] = []
    for _check, transcript, summary in summarised(view):
        if is_cut(summary):
            continue
        tools = [tool for message in transcript.sure_messages for tool in message.tools]
        if not tools:
            expected = f"{contract.NO_FILES_TEXT!r} in the summary"
            judgements.append(
                passed(expected) if contract.NO_FILES_TEXT in summary else failed(expected, _start(summary))
            )
            continue
        paths = [str(given["file_path"]) for name, given in tools if name in MODIFYING_TOOLS and _names_file(given)]
        if not paths:
            continue  # whether reading a file is a file operation is not said
        lines = [line.strip() for line in summary.splitlines()]
        expected = f"a line '- <path>' for each of {sorted(set(paths))}"
        right = all(f"- {path}" in lines for path in paths) and contract.NO_FILES_TEXT not in summary
        judgements.append(passed(expected) if right else failed(expected, _start(summary)))
    return combine(judgements)


def _names_file(given: object) -> bool:
    return isinstance(given, dict) and isinstance(given.get("file_path"), str)


@RULES.rule("PS-SUM-03")
def cut(view: GateView) -> Judgement | None:
    """9.3: a summary that is too long is cut to its limit, and says so."""
    judgements: list[Judgement] = []
    whole = contract.SUMMARY_LIMIT_CHARACTERS + len(contract.SUMMARY_CUT_MARK)
    for check, transcript, summary in summarised(view):
        users = [message for message in transcript.sure_messages if message.role == "user"]
        cut_off = summary.endswith(contract.SUMMARY_CUT_MARK)
        observed = f"{len(summary)} characters that end {summary[-24:]!r}"
        length = len(users[0].text) if users and users[0].text_is_sure else 0
        if length > contract.SUMMARY_LIMIT_CHARACTERS:
            expected = f"{whole} characters, the last of them {contract.SUMMARY_CUT_MARK!r}"
            right = cut_off and len(summary) == whole and check.permitted
            judgements.append(passed(expected) if right else failed(expected, observed))
        elif cut_off or length > contract.SUMMARY_LIMIT_CHARACTERS / 2:
            expected = f"not cut, or cut to {whole} characters with the mark"
            right = len(summary) == whole if cut_off else len(summary) <= contract.SUMMARY_LIMIT_CHARACTERS
            judgements.append(passed(expected) if right else failed(expected, observed))
    return combine(judgements)
