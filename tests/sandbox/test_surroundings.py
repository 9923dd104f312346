"""What surrounds a process: variables, streams, limits, where it starts, and signals on the way."""

import os
import signal

import needs
import pytest
from shell import shell

from harness.errors import MachineError
from harness.sandbox import (
    Ended,
    Interruption,
    MakeDirectory,
    Run,
    Sandbox,
    SandboxPlan,
    Surroundings,
    Write,
    base_environment,
)

PYTHON = "/usr/bin/python3"


def within(sandbox: Sandbox, script: str, *, said: bytes = b"", **around: object) -> Ended:
    """How a line of shell ends in those surroundings."""
    run = Run(
        argv=("sh", "-c", script),
        env={**base_environment(sandbox.roots), "LC_ALL": "C"},
        cwd="{home}",
        timeout_s=20.0,
        stdin=said,
        surroundings=Surroundings(**around),
    )
    return sandbox.run_together([run])[0]


def test_calm_surroundings_change_nothing(sandbox: Sandbox) -> None:
    calm = within(sandbox, "env; umask; ulimit -n; pwd")
    assert calm.stdout == within(sandbox, "env; umask; ulimit -n; pwd", limits={}, environment={}).stdout
    assert calm.signals == ()


def test_variables_are_replaced_removed_and_added(sandbox: Sandbox) -> None:
    said = within(sandbox, 'echo "${HOME-gone} $LANG $NEW"', environment={"HOME": None, "LANG": "x", "NEW": "{tmp}/y"})
    assert said.stdout.decode() == f"gone x {sandbox.roots.tmp}/y\n"


def test_a_bare_environment_holds_only_what_is_laid_over_it(sandbox: Sandbox) -> None:
    run = Run(
        argv=("env",),
        env=base_environment(sandbox.roots),
        cwd="/",
        timeout_s=20,
        surroundings=Surroundings(bare_environment=True, environment={"A": "1", "B": None}),
    )
    assert sandbox.run_together([run])[0].stdout == b"A=1\n"


@pytest.mark.parametrize(
    "around", [{"environment": {"PATH": ""}}, {"environment": {"PATH": None}}, {"bare_environment": True}]
)
def test_a_command_is_found_whatever_its_own_path_will_be(sandbox: Sandbox, around: dict[str, object]) -> None:
    said = within(sandbox, "echo started; PATH=; ls /", **around)
    assert (said.start_error, said.stdout) == ("", b"started\n")


def test_a_program_in_front_of_the_path_is_what_programs_find_but_not_the_command_itself(sandbox: Sandbox) -> None:

    fake = b"#!/bin/sh\necho fake\n"
    sandbox.apply(
        [MakeDirectory("{tools}/bin"), Write("{tools}/bin/sh", fake, 0o755), Write("{tools}/bin/git", fake, 0o755)]
    )
    said = within(sandbox, "git; sh -c 'echo real'; echo $PATH", path_first=("{tools}/bin",))
    assert said.stdout.decode() == f"fake\nfake\n{sandbox.roots.tools}/bin:{base_environment(sandbox.roots)['PATH']}\n"


def test_a_prefix_stands_before_the_command(sandbox: Sandbox) -> None:
    assert within(sandbox, "echo $A", prefix=("env", "A={home}")).stdout.decode() == f"{sandbox.roots.home}\n"


@needs.system_python
@pytest.mark.parametrize(
    "streams",
    [
        {"stdin": "closed"},
        {"stdout": "closed"},
        {"stderr": "closed"},
        {"stdin": "closed", "stdout": "closed", "stderr": "closed"},
    ],
)
def test_a_closed_stream_is_really_closed(sandbox: Sandbox, streams: dict[str, str]) -> None:
    script = f"{PYTHON} -I -c \"import os\nfor n in (2, 1, 0):\n try: os.fstat(n)\n except OSError: os.close(os.open('closed%d' % n, os.O_CREAT))\""
    within(sandbox, script, said=b"unheard" * 100_000, **streams)
    names = ("stdin", "stdout", "stderr")
    assert list(sandbox.snapshot()) == sorted(f"{{home}}/closed{names.index(name)}" for name in streams)


@pytest.mark.parametrize(
    ("stream", "says"), [("stdout", "echo lost || echo ENOSPC >&2"), ("stderr", "echo lost >&2 || echo ENOSPC")]
)
def test_a_full_stream_refuses_what_is_written(sandbox: Sandbox, stream: str, says: str) -> None:
    said = within(sandbox, says, **{stream: "full"})
    assert b"ENOSPC\n" in said.stdout + said.stderr
    assert b"lost" not in said.stdout + said.stderr


