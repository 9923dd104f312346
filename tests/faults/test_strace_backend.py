"""Two ways to make a call fail, strace and the supervisor: for the same call and error a program ends the same."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from defects.programs import PROGRAMS

from harness.errors import MachineError
from harness.faults import strace
from harness.faults.syscalls import Fail, Go, Recorder, Site, Sites, Supervisor
from harness.sandbox import Run, Sandbox, SandboxPlan, Surroundings, Write, base_environment, exposure_for

LANGUAGES = ("python", "bash", "c", "static_c", "perl")
DIRECTORY = "{home}/state"
LOG = "{tools}/strace.log"
# mv, told that its target is there and then that it is not, looks at a state that nobody filled in
UNDEFINED = {("bash", "newfstatat", "ENOENT")}


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """A sandbox that shows our Python and the programs, built."""
    built = tmp_path_factory.mktemp("built")
    sources = Path(__file__).parent.parent / "defects"
    python = os.path.realpath(sys.executable)
    words = (python, str(built), str(sources))
    found = exposure_for((python,), search=os.defpath, home=os.path.expanduser("~"), cwd="/", extra=words[1:])
    with Sandbox(SandboxPlan(exposed=found.paths)) as sandbox:
        sandbox.built = built  # type: ignore[attr-defined]  # for the tests of this module
        yield sandbox


def begun(box: Sandbox, program) -> None:
    box.fresh()
    box.apply([Write(f"{DIRECTORY}/{name}", data) for name, data in program.begin.items()])


def a_run(box: Sandbox, program, *, prefix=(), listener=None) -> Run:
    command = program.commands(Path(box.roots.resolve(DIRECTORY))).op
    command[0] = os.path.realpath(sys.executable) if command[0] == sys.executable else command[0]
    return Run(
        argv=(*prefix, *command),
        env={**base_environment(box.roots), "PYTHONDONTWRITEBYTECODE": "1"},
        cwd="{home}",
        timeout_s=20.0,
        filter=listener,
    )


def seen(box: Sandbox, ended) -> tuple[object, ...]:
    """What is compared: how it ended, what it printed, and what the files hold."""
    facts = {path: (fact.kind, fact.sha256) for path, fact in box.snapshot().items() if path.startswith(DIRECTORY)}
    return ended.exit_code, ended.signal, ended.stdout, ended.stderr, facts


def by_supervisor(box: Sandbox, program, site: Site, name: str) -> tuple[object, ...]:
    begun(box, program)
    sites = Sites()
    below = (box.roots.resolve(DIRECTORY),)
    with Supervisor(lambda call: Fail(name) if sites.of(call) == site else Go(), below=below) as supervisor:
        (ended,) = box.run_together([a_run(box, program, listener=supervisor.filter())])
    return [each.proof for each in supervisor.struck], seen(box, ended)


def by_strace(box: Sandbox, program, site: Site, name: str) -> tuple[object, ...]:
    begun(box, program)
    words = strace.prefix(strace.place(box), site, name, box.roots.home, box.roots.resolve(LOG))
    (ended,) = box.run_together([a_run(box, program, prefix=words)])
    return strace.proofs(box.read(LOG, 1 << 20).data or b""), seen(box, ended)


def learned(box: Sandbox, program) -> Recorder:
    begun(box, program)
    recorder = Recorder()
    with Supervisor(recorder, below=(box.roots.resolve(DIRECTORY),)) as supervisor:
        (ended,) = box.run_together([a_run(box, program, listener=supervisor.filter())])
    assert (ended.exit_code, ended.stderr) == (0, b"")
    return recorder


def comparable(sites: Sequence[tuple[Site, int]]) -> Callable[[Site], bool]:
    """Tells the sites at which both ways mean the same call, of all (site, process) of an operation.

    strace counts by process: where several make the same call on the same path, it means another one, or several.
    """
    owners: dict[tuple[str, tuple[str, ...]], set[int]] = {}
    for site, process in sites:
        owners.setdefault((site.call, site.paths[:1]), set()).add(process)
    return lambda site: len(owners.get((site.call, site.paths[:1]), ())) == 1


@pytest.mark.tools
@pytest.mark.parametrize("language", LANGUAGES)
def test_both_ways_agree_on_every_call_and_every_error_of_an_operation(box, language):
    program = next(row for row in PROGRAMS if row.defect == "atomic_replace" and row.language == language).made(
        box.built
    )
    recorder = learned(box, program)
    same = comparable([(site, call.process) for site, call in recorder.calls])
    pairs = [
        (site, name) for site, name in recorder.errnos() if same(site) and (language, site.call, name) not in UNDEFINED
    ]
    assert len(pairs) > 20
    for site, name in pairs:
        ours = by_supervisor(box, program, site, name)
        assert ([name], ours[1]) == by_strace(box, program, site, name), f"{site.text()} {name}"
        assert [name] == ours[0]


def test_a_call_is_compared_where_one_process_alone_makes_it():
    one, other, third = Site("openat", ("/a",)), Site("openat", ("/a",), 2), Site("openat", ("/b",))
    assert [True, True, False] == list(map(comparable([(one, 0), (other, 0)]), (one, other, third)))
    assert [False, False] == list(map(comparable([(one, 0), (other, 1)]), (one, other)))


def test_the_command_names_the_call_the_error_and_every_way_to_write_the_path():
    site = Site("rename", ("/home/agent/d/a", "/home/agent/d/b"), 3)
    expected = "-o /log -P /home/agent/d/a -P d/a -P ./d/a -e trace=rename -e inject=rename:error=EIO:when=3"
    assert expected == " ".join(strace.prefix("strace", site, "EIO", "/home/agent", "/log")[6:])
    above = strace.prefix("strace", Site("open", ("/home/agent/a",)), "EIO", "/home/agent/d", "/log")
    assert "-P /home/agent/a -P ../a -e" in " ".join(above)


def test_an_error_that_nobody_knows_is_none():
    with pytest.raises(ValueError, match="there is no error 'EWHATEVER'"):
        strace.prefix("strace", Site("open", ("/a",)), "EWHATEVER", "/", "/log")


def test_the_log_is_proof_of_what_was_given_and_of_nothing_else():
    log = b"""12 openat(AT_FDCWD, "/a", O_RDONLY) = -1 EIO (Input/output error) (INJECTED)
12 openat(AT_FDCWD, "/a", O_RDONLY) = -1 ENOENT (No such file or directory)
13 close(3)                         = -1 EINTR (Interrupted system call) (INJECTED)
"""
    assert ["EIO", "EINTR"] == strace.proofs(log)
    assert [] == strace.proofs(b"")


def test_where_strace_is_missing_it_says_how_to_get_it(plain, monkeypatch):
    plain.surround(Surroundings())
    monkeypatch.setattr(
        strace,
        "calm",
        lambda room, script, *words: plain.run(("true",), env={"PATH": os.defpath}, cwd="/", timeout_s=10.0),
    )
    with pytest.raises(MachineError, match="strace is not installed; apt-get install strace"):
        strace.place(plain)


@pytest.mark.parametrize(
    ("said", "why"), [("echo no ptrace >&2; exit 1", "no ptrace"), ("exit 1", "it gives no reason")]
)
def test_where_strace_may_not_trace_it_says_why(plain, monkeypatch, said, why):
    def calm(room, script, *words):
        return plain.run(
            ("sh", "-c", said if words else "echo /bin/strace"), env={"PATH": os.defpath}, cwd="/", timeout_s=10.0
        )

    monkeypatch.setattr(strace, "calm", calm)
    with pytest.raises(MachineError, match=f"strace is refused here: {why}"):
        strace.place(plain)
