"""The scripted model as a process, heard by hosts in each of its four wire protocols."""

import json
import socket
import threading

import msgspec
import pytest
from model_process import LIMIT_S, WIRES, Heard, ModelProcess, Wire

from harness.hosts.model.lines import HostTool
from harness.hosts.story import Story, ToolCall, Turn

TOOLS = {
    "shell": HostTool("Bash", {"command": "{command}"}),
    "subagent": HostTool("spawn", {"message": "{prompt}"}, "agents", HostTool("wait", {"targets": ["{agent_id}"]})),
}
INNER = Story("inner", "A subagent", "Look at the jitter.", (Turn("I look."),), Turn("It is random."))
STORY = Story(
    "told",
    "A call, then answers",
    "Fix the retry.",
    (Turn("I look for it.", (ToolCall("shell", {"command": "ls"}),)), Turn("I edited it.")),
    Turn("It is done."),
)
HANDED = Story(
    "handed",
    "A subagent, then answers",
    "Have it fixed.",
    (Turn("I hand it on.", (ToolCall("subagent", {"prompt": INNER.prompt}, INNER),)), Turn("It was looked at.")),
)
CALL = ("call_told_0_0", "Bash", {"command": "ls"})
CHAT, MESSAGES, RESPONSES = Wire("chat", stream=True), Wire("messages", stream=True), Wire("responses", stream=True)
every_wire = pytest.mark.parametrize(
    "wire", WIRES, ids=lambda wire: f"{wire.name}-{'events' if wire.stream else 'whole'}"
)


@pytest.fixture(scope="module")
def model():
    """One process for all: whoever plays a story begins anew."""
    with ModelProcess() as process:
        yield process
        assert (0, "") == process.end()


@every_wire
def test_a_host_that_is_blocked_twice_hears_each_turn(model, wire):
    model.play(STORY, TOOLS)
    said = ["Be brief.", "Fix the retry."]
    heard = []
    for _ in range(4):
        heard.append(wire.ask(model, said))
        said += [heard[-1], *([(heard[-1].calls[0][0], "retry.py")] if heard[-1].calls else ["go on"])]
    texts = ["I look for it.", "I edited it.", "It is done.", "It is done."]
    assert [Heard(text, (), whole=True) for text in texts[1:]] == heard[1:]
    assert Heard(texts[0], (CALL,), whole=True) == heard[0]
    told = [model.asked() for _ in range(4)]
    assert [("told", turn, "answered", None) for turn in range(4)] == [
        (t.story, t.turn, t.outcome, t.side) for t in told
    ]
    assert ["Fix the retry.", "Fix the retry.", "go on", "go on"] == [each.last_user for each in told]
    assert [False, True, False, False] == [any("retry.py" in result for result in each.results) for each in told]
    assert {("POST", wire.path)} == {(each.method, each.path) for each in told}


@every_wire
def test_the_same_request_gets_the_same_answer(model, wire):
    model.play(STORY, TOOLS)
    body = wire.body([STORY.prompt, Heard("I look for it.", (CALL,), whole=True), (CALL[0], "retry.py")])
    assert 1 == len({model.send("POST", wire.path, body) for _ in range(3)})


@every_wire
def test_a_stream_that_is_cut_shows_half_of_its_text_and_the_next_one_all(model, wire):
    text = "I edited the deadline in retry.py."
    model.play(Story("cut", "Cut once", "Fix it.", (Turn(text, cut="stream"),)))
    whole, (status, data) = Heard(text, (), whole=True), model.send("POST", wire.path, wire.body(["Fix it."]))
    assert 200 == status
    if wire.stream:
        broken = wire.hear(data)
        assert (False, True) == (broken.whole, text.startswith(broken.text))
        assert 0 < len(broken.text) < len(text)
    else:
        with pytest.raises(json.JSONDecodeError):
            wire.hear(data)
    assert whole == wire.ask(model, ["Fix it."])
    assert ["cut", "answered"] == [model.asked().outcome for _ in range(2)]


