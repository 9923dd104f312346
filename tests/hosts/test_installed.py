"""Hosts that are installed: where they are looked for, what npm is asked, and what is said when it fails."""

import errno
import json
import os
from pathlib import Path

import fake_host
import pytest

from harness.errors import MachineError, UsageError
from harness.hosts import installed
from harness.hosts.kinds import KINDS
from harness.systems.stop_gate import hosts

HERE = fake_host.FakeHost()
HOW = "install it with: windtunnel host install fake-host"
COMPLAINS = """npm error code E404
npm error 404 Not Found - GET https://registry.example/fake-host - Not found
npm error A complete log of this run can be found in: /npm/_logs/debug-0.log
"""
REFUSED = """npm ERR! code ECONNREFUSED
npm ERR! syscall connect
npm ERR! errno ECONNREFUSED
npm ERR! FetchError: request to http://127.0.0.1:9/x failed
npm ERR!     at ClientRequest.<anonymous> (index.js:130:14)
"""
BY_A_SCRIPT = """npm error code 1
npm error path /hosts/x/node_modules/x
npm error command failed
npm error command sh -c node install.js
npm error no binary for this machine
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder of hosts, where nothing is installed yet."""
    fake_host.make_known(monkeypatch, tmp_path, HERE)
    return tmp_path / "hosts"


@pytest.fixture
def npm(tmp_path, monkeypatch):
    """``npm("exit 1")`` is the only npm there is; what it was asked, and where, is kept in the file it gives."""
    return lambda body: fake_host.put_npm(monkeypatch, tmp_path, body)


def test_hosts_are_installed_where_the_variable_says_or_where_programs_keep_data(monkeypatch, tmp_path):
    home = Path("/h")
    assert Path("/here") == installed.hosts_folder({"WINDTUNNEL_HOSTS": "/here", "XDG_DATA_HOME": "/data"}, home)
    assert Path("/data/windtunnel/hosts") == installed.hosts_folder({"XDG_DATA_HOME": "/data"}, home)
    assert Path("/h/.local/share/windtunnel/hosts") == installed.hosts_folder({"XDG_DATA_HOME": ""}, home)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.delenv("WINDTUNNEL_HOSTS", raising=False)
    assert tmp_path / ".local" / "share" / "windtunnel" / "hosts" == installed.real_folder()


