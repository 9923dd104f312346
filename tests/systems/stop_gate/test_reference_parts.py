"""The pure parts of the reference: configuration, names, own considerations, summary, metrics, log."""

import threading

import pytest

from harness.systems.stop_gate.contract import (
    NO_FILES_TEXT,
    SUMMARY_CUT_MARK,
    UNKNOWN_OBJECTIVE,
    Alert,
    CheckerOutcome,
    Consideration,
    LogCode,
    LogEntry,
    LogLevel,
    Severity,
)
from harness.systems.stop_gate.reference import metrics, naming
from harness.systems.stop_gate.reference.config import NAMED_KEYS, Config, ConfigReader
from harness.systems.stop_gate.reference.considerations import OwnQuestions, Question, changed_paths, scripted
from harness.systems.stop_gate.reference.summary import SummaryWriter
from harness.systems.stop_gate.reference.trace import STACK_LIMIT_CHARACTERS, Trace, describe, stack_of
from harness.systems.stop_gate.reference.transcript import Message, ToolUse

DEFAULTS = Config(True, 30)


def configured(data):
    trace = Trace()
    return ConfigReader().read(data, trace), [(entry.code, entry.keys) for entry in trace.entries]


@pytest.mark.parametrize(
    ("data", "config", "logged"),
    [
        (b"{}", DEFAULTS, []),
        (b'{"enabled": false}', Config(False, 30), []),
        (b'\xef\xbb\xbf{"timeout_seconds": 1}', Config(True, 1), []),
        (b'{"timeout_seconds": 300}', Config(True, 300), []),
        (b'{"enabled": 1}', DEFAULTS, [(LogCode.CONFIG_INVALID_VALUE, ("enabled",))]),
        (b'{"enabled": "true"}', DEFAULTS, [(LogCode.CONFIG_INVALID_VALUE, ("enabled",))]),
        *(
            (
                b'{"enabled": false, "timeout_seconds": %s}' % value,
                Config(False, 30),
                [(LogCode.CONFIG_INVALID_VALUE, ("timeout_seconds",))],
            )
            for value in (b"0", b"301", b"-1", b"true", b"30.0", b'"30"', b"null", b"1" * 40)
        ),
        (b'{"x": 1, "enabled": false, "a": 2}', Config(False, 30), [(LogCode.CONFIG_UNKNOWN_KEYS, ("a", "x"))]),
        *(
            (data, DEFAULTS, [(LogCode.CONFIG_INVALID, ())])
            for data in (b"", b"{", b"[]", b"5", b"null", b"\xff\xfe", b"[" * 100_000, b'{"a": ' + b"1" * 5000 + b"}")
        ),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_configuration(data, config, logged):
    assert configured(data) == (config, logged)


def test_defaults_are_nobodys_to_change():
    ConfigReader().defaults()["enabled"] = False
    assert ConfigReader().without_file() == DEFAULTS


def test_a_flood_of_unknown_keys_is_named_in_part():
    data = b"{" + b",".join(b'"k%03d": 1' % n for n in range(100)) + b"}"
    (_, keys), *rest = configured(data)[1]
    assert len(keys) == NAMED_KEYS
    assert rest == []


@pytest.mark.parametrize("safe", ["a", "session-1", "A.b_c-9", "_", "x" * 100, "0f3c-11"])
def test_a_safe_id_is_its_own_name(safe):
    assert naming.file_name(safe) == safe


@pytest.mark.parametrize(
    "hostile",
    [
        "../x",
        "a/b",
        "/etc/x",
        "..",
        ".",
        "a..b",
        ".hidden",
        "-rf",
        "a\0b",
        "x" * 101,
        "x" * 5000,
        "a b",
        "\u00e9",
        "\ud800",
        "a~b",
        "counters.json",
    ],
)
def test_a_hostile_id_gets_a_name_no_safe_id_has(hostile):
    name = naming.file_name(hostile)
    assert naming.SAFE_ID.fullmatch(name.replace("~", "_"))
    assert "~" in name
    assert len(name) < 80
    assert name == naming.file_name(hostile)
    assert name != naming.file_name(hostile + "x")


def test_fallback_ids_are_safe_and_differ():
    first, second = naming.fallback_id(), naming.fallback_id()
    assert first != second
    assert naming.file_name(first) == first


def says(text, *tools):
    return [Message("user", "Do it"), Message("assistant", text, tools)]


@pytest.mark.parametrize(
    "text",
    [
        "The answer is 42.",
        "Done",
        "Because it is faster. Let me know if you need more!",
        "Is it? Yes, it is.",
        "I'll be happy to help again.",
        "- [x] all of it",
        "It works **now**.",
    ],
)
def test_conclusive_answers(text):
    assert OwnQuestions(says(text)).objective_complete()


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n",
        "Shall I go on?",
        "**Shall I go on?**",
        "Which one\uff1f",
        "First part done. I'll do the rest now.",
        "Next, I\u2019ll look at the tests",
        "Done.\nLet me run the tests.",
        "These remain:",
        "and then...",
        "Done.\n- [ ] write tests\nThat is all.",
    ],
)
def test_open_answers(text):
    assert not OwnQuestions(says(text)).objective_complete()


