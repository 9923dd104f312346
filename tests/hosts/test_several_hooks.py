"""Several hooks of one event, one hook of two events, Ctrl-C, tools: how answers are told."""

import os
import subprocess
from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from harness.errors import MachineError
from harness.hosts import installed, several
from harness.hosts.kind import STOP, SUBAGENT_STOP, HookSetting, hook_groups
from harness.hosts.kinds import KINDS
from harness.hosts.model.lines import Request
from harness.hosts.rig import HostRig
from harness.hosts.session import HookCall, HostSession
from harness.systems.stop_gate import hosts

BY_RULE = {question.rule: question for question in several.QUESTIONS}
CALL = HookCall(hook="", stdin=b"{}", transcript=None, later=None, closed=True, environment={}, cwd="/")
ONE_STOP = ("first", "second")
TWO_STOPS = ("second", "first", "first", "second")


def played(
    *calls: str | tuple[str, Mapping[str, Any]],
    marks: tuple[str, ...] = (),
    users: tuple[str, ...] = (),
    results: tuple[str, ...] = (),
    children: tuple[str, ...] = (),
    left: tuple[str, ...] = (),
) -> several.Played:
    """A session with those calls, by name or with the fields they were given, and what the second request said."""
    named = [call if isinstance(call, tuple) else (call, {}) for call in calls]
    session = HostSession(
        host="some-host",
        story="probe",
        end="exited",
        exit_code=0,
        signal=None,
        calls=tuple(
            msgspec.structs.replace(CALL, hook=name, stdin=msgspec.json.encode(fields)) for name, fields in named
        ),
        requests=(
            Request("POST", "/", "answered", turn=0),
            Request("POST", "/", "answered", turn=1, users=users, results=results),
        ),
        stdout="",
        stderr="",
        children_left=children,
        duration_s=0.0,
    )
    return several.Played(session, frozenset(marks), frozenset(left))


