"""Mutants of level L3, in this process: as the reference in calm weather, and wrong where one call was struck.

That a scenario kills each of them is for ``qualify`` to show; what a crash leaves is put there by hand.
"""

import errno
import json
import os
import time

import pytest
from gate_world import DONE, FAILED, NOW, WARNED, World

from harness.ports.clock import FakeClock
from harness.ports.files import RealFiles
from harness.systems.stop_gate.contract import GATE, STOP_HOOK, CheckerOutcome, Consideration, Limits
from harness.systems.stop_gate.mutants import MUTANTS, crashes_hook, table
from harness.systems.stop_gate.reference import state
from harness.systems.stop_gate.reference.hook import StopHook

GATES = [name for name, mutant in MUTANTS.items() if (mutant.profile, mutant.level) == (GATE, "L3")]
HOOKS = [name for name, mutant in MUTANTS.items() if (mutant.profile, mutant.level) == (STOP_HOOK, "L3")]
CRASH = Consideration("crash", CheckerOutcome.RAISES)
LIMIT = 20
OLD_S = 1.0


def as_mutant(world, name):
    world.gate = MUTANTS[name].implementation(world.home, FakeClock(NOW), world.files, Limits(0.01))
    return world


def put(path, text=""):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def told(world):
    """What a gate says to sessions that are held, held too often, let go, and broken."""
    said = [world.check(FAILED, session_id="s1") for _ in range(LIMIT + 2)]
    said += [
        world.check(*asked, session_id=id_) for id_, asked in (("s2", (WARNED,)), ("s2", (FAILED,)), ("s3", (DONE,)))
    ]
    said += [world.check(CRASH, DONE, session_id="s4")]
    return [(result.decision, result.reasons) for result in said], [counted(world), world.exists(world.semaphore("s2"))]


def counted(world):
    with open(f"{world.runtime}/counters.json", "rb") as file:
        return file.read().count(b"crash")


@pytest.mark.parametrize("name", GATES)
def test_a_gate_that_no_call_fails_says_what_the_reference_says(disk, tmp_path, name):
    mine = as_mutant(World(str(tmp_path), RealFiles()), name)
    assert told(disk) == told(mine)


@pytest.mark.parametrize("name", GATES)
def test_a_gate_without_a_place_for_its_state_says_what_the_reference_says(disk, tmp_path, name):
    said = []
    for world in (disk, as_mutant(World(str(tmp_path), RealFiles()), name)):
        put(f"{world.home}/.amplihack/.claude/runtime", "no directory")
        results = [world.check(*asked, session_id=id_) for id_, asked in (("s1", (FAILED,)), ("s2", (WARNED,)))]
        said.append([(result.decision, result.reasons) for result in results])
    assert said[0] == said[1]


@pytest.mark.parametrize(
    ("name", "file", "text"),
    [
        ("count-cut-before-it-is-written", ".s1_blocks.count", ""),
        ("count-renamed-before-it-is-synced", ".s1_blocks.count", ""),
        ("count-named-before-its-directory-is-synced", ".s1_blocks.count", "3"),
        ("count-appended-to-a-torn-line", ".s1_blocks", f"1772.{NOW:.3f}\n"),
        ("marker-of-a-killed-check-holds", ".s1_blocks.counting", ""),
        ("busy-count-holds-for-ever", ".s1_blocks.count.broken", ""),
    ],
)
def test_what_a_crash_left_of_a_count_holds_the_session_for_ever(disk, name, file, text):
    put(f"{disk.runtime}/{file}", text)
    assert "block_limit" in {disk.check(FAILED).reasons[0] for _ in range(LIMIT + 1)}
    os.unlink(f"{disk.runtime}/.s1_blocks")
    put(f"{disk.runtime}/{file}", text)
    as_mutant(disk, name)
    assert {("todo",)} == {disk.check(FAILED).reasons for _ in range(LIMIT + 5)}


def test_counters_are_cut_in_place(disk):
    as_mutant(disk, "counters-cut-before-they-are-written").check(CRASH, DONE)
    before = os.stat(f"{disk.runtime}/counters.json").st_ino
    disk.check(CRASH, DONE, session_id="s2")
    assert before == os.stat(f"{disk.runtime}/counters.json").st_ino


def test_counters_are_written_although_somebody_else_holds_the_lock(disk, monkeypatch):
    monkeypatch.setattr(state, "LOCK_S", 0.01)
    path = f"{disk.runtime}/counters.json"
    with RealFiles().lock(f"{disk.runtime}/counters.lock", 1.0):
        disk.check(CRASH, DONE)
        assert not disk.exists(path)
        as_mutant(disk, "counters-without-a-lock").check(CRASH, DONE, session_id="s2")
        assert disk.exists(path)