@pytest.mark.parametrize(("stream", "to"), [("stdout", ""), ("stderr", ">&2")])
def test_a_slow_stream_makes_a_writer_wait_and_loses_nothing(sandbox: Sandbox, stream: str, to: str) -> None:
    said = within(sandbox, f"head -c 100000 /dev/zero | tr '\\0' x {to}; echo end {to}", **{stream: "slow"})
    assert getattr(said, stream) == b"x" * 100_000 + b"end\n"
    assert 0.2 < said.duration_s < 10


def test_a_slow_stream_costs_nothing_to_who_says_nothing(sandbox: Sandbox) -> None:
    said = within(sandbox, "exit 3", stdout="slow", stderr="slow")
    assert (said.exit_code, said.stdout, said.stderr) == (3, b"", b"")
    assert said.duration_s < 0.28


@pytest.mark.parametrize("stdin", [b"", b"late"])
def test_a_slow_input_comes_late_and_whole(sandbox: Sandbox, stdin: bytes) -> None:
    said = sandbox.run_together(
        [
            Run(
                argv=("cat",),
                env=base_environment(sandbox.roots),
                cwd="/",
                timeout_s=20,
                stdin=stdin,
                surroundings=Surroundings(stdin="slow"),
            )
        ]
    )[0]
    assert (said.stdout, said.exit_code) == (stdin, 0)
    assert said.duration_s > 0.2


def test_a_slow_stream_does_not_outlast_the_timeout(sandbox: Sandbox) -> None:
    around = Surroundings(stdout="slow")
    run = Run(argv=("yes",), env=base_environment(sandbox.roots), cwd="/", timeout_s=0.1, surroundings=around)
    said = sandbox.run_together([run])[0]
    assert (said.timed_out, said.stdout) == (True, b"")


def test_a_process_that_runs_on_has_no_slow_streams(sandbox: Sandbox) -> None:
    with pytest.raises(MachineError, match="no slow streams"):
        sandbox.start(["cat"], env={}, cwd="/", surroundings=Surroundings(stdout="slow"))


def test_a_directory_that_is_gone_is_where_it_starts(sandbox: Sandbox) -> None:
    said = within(sandbox, "ls -d . ; touch x; readlink /proc/self/cwd", deleted_cwd=True)
    assert b"(deleted)" in said.stdout
    assert b"No such file" in said.stderr
    assert sandbox.snapshot() == {}
    assert shell(sandbox, "ls {tools}".replace("{tools}", sandbox.roots.tools)).stdout == b""


def test_a_mask_is_the_run_s_own(sandbox: Sandbox) -> None:
    assert within(sandbox, "umask", umask=0o777).stdout == b"0777\n"
    assert within(sandbox, "umask").stdout == b"0022\n"


def test_a_limit_is_soft_and_hard_and_the_run_s_own(sandbox: Sandbox) -> None:
    calm = within(sandbox, "ulimit -n; ulimit -Hn; ulimit -f").stdout
    limited = within(
        sandbox,
        "until [ $(ulimit -Hn) = 9 ]; do :; done; ulimit -n; ulimit -Hn; ulimit -f; ulimit -n 99999",
        limits={"open_files": 9, "file_size": 1024},
    )
    assert limited.stdout == b"9\n9\n2\n"
    assert limited.exit_code != 0
    assert within(sandbox, "ulimit -n; ulimit -Hn; ulimit -f").stdout == calm


def test_a_file_over_its_size_is_written_short_before_the_signal(sandbox: Sandbox) -> None:
    said = within(sandbox, "exec head -c 9000 /dev/zero > out", limits={"file_size": 1000})
    assert said.signal == signal.SIGXFSZ
    assert sandbox.snapshot()["{home}/out"].size == 1000


@needs.system_python
def test_descriptors_run_out(sandbox: Sandbox) -> None:
    script = f'exec {PYTHON} -I -S -c "import os\nfor n in range(99): os.dup(0)"'
    assert b"Too many open files" in within(sandbox, script, limits={"open_files": 12}).stderr


def test_more_than_the_machine_permits_is_what_it_permits(sandbox: Sandbox) -> None:
    assert within(sandbox, "ulimit -n", limits={"open_files": 1 << 40}).stdout == within(sandbox, "ulimit -Hn").stdout


def test_a_process_that_runs_on_has_its_surroundings_too(sandbox: Sandbox) -> None:
    around = Surroundings(environment={"A": "1"}, umask=0o077, stderr="closed", limits={"open_files": 20})
    running = sandbox.start(
        ["sh", "-c", "echo $A $(umask) $(ulimit -n)"], env=base_environment(sandbox.roots), cwd="/", surroundings=around
    )
    assert running.wait(20) is not None
    assert os.read(running.stdout_fd, 100) == b"1 0077 20\n"
    running.close()


