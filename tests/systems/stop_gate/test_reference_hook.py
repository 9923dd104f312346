"""The hook: in this process for its parts, as a process for what only a process shows (SH)."""

import contextlib
import json
import os
import runpy
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import pytest

from harness.systems.stop_gate.contract import SKIP_VARIABLE
from harness.systems.stop_gate.reference import hook as hook_module
from harness.systems.stop_gate.reference.hook import NO_HOME, StopHook

OPEN = ({"role": "user", "content": "Why?"}, {"role": "assistant", "content": "Shall I?"})
DONE = ({"role": "user", "content": "Why?"}, {"role": "assistant", "content": "Because."})
NESTED = [{"type": record["role"], "message": record} for record in OPEN]
CODEX = [{"type": "response_item", "payload": {"type": "message", **record}} for record in OPEN]
MODULE = [sys.executable, "-m", "harness.systems.stop_gate.reference.hook"]


class Quick(StopHook):
    """The hook with short limits."""

    input_limit_s = 0.05
    limit_s = 20.0
    watchdog_s = 60.0


class World:
    def __init__(self, root):
        self.root, self.home, self.project, self.transcript = root, f"{root}/home", f"{root}/project", f"{root}/t.jsonl"
        self.runtime = f"{self.home}/.amplihack/.claude/runtime/power-steering"
        os.mkdir(self.home)
        os.mkdir(self.project)
        self.environment = {"HOME": self.home, "CLAUDE_PROJECT_DIR": self.project}
        self.say(*OPEN)

    def say(self, *records):
        with open(self.transcript, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(record) + "\n" for record in records)

    def event(self, **fields):
        event = {"session_id": "s1", "transcript_path": self.transcript, "stop_hook_active": False, **fields}
        return json.dumps(event).encode() + b"\n"

    def stop(self, data=None, kind=Quick, keep_open=False):
        """One stop in this process; what it said on standard output and error."""
        (read_in, write_in), (read_out, write_out), (read_err, write_err) = (os.pipe() for _ in range(3))
        feeder = threading.Thread(target=feed, args=(write_in, self.event() if data is None else data, keep_open))
        feeder.start()
        code = kind(self.environment, (read_in, write_out, write_err)).main()
        for descriptor in (read_in, write_out, write_err):
            os.close(descriptor)
        feeder.join()
        if keep_open:
            os.close(write_in)
        assert code == 0
        return drained(read_out), drained(read_err).decode()

    def run(self, data=None, command=None, **more):
        environment = {**os.environ, **self.environment}
        return subprocess.run(
            command or MODULE,
            input=self.event() if data is None else data,
            env=environment,
            cwd=self.project,
            timeout=60,
            capture_output=True,
            check=False,
            **more,
        )


def feed(descriptor, data, keep_open):
    with contextlib.suppress(BrokenPipeError):
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]
    if not keep_open:
        os.close(descriptor)


def drained(descriptor):
    with open(descriptor, "rb") as file:
        return file.read()


@pytest.fixture
def world():
    root = os.path.realpath(tempfile.mkdtemp(dir="/dev/shm" if os.path.isdir("/dev/shm") else None))
    yield World(root)
    shutil.rmtree(root)


def is_block(output):
    return output.count(b"\n") == 1 and json.loads(output)["decision"] == "block"


# -- answers


@pytest.mark.parametrize("records", [OPEN, NESTED, CODEX], ids=["flat", "nested", "codex"])
def test_an_open_session_is_held_in_one_json_object(world, records):
    world.say(*records)
    output, errors = world.stop()
    assert is_block(output)
    assert "The session appears incomplete" in json.loads(output)["reason"]
    assert errors == ""


def test_a_finished_session_is_let_go_without_a_word(world):
    world.say(*DONE)
    assert world.stop() == (b"", "")
    assert os.path.exists(f"{world.runtime}/.s1_completed")


def test_camel_case_names(world):
    event = {"sessionId": "s1", "transcriptPath": world.transcript, "stopHookActive": False}
    assert is_block(world.stop(json.dumps(event).encode())[0])


@pytest.mark.parametrize(
    "data",
    [b"", b"nonsense", b"[]", b"5", b"null", b"{", b"\xff\xfe{}", b"[" * 100_000, b'{"a": NaN}'],
    ids=lambda data: repr(data[:12]),
)
def test_no_event_lets_go(world, data):
    output, errors = world.stop(data)
    assert output == b""
    assert "no JSON object" in errors


