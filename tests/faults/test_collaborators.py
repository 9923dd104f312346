"""A program of that name is another one, for whoever looks it up in PATH, and for nobody after a reset."""

import os
import stat
from pathlib import Path

import pytest
from placing import is_calm, placed, run, told

from harness.core.fault import Fault, Injection
from harness.faults import collaborator
from harness.sandbox import Sandbox, SandboxPlan, base_environment

ENDS = {"raises": (None, 11), "exits": (1, None), "garbage": (0, None), "hangs": (None, None)}


@pytest.mark.parametrize("kind", ["hangs", "raises", "exits", "garbage", "slow"])
def test_ours_is_found_first_and_gone_after_a_reset(sandbox, kind):
    fault = Fault(f"collaborator.{kind}", None, {"program": "date"})
    assert placed(sandbox, fault.name, program="date") == Injection(fault, armed=True, proof="found first")
    assert told(sandbox, "command -v date") == f"{sandbox.roots.tools}/bin/date"
    assert is_calm(sandbox)
    assert told(sandbox, "command -v date") != f"{sandbox.roots.tools}/bin/date"


@pytest.mark.parametrize("kind", ENDS)
def test_it_ends_as_its_name_says(sandbox, kind):
    placed(sandbox, f"collaborator.{kind}", program="date")
    ended = run(sandbox, "exec date +%Y", timeout_s=0.2 if kind == "hangs" else 20.0)
    assert ended.timed_out is (kind == "hangs")
    if kind != "hangs":
        assert (ended.exit_code, ended.signal) == ENDS[kind]
    assert sandbox.read("{tools}/called").data == b"date\n", "it notes each call"


def test_garbage_is_no_text(contained):
    placed(contained, "collaborator.garbage", program="jq")
    with pytest.raises(UnicodeDecodeError):
        run(contained, "jq .").stdout.decode()


def test_a_slow_one_does_its_work_half_a_second_later(contained):
    placed(contained, "collaborator.slow", program="date")
    ended = run(contained, "date -d @0 +%Y")
    assert ended.stdout == b"1970\n"
    assert ended.duration_s >= collaborator.SLOW_S


def test_one_that_is_not_here_cannot_be_slow(contained):
    found = placed(contained, "collaborator.slow", program="no-such-program")
    assert (found.armed, found.proof) == (False, "there is no no-such-program here that could be slow")


def test_a_missing_one_is_nowhere_in_path_and_all_others_are(sandbox):
    assert placed(sandbox, "collaborator.missing", program="date").proof == "ENOENT"
    assert run(sandbox, "date").exit_code == 127
    assert "No such file" in told(sandbox, "env date")
    assert run(sandbox, "ls / > /dev/null && cat /etc/passwd | wc -l && sort /dev/null").exit_code == 0
    assert is_calm(sandbox)
    assert run(sandbox, "date").exit_code == 0


def test_several_can_be_missing(contained):
    placed(contained, "collaborator.missing", program="date")
    assert placed(contained, "collaborator.missing", program="sort").proof == "ENOENT"
    assert [run(contained, name).exit_code for name in ("date", "sort < /dev/null", "true")] == [127, 127, 0]


def test_one_that_never_was_there_is_missing_too(contained):
    assert placed(contained, "collaborator.missing", program="no-such-program").proof == "ENOENT"


def test_a_missing_one_is_missing_in_the_directories_that_were_exposed(tmp_path):
    own = tmp_path / "bin"
    own.mkdir()
    for name in ("tool", "other"):
        (own / name).write_text("#!/bin/sh\necho real\n")
        os.chmod(own / name, stat.S_IRWXU)
    with Sandbox(SandboxPlan(exposed=(str(own),), force_fallback=True)) as sandbox:
        assert str(own) in base_environment(sandbox.roots)["PATH"]
        assert placed(sandbox, "collaborator.missing", program="tool").proof == "ENOENT"
        assert (run(sandbox, "tool").exit_code, told(sandbox, "other")) == (127, "real")


def test_the_real_programs_are_untouched(sandbox):
    before = Path("/usr/bin/env").stat()
    placed(sandbox, "collaborator.missing", program="env")
    placed(sandbox, "collaborator.garbage", program="env")
    assert Path("/usr/bin/env").stat() == before


def test_several_of_ours_stand_beside_each_other(contained):
    placed(contained, "collaborator.exits", program="date")
    assert placed(contained, "collaborator.garbage", program="jq").proof == "found first"
    assert (run(contained, "date").exit_code, run(contained, "jq").exit_code) == (1, 0)
    assert contained.surroundings.path_first == ("{tools}/bin",)


def test_directories_that_cannot_be_shown_without_it_arm_nothing(contained, monkeypatch):
    failed = run(contained, "exit 1")
    monkeypatch.setattr(collaborator, "met", lambda *args: failed)
    found = placed(contained, "collaborator.missing", program="date")
    assert (found.armed, found.proof) == (False, "the directories of PATH cannot be shown without date")
