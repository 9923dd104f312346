"""A hook under a real host: every story once, each stop beside what we predict of it."""

import os
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Final, NamedTuple

from harness.core.hosted import HostStop, HostStory
from harness.core.process import ProcessEnd
from harness.hosts.facts import STORY, lines_about_hooks, require_stop
from harness.hosts.kind import STOP, Conditions, HookSetting
from harness.hosts.probes import PROBES
from harness.hosts.rig import HostRig
from harness.hosts.session import HookCall, HostSession
from harness.hosts.stories import INTERRUPTED, LONG, REFUSED, TOLD
from harness.hosts.story import Story

_EXCERPT: Final = 300  # characters of a hook's standard error
_SILENT: Final = next(probe for probe in PROBES if probe.rule == "silence")
_BLOCKING: Final = next(probe for probe in PROBES if probe.rule == "block")
_STORIES: Final = (*TOLD, LONG, INTERRUPTED, REFUSED)
CALM: Final = "as its user runs it"
EPHEMERAL: Final = "no transcript is kept"


class TriedHook(NamedTuple):
    """A hook to try: its command with whole paths, time-out in seconds, and the bound of blocks in a row it states."""

    words: tuple[str, ...]
    timeout_s: float
    max_blocks: int


def placed(words: Sequence[str], folder: str) -> tuple[str, ...]:
    """A command as a person writes it into a host's settings: with the whole paths of the files it names."""
    wholes = [(word, os.path.join(folder, word)) for word in words]
    return tuple(whole if folder and os.path.isfile(whole) else word for word, whole in wholes)


def trial(rig: HostRig, hook: TriedHook, room: ModuleType, hosts: ModuleType) -> Iterator[HostStory]:
    """Each story, first under a host that keeps transcripts, then, where it can do without, one with none.

    ``room`` says what a host makes of a hook's end, ``hosts`` what is known of hosts. MachineError when the host does
    not call a silent and a blocking hook of ours as it should: then nothing is said about the hook under test.
    """
    baseline = _checked(rig)
    known = hosts.host_named(f"{rig.host.kind.name}:{rig.host.version}")

    def decides(end: ProcessEnd) -> bool:
        return bool(room.result(end, f"{known.host}:{known.version}", rig.roots_hidden).decision == "block")

    for story, conditions in _sessions(rig):
        yield _told(rig, hook, story, conditions, baseline, known.cap, decides)


def _sessions(rig: HostRig) -> Iterator[tuple[Story, Conditions]]:
    for story in _STORIES:
        if rig.can_tell(story):
            yield story, Conditions()
    if rig.host.kind.can_be_ephemeral:
        yield _STORIES[0], Conditions(ephemeral=True)


def _checked(rig: HostRig) -> HostSession:
    silent = rig.play(STORY, {STOP: HookSetting(_SILENT.words, _SILENT.timeout_s)})
    require_stop(silent, blocked=())
    require_stop(rig.play(STORY, {STOP: HookSetting(_BLOCKING.words, _BLOCKING.timeout_s)}), blocked=(True,))
    return silent


def _told(
    rig: HostRig,
    hook: TriedHook,
    story: Story,
    conditions: Conditions,
    baseline: HostSession,
    cap: int | None,
    decides: Callable[[ProcessEnd], bool],
) -> HostStory:
    session = rig.play(
        story,
        {STOP: HookSetting(hook.words, hook.timeout_s)},
        conditions=conditions,
        most_calls=hook.max_blocks + 2,
    )
    if session.end == "hung":
        require_stop(session)
    blocked = session.blocked()[: hook.max_blocks + 1]
    calls = session.calls_of(STOP)[: len(blocked)]
    ends = rig.shadow(hook.words, hook.timeout_s, calls)
    predicted = _capped([decides(end) for end in ends], cap)
    either = predicted
    if tuple(predicted) != blocked:
        either = _capped([decides(end) for end in rig.shadow(hook.words, hook.timeout_s, calls, later=True)], cap)
    return HostStory(
        story=story.name,
        condition=EPHEMERAL if conditions.ephemeral else CALM,
        title=story.title,
        calm=not conditions.ephemeral,
        end=session.end,
        stops=tuple(_stop(*each) for each in zip(blocked, predicted, either, ends, calls, strict=True)),
        children_left=_beyond_baseline(session.children_left, baseline.children_left),
        said=tuple(line for line in lines_about_hooks(session) if line not in lines_about_hooks(baseline)),
        duration_s=session.duration_s,
    )


def _capped(decisions: Sequence[bool], cap: int | None) -> list[bool]:
    """What the host makes of those decisions: after ``cap`` blocks in a row it ends, whatever the hook says."""
    if cap is None:
        return list(decisions)
    taken: list[bool] = []
    for decision in decisions:
        row = len(taken) - max((n + 1 for n, was in enumerate(taken) if not was), default=0)
        taken.append(decision and row < cap)
    return taken


def _stop(blocked: bool, predicted: bool, later: bool, end: ProcessEnd, call: HookCall) -> HostStop:
    return HostStop(
        blocked=blocked,
        predicted=predicted,
        exit_code=end.exit_code,
        timed_out=end.timed_out,
        stderr=end.stderr.decode(errors="replace")[:_EXCERPT],
        transcript=call.transcript is not None,
        unsettled=predicted != later,
    )


def _beyond_baseline(names: Sequence[str], baseline: Sequence[str]) -> tuple[str, ...]:
    left = list(names)
    for name in baseline:
        if name in left:
            left.remove(name)
    return tuple(left)
