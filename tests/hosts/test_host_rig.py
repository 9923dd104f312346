"""The rig with a host of our own, which does everything wrong that a host may do."""

from types import SimpleNamespace

import fake_host
import msgspec
import needs
import pytest

from harness.errors import HarnessFault, MachineError
from harness.hosts import facts
from harness.hosts import rig as host_rig
from harness.hosts.facts import STORY
from harness.hosts.kind import STOP, Conditions, HookSetting
from harness.hosts.model.lines import HostTool, Request
from harness.hosts.probes import BLOCK, PROBES
from harness.hosts.stories import HELD, INTERRUPTED, PLAIN, REFUSED, SUBAGENT, TOOLS

pytestmark = needs.namespaces
PROBE = {probe.rule: probe for probe in PROBES}
SILENT = {STOP: HookSetting(("true",), 10.0)}
BLOCKING = {STOP: HookSetting(PROBE["block"].words, 10.0)}
ALWAYS = {STOP: HookSetting(("printf", "%s", BLOCK), 10.0)}


@pytest.fixture
def played(tmp_path):
    """``played("hangs", story=..., hooks=...)``: one session of a fake host that does that."""

    def play(*does, story=STORY, hooks=SILENT, cap=None, limit_s=60.0, **more):
        with fake_host.rig_of(tmp_path / "host", *does, cap=cap, limit_s=limit_s) as rig:
            return rig.play(story, hooks, **more)

    return play


def test_a_session_keeps_what_a_hook_was_given_and_what_was_asked_of_the_model(played):
    session = played(story=PLAIN)
    (call,) = session.calls
    assert ("exited", 0, None, (), "fake-host", "plain") == (
        session.end, session.exit_code, session.signal, session.children_left, session.host, session.story,
    )  # fmt: skip
    assert (STOP, "fake-session", "/project", True) == (call.hook, call.fields["session_id"], call.cwd, call.closed)
    assert call.environment["CODEX_FAKE"] == "/project"
    assert [b"user", b"assistant"] == [line.split(b'"')[3] for line in call.transcript.splitlines()]
    assert call.later == call.transcript
    assert [(PLAIN.prompt, 0)] == [(request.last_user, request.turn) for request in session.requests]


def test_what_a_host_wrote_after_a_call_is_its_later_transcript(played):
    first, second = played(hooks=BLOCKING).calls
    assert (first.later, len(first.transcript.splitlines())) == (second.transcript, 2)
    assert second.transcript.startswith(first.transcript)
    assert 4 == len(second.later.splitlines())


@pytest.mark.parametrize("story", [TOOLS, INTERRUPTED, REFUSED], ids=lambda story: story.name)
def test_whatever_goes_wrong_with_the_model_the_hook_is_called_after_it(played, story):
    session = played(story=story)
    assert (2, 1) == (len(session.requests), len(session.calls))


@pytest.mark.parametrize(
    ("does", "hooks", "cap", "blocked"),
    [
        ((), SILENT, None, (False,)),
        ((), BLOCKING, None, (True, False)),
        (("ignores blocks",), BLOCKING, None, (False,)),
        (("always goes on",), SILENT, None, (True, False)),
        (("calls no hook",), BLOCKING, None, ()),
        ((), ALWAYS, 3, (True, True, True, False)),
    ],
)
def test_a_block_is_told_by_the_next_call(played, does, hooks, cap, blocked):
    assert blocked == played(*does, hooks=hooks, cap=cap).blocked()


@pytest.mark.parametrize(
    ("does", "hooks", "blocked"),
    [((), SILENT, (False,)), ((), ALWAYS, (True,)), (("ignores blocks",), ALWAYS, (False,))],
)
def test_of_a_host_that_asks_its_hooks_once_a_block_is_told_by_what_it_asks_the_model(tmp_path, does, hooks, blocked):
    kind = fake_host.FakeHost((*does, "asks hooks once"), asks_again=False)
    with host_rig.HostRig(fake_host.installed_in(tmp_path, kind), fake_host.TOOLS) as rig:
        session = rig.play(STORY, hooks)
    assert (1, blocked) == (len(session.calls), session.blocked())
    facts.require_stop(session, blocked=blocked if blocked[0] else ())


def test_a_program_is_run_by_the_runtime_that_is_installed_beside_it(tmp_path):
    host = fake_host.installed_in(tmp_path, fake_host.FakeHost(runtime="run"))
    runtime = tmp_path / "run"
    runtime.write_text('#!/bin/sh\necho "run by its own" >&2\nexec "$@"\n')
    runtime.chmod(0o755)
    with host_rig.HostRig(msgspec.structs.replace(host, runtime=str(runtime)), fake_host.TOOLS) as rig:
        assert rig.play(STORY, SILENT).stderr.startswith("run by its own")


