"""The rules that bind every stop hook: SH-01 to SH-08, and the clauses of document 004 that show in any hook. Pure.

A generic hook is known by two samples only, so a fault is held against it by comparison: the same hook, the same
session, with the fault and without. The rules of the group power_steering are in stop_hook_steering.py.
"""

from collections.abc import Callable
from itertools import chain

from harness.systems.stop_gate.contract import STOP_HOOK, Decision, Stdin
from harness.systems.stop_gate.oracle import transcript
from harness.systems.stop_gate.oracle.stop_hook_stops import Stop, StopHistory
from harness.systems.stop_gate.oracle.table import Judgement, Rules, combine, failed, passed

RULES: Rules[StopHistory] = Rules(STOP_HOOK)
Situation = Callable[[Stop], bool]

BLOCKING_EXIT = 2  # stop-hook-contract: to the host, a block
DESTROYS_LINES = frozenset({"jsonl.torn_tail", "jsonl.interleaved"})
ADDS_LINES = frozenset({"jsonl.blank_lines"})  # any other line a hook does not know may make it approve
UNTOUCHING = frozenset({"no permission_mode", "no last_assistant_message", "no hook_event_name"})
STORAGE = frozenset({"filesystem.read_only", "filesystem.full"})
PLACES = ("{home}", "{tmp}", "{project}")  # every place a hook may write
ENDLESS = frozenset(
    {"filesystem.fifo", "filesystem.unreadable", "filesystem.directory", "filesystem.symlink_loop", "jsonl.long_line",
     "filesystem.file_for_directory", "jsonl.deep_nesting", "jsonl.huge_integer", "json_document.deep_nesting",
     "json_document.huge_integer", *STORAGE}
)  # fmt: skip
NO_TEXT = frozenset({"directory", "fifo", "unreadable", "symlink_loop"})
UNDECODABLE = frozenset({"jsonl.bad_utf8", "jsonl.non_object_lines", "jsonl.nul_bytes"})


def odd_weather(stop: Stop) -> bool:
    """A proven fault stood against the stop, or its input was not as a host makes it."""
    return bool(stop.faults) or bool(stop.odd)


def fail_open(view: StopHistory, entered: Situation, *, needs_answer: bool) -> Judgement | None:
    """Every judged stop in that situation lets the session end, as the same hook did in calm weather.

    ``needs_answer``: a stop that its host had to end is a failure, not merely no observation.
    """
    return combine(
        _let_end(view, stop, needs_answer=needs_answer)
        for stop in view.subjects
        if stop.sample != "block" and entered(stop)
    )


def _let_end(view: StopHistory, stop: Stop, *, needs_answer: bool) -> Judgement | None:
    if not view.approves_in_calm:
        return None
    expected = f"the session may end {stop.weather}: without that the hook let it end"
    if not stop.ended:
        return failed(expected, stop.answer) if needs_answer else None
    if stop.approved:
        return passed(expected, stop.answer)
    destroyed = any(fault.name in DESTROYS_LINES for fault in stop.faults)
    if destroyed and view.blocked_without_damage():
        return None  # what the damage took away may itself be the reason of the block
    return failed(expected, stop.answer, reason="a block caused by a fault")


@RULES.rule("SH-01")
def fault_never_blocks(view: StopHistory) -> Judgement | None:
    """Stop-hook-contract: no block caused by a fault; and none of a session that deserves to end."""
    own = [
        failed("the session its owner says deserves to end may end", stop.answer, reason="blocks a finished session")
        for stop in view.controls
        if stop.calm and stop.arguments.deserves is Decision.APPROVE and stop.blocked
    ]
    return combine([*own, fail_open(view, odd_weather, needs_answer=False)])


@RULES.rule("SH-02")
def exit_two_means_block(view: StopHistory) -> Judgement | None:
    """Stop-hook-contract: exit code 2 is a block to the host, so it must be meant as one."""
    calm = view.control_of("block")
    by_json = bool(calm) and all(stop.blocked and stop.exit_code == 0 for stop in calm)
    controls = (stop for stop in view.controls if stop.calm)
    return combine(_exit_code(view, stop, by_json) for stop in chain(controls, view.subjects))


