"""A hook under a real host: every story once, each stop beside what we predict of it."""

from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Final, NamedTuple

import msgspec

from harness.core.hosted import HostStop, HostStory
from harness.core.process import ProcessEnd
from harness.errors import MachineError
from harness.hosts.facts import STORY, lines_about_hooks, require_stop, require_told
from harness.hosts.kind import STOP, Conditions, HookSetting
from harness.hosts.probes import PROBES
from harness.hosts.rig import HostRig
from harness.hosts.session import HookCall, HostSession
from harness.hosts.several import held
from harness.hosts.stories import (
    CALLS_BETWEEN_STOPS,
    HELD,
    INTERRUPTED,
    LONG,
    REFUSED,
    TOLD,
    calls_between_stops,
)
from harness.hosts.story import Story

_EXCERPT: Final = 300  # characters of a hook's standard error
_SILENT: Final = next(probe for probe in PROBES if probe.rule == "silence")
_BLOCKING: Final = {probe.rule: probe for probe in PROBES if probe.rule in ("block", "exit_2")}
_STORIES: Final = (*TOLD, LONG, INTERRUPTED, REFUSED)
_BROKEN: Final = (INTERRUPTED, REFUSED)  # after these a host may end without a stop
CALM: Final = "as its user runs it"
EPHEMERAL: Final = "no transcript is kept"
AT_THE_MODEL: Final = "Ctrl-C while the model is at work"
AT_THE_HOOK: Final = "Ctrl-C while the hook is at work"


class _Session(NamedTuple):
    """A story, and what is otherwise than its user has it; ``condition`` says that in words."""

    story: Story
    condition: str = CALM

    @property
    def conditions(self) -> Conditions:
        return Conditions(ephemeral=self.condition == EPHEMERAL)

    @property
    def needs_a_stop(self) -> bool:
        """Whether a host that calls no hook in it is none."""
        return self.story not in _BROKEN and self.condition in (CALM, EPHEMERAL)


class _Room(NamedTuple):
    """What is known of a host: blocks in a row that it takes, what it does after an end, and what is no end at all."""

    cap: int | None
    cap_resets: bool
    decides: Callable[[ProcessEnd], bool]
    unusable: Callable[[ProcessEnd], str]

    def predicted(self, ends: Sequence[ProcessEnd], story: Story) -> list[bool]:
        anew = [self.cap_resets and story.works_before(stop) for stop in range(len(ends))]
        return _capped([self.decides(end) for end in ends], self.cap, anew)


class TriedHook(NamedTuple):
    """A hook to try: its command, time-out in seconds, and the bound of blocks in a row it states.

    The command has whole paths, or placeholders for them.
    """

    words: tuple[str, ...]
    timeout_s: float
    max_blocks: int


def trial(rig: HostRig, hook: TriedHook, room: ModuleType, hosts: ModuleType) -> Iterator[HostStory]:
    """Each story, then one with no transcript, where the host can do without, and two that are interrupted.

    ``room`` says what a host makes of a hook's end, ``hosts`` what is known of hosts. MachineError when the host does
    not call a silent and a blocking hook of ours as it should: then nothing is said about the hook under test.
    """
    baseline = _checked(rig)
    known = hosts.host_named(f"{rig.host.kind.name}:{rig.host.version}")
    cap = known.cap if rig.host.kind.asks_again else None  # else each call is the first stop of a conversation

    def decides(end: ProcessEnd) -> bool:
        return bool(room.result(end, f"{known.host}:{known.version}", rig.roots_hidden).decision == "block")

    def unusable(end: ProcessEnd) -> str:
        result = msgspec.to_builtins(room.result(end, f"{known.host}:{known.version}", rig.roots_hidden))
        return str(room.unusable([result]))

    for session in _sessions(rig, hook):
        yield _told(rig, hook, session, baseline, _Room(cap, known.cap_resets, decides, unusable))


def _sessions(rig: HostRig, hook: TriedHook) -> Iterator[_Session]:
    for story in _STORIES:
        if story is CALLS_BETWEEN_STOPS:  # long enough to show a hook that blocks after all work
            yield _Session(calls_between_stops(hook.max_blocks + 2))
        elif rig.can_tell(story):
            yield _Session(story)
    if rig.host.kind.can_be_ephemeral:
        yield _Session(_STORIES[0], EPHEMERAL)
    yield _Session(HELD, AT_THE_MODEL)
    yield _Session(_STORIES[0], AT_THE_HOOK)


def _checked(rig: HostRig) -> HostSession:
    silent = rig.play(STORY, {STOP: HookSetting(_SILENT.words, _SILENT.timeout_s)})
    require_stop(silent, blocked=())
    blocking = _BLOCKING[rig.host.kind.blocks_by]
    require_stop(rig.play(STORY, {STOP: HookSetting(blocking.words, blocking.timeout_s)}), blocked=(True,))
    return silent


