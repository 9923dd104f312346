"""A folder of generated files: whole files only, and nothing of the person's is touched. Source: issue 3, "Bad input"."""

import os

import pytest

from harness.core.scenario import FileSpec, Operation, Scenario, Step, World, load
from harness.errors import UsageError
from harness.explore import folder

WORLD = World("2026-03-01T12:00:00Z", {"{home}/x": FileSpec(base64=b"\xff\x00"), "{home}/y": FileSpec(text="ü\u2028")})


def scenario(name="gate-found-1"):
    return Scenario(1, name, "title", "stop_gate", "gate", ("PS-FO-01",), WORLD, (Step(op=Operation("metrics")),))


@pytest.mark.parametrize("kind", ["yaml", "json"])
def test_a_file_reads_back_as_the_scenario(tmp_path, kind):
    (path,) = folder.write(tmp_path, [scenario()], kind)
    assert f"gate-found-1.{kind}" == path.name
    assert scenario() == load(path.read_bytes(), where=path.name)
    assert [path] == list(tmp_path.iterdir())
    assert 0o644 == path.stat().st_mode & 0o777


def test_what_was_generated_before_and_is_no_longer_goes(tmp_path):
    (old,) = folder.write(tmp_path, [scenario()], "yaml")
    (new,) = folder.write(tmp_path, [scenario("gate-found-2")], "yaml", folder.require_ours(tmp_path, force=False))
    assert (False, True) == (old.exists(), new.exists())


def test_what_is_written_again_stays(tmp_path):
    folder.write(tmp_path, [scenario()], "yaml")
    folder.write(tmp_path, [scenario()], "yaml", folder.require_ours(tmp_path, force=False))
    assert ["gate-found-1.yaml"] == os.listdir(tmp_path)


@pytest.mark.parametrize("name", ["notes.txt", "other.yaml", "found.yaml", "sub"])
def test_a_folder_with_anything_else_is_refused_and_kept(tmp_path, name):
    if name == "sub":
        (tmp_path / name).mkdir()
    else:
        text = folder.as_text(scenario("gate-mine"), "yaml") if name == "found.yaml" else "x"
        (tmp_path / name).write_text(text)
    with pytest.raises(UsageError, match=f"holds {name}, which is no generated scenario"):
        folder.require_ours(tmp_path, force=False)
    assert () == folder.require_ours(tmp_path, force=True)
    assert [name] == os.listdir(tmp_path)


def test_a_folder_that_cannot_be_written_is_told_before_the_work(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match=r"cannot write to .*/file/below: Not a directory; choose another place"):
        folder.require_ours(tmp_path / "file" / "below", force=False)


def test_an_interrupted_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "a.yaml"
    folder.whole(path, "old")
    monkeypatch.setattr(os, "replace", lambda *paths: (_ for _ in ()).throw(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        folder.whole(path, "new")
    assert ([path], "old") == (list(tmp_path.iterdir()), path.read_text())
