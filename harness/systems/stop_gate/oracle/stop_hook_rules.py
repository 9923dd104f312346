"""The rules that bind every stop hook: SH-01 to SH-08, and the clauses of document 004 that show in any hook. Pure.

A generic hook is known by two samples only, so a fault is held against it by comparison: the same hook, the same
session, with the fault and without. The rules of the group power_steering are in stop_hook_steering.py.
"""

from collections.abc import Callable
from itertools import chain

from harness.core.fault import Fault
from harness.systems.rules import Judgement, Rules, combine, failed, passed
from harness.systems.stop_gate.contract import STOP_HOOK, Decision, Stdin
from harness.systems.stop_gate.oracle import struck, transcript, weather
from harness.systems.stop_gate.oracle.stop_hook_stops import Stop, StopHistory

RULES: Rules[StopHistory] = Rules(STOP_HOOK)
Situation = Callable[[Stop], bool]

BLOCKING_EXIT = 2  # stop-hook-contract: to the host, a block
DESTROYS_LINES = frozenset({"jsonl.torn_tail", "jsonl.interleaved"})
STORAGE = frozenset(f"filesystem.{kind}" for kind in ("read_only", "full", "no_inodes", "not_writable"))
NO_BYTE = "process.file_size"  # with its parameter at 0 no file anywhere takes a byte
MUTE = frozenset({"environment.stdout_closed", "environment.stdout_full"})  # whatever a hook says is lost
OWN_WORDS = "collaborator.garbage"  # what a program prints on the stream it was given is not the hook's
PLACES = ("{home}", "{tmp}", "{project}")  # every place a hook may write
ENDLESS = frozenset(
    {"filesystem.fifo", "filesystem.unreadable", "filesystem.directory", "filesystem.symlink_loop", "jsonl.long_line",
     "filesystem.file_for_directory", "jsonl.deep_nesting", "jsonl.huge_integer", "json_document.deep_nesting",
     "json_document.huge_integer", "filesystem.vanishing", "filesystem.growing", "filesystem.busy",
     "filesystem.full_device", *STORAGE}
)  # fmt: skip
STALLING = ("process", "collaborator", "network", "clock", "environment", "syscall")  # what a hook may wait for
STRIKES = ("jsonl", "filesystem", "network", "process", "syscall")  # what the chaos of document 004 is made of
LARGE = frozenset({Stdin.KEPT_OPEN, Stdin.HUGE_INTEGER, Stdin.DEEP_NESTING, Stdin.LONG})
NO_TEXT = frozenset({"directory", "fifo", "unreadable", "symlink_loop"})
UNDECODABLE = frozenset({"jsonl.bad_utf8", "jsonl.non_object_lines", "jsonl.nul_bytes"})


def odd_weather(stop: Stop) -> bool:
    """A proven fault stood against the stop, or had struck before, or its input was not as a host makes it."""
    return stop.exposed or bool(stop.odd)