def _told(
    rig: HostRig,
    hook: TriedHook,
    asked: _Session,
    baseline: HostSession,
    room: _Room,
) -> HostStory:
    session = rig.play(
        asked.story,
        {STOP: HookSetting(hook.words, hook.timeout_s)},
        conditions=asked.conditions,
        interrupt=held if asked.condition == AT_THE_MODEL else None,
        interrupt_call=1 if asked.condition == AT_THE_HOOK else None,
        most_calls=hook.max_blocks + 2,
    )
    if session.end == "hung" or asked.needs_a_stop or (session.end == "exited" and session.calls):
        require_stop(session)
    if asked.needs_a_stop:
        require_told(session, asked.story)
    blocked = session.blocked()[: hook.max_blocks + 1]
    if session.end == "stopped" and len(blocked) <= hook.max_blocks:
        raise MachineError(f"the host {session.host} was killed before its stops were seen: try again")
    calls = session.calls_of(STOP)[: len(blocked)]
    every = range(len(calls))
    in_time = session.duration_s < hook.timeout_s  # else a hook may hang, and is not waited for more often than twice
    left = rig.shadow(hook.words, hook.timeout_s, calls, later=every, kept=True) if in_time else ()
    files = asked.story.files
    ends = rig.shadow(hook.words, hook.timeout_s, calls, files=files)
    if any(end.start_error for end in ends):
        why = next(end.start_error for end in ends if end.start_error)
        raise MachineError(f"the hook cannot be started as a host would: {hook.words[0]}: {why}")
    if calls and asked.condition == CALM and (why := room.unusable(ends[0])):
        raise MachineError(f"the hook cannot be tested under the host {session.host}: {why}")
    predicted = room.predicted(ends, asked.story)
    permitted = [predicted]
    if tuple(predicted) != blocked:
        grown = rig.shadow(hook.words, hook.timeout_s, calls, later=every, files=files)
        permitted.append(room.predicted(grown, asked.story))
        permitted += [_followed(rig, hook, asked.story, calls, blocked, room)] if in_time else []
        permitted += [room.predicted(left, asked.story)] if left else []
    unsettled = [len({*each}) > 1 or end.flooded for *each, end in zip(*permitted, ends, strict=True)]
    return HostStory(
        story=asked.story.name,
        condition=asked.condition,
        title=asked.story.title,
        calm=asked.condition == CALM,
        end=session.end,
        stops=tuple(
            _stop(*each, hangs=not in_time) for each in zip(blocked, predicted, unsettled, ends, calls, strict=True)
        ),
        children_left=_beyond_baseline(session.children_left, baseline.children_left),
        said=tuple(line for line in lines_about_hooks(session) if line not in lines_about_hooks(baseline)),
        duration_s=session.duration_s,
    )


def _followed(
    rig: HostRig, hook: TriedHook, story: Story, calls: Sequence[HookCall], blocked: Sequence[bool], room: _Room
) -> list[bool]:
    """What is predicted of a hook that at each stop read what explains the host, of the two states of its transcript.

    A hook that counts its own blocks does at one stop what hangs on what it read at the one before.
    """
    grown: set[int] = set()
    while True:
        ends = rig.shadow(hook.words, hook.timeout_s, calls, later=grown, files=story.files)
        predicted = room.predicted(ends, story)
        pairs = enumerate(zip(predicted, blocked, strict=True))
        wrong = [number for number, (ours, theirs) in pairs if ours != theirs and number not in grown]
        if not wrong:
            return predicted
        grown.add(wrong[0])


def _capped(decisions: Sequence[bool], cap: int | None, anew: Sequence[bool]) -> list[bool]:
    """What the host makes of those decisions: after ``cap`` blocks in a row it ends, whatever the hook says.

    The row begins anew where ``anew`` says so.
    """
    if cap is None:
        return list(decisions)
    taken: list[bool] = []
    row = 0
    for decision, begins in zip(decisions, anew, strict=True):
        row = 0 if begins else row
        taken.append(decision and row < cap)
        row = row + 1 if taken[-1] else 0
    return taken


def _stop(blocked: bool, predicted: bool, unsettled: bool, end: ProcessEnd, call: HookCall, *, hangs: bool) -> HostStop:
    return HostStop(
        blocked=blocked,
        predicted=predicted,
        exit_code=end.exit_code,
        timed_out=end.timed_out and hangs,  # what waits for its host to write on waits for ever when we call it
        stderr=end.stderr.decode(errors="replace")[:_EXCERPT],
        transcript=call.transcript is not None,
        unsettled=unsettled,
    )


def _beyond_baseline(names: Sequence[str], baseline: Sequence[str]) -> tuple[str, ...]:
    left = list(names)
    for name in baseline:
        if name in left:
            left.remove(name)
    return tuple(left)
