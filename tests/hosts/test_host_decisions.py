"""What a host decided that asks its hooks once a conversation: told from what it asked of the model."""

import msgspec
import pytest

from harness.hosts.kind import STOP
from harness.hosts.model.lines import Request
from harness.hosts.session import HookCall, HostSession, decided
from harness.hosts.stories import INTERRUPTED, PLAIN, SUBAGENT, TOOLS

CALL = HookCall(hook=STOP, stdin=b"{}", transcript=None, later=None, closed=True, environment={}, cwd="/")
SESSION = HostSession(
    host="some-host", story="plain", end="exited", exit_code=0, signal=None, calls=(CALL,), requests=(), stdout="",
    stderr="", children_left=(), duration_s=0.0,
)  # fmt: skip


def asked(*turns, outcome="answered"):
    """Requests for those turns, a number or a story's name and a number; None is a request beside the story."""
    named = [turn if isinstance(turn, tuple) else (PLAIN.name, turn) for turn in turns]
    return [Request("POST", "/", outcome, story=name, turn=turn) for name, turn in named]


@pytest.mark.parametrize(
    ("story", "requests", "expected"),
    [
        (PLAIN, asked(), ()),
        (PLAIN, asked(0), (False,)),
        (PLAIN, asked(0, None, ("", None)), (False,)),
        (PLAIN, asked(0, 0), (False,)),
        (PLAIN, asked(0, 1), (True,)),
        (PLAIN, asked(0, 1, 2), (True,)),
        (TOOLS, asked(("tools", 0)), ()),
        (TOOLS, asked(("tools", 0), ("tools", 1)), (False,)),
        (TOOLS, asked(("tools", 0), ("tools", 1), ("tools", 2)), (True,)),
        (SUBAGENT, asked(("subagent", 0), ("jitter", 0), ("jitter", 1), ("subagent", 1)), (False, False)),
        (SUBAGENT, asked(("subagent", 0), ("jitter", 0), ("jitter", 1), ("jitter", 2), ("subagent", 1)), (True, False)),
        (INTERRUPTED, [*asked(("interrupted", 0), outcome="cut"), *asked(("interrupted", 0))], (False,)),
        (INTERRUPTED, [*asked(("interrupted", 0), outcome="cut"), *asked(("interrupted", 1))], (False,)),
        (
            INTERRUPTED,
            [*asked(("interrupted", 0), outcome="cut"), *asked(("interrupted", 1), ("interrupted", 2))],
            (True,),
        ),
        (
            INTERRUPTED,
            [
                *asked(("interrupted", 0), outcome="cut"),
                *asked(("interrupted", 1)),
                Request("POST", "/", "answered", story="interrupted", turn=1, users=("more",)),
            ],
            (True,),
        ),
        (INTERRUPTED, asked(("interrupted", 0), outcome="cut"), (False,)),
        (INTERRUPTED, asked(("interrupted", 0), outcome="error"), ()),
    ],
)
def test_it_went_on_where_the_model_was_asked_again_after_its_last_word(story, requests, expected):
    assert expected == decided(story, requests)


@pytest.mark.parametrize(
    ("calls", "end", "known", "blocked"),
    [
        (1, "exited", (True,), (True,)),
        (1, "exited", (False,), (False,)),
        (2, "exited", (True, False), (True, False)),
        (0, "exited", (True,), ()),
        (1, "interrupted", (False,), ()),
        (1, "interrupted", (True,), (True,)),
        (1, "hung", (False,), ()),
        (2, "interrupted", (False, False), (False,)),
    ],
)
def test_of_a_session_that_did_not_end_by_itself_the_last_stop_is_open_unless_it_went_on(calls, end, known, blocked):
    session = msgspec.structs.replace(SESSION, calls=(CALL,) * calls, end=end, decided=known)
    assert blocked == session.blocked()
