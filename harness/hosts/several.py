"""Questions beside those about one answer of one hook: several hooks, subagents, breaks, tools; a session for each.

Nothing is told from how long something took: hooks leave marks for one another, and what a host did is told from the
marks, from the calls, and from what the model was told. Who waits for a mark in vain gives up after 10 s.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple

import msgspec

from harness.errors import MachineError
from harness.hosts.facts import STORY, require_stop
from harness.hosts.kind import STOP, SUBAGENT_STOP, HookSetting
from harness.hosts.model.lines import Request
from harness.hosts.probes import LATE
from harness.hosts.rig import HostRig
from harness.hosts.session import HookCall, HostSession
from harness.hosts.stories import FILES, HELD, INTERRUPTED, REFUSED, SUBAGENT, TOOLS
from harness.hosts.story import Story

FIRST, SECOND, AGAIN = "first", "second", "again"
NO_SUCH_EVENT: Final = "no such event"
MOST_BLOCKS: Final = 30
_TIMEOUT_S: Final = 20.0
_SHORT_TIMEOUT_S: Final = 1.0
_PASSING: Final = """if grep -Eq '"stop_hook_active": ?true'; then : > "$HOME/mark.stop2.$0"; exit 0; fi
"""
_WORDS: Final = """by=${1:-block}
await() {
    n=0; until [ -e "$HOME/mark.$1" ]; do n=$((n + 1)); [ $n -le 100 ] || return 1; sleep 0.1; done
}
mark() { : > "$HOME/mark.$1"; }
block() {
    if [ "$by" = block ]; then printf '{"decision":"block","reason":"%s"}' "$1"; else echo "$1" >&2; code=2; fi
}
last_breath() { echo $$ > "$HOME/$1.pid"; mv "$HOME/$1.pid" "$HOME/mark.$1.ends"; }
await_end() { await "$1.ends"; while kill -0 "$(cat "$HOME/mark.$1.ends")"; do sleep 0.1; done 2>/dev/null; sleep 1; }
"""


class Played(NamedTuple):
    """A session, the marks that its hooks left, and the placeholder paths of all files there were in the end."""

    session: HostSession
    marks: frozenset[str]
    left: frozenset[str] = frozenset()


class Several(msgspec.Struct, frozen=True):
    """One question: ``rule`` names it in the table of facts, ``title`` asks it, the answer is one of ``answers``.

    ``hooks`` are set up in their order; ``read`` tells the answer. The user presses Ctrl-C while what ``interrupted``
    names is at work. Where no stop is needed a host that comes to none answers, too.
    """

    rule: str
    title: str
    answers: tuple[str, ...]
    hooks: Mapping[str, HookSetting]
    read: Callable[[Played], str]
    story: Story = STORY
    interrupted: Literal["model", "hook"] | None = None
    needs_stop: bool = True

    def answer(self, played: Played) -> str:
        """What that session answers; MachineError when it is none of the answers."""
        found = self.read(played)
        if found not in self.answers:
            raise MachineError(f"the host {played.session.host} did what is no answer to {self.rule}: {found}")
        return found


class Answered(msgspec.Struct, frozen=True):
    """What a host was seen to answer."""

    rule: str
    title: str
    answer: str


def every(rig: HostRig, questions: Sequence[Several]) -> Iterator[Answered]:
    """Each question once; neighbours that ask about the same hooks share a session.

    MachineError when the host calls none of them, does not end, or does what is no answer.
    """
    events = rig.host.kind.events()
    asked: tuple[Story, Mapping[str, HookSetting]] | None = None
    played: Played | None = None
    for question in questions:
        if any(hook.event not in events for hook in question.hooks.values()):
            yield Answered(question.rule, question.title, NO_SUCH_EVENT)
            continue
        if played is None or asked != (question.story, question.hooks):
            asked = (question.story, question.hooks)
            played = _played(rig, question)
        yield Answered(question.rule, question.title, question.answer(played))


def _played(rig: HostRig, question: Several) -> Played:
    by = rig.host.kind.blocks_by
    session = rig.play(
        question.story,
        {name: msgspec.structs.replace(hook, words=(*hook.words, by)) for name, hook in question.hooks.items()},
        interrupt=held if question.interrupted == "model" else None,
        interrupt_call=1 if question.interrupted == "hook" else None,
    )
    if session.end == "hung" or (question.needs_stop and session.end != "interrupted"):
        require_stop(session)
    left = rig.left()
    return Played(session, frozenset(path.rpartition("/mark.")[2] for path in left if "/mark." in path), left)


def held(request: Request) -> bool:
    """Whether the model keeps the host waiting for that answer."""
    return request.outcome == "held"


def _hook(name: str, body: str, timeout_s: float = _TIMEOUT_S, event: str = STOP, listed: int = 1) -> HookSetting:
    return HookSetting(("sh", "-c", f"{_WORDS}{body}\nexit ${{code:-0}}", name), timeout_s, event, listed)


def _once(name: str, body: str, timeout_s: float = _TIMEOUT_S) -> HookSetting:
    """A hook that does ``body`` at the first stop and lets the second one pass."""
    return _hook(name, _PASSING + body, timeout_s)


def _say(text: str) -> str:
    return f"printf '%s' '{text}'"


def _block(name: str) -> str:
    return f'block "reason of the {name} hook"'


def _pair(first: str, second: str, first_timeout_s: float = _TIMEOUT_S) -> Mapping[str, HookSetting]:
    return {FIRST: _once(FIRST, first, first_timeout_s), SECOND: _once(SECOND, second)}


def _decision(played: Played) -> str:
    return "blocks" if any(any(played.session.blocked(name)) for name in (FIRST, SECOND)) else "ends"


def _together(played: Played) -> str:
    met = {name for name in (FIRST, SECOND) if f"{name}.met" in played.marks}
    if len(met) == 2:
        return "together"
    return {FIRST: "second listed first", SECOND: "first listed first"}.get("".join(met), "never")


def _reasons(played: Played) -> str:
    text = "\n".join(said for request in played.session.requests if request.turn == 1 for said in request.users)
    found = {text.find(f"reason of the {name} hook"): name for name in (FIRST, SECOND)}
    return " then ".join(found[place] for place in sorted(found) if place >= 0) or "none"


def _slow(played: Played) -> str:
    if _decision(played) == "ends":
        return "ends"
    if "slow.late" in played.marks:
        return "goes on before it ends"
    return "waits for it" if "slow.ended" in played.marks else "kills it"


def _runs(played: Played) -> str:
    return {1: "once", 2: "twice"}.get(len(played.session.calls_of(AGAIN)), "otherwise")


def _woken(played: Played) -> str:
    blocks = sum(played.session.blocked(FIRST))
    return f"{MOST_BLOCKS} and more" if blocks >= MOST_BLOCKS else str(blocks)


def _waking(name: str, other: str, first_time: str) -> str:
    """Blocks exactly when the other blocked at the stop before; each says by a mark what it does."""
    return f"""n=1; while [ -e "$HOME/mark.{name}.$n" ]; do n=$((n + 1)); done
