"""Runs that begin anew, links that lead elsewhere, and what becomes of commits."""

import os

import pytest
from phase_runner_reference_world import CHAIN, DIAMOND, TRIPLE, World, codes, done, kinds

from harness.ports.files import RealFiles
from harness.systems.phase_runner.contract.words import STATE_DIRECTORY, phase_path
from harness.systems.phase_runner.reference.folders import RealFolders

FAILING = {"2a": ["bad"]}
RECORD = {"phase_id": "1", "phase_name": "n", "status": "complete", "attempt": 1, "max_attempts": 2}


def halted():
    """A run in which 2a failed twice."""
    world = World(rows=TRIPLE)
    assert world.play(world.start(), FAILING)[-1].halted
    return world


def on_disk(home):
    return World(RealFiles(), home, DIAMOND)


# -- fresh


def test_a_fresh_start_deletes_all_and_begins_with_the_first_phase():
    world = halted()
    world.put(f"{STATE_DIRECTORY}/phases/phase-old.json", {"phase_id": "old"})
    world.put(f"{STATE_DIRECTORY}/notes/deep/a.txt", b"a")
    world.put("{home}/src/a.py", b"a")
    answer = world.fresh(CHAIN, at=50.0)
    assert (kinds(answer), codes(answer)) == ([("phase", "0", 1)], ["commits_remain"])
    below = sorted(path.removeprefix("/world/.autobuild/") for path in world.files.contents if "/.autobuild/" in path)
    assert below == ["config.json", "logs/execution.log", *(f"phases/phase-{each}.json" for each in "012"), "run.json"]
    assert world.config()["started_at"] == "2026-03-01T12:00:50Z"
    assert world.data("{home}/src/a.py") == b"a"
    assert world.events()[0] == "START"


def test_a_fresh_start_of_nothing_is_a_new_run():
    assert kinds(World(rows=CHAIN).fresh()) == [("phase", "0", 1)]


def test_fresh_and_resume_together_are_refused():
    world = halted()
    before = dict(world.files.contents)
    answer = world.start(None, "fresh", "resume")
    assert (answer.accepted, answer.launch, codes(answer)) == (False, (), ["modes_conflict"])
    assert world.files.contents == before


def test_other_processes_forget_what_a_fresh_start_deleted():
    world = World(rows=CHAIN)
    world.start()
    other = world.opened()
    other.fresh([("9",)])
    assert codes(world.claim("0")) == ["phase_unknown"]
    assert kinds(world.claim("9")) == [("verification", "9", 1)]


def test_a_fresh_start_deletes_on_disk_and_follows_no_link(home, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.txt").write_text("kept")
    world = on_disk(home)
    world.play(world.start(), FAILING)
    os.symlink(outside, f"{home}/.autobuild/link")
    os.symlink(outside / "a.txt", f"{home}/.autobuild/logs/link")
    os.makedirs(f"{home}/.autobuild/empty/deep")
    assert kinds(world.fresh()) == [("phase", "0", 1)]
    assert sorted(os.listdir(f"{home}/.autobuild")) == ["config.json", "logs", "phases", "run.json"]
    assert (outside / "a.txt").read_text() == "kept"


@pytest.mark.parametrize("place", ["", "/phases", "/logs"])
@pytest.mark.parametrize("to", ["directory", "nothing"])
def test_a_link_in_place_of_a_directory_is_not_followed(home, tmp_path, place, to):
    outside = tmp_path / "outside"
    if to == "directory":
        outside.mkdir()
        (outside / "config.json").write_text("kept")
    if place:
        os.mkdir(f"{home}/.autobuild")
    os.symlink(outside, f"{home}/.autobuild{place}")
    world = on_disk(home)
    for answer in (world.resume(), *([] if place else [world.fresh()])):
        assert (answer.accepted, answer.launch) == (False, ())
        assert codes(answer) == ["not_a_directory"]
        assert f"{home}/.autobuild{place} is a link" in answer.log[0].message
    assert world.fresh(text="").launch == ()
    assert os.path.islink(f"{home}/.autobuild{place}")
    if place:
        assert kinds(world.fresh()) == [("phase", "0", 1)]
        assert not os.path.islink(f"{home}/.autobuild{place}")
    else:
        assert codes(world.status()) == codes(world.claim("0")) == ["not_a_directory"]
    assert (sorted(os.listdir(outside)) if to == "directory" else outside.exists()) in (["config.json"], False)


def test_a_file_in_place_of_the_directory_is_refused(home):
    world = on_disk(home)
    RealFiles().replace(f"{home}/.autobuild", b"")
    assert codes(world.fresh()) == ["not_a_directory"]


def test_folders_that_are_not_there_are_empty_and_gone_already(home):
    assert RealFolders().names(f"{home}/none") == []
    RealFolders().remove(f"{home}/none")
    assert os.listdir(home) == []


# -- commits


def test_commits_that_are_only_prepared_are_written_down_in_the_order_of_completion():
    world = World(rows=DIAMOND)
    answers = world.play(world.start(commit_mode="message-only"), {"2a": ["bad", done("2a", commit_subject="it's")]})
    assert [each.commits for each in answers] == [()] * len(answers)
    lines = world.commits().decode().splitlines()
    assert lines == [
        "#!/bin/sh",
        "git commit -m 'feat(part): add 0'",
        "git commit -m 'feat(part): add 2b'",
        "git commit -m 'it'\"'\"'s'",
        "git commit -m 'feat(part): add 3'",
    ]
    assert world.record("0")["commit"]["committed"] is False
    assert world.events().count("COMMIT") == 4
    del world.files.contents[world.path("{home}/.autobuild/commits.sh")]
    world.resume(commit_mode="message-only")
    assert world.commits().decode().splitlines() == lines
    world.edit("2b", timestamps=None)
    world.edit("0", commit=None)
    world.resume(commit_mode="message-only")
    assert world.commits().decode().splitlines() == [lines[0], lines[2], *lines[3:]]


def test_nothing_is_prepared_without_a_phase_that_is_complete():
    world = World(rows=CHAIN)
    world.start(commit_mode="message-only")
    assert world.commits() is None


def test_one_commit_is_made_at_the_end_of_all_that_is_not_committed_yet():
    world = World(rows=CHAIN)
    world.start()
    assert len(world.succeed("0").commits) == 1
    answers = world.play(world.resume(commit_mode="single"))
    assert [each.commits for each in answers[:-1]] == [()] * (len(answers) - 1)
    (commit,) = answers[-1].commits
    assert (commit.phases, commit.subject) == (("1", "2"), "feat: docs/feature-plan.md, 2 phases")
    assert world.record("2")["commit"]["committed"] is True
    assert world.resume(commit_mode="single").commits == ()


def test_a_complete_phase_that_says_nothing_of_a_commit_has_none():
    world = World(rows=[("1",), ("2", "1")])
    world.put(phase_path("1"), RECORD)
    world.play(world.resume(commit_mode="single"))
    assert world.start(text="").summary.completed[0].commit is None
    for mode in ("auto", "message-only"):
        world = World(rows=[("1",)])
        world.start(commit_mode=mode)
        world.claim("1")
        world.edit("1", commit=None)
        answer = world.opened().verified("1")
        assert (answer.completed, answer.commits, world.commits()) == (True, (), None)