def test_a_folder_is_named_from_where_the_person_is_and_a_sandbox_is_elsewhere(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert tmp_path / "hosts" == installed.hosts_folder({"WINDTUNNEL_HOSTS": "hosts"}, Path("/h"))


@pytest.mark.parametrize("name", KINDS)
def test_the_pinned_version_is_that_of_the_lock_and_there_are_facts_about_it(name):
    version = installed.pinned_version(KINDS[name])
    folder = Path(installed.__file__).parent / "npm" / name
    (package,) = json.loads((folder / "package.json").read_text())["dependencies"]
    lock = json.loads((folder / "package-lock.json").read_text())["packages"]
    assert (version, version) == (lock[""]["dependencies"][package], lock[f"node_modules/{package}"]["version"])
    assert hosts.host_named(f"{name}:{version}").seen


def test_a_host_that_cannot_be_run_is_named_beside_those_that_can():
    assert KINDS["codex"] is installed.kind_named("codex")
    with pytest.raises(UsageError, match=r"^there is no host 'codez' that can be run here; there are: codex, claude-"):
        installed.kind_named("codez")


def test_what_is_installed_is_found_with_its_program(folder):
    fake_host.install_as_npm_does(folder.parent, HERE)
    place = folder / "fake-host"
    expected = installed.InstalledHost(HERE, "1.0", str(place / "node_modules" / ".bin" / "fake-host"), str(place))
    assert expected == installed.find(HERE, folder)


def test_a_host_that_brings_what_runs_it_is_begun_by_that(folder):
    kind = fake_host.FakeHost(runtime="node")
    there = fake_host.install_as_npm_does(folder.parent, kind)
    assert (there.program,) == there.words
    with pytest.raises(MachineError) as error:
        installed.find(kind, folder)
    assert f"the host fake-host in {folder} has no node of its own for this machine" == str(error.value)
    runtime = folder / "fake-host" / "node_modules" / ".bin" / "node"
    runtime.touch()
    assert (str(runtime), there.program) == installed.find(kind, folder).words


def test_what_is_not_installed_is_told_with_how_to_install_it(folder):
    with pytest.raises(MachineError) as error:
        installed.find(HERE, folder)
    assert f"the host fake-host is not installed in {folder}; {HOW}" == str(error.value)


def test_a_folder_where_nobody_can_look_has_no_hosts(folder):
    folder.mkdir()
    with pytest.raises(MachineError, match=r"is not installed in"):
        installed.find(HERE, folder / ("x" * 300))


@pytest.mark.parametrize(
    ("manifest", "version"),
    [
        (b'{"version": "0.9"}', "0.9"),
        (b"{}", "unknown"),
        (b"[]", "unknown"),
        (b"{", "unknown"),
        (b'{"version": "\xff"}', "unknown"),
        (None, "unknown"),
    ],
)
def test_a_host_of_another_version_is_none(folder, manifest, version):
    fake_host.install_as_npm_does(folder.parent, HERE)
    place = folder / "fake-host" / "node_modules" / fake_host.PACKAGE / "package.json"
    place.unlink() if manifest is None else place.write_bytes(manifest)
    with pytest.raises(MachineError) as error:
        installed.find(HERE, folder)
    said = f"the host fake-host in {folder} is version {version}, and its facts are about 1.0; "
    assert f"{said}install that with: windtunnel host install fake-host" == str(error.value)


def test_npm_installs_what_is_locked_and_nothing_else_is_asked_of_it(folder, npm):
    calls = npm(fake_host.npm_installs("1.0"))
    assert str(folder / "fake-host") == installed.install(HERE, folder).folder
    words = "install --no-save --no-audit --no-fund --loglevel=error"
    assert f"{folder}/fake-host: {words}\n" == calls.read_text()
    for name in ("package.json", "package-lock.json"):
        assert (folder.parent / "npm" / "fake-host" / name).read_bytes() == (folder / "fake-host" / name).read_bytes()


def test_what_is_there_is_left_alone(folder, npm):
    calls = npm("exit 1")
    there = fake_host.install_as_npm_does(folder.parent, HERE)
    assert there.version == installed.install(HERE, folder).version
    assert not calls.exists()


def test_another_version_is_replaced(folder, npm):
    npm(fake_host.npm_installs("1.0"))
    fake_host.install_as_npm_does(folder.parent, HERE, "0.9")
    assert "1.0" == installed.install(HERE, folder).version


def test_what_npm_installed_in_another_version_is_not_taken(folder, npm):
    npm(fake_host.npm_installs("1.1"))
    with pytest.raises(MachineError, match=r"is version 1\.1, and its facts are about 1\.0"):
        installed.install(HERE, folder)


def test_npm_that_says_that_all_is_well_and_installs_nothing_is_not_believed(folder, npm):
    npm("exit 0")
    with pytest.raises(MachineError, match=r"the host fake-host is not installed in"):
        installed.install(HERE, folder)


def test_without_npm_nothing_can_be_installed(folder, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MachineError, match=r"^npm is not on this machine's PATH; it is needed to install a host$"):
        installed.install(HERE, folder)
    assert not folder.exists()


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (COMPLAINS, "404 Not Found - GET https://registry.example/fake-host - Not found"),
        (REFUSED, "FetchError: request to http://127.0.0.1:9/x failed"),
        (BY_A_SCRIPT, "no binary for this machine"),
        ("a warning\n\nsh: 1: node: not found\n\n", "sh: 1: node: not found"),
        ("", "it said nothing"),
    ],
    ids=["of the registry", "of the network", "of a script", "of another", "nothing"],
)
def test_npm_that_fails_is_quoted_by_the_line_that_says_why(folder, npm, tmp_path, said, why):
    (tmp_path / "said").write_text(said)
    npm(f"cat {tmp_path / 'said'} >&2; exit 3")
    with pytest.raises(MachineError) as error:
        installed.install(HERE, folder)
    assert f"npm could not install fake-host 1.0 in {folder}/fake-host: {why}" == str(error.value)


def test_what_npm_says_in_no_encoding_is_told_all_the_same(folder, npm):
    npm(r"printf 'b\377d' >&2; exit 1")
    with pytest.raises(MachineError, match=r": b\ufffdd$"):
        installed.install(HERE, folder)


def test_npm_that_does_not_end_is_ended(folder, npm, monkeypatch, tmp_path):
    monkeypatch.setattr(installed, "_INSTALL_LIMIT_S", 0.5)
    npm(f"echo $$ > {tmp_path / 'pid'}; exec sleep 300")
    with pytest.raises(MachineError, match=r"npm did not install fake-host 1\.0 in .* within 0\.5 s and was ended"):
        installed.install(HERE, folder)
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_a_folder_that_cannot_be_made_is_told_in_a_sentence(folder, npm):
    calls = npm("exit 0")
    folder.write_text("a file")
    with pytest.raises(MachineError) as error:
        installed.install(HERE, folder)
    place = folder / "fake-host"
    assert str(error.value) == (
        f"cannot install fake-host 1.0 in {place}: {place}: Not a directory; mend that, "
        "or name another folder with the variable WINDTUNNEL_HOSTS"
    )
    assert not calls.exists()


def test_a_disk_that_is_full_is_told_in_a_sentence(folder, npm, monkeypatch):
    def full(path, data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    npm("exit 0")
    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(MachineError, match=r"/fake-host/package\.json: No space left on device; mend that, or name"):
        installed.install(HERE, folder)


def test_npm_that_cannot_be_started_is_told_in_a_sentence(folder, npm, tmp_path):
    npm("exit 0")
    (tmp_path / "bin" / "npm").write_text("#!/nowhere/node\n")
    with pytest.raises(MachineError, match=r"cannot install fake-host 1\.0 in .*: .*: No such file or directory; mend"):
        installed.install(HERE, folder)