def _exit_code(view: StopHistory, stop: Stop, blocks_by_json: bool) -> Judgement | None:
    if not stop.ended:
        return None
    if stop.sample == "block":
        known, why = blocks_by_json, "in calm weather the hook blocks this session by decision"
    elif stop.arguments.deserves is Decision.APPROVE:
        known, why = True, "the session deserves to end"
    else:
        known, why = stop.sample == "approve" and view.approves_in_calm, "in calm weather the hook lets the session end"
    expected = f"no exit code 2 {stop.weather}: {why}"
    destroyed = any(fault.name in DESTROYS_LINES for fault in stop.faults)
    if stop.exit_code == BLOCKING_EXIT and known and not (destroyed and view.blocked_without_damage()):
        return failed(expected, stop.answer, reason="exit code 2 by accident")
    witnessed = known and odd_weather(stop) and stop.arguments.role != "control"
    witnessed = witnessed and (stop.sample == "block" or view.approves_in_calm)
    return passed(expected, stop.answer) if witnessed and stop.exit_code not in (BLOCKING_EXIT, None) else None


def bounded(view: StopHistory) -> Judgement | None:
    """A session that was blocked and is stopped again and again is let go in the end."""
    found: list[Judgement | None] = []
    expected = "the same session, stopped again and again after a block, may end after a bounded number of blocks"
    for first, repeats in view.runs():
        blocks = sum(stop.blocked for stop in (first, *repeats))
        last = repeats[-1]
        if blocks and last.blocked:
            found.append(failed(expected, f"still blocked after {blocks} blocks, the last {last.weather}"))
        elif blocks and last.approved:
            found.append(passed(expected, f"let go after {blocks} blocks"))
    return combine(found)


@RULES.rule("SH-03")
def blocks_are_bounded(view: StopHistory) -> Judgement | None:
    """Stop-hook-contract: a sound hook stops blocking identical stops."""
    return bounded(view)


@RULES.rule("SH-04")
def ends_in_time(view: StopHistory) -> Judgement | None:
    """Stop-hook-contract: it ends by itself, whatever it is given."""
    found: list[Judgement | None] = []
    for stop in view.stops:
        expected = f"the hook ends within its time {stop.weather}"
        if stop.hung:
            found.append(failed(expected, stop.answer))
        elif stop.ended and _endless(stop) and stop.arguments.role != "control":
            found.append(passed(expected, stop.answer))
    return combine(found)


def _endless(stop: Stop) -> bool:
    arguments = stop.arguments
    closed = arguments.close_stdout or arguments.close_stderr or arguments.stdin is Stdin.KEPT_OPEN
    return closed or any(fault.name in ENDLESS for fault in stop.faults)


@RULES.rule("SH-05")
def output_is_one_object(view: StopHistory) -> Judgement | None:
    """Stop-hook-contract: standard output is for the host alone."""
    found: list[Judgement | None] = []
    calm = odd = False
    for stop in view.stops:
        result = stop.result
        if result is None or not stop.ended or stop.exit_code is None or stop.arguments.close_stdout:
            continue
        expected = f"standard output is empty or one JSON object of the host format {stop.weather}"
        if result.output in ("empty", "object"):
            found.append(passed(expected, f"{result.output} output"))
        else:
            found.append(failed(expected, f"{result.output} output: {result.stdout_excerpt[:80]!a}"))
        calm, odd = calm or stop.calm, odd or odd_weather(stop)
    judgement = combine(found)
    return judgement if judgement is None or not judgement.ok or (calm and odd) else None


