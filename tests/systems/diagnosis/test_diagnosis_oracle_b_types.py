"""What a failure is taken for: only what is unmistakable is judged, and each wrong type is blamed on one clause."""

import json

import pytest
from handmade_diagnosis import FAIL, PASS, Story, a_context, a_diagnosis

from harness.core.history import EntryType
from harness.systems.diagnosis.contract import ErrorType, ModelScript
from harness.systems.diagnosis.oracle.classification import CLAUSES
from harness.systems.diagnosis.oracle.failure import Failure
from harness.systems.diagnosis.oracle.indications import indicated
from harness.systems.diagnosis.oracle.reasoning import answer_of, is_of_no_use

TOOLS = frozenset({"run_bash", "shell"})
UNMISTAKABLE = [
    ("tool_not_found", "Tool not found", {"tool": "browser"}),
    ("tool_not_found", "failed", {"tool": "browser"}),
    ("tool_not_found", "Tool 'browser' is not in the allowlist", {"tool": "browser", "available": None}),
    ("command_not_found", "failed", {"code": 127}),
    ("command_not_found", "Permission denied", {"code": 127}),
    ("command_not_found", "exit status 1", {"stderr": "sh: 1: jq: not found"}),
    ("permission_denied", "EACCES: permission denied, open '/etc/hosts'", {"code": "EACCES"}),
    ("permission_denied", "failed", {"code": "EPERM"}),
    ("tool_not_found", "failed", {"tool": "browser", "available": frozenset()}),
    ("permission_denied", "Command failed", {"code": 126, "stderr": "bash: ./a.sh: Permission denied"}),
    ("invalid_arguments", "f() got an unexpected keyword argument 'x'", {}),
    ("invalid_arguments", "Missing required parameter 'path'", {}),
    ("invalid_arguments", "Command failed", {"code": 1, "stderr": "cp: invalid option -- 'Y'"}),
    ("timeout", "Command timed out after 30000 ms", {"signal": "SIGTERM"}),
    ("timeout", "failed", {"code": 124}),
    ("timeout", "spawnSync make ETIMEDOUT", {"code": "ETIMEDOUT"}),
    ("output_too_large", "output truncated: too large", {}),
    ("output_too_large", "stdout maxBuffer length exceeded", {}),
    ("rate_limited", "HTTP 429 Too Many Requests", {}),
    ("rate_limited", "failed", {"code": 429}),
    ("network_error", "getaddrinfo ENOTFOUND example.com", {"code": "ENOTFOUND"}),
    ("network_error", "failed", {"code": "EAI_AGAIN"}),
    ("network_error", "Command failed", {"code": 6, "stderr": "curl: (6) Could not resolve host: x.y"}),
    ("syntax_error", "SyntaxError: invalid syntax", {}),
    ("syntax_error", "Command failed", {"code": 2, "stderr": "bash: syntax error near unexpected token `)'"}),
    ("syntax_error", "SyntaxError: invalid syntax (timeout.py, line 4290)", {}),
    ("environment_missing", "environment variable TOKEN is not set", {}),
    ("environment_missing", "ModuleNotFoundError: No module named 'requests'", {"code": 1}),
]
MISTAKABLE = [
    ("failed", {}),
    ("timed out", {"code": "EACCES"}),
    ("connect ETIMEDOUT 10.0.0.1:443", {}),
    ("failed", {"code": "ETIMEDOUT", "tool": "http_fetch", "available": None}),
    ("Permission denied", {"stdout": "connection refused"}),
    ("Permission denied", {"signal": "SIGKILL"}),
    ("Permission denied", {"code": 504}),
    ("Tool not found", {}),
    ("failed", {"tool": "browser", "code": 127}),
    ("failed", {"tool": "browser", "available": None, "legible": False}),
    ("failed", {"code": 127, "available": None, "legible": False}),
    ("ModuleNotFoundError: No module named 'x'", {"code": 127}),
    ("404 not found", {}),
    ("assert failed in test_rate_limit.py", {}),
    ("line 4290", {}),
    ("429 files were read", {}),
]