@pytest.mark.parametrize(
    "fields",
    [
        {"transcript_path": None},
        {"transcript_path": 5},
        {"transcript_path": ["x"]},
        {"transcript_path": "\0"},
        {"transcript_path": ""},
    ],
)
def test_a_path_that_is_none_lets_go(world, fields):
    assert world.stop(world.event(**fields))[0] == b""


@pytest.mark.parametrize("session_id", [None, 5, {}, "", "../../x", "\ud800"])
def test_any_session_id_is_judged_by_its_session(world, session_id):
    assert is_block(world.stop(world.event(session_id=session_id))[0])
    assert sorted(os.listdir(world.root)) == ["home", "project", "t.jsonl"]


def test_an_input_that_stays_open_is_read_to_the_end_of_the_object(world):
    assert is_block(world.stop(keep_open=True)[0])


def test_an_input_that_says_nothing_is_not_waited_for(world):
    output, errors = world.stop(b'{"session_id": "}', keep_open=True)
    assert output == b""
    assert "no JSON object" in errors


def test_an_input_that_never_ends_is_cut(world):
    assert world.stop(b"x" * (hook_module.EVENT_LIMIT_BYTES + 100_000))[0] == b""


def test_a_large_event_is_read_whole(world):
    assert is_block(world.stop(world.event(last_assistant_message="}" * 300_000))[0])


def test_the_skip_variable_needs_nothing_else(world):
    world.environment[SKIP_VARIABLE] = "1"
    assert world.stop() == (b"", "")
    assert os.listdir(world.home) == []
    assert hook_module.SKIP_VARIABLE == SKIP_VARIABLE


def test_the_configuration_of_the_project_switches_off(world):
    os.makedirs(f"{world.project}/.claude/tools/amplihack")
    with open(f"{world.project}/.claude/tools/amplihack/.power_steering_config", "w", encoding="utf-8") as file:
        file.write('{"enabled": false}')
    assert world.stop()[0] == b""


def test_warnings_go_to_standard_error(world):
    os.unlink(world.transcript)
    output, errors = world.stop()
    assert output == b""
    assert "transcript_missing" in errors


@pytest.mark.parametrize("again", [True, False, None])
def test_a_session_is_held_three_times(world, again):
    said = [False, again, again, again]
    assert [True, True, True, False] == [is_block(world.stop(world.event(stop_hook_active=each))[0]) for each in said]


def test_a_session_that_was_held_and_has_no_count_is_let_go(world):
    assert [False, True] == [is_block(world.stop(world.event(stop_hook_active=each))[0]) for each in (True, False)]


def test_a_growing_session_is_held_no_more_often(world):
    for n in range(5):
        world.say(*OPEN * (n + 1))
        assert (world.stop(world.event(stop_hook_active=n > 0))[0] != b"") == (n < 3)


@pytest.mark.parametrize(("active", "held"), [(False, True), (True, False), (None, False), ("no", False)])
def test_without_a_count_only_a_first_stop_is_held(world, active, held):
    world.environment["HOME"] = f"{world.transcript}"
    assert (world.stop(world.event(stop_hook_active=active))[0] != b"") == held


@pytest.mark.parametrize("home", [None, "", "relative", "~"])
def test_a_home_nobody_names_is_not_guessed(world, home):
    del world.environment["HOME"]
    if home is not None:
        world.environment["HOME"] = home
    assert StopHook(world.environment).home() == NO_HOME
    assert is_block(world.stop()[0])
    assert world.stop(world.event(stop_hook_active=True))[0] == b""


# -- what must not happen


class Broken(Quick):
    def decide(self, event):
        raise SystemExit(2)


class Unreserved(Quick):
    def reserve(self):
        raise KeyboardInterrupt


class Hanging(Quick):
    limit_s = 0.02
    released = threading.Event()

    def decide(self, event):
        self.released.wait()
        raise RuntimeError("nobody waits for this")


def test_what_breaks_lets_go(world):
    output, errors = world.stop(kind=Broken)
    assert output == b""
    assert "broke: SystemExit: 2" in errors
    output, errors = world.stop(kind=Unreserved)
    assert output == b""
    assert "gave up: KeyboardInterrupt" in errors


def test_what_hangs_lets_go(world):
    output, errors = world.stop(kind=Hanging)
    Hanging.released.set()
    assert output == b""
    assert "no answer within" in errors


