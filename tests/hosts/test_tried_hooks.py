"""What has to be seen before anything is said of a hook under a host, and how its stops are predicted."""

import fake_host
import needs
import pytest

from harness.core.hosted import HostStory
from harness.errors import MachineError
from harness.hosts import trial as trying
from harness.hosts.facts import require_told
from harness.hosts.kind import STOP
from harness.hosts.model.lines import Request
from harness.hosts.session import HookCall, HostSession
from harness.hosts.stories import CALLS_BETWEEN_STOPS, FILES, PLAIN, TOOLS
from harness.hosts.trial import TriedHook, trial
from harness.systems.stop_gate import hosts, process

CALL = HookCall(hook=STOP, stdin=b"{}", transcript=None, later=None, closed=True, environment={}, cwd="/")


@pytest.fixture
def tried(tmp_path, monkeypatch):
    """``tried("exit 1", PLAIN)``: the sessions of that hook with those stories that nobody interrupts."""

    def run(text: str, *stories, max_blocks: int = 2, timeout_s: float = 5.0, does=()) -> list[HostStory]:
        monkeypatch.setattr(trying, "_STORIES", stories)
        monkeypatch.setattr(hosts, "hosts", lambda: (fake_host.facts_of(),))
        tools = {**fake_host.TOOLS, "write_file": fake_host.TOOLS["shell"]}
        monkeypatch.setattr(fake_host, "TOOLS", tools)
        with fake_host.rig_of(tmp_path / "host", *does, ephemeral=False) as rig:
            told = list(trial(rig, TriedHook(("sh", "-c", text), timeout_s, max_blocks), process, hosts))
        return [story for story in told if story.calm]

    return run


@needs.namespaces
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("echo no such key >&2; exit 1", "it fails with exit code 1 in calm weather: no such key"),
        ("no-such-interpreter", "it fails with exit code 127 in calm weather: "),
        ("kill -SEGV $$", "it dies by signal 11 in calm weather"),
    ],
)
def test_of_a_hook_that_crashes_under_the_host_nothing_is_said(tried, text, why):
    with pytest.raises(MachineError, match=f"^the hook cannot be tested under the host fake-host: {why}"):
        tried(text, PLAIN)


@needs.namespaces
def test_a_hook_that_blocks_after_all_work_is_met_more_often_than_it_may(tried):
    (story,) = tried("echo more >&2; exit 2", CALLS_BETWEEN_STOPS, max_blocks=7)
    assert ("stopped", 8, True) == (story.end, len(story.stops), story.as_predicted)


@needs.namespaces
def test_a_hook_that_waits_for_its_host_to_write_on_did_not_hang(tried):
    (story,) = tried("grep -Eq 'recorder|program' /proc/$PPID/cmdline || sleep 60", PLAIN)
    assert [(False, None)] == [(stop.timed_out, stop.exit_code) for stop in story.stops]


@needs.namespaces
def test_a_hook_that_hangs_did(tried):
    (story,) = tried("sleep 60", PLAIN, timeout_s=1.0)
    assert [(True, False)] == [(stop.timed_out, stop.blocked) for stop in story.stops]


@needs.namespaces
def test_what_floods_cannot_be_predicted(tried):
    (story,) = tried("yes | head -c 2000000 >&2; exit 2", PLAIN, max_blocks=0)
    assert [(True, False, True)] == [(stop.blocked, stop.predicted, stop.unsettled) for stop in story.stops]


def session(*turns, story=TOOLS):
    asked = tuple(Request("POST", "/", outcome, story=story.name, turn=turn) for turn, outcome in turns)
    return HostSession(
        host="some-host", story=story.name, end="exited", exit_code=0, signal=None, calls=(CALL,), requests=asked,
        stdout="", stderr="", children_left=(), duration_s=0.0,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("turns", "missing"),
    [
        ((), 0),
        (((0, "answered"),), 1),
        (((0, "answered"), (1, "cut")), 1),
        (((0, "error"), (1, "answered")), 0),
    ],
)
def test_a_session_whose_model_did_not_say_its_part_shows_nothing(turns, missing):
    said = f"^the host some-host stopped in the story tools without asking its model for turn {missing}$"
    with pytest.raises(MachineError, match=said):
        require_told(session(*turns), TOOLS)


def test_a_session_is_told_when_its_model_said_all_before_the_first_stop():
    require_told(session((0, "answered"), (1, "answered")), TOOLS)
    require_told(session((0, "answered"), story=PLAIN), PLAIN)


def test_what_a_story_writes_is_known_by_its_paths():
    assert {"retry.py": "DELAY_S = 1\n"} == FILES.files
    assert {} == TOOLS.files