def shown(message, tool="run_bash", available=TOOLS, legible=True, **more):
    return indicated(Failure(tool, {}, message, **more), available, legible=legible)


@pytest.mark.parametrize(("kind", "message", "more"), UNMISTAKABLE)
def test_what_is_unmistakable_is_of_its_type(kind, message, more):
    assert kind == shown(message, **more).type


@pytest.mark.parametrize(("message", "more"), MISTAKABLE)
def test_nothing_is_said_of_what_may_be_of_another_type(message, more):
    assert shown(message, **more).type is None


@pytest.mark.parametrize(
    ("text", "looks"),
    [
        ("line 4290", "rate_limited"),
        ("line 429", "rate_limited"),
        ("exit code 1270", "command_not_found"),
        ("404 not found", "tool_not_found"),
        ("rate limit handling", "rate_limited"),
        ("in src/timeout.py", "timeout"),
        ("in permission_denied_test.js", "permission_denied"),
        ("see network.log", "network_error"),
        ("see syntax.md", "syntax_error"),
    ],
)
def test_look_alikes_are_known_for_what_they_look_like_and_taken_for_nothing(text, looks):
    found = shown(f"SyntaxError: {text}")
    assert ErrorType(looks) in found.lookalikes
    assert "syntax_error" == found.type


def test_a_long_text_is_read_in_linear_time():
    assert shown("a" * 60_000 + "/" * 5_000).type is None
    assert shown("9" * 60_000).type is None


# the frame of a history: one failure and what it was taken for


def taken(kind, message="failed", confidence=0.95, story=None, **more):
    """A story in which a failure with that error was taken for ``kind``."""
    story = Story() if story is None else story
    error = {"message": message, **{name: more.pop(name) for name in ("code", "stderr", "signal") if name in more}}
    changes = {"errorClassification__type": kind, "rootCause__confidence": confidence}
    changes |= {name: more.pop(name) for name in list(more) if name.startswith(("error", "alternatives", "root"))}
    context = a_context(availableTools=more.pop("tools", ["run_bash", "shell"]))
    number = len(story.made) + 1
    made = a_diagnosis(number, **changes)
    return story.failure(f"c{number}", error=error, context=context, diagnosis=made, **more)


@pytest.mark.parametrize(("kind", "message", "more"), [each for each in UNMISTAKABLE if "available" not in each[2]])
def test_each_type_has_its_clause(kind, message, more):
    clause = CLAUSES[ErrorType(kind)]
    assert PASS is taken(kind, message, **more).verdict(clause)
    wrong = taken("permission_denied" if kind != "permission_denied" else "network_error", message, **more)
    expected = PASS if more.get("code") == 124 else FAIL  # only the exit code says so: a reading
    assert expected is wrong.verdict(clause)


def test_an_exit_code_of_timeout_is_a_time_out_or_not_by_reading():
    assert ("exit_124",) == taken("timeout", code=124).readings("DR-CLS-06")
    assert ("texts_only",) == taken("unknown", code=124).readings("DR-CLS-06")
    both = taken("unknown", code=124, story=taken("timeout", "make", code=124))
    assert FAIL is both.verdict("DR-CLS-06")


def test_who_falls_for_a_look_alike_is_blamed_under_that_type_alone():
    story = taken("rate_limited", "SyntaxError: invalid syntax, line 4290")
    assert FAIL is story.verdict("DR-CLS-08")
    assert "the control failed" == story.finding("DR-CLS-08").reason
    assert story.verdict("DR-CLS-10") is None


def test_a_failure_without_an_answer_is_not_classified():
    story = taken("x", "Permission denied", answer=None, ended=EntryType.INFO)
    assert FAIL is story.verdict("DR-CLS-04")


