"""A sandbox in which nothing was made is known to be empty without asking its agent; whatever is made is seen."""

from collections.abc import Iterator

import needs
import pytest

from harness.sandbox import Sandbox, SandboxPlan, Write, base_environment, emptiness, wire


@pytest.fixture(params=[False, True], ids=["plain", "contained"])
def empty(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    if request.param:
        needs.require_namespaces()
    with Sandbox(SandboxPlan(force_fallback=not request.param)) as sandbox:
        assert {} == sandbox.snapshot()
        yield sandbox


def run(sandbox: Sandbox, script: str) -> None:
    """Something that a program does there."""
    resolved = sandbox.roots.resolve(script)
    ended = sandbox.run(["sh", "-c", resolved], env=base_environment(sandbox.roots), cwd="/", timeout_s=30.0)
    assert 0 == ended.exit_code, ended.stderr


def asks(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> list[wire.Request]:
    """What the agent is asked for from now on."""
    seen: list[wire.Request] = []
    ask = sandbox._channel.ask
    monkeypatch.setattr(sandbox._channel, "ask", lambda request, kind: (seen.append(request), ask(request, kind))[1])
    return seen


def test_what_is_empty_and_stays_so_is_not_asked_for(empty, monkeypatch):
    seen = asks(empty, monkeypatch)
    for _ in range(3):
        assert {} == empty.snapshot()
    run(empty, "cd {home}; ls -la; if cat nothing; then exit 1; fi; if rmdir nothing; then exit 1; fi")
    assert {} == empty.snapshot()
    assert [] == seen


@pytest.mark.parametrize("root", ["home", "project", "tmp", "outside"])
@pytest.mark.parametrize("make", [": > x", "mkdir x", "ln -s /nowhere x", "mkfifo x", "mkdir x; echo 1 > x/y"])
def test_whatever_is_made_in_any_root_is_seen_and_what_changes_below_too(empty, root, make):
    run(empty, f"cd {{{root}}}; {make}")
    assert f"{{{root}}}/x" in empty.snapshot()
    run(empty, f"cd {{{root}}}; rm -r x; mkdir -p x/y; echo 1 > x/y/z")
    before = empty.snapshot()[f"{{{root}}}/x/y/z"]
    run(empty, f"cd {{{root}}}; echo 2 > x/y/z")
    assert before != empty.snapshot()[f"{{{root}}}/x/y/z"]


def test_what_came_and_went_leaves_it_empty_again(empty, monkeypatch):
    run(empty, "cd {home}; echo 1 > x; mv x y; rm y")
    seen = asks(empty, monkeypatch)
    assert [{}, {}] == [empty.snapshot(), empty.snapshot()]
    assert ["Look"] == [type(each).__name__ for each in seen], "the first look has to be a whole one"
    run(empty, "echo 1 > {home}/x")
    assert ["{home}/x"] == list(empty.snapshot())


def test_what_we_make_is_seen_and_a_fresh_world_is_empty_again(empty):
    empty.apply([Write("{home}/a/b", b"x")])
    assert {"{home}/a", "{home}/a/b"} == empty.snapshot().keys()
    empty.renew()
    assert {} == empty.snapshot()
    empty.apply([Write("{home}/c", b"x")])
    assert {"{home}/c"} == empty.snapshot().keys()
    empty.fresh()
    assert {} == empty.snapshot()
    run(empty, "echo 1 > {tmp}/x")
    assert ["{tmp}/x"] == list(empty.snapshot())


@needs.namespaces
def test_what_is_mounted_over_a_root_is_looked_into():
    with Sandbox(SandboxPlan()) as sandbox:
        sandbox.apply([Write("{home}/d/keep", b"x")])
        sandbox.limit_space("{home}/d", 64 * 1024, 32 * 1024)
        sandbox.apply([Write("{home}/d/keep", b"xy")])
        sandbox.snapshot()
        sandbox.fresh()
        assert {} == sandbox.snapshot()
        sandbox.limit_space("{tmp}", 64 * 1024, 32 * 1024)
        before = sandbox.snapshot()
        run(sandbox, "echo 1 > {tmp}/x")
        assert {"{tmp}/x"} == sandbox.snapshot().keys() - before.keys()


def test_without_a_watch_every_snapshot_is_asked_for(monkeypatch):
    with Sandbox(SandboxPlan(force_fallback=True)) as sandbox:
        monkeypatch.setattr(sandbox, "_watched", list)
        seen = asks(sandbox, monkeypatch)
        assert [{}, {}] == [sandbox.snapshot(), sandbox.snapshot()]
        assert 2 == len(seen)


def test_a_watch_that_is_refused_says_which_directory(tmp_path):
    with pytest.raises(OSError, match="inotify_add_watch"):
        emptiness.watch((str(tmp_path), str(tmp_path / "missing")))
