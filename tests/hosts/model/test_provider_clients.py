"""What the scripted model says is what the providers' own clients understand. Needs the dependency group ``wires``."""

import pytest
from model_process import LIMIT_S, ModelProcess

from harness.hosts.model.lines import HostTool
from harness.hosts.story import Story, ToolCall, Turn

pytestmark = pytest.mark.tools
ARGUMENTS = {"command": "ls", "depth": 2}
TEXT = "I look for the helper in every module."
STORY = Story("told", "A call, then answers", "Fix it.", (Turn(TEXT, (ToolCall("shell", ARGUMENTS),)), Turn("Done.")))
CUT = Story("cut", "Cut", "Fix it.", last=Turn(TEXT, cut="stream", times=9))
REFUSED = Story("refused", "Refused", "Fix it.", last=Turn(TEXT, error=529, times=9))
SHELL = HostTool("Bash", {"command": "{command}", "depth": "{depth}"})
SCHEMA = {"type": "object", "properties": {"command": {"type": "string"}}}
CALL = "call_told_0_0"


@pytest.fixture
def model():
    with ModelProcess() as process:
        process.play(STORY, {"shell": SHELL})
        yield process
        assert (0, "") == process.end()


@pytest.fixture
def address(model):
    return f"http://127.0.0.1:{model.port}"


@pytest.fixture
def openai_client(address):
    import openai

    with openai.OpenAI(base_url=f"{address}/v1", api_key="scripted", max_retries=0, timeout=LIMIT_S) as client:
        yield client


@pytest.fixture
def anthropic_client(address):
    import anthropic

    with anthropic.Anthropic(base_url=address, api_key="scripted", max_retries=0, timeout=LIMIT_S) as client:
        yield client


@pytest.fixture
def google_client(address):
    from google import genai

    with genai.Client(api_key="scripted", http_options=genai.types.HttpOptions(base_url=address)) as client:
        yield client


class TestResponses:
    """POST /v1/responses."""

    tools = ({"type": "function", "name": "Bash", "parameters": SCHEMA, "strict": False},)

    def asked(self, *more):
        return {"model": "mock", "tools": list(self.tools), "input": [{"role": "user", "content": "Fix it."}, *more]}

    def check(self, response):
        message, call = response.output
        assert (TEXT, "completed", 2) == (response.output_text, response.status, response.usage.total_tokens)
        assert ("message", "assistant", "completed") == (message.type, message.role, message.status)
        assert ("function_call", CALL, "Bash") == (call.type, call.call_id, call.name)

    def test_stream(self, openai_client):
        with openai_client.responses.stream(**self.asked()) as stream:
            events = list(stream)
            self.check(stream.get_final_response())
        assert TEXT == "".join(event.delta for event in events if event.type == "response.output_text.delta")
        assert list(range(len(events))) == [event.sequence_number for event in events]

    def test_whole_and_its_continuation(self, openai_client):
        first = openai_client.responses.create(**self.asked())
        self.check(first)
        result = {"type": "function_call_output", "call_id": CALL, "output": "retry.py"}
        again = [item.model_dump(exclude_none=True) for item in first.output]
        assert "Done." == openai_client.responses.create(**self.asked(*again, result)).output_text

    def test_cut(self, model, openai_client):
        import openai

        model.play(CUT)
        heard = []
        with pytest.raises(openai.APIConnectionError), openai_client.responses.stream(**self.asked()) as stream:
            heard.extend(stream)
        assert TEXT.startswith("".join(e.delta for e in heard if e.type == "response.output_text.delta"))
        assert "response.completed" not in {event.type for event in heard}


class TestChat:
    """POST /v1/chat/completions."""

    tools = ({"type": "function", "function": {"name": "Bash", "parameters": SCHEMA, "strict": True}},)

    def asked(self, *more):
        return {"model": "mock", "tools": list(self.tools), "messages": [{"role": "user", "content": "Fix it."}, *more]}

    def check(self, completion):
        (choice,) = completion.choices
        (call,) = choice.message.tool_calls
        assert (TEXT, "tool_calls", 2) == (choice.message.content, choice.finish_reason, completion.usage.total_tokens)
        assert (CALL, "Bash", '{"command": "ls", "depth": 2}') == (call.id, call.function.name, call.function.arguments)

    def test_stream(self, openai_client):
        usage = {"include_usage": True}
        with openai_client.chat.completions.stream(**self.asked(), stream_options=usage) as stream:
            for _ in stream:
                pass
            self.check(stream.get_final_completion())

    def test_whole_and_its_continuation(self, openai_client):
        first = openai_client.chat.completions.create(**self.asked())
        self.check(first)
        result = {"role": "tool", "tool_call_id": CALL, "content": "retry.py"}
        again = first.choices[0].message.model_dump(exclude_none=True)
        choice = openai_client.chat.completions.create(**self.asked(again, result)).choices[0]
        assert ("Done.", "stop") == (choice.message.content, choice.finish_reason)

    def test_cut_and_refused(self, model, openai_client):
        import openai

        model.play(CUT)
        with pytest.raises(openai.APIConnectionError):
            list(openai_client.chat.completions.create(**self.asked(), stream=True))
        model.play(REFUSED)
        with pytest.raises(openai.InternalServerError, match="refuses"):
            openai_client.chat.completions.create(**self.asked())