def test_a_failure_that_was_not_diagnosed_is_not_classified():
    assert FAIL is taken("x", "Permission denied", answer={"reflection": "none"}).verdict("DR-CLS-04")
    off = taken("x", "Permission denied", answer={"reflection": "none"}, story=Story(flags={ENABLED: "0"}))
    assert off.verdict("DR-CLS-04") is None


ENABLED = "AUTONOMOUS_DIAGNOSTIC_REFLECTION_ENABLED"


def test_the_ten_types_and_unknown_are_all_there_are():
    assert FAIL is taken("file_not_found").verdict("DR-CLS-01")
    assert FAIL is taken(None).verdict("DR-CLS-01")
    assert FAIL is taken(["timeout"]).verdict("DR-CLS-01")
    assert ("unknown",) == taken("unknown").readings("DR-CLS-01")
    assert ("nearest_of_ten",) == taken("timeout", confidence=0.3).readings("DR-CLS-01")
    assert ("nearest_of_ten",) == taken("timeout", confidence="low").readings("DR-CLS-01")
    assert FAIL is taken("timeout", confidence=0.9).verdict("DR-CLS-01")
    assert ("unknown", "nearest_of_ten") == taken("timeout", code=3).readings("DR-CLS-01")
    assert ("unknown", "nearest_of_ten") == taken("timeout", signal="SIGHUP").readings("DR-CLS-01")
    assert ("unknown", "nearest_of_ten") == taken("timeout", "not found").readings("DR-CLS-01")
    assert ("unknown", "nearest_of_ten") == taken("timeout", 7).readings("DR-CLS-01")


def test_who_takes_everything_for_the_same_is_told_so():
    same = taken("unknown", "SyntaxError", story=taken("unknown", "Permission denied"))
    assert FAIL is same.verdict("DR-CLS-01")
    assert PASS is taken("syntax_error", "SyntaxError", story=taken("unknown", "Permission denied")).verdict(
        "DR-CLS-01"
    )


def test_the_same_failure_is_of_the_same_type():
    story = taken("timeout", "x", story=taken("timeout", "x"))
    assert PASS is story.verdict("DR-CLS-12")
    assert FAIL is taken("unknown", "x", process=1, story=taken("timeout", "x")).verdict("DR-CLS-12")
    assert taken("timeout", "x", tools=["search"], story=taken("unknown", "x")).verdict("DR-CLS-12") is None
    assert taken("x", "x", answer=None, ended=EntryType.INFO).verdict("DR-CLS-12") is None


def test_a_model_may_decide_only_where_nothing_is_unmistakable():
    asked = [{"prompt": "?"}]
    assert taken("unknown", "x", model=asked, story=taken("timeout", "x")).verdict("DR-CLS-12") is None
    both = taken("unknown", "Permission denied", model=asked, story=taken("permission_denied", "Permission denied"))
    assert FAIL is both.verdict("DR-CLS-12")


def test_of_two_types_one_is_taken():
    assert PASS is taken("timeout", "EACCES: timed out").verdict("DR-CLS-12")
    assert FAIL is taken(["timeout"], "EACCES: timed out").verdict("DR-CLS-12")


def test_tools_that_are_no_list_of_names_leave_everything_open():
    assert taken("tool_not_found", code=127, tools=[1, 2]).verdict("DR-CLS-02") is None
    assert FAIL is taken("tool_not_found", code=127, tools=None).verdict("DR-CLS-02")
    hostile = Story().failure(error={"message": 7}, diagnosis=a_diagnosis(errorClassification__type="unknown"))
    assert hostile.verdict("DR-CLS-02") is None


NO_TOOLS = {"alternatives__0__tools": [], "alternatives__1__tools": []}


