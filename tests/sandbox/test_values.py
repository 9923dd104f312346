"""The pure parts: placeholders, environments, exposure, and what the machine is said to do."""

from pathlib import Path

import pytest

from harness.errors import UsageError
from harness.sandbox import Roots, base_environment, exposure_for, probe

ROOTS = Roots(project="/tmp/agent/shop")


def test_placeholders_become_paths() -> None:
    assert ROOTS.resolve("{home}/a {tmp} {outside}{project}") == "/home/agent/a /tmp /outside/tmp/agent/shop"
    assert ROOTS.resolve('{"home": 1} {other}') == '{"home": 1} {other}'


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("/tmp/agent/shop/x", "{project}/x"),
        ("/tmp/agent/shopping", "{tmp}/agent/shopping"),
        ("cannot open /home/agent.", "cannot open {home}."),
        ("/home/agent.bak", "/home/agent.bak"),
        ("/var/tmp/x /tmpx /tmp", "/var/tmp/x /tmpx {tmp}"),
        ("HOME=/home/agent:/outside", "HOME={home}:{outside}"),
    ],
)
def test_paths_become_placeholders(text: str, hidden: str) -> None:
    assert ROOTS.hide(text) == hidden


def test_the_environment_is_small_and_names_a_private_tmp() -> None:
    assert set(base_environment(ROOTS)) == {"HOME", "PATH", "LANG", "USER", "TZ"}
    assert base_environment(Roots(tmp="/elsewhere"))["TMPDIR"] == "/elsewhere"
    assert base_environment(Roots(bins=("/a/bin",)))["PATH"].startswith("/a/bin:")


def executable(path: Path, text: str = "") -> Path:
    """An executable file at ``path``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def exposed(home: Path, *commands: str, search: str = "") -> tuple[set[str], tuple[str, ...]]:
    """What is exposed, relative to the home, and what was found."""
    found = exposure_for(commands, search=search, home=str(home), cwd=str(home))
    start = len(str(home)) + 1
    return {path[start:] for path in found.paths}, tuple(path[start:] for path in found.programs)


def test_a_prefix_is_exposed_in_parts(tmp_path: Path) -> None:
    executable(tmp_path / "opt/tool/bin/tool")
    (tmp_path / "opt/tool/lib").mkdir()
    (tmp_path / "opt/tool/secrets").mkdir()
    assert exposed(tmp_path, "tool", search=f"{tmp_path}/opt/tool/bin") == (
        {"opt/tool/bin", "opt/tool/lib"},
        ("opt/tool/bin/tool",),
    )


def test_a_home_and_its_local_are_never_exposed_whole(tmp_path: Path) -> None:
    executable(tmp_path / ".local/share/agent/versions/1.0")
    (tmp_path / ".local/lib").mkdir(parents=True)
    (tmp_path / ".local/bin").mkdir()
    (tmp_path / ".local/bin/agent").symlink_to(tmp_path / ".local/share/agent/versions/1.0")
    executable(tmp_path / "bin/own")
    paths, _ = exposed(tmp_path, "agent", "own", search=f"{tmp_path}/.local/bin:{tmp_path}/bin")
    assert paths == {".local/bin", ".local/lib", ".local/share/agent/versions/1.0", "bin"}


def test_a_script_brings_its_interpreter_and_a_venv_its_base(tmp_path: Path) -> None:
    executable(tmp_path / "base/bin/python3")
    (tmp_path / "base/lib").mkdir()
    (tmp_path / "venv/bin").mkdir(parents=True)
    (tmp_path / "venv/pyvenv.cfg").write_text(f"home = {tmp_path}/base/bin\n")
    (tmp_path / "venv/bin/python3").symlink_to(tmp_path / "base/bin/python3")
    executable(tmp_path / "hooks/stop.py", "#!/usr/bin/env python3\n")
    paths, programs = exposed(tmp_path, "hooks/stop.py", search=f"{tmp_path}/venv/bin")
    assert paths == {"hooks/stop.py", "venv/bin", "venv/pyvenv.cfg", "base/bin", "base/lib"}
    assert programs == ("hooks/stop.py",)


def test_a_shim_is_resolved_to_what_it_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYENV_VERSION", raising=False)
    executable(tmp_path / ".pyenv/shims/python", "#!/usr/bin/env bash\n")
    executable(tmp_path / ".pyenv/versions/3.11.1/bin/python")
    executable(tmp_path / ".pyenv/versions/3.12.1/bin/python")
    (tmp_path / ".python-version").write_text("3.11.1\n")
    paths, programs = exposed(tmp_path, "python", search=f"{tmp_path}/.pyenv/shims")
    assert paths == {".pyenv/versions/3.11.1/bin"}
    assert programs == (".pyenv/versions/3.11.1/bin/python",)


def test_what_is_not_there_is_said_and_everything_is_refused(tmp_path: Path) -> None:
    assert exposed(tmp_path, "nothing") == (set(), ("",))
    with pytest.raises(UsageError, match="whole machine"):
        exposure_for([], search="", home=str(tmp_path), cwd="/", extra=["/usr/.."])


def test_the_machine_is_described() -> None:
    facts = probe()
    assert facts.way
    assert [fact.name for fact in facts.ways][-1] == "plain"
    assert facts.namespaces or facts.advice
