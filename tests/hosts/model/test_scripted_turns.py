import pytest

from harness.hosts.model.conversation import Conversation, Said, filled, least, place, story_of
from harness.hosts.model.lines import HostTool
from harness.hosts.model.wires import read_responses
from harness.hosts.story import Story, ToolCall, Turn

INNER = Story("inner", "a subagent", "look at the jitter")
OUTER = Story(
    "outer",
    "a main agent",
    "fix the helper",
    (Turn(calls=(ToolCall("subagent", {"title": "look", "prompt": INNER.prompt}, INNER),)),),
)


def conversation(*said):
    return Conversation(said, has_tools=True, stream=False)


def test_a_turn_is_counted_by_runs_of_answers():
    text, call, result = Said("assistant", "a"), Said("assistant", call="call_s_0_0"), Said("result", "r", "call_s_0_0")
    assert conversation(Said("user", "x")).answers == 0
    assert conversation(Said("user", "x"), text, call, result).answers == 1
    assert conversation(Said("user", "x"), text, call, result, text, Said("user", "go on")).answers == 2


def test_calls_of_one_answer_count_once_though_their_results_stand_between_them():
    items = []
    for index in range(2):
        items.append({"type": "function_call", "call_id": f"call_s_0_{index}"})
        items.append({"type": "function_call_output", "call_id": f"call_s_0_{index}", "output": f"out {index}"})
    asked = read_responses({"input": items})
    assert (asked.answers, asked.results) == (1, ("out 1",))


@pytest.mark.parametrize(
    ("prompt", "name"), [("fix the helper", "outer"), ("now look at the jitter", "inner"), ("title?", None)]
)
def test_a_conversation_is_known_by_the_prompt_that_opens_it(prompt, name):
    found = story_of(conversation(Said("user", prompt)), OUTER)
    assert (found and found.name) == name


def test_a_template_takes_values_items_and_parts_of_strings():
    template = {"plan": {"each": "items", "as": {"step": "{text}"}}, "path": "{project}/{path}", "n": 1}
    values = {"items": [{"text": "a {path}"}], "project": "/p", "path": "x.py"}
    assert filled(template, values) == {"plan": [{"step": "a {path}"}], "path": "/p/x.py", "n": 1}


def test_the_least_value_of_a_schema_takes_the_first_choice():
    schema = {"type": "OBJECT", "properties": {"who": {"enum": ["user", "model"]}, "n": {"type": "number"}}}
    assert least(schema) == {"who": "user", "n": 0}


@pytest.mark.parametrize("template", ["{path}", "a {path}", ["{path}"], {"x": {"each": "path", "as": "{text}"}}])
def test_a_value_that_a_template_wants_and_nobody_gave_is_named(template):
    with pytest.raises(KeyError, match="path"):
        filled(template, {"text": "{path}"})


def test_a_value_is_put_in_as_it_is():
    assert "echo {path} {0}" == filled("{command}", {"command": "echo {path} {0}", "path": "x"})
    assert "run echo {path}; 2" == filled("run {command}; {n}", {"command": "echo {path}", "n": 2})


def test_the_turn_is_the_same_for_a_call_and_what_follows_it():
    then = {"subagent": HostTool("spawn", {}, then=HostTool("wait", {}))}
    story = Story("s", "t", "p", (*OUTER.turns, Turn("b"), *OUTER.turns))
    assert [(0, False), (0, True), (1, False), (2, False), (2, True), (3, False)] == [
        place(story, then, answers) for answers in range(6)
    ]
    plain = {"subagent": HostTool("Agent", {})}
    assert [(0, False), (1, False), (2, False), (3, False)] == [place(story, plain, answers) for answers in range(4)]


def test_the_last_call_that_is_left_tells_how_many_answers_there_were():
    call, foreign = Said("assistant", call="gemini__call_s_7_1"), Said("assistant", call="toolu_9")
    user, text = Said("user", "x"), Said("assistant", "a")
    assert 8 == conversation(user, text, call).answers
    assert 9 == conversation(user, call, user, text).answers
    assert 9 == conversation(user, call, user, foreign, Said("result", "r", "toolu_9")).answers
    assert 1 == conversation(user, text, foreign).answers


@pytest.mark.parametrize(
    ("calls", "words"),
    [
        ((ToolCall("subagent", {"prompt": "p"}),), "has a story"),
        ((ToolCall("shell", {"command": "ls"}, INNER),), "has a story"),
        ((ToolCall("subagent", {"prompt": "another"}, INNER),), "prompt of inner"),
    ],
)
def test_a_subagents_story_is_where_it_belongs_and_has_the_prompt_it_is_called_with(calls, words):
    with pytest.raises(ValueError, match=words):
        Story("s", "t", "p", (Turn(calls=calls),))


@pytest.mark.parametrize("wrong", [{"cut": "stream", "hold": True}, {"text": ""}])
def test_a_turn_that_contradicts_itself_is_refused(wrong):
    with pytest.raises(ValueError):
        Turn(**{"text": "a", **wrong})
