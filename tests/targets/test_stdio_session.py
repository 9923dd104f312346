"""The stdio carrier: what a sound adapter is told, which processes there are, and what cannot be reached at all."""

import os
import threading

import needs
import pytest
from carriers import CLOCK, let_go, op, scenario, stdio

from harness.core.fault import Fault
from harness.core.history import EntryType
from harness.core.scenario import FileSpec
from harness.errors import UntestableError, WindtunnelError


def test_a_sound_adapter_is_placed_and_asked_with_real_paths_and_answers_with_placeholders(tmp_path):
    with stdio(tmp_path) as session:
        session.reset(scenario(config={"limits": {"scale": 0.05}}))
        (reply,) = session.perform([(0, op(path="{home}/a", nested=["{project}/b", 1]))])
        assert reply.type is EntryType.OK
        assert reply.value == {"method": "toy/check", "path": "{home}/a", "nested": ["{project}/b", 1], "now": CLOCK}
        assert session.introduction() == session.initialized
        assert session.initialized.implementation.name == "broken"
        assert session.stated(op(path="{home}/a")) == {"path": "{home}/a"}
        assert session.repeats(7) == 7


def test_an_adapter_gets_its_workdir_configuration_and_environment(tmp_path):
    before = "placed = []\ndef place(call):\n    placed.append(call['params']); answer(call, {})"
    special = "reset=place, check=lambda call: answer(call, {'placed': placed, 'variable': os.environ['A_VARIABLE']})"
    with stdio(tmp_path, special, before=before) as session:
        session.reset(scenario(config={"limits": {"scale": 0.05}}))
        (reply,) = session.perform([(0, op())])
    placed = {"workdir": "{home}", "config": {"home": "{home}", "limits": {"scale": 0.05}}, "now": CLOCK}
    assert reply.value == {"placed": [placed], "variable": "its value"}


def test_a_call_larger_than_a_pipe_is_written_whole(tmp_path):
    with stdio(tmp_path, "check=lambda call: answer(call, {'size': len(call['params']['text'])})") as session:
        session.reset(scenario())
        (reply,) = session.perform([(0, op(text="x" * 3_000_000))])
    assert reply.value == {"size": 3_000_000}


@pytest.mark.parametrize(
    ("special", "says"),
    [
        ("initialize=lambda call: os._exit(1)", "does not speak our protocol: it ended without an answer"),
        ("initialize=lambda call: (os.write(2, b'no module'), os._exit(1))", "its standard error ends: no module"),
        ("initialize=lambda call: say('Welcome!\\n')", "'Welcome!' - was it meant for stderr?"),
        ("initialize=lambda call: fail(call, -32602, 'not with you')", "does not speak our protocol: not with you"),
        ("initialize=lambda call: answer({'id': 5}, ANSWER)", "the answer has id 5"),
        (
            "initialize=lambda call: answer(call, {})",
            "the result of initialize is not its schema's: Object missing required field",
        ),
        ("initialize=lambda call: answer(call, {**ANSWER, 'mood': 1})", "unknown field `mood`"),
        ("initialize=lambda call: answer(call, {**ANSWER, 'protocolVersion': 2})", "it chose protocol 2; we speak 1"),
        (
            "initialize=lambda call: answer(call, {**ANSWER, 'systems': {'other': {}}})",
            "it does not implement toy: it names ['other']",
        ),
        ("reset=lambda call: say('ready\\n')", "the implementation does not accept reset: a line on standard output"),
        ("reset=lambda call: os._exit(1)", "the implementation does not accept reset: it ended without an answer"),
        ("reset=lambda call: time.sleep(1000)", "the implementation does not accept reset: no answer within 0.2 s"),
    ],
)
def test_an_implementation_that_cannot_be_reached_is_untestable(tmp_path, monkeypatch, special, says):
    if "sleep" in special:
        monkeypatch.setattr("harness.targets.stdio.CALL_TIMEOUT_S", 0.2)
    with stdio(tmp_path, special) as session:
        with pytest.raises(UntestableError) as caught:
            session.reset(scenario())
        assert says in str(caught.value)
        assert caught.value.exit_code == 4


def test_a_command_that_is_not_there_is_untestable(tmp_path):
    session = stdio(tmp_path)
    session._processes.command = ("/no/such/command",)
    with session, pytest.raises(UntestableError, match=r"because it could not be started \(ENOENT\)"):
        session.reset(scenario())


def test_a_process_that_died_meanwhile_is_started_again_for_a_reset(tmp_path):
    with stdio(tmp_path, "check=lambda call: (answer(call, {}), os._exit(0))") as session:
        for _ in range(2):
            session.reset(scenario())
            assert session.perform([(0, op())])[0].type is EntryType.OK


