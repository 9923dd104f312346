"""The server: one thread a connection, one story at a time."""

import json
import re
import sys
import threading
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import Any

import msgspec

from harness.hosts.model import wires
from harness.hosts.model.conversation import Answer, Conversation, first_calls, least, place, story_of, then_calls
from harness.hosts.model.lines import EXCERPT, Outcome, Play, Request, Side, Told
from harness.hosts.story import Story, Turn

Write = tuple[Callable[[Answer], dict[str, Any]], Callable[[Answer], wires.Events]]
_SIDE_TEXT = "A retry helper was edited."
_NOTHING = Answer("nothing", "", "")
_GENERATE = re.compile(r"/v1(?:beta)?/models/([^/:]+):(generateContent|streamGenerateContent|countTokens)")
_WIRES: dict[str, tuple[Callable[[dict[str, Any]], Conversation], Write]] = {
    "/v1/responses": (wires.read_responses, (wires.responses_whole, wires.responses_events)),
    "/v1/messages": (wires.read_messages, (wires.messages_whole, wires.messages_events)),
    "/v1/chat/completions": (wires.read_chat, (wires.chat_whole, wires.chat_events)),
}


class Chosen(msgspec.Struct, frozen=True):
    """What to do about a request: the answer, how its turn goes wrong this time, and what to tell of it."""

    answer: Answer | None
    wrong: Turn | None = None
    side: Side | None = None
    story: str = ""
    turn: int | None = None

    @property
    def outcome(self) -> Outcome:
        """What the host meets."""
        if self.answer is None:
            return "error"
        if self.wrong is None:
            return "answered"
        return "held" if self.wrong.hold else "error" if self.wrong.error is not None else "cut"


class Server(ThreadingHTTPServer):
    """Answers on 127.0.0.1; ``tell`` is given each line to write, one at a time, and ``fail`` what it is at fault for.

    OSError when the port is taken.
    """

    daemon_threads = True
    request_queue_size = 128  # connections that come at once: a host with subagents has several

    def __init__(self, port: int, tell: Callable[[Told], None], fail: Callable[[BaseException], None]) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self._tell = tell
        self._fail = fail
        self._lock = threading.Lock()
        self._play: Play | None = None
        self._met: Counter[tuple[str, int]] = Counter()

    def server_bind(self) -> None:
        """Bind, and look up no name: the base class asks a name service that a sandbox has not."""
        TCPServer.server_bind(self)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A host may go away when it likes; everything else is our fault, and no host's."""
        error = sys.exc_info()[1]
        if error is not None and not isinstance(error, ConnectionError):
            self._fail(error)

    def play(self, play: Play) -> None:
        """Begin a story in place of the one before; what its turns met is forgotten."""
        with self._lock:
            self._play = play
            self._met.clear()

    def tell(self, line: Told) -> None:
        """Write a line, whole."""
        with self._lock:
            self._tell(line)

    def choose(self, asked: Conversation) -> Chosen:
        """The answer to a request, by the story that is played."""
        with self._lock:
            play = self._play
            side, story = _side(asked, play)
            if play is None or story is None:
                text = json.dumps(least(asked.schema)) if asked.schema is not None else _SIDE_TEXT
                return Chosen(Answer("side", asked.model, text), side=side)
            number, follows = place(story, play.tools, asked.answers)
            turn = story.turn(number)
            name = f"{story.name}_{asked.answers}"
            if follows:
                before = f"{story.name}_{asked.answers - 1}"
                try:
                    calls = then_calls(turn, play, asked, before, name)
                except KeyError:
                    return Chosen(None, side="no_result")
                return Chosen(Answer(name, asked.model, "", calls), None, None, story.name, number)
            self._met[story.name, number] += 1
            wrong = turn if turn.goes_wrong and self._met[story.name, number] <= turn.times else None
        answer = Answer(name, asked.model, turn.text, first_calls(turn, story, play, name))
        return Chosen(answer, wrong, None, story.name, number)


