"""``windtunnel host``: what is installed, what is installed by npm, and what a host does beside its table."""

import json
import shutil
import threading
from contextlib import contextmanager
from datetime import date
from pathlib import Path

import msgspec
import needs
import pytest
import yaml
from hosts import fake_host

from harness.cli import host as host_commands
from harness.errors import HarnessFault, MachineError
from harness.hosts.check import CheckedHost, Question
from harness.systems.stop_gate import hosts

OTHER = "other-host"
AGREES = "3 rules asked, all as the table says and as predicted"


@pytest.fixture
def known(tmp_path, monkeypatch):
    """``known("hangs")``: such a host that takes two blocks, the only one there is; ``installed=""`` leaves it out."""

    def make(*does, installed=fake_host.VERSION, limit_s=None, tables=(), others=()):
        kind = fake_host.FakeHost(does, cap=2)
        fake_host.make_known(monkeypatch, tmp_path, kind, *others, known=tables)
        if installed:
            fake_host.install_as_npm_does(tmp_path, kind, installed)
        if limit_s is not None:
            monkeypatch.setattr(host_commands, "SESSION_LIMIT_S", limit_s)
        monkeypatch.setattr(host_commands, "today", lambda: date(2026, 3, 1))
        return kind

    return make


def test_each_host_is_listed_with_what_keeps_it_from_being_run(windtunnel, tmp_path, monkeypatch, snapshot):
    here, gone, old = (fake_host.FakeHost(name=name) for name in ("here", "gone", "old"))
    paper = hosts.Host("paper-host", "2.0", hosts.Documented(timeout_s=60.0))
    fake_host.make_known(monkeypatch, tmp_path, here, gone, old, known=(fake_host.agreeing("here"), paper))
    fake_host.install_as_npm_does(tmp_path, here)
    fake_host.install_as_npm_does(tmp_path, old, "0.9")
    ran = windtunnel("host", "list")
    assert (0, "") == (ran.code, ran.err)
    assert snapshot == ran.out.replace(str(tmp_path), "TMP")


def test_real_hosts_are_listed_with_their_pinned_versions(windtunnel, tmp_path, monkeypatch):
    monkeypatch.setenv("WINDTUNNEL_HOSTS", str(tmp_path))
    ran = windtunnel("host", "list")
    listed = {line.split()[0]: line.split()[1].rstrip(":") for line in ran.out.splitlines() if "not run: " in line}
    assert {host.host: host.version for host in hosts.hosts() if host.seen} == listed


def test_a_command_that_is_none_is_refused(windtunnel):
    assert 2 == windtunnel("host", "lists").code


def test_a_host_that_is_installed_already_is_left_alone(windtunnel, known, tmp_path, monkeypatch):
    known()
    calls = fake_host.put_npm(monkeypatch, tmp_path, "exit 1")
    ran = windtunnel("host", "install", "fake-host")
    assert (0, f"fake-host 1.0: installed in {tmp_path}/hosts/fake-host\n", "") == ran
    assert not calls.exists()