FIRST_SAID, SECOND_SAID = "feedback: reason of the first hook", "feedback: reason of the second hook"
SUBAGENT_CALL = (SUBAGENT_STOP, {"session_id": "a", "transcript_path": "/sub", "stop_hook_active": False})
STOP_CALL = (STOP, {"session_id": "a", "transcript_path": "/main", "stop_hook_active": False})
CASES = (
    ("start", played(*ONE_STOP, marks=("first.met", "second.met")), "together"),
    ("start", played(*ONE_STOP, marks=("first.began", "second.began", "second.met")), "first listed first"),
    ("start", played(*ONE_STOP, marks=("first.began", "second.began", "first.met")), "second listed first"),
    ("block_then_silence", played(*ONE_STOP), "ends"),
    ("block_then_silence", played(*TWO_STOPS), "blocks"),
    ("timeout_and_block", played("first", "second", "second"), "blocks"),
    ("reasons", played(*TWO_STOPS, users=(FIRST_SAID, SECOND_SAID)), "first then second"),
    ("reasons", played(*TWO_STOPS, users=(f"{SECOND_SAID}\n{FIRST_SAID}",)), "second then first"),
    ("reasons", played(*TWO_STOPS, users=(FIRST_SAID,)), "first"),
    ("reasons_crossed", played(*TWO_STOPS, users=(SECOND_SAID,)), "second"),
    ("reasons_crossed", played(*TWO_STOPS, users=("go on",)), "none"),
    ("slow_and_block", played(*ONE_STOP, marks=("slow.ended",)), "ends"),
    ("slow_and_block", played(*TWO_STOPS, marks=("slow.ended",)), "waits for it"),
    ("slow_and_block", played(*TWO_STOPS, marks=("slow.late", "slow.ended")), "goes on before it ends"),
    ("slow_and_block", played(*TWO_STOPS), "kills it"),
    ("same_command_twice", played("again"), "once"),
    ("same_command_twice", played("again", "again"), "twice"),
    ("waking", played(*ONE_STOP), "0"),
    ("waking", played(*ONE_STOP * 8), "7"),
    ("waking", played(*ONE_STOP * 31), "30 and more"),
    ("subagent_events", played(SUBAGENT_STOP, STOP), "SubagentStop, then Stop"),
    ("subagent_events", played(STOP), "Stop only"),
    ("subagent_events", played(STOP, STOP), "Stop twice"),
    ("subagent_events", played(STOP, SUBAGENT_STOP, STOP), "SubagentStop, and Stop twice"),
    ("subagent_events", played(STOP, STOP, SUBAGENT_STOP), "SubagentStop, and Stop twice"),
    ("subagent_session", played(SUBAGENT_CALL, STOP_CALL), "the same"),
    ("subagent_transcript", played(SUBAGENT_CALL, STOP_CALL), "another"),
    ("subagent_transcript", played(SUBAGENT_STOP, STOP_CALL), "none"),
    ("subagent_session", played(STOP_CALL), "not called"),
    ("subagent_id", played(SUBAGENT_CALL, STOP_CALL), "none"),
    ("subagent_id", played((SUBAGENT_STOP, {"agent_id": "b"}), STOP_CALL), "given"),
    ("subagent_id", played(STOP_CALL), "not called"),
    ("subagent_block", played(STOP_CALL), "not called"),
    ("subagent_block", played(SUBAGENT_CALL, STOP_CALL), "ends"),
    ("subagent_block", played(SUBAGENT_CALL, SUBAGENT_CALL, STOP_CALL), "blocks"),
    ("subagent_active", played(SUBAGENT_CALL, STOP_CALL), "not called"),
    ("subagent_active", played(SUBAGENT_CALL, (SUBAGENT_STOP, {"stop_hook_active": True}), STOP_CALL), "true"),
    ("subagent_active_after", played(SUBAGENT_CALL, SUBAGENT_CALL, STOP_CALL), "false"),
    ("subagent_active_after", played(SUBAGENT_CALL, SUBAGENT_CALL, STOP), "none"),
    ("subagent_counter", played(SUBAGENT_CALL, SUBAGENT_CALL, STOP_CALL), "one for both"),
    ("subagent_counter", played(SUBAGENT_CALL, SUBAGENT_CALL, STOP_CALL, STOP_CALL), "one for each"),
    ("subagent_counter", played(SUBAGENT_CALL, STOP_CALL, STOP_CALL), "not held"),
    ("stream_cut", played("hook"), "called"),
    ("stream_cut", played(), "not called"),
    ("provider_500", played("hook"), "called"),
    ("interrupted_model", played(), "not called"),
    ("interrupted_model", played("hook"), "called"),
    ("interrupted_hook", played("hook", marks=("hook.ended",)), "waits for it"),
    ("interrupted_hook", played("hook", children=("sh", "sleep")), "leaves it"),
    ("interrupted_hook", played("hook"), "kills it"),
    ("tool_shell", played("hook", results=(".\n..\nretry.py\n",)), "runs it"),
    ("tool_shell", played("hook", results=('{"output": "Output: .\\n..\\n"}',)), "runs it"),
    ("tool_shell", played("hook", results=("there is no such tool ...",)), "does not run it"),
    ("tool_shell", played("hook"), "does not run it"),
    ("tool_write_file", played("hook", left=("{project}/retry.py", "{home}/x")), "writes it"),
    ("tool_write_file", played("hook", left=("{home}/retry.py",)), "does not write it"),
)


@pytest.mark.parametrize(("rule", "session", "answer"), CASES)
def test_an_answer_is_told_from_calls_marks_and_what_the_model_heard(
    rule: str, session: several.Played, answer: str
) -> None:
    assert BY_RULE[rule].answer(session) == answer


@pytest.mark.parametrize(
    ("rule", "session"),
    [
        ("start", played(*ONE_STOP)),
        ("same_command_twice", played("again", "again", "again")),
        ("subagent_events", played(STOP, SUBAGENT_STOP)),
        ("subagent_session", played(SUBAGENT_CALL)),
    ],
)
def test_what_is_no_answer_is_refused(rule: str, session: several.Played) -> None:
    with pytest.raises(MachineError, match=r"some-host"):
        BY_RULE[rule].answer(session)


def test_every_rule_is_asked_once_and_every_answer_is_among_its_own() -> None:
    assert len(BY_RULE) == len(several.QUESTIONS)
    for host in hosts.hosts():
        if host.seen:
            assert set(host.several) == set(BY_RULE)
            for rule, answer in host.several.items():
                assert answer in (*BY_RULE[rule].answers, several.NO_SUCH_EVENT)


class _Home:
    """The hooks of a question, called by us as a host does, with a home of their own."""

    def __init__(self, home: Any, hooks: Mapping[str, HookSetting]) -> None:
        self.hooks = hooks
        self._home = home

    def begin(self, name: str, *, active: bool) -> subprocess.Popen[str]:
        """Starts that hook."""
        given = self._home / f"given.{name}"
        given.write_bytes(msgspec.json.encode({"session_id": "s", "stop_hook_active": active}))
        environment = {"HOME": str(self._home), "PATH": f"{self._home}:{os.environ['PATH']}"}
        with given.open() as stdin:
            return subprocess.Popen(
                self.hooks[name].words, env=environment, stdin=stdin, stdout=subprocess.PIPE, text=True
            )

    def blocks(self, name: str, *, active: bool) -> bool:
        """Whether that hook, called alone, blocks."""
        return '"block"' in self.begin(name, active=active).communicate()[0]

    def marks(self) -> tuple[str, ...]:
        """The marks that were left."""
        return tuple(path.name.removeprefix("mark.") for path in self._home.glob("mark.*"))


