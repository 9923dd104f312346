"""What a command really starts."""

import os
import shutil
import struct

import pytest

from harness.faults import program


def script(path, first_line):
    path.write_text(f"{first_line}\necho x\n")
    path.chmod(0o755)
    return str(path)


def elf(path, *segments: int, wide: bool = True) -> str:
    head = struct.pack("<16sHHIQQQIHHH", b"\x7fELF\x02\x01", 2, 62, 1, 0, 64, 0, 0, 64, 56, len(segments))
    table = b"".join(struct.pack("<I52x", kind) for kind in segments)
    if not wide:
        head = struct.pack("<16sHHIIIIIHHH", b"\x7fELF\x01\x01", 2, 3, 1, 0, 52, 0, 0, 52, 32, len(segments)).ljust(
            52, b"\0"
        )
        table = b"".join(struct.pack("<I28x", kind) for kind in segments)
    path.write_bytes((head.ljust(64, b"\0") if wide else head) + table)
    return str(path)


@pytest.mark.parametrize("wide", [True, False], ids=["64 bits", "32 bits"])
def test_a_program_without_a_loader_is_static(tmp_path, wide):
    assert program.is_static(elf(tmp_path / "go", 1, 1, wide=wide))
    assert not program.is_static(elf(tmp_path / "c", 1, 3, 1, wide=wide))


def test_what_is_no_program_is_not_static(tmp_path):
    assert not program.is_static(script(tmp_path / "a", "#!/bin/sh"))
    assert not program.is_static(str(tmp_path / "nowhere"))
    (tmp_path / "short").write_bytes(b"\x7fELF\x02\x01")
    assert not program.is_static(str(tmp_path / "short"))
    (tmp_path / "torn").write_bytes(b"\x7fE")
    assert not program.is_static(str(tmp_path / "torn"))
    assert not program.is_static("/usr/bin/env")


def test_a_command_is_followed_to_the_program_that_runs_it(tmp_path):
    inner = script(tmp_path / "inner", "#!/bin/sh -e")
    outer = script(tmp_path / "outer", f"#!{inner}")
    assert list(program.chain(outer, "/", "/bin")) == [outer, inner, "/bin/sh"]
    assert list(program.chain("./outer", str(tmp_path), "/bin")) == [f"{tmp_path}/./outer", inner, "/bin/sh"]


def test_a_program_that_env_looks_up_is_found_in_path(tmp_path):
    tool = script(tmp_path / "tool", "#!/bin/sh")
    hook = script(tmp_path / "hook", "#!/usr/bin/env -S A=1 tool -x")
    assert list(program.chain(hook, "/", str(tmp_path))) == [hook, "/usr/bin/env", tool, "/bin/sh"]
    assert list(program.chain("tool", "/", str(tmp_path))) == [tool, "/bin/sh"]
    assert list(program.chain(script(tmp_path / "bare", "#!/usr/bin/env"), "/", "")) == [
        str(tmp_path / "bare"),
        "/usr/bin/env",
    ]
    assert program.looked_up(program.first_line(hook)) == "tool"
    assert program.looked_up(program.first_line(tool)) == ""


def test_a_command_that_is_not_there_starts_nothing(tmp_path):
    assert list(program.chain("no-such-program", "/", os.defpath)) == []
    assert list(program.chain("./no", str(tmp_path), os.defpath)) == []


def test_a_script_that_is_its_own_interpreter_is_followed_for_a_while_only(tmp_path):
    own = script(tmp_path / "own", f"#!{tmp_path}/own")
    assert 1 < len(list(program.chain(own, "/", ""))) < 10


def test_what_cannot_be_read_has_no_first_line(tmp_path):
    assert program.first_line(str(tmp_path)) == ()
    assert program.first_line(shutil.which("true")) == ()