def test_a_session_with_tools_or_without_people_is_judged_by_its_todos():
    assert OwnQuestions(says("Shall I?", ToolUse("Read", {}))).objective_complete()
    assert OwnQuestions([Message("system", "hello?")]).objective_complete()
    assert not OwnQuestions([Message("user", "Why?")]).objective_complete()


def todo(*states, key="todos"):
    return ToolUse("TodoWrite", {key: [{"content": "x", "status": state} for state in states]})


def test_the_last_todo_list_counts():
    assert OwnQuestions(says("", todo("pending"), todo("completed"), ToolUse("Read", {}))).todos_complete()
    assert not OwnQuestions(says("", todo("completed"), todo("completed", "in_progress"))).todos_complete()
    assert not OwnQuestions(says("", todo("pending", key="plan"))).todos_complete()
    assert OwnQuestions(
        says("", ToolUse("TodoWrite", {"todos": ["pending", {"status": ["pending"]}]}))
    ).todos_complete()
    assert OwnQuestions(says("")).todos_complete()


def ran(command, answer):
    return [Message("assistant", "", (ToolUse("Bash", {"command": command}),)), Message("user", "", (), (answer,))]


def test_ci_status_is_the_last_one_seen():
    assert OwnQuestions(says("")).ci_passed()
    assert OwnQuestions(ran("ls", "2 failed")).ci_passed()
    assert not OwnQuestions(ran("gh pr checks 7", "build FAILED")).ci_passed()
    assert OwnQuestions(ran("gh pr checks 7", "fail") + ran("gh pr checks 7", "3 passed, 0 failed")).ci_passed()


def test_tests_are_due_after_a_change():
    edit, test = ToolUse("Edit", {"file_path": "/a.py"}), ToolUse("shell", {"cmd": ["python", 5, "-m", "pytest"]})
    assert OwnQuestions(says("", test)).tests_run()
    assert OwnQuestions(says("", edit, ToolUse("Bash", {}), test)).tests_run()
    assert not OwnQuestions(says("", test, edit)).tests_run()


def test_own_questions_ask_themselves():
    questions = {
        question.id: question for question in OwnQuestions(says("Done.", ToolUse("Edit", {"path": "/a"}))).all()
    }
    answers = {name: question.checker(None) for name, question in questions.items()}
    assert answers == {"objective_complete": True, "todos_complete": True, "ci_status": True, "tests_run": False}
    assert [question.severity for question in questions.values()] == [Severity.BLOCKER] * 2 + [Severity.WARNING] * 2


PATCH = "*** Begin Patch\n*** Update File: a.py\n+x\n*** Add File: b.py\n*** End Patch"


@pytest.mark.parametrize(
    ("tool", "paths"),
    [
        (ToolUse("Write", {"file_path": "/a"}), ("/a",)),
        (ToolUse("NotebookEdit", {"notebook_path": "/n"}), ("/n",)),
        (ToolUse("Read", {"file_path": "/a"}), ()),
        (ToolUse("TodoWrite", {"path": "/a"}), ()),
        (ToolUse("Edit", {"file_path": 5}), ()),
        (ToolUse("apply_patch", {"input": PATCH}), ("a.py", "b.py")),
    ],
)
def test_changed_paths(tool, paths):
    assert changed_paths(tool) == paths


def test_summary_tells_objective_files_and_warnings():
    tools = (
        ToolUse("Edit", {"file_path": "/a"}),
        ToolUse("Write", {"file_path": "/b\nc"}),
        ToolUse("Edit", {"file_path": "/a"}),
    )
    messages = [Message("system", "rules"), Message("user", " "), *says("Done.", *tools), Message("user", "more")]
    warnings = [Question("w1", None, None), Question("w2", None, None, "do it")]
    lines = SummaryWriter().text(messages, warnings).splitlines()
    assert lines[lines.index("## Objective") + 1] == "Do it"
    assert lines[lines.index("## Files changed") + 1 :][:2] == ["- /a", "- /b\\nc"]
    assert lines[lines.index("## Warnings") + 1 :] == ["- w1", "- w2: do it"]


def test_summary_without_objective_or_files():
    text = SummaryWriter().text([Message("assistant", "x\ud800")], ())
    assert UNKNOWN_OBJECTIVE[0] in text
    assert NO_FILES_TEXT in text
    assert "Warnings" not in text


def test_summary_is_cut_behind_its_limit():
    writer = SummaryWriter()
    assert writer.cut("x" * 100_000) == "x" * 100_000
    assert writer.cut("x" * 100_001) == "x" * 100_000 + SUMMARY_CUT_MARK
    assert len(writer.text([Message("user", "y" * 200_000)], ())) == 100_000 + len(SUMMARY_CUT_MARK)


def entry(code, level=LogLevel.ERROR, checker=None):
    return LogEntry(level, code, checker=checker)


