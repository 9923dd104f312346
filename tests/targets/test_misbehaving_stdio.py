"""The stdio carrier with an implementation that does everything wrong that has a name: see misbehaving.py."""

import time
from collections.abc import Iterator

import needs
import pytest
from carriers import misbehaving, op, scenario, stdio
from misbehaving import MISBEHAVIOURS, SOUND

from harness.core.history import EntryType
from harness.errors import UntestableError
from harness.targets.defects import DEFECTS, RESTARTED
from harness.targets.stdio import StdioSession

WAITS = 0.3  # seconds until an answer is given up for that never comes


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StdioSession]:
    """One session for all of them, each an operation: a sandbox each would take most of the time."""
    with misbehaving(tmp_path_factory.mktemp("misbehaving")) as made:
        yield made


def asked(session: StdioSession, name: str, index: int = 0):
    (reply,) = session.perform([(index, op(name))])
    return reply


def patience(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """What is waited for in vain is not waited for long; what takes its time gets it."""
    if code in ("timed_out", "unfinished", "closed_stdout"):
        monkeypatch.setattr("harness.targets.stdio.CALL_TIMEOUT_S", WAITS)
        monkeypatch.setattr("harness.targets.stdio_process.END_TIMEOUT_S", WAITS)


@pytest.mark.parametrize("name", MISBEHAVIOURS)
def test_each_misbehaviour_has_its_code_and_who_is_to_blame_and_the_next_call_has_a_fresh_process(
    session, monkeypatch, name
):
    _, code, says = MISBEHAVIOURS[name]
    session.reset(scenario())
    before = asked(session, "proper").value["pid"]
    with monkeypatch.context() as patch:
        patience(patch, code)
        reply = asked(session, name)
    assert (EntryType.INFO, code) == (reply.type, reply.value["reason"])
    assert (DEFECTS[code].blame.value, "operation") == (reply.value["blame"], reply.value["stage"])
    assert says in reply.value["message"]
    after = asked(session, "proper")
    assert EntryType.OK is after.type
    assert before != after.value["pid"]


@pytest.mark.parametrize("name", SOUND)
def test_what_is_unusual_and_yet_an_answer_is_taken(session, name):
    session.reset(scenario())
    before = asked(session, "proper").value["pid"]
    assert EntryType.OK is asked(session, name).type
    assert before == asked(session, "proper").value["pid"]


def test_every_defect_of_a_line_or_a_process_is_met_here():
    elsewhere = {"schema_violation", "inconsistent", "not_read", "not_started", "not_restartable", "refused"}
    assert DEFECTS.keys() - elsewhere == {code for _, code, _ in MISBEHAVIOURS.values()}


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("late", {"extra_reply"}),
        ("later", {"extra_reply"}),
        ("noise_later", {"noise"}),
        ("gone_after", {"silent_exit"}),
        ("deaf_after", {"closed_stdout", "silent_exit", "died"}),
    ],
)
def test_what_comes_after_a_good_answer_costs_one_operation(session, monkeypatch, name, codes):
    monkeypatch.setattr("harness.targets.stdio_process.END_TIMEOUT_S", WAITS)
    session.reset(scenario())
    replies = [asked(session, each) for each in (name, "proper", "proper", "proper")]
    lost = [reply.value["reason"] for reply in replies if reply.type is not EntryType.OK]
    # whether the second line is there when the first is read, or only when the next call is made, is for the machine
    assert (1, True) == (len(lost), lost[0] in codes)
    assert EntryType.OK is replies[-1].type


def test_one_that_does_not_read_is_not_waited_for_forever(session, monkeypatch):
    session.reset(scenario())
    with monkeypatch.context() as patch:
        patch.setattr("harness.targets.stdio_process.WRITE_TIMEOUT_S", WAITS)
        asked(session, "busy_after")
        (reply,) = session.perform([(0, op(text="x" * 1_000_000))])
    assert (EntryType.INFO, "not_read", "adapter") == (reply.type, reply.value["reason"], reply.value["blame"])
    assert EntryType.OK is asked(session, "proper").type


DEAD = ("exit", "killed", "silent_exit", "half_an_answer_then_killed")
WRONG = ("noise", "cut_json", "wrong_id", "batch", "twice_at_once", "not_utf8", "deep", "null_id")
WAITED_FOR = ("hang", "partial_then_silence", "closed_output")