@every_wire
def test_a_turn_that_is_refused_is_refused_as_often_as_said_and_anew_in_each_playing(model, wire):
    refused = Story("refused", "Refused twice", "Fix it.", (Turn("I did.", error=503, times=2),))
    for _ in range(2):
        model.play(refused)
        answers = [model.send("POST", wire.path, wire.body(["Fix it."])) for _ in range(3)]
        assert [503, 503, 200] == [status for status, _ in answers]
        assert json.loads(answers[0][1])["error"]["message"]
        assert [("error", 0), ("error", 0), ("answered", 0)] == [
            (told.outcome, told.turn) for told in (model.asked() for _ in range(3))
        ]


def test_a_turn_that_holds_keeps_nobody_else_waiting_nor_the_end():
    with ModelProcess() as model:
        model.play(Story("held", "Held", "Fix it.", (Turn("I did.", hold=True),)))
        waiting, leaving = model.connection(), model.connection()
        waiting.request("POST", CHAT.path, json.dumps(CHAT.body(["Fix it."])))
        assert ("held", 0) == ((told := model.asked()).outcome, told.turn)
        assert "I did." == CHAT.ask(model, ["Fix it."]).text
        assert "answered" == model.asked().outcome
        model.play(Story("held", "Held", "Fix it.", last=Turn("I did.", hold=True)))
        leaving.request("POST", CHAT.path, json.dumps(CHAT.body(["Fix it."])))
        assert "held" == model.asked().outcome
        leaving.close()
        assert "I did." == CHAT.ask(model, ["Fix it."]).text
        assert (0, "") == model.end()
        with pytest.raises(ConnectionError):
            waiting.getresponse()


@every_wire
def test_a_side_request_is_answered_and_takes_no_turn(model, wire):
    schema = {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}
    model.play(STORY, TOOLS)
    assert wire.ask(model, [STORY.prompt], tools=False).text
    assert {"title": "none"} == json.loads(wire.ask(model, [STORY.prompt], schema=schema).text)
    assert wire.ask(model, ["Give it a title."]).text
    assert "I look for it." == wire.ask(model, [STORY.prompt]).text
    told = [model.asked() for _ in range(4)]
    assert ["no_tools", "schema", "other_prompt", None] == [each.side for each in told]
    assert [None, None, None, 0] == [each.turn for each in told]


def test_before_a_story_is_played_every_request_is_a_side_request():
    with ModelProcess() as model:
        for wire in WIRES:
            assert wire.ask(model, [STORY.prompt]).text
            assert ("no_story", None, "answered") == ((told := model.asked()).side, told.turn, told.outcome)


@pytest.mark.parametrize(
    ("method", "path", "status", "side"),
    [
        ("POST", "/v1/messages/count_tokens?beta=true", 200, "count"),
        ("POST", "/v1beta/models/mock:countTokens", 200, "count"),
        ("POST", "/v1/models/mock:countTokens", 200, "count"),
        ("GET", "/v1/models?limit=5", 200, "lookup"),
        ("HEAD", "/", 200, "lookup"),
        ("GET", "/v1/other", 404, "unknown_path"),
        ("POST", "/v1/embeddings", 404, "unknown_path"),
        ("POST", "/v1beta/models/mock:embedContent", 404, "unknown_path"),
        ("POST", "/v1beta/other", 404, "unknown_path"),
    ],
)
def test_a_path_is_known_or_not(model, method, path, status, side):
    model.play(STORY, TOOLS)
    found, data = model.send(method, path, {} if method == "POST" else None)
    assert status == found
    assert ("error" in json.loads(data)) is (status == 404) if method != "HEAD" else data == b""
    told = model.asked()
    assert (method, path, side, None, "error" if status == 404 else "answered") == (
        told.method, told.path, told.side, told.turn, told.outcome
    )  # fmt: skip


@every_wire
@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"7", b'{"messages":7,"contents":7,"input":7}', b"\xff\xfe"])
def test_a_body_that_is_no_request_is_refused(model, wire, data):
    model.play(STORY, TOOLS)
    status, answer = model.send("POST", wire.path, data)
    assert (400, "unreadable") == (status, model.asked().side)
    assert json.loads(answer)["error"]["message"]


def test_a_length_that_is_no_number_is_refused(model):
    model.play(STORY, TOOLS)
    with socket.create_connection(("127.0.0.1", model.port), timeout=LIMIT_S) as link:
        link.sendall(b"POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: many\r\nconnection: close\r\n\r\n")
        assert link.recv(100).startswith(b"HTTP/1.1 400 ")