def test_two_hooks_that_run_together_meet(tmp_path: Any) -> None:
    home = _Home(tmp_path, BY_RULE["start"].hooks)
    for hook in [home.begin(name, active=False) for name in ("first", "second")]:
        hook.communicate()
    assert BY_RULE["start"].answer(played(*ONE_STOP, marks=home.marks())) == "together"


def test_of_two_hooks_that_run_in_turn_the_second_meets_the_first(tmp_path: Any) -> None:
    home = _Home(tmp_path, BY_RULE["start"].hooks)
    no_waiting = tmp_path / "sleep"
    no_waiting.write_text("#!/bin/sh\n")
    no_waiting.chmod(0o755)
    for name in ("second", "first"):
        home.begin(name, active=False).communicate()
    assert BY_RULE["start"].answer(played(*ONE_STOP, marks=home.marks())) == "second listed first"


def test_hooks_that_wake_each_other_never_block_twice_in_a_row_and_let_go_in_the_end(tmp_path: Any) -> None:
    home = _Home(tmp_path, BY_RULE["waking"].hooks)
    stops = [tuple(home.blocks(name, active=n > 0) for name in ("first", "second")) for n in range(32)]
    assert stops == [(True, False), (False, True)] * 15 + [(False, False)] * 2


@pytest.mark.parametrize(
    ("rule", "ends_first"), [("reasons", "first"), ("reasons_crossed", "second")], ids=["as listed", "crossed"]
)
def test_of_two_that_block_one_ends_after_the_other_is_gone(tmp_path: Any, rule: str, ends_first: str) -> None:
    home = _Home(tmp_path, BY_RULE[rule].hooks)
    (later,) = {"first", "second"} - {ends_first}
    waiting = home.begin(later, active=False)
    early = home.begin(ends_first, active=False)
    assert f"reason of the {ends_first} hook" in early.communicate()[0]
    assert f"reason of the {later} hook" in waiting.communicate()[0]


def test_a_counter_by_session_lets_go_after_one_block(tmp_path: Any) -> None:
    home = _Home(tmp_path, BY_RULE["subagent_counter"].hooks)
    assert [home.blocks(SUBAGENT_STOP, active=False), home.blocks(STOP, active=False)] == [True, False]


def test_a_hook_that_is_listed_twice_stands_twice_in_the_settings() -> None:
    groups = hook_groups([HookSetting(("true",), 5.0, listed=2)], {STOP: "Stop"})
    entry = {"type": "command", "command": "true", "timeout": 5}
    assert groups == {"Stop": [{"hooks": [entry, entry]}]}


class _Rig(HostRig):
    """A rig that plays nothing but counts how often it was asked to."""

    def __init__(self, host: installed.InstalledHost) -> None:
        self.host = host
        self.sessions = 0

    def play(self, *args: Any, **settings: Any) -> HostSession:
        """The same session for every question about a subagent."""
        self.sessions += 1
        fields = {"session_id": "a", "transcript_path": "/t", "agent_id": "b", "stop_hook_active": False}
        return played((SUBAGENT_STOP, fields), (STOP, fields)).session

    def left(self) -> frozenset[str]:
        """A mark and another file."""
        return frozenset(("{home}/mark.count.a", "{home}/settings"))


def _rig(name: str) -> _Rig:
    return _Rig(installed.InstalledHost(KINDS[name], "1.0.0", "/bin/false", "/"))


def test_questions_about_the_same_hooks_share_a_session() -> None:
    rig = _rig("codex")
    rules = ("subagent_events", "subagent_session", "subagent_id", "subagent_block", "subagent_counter")
    answers = [each.answer for each in several.every(rig, [BY_RULE[rule] for rule in rules])]
    assert answers == ["SubagentStop, then Stop", "the same", "given", "ends", "not held"]
    assert rig.sessions == 2


def test_a_host_without_the_event_is_not_asked() -> None:
    rig = _rig("gemini-cli")
    (answer,) = several.every(rig, [BY_RULE["subagent_events"]])
    assert (answer.answer, rig.sessions) == (several.NO_SUCH_EVENT, 0)