@pytest.mark.parametrize(
    ("verdict", "message", "changes"),
    [
        (PASS, "Permission denied", {"severity": "recoverable"}),
        (PASS, "Permission denied", {"severity": "user_action_required"}),
        (PASS, "Permission denied", {"severity": "fatal", "canRecover": False}),
        (FAIL, "Permission denied", {"severity": "fatal"}),
        (FAIL, "Permission denied", {"severity": "warning"}),
        (FAIL, "Permission denied", {"severity": None}),
        (FAIL, "bash: git: command not found", {"severity": "user_action_required"}),
        (PASS, "bash: git: command not found", {"severity": "user_action_required", **NO_TOOLS}),
        (FAIL, "Permission denied", {"severity": "recoverable", **NO_TOOLS}),
    ],
)
def test_a_severity_fits_what_can_be_done(verdict, message, changes):
    kind = "command_not_found" if "command" in message else "permission_denied"
    classification = {f"errorClassification__{name}": changes[name] for name in changes if "__" not in name}
    rest = {name: value for name, value in changes.items() if "__" in name}
    assert verdict is taken(kind, message, **classification, **rest).verdict("DR-CLS-13")


# the model, and what the root cause rests on


def modelled(text="", behaviour="answers", message="Permission denied", kind="permission_denied", **more):
    made = a_diagnosis(errorClassification__type=kind, **more.pop("changes", {}))
    script = {"behaviour": behaviour} | ({"text": text} if text else {})
    args = {
        "call": "c1", "tool": "run_bash", "args": {}, "success": False, "error": {"message": message},
        "context": a_context(), "model": script,
    }  # fmt: skip
    story = Story(**({"flags": more.pop("flags")} if "flags" in more else {}))
    return story.call("observe", args, more.get("answer", {"reflection": "full", "diagnosis": made}))


LYING = json.dumps({"errorClassification": {"type": "timeout"}})
RIGHT = json.dumps(a_diagnosis())


@pytest.mark.parametrize(
    ("text", "behaviour"),
    [("", "raises"), ("", "hangs"), (RIGHT, "slow"), ("garbage", "answers"), (RIGHT[:-40], "answers"), ("[]", "answers"),
     ("7", "answers"), ("", "answers"), (LYING, "answers"), ("[" * 5000, "answers")],
)  # fmt: skip
def test_a_diagnosis_is_whole_whatever_becomes_of_the_model(text, behaviour):
    assert PASS is modelled(text, behaviour).verdict("DR-LLM-01")
    assert FAIL is modelled(text, behaviour, changes={"alternatives": []}).verdict("DR-LLM-01")
    assert FAIL is modelled(text, behaviour, answer=None).verdict("DR-LLM-01")
    assert FAIL is modelled(text, behaviour, answer={"reflection": "none"}).verdict("DR-LLM-01")


def test_nothing_is_said_of_a_model_that_is_right_or_not_there():
    assert modelled(RIGHT).verdict("DR-LLM-01") is None
    assert modelled(f"Here it is:\n```json\n{RIGHT}\n```").verdict("DR-LLM-01") is None
    assert taken("unknown").verdict("DR-LLM-01") is None
    assert modelled("", "raises", flags={ENABLED: "0"}).verdict("DR-LLM-01") is None


def test_a_model_answers_in_a_fence_too():
    assert {"a": 1} == answer_of(ModelScript("slow", '```\n{"a": 1}\n```'))
    assert answer_of(ModelScript("hangs", "{}")) is None
    assert is_of_no_use(ModelScript("answers", json.dumps({"whyChain": {}})))


@pytest.mark.parametrize(
    ("verdict", "more"),
    [
        (PASS, {"text": LYING}),
        (FAIL, {"text": LYING, "kind": "timeout"}),
        (PASS, {"text": LYING, "kind": "timeout", "message": "x"}),
        (PASS, {"text": LYING.replace("timeout", "permission_denied")}),
        (PASS, {"text": LYING.replace("timeout", "odd"), "kind": "odd"}),
        (FAIL, {"text": LYING, "changes": {"rootCause__confidence": 5}}),
        (FAIL, {"text": LYING, "changes": {"rootCause": None}}),
    ],
)
def test_no_model_overrides_what_is_unmistakable(verdict, more):
    assert verdict is modelled(**more).verdict("DR-MET-02")