@pytest.mark.parametrize("message", ["initialize", "reset"])
@pytest.mark.parametrize("name", [*DEAD, *WRONG, *WAITED_FOR])
def test_what_fails_at_every_start_is_untestable_and_told_once(tmp_path, monkeypatch, message, name):
    if name in WAITED_FOR:  # whatever else is asked of it has all the time it needs
        ends = "beginnings.START_TIMEOUT_S" if message == "initialize" else "stdio.CALL_TIMEOUT_S"
        monkeypatch.setattr(f"harness.targets.{ends}", WAITS)
    monkeypatch.setattr("harness.targets.stdio_process.END_TIMEOUT_S", WAITS)
    with misbehaving(tmp_path, message, name, "1000") as session:
        with pytest.raises(UntestableError) as caught:
            session.reset(scenario())
        assert 4 == caught.value.exit_code
    _, code, says = MISBEHAVIOURS[name]
    assert says in str(caught.value)
    # a process that died may have been killed by somebody, so it is started again, but not for ever
    starts = 3 if code in RESTARTED else 1
    assert starts == len(list(tmp_path.glob("misbehaved-*")))
    assert (starts > 1) is ("in a row" in str(caught.value))


def test_an_open_that_fails_every_time_is_untestable_after_three(tmp_path):
    with misbehaving(tmp_path, "open", "exit") as session:
        session.reset(scenario())
        lost = [asked(session, "proper", index) for index in (1, 2)]
        assert [(EntryType.INFO, "died", "open")] * 2 == [
            (each.type, each.value["reason"], each.value["stage"]) for each in lost
        ]
        with pytest.raises(UntestableError, match=r"does not accept open: .* exit code 3.*so did 2 before it in a row"):
            asked(session, "proper", 3)


@pytest.mark.parametrize("name", [*DEAD, *WRONG, "hang"])
def test_an_open_that_fails_once_costs_one_operation(tmp_path, monkeypatch, name):
    monkeypatch.setattr("harness.targets.stdio.CALL_TIMEOUT_S", WAITS)
    with misbehaving(tmp_path, "open", name, "1") as session:
        session.reset(scenario())
        monkeypatch.undo()
        if name == "hang":
            monkeypatch.setattr("harness.targets.stdio.CALL_TIMEOUT_S", WAITS)
        replies = [asked(session, each) for each in ("exit", "proper", "proper")]
    _, code, _ = MISBEHAVIOURS[name]
    assert ["died", code, None] == [reply.value.get("reason") for reply in replies]
    assert ["operation", "open"] == [reply.value["stage"] for reply in replies[:2]]


@pytest.mark.parametrize("message", ["initialize", "reset"])
@pytest.mark.parametrize("name", DEAD)
def test_a_first_start_that_dies_once_costs_the_first_operation(tmp_path, message, name):
    with misbehaving(tmp_path, message, name, "1") as session:
        session.reset(scenario())
        lost, found = (asked(session, "proper") for _ in range(2))
    assert (MISBEHAVIOURS[name][1], message) == (lost.value["reason"], lost.value["stage"])
    assert EntryType.OK is found.type


@pytest.mark.parametrize("name", [*DEAD, "noise", "twice_at_once", "hang"])
def test_a_later_reset_that_fails_once_costs_nothing(tmp_path, monkeypatch, name):
    # what stands behind it may be what the last scenario did to the process
    (tmp_path / "misbehaved-0").touch()
    with misbehaving(tmp_path, "reset", name, "2") as session:
        (tmp_path / "misbehaved-1").touch()
        session.reset(scenario())
        (tmp_path / "misbehaved-1").unlink()
        monkeypatch.setattr("harness.targets.stdio.CALL_TIMEOUT_S", WAITS)
        session.reset(scenario())
        monkeypatch.undo()
        assert EntryType.OK is asked(session, "proper").type
    assert (tmp_path / "misbehaved-1").exists()


@pytest.mark.parametrize("name", [*DEAD, *WRONG, "hang", "flood", "refuse"])
def test_whatever_it_does_at_shutdown_ends_it(tmp_path, name):
    began = time.monotonic()
    with misbehaving(tmp_path, "shutdown", name) as session:
        session.reset(scenario())
        assert EntryType.OK is asked(session, "proper").type
    assert time.monotonic() - began < 60