class TestMessages:
    """POST /v1/messages."""

    tools = ({"name": "Bash", "input_schema": SCHEMA},)

    def asked(self, *more):
        messages = [{"role": "user", "content": "Fix it."}, *more]
        return {"model": "mock", "max_tokens": 100, "tools": list(self.tools), "messages": messages}

    def check(self, message):
        text, call = message.content
        assert ("text", TEXT, "tool_use") == (text.type, text.text, message.stop_reason)
        assert ("tool_use", CALL, "Bash", ARGUMENTS) == (call.type, call.id, call.name, call.input)

    def test_stream(self, anthropic_client):
        with anthropic_client.messages.stream(**self.asked()) as stream:
            assert TEXT == "".join(stream.text_stream)
            self.check(stream.get_final_message())

    def test_whole_and_its_continuation(self, anthropic_client):
        first = anthropic_client.messages.create(**self.asked())
        self.check(first)
        again = {"role": "assistant", "content": [block.model_dump(exclude_none=True) for block in first.content]}
        result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": CALL, "content": "retry.py"}]}
        message = anthropic_client.messages.create(**self.asked(again, result))
        assert ("Done.", "end_turn") == (message.content[0].text, message.stop_reason)

    def test_tokens_are_counted(self, anthropic_client):
        asked = self.asked()
        del asked["max_tokens"]
        assert 1 == anthropic_client.messages.count_tokens(**asked).input_tokens

    def test_cut_and_refused(self, model, anthropic_client):
        import anthropic

        model.play(CUT)
        with (
            pytest.raises(Exception, match=r"incomplete|closed"),
            anthropic_client.messages.stream(**self.asked()) as stream,
        ):
            list(stream)
        model.play(REFUSED)
        with pytest.raises(anthropic.APIStatusError, match="refuses"):
            anthropic_client.messages.create(**self.asked())


class TestGenerate:
    """POST /v1beta/models/M:generateContent and :streamGenerateContent."""

    def asked(self, *more):
        from google.genai import types

        declared = types.FunctionDeclaration(name="Bash", parameters_json_schema=SCHEMA)
        config = types.GenerateContentConfig(tools=[types.Tool(function_declarations=[declared])])
        contents = [types.Content(role="user", parts=[types.Part(text="Fix it.")]), *more]
        return {"model": "mock", "contents": contents, "config": config}

    def test_stream(self, google_client):
        chunks = list(google_client.models.generate_content_stream(**self.asked()))
        parts = [part for chunk in chunks for part in chunk.candidates[0].content.parts]
        (call,) = [part.function_call for part in parts if part.function_call]
        assert TEXT == "".join(part.text or "" for part in parts)
        assert ("Bash", ARGUMENTS, CALL) == (call.name, call.args, call.id)
        assert ["STOP"] == [c.candidates[0].finish_reason.name for c in chunks if c.candidates[0].finish_reason]

    def test_whole_and_its_continuation(self, google_client):
        from google.genai import types

        first = google_client.models.generate_content(**self.asked())
        assert ([ARGUMENTS], 2) == ([c.args for c in first.function_calls], first.usage_metadata.total_token_count)
        given = types.FunctionResponse(id=CALL, name="Bash", response={"output": "retry.py"})
        result = types.Content(role="user", parts=[types.Part(function_response=given)])
        assert "Done." == google_client.models.generate_content(**self.asked(first.candidates[0].content, result)).text

    def test_tokens_are_counted(self, google_client):
        assert 1 == google_client.models.count_tokens(model="mock", contents="Fix it.").total_tokens

    def test_refused(self, model, google_client):
        from google.genai import errors

        model.play(REFUSED)
        with pytest.raises(errors.ServerError):
            google_client.models.generate_content(**self.asked())