def test_without_a_name_every_host_is_installed_by_npm(windtunnel, known, tmp_path, monkeypatch):
    other = fake_host.FakeHost(name=OTHER, program=fake_host.NAME)
    known(installed="", others=(other,))
    calls = fake_host.put_npm(monkeypatch, tmp_path, fake_host.npm_installs("1.0"))
    ran = windtunnel("host", "install")
    assert (0, "") == (ran.code, ran.err)
    assert ["fake-host", OTHER] == [Path(line.partition(":")[0]).name for line in calls.read_text().splitlines()]
    assert [
        f"{name} 1.0: installed in {tmp_path}/hosts/{name}" for name in ("fake-host", OTHER)
    ] == ran.out.splitlines()


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("echo 'npm error 404 no such thing' >&2; exit 1", "npm could not install fake-host 1.0 in {place}: 404 no such thing [WT-M10]"),
        (fake_host.npm_installs("1.1"), "the host fake-host in {folder} is version 1.1, and its facts are about 1.0; install that with: windtunnel host install fake-host [WT-M09]"),
        ("exec sleep 300", "npm did not install fake-host 1.0 in {place} within 0.5 s and was ended; is the registry reached? [WT-M10]"),
        (None, "npm is not on this machine's PATH; it is needed to install a host [WT-M10]"),
    ],
    ids=["fails", "installs another version", "does not end", "is missing"],
)  # fmt: skip
def test_an_installation_that_fails_is_one_sentence_about_this_machine(
    windtunnel, known, tmp_path, monkeypatch, body, said
):
    known(installed="")
    monkeypatch.setattr(host_commands.installed, "_INSTALL_LIMIT_S", 0.5 if body and "sleep" in body else 60.0)
    if body is None:
        monkeypatch.setenv("PATH", str(tmp_path))
    else:
        fake_host.put_npm(monkeypatch, tmp_path, body)
    folder = tmp_path / "hosts"
    ran = windtunnel("host", "install", "fake-host")
    assert (4, "", f"windtunnel: {said.format(folder=folder, place=folder / 'fake-host')}\n") == ran


def test_a_folder_that_cannot_be_written_is_no_defect_of_ours(windtunnel, known, tmp_path, monkeypatch):
    known(installed="")
    fake_host.put_npm(monkeypatch, tmp_path, "exit 0")
    (tmp_path / "hosts").write_text("a file")
    ran = windtunnel("host", "install")
    assert 4 == ran.code
    assert ran.err.startswith(f"windtunnel: cannot install fake-host 1.0 in {tmp_path}/hosts/fake-host: ")
    assert ran.err.endswith("; mend that, or name another folder with the variable WINDTUNNEL_HOSTS [WT-M10]\n")


@pytest.mark.parametrize("command", ["install", "check"])
def test_a_name_that_nobody_knows_is_told_beside_those_that_are(windtunnel, known, command):
    known()
    said = "windtunnel: there is no host 'codez' that can be run here; there are: fake-host [WT-U06]\n"
    assert (2, "", said) == windtunnel("host", command, "fake-host", "codez")


@needs.namespaces
def test_a_host_that_is_as_its_table_says_is_one_line(windtunnel, known):
    known()
    assert (0, f"fake-host 1.0: {AGREES}\n", "") == windtunnel("host", "check", "fake-host")


@needs.namespaces
def test_a_host_that_is_not_as_its_table_says_is_told_rule_by_rule(windtunnel, known):
    known(tables=(fake_host.agreeing(block="ends"),))
    ran = windtunnel("host", "check")
    assert (4, "") == (ran.code, ran.err)
    assert [
        "fake-host 1.0: block: the host goes on; the table says that it ends (documented), and it was predicted that it ends",
        "fake-host 1.0: cap: the host takes 2 blocks in a row; the table says any number of blocks in a row",
        "fake-host 1.0: 3 rules asked, 2 not as stated or predicted",
    ] == ran.out.splitlines()


@needs.namespaces
@pytest.mark.parametrize(("does", "said"), fake_host.BROKEN.items(), ids=fake_host.BROKEN)
def test_a_host_that_is_none_is_not_run_and_nothing_is_said_of_its_table(windtunnel, known, tmp_path, does, said):
    known(does, limit_s=1.0 if does == "hangs" else None)
    ran = windtunnel("host", "check", "--report", tmp_path / "out")
    assert (4, f"not run: {said}\n", "") == ran
    assert [] == json.loads((tmp_path / "out" / "hosts.json").read_text())