def fail_open(view: StopHistory, entered: Situation, *, needs_answer: bool) -> Judgement | None:
    """Every judged stop in that situation lets the session end, as the same hook did in calm weather.

    ``needs_answer``: a stop that its host had to end is a failure, not merely no observation.
    """
    return combine(
        _let_end(view, stop, needs_answer=needs_answer)
        for stop in view.subjects
        if stop.sample != "block" and stop.arguments.deserves is not Decision.BLOCK and entered(stop)
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
    if stop.grown and not view.approves_grown:
        return None  # whether a finished session that went on is still finished, no document says
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
    if stop.grown and not view.approves_grown:
        known = False
    if stop.sample == "block" and (stop.arguments.close_stdout or _mute(stop)):
        known = False  # who cannot say a block in words may say it so
    expected = f"no exit code 2 {stop.weather}: {why}"
    destroyed = any(fault.name in DESTROYS_LINES for fault in stop.faults)
    if stop.exit_code == BLOCKING_EXIT and known and not (destroyed and view.blocked_without_damage()):
        return failed(expected, stop.answer, reason="exit code 2 by accident")
    witnessed = known and odd_weather(stop) and stop.arguments.role != "control"
    witnessed = witnessed and (stop.sample == "block" or view.approves_in_calm)
    return passed(expected, stop.answer) if witnessed and stop.exit_code not in (BLOCKING_EXIT, None) else None


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
    odd_stream = arguments.close_stdout or arguments.close_stderr or arguments.stdin in LARGE
    return odd_stream or any(fault.name in ENDLESS or fault.family in STALLING for fault in stop.faults)


@RULES.rule("SH-05")
def output_is_one_object(view: StopHistory) -> Judgement | None:
    """Stop-hook-contract: standard output is for the host alone."""
    found: list[Judgement | None] = []
    calm = odd = False
    for stop in view.stops:
        result = stop.result
        if result is None or not stop.ended or stop.exit_code is None or stop.arguments.close_stdout or _mute(stop):
            continue
        if result.output not in ("empty", "object") and any(fault.name == OWN_WORDS for fault in stop.faults):
            continue
        expected = f"standard output is empty or one JSON object of the host format {stop.weather}"
        if result.output in ("empty", "object"):
            found.append(passed(expected, f"{result.output} output"))
        else:
            found.append(failed(expected, f"{result.output} output: {result.stdout_excerpt[:80]!a}"))
        calm, odd = calm or stop.calm, odd or odd_weather(stop)
    judgement = combine(found)
    return judgement if judgement is None or not judgement.ok or (calm and odd) else None


def _mute(stop: Stop) -> bool:
    return any(injection.fault.name in MUTE for injection in stop.injections)


def contained(view: StopHistory, judged: Situation, entered: Situation) -> Judgement | None:
    """What those stops write lies where the hook says that it writes; ``entered`` are those that witness it.

    A hook that declares no place is only held to the world's outside; when it writes elsewhere nothing is established.
    Neither is it where processes are left that may write later on.
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
        elif strays or (stop.result is not None and stop.result.children_left):
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
    """Stop-hook-contract: whatever its input says, and whatever fails it, it writes in its own directories only."""
    return contained(view, lambda _: True, lambda stop: leads_out(stop) or any(map(_single, stop.faults)))


def _single(fault: Fault) -> bool:
    """Did one call fail? Who then looks for another place to write may find one outside."""
    return fault.name == struck.ERRNO


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
        names = {fault.name for fault in stop.faults} & UNDECODABLE
        repeated = stop.arguments.role == "repeat" or stop.arguments.stop_hook_active or stop.held
        if stop.sample != "block" or len(names) != 1 or not stop.steady(*names, follower=True) or repeated:
            continue
        if not stop.ended:
            continue  # fails as fault that keeps the user
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
            if stop.sample == "block" and _no_id(stop) and _first_without_id(stop)
        ]
    return combine(found)


def _no_id(stop: Stop) -> bool:
    return stop.readable and stop.given_id in (None, "") and stop.told_transcript


def _first_without_id(stop: Stop) -> bool:
    """Only the id is missing, and no session without one was stopped before: a fixed stand-in is one session."""
    others = stop.odd - {"no session_id", "odd session_id", "empty session_id"}
    known = all(weather.holds(each, follower=True) or each.fault.family == "identifier" for each in stop.injections)
    return stop.first and known and not others and not stop.aftermath and not stop.arguments.stop_hook_active


@RULES.rule("PS-FS-01")
def unwritable_storage(view: StopHistory) -> Judgement | None:
    """004 5.1: what cannot be remembered changes nothing else."""
    return fail_open(view, _nowhere_to_write, needs_answer=True)


def _nowhere_to_write(stop: Stop) -> bool:
    if any(fault.name == NO_BYTE and fault.params.get("bytes") == 0 for fault in stop.faults):
        return True
    if any(fault.name == struck.ERRNO and struck.writes(fault) for fault in stop.faults):
        return True
    return {fault.path for fault in stop.faults if fault.name in STORAGE} >= set(PLACES)


@RULES.rule("PS-TST-01")
def chaos_ends_in_approval(view: StopHistory) -> Judgement | None:
    """004 Testing Strategy: corruption, failing file systems and concurrent runs."""
    return fail_open(view, _chaos, needs_answer=True)


def _chaos(stop: Stop) -> bool:
    return stop.together or any(fault.family in STRIKES for fault in (*stop.faults, *stop.aftermath))