def renaming_meets(monkeypatch, number):
    def refuse(old, new):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "replace", refuse)


@pytest.mark.parametrize(("number", "held"), [(errno.EBUSY, True), (errno.EIO, False)])
def test_a_count_that_was_busy_when_it_was_replaced_is_given_up_and_no_other(disk, monkeypatch, number, held):
    as_mutant(disk, "busy-count-holds-for-ever").check(FAILED)
    with monkeypatch.context() as patched:
        renaming_meets(patched, number)
        disk.check(FAILED)
    assert disk.exists(f"{disk.runtime}/.s1_blocks.count.broken") == held
    assert held == ("block_limit" not in {disk.check(FAILED).reasons[0] for _ in range(LIMIT + 5)})


def test_an_old_lock_is_taken_over_and_a_fresh_one_is_waited_for(disk, monkeypatch):
    monkeypatch.setattr(table, "PATIENCE_S", 0.01)
    as_mutant(disk, "stale-lock-taken-over-by-two")
    lock = f"{disk.runtime}.lock"
    put(lock)
    os.utime(lock, (OLD_S, OLD_S))
    disk.check(CRASH, DONE)
    assert not os.path.exists(lock)
    put(lock)
    disk.check(CRASH, DONE, session_id="s2")
    assert os.path.exists(lock)
    assert disk.exists(f"{disk.runtime}/counters.json")


def test_a_semaphore_that_came_in_between_breaks_the_check(disk, monkeypatch):
    disk.check(FAILED, session_id="s0")
    put(disk.semaphore("s1"))
    os.utime(disk.semaphore("s1"), (OLD_S, OLD_S))
    as_mutant(disk, "semaphore-looked-for-then-made")
    monkeypatch.setattr(os.path, "lexists", lambda path: False)
    assert disk.check(WARNED).reasons not in (("only_warnings",), ("already_ran",))
    monkeypatch.setattr(os, "open", refusing(os.open, errno.EIO, "_completed"))
    assert ("only_warnings",) == disk.check(WARNED, session_id="s2").reasons


def refusing(real, number, ending):
    """``real``, but for paths with that ending, of which it says that error."""

    def call(path, *more, **named):
        if str(path).endswith(ending):
            raise OSError(number, os.strerror(number))
        return real(path, *more, **named)

    return call


@pytest.mark.parametrize(
    ("name", "method", "ending", "fatal", "other"),
    [
        ("semaphore-io-error-escapes", "create", "_completed", errno.EIO, errno.ENOSPC),
        ("summary-quota-escapes", "replace", "summary.md", errno.EDQUOT, errno.ENOSPC),
        ("config-io-error-escapes", "read", ".power_steering_config", errno.EIO, errno.EACCES),
        ("counters-io-error-blocks", "replace", "counters.json", errno.EIO, errno.ENOSPC),
    ],
)
def test_an_error_that_was_forgotten_changes_the_answer_and_others_do_not(
    disk, monkeypatch, name, method, ending, fatal, other
):
    disk.write(disk.config, b"{}")
    as_mutant(disk, name)
    answers = []
    for number in (other, fatal):
        with monkeypatch.context() as patched:
            patched.setattr(disk.files, method, refusing(getattr(disk.files, method), number, ending))
            answers.append(disk.check(WARNED, session_id=f"s{number}").reasons)
    assert ("only_warnings",) == answers[0] != answers[1]


@pytest.mark.parametrize("name", ["semaphore-io-error-escapes", "summary-quota-escapes"])
def test_a_link_that_leads_out_is_refused_as_the_reference_refuses_it(disk, name):
    os.makedirs(disk.runtime)
    os.symlink(disk.root, f"{disk.runtime}/s1")
    os.symlink(f"{disk.root}/away", disk.semaphore("s1"))
    assert ("only_warnings",) == as_mutant(disk, name).check(WARNED).reasons
    assert not os.path.exists(f"{disk.root}/summary.md")


def test_what_is_to_become_a_semaphore_passes_for_one(disk):
    as_mutant(disk, "temporary-semaphore-counts")
    put(f"{disk.semaphore('s1')}.new")
    assert ("already_ran",) == disk.check(WARNED).reasons


# -- hooks


