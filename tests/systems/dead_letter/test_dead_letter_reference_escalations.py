"""Escalation files of the reference: what stands in them, and where they lie."""

import os
import re

import pytest
from dead_letter_reference_world import Failing, World, attempt, codes, letter, task

from harness.systems.dead_letter.contract import ESCALATION_HEADINGS
from harness.systems.dead_letter.reference.escalations import listed

DIRECTORY = "/world/.loki/escalations"
HOSTILE_IDS = ("../../etc/passwd", "a/b", "a\\b", "..", ".hidden", "a.b", "x" * 300, "é", "a\nb", "-", " ", "C:aux")
HEADING = "### Attempts Log\n**Trigger:** none\n1. nothing"


def world_of(*tasks, files=None):
    made = World(files=files or Failing())
    made.put("dead-letter", list(tasks))
    return made


def written(world, **fields):
    world.review(**{"needs": ("an API key",), **fields})
    (found,) = world.escalations().files
    return found


def test_the_headings_come_in_order_with_their_contents():
    found = written(world_of(letter()))
    lines = found.text.splitlines()
    heads = [line for line in lines if line.startswith(ESCALATION_HEADINGS)]
    assert list(ESCALATION_HEADINGS) == [
        next(head for head in ESCALATION_HEADINGS if line.startswith(head)) for line in heads
    ]
    assert ["## Escalation: Parse it", "**Task ID:** T-1", "**Failure Count:** 5",
            "**Trigger:** it needs an API key"] == heads[:4]  # fmt: skip
    assert "> it fails" in lines
    assert 5 == len([line for line in lines if line.startswith("- Attempt ")])
    assert 3 == len([line for line in lines if re.match(r"\d\. (\S+ ){10}", line)])
    assert "Human decision on recovery path." == lines[-1]


@pytest.mark.parametrize("odd", [HEADING, "", 5, None, "\ud800" * 3, "x" * 10_000, "a\u2028### Awaiting"])
def test_nothing_of_a_task_looks_like_a_heading(odd):
    made = letter(
        attempts=[attempt(approach=odd, error_type=odd, error_message=odd), attempt(2, error_type=None, error_message=None)],
        error_summary=odd, task_data={"title": odd},
    )  # fmt: skip
    found = written(world_of(made), needs=(str(odd).encode("utf-8", "replace").decode(),))
    heads = [line for line in found.text.splitlines() if line.startswith(ESCALATION_HEADINGS)]
    assert len(ESCALATION_HEADINGS) == len(heads)
    assert 3 == len([line for line in found.text.splitlines() if re.match(r"\d\.", line)])
    assert len(found.text) < 10_000


def test_a_task_without_attempts_is_escalated_too():
    found = written(world_of({"task_id": "T-1"}))
    assert "- None is known." in found.text
    assert "> no failed attempt is known" in found.text
    assert "## Escalation: T-1\n" in found.text


def test_the_name_has_the_time_and_the_id():
    assert "20260301T120000Z-T-1.md" == written(world_of(letter())).name


@pytest.mark.parametrize("task_id", HOSTILE_IDS)
def test_no_id_leads_out_of_the_directory(task_id):
    world = world_of(letter(task_id))
    found = written(world, task_id=task_id)
    assert (task_id.replace("\n", " ") in found.text, True) == (True, "/" not in found.name)
    assert f"{DIRECTORY}/{found.name}" in world.files.contents
    assert len(found.name) < 200
    assert world.review(task_id=task_id, needs=("x",)).notified == ()


def test_ids_that_look_alike_have_files_of_their_own():
    ids = ("a/b", "a.b", "a_b", "b")
    world = world_of(*map(letter, ids))
    for id_ in ids:
        assert (id_,) == world.review(task_id=id_, needs=("x",)).notified
        world.put("dead-letter", [letter(each) for each in ids])
    assert len(ids) == len(set(world.names()))


def test_a_second_escalation_in_one_second_is_a_second_file():
    world = world_of(letter())
    world.files.replace(f"{DIRECTORY}/20260301T120000Z-T-1.md", b"\xff")
    assert ("T-1",) == world.review(needs=("x",)).notified
    assert ["20260301T120000Z-T-1.md", "20260301T120001Z-T-1.md"] == world.names()
    assert [None] == [each.text for each in world.escalations().files if each.name.endswith("00Z-T-1.md")]


def test_too_many_files_of_one_name_are_an_error_that_is_told(monkeypatch):
    world = world_of(letter())
    monkeypatch.setattr(type(world.queue.escalation_files), "is_free", lambda *_: False)
    found = world.review(needs=("x",))
    assert (["escalation_write_failed"], False, False) == (codes(found), found.reviewed, found.decisions[0].stored)


@pytest.mark.parametrize(
    ("name", "waits"),
    [
        ("2026-03-01T10:00:00Z-T-1.md", True), ("1772366400-T-1.md", True), ("below/1772366400123-T-1.md", True),
        ("20260301T100000Z-b-T-1.md", False), ("20260301T100000Z-T-1.txt", False), (".20260301T100000Z-T-1.md", False),
    ],
)  # fmt: skip
def test_an_escalation_that_somebody_else_wrote_is_enough_while_it_waits(name, waits):
    world = world_of(letter(recovery_strategy="requires_human_review", escalations=5))
    world.files.replace(f"{DIRECTORY}/{name}", b"x")
    assert (() if waits else ("T-1",)) == world.review(needs=("x",)).notified


def test_a_file_whose_writer_died_is_adopted():
    world = world_of(letter())
    world.review(needs=("x",))
    world.put("dead-letter", [letter()])
    again = world.review(at=9.0, needs=("x",))
    assert (("T-1",), 1) == (again.notified, len(world.names()))
    assert world.names() == world.stored()["escalations"]


def test_a_real_directory_is_listed_without_links(tmp_path):
    world = World(str(tmp_path), dead_letter=[letter()])
    assert () == world.escalations().files
    assert ("T-1",) == world.review(needs=("x",)).notified
    directory = tmp_path / ".loki/escalations"
    (directory / "below").mkdir()
    (directory / "below/20260301T120000Z-T-2.md").write_text("x")
    os.symlink("/etc", directory / "linked")
    os.mkfifo(directory / "pipe.md")
    os.symlink("/etc/passwd", directory / "passwd.md")
    assert ["20260301T120000Z-T-1.md", "below/20260301T120000Z-T-2.md"] == world.names()
    assert [] == listed(str(directory / "nowhere"))


def test_a_task_is_left_alone_while_nothing_of_it_changes():
    world = world_of(task("T-1", 5))
    assert world.review().reviewed
