"""The hook carrier: one process a call, given what a host gives it, in a world of its own."""

import json
import os
import select
import threading
from typing import Any

import needs
import pytest
from carriers import CLOCK, let_go, op, scenario
from hook_sessions import TRANSCRIPT, stopped

from harness.core.fault import Fault
from harness.core.scenario import FileSpec
from harness.errors import FileFormatError, UsageError, WindtunnelError
from harness.targets.hook import HookSession
from harness.targets.target_file import DeclaredPaths

# tells what it was given: its input up to the end or its first line, its arguments of the environment, its folder
TELLS = """
import json, os, sys
line = sys.stdin.readline()
told = {
    "line": line, "rest": None if "KEPT" in os.environ else sys.stdin.read(), "cwd": os.getcwd(),
    "stdout": os.path.exists("/proc/self/fd/1"), "stderr": os.path.exists("/proc/self/fd/2"),
    "env": {name: os.environ[name] for name in os.environ if name.isupper() and name != "LC_CTYPE"},
}
with open(os.path.expanduser("~/told"), "w") as file: json.dump(told, file)
print(json.dumps({"decision": "block", "reason": "told in " + os.environ["HOME"]}))
"""


def told(session: HookSession) -> dict[str, Any]:
    """What the hook TELLS noted down."""
    return dict(json.loads(session.input("{home}/told").data))


def test_a_hook_is_given_one_object_on_one_line_and_then_the_end(hooks):
    session = hooks.python(TELLS)
    result = stopped(session, session_id="s-1", stop_hook_active=True)
    assert (result["decision"], result["means"], result["exit_code"]) == ("block", "json", 0)
    seen, roots = told(session), session.sandbox.roots
    assert (seen["rest"], seen["line"][-1]) == ("", "\n")
    assert json.loads(seen["line"]) == {
        "session_id": "s-1",
        "transcript_path": roots.resolve(TRANSCRIPT),
        "cwd": roots.project,
        "hook_event_name": "Stop",
        "stop_hook_active": True,
        "permission_mode": "default",
        "last_assistant_message": "",
    }
    assert (seen["cwd"], seen["env"]["HOME"], seen["env"]["CLAUDE_PROJECT_DIR"]) == (
        roots.project,
        roots.home,
        roots.project,
    )
    assert "told in {home}" in result["stdout_excerpt"]


@pytest.mark.parametrize(
    ("args", "line"),
    [
        ({"stdin": "empty"}, ""),
        ({"stdin": "not_an_object"}, '["session_id", 1]\n'),
        (
            {"drop": ("transcript_path", "cwd", "last_assistant_message", "hook_event_name", "permission_mode")},
            '{"session_id": "session-1", "stop_hook_active": false}\n',
        ),
    ],
)
def test_each_kind_of_input_arrives_as_it_is_named(hooks, args, line):
    session = hooks.python(TELLS)
    stopped(session, **args)
    assert told(session)["line"] == line


def test_names_in_camel_case_and_values_of_another_type(hooks):
    session = hooks.python(TELLS)
    stopped(session, camel_case=True, replace={"session_id": 5, "transcript_path": "{tmp}/other"})
    seen = json.loads(told(session)["line"])
    assert seen["sessionId"] == 5
    assert seen["transcriptPath"] == session.sandbox.roots.tmp + "/other"
    assert "session_id" not in seen


def test_garbage_is_no_text(hooks):
    session = hooks.shell("cat > ~/got\n")
    stopped(session, stdin="garbage")
    assert session.input("{home}/got").data == b"\x00\xff{not json at all\n"


def test_an_input_kept_open_has_its_line_and_no_end(hooks):
    session = hooks.python(TELLS, env={"KEPT": "1"})
    assert stopped(session, stdin="kept_open")["exit_code"] == 0
    assert json.loads(told(session)["line"])["session_id"] == "session-1"
    waits = hooks.shell("cat > /dev/null\n", timeout_s=0.3)
    assert stopped(waits, stdin="kept_open")["timed_out"] is True


def test_the_targets_environment_and_the_stops_are_given(hooks):
    session = hooks.python(TELLS, env={"FROM_TARGET": "{home}/x", "BOTH": "target"})
    stopped(session, environment={"FROM_STOP": "1", "BOTH": "stop"})
    environment = told(session)["env"]
    home = session.sandbox.roots.home
    assert {name: environment[name] for name in ("FROM_TARGET", "FROM_STOP", "BOTH")} == {
        "FROM_TARGET": f"{home}/x", "FROM_STOP": "1", "BOTH": "stop",
    }  # fmt: skip
    stopped(session)
    assert "FROM_STOP" not in told(session)["env"]