class Host:
    """A person's home, and the two sessions of a hook's owner."""

    def __init__(self, root):
        self.home, self.transcript = f"{root}/home", f"{root}/t.jsonl"
        self.state = f"{self.home}/{crashes_hook.STATE}"
        os.mkdir(self.home)

    def stop(self, kind, *, asks=True, session_id="s", **fields):
        said = "Shall I?" if asks else "Because."
        lines = ({"role": "user", "content": "Why?"}, {"role": "assistant", "content": said})
        put(self.transcript, "".join(json.dumps(line) + "\n" for line in lines))
        event = {"session_id": session_id, "transcript_path": self.transcript, "stop_hook_active": False, **fields}
        return kind({"HOME": self.home, "CLAUDE_PROJECT_DIR": self.home}).decide(event)

    def said(self, kind, **fields):
        result = self.stop(kind, **fields)
        return result.decision.value, result.reasons


@pytest.fixture
def host(tmp_path):
    return Host(tmp_path)


def hook(name):
    return MUTANTS[name].implementation


def story(host, kind):
    """An unfinished session until it may end, a finished one twice, and ids that are no plain word."""
    said = [host.said(kind, stop_hook_active=number > 0) for number in range(5)]
    said += [host.said(kind, asks=False, session_id="t") for _ in range(2)]
    return said + [host.said(kind, session_id=odd) for odd in ("../x", "", "u" * 300)]


@pytest.mark.parametrize("name", HOOKS)
def test_a_hook_that_no_call_fails_says_what_the_reference_says(tmp_path, name):
    worlds = []
    for place, kind in (("reference", StopHook), ("mutant", hook(name))):
        os.mkdir(tmp_path / place)
        worlds.append(story(Host(tmp_path / place), kind))
    decisions = [[decision for decision, _ in said] for said in worlds]  # of a block each has its own words
    assert decisions[0] == decisions[1]
    assert ["block"] * 3 + ["approve"] * 2 == decisions[0][:5]


@pytest.mark.parametrize("name", HOOKS)
def test_a_hook_without_a_place_for_its_state_says_what_the_reference_says(host, name):
    put(f"{host.home}/.amplihack", "no directory")
    assert story(host, StopHook) == story(host, hook(name))


@pytest.mark.parametrize(
    ("name", "file", "text"),
    [
        ("hook-killed-holds-for-ever", ".s.held", ""),
        ("hook-count-renamed-before-it-is-synced", ".s.asked", ""),
        ("hook-count-named-before-its-directory-is-synced", ".s.latest", "3"),
        ("hook-count-stops-at-a-torn-line", ".s.lines", "helheld\n"),
        ("hook-busy-rename-holds-for-ever", ".s.busy.broken", ""),
    ],
)
def test_what_a_crash_left_of_a_hooks_count_holds_the_session_for_ever(host, name, file, text):
    put(f"{host.state}/{file}", text)
    assert {"block"} == {host.said(hook(name), stop_hook_active=number > 0)[0] for number in range(10)}


@pytest.mark.parametrize(
    ("name", "file"),
    [("hook-count-named-before-its-directory-is-synced", ".s.latest"), ("hook-count-stops-at-a-torn-line", ".s.lines")],
)
def test_what_is_no_count_at_all_holds_nobody_longer(host, name, file):
    put(f"{host.state}/{file}", "{ not what was written here\n")
    said = [host.said(hook(name), stop_hook_active=number > 0)[0] for number in range(4)]
    assert ["block"] * 3 + ["approve"] == said


def test_a_count_that_cannot_be_put_in_place_leaves_nothing_behind(host, monkeypatch):
    monkeypatch.setattr(os, "replace", refusing(os.replace, errno.EIO, ".new"))
    for name, ending in (("renamed-before-it-is-synced", "asked"), ("named-before-its-directory-is-synced", "latest")):
        host.stop(hook(f"hook-count-{name}"))
        assert not os.path.exists(f"{host.state}/.s.{ending}")
        assert not os.path.exists(f"{host.state}/.s.{ending}.new")


def test_a_marker_of_another_stop_lets_the_session_go(host):
    put(f"{host.state}/under-way")
    assert ("approve", ("under_way",)) == host.said(hook("hook-killed-puts-the-guard-to-sleep"))
    name = "hook-two-at-once-leave-it-to-each-other"
    put(f"{host.state}/asking-1", str(os.getpid()))
    assert ("approve", ("left_to_another",)) == host.said(hook(name))
    put(f"{host.state}/asking-2", str(os.getpid()))
    assert "block" == host.said(hook(name))[0]
    put(f"{host.state}/asking-1", "nobody")
    os.unlink(f"{host.state}/asking-2")
    assert "block" == host.said(hook(name))[0]