def test_hooks_of_one_stop_are_each_known_by_their_key_and_called_at_each_stop(played):
    session = played(
        hooks={"silent": SILENT[STOP], STOP: BLOCKING[STOP], "twice": HookSetting(("true",), 5.0, listed=2)}
    )
    calls = [len(session.calls_of(name)) for name in ("silent", STOP, "twice", "other")]
    assert [2, 2, 4, 0] == calls
    assert (True, False) == session.blocked() == session.blocked("silent")
    assert () == session.blocked("other")


def test_without_a_transcript_a_hook_is_told_none(played):
    (call,) = played(conditions=Conditions(ephemeral=True)).calls
    assert (None, None, None) == (call.fields["transcript_path"], call.transcript, call.later)


def test_a_standard_input_that_stays_open_is_told(played):
    assert [False] == [call.closed for call in played("keeps standard input open").calls]


def test_interrupted_while_the_model_holds_its_answer_the_host_gets_sigint(played):
    session = played(story=HELD, interrupt=lambda request: request.outcome == "held")
    assert ("interrupted", ()) == (session.end, session.calls)
    assert 2 in (session.signal, (session.exit_code or 0) - 128)
    assert "KeyboardInterrupt" in session.stderr


def test_when_enough_was_seen_the_host_is_killed_and_the_last_stop_was_a_block(played):
    session = played(hooks=ALWAYS, most_calls=4)
    assert "stopped" == session.end
    assert len(session.calls) >= 4
    assert all(session.blocked())


def test_a_host_that_hangs_is_killed_and_says_nothing_about_a_hook(played):
    session = played("hangs", limit_s=3.0)
    assert ("hung", ()) == (session.end, session.blocked())
    with pytest.raises(
        MachineError, match=r"the host fake-host did not end its session and was killed; it said: nothing"
    ):
        facts.require_stop(session)


def test_a_host_that_does_not_begin_is_told_in_its_own_words(played):
    session = played("fails at the start")
    with pytest.raises(
        MachineError, match=r"called no Stop hook and ended with exit 1; it said: .*there is no licence"
    ):
        facts.require_stop(session)


def test_a_host_that_cannot_be_started_is_said_so(tmp_path):
    with fake_host.rig_of(tmp_path / "host") as rig:
        rig.host = msgspec.structs.replace(rig.host, program="/no/such/host")
        with pytest.raises(MachineError, match=r"^the host fake-host cannot be started: /no/such/host: ENOENT$"):
            rig.play(STORY, SILENT)


def test_what_a_hook_was_given_that_is_no_text_is_no_object(played):
    (call,) = played().calls
    assert {} == msgspec.structs.replace(call, stdin=b'{"a": "\xff"}').fields


def test_a_host_that_dies_by_a_signal_is_no_host_that_ended(played):
    session = played("crashes after a hook", hooks=BLOCKING)
    with pytest.raises(MachineError, match=r"the host fake-host died by signal 6"):
        facts.require_stop(session)


def test_a_host_that_decides_otherwise_than_our_own_hook_says_is_another_host(played):
    with pytest.raises(MachineError, match=r"fake-host ended after a hook of ours .* host check fake-host --write"):
        facts.require_stop(played("ignores blocks", hooks=BLOCKING), blocked=(True,))
    with pytest.raises(MachineError, match=r"fake-host went on after a hook of ours"):
        facts.require_stop(played("always goes on"), blocked=())


def test_a_process_that_outlives_the_host_is_named(played):
    assert ("sleep",) == played("leaves a child").children_left


def test_lines_about_hooks_are_kept_apart_from_what_a_host_prints_else(played):
    session = played("talks about hooks", hooks=BLOCKING)
    assert "a line of its own" in session.stdout
    assert ("hook: it was called",) == facts.lines_about_hooks(session)


def test_a_home_is_kept_where_it_is_asked_for_and_else_empty(tmp_path):
    writing = {STOP: HookSetting(("sh", "-c", 'echo x >> "$HOME/kept"; cat "$HOME/kept" >&2'), 5.0)}
    with fake_host.rig_of(tmp_path / "host") as rig:
        sizes = []
        for kept in (False, True, False):
            session = rig.play(STORY, writing, kept=kept)
            assert "{home}/kept" in rig.left()
            sizes.append(len(session.calls[0].transcript.splitlines()))
    assert [2, 4, 2] == sizes


def test_a_hook_called_once_more_ends_as_it_did_under_the_host(tmp_path):
    words = ("sh", "-c", 'cat >&2; wc -l < "$HOME/transcript.jsonl"; pwd; echo "$CODEX_FAKE"; exit 7')
    with fake_host.rig_of(tmp_path / "host") as rig:
        session = rig.play(STORY, BLOCKING)
        ends = rig.shadow(words, 5.0, session.calls)
        later = rig.shadow(words, 5.0, session.calls, later=range(len(session.calls)))
        (none,) = rig.shadow(
            ("no-such-program",), 5.0, rig.play(STORY, SILENT, conditions=Conditions(ephemeral=True)).calls
        )
        assert "a {home} here" == rig.roots_hidden("a /home/agent here")
    assert [7, 7] == [end.exit_code for end in ends]
    assert [call.stdin for call in session.calls] == [end.stderr for end in ends]
    assert [b"2\n/project\n/project\n", b"4\n/project\n/project\n"] == [end.stdout for end in ends]
    assert [b"4", b"4"] == [end.stdout[:1] for end in later]
    assert none.start_error == "ENOENT"


