"""A call of an operation is found again by its name, its paths and its number; and is struck there, once."""

import pytest
from supervised import PYTHON, data, ended, said, struck

from harness.faults.syscalls import Call, Fail, Go, Kill, Kind, Recorder, Site, Sites, Strike, Torn

SCRIPT = "import os\nfor name in ('a', 'b', 'a'):\n    with open(name, 'a') as f: f.write(name)\nos.rename('a', 'c')"


def call(name, *paths, kind=Kind.WRITE, length=10):
    return Call(run=0, process=0, name=name, kind=kind, paths=paths, length=length)


def test_calls_alike_are_numbered_in_their_order():
    sites = Sites()
    seen = [sites.of(call("write", path)) for path in ("/a", "/b", "/a")] + [sites.of(call("fsync", "/a"))]
    expected = [Site("write", ("/a",)), Site("write", ("/b",)), Site("write", ("/a",), 2), Site("fsync", ("/a",))]
    assert expected == seen


def test_a_site_is_said_in_words():
    assert "rename(a, b)" == Site("rename", ("a", "b")).text()
    assert "write({home}/s), time 3" == Site("write", ("{home}/s",), 3).text()


def test_paths_are_known_as_they_are_to_be_written():
    assert Site("write", ("S",)) == Sites(str.upper).of(call("write", "s"))


def test_an_operation_is_learned_call_by_call(both):
    home = both.roots.home
    recorder = Recorder(lambda path: path.removeprefix(home + "/"))
    assert (0, "") == said(ended(both, recorder, *PYTHON, SCRIPT))
    writes = [site for site, each in recorder.calls if each.kind in (Kind.WRITE, Kind.RENAME)]
    assert ["write(a)", "write(b)", "write(a), time 2", "rename(a, c)"] == [site.text() for site in writes]
    assert {"EIO", "ENOSPC", "EDQUOT", "EINTR"} == {name for site, name in recorder.errnos() if site == writes[0]}


def test_every_call_of_an_operation_can_be_met_again_in_another_run(room):
    home = room.roots.home
    recorder = Recorder(lambda path: path.removeprefix(home))
    ended(room, recorder, *PYTHON, SCRIPT)
    for site, _ in recorder.calls:
        room.fresh()
        strike = Strike(site, Kill(), lambda path: path.removeprefix(home))
        end, proofs = struck(room, strike, *PYTHON, SCRIPT)
        assert (9, ["SIGKILL"], site.call) == (end.signal, proofs, strike.met.name)


def test_only_the_call_at_the_site_is_struck():
    strike = Strike(Site("write", ("/a",), 2), Fail("EIO"))
    answers = [strike(call("write", path)) for path in ("/a", "/b", "/a", "/a")]
    assert [Go(), Go(), Fail("EIO"), Go()] == answers
    assert call("write", "/a") == strike.met


@pytest.mark.parametrize("name", ["ENOSPC", "EDQUOT"])
def test_on_a_full_disk_half_of_the_write_fits_and_then_nothing_more(name):
    strike = Strike(Site("write", ("/a",), 2), Fail(name))
    answers = [strike(call("write", path)) for path in ("/a", "/a", "/a", "/b")]
    assert [Go(), Torn(5, kill=False), Fail(name), Go()] == answers
    assert Fail(name) == strike(call("pwritev", "/a"))
    assert Go() == strike(call("read", "/a", kind=Kind.READ))


def test_of_a_write_of_one_byte_nothing_fits():
    assert Fail("ENOSPC") == Strike(Site("write", ("/a",)), Fail("ENOSPC"))(call("write", "/a", length=1))


def test_a_directory_that_is_full_takes_no_name_and_nothing_is_cut_short():
    strike = Strike(Site("mkdir", ("/a",)), Fail("ENOSPC"))
    assert [Fail("ENOSPC"), Go()] == [strike(call("mkdir", "/a", kind=Kind.MKDIR)), strike(call("write", "/a"))]


def test_a_program_that_writes_on_meets_the_full_disk_again(room):
    home = room.roots.home
    strike = Strike(Site("write", ("/a",)), Fail("ENOSPC"), lambda path: path.removeprefix(home))
    script = "import os\nfd = os.open('a', os.O_CREAT | os.O_WRONLY)\nfor n in range(3):\n    try: print(os.write(fd, b'0123456789'))\n    except OSError as e: print(e.errno)"
    end, proofs = struck(room, strike, *PYTHON, script)
    assert ((0, "5\n28\n28\n"), ["5 bytes", "ENOSPC", "ENOSPC"], b"01234") == (
        said(end),
        proofs,
        data(room, "{home}/a"),
    )
