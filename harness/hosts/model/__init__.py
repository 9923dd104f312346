"""A scripted model: a server on loopback that answers hosts as four model providers would, by a story.

``python -m harness.hosts.model [PORT]`` binds 127.0.0.1 at PORT, or at a free port, and speaks JSON lines, each with a
field ``line`` that says which it is; `harness.hosts.model.lines` has their types. On stdout:

- ``{"line": "listening", "port": 40123}`` once, as the first;
- ``{"line": "playing", "name": "plain"}`` when a story began;
- ``{"line": "request", ...}`` for each request, before it is answered (a turn that holds is told while it holds).

On stdin ``{"line": "play", "story": {...}, "tools": {...}, "project": "/absolute"}`` begins a story in place of the one
before. The end of stdin ends the server with status 0; a line or an argument that is malformed ends it with status 2
and one sentence on stderr, and a fault of the server's own with status 70.

Which turn answers a request is read from the conversation that it carries, not from the order of arrival: turn N
answers the request with N answers in it (N+1 after a tool that has a ``then``), and the ids of the calls tell N also
where old messages were dropped. So a request that is sent again gets the same answer. What counts requests is only
``times`` of a turn that goes wrong.
"""
