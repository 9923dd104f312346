"""The stdio carrier with adapters that are broken on purpose: each way to fail has its own code."""

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


# what an adapter does instead of answering the call with id ``n``; the reply's reason, and what is said of it
MISDEEDS = (
    ("say('hello\\n')", "not_protocol", "'hello' - was it meant for stderr?"),
    ("say('\\n')", "not_protocol", "is no answer: ''"),
    ("say('5\\n')", "not_protocol", "is no answer"),
    ("say('{}\\n')", "not_protocol", "is no answer"),
    ("say('{\"result\": 1}\\n')", "not_protocol", "is no answer"),
    ('say(\'{"error": "no", "id": %d}\\n\' % n)', "not_protocol", "is no answer"),
    ('say(\'{"id": %d, "result": NaN}\\n\' % n)', "not_protocol", "is no answer"),
    ("say('[' * 100000 + '\\n')", "not_protocol", "is no answer"),
    ('say(\'[{"id": %d, "result": 1}]\\n\' % n)', "not_protocol", "a batch came instead of one answer"),
    ('os.write(1, b\'{"id": %d, "result": "\\xff"}\\n\' % n)', "not_protocol", "is no answer"),
    ("answer({'id': 77}, {})", "wrong_id", "the answer has id 77, the call had "),
    ("answer({'id': None}, {})", "wrong_id", "the answer has id None, the call had "),
    ("fail({'id': 77}, 1, 'no')", "wrong_id", "the answer has id 77"),
    ('os.write(1, b\'{"id": %d, "result": 1}\\n\' % n * 2)', "extra_reply", "more than one answer"),
    ('os.write(1, b\'{"id": %d, "result": 1}\\nDone.\\n\' % n)', "extra_reply", "Done."),
    ("os._exit(3)", "died", "it ended without an answer"),
    ("(os.write(2, b'my last words'), os._exit(3))", "died", "its standard error ends: my last words"),
    ('(say(\'{"id": 3, "resu\'), os._exit(3))', "died", "it ended without an answer"),
    ("os.kill(os.getpid(), 9)", "died", "it ended without an answer"),
    ("say('x' * 17_000_000)", "flooded", "more than 16,777,216 bytes came without a newline"),
    ("time.sleep(1000)", "timed_out", "no answer within 0.2 s"),
    ("os.close(1)", "died", "it ended without an answer"),
    ("(os.close(2), time.sleep(1000))", "timed_out", "no answer within 0.2 s"),
)


@pytest.fixture(scope="module")
def misbehaving(tmp_path_factory):
    """One session for all misdeeds, each an operation: a sandbox each would take most of the time."""
    folder = tmp_path_factory.mktemp("misdeeds")
    before = "\n".join(f"def m{n}(call):\n    n = call['id']; {misdeed}" for n, (misdeed, _, _) in enumerate(MISDEEDS))
    with stdio(folder, ", ".join(f"m{n}=m{n}" for n in range(len(MISDEEDS))), before=before) as session:
        yield session


@pytest.mark.parametrize("number", range(len(MISDEEDS)), ids=[misdeed for misdeed, _, _ in MISDEEDS])
def test_each_way_to_fail_has_its_own_code_and_the_next_call_has_a_fresh_process(misbehaving, monkeypatch, number):
    misdeed, code, says = MISDEEDS[number]
    misbehaving.reset(scenario())
    with monkeypatch.context() as patch:
        if "sleep" in misdeed:
            patch.setattr("harness.targets.stdio.CALL_TIMEOUT_S", 0.2)
        (reply,) = misbehaving.perform([(0, op(f"m{number}"))])
    assert (reply.type, reply.value["reason"]) == (EntryType.INFO, code)
    assert says in reply.value["message"]
    (after,) = misbehaving.perform([(0, op("other"))])
    assert (after.type, after.value["method"]) == (EntryType.OK, "toy/other")


def test_a_refused_call_has_certainly_not_been_done_and_the_process_goes_on(tmp_path):
    with stdio(
        tmp_path, "check=lambda call: fail(call, -32602, 'no such field'), other=lambda call: answer(call, os.getpid())"
    ) as session:
        session.reset(scenario())
        first, refused, second = (session.perform([(0, op(name))])[0] for name in ("other", "check", "other"))
    assert (refused.type, refused.value) == (EntryType.FAIL, {"error": "no such field", "code": -32602})
    assert first.value == second.value
    assert set(first.value) == {"result"}