def test_what_was_called_before_finds_what_its_own_calls_left(tmp_path):
    words = ("sh", "-c", 'echo x >> "$HOME/mark"; wc -l < "$HOME/mark"')
    with fake_host.rig_of(tmp_path / "host") as rig:
        calls = rig.play(STORY, BLOCKING).calls
        assert [b"1", b"2"] == [end.stdout.strip() for end in rig.shadow(words, 5.0, calls)]
        assert [b"1"] == [end.stdout.strip() for end in rig.shadow(words, 5.0, calls[:1])]


@pytest.mark.parametrize(("story", "told"), [(PLAIN, True), (TOOLS, True), (SUBAGENT, False)])
def test_a_story_is_told_where_the_host_has_its_tools_those_of_subagents_too(tmp_path, story, told):
    rig = fake_host.rig_of(tmp_path / "host")
    assert told == rig.can_tell(story)
    kind = rig.host
    with_agents = host_rig.HostRig(kind, {"subagent": HostTool("Agent", {})})
    assert not with_agents.can_tell(SUBAGENT)


def test_what_a_host_gives_is_seen_with_the_blocks_it_takes(tmp_path):
    with fake_host.rig_of(tmp_path / "host", cap=2) as rig:
        conduct = facts.conduct(rig)
    assert facts.Conduct(
        cap=2,
        fields=("cwd", "hook_event_name", "last_assistant_message", "session_id", "stop_hook_active", "transcript_path"),
        variables=("CODEX_FAKE",),
        transcript="nested",
        closes_stdin=True,
    ) == conduct  # fmt: skip


def test_a_host_that_takes_all_blocks_has_no_cap(tmp_path, monkeypatch):
    monkeypatch.setattr(facts, "MOST_BLOCKS", 2)
    with fake_host.rig_of(tmp_path / "host", "keeps standard input open", cap=4) as rig:
        conduct = facts.conduct(rig)
    assert (None, False) == (conduct.cap, conduct.closes_stdin)


@pytest.mark.parametrize(
    ("rule", "decision"), [("block", "blocks"), ("silence", "ends"), ("exit_2", "blocks"), ("timeout", "ends")]
)
def test_one_probe_is_one_decision_and_the_call_it_was_given(tmp_path, rule, decision):
    with fake_host.rig_of(tmp_path / "host", "talks about hooks") as rig:
        seen, call = facts.seen(rig, PROBE[rule])
    assert (rule, decision, ("hook: it was called",)) == (seen.rule, seen.decision, seen.said)
    assert call.fields["stop_hook_active"] is False


@pytest.mark.parametrize(
    ("lines", "form"),
    [
        (None, "none"),
        (b"", "none"),
        (b"{not json\n[1]\n{}\n", "none"),
        (b'{"message": {"role": "user"}}', "nested"),
        (b'{}\n{"payload": {"role": "user"}}', "payload"),
        (b'{"payload": 1, "message": {"x": 1}, "role": "user"}', "flat"),
        (b'{"type": "gemini"}', "other"),
    ],
)
def test_the_form_of_a_transcript_is_that_of_the_first_line_somebody_said(lines, form):
    assert form == facts.form_of(lines)


def test_where_a_network_cannot_be_taken_away_no_host_is_run(tmp_path, monkeypatch):
    rig = fake_host.rig_of(tmp_path / "host")
    holds = SimpleNamespace(namespaces=True, network_isolated=False, missing=("no network of its own",))
    sandbox = SimpleNamespace(__enter__=lambda: None, close=lambda: None, containment=holds)
    monkeypatch.setattr(rig, "_sandbox", sandbox)
    with pytest.raises(MachineError, match=r"a host is run in a network of its own only: no network of its own"), rig:
        pass


def test_a_model_that_ends_is_our_fault_and_not_the_hooks(tmp_path):
    with fake_host.rig_of(tmp_path / "host") as rig:
        rig._model.kill()
        with pytest.raises((HarnessFault, BrokenPipeError)):
            rig.play(STORY, SILENT)


def test_a_rig_that_is_aborted_ends_its_session(tmp_path):
    def watch(request: Request) -> bool:
        rig.abort()
        return False

    with fake_host.rig_of(tmp_path / "host") as rig, pytest.raises(Exception, match=r".") as caught:
        rig.play(STORY, ALWAYS, interrupt=watch)
    assert not isinstance(caught.value, AssertionError)
