"""Running commands: every way they end, in both kinds of sandbox."""

import os
import threading

import needs
import pytest
from shell import shell, shell_run

from harness.sandbox import Run, Sandbox, base_environment


def test_output_and_exit_code_come_back(sandbox: Sandbox) -> None:
    ended = shell(sandbox, "cat; printf no-newline >&2; exit 7", stdin=b"to the hook")
    assert (ended.exit_code, ended.stdout, ended.stderr) == (7, b"to the hook", b"no-newline")
    assert 0 < ended.duration_s < 10


def test_the_environment_is_the_whole_environment(sandbox: Sandbox) -> None:
    run = Run(argv=("/usr/bin/env",), env={"A": "{home}/x"}, cwd="{tmp}", timeout_s=20)
    assert sandbox.run_together([run])[0].stdout.decode() == f"A={sandbox.roots.home}/x\n"


def test_a_signal_is_told_from_an_exit_code(sandbox: Sandbox) -> None:
    ended = shell(sandbox, "kill -SEGV $$")
    assert (ended.exit_code, ended.signal) == (None, 11)


@pytest.mark.parametrize(
    ("argv", "error"),
    [
        (("no-such-command",), "ENOENT"),
        (("/no/such",), "ENOENT"),
        (("{home}/text",), "EACCES"),
        (("{home}/headless",), "ENOEXEC"),
        (("{home}/orphan",), "ENOENT"),
        (("a\0b",), "EINVAL"),
    ],
)
def test_a_command_that_does_not_start_says_why(sandbox: Sandbox, argv: tuple[str, ...], error: str) -> None:
    shell(
        sandbox,
        "cd; echo x > text; printf '\\1\\2' > headless; chmod +x headless; echo '#!/no/such' > orphan; chmod +x orphan",
    )
    run = Run(argv=argv, env=base_environment(sandbox.roots), cwd="{project}", timeout_s=20)
    ended = sandbox.run_together([run])[0]
    assert (ended.exit_code, ended.signal, ended.start_error) == (None, None, error)


def test_a_missing_working_directory_is_a_start_error(sandbox: Sandbox) -> None:
    ended = sandbox.run(["true"], env=base_environment(sandbox.roots), cwd="{home}/none", timeout_s=20)
    assert ended.start_error == "ENOENT"


def test_a_timeout_kills_the_whole_tree(sandbox: Sandbox) -> None:
    ended = shell(sandbox, "echo early; setsid sleep 1000 & sleep 1000", timeout_s=0.2)
    assert (ended.timed_out, ended.signal, ended.stdout) == (True, 9, b"early\n")
    assert sandbox.kill_everything() == ()


def test_a_flood_is_cut_and_killed(sandbox: Sandbox) -> None:
    run = Run(argv=("yes",), env=base_environment(sandbox.roots), cwd="/", timeout_s=20, output_limit=1000)
    ended = sandbox.run_together([run])[0]
    assert (ended.flooded, ended.timed_out, len(ended.stdout)) == (True, False, 1000)


def test_exactly_the_limit_is_no_flood(sandbox: Sandbox) -> None:
    env = base_environment(sandbox.roots)
    ended = sandbox.run(["head", "-c", "300000", "/dev/zero"], env=env, cwd="/", timeout_s=20, output_limit=300_000)
    assert (ended.flooded, len(ended.stdout), ended.exit_code) == (False, 300_000, 0)


def test_stdin_that_is_never_read_does_not_block(sandbox: Sandbox) -> None:
    assert shell(sandbox, "exit 3", stdin=b"x" * 10_000_000).exit_code == 3


def test_stdin_that_never_closes_can_be_had(sandbox: Sandbox) -> None:
    assert shell(sandbox, "cat", stdin=None, timeout_s=0.2).timed_out
    assert shell(sandbox, "cat", timeout_s=20).exit_code == 0


@needs.system_python
def test_closed_outputs_are_really_closed(sandbox: Sandbox) -> None:
    script = (
        "import os\nfor n in (1, 2):\n try: os.fstat(n)\n except OSError: os.close(os.open(f'closed{n}', os.O_CREAT))"
    )
    env = base_environment(sandbox.roots)
    command = ["/usr/bin/python3", "-c", script]
    sandbox.run(command, env=env, cwd="{home}", timeout_s=20, close_stdout=True)
    assert list(sandbox.snapshot()) == ["{home}/closed1"]
    sandbox.run(command, env=env, cwd="{home}", timeout_s=20, close_stderr=True)
    assert list(sandbox.snapshot()) == ["{home}/closed1", "{home}/closed2"]