@pytest.mark.parametrize(
    ("args", "open_ones"),
    [({}, (True, True)), ({"close_stdout": True}, (False, True)), ({"close_stderr": True}, (True, False))],
)
def test_a_closed_stream_is_really_closed(hooks, args, open_ones):
    session = hooks.shell("test -e /proc/$$/fd/1 && touch ~/1; test -e /proc/$$/fd/2 && touch ~/2; exit 0\n")
    assert stopped(session, **args)["exit_code"] == 0
    assert tuple(session.input(f"{{home}}/{fd}").kind == "file" for fd in (1, 2)) == open_ones


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("exit 0", {"decision": "approve", "means": "nothing", "output": "empty", "exit_code": 0}),
        ('echo \'{"decision": "block", "reason": "no"}\'', {"decision": "block", "means": "json", "output": "object"}),
        ("echo why >&2; exit 2", {"decision": "block", "means": "exit_2", "exit_code": 2}),
        ("echo hello", {"decision": "approve", "output": "text"}),
        ("exit 7", {"decision": "approve", "means": "nothing", "exit_code": 7}),
        ("kill -9 $$", {"decision": "approve", "exit_code": None, "signal": 9}),
        ("echo $HOME/a >&2", {"stderr_excerpt": "{home}/a\n"}),
        ("yes", {"flooded": True, "decision": "approve"}),
    ],
)
def test_an_end_is_reported_as_the_host_would_take_it(hooks, script, expected):
    result = stopped(hooks.shell(script + "\n"))
    assert expected == {name: result.get(name) for name in expected}


def test_a_hook_that_hangs_is_killed_when_its_time_is_over(hooks):
    result = stopped(hooks.shell("echo begun; sleep 1000\n", timeout_s=0.3))
    assert (result["timed_out"], result["decision"], result["stdout_excerpt"]) == (True, "approve", "begun\n")


def test_a_command_that_is_not_there_has_a_start_error(hooks):
    result = stopped(hooks.session(("/no/such/command",)))
    assert (result["start_error"], result["exit_code"], result["decision"]) == ("ENOENT", None, "approve")


def test_children_left_behind_are_named_and_killed(hooks, tmp_path):
    held = tmp_path / "held"
    os.mkfifo(held)
    reader = os.open(held, os.O_RDONLY | os.O_NONBLOCK)
    session = hooks.shell(f"exec 9>{held}; sleep 1000 >/dev/null 2>&1 & exit 0\n")
    assert list(stopped(session)["children_left"]) == ["sleep"]
    assert select.select([reader], [], [], 20.0)[0], "the child still holds it"
    assert os.read(reader, 1) == b""
    os.close(reader)


def test_stops_of_a_schedule_run_at_once(hooks):
    # each waits for the other: one after the other they would never end
    script = "mkdir ~/$$; until test $(ls ~ | grep -c '^[0-9]*$') = 2; do sleep 0.01; done; echo $$\n"
    session = hooks.shell(script, timeout_s=30.0)
    ends = session.perform([(1, op("stop")), (2, op("stop"))])
    assert [end.value["exit_code"] for end in ends] == [0, 0]
    assert len({end.value["stdout_excerpt"] for end in ends}) == 2


def test_a_hook_that_only_waits_lets_another_case_work(hooks, tmp_path):
    go_on = tmp_path / "go on"
    os.mkfifo(go_on)
    session = hooks.shell(f"cat '{go_on}'\n")

    def other() -> None:
        with session._slots.held():
            let_go(go_on, "went on")

    with session._slots.held():
        thread = threading.Thread(target=other)
        thread.start()
        result = stopped(session)
    thread.join()
    assert result["stdout_excerpt"] == "went on"


def test_paths_that_the_target_declares_stand_for_themselves(hooks):
    paths = DeclaredPaths(config="{project}/c.json", semaphore="{home}/s/done", runtime="{home}/run")
    session = hooks.shell("cat ~/run/a > ~/copy\n", paths=paths)
    session.reset(scenario(files={"{runtime}/a": FileSpec(text="here"), "{config}": FileSpec(text="{}")}))
    stopped(session)
    assert session.input("{home}/copy").data == b"here"
    assert session.input("{project}/c.json").data == b"{}"
    injection = session.inject(Fault("filesystem.directory", "{semaphore}"), 1)
    assert injection.fault == Fault("filesystem.directory", "{home}/s/done")
    assert session.input("{home}/s/done").kind == "directory"
    declared = {"config": "{project}/c.json", "semaphore": "{home}/s/done", "runtime": "{home}/run"}
    assert session.stated(op("stop", deserves="approve"))["declared"] == declared