@needs.namespaces
def test_hosts_that_cannot_be_run_are_told_beside_the_one_that_can(windtunnel, known, tmp_path):
    hanging = fake_host.FakeHost(("calls no hook",), name=OTHER)
    missing = fake_host.FakeHost(name="third-host")
    known(others=(hanging, missing))
    fake_host.install_as_npm_does(tmp_path, hanging)
    ran = windtunnel("host", "check", "--report", tmp_path / "out", "--jobs", "1")
    assert (4, "") == (ran.code, ran.err)
    assert [
        f"not run: the host third-host is not installed in {tmp_path}/hosts; install it with: windtunnel host install third-host",
        "not run: the host other-host called no Stop hook and ended with exit 0; it said: nothing",
        f"fake-host 1.0: {AGREES}",
    ] == ran.out.splitlines()
    assert ["fake-host"] == [each["host"] for each in json.loads((tmp_path / "out" / "hosts.json").read_text())]


def test_where_no_host_is_installed_there_is_nothing_to_check(windtunnel, known, tmp_path):
    known(installed="0.9")
    ran = windtunnel("host", "check")
    assert (4, "windtunnel: no host is installed; install all with: windtunnel host install [WT-M09]\n") == (
        ran.code,
        ran.err,
    )
    assert ran.out.startswith(f"not run: the host fake-host in {tmp_path}/hosts is version 0.9, and its facts are ")


@pytest.mark.parametrize(
    ("version", "said"), [("", "is not installed in {}; "), ("0.9", "in {} is version 0.9, and its facts are about 1.0; ")]
)  # fmt: skip
def test_a_host_that_is_asked_for_by_name_has_to_be_there(windtunnel, known, tmp_path, version, said):
    known(installed=version)
    ran = windtunnel("host", "check", "fake-host")
    assert (4, "") == (ran.code, ran.out)
    assert ran.err.startswith(f"windtunnel: the host fake-host {said.format(tmp_path / 'hosts')}install ")


@needs.namespaces
def test_a_report_says_what_was_asked_seen_and_stated_and_holds_the_table(windtunnel, known, tmp_path):
    known(tables=(fake_host.agreeing(block="ends"),))
    assert 4 == windtunnel("host", "check", "--report", tmp_path / "new" / "out").code
    (found,) = json.loads((tmp_path / "new" / "out" / "hosts.json").read_text())
    assert ("fake-host", "1.0", "2026-03-01", 2) == (found["host"], found["version"], found["on"], found["cap"])
    asked = [(q["rule"], q["seen"], q["stated"], q["predicted"], q["source"]) for q in found["questions"]]
    assert [
        ("block", "blocks", "ends", "ends", "documented"),
        ("silence", "ends", "ends", "ends", "by the contract"),
    ] == asked
    (several,) = found["several"]
    assert ("same_command_twice", "twice", "twice") == (several["rule"], several["seen"], several["stated"])
    assert ("2026-03-01", "blocks") == (found["facts"]["seen"], found["facts"]["rules"]["block"]["does"])


@pytest.mark.parametrize("place", ["a file", "a file/out"])
def test_a_report_that_cannot_be_written_is_told_before_anything_is_run(windtunnel, known, tmp_path, place):
    known("hangs")
    (tmp_path / "a file").write_text("")
    ran = windtunnel("host", "check", "--report", tmp_path / place)
    assert (2, "") == (ran.code, ran.out)
    assert "is a file" in ran.err or "; choose another with --report" in ran.err


@pytest.fixture
def unasked(tmp_path, monkeypatch):
    """``unasked(a=..., b=...)``: hosts of those names that are installed and not run; a check of each is what is given."""

    def make(**checks):
        kinds = [fake_host.FakeHost(name=name) for name in checks]
        fake_host.make_known(monkeypatch, tmp_path, *kinds)
        for kind in kinds:
            fake_host.install_as_npm_does(tmp_path, kind)
        monkeypatch.setattr(host_commands, "check", lambda rig, *rest: checks[rig.host.kind.name](*rest))

    return make


def found_of(name, facts=None):
    return CheckedHost(name, "1.0", "2026-03-01", (), (), None, None, facts)


@needs.namespaces
def test_a_report_whose_folder_is_gone_in_the_end_is_no_defect_of_ours(windtunnel, unasked, tmp_path):
    def check(*_):
        shutil.rmtree(tmp_path / "out")
        return found_of("a")

    unasked(a=check)
    ran = windtunnel("host", "check", "--report", tmp_path / "out")
    said = f"windtunnel: cannot write the report to {tmp_path}/out: No such file or directory; choose another with "
    assert (2, f"{said}--report [WT-U10]\n") == (ran.code, ran.err)