class Exited(BaseException):
    """Instead of the end of this process."""


@pytest.fixture
def exits(monkeypatch):
    def leave(code):
        raise Exited(code)

    monkeypatch.setattr(os, "_exit", leave)


@pytest.mark.usefixtures("exits")
def test_an_error_that_was_forgotten_ends_the_hook_with_2(host, monkeypatch):
    monkeypatch.setattr(os, "stat", refusing(os.stat, errno.EIO, "power-steering"))
    with pytest.raises(Exited, match="2"):
        host.stop(hook("hook-io-error-exits-2"))


@pytest.mark.parametrize(("number", "held"), [(errno.EBUSY, True), (errno.EIO, False)])
def test_a_hooks_count_that_was_busy_when_it_was_replaced_is_given_up_and_no_other(host, monkeypatch, number, held):
    kind = hook("hook-busy-rename-holds-for-ever")
    assert "block" == host.said(kind)[0]
    with monkeypatch.context() as patched:
        renaming_meets(patched, number)
        assert "block" == host.said(kind, stop_hook_active=True)[0]
    assert held == os.path.exists(f"{host.state}/.s.busy.broken")
    assert held == ("approve" not in {host.said(kind, stop_hook_active=True)[0] for _ in range(5)})


@pytest.mark.usefixtures("exits")
def test_a_count_that_may_not_be_removed_ends_the_hook_with_2_and_one_that_cannot_does_not(host, monkeypatch):
    kind = hook("hook-unlink-refused-exits-2")
    assert "block" == host.said(kind)[0]
    for number in (errno.EIO, errno.EACCES):
        with monkeypatch.context() as patched:
            patched.setattr(os, "unlink", refusing(os.unlink, number, ".s.counted"))
            assert "approve" == host.said(kind, asks=False)[0]
    with monkeypatch.context() as patched:
        patched.setattr(os, "unlink", refusing(os.unlink, errno.EPERM, ".s.counted"))
        with pytest.raises(Exited, match="2"):
            host.stop(kind, asks=False)
    assert "approve" == host.said(kind, asks=False)[0]
    assert not os.path.exists(f"{host.state}/.s.counted")


def test_a_transcript_that_meets_an_io_error_is_unfinished(host):
    kind = hook("hook-io-error-is-unfinished")
    said = host.said(kind, asks=False, transcript_path="/proc/self/mem")  # its first byte is no page of this process
    assert ("block", ("nothing was said",)) == said
    assert "approve" == host.said(StopHook, asks=False, transcript_path="/proc/self/mem")[0]
    assert "approve" == host.said(kind, asks=False, transcript_path="a\0b")[0]


@pytest.mark.usefixtures("exits")
def test_a_record_that_came_in_between_ends_the_hook_with_2(host, monkeypatch):
    kind = hook("hook-end-looked-for-then-made")
    host.stop(kind, session_id="earlier")
    host.stop(kind, asks=False)
    assert os.path.exists(f"{host.state}/.s.ended")
    assert "approve" == host.said(kind, asks=False)[0]
    monkeypatch.setattr(os, "listdir", lambda path: [".earlier_blocks"])
    with pytest.raises(Exited, match="2"):
        host.stop(kind, asks=False)


@pytest.mark.usefixtures("exits")
def test_a_lock_that_another_took_away_ends_the_hook_with_2(host, monkeypatch):
    kind = hook("hook-stale-lock-taken-over-by-two")
    monkeypatch.setattr(table, "PATIENCE_S", 0.01)
    lock = f"{host.state}/left.lock"
    put(lock)
    os.utime(lock, (OLD_S, OLD_S))
    assert "approve" == host.said(kind, asks=False)[0]
    assert not os.path.exists(lock)
    put(lock)
    os.utime(lock, (time.time(), time.time()))
    assert "approve" == host.said(kind, asks=False)[0]
    assert os.path.exists(lock)
    monkeypatch.setattr(crashes_hook, "take", os.unlink)
    with pytest.raises(Exited, match="2"):
        host.stop(kind, asks=False)
    put(lock)
    monkeypatch.setattr(crashes_hook, "take", lambda path: None)
    monkeypatch.setattr(os, "unlink", refusing(os.unlink, errno.EIO, "left.lock"))
    assert "approve" == host.said(kind, asks=False)[0]