def test_what_claims_its_system_and_refuses_to_begin_fails_each_operation(tmp_path):
    with misbehaving(tmp_path, "reset", "refuse") as session:
        for _ in range(2):
            session.reset(scenario())
            replies = [asked(session, "proper", index) for index in (0, 1)]
            assert [EntryType.FAIL] * 2 == [reply.type for reply in replies]
            assert {
                "error": "no such method", "code": -32601, "reason": "refused", "blame": "implementation", "stage": "reset"
            } == replies[0].value  # fmt: skip


def test_what_refuses_to_open_fails_the_operations_that_need_it(tmp_path):
    with misbehaving(tmp_path, "open", "refuse") as session:
        session.reset(scenario())
        replies = [asked(session, "proper", index) for index in (0, 1, 0)]
    assert [EntryType.OK, EntryType.FAIL, EntryType.OK] == [reply.type for reply in replies]
    assert ("refused", "open") == (replies[1].value["reason"], replies[1].value["stage"])


def test_a_refused_operation_is_certainly_not_done_and_the_process_goes_on(session):
    session.reset(scenario())
    first, refused, second = (asked(session, name) for name in ("proper", "refuse", "proper"))
    assert (EntryType.FAIL, {"error": "no such method", "code": -32601}) == (refused.type, refused.value)
    assert first.value["pid"] == second.value["pid"]


@needs.namespaces
def test_no_orphan_is_left_by_what_ended_or_was_given_up_for(tmp_path, monkeypatch):
    with misbehaving(tmp_path, contained=True) as session:
        session.reset(scenario())
        with monkeypatch.context() as patch:
            patience(patch, "timed_out")
            asked(session, "orphan_left")
            asked(session, "hang")
        session._processes.restart()
        assert () == session.sandbox.kill_everything()


def test_what_introduces_itself_as_something_else_later_is_no_answer(tmp_path):
    with misbehaving(tmp_path, "initialize", "another_name", "1") as session:
        session.reset(scenario())
        replies = [asked(session, "proper", index) for index in (0, 1)]
        assert [None, "inconsistent"] == [reply.value.get("reason") for reply in replies]
        assert ("adapter", "initialize") == (replies[1].value["blame"], replies[1].value["stage"])


def test_what_cannot_be_restarted_loses_every_operation_that_would_need_it(tmp_path):
    with misbehaving(tmp_path, "initialize", "no_restart") as session:
        session.reset(scenario())
        replies = [asked(session, name, index) for name, index in (("proper", 0), ("proper", 1), ("exit", 0))]
        replies.append(asked(session, "proper"))
        assert [None, "not_restartable", "died", "not_restartable"] == [each.value.get("reason") for each in replies]
        session.reset(scenario())
        assert EntryType.OK is asked(session, "proper").type


def test_a_result_that_is_not_the_contracts_costs_its_operation_and_names_the_field(tmp_path):
    before = (
        "ANSWER['systems'] = {'rate_limit': {}}\nSAID = [{'rate_limited': 'yes'}, {'rate_limited': True}, {}, None]"
    )
    special = "**{'rate_limit/classify': lambda call: answer(call, SAID.pop(0) if call['id'] > 2 else None)}"
    with stdio(tmp_path, special, before=before, system="rate_limit") as session:
        session.reset(scenario())
        replies = [session.perform([(0, op("classify", status=429))])[0] for _ in range(2)]
    assert [EntryType.INFO] * 2 == [reply.type for reply in replies]
    assert {"schema_violation"} == {reply.value["reason"] for reply in replies}
    assert {"adapter"} == {reply.value["blame"] for reply in replies}
    assert "rate_limit/classify" in replies[0].value["message"]
    assert "Expected `bool`, got `str` - at `$.rate_limited`" in replies[0].value["message"]


@pytest.mark.parametrize(("message", "name", "reason"), [
    ("initialize", "no_restart", "not_restartable"), ("reset", "refuse", "refused"),
])  # fmt: skip
def test_operations_in_an_order_need_processes_of_their_own(tmp_path, message, name, reason):
    with misbehaving(tmp_path, message, name) as session:
        session.reset(scenario())
        replies = session.perform_in_order([(1, op("proper")), (2, op("proper"))], ordering=None)
    assert [reason] * 2 == [reply.value["reason"] for reply in replies]