@needs.namespaces
def test_what_was_seen_is_written_as_the_table_and_then_agrees(windtunnel, known, tmp_path, monkeypatch):
    monkeypatch.setattr(hosts, "FOLDER", str(tmp_path / "facts"))
    (tmp_path / "facts").mkdir()
    known(tables=(fake_host.agreeing(block="ends"),))
    ran = windtunnel("host", "check", "--write")
    assert (0, ["wrote fake-host-1.0.yaml"], "") == (ran.code, ran.out.splitlines()[-1:], ran.err)
    assert "block: the host goes on; the table says that it ends" in ran.out
    written = (tmp_path / "facts" / "fake-host-1.0.yaml").read_text()
    assert written.startswith("# Written by `windtunnel host check --write`")
    table = msgspec.convert(yaml.safe_load(written), hosts.Host)
    assert ("blocks", "run here on 2026-03-01") == (table.does("block"), table.source("block"))
    known(tables=(table,))
    assert (0, f"fake-host 1.0: {AGREES}\n", "") == windtunnel("host", "check")


@needs.namespaces
def test_of_several_hosts_those_that_could_be_run_are_written(windtunnel, unasked, tmp_path, monkeypatch):
    def broken(*_):
        raise MachineError("it has no licence")

    monkeypatch.setattr(hosts, "FOLDER", str(tmp_path))
    unasked(a=lambda *_: found_of("a", fake_host.agreeing("a")), b=broken)
    ran = windtunnel("host", "check", "--write")
    assert (4, ["not run: it has no licence", "a 1.0: 0 rules asked, all as the table says and as predicted", "wrote a-1.0.yaml"]) == (ran.code, ran.out.splitlines())  # fmt: skip
    assert (["a-1.0.yaml"], "") == ([path.name for path in tmp_path.glob("*.yaml")], ran.err)


@needs.namespaces
def test_a_table_can_be_written_in_a_checkout_only(windtunnel, unasked, tmp_path, monkeypatch):
    monkeypatch.setattr(hosts, "FOLDER", str(tmp_path / "read-only"))
    unasked(a=lambda *_: found_of("a", fake_host.agreeing("a")))
    ran = windtunnel("host", "check", "--write")
    assert 2 == ran.code
    place = tmp_path / "read-only"
    assert (
        f"windtunnel: cannot write to {place}: No such file or directory; --write is for a checkout [WT-U10]\n"
        == ran.err
    )
    assert "" == ran.out


@needs.namespaces
def test_a_defect_of_ours_at_one_host_is_told_as_one(windtunnel, unasked):
    def broken(*_):
        raise HarnessFault("the scripted model ended: it said nothing")

    unasked(a=broken, b=lambda *_: found_of("b"))
    ran = windtunnel("host", "check")
    assert (3, "windtunnel: the scripted model ended: it said nothing [WT-H04]\n") == (ran.code, ran.err)


@pytest.mark.parametrize("late", ["not begun", "begun"])
def test_ctrl_c_ends_the_host_that_is_asked_and_no_other_goes_on(windtunnel, unasked, monkeypatch, late):
    """One thread is interrupted; the other one's host is made, or asked, while rigs are ended."""
    asked, aborted, begun = [], threading.Event(), threading.Event()

    @contextmanager
    def rig_for(host):
        if host.kind.name == "b" and late == "not begun":
            begun.set()
            assert aborted.wait(60)
        yield type("Rig", (), {"host": host, "abort": staticmethod(aborted.set)})

    def interrupted(*_):
        asked.append("a")
        assert begun.wait(60)
        raise KeyboardInterrupt

    def goes_on(room, facts, on, watch):
        asked.append("b")
        begun.set()
        assert aborted.wait(60)
        watch(Question("block", "", "", "", "", ""))
        asked.append("b again")

    monkeypatch.setattr(host_commands, "rig_for", rig_for)
    unasked(a=interrupted, b=goes_on)
    assert (130, "", "windtunnel: interrupted\n") == windtunnel("host", "check", "--jobs", "2")
    assert (["a"] if late == "not begun" else ["b", "a"]) == sorted(asked, reverse=True)


