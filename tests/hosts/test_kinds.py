"""What each kind of host is told: its settings, its command line and its variables, whole under snapshot."""

import json
import tomllib

import pytest

from harness.hosts.kind import STOP, SUBAGENT_STOP, Conditions, HookSetting
from harness.hosts.kinds import KINDS
from harness.hosts.model.host_tools import tools_of
from harness.sandbox.roots import Roots

MODEL = "http://127.0.0.1:4711"
HOOK = HookSetting(("python3", "/hooks/my hook.py", "it's"), 5.0)
SHORT = HookSetting(("true",), 1.5)
every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


def hooks_of(kind, *hooks):
    """The event, the command and the time-out of each hook in the settings, in their order."""
    files = kind.files(hooks, MODEL)
    (told,) = [json.loads(text)["hooks"] for path, text in files.items() if path.endswith(".json")] or [None]
    if told is None:
        (text,) = files.values()
        told = tomllib.loads(text).get("hooks", [])
        return [(hook["event"], hook["command"], hook["timeout"]) for hook in told]
    assert {1} >= {len(groups) for groups in told.values()}
    listed = [(event, hook) for event, (group,) in told.items() for hook in group["hooks"]]
    assert {"command"} >= {hook["type"] for _, hook in listed}
    return [(event, hook["command"], hook["timeout"]) for event, hook in listed]


@every_kind
def test_a_host_is_told_by_files_arguments_and_variables(kind, snapshot):
    hooks = [HookSetting(HOOK.words, HOOK.timeout_s, event) for event in kind.events()]
    told = {
        "files": dict(kind.files(hooks, MODEL)),
        "arguments": kind.arguments("Fix it.", Conditions()),
        "without a transcript": kind.arguments("Fix it.", Conditions(ephemeral=True)),
        "variables": dict(kind.environment(MODEL)),
    }
    assert snapshot == told


@every_kind
def test_a_kind_is_known_by_its_name_and_its_program_is_one_word(kind):
    assert kind is KINDS[kind.name]
    assert kind.program.isalnum()


@every_kind
def test_the_model_is_where_the_rig_says_and_nowhere_else(kind):
    told = [*kind.files([HOOK], MODEL).values(), *kind.environment(MODEL).values()]
    assert 1 == "\n".join(told).count(MODEL)
    assert 1 == "\n".join(told).count("http")


@every_kind
def test_hooks_of_an_event_stand_in_their_order_as_often_as_listed(kind):
    told = hooks_of(kind, HOOK, HookSetting(("true",), 5.0, listed=2))
    assert ["python3 '/hooks/my hook.py' 'it'\"'\"'s'", "true", "true"] == [command for _, command, _ in told]
    assert {kind.events()[STOP]} == {event for event, _, _ in told}


@every_kind
def test_without_hooks_there_are_none(kind):
    assert [] == hooks_of(kind)


@every_kind
def test_a_time_out_is_in_the_units_of_the_host(kind):
    whole = {"gemini-cli": ["5000", "1500"], "kimi-code": ["5", "2"], "codex": ["5", "2"]}
    expected = whole.get(kind.name, ["5", "1.5"])
    assert expected == [str(timeout) for _, _, timeout in hooks_of(kind, HOOK, SHORT)]


@every_kind
def test_one_hook_of_two_events_stands_under_the_hosts_own_names(kind):
    events = kind.events()
    told = hooks_of(kind, *(HookSetting(("true",), 5.0, event) for event in events))
    assert list(events.values()) == [event for event, _, _ in told]
    assert STOP in events
    assert set(events) <= {STOP, SUBAGENT_STOP}


@every_kind
def test_the_model_has_a_tool_for_subagents_where_their_stop_calls_hooks(kind):
    assert SUBAGENT_STOP not in kind.events() or "subagent" in tools_of(kind.name)


@every_kind
def test_a_prompt_is_one_word_of_the_command_line_whatever_it_says(kind):
    prompt = "Fix -p 'it'; $HOME\nnow"
    for ephemeral in (False, True):
        assert 1 == kind.arguments(prompt, Conditions(ephemeral=ephemeral)).count(prompt)


@every_kind
def test_a_host_is_asked_to_keep_no_transcript_exactly_where_it_can(kind):
    plain, ephemeral = (kind.arguments("Fix it.", Conditions(ephemeral=each)) for each in (False, True))
    assert kind.can_be_ephemeral == (plain != ephemeral)
    assert [] == [word for word in plain if word not in ephemeral]


@every_kind
def test_every_placeholder_is_one_of_the_sandbox_and_all_files_are_in_the_home(kind):
    roots = Roots(home="/H", project="/P", tmp="/T", outside="/O", bins=(), tools="/X")
    files = kind.files([HOOK], MODEL)
    assert [] == [path for path in files if not path.startswith("{home}/.")]
    told = [*files, *kind.environment(MODEL).values()]
    assert [] == [text for text in told if "{" in roots.resolve(text)]


def test_codex_is_told_in_toml_that_the_project_is_trusted_and_hooks_are_on():
    text = KINDS["codex"].files([], MODEL)["{home}/.codex/config.toml"]
    told = tomllib.loads(text.replace("{project}", "/a project"))
    assert {"/a project": {"trust_level": "trusted"}} == told["projects"]
    assert {"hooks": True} == told["features"]
    provider = told["model_providers"][told["model_provider"]]
    assert (f"{MODEL}/v1", "responses", 1) == (
        provider["base_url"],
        provider["wire_api"],
        provider["stream_max_retries"],
    )