def contained(view: StopHistory, judged: Situation, entered: Situation) -> Judgement | None:
    """What those stops write lies where the hook says that it writes; ``entered`` are those that witness it.

    A hook that declares no place is only held to the world's outside; when it writes elsewhere nothing is established.
    """
    found: list[Judgement] = []
    unknown = False
    for stop in filter(judged, view.stops):
        homes = view.homes(stop)
        strays = stop.strays(homes)
        outside = tuple(path for path in strays if path.startswith("{outside}"))
        expected = f"nothing is written outside the declared directories {stop.weather}"
        where = f"declared: {', '.join(homes) or 'nothing'}"
        if outside or (homes and strays):
            found.append(failed(expected, f"changed: {', '.join((outside or strays)[:5])}; {where}"))
        elif strays:
            unknown = True
        elif entered(stop) and stop.ended and stop.arguments.role != "control":
            found.append(passed(expected, f"nothing else was written; {where}"))
    judgement = combine(found)
    return None if unknown and judgement is not None and judgement.ok else judgement


def leads_out(stop: Stop) -> bool:
    """The session id, or a proven link, leads out of the directories the hook declares."""
    links = {"filesystem.link_outside", "filesystem.dangling_link"}
    return stop.hostile_id or any(fault.name in links for fault in stop.faults)


@RULES.rule("SH-06")
def writes_where_declared(view: StopHistory) -> Judgement | None:
    """Stop-hook-contract: whatever its input says, it writes in its own directories only."""
    return contained(view, lambda _: True, leads_out)


@RULES.rule("PS-SES-07")
def ids_stay_inside(view: StopHistory) -> Judgement | None:
    """004 2.2 and 5.3: a session id is no path."""
    return contained(view, lambda stop: stop.hostile_id, lambda stop: stop.hostile_id)


@RULES.rule("SH-07")
def leaves_no_process(view: StopHistory) -> Judgement | None:
    """Stop-hook-contract: what it starts ends with it."""
    expected = "no process is left when the hook has ended"
    return combine(
        failed(expected, f"left {stop.weather}: {', '.join(stop.result.children_left[:5])}")
        if stop.result.children_left
        else passed(expected)
        for stop in view.stops
        if stop.result is not None and stop.ended
    )


@RULES.rule("SH-08")
def guard_is_alive(view: StopHistory) -> Judgement | None:
    """Stop-hook-contract: the session it says it blocks is blocked."""
    calm = [stop for stop in view.controls if stop.calm]
    return combine(
        _alive(stop) for stop in (*calm, *filter(_verdict_untouched, view.subjects)) if _deserves_block(stop)
    )


def _deserves_block(stop: Stop) -> bool:
    return stop.arguments.deserves is Decision.BLOCK and stop.started


def _alive(stop: Stop) -> Judgement:
    expected = f"the session its owner says it blocks is blocked {stop.weather}"
    return passed(expected, stop.answer) if stop.blocked else failed(expected, stop.answer, reason="the guard is dead")


def _verdict_untouched(stop: Stop) -> bool:
    """The fault or the input leaves the session as it is, and no hook a reason to let it end instead."""
    if stop.arguments.role == "repeat" or not odd_weather(stop) or not stop.odd <= UNTOUCHING:
        return False
    return all(injection.fault.name in ADDS_LINES for injection in stop.injections)


@RULES.rule("PS-FO-01")
def default_is_approve(view: StopHistory) -> Judgement | None:
    """004 Core Principle: whatever goes wrong, the user can stop."""
    return fail_open(view, odd_weather, needs_answer=True)


@RULES.rule("PS-TR-01")
def missing_transcript(view: StopHistory) -> Judgement | None:
    """004 1.1: nothing to analyse, so the session may end."""
    return fail_open(view, lambda stop: stop.told_transcript and stop.transcript.kind == "missing", needs_answer=True)


@RULES.rule("PS-TR-02")
def empty_transcript(view: StopHistory) -> Judgement | None:
    """004 1.2: no bytes, or no messages."""
    return fail_open(view, lambda stop: stop.told_transcript and _no_messages(stop), needs_answer=True)


def _no_messages(stop: Stop) -> bool:
    fact = stop.transcript
    if fact.kind != "file" or (fact.size and fact.data is None):
        return False
    return not transcript.read(fact.data or b"").possible_messages