def test_an_answer_may_come_in_pieces_and_a_chatty_standard_error_is_no_answer(tmp_path):
    before = (
        "def slowly(call):\n"
        "    sys.stderr.write('chatter ' * 40_000); sys.stderr.flush()\n"
        "    text = json.dumps({'id': call['id'], 'result': {'text': 'x' * 200_000}}) + '\\n'\n"
        "    for at in range(0, len(text), 50_000): say(text[at:at + 50_000])"
    )
    with stdio(tmp_path, "check=slowly", before=before) as session:
        session.reset(scenario())
        (reply,) = session.perform([(0, op())])
    assert (reply.type, len(reply.value["text"])) == (EntryType.OK, 200_000)


def test_a_call_larger_than_a_pipe_is_written_whole(tmp_path):
    with stdio(tmp_path, "check=lambda call: answer(call, {'size': len(call['params']['text'])})") as session:
        session.reset(scenario())
        (reply,) = session.perform([(0, op(text="x" * 3_000_000))])
    assert reply.value == {"size": 3_000_000}


def test_an_adapter_that_closed_its_standard_input_has_died(tmp_path):
    before = "def deaf(call):\n    os.close(0); answer(call, {}); time.sleep(1000)"
    with stdio(tmp_path, "check=deaf", before=before) as session:
        session.reset(scenario())
        session.perform([(0, op())])
        # the first byte already meets the closed pipe, so this is no question of speed
        (reply,) = session.perform([(0, op())])
    assert (reply.type, reply.value["reason"]) == (EntryType.INFO, "died")
    assert "it closed its standard input" in reply.value["message"]


def test_an_adapter_that_does_not_read_is_not_waited_for_forever(tmp_path, monkeypatch):
    monkeypatch.setattr("harness.targets.stdio_process.WRITE_TIMEOUT_S", 0.2)
    before = "def busy(call):\n    answer(call, {}); time.sleep(1000)"
    with stdio(tmp_path, "check=busy", before=before) as session:
        session.reset(scenario())
        session.perform([(0, op())])
        (reply,) = session.perform([(0, op(text="x" * 1_000_000))])
    assert (reply.type, reply.value["reason"]) == (EntryType.INFO, "timed_out")
    assert reply.value["message"] == "it does not read its standard input"


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
            "its answer to initialize is not the protocol's: Object missing required field",
        ),
        ("initialize=lambda call: answer(call, {**ANSWER, 'mood': 1})", "unknown field `mood`"),
        ("initialize=lambda call: answer(call, {**ANSWER, 'protocolVersion': 2})", "it chose protocol 2; we speak 1"),
        (
            "initialize=lambda call: answer(call, {**ANSWER, 'systems': {'other': {}}})",
            "it does not implement toy: it names ['other']",
        ),
        ("reset=lambda call: fail(call, -32602, 'no home')", "the implementation does not accept reset: no home"),
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
    session._command = ("/no/such/command",)
    with session, pytest.raises(UntestableError, match="/no/such/command does not speak our protocol"):
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


@pytest.mark.parametrize("misdeed", ["fail(call, 1, 'no restart')", "os._exit(1)"])
def test_an_implementation_that_cannot_be_opened_again_is_untestable(tmp_path, misdeed):
    with stdio(tmp_path, f"open=lambda call: {misdeed}") as session:
        session.reset(scenario())
        for _ in range(2):
            with pytest.raises(UntestableError, match="does not accept open"):
                session.perform([(1, op())])


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
        assert session.snapshot()["{home}/a"].mtime_s == 1772362800.0
        assert session.input("{home}/a").data == b'{"a": 1}\n'
        assert session.inject(Fault("jsonl.bom", "{home}/a"), 1).proof == "changed"
        session.perform([(0, op(path="{home}/a"))])
        assert session.input("{home}/a").data == b'\xef\xbb\xbf{"a": 1}\nmore'
        session.reset(scenario())
        assert session.snapshot() == {}


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
            with session._slots.held():
                let_go(go_on)

        with session._slots.held():
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
    assert session._processes == {}


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
