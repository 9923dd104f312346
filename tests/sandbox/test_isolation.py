"""What a program in a namespaced sandbox cannot see, reach or do."""

import os
import socket
from pathlib import Path

import needs
import pytest
from shell import shell

from harness.errors import MachineError, UsageError
from harness.sandbox import Sandbox, SandboxPlan, base_environment, exposure_for, launch, wire


def test_nothing_of_the_person_is_visible(contained: Sandbox, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("x")
    places = (str(secret), str(Path.home()), str(Path(__file__).parent), "/oldroot", "/.windtunnel/lower")
    for place in places:
        assert shell(contained, f"ls '{place}/' || ls '{place}'").exit_code != 0, place


def test_the_root_shows_only_the_whitelist(contained: Sandbox) -> None:
    shown = set(shell(contained, "ls /").stdout.decode().split())
    system = {"usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "etc", "opt", "nix", "gnu"}
    assert shown - system == {"dev", "home", "outside", "proc", "run", "tmp", "var"}
    assert shell(contained, "ls /home").stdout == b"agent\n"


def test_removing_everything_reachable_leaves_the_real_project_alone(contained: Sandbox, project: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in project.rglob("*")}
    shell(contained, f"rm -rf '{project}'/* '{project}'/.* ~ /tmp /etc /usr/bin / --no-preserve-root 2>/dev/null")
    assert list(contained.snapshot()) == ["{project}/hook.sh", "{project}/sub"]
    assert {path: path.stat().st_mtime_ns for path in project.rglob("*")} == before
    contained.fresh()
    assert shell(contained, "./hook.sh && cat sub/state.json").stdout == b"hook\n{}"


def test_the_network_is_refused(contained: Sandbox) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        script = f"exec 3<>/dev/tcp/127.0.0.1/{port}"
        ended = contained.run(["bash", "-c", script], env=base_environment(contained.roots), cwd="/", timeout_s=20)
    assert contained.containment.network_isolated
    assert ended.exit_code != 0


def test_the_network_is_there_when_asked_for(namespaces: None) -> None:
    with Sandbox(SandboxPlan(network=True)) as sandbox, socket.create_server(("127.0.0.1", 0)) as server:
        script = f"exec 3<>/dev/tcp/127.0.0.1/{server.getsockname()[1]}"
        ended = sandbox.run(["bash", "-c", script], env=base_environment(sandbox.roots), cwd="/", timeout_s=20)
        assert ended.exit_code == 0, ended.stderr
        assert not sandbox.containment.network_isolated


def test_children_have_no_capabilities(contained: Sandbox) -> None:
    status = shell(contained, "cat /proc/self/status").stdout.decode()
    lines = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    assert {lines[name].strip("0") for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")} == {""}
    assert lines["NoNewPrivs"] == "1"
    assert int(lines["Uid"].split()[0]) == os.getuid()


def test_permissions_hold_even_for_root(contained: Sandbox) -> None:
    script = "mkdir shut; chmod 500 shut; echo x > open; chmod 000 open; touch shut/x; cat open; true"
    ended = shell(contained, script)
    assert ended.stderr.count(b"Permission denied") == 2
    assert contained.read("{project}/open").kind == "unreadable"


def test_the_machine_cannot_be_set(contained: Sandbox) -> None:
    for place in ("/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/etc/x", "/x"):
        assert shell(contained, f"echo x >> {place}").exit_code != 0, place
    assert shell(contained, "chmod 666 /dev/null || chmod 755 /.windtunnel").exit_code != 0
    assert shell(contained, "mount -t tmpfs x /tmp").exit_code != 0
    shell(contained, "kill -9 1; kill -9 -1; exit 0")
    assert shell(contained, "echo alive").stdout == b"alive\n"


def test_an_exposed_path_can_be_read_and_not_written(namespaces: None, tmp_path: Path) -> None:
    (tmp_path / "tool").write_text("x")
    with Sandbox(SandboxPlan(exposed=(str(tmp_path),))) as sandbox:
        assert shell(sandbox, f"cat {tmp_path}/tool").stdout == b"x"
        assert shell(sandbox, f"echo y > {tmp_path}/tool").exit_code != 0
        assert shell(sandbox, f"rm -rf {tmp_path}; mv {tmp_path.parent} /tmp/elsewhere").exit_code != 0
        sandbox.apply([])
        sandbox.fresh()
        assert sandbox.snapshot() == {}
        assert shell(sandbox, f"cat {tmp_path}/tool").stdout == b"x"


def test_the_interpreter_and_the_harness_can_be_exposed(namespaces: None) -> None:
    exposure = exposure_for(["python3"], search=os.environ["PATH"], home=str(Path.home()), cwd="/", needs_harness=True)
    with Sandbox(SandboxPlan(exposed=exposure.paths)) as sandbox:
        environment = base_environment(sandbox.roots)
        ended = sandbox.run([exposure.programs[0], "-c", "print(6*7)"], env=environment, cwd="/", timeout_s=20)
        assert ended.stdout == b"42\n", ended


@pytest.mark.parametrize("place", ["/", "/usr", "/home", "/tmp"])
def test_a_directory_of_the_system_is_no_project(place: str) -> None:
    with pytest.raises(UsageError, match="directory of the system"):
        Sandbox(SandboxPlan(project=place))


def test_a_missing_project_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not a directory"):
        Sandbox(SandboxPlan(project=str(tmp_path / "none")))


def test_a_large_project_without_overlay_is_refused_with_one_sentence(tmp_path: Path) -> None:
    with (tmp_path / "large").open("wb") as file:
        file.truncate(257 * 1024 * 1024)
    with pytest.raises(MachineError, match="larger than 256 MiB"):
        Sandbox(SandboxPlan(project=str(tmp_path), force_fallback=True))


@needs.root
def test_a_project_of_another_user_is_copied_for_root(namespaces: None, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    tmp_path.chmod(0o755)
    for path in (tmp_path, tmp_path / "file"):
        os.chown(path, 12345, 12345)
    with Sandbox(SandboxPlan(project=str(tmp_path))) as sandbox:
        assert not sandbox.containment.overlay
        assert shell(sandbox, "cat file; echo y > file; echo y > new; mkdir -p d/e; cat file").stdout == b"xy\n"
        kinds = {path: fact.kind for path, fact in sandbox.snapshot().items()}
        assert kinds == {
            "{project}/d": "directory",
            "{project}/d/e": "directory",
            "{project}/file": "file",
            "{project}/new": "file",
        }
        sandbox.fresh()
        assert sandbox.snapshot() == {}
        assert shell(sandbox, "cat file").stdout == b"x"
    assert (tmp_path / "file").read_text() == "x"
    tmp_path.chmod(0o700)
    with pytest.raises(MachineError, match=f"{tmp_path}: Permission denied"):
        Sandbox(SandboxPlan(project=str(tmp_path)))


def test_a_plan_that_fails_is_not_contained_less_in_silence(namespaces: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(way: launch.Way, setup: wire.Setup, network: bool) -> tuple[launch.Agent, wire.Ready]:
        if setup.exposed:
            raise launch.RefusedError("mount: refused")
        return start(way, setup, network)

    start = launch.start
    monkeypatch.setattr(launch, "start", refuse)
    with pytest.raises(MachineError, match="cannot be built as planned: mount: refused"):
        Sandbox(SandboxPlan(exposed=("/usr/share",)))
    with Sandbox(SandboxPlan()) as sandbox:
        assert sandbox.containment.namespaces
