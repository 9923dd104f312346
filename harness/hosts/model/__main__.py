"""The server as a process: lines in on stdin, lines out on stdout."""

import os
import sys
import threading

import msgspec

from harness.hosts.model.conversation import first_calls
from harness.hosts.model.lines import Listening, Play, Playing, Told
from harness.hosts.model.server import Server
from harness.hosts.story import Story


def main(arguments: list[str]) -> int:
    """Serve until stdin ends; the exit status is 0 then, and 2 after an argument or a line that is malformed."""
    if len(arguments) > 1 or not all(port.isdecimal() and int(port) <= 65_535 for port in arguments):
        sys.stderr.write("the one argument is a port from 0 to 65535\n")
        return 2
    try:
        server = Server(int(arguments[0]) if arguments else 0, _write, _fail)
    except OSError as error:
        sys.stderr.write(f"port {arguments[0]} cannot be had: {error}\n")
        return 2
    threading.Thread(target=server.serve_forever, daemon=True).start()
    server.tell(Listening(server.server_address[1]))
    for line in sys.stdin.buffer:
        try:
            play = msgspec.json.decode(line, type=Play)
            _try_calls(play.story, play)
        except (msgspec.DecodeError, ValueError) as error:
            sys.stderr.write(f"the line does not begin a story: {error}\n")
            return 2
        server.play(play)
        server.tell(Playing(play.story.name))
    return 0


def _try_calls(story: Story, play: Play) -> None:
    for turn in (*story.turns, story.last):
        missing = sorted({call.name for call in turn.calls} - set(play.tools))
        if missing:
            raise ValueError(f"story {story.name}: the host has no tool for {', '.join(missing)}")
        try:
            first_calls(turn, story, play, story.name)
        except KeyError as error:
            raise ValueError(f"story {story.name}: a call has no argument {error}") from error
    for call in story.calls:
        if call.story is not None:
            _try_calls(call.story, play)


def _fail(error: BaseException) -> None:
    sys.stderr.write(f"the scripted model is at fault: {type(error).__name__}: {error}\n")
    sys.stderr.flush()
    os._exit(70)


def _write(line: Told) -> None:
    data = msgspec.json.encode(line) + b"\n"
    while data:  # no buffer: its lock may be held by a request's thread when this process ends
        data = data[os.write(1, data) :]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
