"""Asks a real host how it treats what a Stop hook does: a session for each probe. The answers become the table."""

from typing import Final, Literal

import msgspec

from harness.errors import MachineError
from harness.hosts.kind import STOP, HookSetting
from harness.hosts.probes import CAP, MOST_BLOCKS, Probe
from harness.hosts.rig import HostRig
from harness.hosts.session import HookCall, HostSession
from harness.hosts.stories import calls_between_stops
from harness.hosts.story import Story

Decision = Literal["blocks", "ends"]
_OF_HOSTS: Final = ("CLAUDE", "CODEX", "QWEN", "GEMINI", "KIMI", "AI_AGENT")  # what variables of hosts begin with
_CAP_TIMEOUT_S: Final = 20.0
_LONGEST_LINE: Final = 200  # of what a host says about a hook
STORY: Final = Story(
    name="probe",
    title="The model answers, and answers again when it is asked to go on.",
    prompt="Please look at the retry.",
)


class Seen(msgspec.Struct, frozen=True):
    """What a host did about one probe: its ``rule``, the decision, its own lines about it, processes that were left."""

    rule: str
    decision: Decision
    said: tuple[str, ...] = ()
    children_left: tuple[str, ...] = ()


class Conduct(msgspec.Struct, frozen=True):
    """What a host gives a hook and allows it, as seen: ``cap`` None when 30 blocks in a row were taken.

    ``fields`` are the keys of standard input, ``variables`` those of the environment that are the host's own,
    ``transcript`` the form of the transcript's lines (nested, flat, payload, other, none). ``closes_stdin``: a hook
    that reads to the end of its input comes to it. ``cap_resets``: the cap counts anew once a tool was called.
    """

    cap: int | None
    fields: tuple[str, ...]
    variables: tuple[str, ...]
    transcript: str
    closes_stdin: bool
    cap_resets: bool = False


def seen(rig: HostRig, probe: Probe) -> tuple[Seen, HookCall]:
    """One session with that probe as its only Stop hook, and its first call.

    MachineError when the host does not behave as a host.
    """
    session = rig.play(STORY, {STOP: HookSetting(probe.words, probe.timeout_s)})
    require_stop(session)
    decision: Decision = "blocks" if session.blocked()[0] else "ends"
    return Seen(probe.rule, decision, lines_about_hooks(session), session.children_left), session.calls[0]


def conduct(rig: HostRig) -> Conduct:
    """Blocks as often as the host lets it, and looks at what it was given."""
    hook = {STOP: HookSetting(CAP[rig.host.kind.blocks_by], _CAP_TIMEOUT_S)}
    session = rig.play(STORY, hook)
    require_stop(session)
    first = session.calls_of(STOP)[0]
    blocks = sum(session.blocked())
    resets = False
    if blocks < MOST_BLOCKS and rig.host.kind.asks_again:
        working = rig.play(calls_between_stops(MOST_BLOCKS + 1), hook)
        require_stop(working)
        resets = sum(working.blocked()) > blocks
    return Conduct(
        cap=None if blocks >= MOST_BLOCKS else blocks,
        fields=tuple(sorted(first.fields)),
        variables=tuple(sorted(name for name in first.environment if name.startswith(_OF_HOSTS))),
        transcript=form_of(first.transcript),
        closes_stdin=all(call.closed for call in session.calls),
        cap_resets=resets,
    )


def require_stop(session: HostSession, blocked: tuple[bool, ...] | None = None) -> None:
    """MachineError when the host got to no stop, did not end, was killed by another, or began with other decisions.

    That is no verdict on a hook.
    """
    words = " ".join((session.stderr.strip() or session.stdout.strip() or "nothing").split())[-300:]
    if session.end == "hung":
        raise MachineError(f"the host {session.host} did not end its session and was killed; it said: {words}")
    if session.end == "exited" and session.signal is not None and session.calls:
        raise MachineError(f"the host {session.host} died by signal {session.signal}; it said: {words}")
    if not session.calls:
        how = f"exit {session.exit_code}" if session.signal is None else f"signal {session.signal}"
        raise MachineError(f"the host {session.host} called no Stop hook and ended with {how}; it said: {words}")
    expected = (*(blocked or ()), False)
    # where hooks are not asked at the stop after a block, that stop is not seen
    if blocked is not None and session.blocked() != (expected if session.decided is None else expected[:1]):
        went = "went on" if session.blocked()[0] else "ended"
        raise MachineError(
            f"the host {session.host} {went} after a hook of ours that says the contrary, so it is not the host that "
            f"its facts are about; renew them with: windtunnel host check {session.host} --write"
        )


def require_told(session: HostSession, story: Story) -> None:
    """MachineError when a session came to its first stop and its model had not said all that comes before it.

    Such a session shows nothing of a hook: the host asked another, or nobody.
    """
    last = next((number for number, turn in enumerate(story.turns) if not turn.calls), len(story.turns))
    answered = {each.turn for each in session.requests if each.story == story.name and each.outcome == "answered"}
    missing = sorted(set(range(last + 1)) - answered)
    if missing:
        raise MachineError(
            f"the host {session.host} stopped in the story {story.name} without asking its model for turn {missing[0]}"
        )


def lines_about_hooks(session: HostSession) -> tuple[str, ...]:
    """What the host itself printed about hooks, each line once."""
    lines = (line.strip() for line in (*session.stderr.splitlines(), *session.stdout.splitlines()))
    return tuple(dict.fromkeys(line[:_LONGEST_LINE] for line in lines if "hook" in line.lower()))


def form_of(transcript: bytes | None) -> str:
    """Which of the three forms the lines of a transcript have that hold what somebody said; ``none`` without one."""
    for line in (transcript or b"").splitlines():
        try:
            entry = msgspec.json.decode(line)
        except ValueError:  # invalid UTF-8, too
            continue
        if not isinstance(entry, dict):
            continue
        if isinstance(payload := entry.get("payload"), dict) and "role" in payload:
            return "payload"
        if isinstance(message := entry.get("message"), dict) and "role" in message:
            return "nested"
        if "role" in entry:
            return "flat"
        if entry.get("type") in ("user", "gemini", "assistant"):
            return "other"
    return "none"