def test_each_kind_raises_its_own_counter_and_errors():
    tally = metrics.Counting().add(
        metrics.Tally({"power_steering_errors": -4}),
        [
            entry(LogCode.CHECKER_TIMED_OUT),
            entry(LogCode.ANALYSIS_TIMED_OUT),
            entry(LogCode.CHECKER_RAISED, checker="c"),
            entry(LogCode.INVALID_JSON_LINE, LogLevel.WARNING),
            entry(LogCode.INVALID_JSON_LINE, LogLevel.WARNING),
        ],
        None,
    )
    assert tally.counters == {
        "power_steering_errors": 3,
        "power_steering_timeouts": 2,
        "power_steering_transcript_errors": 1,
        "power_steering_checker_crashes": 1,
    }
    assert tally.checks == []


def tallied(moments, entries=(), tally=None):
    tally = tally or metrics.Tally()
    for moment in moments:
        tally = metrics.Counting().add(tally, entries, moment)
    return metrics.decode(metrics.encode(tally))


def test_alerts_come_with_their_rate_and_go_after_an_hour():
    counting = metrics.Counting()
    calm = tallied(range(19))
    assert counting.alerts(metrics.Tally(), 0) == ()
    one_of_twenty = tallied([19], [entry(LogCode.CHECK_FAILED)], calm)
    assert counting.alerts(one_of_twenty, 20) == ()
    two_of_twenty_one = tallied([20], [entry(LogCode.ANALYSIS_TIMED_OUT)], one_of_twenty)
    assert counting.alerts(two_of_twenty_one, 20) == (Alert("error_rate"),)
    more = tallied([20, 20], [entry(LogCode.ANALYSIS_TIMED_OUT)], two_of_twenty_one)
    assert counting.alerts(more, 20) == (Alert("error_rate"), Alert("timeout_rate"))
    assert counting.alerts(more, 20 + 3600) == (Alert("error_rate"), Alert("timeout_rate"))
    assert counting.alerts(more, 20 + 3601) == ()
    assert counting.alerts(more, 20 - 3600) == ()


def test_a_checker_that_crashes_three_times_within_an_hour_is_named():
    counting, crash = metrics.Counting(), [entry(LogCode.CHECKER_RAISED, checker="c"), entry(LogCode.CHECKER_RAISED)]
    assert Alert("checker_crashes", "c") not in counting.alerts(tallied([0, 1], crash), 1)
    assert Alert("checker_crashes", "c") in counting.alerts(tallied([0, 1, 2], crash), 2)
    assert Alert("checker_crashes", "c") not in counting.alerts(tallied([0, 1, 3700], crash), 3700)


def test_what_is_remembered_is_bounded():
    tally = metrics.Tally()
    for n in range(metrics.CHECKS_KEPT + 10):
        tally = metrics.Counting().add(tally, [entry(LogCode.CHECKER_RAISED, checker=f"c{n}")], n)
    assert len(tally.checks) == metrics.CHECKS_KEPT
    assert len(tally.crashes) == metrics.CHECKERS_KEPT


@pytest.mark.parametrize(
    "data", [b"", b"[]", b'{"counters": {"x": true}}', b"\xff", b'{"checks": [[1]]}', b"[" * 100_000]
)
def test_damaged_counters_are_refused(data):
    with pytest.raises(ValueError, match="damaged"):
        metrics.decode(data)


class Unspeakable(Exception):  # noqa: N818 - named for what it is
    def __str__(self):
        raise RuntimeError("no")


def test_the_log_survives_errors_that_cannot_be_printed(monkeypatch):
    assert describe(ValueError("x")) == "ValueError: x"
    assert describe(Unspeakable()) == "Unspeakable"
    assert "Unspeakable" in stack_of(Unspeakable())
    assert len(stack_of(ValueError("x" * 20_000))) == STACK_LIMIT_CHARACTERS
    monkeypatch.setattr("traceback.format_exception", lambda error: 1 / 0)
    assert stack_of(ValueError()) == "(no stack trace of ValueError)"


def test_errors_carry_their_context_and_debug_stays_out_of_the_file():
    trace = Trace("s", "t")
    trace.debug(LogCode.INVALID_MESSAGE, "no")
    trace.error(LogCode.CHECK_FAILED, "yes", error=ValueError("why"))
    assert trace.entries[1] == LogEntry(
        LogLevel.ERROR, LogCode.CHECK_FAILED, "yes", traceback=True, session_id="s", transcript_path="t"
    )
    assert "no" not in trace.text(1.0).split("\n")[0]
    assert "ValueError: why" in trace.text(1.0)
    assert Trace().text(1.0) == ""


def test_the_swallowing_script_swallows():
    class Event:
        waits = 0

        def is_set(self):
            return self.waits > 1

        def wait(self):
            self.waits += 1
            raise TimeoutError

    event = Event()
    assert scripted(Consideration("c", CheckerOutcome.HANGS_SWALLOWING), 1.0).checker(event) is False
    assert event.waits == 2


def test_a_checker_that_prints_says_more_than_it_was_asked_and_is_satisfied(capsys):
    assert scripted(Consideration("c", CheckerOutcome.PRINTS), 1.0).checker(threading.Event()) is True
    assert "not what was asked for" in capsys.readouterr().out