@RULES.rule("PS-TR-09")
def transcript_is_no_text(view: StopHistory) -> Judgement | None:
    """004 Core Principle: a transcript that is no file, or no text, ends in approval or in what its valid lines say."""
    return combine([fail_open(view, _is_no_text, needs_answer=True), *_beside_damage(view)])


def _is_no_text(stop: Stop) -> bool:
    if not stop.told_transcript:
        return False
    return stop.transcript.kind in NO_TEXT or any(fault.name in UNDECODABLE for fault in stop.faults)


def _beside_damage(view: StopHistory) -> list[Judgement | None]:
    """How hooks that follow document 004 answer an unfinished session with such lines in it."""
    found: list[Judgement | None] = []
    if not view.in_group or not view.guard_blocks:
        return found
    for stop in view.subjects:
        names = {fault.name for fault in stop.faults}
        if stop.sample != "block" or len(names) != 1 or not names & UNDECODABLE or not stop.ended:
            continue
        expected = f"undecodable lines are skipped {stop.weather}, and the rest decides"
        if names == {"jsonl.bad_utf8"}:
            found.append(passed(expected, stop.answer, readings=["invalid_line" if stop.blocked else "approve"]))
        else:
            found.append(passed(expected, stop.answer) if stop.blocked else failed(expected, stop.answer))
    return found


@RULES.rule("PS-SES-01")
def session_without_id(view: StopHistory) -> Judgement | None:
    """004 2.1: a generated id stands in for a missing one, and the answer is as with one."""
    found = [fail_open(view, _no_id, needs_answer=True)]
    if view.in_group and view.guard_blocks:
        # a generic hook may have no other way to bound its blocks than by the id, so only followers of 004 must block
        expected = "a session without an id is answered as with one: blocked"
        found += [
            passed(expected, stop.answer) if stop.blocked else failed(expected, f"{stop.answer} {stop.weather}")
            for stop in view.subjects
            if stop.sample == "block" and _no_id(stop)
        ]
    return combine(found)


def _no_id(stop: Stop) -> bool:
    return stop.readable and stop.given_id in (None, "") and stop.told_transcript and not stop.faults


@RULES.rule("PS-FS-01")
def unwritable_storage(view: StopHistory) -> Judgement | None:
    """004 5.1: what cannot be remembered changes nothing else."""
    return fail_open(view, _nowhere_to_write, needs_answer=True)


def _nowhere_to_write(stop: Stop) -> bool:
    return {fault.path for fault in stop.faults if fault.name in STORAGE} >= set(PLACES)


@RULES.rule("PS-TST-01")
def chaos_ends_in_approval(view: StopHistory) -> Judgement | None:
    """004 Testing Strategy: corruption, failing file systems and concurrent runs."""
    return fail_open(view, _chaos, needs_answer=True)


def _chaos(stop: Stop) -> bool:
    return stop.together or any(fault.family in ("jsonl", "filesystem") for fault in stop.faults)


@RULES.rule("PS-LOOP-04")
def session_is_let_go(view: StopHistory) -> Judgement | None:
    """004 7.2: a finite number of blocks."""
    return bounded(view)


@RULES.rule("PS-PRM-02")
def blocks_exactly_unfinished(view: StopHistory) -> Judgement | None:
    """004 8.2: an unfinished session is blocked and a finished one is not."""
    found: dict[Decision, list[Judgement | None]] = {Decision.APPROVE: [], Decision.BLOCK: []}
    for stop in view.controls:
        deserves = stop.arguments.deserves
        if not stop.calm or deserves is None or not stop.started:
            continue
        right = stop.blocked if deserves is Decision.BLOCK else stop.approved
        expected = f"the session that deserves {deserves.value} gets it"
        found[deserves].append(passed(expected, stop.answer) if right else failed(expected, stop.answer))
    judgement = combine([*found[Decision.APPROVE], *found[Decision.BLOCK]])
    both = found[Decision.APPROVE] and found[Decision.BLOCK]
    return judgement if judgement is None or not judgement.ok or both else None