def test_a_reader_that_is_gone_does_no_harm(world):
    reader, writer = os.pipe()
    os.close(reader)
    StopHook({}, (0, writer, writer)).complain("nobody reads this")
    os.close(writer)
    StopHook({}, (0, writer, writer)).complain("nor this")


def test_closed_streams_are_taken_by_nothing_else():
    code = (
        "import os; from harness.systems.stop_gate.reference.hook import StopHook\n"
        "for n in (0, 1, 2): os.close(n)\n"
        "StopHook({}).reserve(); assert os.open('/', os.O_RDONLY) == 3\n"
        "StopHook({}).reserve(); assert [os.fstat(n).st_rdev == os.stat('/dev/null').st_rdev for n in (0, 1, 2)] == [True] * 3"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0


# -- as a process


def test_the_process_answers_and_leaves(world):
    ended = world.run()
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert is_block(ended.stdout)
    world.say(*DONE)
    ended = world.run()
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&-"])
def test_closed_streams(world, closed):
    os.unlink(world.transcript)
    ended = world.run(command=["sh", "-c", f'"$@" {closed}', "sh", *MODULE])
    assert ended.returncode == 0
    assert ended.stdout == b""


@pytest.mark.parametrize("kind", ["fifo", "directory", "device"])
def test_inputs_that_are_no_files(world, kind):
    os.unlink(world.transcript)
    if kind == "fifo":
        os.mkfifo(world.transcript)
    elif kind == "directory":
        os.mkdir(world.transcript)
    else:
        os.symlink("/dev/zero", world.transcript)
    ended = world.run()
    assert (ended.returncode, ended.stdout) == (0, b"")
    assert b"transcript_unreadable" in ended.stderr


def test_a_process_whose_thread_never_ends_leaves(world):
    code = (
        "import time, os\n"
        "from harness.systems.stop_gate.reference.hook import StopHook, leave\n"
        "class Hanging(StopHook):\n"
        "    limit_s = 0.1\n"
        "    def decide(self, event):\n"
        "        time.sleep(3600)\n"
        "leave(Hanging(os.environ).main())\n"
    )
    ended = world.run(command=[sys.executable, "-c", code])
    assert (ended.returncode, ended.stdout) == (0, b"")


def test_the_watchdog_ends_what_holds_the_interpreter(world):
    code = (
        "import os, re\n"
        "from harness.systems.stop_gate.reference.hook import StopHook, leave\n"
        "class Holding(StopHook):\n"
        "    watchdog_s = 0.3\n"
        "    def decide(self, event):\n"
        "        re.match(r'(a+)+$', 'a' * 64 + 'b')\n"
        "leave(Holding(os.environ).main())\n"
    )
    started = time.monotonic()
    ended = world.run(command=[sys.executable, "-c", code])
    assert ended.returncode not in (0, 2)  # the host shows an error and lets the session end
    assert ended.stdout == b""
    assert time.monotonic() - started < 50  # seconds; without the watchdog it is years


def test_ctrl_c_lets_go(world):
    with subprocess.Popen(
        MODULE,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **world.environment},
    ) as process:
        process.stdin.write(world.event())
        process.stdin.flush()
        output = process.stdout.read()
        process.send_signal(signal.SIGINT)
        assert process.wait(60) in (0, -signal.SIGINT)
    assert is_block(output)


def test_the_console_script_is_main(monkeypatch):
    codes = []
    monkeypatch.setattr(hook_module, "leave", codes.append)
    monkeypatch.setattr(StopHook, "main", lambda self: 0)
    assert hook_module.main() == 0
    assert codes == [0]
    monkeypatch.undo()
    monkeypatch.setattr(os, "_exit", codes.append)
    hook_module.leave(7)
    assert codes == [0, 7]


def test_as_a_module_it_ends_with_its_code(monkeypatch):
    codes = []
    monkeypatch.setattr(os, "_exit", codes.append)
    monkeypatch.setenv(SKIP_VARIABLE, "1")
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(hook_module.__file__, run_name="__main__")
    assert codes == [0]
    assert ended.value.code == 0


def test_a_closed_stream_is_reserved_here_too(monkeypatch):
    opened = []

    def no_such(descriptor):
        raise OSError(9, "closed")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fstat", no_such)
        patch.setattr(os, "open", lambda path, flags: opened.append(path))
        StopHook({}).reserve()
    assert opened == [os.devnull] * 3