def test_each_process_of_a_schedule_is_its_own_and_opened_on_the_same_world(tmp_path):
    before = "how = []\ndef place(call):\n    how.append(call['method']); answer(call, {})"
    special = "reset=place, open=place, check=lambda call: answer(call, {'pid': os.getpid(), 'how': how})"
    with stdio(tmp_path, special, before=before) as session:
        session.reset(scenario())
        ends = session.perform([(1, op()), (2, op()), (0, op())])
        again = session.perform([(1, op())])
        session.reset(scenario())
        fresh = session.perform([(1, op())])
    assert [end.value["how"] for end in ends] == [["open"], ["open"], ["reset"]]
    assert len({end.value["pid"] for end in ends}) == 3
    assert again[0].value["pid"] == ends[0].value["pid"]
    assert fresh[0].value["pid"] not in {end.value["pid"] for end in ends}


def test_one_of_several_may_die_and_the_others_answer(tmp_path):
    with stdio(tmp_path, "check=lambda call: os._exit(1)") as session:
        session.reset(scenario())
        died, fine = session.perform([(1, op()), (2, op("other"))])
    assert (died.type, fine.type) == (EntryType.INFO, EntryType.OK)


def test_the_clock_is_an_argument(tmp_path):
    with stdio(tmp_path) as session:
        session.reset(scenario())
        session.move_clock(3600.5)
        (reply,) = session.perform([(0, op())])
        assert session.now() == reply.value["now"] == "2026-03-01T13:00:00.500000Z"
        session.reset(scenario())
        assert session.now() == CLOCK


def test_the_world_is_made_and_seen_and_damaged(tmp_path):
    special = "check=lambda call: (open(call['params']['path'], 'a').write('more'), answer(call, {}))"
    files = {"{home}/a": FileSpec(text='{"a": 1}\n', age_s=3600.0)}
    with stdio(tmp_path, special) as session:
        session.reset(scenario(files=files))
        assert session.look(()).files["{home}/a"].mtime_s == 1772362800.0
        assert session.input("{home}/a").data == b'{"a": 1}\n'
        assert session.inject(Fault("jsonl.bom", "{home}/a"), 1).proof == "changed"
        session.perform([(0, op(path="{home}/a"))])
        assert session.input("{home}/a").data == b'\xef\xbb\xbf{"a": 1}\nmore'
        session.reset(scenario())
        assert session.look(()).files == {}


@pytest.mark.parametrize(("full_length", "kind"), [(True, EntryType.OK), (False, EntryType.INFO)])
def test_full_length_runs_are_given_the_time_they_ask_for(tmp_path, monkeypatch, full_length, kind):
    with stdio(tmp_path, "check=lambda call: (time.sleep(0.3), answer(call, {}))") as session:
        session.reset(scenario(full_length=full_length))
        monkeypatch.setattr("harness.targets.stdio.CALL_TIMEOUT_S", 0.1)
        (reply,) = session.perform([(0, op())])
    assert reply.type is kind


def test_a_call_that_only_waits_lets_another_case_work(tmp_path):
    # the adapter answers once this FIFO is opened, and that is done by the one who gets the slot
    go_on = tmp_path / "go on"
    os.mkfifo(go_on)
    with stdio(tmp_path, f"check=lambda call: (open({str(go_on)!r}).read(), answer(call, {{}}))") as session:
        session.reset(scenario())

        def other():
            with session._processes._slots.held():
                let_go(go_on)

        with session._processes._slots.held():
            thread = threading.Thread(target=other)
            thread.start()
            (reply,) = session.perform([(0, op())])
        thread.join()
    assert reply.type is EntryType.OK


def test_an_aborted_session_breaks_whoever_uses_it_and_can_still_be_left(tmp_path):
    with stdio(tmp_path) as session:
        session.reset(scenario())
        session.abort()
        with pytest.raises((WindtunnelError, OSError)):
            session.reset(scenario())
    assert len(session._processes) == 0


def test_what_a_sandbox_does_not_contain_is_told(tmp_path):
    with stdio(tmp_path) as session:
        assert session.contained() is False
        assert session.uncontained() != ()


@needs.namespaces
def test_the_same_holds_within_namespaces(tmp_path):
    before = "def misdeed(call):\n    os._exit(1)"
    with stdio(tmp_path, "check=misdeed", before=before, contained=True) as session:
        assert session.contained() is True
        session.reset(scenario())
        ends = session.perform([(1, op()), (2, op("other", path="{home}/a"))])
        assert [end.type for end in ends] == [EntryType.INFO, EntryType.OK]
        assert ends[1].value["path"] == "{home}/a"