def interrupted(
    sandbox: Sandbox, script: str, number: int, after_s: float, resume_after_s: float | None = None
) -> Ended:
    """How a line of shell ends that gets that signal on the way."""
    run = Run(
        argv=("sh", "-c", script),
        env=base_environment(sandbox.roots),
        cwd="{home}",
        timeout_s=20.0,
        interruption=Interruption(signal=number, after_s=after_s, resume_after_s=resume_after_s),
    )
    return sandbox.run_together([run])[0]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_signal_on_the_way_ends_the_main_process(sandbox: Sandbox, number: int) -> None:
    ended = interrupted(sandbox, "echo begun; exec sleep 1000", number, 0.05)
    assert (ended.signal, ended.signals, ended.timed_out) == (number, (number,), False)
    assert 0.01 < ended.duration_s < 5


def test_a_signal_at_once_meets_the_program_itself(sandbox: Sandbox) -> None:
    assert interrupted(sandbox, "sleep 1000", signal.SIGKILL, 0.0).signals == (signal.SIGKILL,)


def test_a_signal_that_comes_too_late_interrupts_nothing(sandbox: Sandbox) -> None:
    # the child that stays keeps the run open until after the signal
    ended = interrupted(sandbox, "sleep 1000 & exit 4", signal.SIGTERM, 0.15)
    assert (ended.exit_code, ended.signals) == (4, ())
    assert ended.children_left == ("sleep",)


def test_a_signal_can_be_caught(sandbox: Sandbox) -> None:
    ended = interrupted(sandbox, "trap 'echo caught; exit 5' TERM; echo up; sleep 0.6; exit 1", signal.SIGTERM, 0.3)
    assert (ended.exit_code, ended.stdout, ended.signals) == (5, b"up\ncaught\n", (signal.SIGTERM,))


def test_a_paused_process_goes_on(sandbox: Sandbox) -> None:
    ended = interrupted(sandbox, "sleep 0.2; echo done", signal.SIGSTOP, 0.01, 0.4)
    assert (ended.exit_code, ended.stdout, ended.signals) == (0, b"done\n", (signal.SIGSTOP, signal.SIGCONT))
    assert ended.duration_s > 0.3


def test_a_paused_process_is_killed_at_its_timeout(sandbox: Sandbox) -> None:
    stop = Interruption(signal=signal.SIGSTOP, after_s=0.0)
    run = Run(argv=("sleep", "1000"), env=base_environment(sandbox.roots), cwd="/", timeout_s=0.2, interruption=stop)
    ended = sandbox.run_together([run])[0]
    assert (ended.timed_out, ended.signal, ended.signals) == (True, 9, (signal.SIGSTOP,))


def test_only_the_run_that_is_meant_gets_its_signal(sandbox: Sandbox) -> None:
    kill = Interruption(signal=signal.SIGKILL, after_s=0.02)
    runs = [
        Run(argv=("sleep", "0.4"), env=base_environment(sandbox.roots), cwd="/", timeout_s=20, interruption=wanted)
        for wanted in (None, kill, None)
    ]
    assert [(end.exit_code, end.signal) for end in sandbox.run_together(runs)] == [(0, None), (None, 9), (0, None)]


def test_a_process_that_runs_on_can_be_signalled(sandbox: Sandbox) -> None:
    running = sandbox.start(["sleep", "1000"], env=base_environment(sandbox.roots), cwd="/")
    running.signal(signal.SIGTERM)
    ended = running.wait(20)
    running.signal(signal.SIGTERM)
    running.close()
    assert ended is not None
    assert (ended.signal, ended.signals) == (signal.SIGTERM, (signal.SIGTERM,))


def test_what_surrounds_the_room_stands_until_it_is_fresh(sandbox: Sandbox) -> None:
    sandbox.surround(Surroundings(environment={"A": "1", "B": "1"}, prefix=("env",), umask=0o077, path_first=("/a",)))
    sandbox.surround(
        Surroundings(environment={"B": "2"}, prefix=("C=3",), limits={"open_files": 20}, path_first=("/b",))
    )
    assert sandbox.surroundings == Surroundings(
        environment={"A": "1", "B": "2"},
        prefix=("env", "C=3"),
        umask=0o077,
        limits={"open_files": 20},
        path_first=("/b", "/a"),
    )
    env = base_environment(sandbox.roots)
    command = ("sh", "-c", "echo ${A-} ${B-} ${C-} $(umask)")
    assert sandbox.run(command, env=env, cwd="/", timeout_s=20, surrounded=True).stdout == b"1 2 3 0077\n"
    assert sandbox.run(command, env=env, cwd="/", timeout_s=20).stdout == b"0022\n"
    sandbox.fresh()
    assert sandbox.surroundings == Surroundings()


def test_renewing_is_calm_again(namespaces: None) -> None:

    with Sandbox(SandboxPlan()) as sandbox:
        sandbox.surround(Surroundings(umask=0))
        sandbox.renew()
        assert sandbox.surroundings == Surroundings()