def test_a_fault_without_a_path_is_the_files_fault(hooks):
    with pytest.raises(FileFormatError, match=r"the fault filesystem\.missing needs a path"):
        hooks.shell("exit 0\n").inject(Fault("filesystem.missing"), 1)


def test_the_bare_run_of_a_stop_is_what_its_process_is_given(hooks):
    session = hooks.shell("exit 0\n", timeout_s=7.0)
    run = session.bare_run(op("stop", stdin="kept_open", close_stderr=True))
    assert (run.argv, run.timeout_s, run.keep_stdin_open, run.close_stdout, run.close_stderr) == (
        ("sh", "hook.sh"), 7.0, True, False, True,
    )  # fmt: skip
    assert json.loads(run.stdin)["hook_event_name"] == "Stop"


def test_a_verdict_nobody_gave_is_not_stated(hooks):
    session = hooks.shell("exit 0\n")
    assert session.stated(op("stop", deserves="approve"))["deserves"] == "approve"
    assert session.stated(op("stop", deserves="block"))["deserves"] is None


def test_samples_are_the_targets_or_refused(hooks):
    session = hooks.shell("exit 0\n")
    assert session.input(TRANSCRIPT).data == b"bad\n"
    with pytest.raises(FileFormatError, match="wants the sample 'odd', which nobody gave"):
        session.reset(scenario(files={TRANSCRIPT: FileSpec(sample="odd")}))


def test_times_of_files_are_those_of_the_scenario(hooks):
    began_s = 1772366400.0  # CLOCK
    for now_s in (2_000_000_000.0, 1_000_000_000.25):
        session = hooks.shell("exit 0\n", now_s=now_s)
        session.reset(scenario(files={"{home}/d/a": FileSpec(age_s=3600.0), "{home}/b": FileSpec(age_s=-5.0)}))
        seen = session.look(()).files
        assert (seen["{home}/d/a"].mtime_s, seen["{home}/b"].mtime_s) == (began_s - 3600.0, began_s + 5.0)
        assert seen["{home}/d"].mtime_s == 0.0, "a directory has no time, so it has none in any run"
        assert session.now() == CLOCK


def test_a_hooks_clock_cannot_be_moved(hooks):
    with pytest.raises(UsageError, match="a hook's clock cannot be moved by 60 s"):
        hooks.shell("exit 0\n").move_clock(60.0)


@pytest.mark.parametrize(("at_most", "times"), [(3, 3), (99, 6), (6, 6), (7, 6)])
def test_a_repeat_ends_one_after_the_blocks_a_target_admits(hooks, at_most, times):
    assert hooks.shell("exit 0\n", max_blocks=5).repeats(at_most) == times


def test_every_reset_gives_a_fresh_world(hooks):
    session = hooks.shell("touch ~/mark; echo x >> here\n")
    stopped(session)
    assert {"{home}/mark", "{project}/here"} <= set(session.look(()).files)
    session.reset(scenario())
    assert session.look(()).files == {}


def test_an_aborted_session_breaks_whoever_uses_it_and_can_still_be_left(hooks):
    session = hooks.shell("sleep 1000\n", timeout_s=60.0)
    killer = threading.Timer(0.2, session.abort)
    killer.start()
    with pytest.raises((WindtunnelError, OSError)):
        stopped(session)
    killer.join()


def test_what_a_sandbox_does_not_contain_is_told(hooks):
    session = hooks.shell("exit 0\n")
    assert session.contained() is False
    assert session.uncontained() != ()
    assert session.introduction() is None, "a hook has no message in which it could say who it is"


@needs.namespaces
def test_the_same_holds_within_namespaces(hooks):
    session = hooks.python(TELLS, contained=True)
    assert session.contained() is True
    assert stopped(session)["decision"] == "block"
    seen = told(session)
    assert (seen["cwd"], seen["env"]["HOME"]) == (str(hooks.folder), session.sandbox.roots.home)
    assert json.loads(seen["line"])["cwd"] == str(hooks.folder)