@needs.namespaces
@pytest.mark.parametrize("words", [("check",), ("check", "--write", "--report", "{}/out")], ids=["bare", "written"])
def test_ctrl_c_during_a_check_ends_everything_and_leaves_nothing(tmp_path, words):
    ended = fake_host.interrupted_while_it_hangs(tmp_path, "host", *(word.format(tmp_path) for word in words))
    assert (130, "windtunnel: interrupted\n", []) == (ended.code, ended.out, ended.left)
    assert ended.took_s < host_commands.SESSION_LIMIT_S / 2


def test_as_json_hosts_are_listed_with_the_state_of_each(windtunnel, tmp_path, monkeypatch):
    here, gone = (fake_host.FakeHost(name=name) for name in ("here", "gone"))
    paper = hosts.Host("paper-host", "2.0", hosts.Documented(timeout_s=60.0))
    fake_host.make_known(monkeypatch, tmp_path, here, gone, known=(paper,))
    fake_host.install_as_npm_does(tmp_path, here)
    ran = windtunnel("host", "list", "--json")
    assert (0, "") == (ran.code, ran.err)
    rows = json.loads(ran.out)
    assert windtunnel("host", "list").out.splitlines() == [
        f"{row['host']} {row['version']}: {row['says']}" for row in rows
    ]
    assert [("here", "installed"), ("gone", "not_run"), ("paper-host", "documented")] == [
        (row["host"], row["state"]) for row in rows
    ]


def test_as_json_an_installation_says_where_each_host_is(windtunnel, known, tmp_path, monkeypatch):
    known()
    fake_host.put_npm(monkeypatch, tmp_path, "exit 1")
    ran = windtunnel("host", "install", "--json")
    assert (0, "") == (ran.code, ran.err)
    assert [{"host": "fake-host", "version": "1.0", "folder": f"{tmp_path}/hosts/fake-host"}] == json.loads(ran.out)


@needs.namespaces
def test_as_json_a_check_says_what_its_report_holds_and_who_was_not_run(windtunnel, known, tmp_path):
    known(tables=(fake_host.agreeing(block="ends"),), others=(fake_host.FakeHost(name="third-host"),))
    ran = windtunnel("host", "check", "--report", tmp_path / "out", "--json")
    told = json.loads(ran.out)
    assert (4, "", 4, []) == (ran.code, ran.err, told["exit_code"], told["written"])
    differences = [each.pop("differences") for each in told["hosts"]]
    assert json.loads((tmp_path / "out" / "hosts.json").read_text()) == told["hosts"]
    assert [["block", "cap"]] == [[sentence.partition(":")[0] for sentence in each] for each in differences]
    (sentence,) = told["not_run"]
    assert sentence.startswith("the host third-host is not installed in ")


def test_as_json_where_no_host_is_installed_each_says_why(windtunnel, known):
    known(installed="")
    ran = windtunnel("host", "check", "--json")
    told = json.loads(ran.out)
    assert (4, 4, []) == (ran.code, told["exit_code"], told["hosts"])
    assert 1 == len(told["not_run"])
    assert "no host is installed" in ran.err


@needs.namespaces
def test_as_json_a_table_that_is_written_is_named(windtunnel, unasked, tmp_path, monkeypatch):
    monkeypatch.setattr(hosts, "FOLDER", str(tmp_path))
    unasked(a=lambda *_: found_of("a", fake_host.agreeing("a")))
    ran = windtunnel("host", "check", "--write", "--json")
    assert (0, ["a-1.0.yaml"]) == (ran.code, json.loads(ran.out)["written"])