def test_children_that_stay_are_named_and_killed(sandbox: Sandbox) -> None:
    ended = shell(sandbox, "setsid sleep 1000 & (setsid sh -c 'sleep 1000; true' &); echo done")
    assert (ended.exit_code, ended.stdout, ended.children_left) == (0, b"done\n", ("sh", "sleep", "sleep"))
    assert ended.duration_s < 0.25
    assert sandbox.kill_everything() == ()


def test_a_child_that_ends_within_the_grace_is_not_left(sandbox: Sandbox) -> None:
    ended = shell(sandbox, "(sleep 0.05; echo late) & echo early")
    assert (ended.stdout, ended.children_left) == (b"early\nlate\n", ())


def test_a_run_leaves_the_processes_of_others_alone(sandbox: Sandbox) -> None:
    environment = base_environment(sandbox.roots)
    server = sandbox.start(["sh", "-c", "(setsid sleep 1000 &) ; cat"], env=environment, cwd="{home}")
    server.stdin.write(b"ping")
    assert os.read(server.stdout_fd, 4) == b"ping"
    assert shell(sandbox, "sleep 1000 & true").children_left == ("sleep",)
    server.stdin.write(b"pong")
    assert os.read(server.stdout_fd, 4) == b"pong"
    assert server.poll() is None
    server.stdin.close()
    ended = server.wait(20)
    assert ended is not None
    assert (ended.exit_code, ended.children_left) == (0, ("sleep",))
    server.close()


def test_what_runs_on_can_be_killed(sandbox: Sandbox) -> None:
    running = sandbox.start(["sleep", "1000"], env=base_environment(sandbox.roots), cwd="/")
    running.kill()
    ended = running.wait(20)
    assert ended is not None
    assert ended.signal == 9
    running.close()


def test_a_start_that_fails_has_ended(sandbox: Sandbox) -> None:
    running = sandbox.start(["no-such-command"], env=base_environment(sandbox.roots), cwd="/")
    ended = running.wait(20)
    assert ended is not None
    assert ended.start_error == "ENOENT"
    running.close()


def test_fresh_ends_what_runs_on(sandbox: Sandbox) -> None:
    running = sandbox.start(["sleep", "1000"], env=base_environment(sandbox.roots), cwd="/")
    sandbox.fresh()
    ended = running.wait(0)
    assert ended is not None
    assert ended.signal == 9
    running.close()


def test_together_means_at_the_same_time(sandbox: Sandbox) -> None:
    # Each opens its FIFO for reading only when the other opens it for writing: one after the other would hang.
    shell(sandbox, "mkfifo ~/a ~/b")
    runs = [
        shell_run(sandbox, "echo 1 > ~/a; cat ~/b"),
        shell_run(sandbox, "cat ~/a; echo 2 > ~/b"),
    ]
    assert [ended.stdout for ended in sandbox.run_together(runs)] == [b"2\n", b"1\n"]


def test_descriptors_do_not_add_up(sandbox: Sandbox) -> None:
    def held() -> int:
        return len(os.listdir("/proc/self/fd"))

    before = held()
    for _ in range(20):
        shell(sandbox, "true")
    sandbox.run_together([shell_run(sandbox, "exit 1") for _ in range(8)])
    assert held() == before
    inside = shell(sandbox, "ls /proc/self/fd").stdout.split()
    assert inside == [b"0", b"1", b"2", b"3"]


def test_ends_that_nobody_asks_for_do_not_fill_the_way_to_the_agent(sandbox: Sandbox) -> None:
    ended = threading.Event()

    def start_and_kill() -> None:
        for _ in range(500):  # a socket holds the notices of fewer
            running = sandbox.start(["sleep", "1000"], env=base_environment(sandbox.roots), cwd="/")
            running.kill()
            running.close()
        ended.set()

    threading.Thread(target=start_and_kill, daemon=True).start()
    over = ended.wait(60)
    if not over:
        sandbox.abort()  # or leaving it would wait for the agent, and the agent for us
    assert over
