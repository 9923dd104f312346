"""The stories and the table of tools fit each other: every story that a host has the tools for can be played on it."""

import msgspec
import pytest
from model_process import Heard, ModelProcess, Wire

from harness.hosts.kinds import KINDS
from harness.hosts.model.host_tools import tools_of
from harness.hosts.stories import HELD, STORIES, TOLD

OF_HOSTS = {
    "codex": "responses",
    "claude-code": "messages",
    "qwen-code": "chat",
    "gemini-cli": "generate",
    "kimi-code": "chat",
}
every_host = pytest.mark.parametrize("host", KINDS)


@pytest.fixture(scope="module")
def model():
    with ModelProcess() as process:
        yield process
        assert (0, "") == process.end()


def test_a_story_is_known_by_its_name_and_its_prompt():
    names, prompts = [story.name for story in STORIES], [story.prompt for story in STORIES]
    prompts += [call.story.prompt for story in STORIES for call in story.calls if call.story]
    assert len(names) == len(set(names))
    assert [] == [(one, two) for one in prompts for two in prompts if one is not two and one in two]
    assert all(story.title for story in STORIES)


def test_a_hook_is_tried_with_stories_in_which_nothing_goes_wrong():
    assert [] == [story.name for story in TOLD if story not in STORIES]
    assert [] == [story.name for story in TOLD if any(turn.goes_wrong for turn in (*story.turns, story.last))]


@every_host
def test_every_host_has_all_four_tools(host):
    assert {"shell", "todo", "write_file", "subagent"} == set(tools_of(host))


def test_a_host_that_is_not_in_the_table_is_a_key_error():
    with pytest.raises(KeyError, match="other-host"):
        tools_of("other-host")


@every_host
@pytest.mark.parametrize("story", [story for story in STORIES if story is not HELD], ids=lambda story: story.name)
def test_every_story_can_be_told_to_its_end(model, host, story):
    model.play(story, tools_of(host))
    wire, said, texts = Wire(OF_HOSTS[host], stream=True), [story.prompt], []
    for _ in range(2 * len(story.turns) + 4):
        status, data = model.send("POST", wire.path, wire.body(said))
        heard = wire.hear(data) if status == 200 else Heard("", (), whole=False)
        told = model.asked()
        assert (("answered", True), story.name) == ((told.outcome, heard.whole), told.story) or told.outcome in {
            "cut",
            "error",
        }
        if heard.whole:
            assert "{" not in "".join(text for _, _, made in heard.calls for text in texts_in(made))
            said += [heard, *([(call, '{"agent_id": "a7"}') for call, _, _ in heard.calls] or ["go on"])]
            texts += [heard.text] if heard.text else []
    assert [turn.text for turn in story.turns] == texts[: len(story.turns)]
    assert {story.last.text} == set(texts[len(story.turns) :])


def texts_in(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from texts_in(each)


ITEMS = [
    {"text": "Fix the back-off in retry.py", "status": "in_progress"},
    {"text": "Run the tests", "status": "pending"},
]


@pytest.mark.parametrize(
    ("host", "name", "arguments"),
    [
        ("codex", "update_plan", {"plan": [{"step": i["text"], "status": i["status"]} for i in ITEMS]}),
        (
            "claude-code",
            "TodoWrite",
            {
                "todos": [
                    {"content": i["text"], "status": i["status"], "activeForm": f"Doing: {i['text']}"} for i in ITEMS
                ]
            },
        ),
        (
            "qwen-code",
            "todo_write",
            {"todos": [{"id": i["text"], "content": i["text"], "status": i["status"]} for i in ITEMS]},
        ),
        ("gemini-cli", "write_todos", {"todos": [{"description": i["text"], "status": i["status"]} for i in ITEMS]}),
        ("kimi-code", "TodoList", {"todos": [{"title": i["text"], "status": i["status"]} for i in ITEMS]}),
    ],
)
def test_a_list_of_work_is_written_in_the_hosts_words(model, host, name, arguments):
    story = next(story for story in STORIES if story.name == "open_todo")
    model.play(story, tools_of(host))
    heard = Wire(OF_HOSTS[host], stream=False).ask(model, [story.prompt])
    assert (("call_open_todo_0_0", name, arguments),) == heard.calls


@pytest.mark.parametrize(("host", "word"), [("qwen-code", "completed"), ("kimi-code", "done")])
def test_a_finished_item_has_the_hosts_word(model, host, word):
    story = next(story for story in STORIES if story.name == "todo_after_block")
    model.play(story, tools_of(host))
    first, second = story.turns[0], story.turns[1]
    said = [story.prompt, Heard(first.text, (("call_todo_after_block_0_0", "", {}),), whole=True)]
    said += [("call_todo_after_block_0_0", "written"), Heard(second.text, (), whole=True), "go on"]
    ((_, _, made),) = Wire(OF_HOSTS[host], stream=False).ask(model, said).calls
    assert [word, word] == [item["status"] for item in made["todos"]]


def test_the_stories_are_plain_values():
    for story in STORIES:
        assert story == msgspec.json.decode(msgspec.json.encode(story), type=type(story))