mark "{name}.$n"; does=let
if [ $n = 1 ]; then does={first_time}
elif [ $n -le {MOST_BLOCKS} ] && [ -e "$HOME/mark.{other}.$((n - 1)).blocked" ]; then does=block; fi
if [ $does = block ]; then mark "{name}.$n.blocked"; {_block(name)}; fi"""


_MEET: Final = "mark {0}.began; if await {1}.began; then mark {0}.met; fi"
_STOPS: Final = ("blocks", "ends")
_REASONS: Final = ("first", "second", "first then second", "second then first", "none")
_APPROVE: Final = _say('{"decision":"approve"}')
_HALT: Final = _say('{"continue":false,"stopReason":"halt"}')
_OF_STOPS: Final = (
    Several("start", "two hooks: are they run together, or one after the other",
            ("together", "first listed first", "second listed first"),
            _pair(_MEET.format(FIRST, SECOND), _MEET.format(SECOND, FIRST)), _together),
    Several("block_then_silence", "the first blocks, the second says nothing", _STOPS,
            _pair(_block(FIRST), "exit 0"), _decision),
    Several("silence_then_block", "the first says nothing, the second blocks", _STOPS,
            _pair("exit 0", _block(SECOND)), _decision),
    Several("block_then_approve", "the first blocks, the second approves", _STOPS,
            _pair(_block(FIRST), _APPROVE), _decision),
    Several("approve_then_block", "the first approves, the second blocks", _STOPS,
            _pair(_APPROVE, _block(SECOND)), _decision),
    Several("reasons", "both block, the first listed ends first: whose reasons the model is told", _REASONS,
            _pair(f"{_block(FIRST)}; last_breath first", f"await_end first; {_block(SECOND)}"), _reasons),
    Several("reasons_crossed", "both block, the first listed ends last: whose reasons the model is told", _REASONS,
            _pair(f"await_end second; {_block(FIRST)}", f"{_block(SECOND)}; last_breath second"), _reasons),
    Several("slow_and_block", "the first blocks, the second ends long after",
            ("waits for it", "goes on before it ends", "kills it", "ends"),
            _pair(_block(FIRST), "if await stop2.first; then mark slow.late; fi; mark slow.ended"), _slow),
    Several("timeout_and_block", "the first runs into its time-out, the second blocks", _STOPS,
            _pair(LATE, _block(SECOND), _SHORT_TIMEOUT_S), _decision),
    Several("exit_1_and_block", "the first ends with 1, the second blocks", _STOPS,
            _pair("echo broken >&2; exit 1", _block(SECOND)), _decision),
    Several("killed_and_block", "the first dies by a signal, the second blocks", _STOPS,
            _pair("kill -KILL $$", _block(SECOND)), _decision),
    Several("halt_then_block", "the first says continue: false, the second blocks", _STOPS,
            _pair(_HALT, _block(SECOND)), _decision),
    Several("block_then_halt", "the first blocks, the second says continue: false", _STOPS,
            _pair(_block(FIRST), _HALT), _decision),
    Several("same_command_twice", "one command listed twice: how often it is run at a stop", ("once", "twice"),
            {AGAIN: _hook(AGAIN, "exit 0", listed=2)}, _runs),
    Several("waking", f"each of two hooks blocks when the other did the last time: blocks in a row, of {MOST_BLOCKS}",
            (*map(str, range(MOST_BLOCKS)), f"{MOST_BLOCKS} and more"),
            {FIRST: _hook(FIRST, _waking(FIRST, SECOND, "block")),
             SECOND: _hook(SECOND, _waking(SECOND, FIRST, "let"))}, _woken),
)  # fmt: skip

_COUNTING: Final = f"""s=$(sed -n 's/.*"session_id": *"\\([^"]*\\)".*/\\1/p')
if [ -e "$HOME/mark.count.$s" ]; then exit 0; fi
mark "count.$s"; {_block("counting")}"""


def _both(body: str) -> Mapping[str, HookSetting]:
    return {event: _hook("both", body, event=event) for event in (STOP, SUBAGENT_STOP)}


def _first(session: HostSession, event: str) -> HookCall:
    calls = session.calls_of(event)
    if not calls:
        raise MachineError(f"the host {session.host} called no {event} hook in the story {session.story}")
    return calls[0]


def _same(field: str) -> Callable[[Played], str]:
    def read(played: Played) -> str:
        if not played.session.calls_of(SUBAGENT_STOP):
            return "not called"
        of_both = [_first(played.session, event).fields.get(field) for event in (SUBAGENT_STOP, STOP)]
        if of_both[0] is None:
            return "none"
        return "the same" if of_both[0] == of_both[1] else "another"

    return read


_ALL: Final = "SubagentStop, and Stop twice"


def _is_called(played: Played) -> str:
    events = [call.hook for call in played.session.calls]
    if SUBAGENT_STOP not in events:
        return "Stop only" if len(events) == 1 else "Stop twice"
    if sorted(events) == [STOP, STOP, SUBAGENT_STOP]:  # one that is not waited for may come after the next
        return _ALL
    return "SubagentStop, then Stop" if events == [SUBAGENT_STOP, STOP] else " ".join(events)


def _named(field: str) -> Callable[[Played], str]:
    def read(played: Played) -> str:
        if not played.session.calls_of(SUBAGENT_STOP):
            return "not called"
        return "given" if isinstance(_first(played.session, SUBAGENT_STOP).fields.get(field), str) else "none"

    return read


def _held(played: Played) -> str:
    return {0: "not called", 1: "ends"}.get(len(played.session.calls_of(SUBAGENT_STOP)), "blocks")


def _active(event: str, number: int) -> Callable[[Played], str]:
    def read(played: Played) -> str:
        calls = played.session.calls_of(event)
        if len(calls) <= number:
            return "not called"
        return {True: "true", False: "false"}.get(calls[number].fields.get("stop_hook_active"), "none")  # type: ignore[arg-type]

    return read


def _counted(played: Played) -> str:
    if len(played.session.calls_of(SUBAGENT_STOP)) < 2:
        return "not held"
    return "one for both" if len(played.session.calls_of(STOP)) == 1 else "one for each"


_SAME: Final = ("the same", "another", "none", "not called")
_FLAG: Final = ("true", "false", "none", "not called")
_OF_SUBAGENTS: Final = (
    Several("subagent_events", "one hook for Stop and SubagentStop, and a subagent: which are called",
            ("SubagentStop, then Stop", "Stop only", "Stop twice", _ALL), _both("exit 0"), _is_called, SUBAGENT),
    Several("subagent_session", "session_id at SubagentStop, beside Stop's", _SAME,
            _both("exit 0"), _same("session_id"), SUBAGENT),
    Several("subagent_transcript", "transcript_path at SubagentStop, beside Stop's", _SAME,
            _both("exit 0"), _same("transcript_path"), SUBAGENT),
    Several("subagent_own_transcript", "agent_transcript_path at SubagentStop", ("given", "none", "not called"),
            _both("exit 0"), _named("agent_transcript_path"), SUBAGENT),
    Several("subagent_id", "agent_id at SubagentStop", ("given", "none", "not called"),
            _both("exit 0"), _named("agent_id"), SUBAGENT),
    Several("subagent_block", "a block at SubagentStop: does the subagent go on", ("blocks", "ends", "not called"),
            _both(_COUNTING), _held, SUBAGENT),
    Several("subagent_active", "stop_hook_active at the SubagentStop after a block", _FLAG,
            _both(_COUNTING), _active(SUBAGENT_STOP, 1), SUBAGENT),
    Several("subagent_active_after", "stop_hook_active at the first Stop after a block at SubagentStop", _FLAG,
            _both(_COUNTING), _active(STOP, 0), SUBAGENT),
    Several("subagent_counter", "a counter of blocks kept by session_id: one for both events, or one for each",
            ("one for both", "one for each", "not held", "not called"), _both(_COUNTING), _counted, SUBAGENT),
)  # fmt: skip


def _called(played: Played) -> str:
    return "called" if played.session.calls else "not called"


def _interrupted_hook(played: Played) -> str:
    if "hook.ended" in played.marks:
        return "waits for it"
    return "leaves it" if "sleep" in played.session.children_left else "kills it"


_OF_BREAKS: Final = (
    Several("stream_cut", "the provider's stream is cut in the middle of an answer, once: is the hook called",
            ("called", "not called"), {STOP: _hook("hook", "exit 0")}, _called, INTERRUPTED, needs_stop=False),
    Several("provider_500", "the provider answers 500 once, then well: is the hook called",
            ("called", "not called"), {STOP: _hook("hook", "exit 0")}, _called, REFUSED, needs_stop=False),
    Several("interrupted_model", "Ctrl-C while the model is at work: is the hook called", ("called", "not called"),
            {STOP: _hook("hook", "exit 0")}, _called, HELD, "model"),
    Several("interrupted_hook", "Ctrl-C while the hook is at work: what becomes of it",
            ("waits for it", "leaves it", "kills it"),
            {STOP: _hook("hook", "sleep 8; mark hook.ended")}, _interrupted_hook, STORY, "hook"),
)  # fmt: skip


def _command_ran(played: Played) -> str:
    results = [result for request in played.session.requests for result in request.results]
    # some hosts give a result as text, others as a JSON string
    return "runs it" if any(".." in result.replace("\\n", "\n").split() for result in results) else "does not run it"


def _file_written(played: Played) -> str:
    return "writes it" if "{project}/retry.py" in played.left else "does not write it"


# a story whose tools a host does not know would be played to its end all the same, and show nothing
_OF_TOOLS: Final = (
    Several("tool_shell", "the model asks for the command `ls -a`", ("runs it", "does not run it"),
            {STOP: _hook("hook", "exit 0")}, _command_ran, TOOLS),
    Several("tool_write_file", "the model asks for a file to be written", ("writes it", "does not write it"),
            {STOP: _hook("hook", "exit 0")}, _file_written, FILES),
)  # fmt: skip
QUESTIONS: Final = (*_OF_STOPS, *_OF_SUBAGENTS, *_OF_BREAKS, *_OF_TOOLS)