def test_a_subagent_has_a_story_of_its_own_beside_the_main_one(model):
    model.play(HANDED, TOOLS)
    main, inner = ["Have it fixed."], ["Somebody asks you:", INNER.prompt]
    main += [MESSAGES.ask(model, main)]
    inner += [MESSAGES.ask(model, inner), "go on"]
    assert "It is random." == MESSAGES.ask(model, inner).text
    assert [("handed", 0), ("inner", 0), ("inner", 1)] == [(t.story, t.turn) for t in (model.asked() for _ in range(3))]
    assert ("spawn", {"message": INNER.prompt}) == main[1].calls[0][1:]


@every_wire
def test_what_a_tool_needs_next_is_called_with_its_result_and_is_the_same_turn(model, wire):
    model.play(HANDED, TOOLS)
    said = [HANDED.prompt]
    said += [first := wire.ask(model, said), (first.calls[0][0], '{"agent_id": "a7", "nickname": "Ada"}')]
    if wire.name == "generate":  # its results bear no ids, and no host of that wire needs it
        assert 500 == model.send("POST", wire.path, wire.body(said))[0]
        return
    then = wire.ask(model, said)
    assert Heard("", (("call_handed_1_0", "wait", {"targets": ["a7"]}),), whole=True) == then
    said += [then, ("call_handed_1_0", "It is random.")]
    assert Heard("It was looked at.", (), whole=True) == wire.ask(model, said)
    assert [0, 0, 1] == [model.asked().turn for _ in range(3)]


def test_a_subagent_ends_by_a_call_where_words_alone_do_not_end_it(model):
    ends = HostTool("complete", {"result": "{text}"})
    model.play(HANDED, {"subagent": HostTool("spawn", {"message": "{prompt}"}, ends=ends)})
    inner = [INNER.prompt, Heard("I look.", (), whole=True), "go on"]
    expected = (("call_inner_1_0", "complete", {"result": "It is random."}),)
    assert Heard("It is random.", expected, whole=True) == MESSAGES.ask(model, inner)
    main = [HANDED.prompt, MESSAGES.ask(model, [HANDED.prompt]), ("call_handed_0_0", "It is random.")]
    assert Heard("It was looked at.", (), whole=True) == MESSAGES.ask(model, main)


def test_a_tool_has_the_namespace_that_the_host_keeps_it_in(model):
    model.play(HANDED, TOOLS)
    whole = Wire("responses", stream=False)
    _, data = model.send("POST", whole.path, whole.body([HANDED.prompt]))
    assert "agents" == json.loads(data)["output"][1]["namespace"]
    model.play(STORY, TOOLS)
    _, data = model.send("POST", whole.path, whole.body([STORY.prompt]))
    assert "namespace" not in json.loads(data)["output"][1]


@pytest.mark.parametrize("result", ["", "no agent could be started", "[]", '{"nickname": "Ada"}'])
def test_a_result_that_names_nothing_to_go_on_with_is_an_error_and_told(model, result):
    model.play(HANDED, TOOLS)
    said = [HANDED.prompt, first := RESPONSES.ask(model, [HANDED.prompt]), (first.calls[0][0], result)]
    assert 500 == model.send("POST", RESPONSES.path, RESPONSES.body(said))[0]
    model.asked()
    assert ("no_result", "error", None) == ((told := model.asked()).side, told.outcome, told.turn)


def test_the_ids_of_calls_tell_the_turn_where_old_messages_were_dropped(model):
    long = Story("long", "Calls", "Fix it.", tuple(Turn(f"{n}", STORY.turns[0].calls) for n in range(9)))
    model.play(long, TOOLS)
    kept = Heard("6", (("call_long_6_0", "Bash", {"command": "ls"}),), whole=True)
    for wire in WIRES:
        assert "7" == wire.ask(model, ["Fix it.", kept, ("call_long_6_0", "retry.py")]).text
        assert 7 == model.asked().turn