def _side(asked: Conversation, play: Play | None) -> tuple[Side | None, Story | None]:
    if asked.schema is not None:
        return "schema", None
    if not asked.has_tools:
        return "no_tools", None
    if play is None:
        return "no_story", None
    story = story_of(asked, play.story)
    return (None, story) if story is not None else ("other_prompt", None)


def _reader(path: str) -> tuple[Callable[[dict[str, Any]], Conversation], Write] | None:
    if path in _WIRES:
        return _WIRES[path]
    generates = _GENERATE.fullmatch(path)
    if generates is None:
        return None
    model, stream = generates[1], generates[2] == "streamGenerateContent"
    return lambda body: wires.read_generate(body, model, stream), (wires.generate_whole, wires.generate_events)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Server

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is the base class's
        """Nothing: stderr is for what ends the server."""

    def do_HEAD(self) -> None:
        self._told(Chosen(_NOTHING, side="lookup"))
        self._whole({})

    def do_GET(self) -> None:
        if self.path.partition("?")[0] in {"/v1/models", "/v1beta/models"}:
            self._told(Chosen(_NOTHING, side="lookup"))
            self._whole({"object": "list", "data": [], "models": []})
        else:
            self._refuse("unknown_path", 404, "no such path")

    def do_POST(self) -> None:
        length = self.headers.get("content-length", "0")
        raw = self.rfile.read(int(length)) if length.isdecimal() else b""
        path = self.path.partition("?")[0]
        generates = _GENERATE.fullmatch(path)
        if path == "/v1/messages/count_tokens" or (generates and generates[2] == "countTokens"):
            self._told(Chosen(_NOTHING, side="count"))
            self._whole({"input_tokens": 1, "totalTokens": 1})
            return
        found = _reader(path)
        if found is None:
            self._refuse("unknown_path", 404, "no such path")
            return
        read, write = found
        try:
            asked = read(json.loads(raw))
        except (ValueError, KeyError, TypeError, AttributeError):
            self._refuse("unreadable", 400, "the body is not a request of this path")
            return
        self._answer(asked, self.server.choose(asked), write)

    def _refuse(self, side: Side, status: int, message: str) -> None:
        self._told(Chosen(None, side=side))
        self._whole(_error(message), status)

    def _answer(self, asked: Conversation, chosen: Chosen, write: Write) -> None:
        self._told(chosen, asked)
        whole, events = write
        wrong = chosen.wrong
        if chosen.answer is None:
            self._whole(_error("a tool gave no result that the story can go on with"), 500)
        elif wrong is not None and wrong.hold:
            self.rfile.read(1)
            self.close_connection = True
        elif wrong is not None and wrong.error is not None:
            self._whole(_error("the scripted model refuses"), wrong.error)
        elif asked.stream:
            self._events(events(chosen.answer), wrong is not None, events is wires.chat_events)
        else:
            self._whole(whole(chosen.answer), cut=wrong is not None)

    def _told(self, chosen: Chosen, asked: Conversation | None = None) -> None:
        line = Request(
            method=self.command,
            path=self.path,
            outcome=chosen.outcome,
            side=chosen.side,
            story=chosen.story,
            turn=chosen.turn,
            last_user=asked.last_user[:EXCERPT] if asked else "",
            results=tuple(text[:EXCERPT] for text in asked.results) if asked else (),
            users=tuple(text[:EXCERPT] for text in asked.users) if asked else (),
        )
        self.server.tell(line)

    def _whole(self, value: dict[str, Any], status: int = 200, *, cut: bool = False) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body[: len(body) // 2] if cut else body)
        self.close_connection = self.close_connection or cut

    def _events(self, events: wires.Events, cut: bool, done: bool) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for name, data in events[: len(events) // 2] if cut else events:
            self._chunk((f"event: {name}\n" if name else "") + f"data: {json.dumps(data)}\n\n")
        if cut:
            self.close_connection = True
            return
        if done:
            self._chunk("data: [DONE]\n\n")
        self.wfile.write(b"0\r\n\r\n")

    def _chunk(self, text: str) -> None:
        body = text.encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(body), body))


def _error(message: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": "invalid_request_error", "message": message}}
