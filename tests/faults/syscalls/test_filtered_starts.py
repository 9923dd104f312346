"""A program started under a filter finds what any other finds: nothing but its calls tells it that it is supervised."""

import msgspec
import pytest
from supervised import PYTHON, a_run, data, ended, supervisor

from harness.faults.syscalls import Go
from harness.sandbox import Run, Surroundings, base_environment

ABOUT = """
import os, resource, signal, sys
try: print(os.getcwd())
except FileNotFoundError: print("gone")
print(sorted(os.environ), os.umask(0), os.getsid(0) == os.getpid())
print([str(n) for n in signal.Signals if signal.getsignal(n) not in (signal.SIG_DFL, None)])
print(signal.pthread_sigmask(signal.SIG_BLOCK, ()), sys.argv, sorted(os.listdir("/proc/self/fd")))
print(resource.getrlimit(resource.RLIMIT_NOFILE), resource.getrlimit(resource.RLIMIT_FSIZE), sys.stdin.read())
"""
STREAMS = (
    "for n in 0 1 2; do [ -e /proc/$$/fd/$n ] && readlink /proc/$$/fd/$n | sed s/[0-9].*// >> ~/streams; done; exit 7"
)


def two(box, run):
    """How that run ends, without a filter and with one."""
    ends = box.run_together([run])
    with supervisor(box, lambda call: Go()) as sup:
        ends += box.run_together([msgspec.structs.replace(run, filter=sup.filter())])
    return [(end.exit_code, end.signal, end.stdout, end.stderr, end.start_error) for end in ends]


def a_bare_run(box, *argv, **options):
    return Run(argv=argv, env=base_environment(box.roots), cwd=options.pop("cwd", "{home}"), timeout_s=20.0, **options)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"stdin": b"some input"},
        {"cwd": "/"},
        {"surroundings": Surroundings(umask=0o077, limits={"open_files": 32, "file_size": 1 << 20})},
        {"surroundings": Surroundings(deleted_cwd=True)},
        {"surroundings": Surroundings(environment={"HOME": None, "MORE": "x"})},
        {"surroundings": Surroundings(prefix=("env", "BEFORE=1"))},
    ],
)
def test_it_finds_the_same_surroundings(both, options):
    plain, filtered = two(both, a_bare_run(both, *PYTHON, ABOUT, "a word", **options))
    assert (0, b"") == (plain[0], plain[3])
    assert plain == filtered


@pytest.mark.parametrize(
    "around",
    [
        Surroundings(),
        Surroundings(stdin="closed"),
        Surroundings(stdout="closed", stderr="closed"),
        Surroundings(stdin="full", stdout="full", stderr="full"),
    ],
)
def test_it_has_the_same_streams(both, around):
    run = a_bare_run(both, "sh", "-c", STREAMS, surroundings=around)
    plain, filtered = two(both, run)
    assert plain == filtered
    assert 7 == plain[0]
    lines = (data(both, "{home}/streams") or b"").splitlines()
    half = len(lines) // 2
    assert (lines[:half], 2 * half) == (lines[half:], len(lines))


@pytest.mark.parametrize("command", ["/no/such/program", "/etc/passwd", "no-such-name", "{home}"])
def test_it_cannot_be_started_for_the_same_reason(both, command):
    plain, filtered = two(both, a_bare_run(both, command))
    assert plain == filtered
    assert plain[4] in ("ENOENT", "EACCES")


def test_a_signal_that_python_ignores_is_not_ignored_by_it(both):
    plain, filtered = two(both, a_bare_run(both, "sh", "-c", "kill -PIPE $$; echo alive"))
    assert (None, 13) == plain[:2]
    assert plain == filtered


def test_no_descriptor_of_ours_is_left_in_it(room):
    end = ended(room, lambda call: Go(), "sh", "-c", "ls /proc/self/fd | wc -l")
    assert b"4\n" == end.stdout, "three streams, and the directory that is listed"


def test_a_process_that_runs_on_can_be_supervised_too(both):
    met = []

    def decide(call):
        met.append(call.name)
        return Go()

    with supervisor(both, decide) as sup:
        run = a_run(both, sup, "sh", "-c", 'read line; echo "$line" > ~/said; echo done')
        running = both.start(run.argv, env=run.env, cwd=run.cwd, filter=run.filter)
        try:
            assert [] == [name for name in met if name == "write"]
            running.stdin.write(b"hello\n")
            assert b"done\n" == running.stdout.readline()
            assert "write" in met
            assert 0 == running.wait(20.0).exit_code
        finally:
            running.close()