def test_requests_at_the_same_time_are_each_answered_by_their_own_turn(model):
    model.play(STORY, TOOLS)
    heard = {}

    def ask(wire, blocks):
        said = [STORY.prompt]
        for text in ("I look for it.", "I edited it.", *["It is done."] * blocks):
            said += [Heard(text, (), whole=True), "go on"]
        heard[wire, blocks] = wire.ask(model, said).text

    threads = [threading.Thread(target=ask, args=(wire, blocks)) for wire in WIRES for blocks in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LIMIT_S)
    assert {(wire, blocks): "It is done." for wire in WIRES for blocks in range(3)} == heard
    told = [model.asked().turn for _ in threads]
    assert sorted([2, 3, 4] * len(WIRES)) == sorted(told)


@every_wire
def test_a_line_has_all_that_users_said_since_the_last_answer(model, wire):
    model.play(STORY, TOOLS)
    wire.ask(
        model, ["Be brief.", STORY.prompt, Heard("I look for it.", (), whole=True), "go on", "and on" + "x" * 3_000]
    )
    told = model.asked()
    assert ("go on", "and on" + "x" * 1_994) == told.users
    assert told.users[-1] == told.last_user


def test_what_a_line_carries_of_a_text_is_bounded(model):
    model.play(STORY, TOOLS)
    for wire in WIRES:
        wire.ask(model, [STORY.prompt + "x" * 3_000, Heard("I look.", (CALL,), whole=True), (CALL[0], "y" * 3_000)])
        told = model.asked()
        assert (2_000, [2_000]) == (len(told.last_user), [len(result) for result in told.results])


ONE_CALL = Story("s", "t", "p", (Turn("x", (ToolCall("shell", {"command": "ls"}),)),))


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b'{"line":"listen"}',
        b'{"line":"play","story":{"name":"s","title":"t","prompt":""}}',
        b'{"line":"play","story":{"name":"s","title":"t","prompt":"p","turns":[{}]}}',
        b'{"line":"play","story":{"name":"s","title":"t","prompt":"p","more":1}}',
        b'{"line":"play","story":{"name":"s","title":"t","prompt":"p","turns":[{"calls":[{"name":"shell"}]}]}}',
        b'{"line":"play","story":{"name":"s","title":"t","prompt":"p","turns":[{"calls":[{"name":"shell"}]}]},'
        b'"tools":{"shell":{"name":"Bash","arguments":{"command":"{command}"}}}}',
    ],
)
def test_a_line_that_begins_no_story_ends_it_with_2_and_one_sentence(line):
    with ModelProcess() as model:
        model.line(line + b"\n")
        code, words = model.end()
        assert (2, 1) == (code, words.count("\n")), words
        assert words.startswith("the line does not begin a story: ")


def test_a_subagents_story_needs_its_tools_too():
    inner = Story("inner", "i", "Look.", ONE_CALL.turns)
    story = Story("s", "t", "p", (Turn("x", (ToolCall("subagent", {"prompt": "Look."}, inner),)),))
    with ModelProcess() as model:
        line = {
            "line": "play",
            "story": msgspec.to_builtins(story),
            "tools": {"subagent": {"name": "a", "arguments": {}}},
        }
        model.line(json.dumps(line).encode() + b"\n")
        assert (2, "the line does not begin a story: story inner: the host has no tool for shell\n") == model.end()


def test_input_that_ends_within_a_line_ends_it_with_2():
    with ModelProcess() as model:
        model.line(b'{"line":"play","story":{"na')
        assert 2 == model.end()[0]


@pytest.mark.parametrize("arguments", [["many"], ["-1"], ["65536"], ["0", "0"]])
def test_an_argument_that_is_no_port_ends_it_with_2_and_one_sentence(arguments):
    assert (2, "the one argument is a port from 0 to 65535\n") == ModelProcess(*arguments).end()


def test_a_port_can_be_asked_for_and_one_that_is_taken_is_refused():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, words = ModelProcess(str(port)).end()
        assert (2, 1) == (code, words.count("\n"))
        assert words.startswith(f"port {port} cannot be had: ")
    with ModelProcess(str(port)) as model:
        assert port == model.port


def test_a_fault_of_its_own_ends_it_with_70_and_one_sentence():
    with ModelProcess() as model:
        connection = model.connection()
        connection.request("POST", CHAT.path, json.dumps(CHAT.body(["x"], schema={"enum": []})))
        with pytest.raises(ConnectionError):
            connection.getresponse()
        assert (70, "the scripted model is at fault: IndexError: list index out of range\n") == model.end()
