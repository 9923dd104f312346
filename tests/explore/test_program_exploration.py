"""Every error, crash and order of small real programs. Source: issue 4, items 2 to 4 and 7."""

import os
import sys
import time

import needs
import pytest
from explored import ATOMIC, COUNTED, TRUNCATING, explored, folder_with, made

from harness.errors import UntestableError
from harness.explore.program import rebuilding
from harness.explore.program.crew import Crew
from harness.explore.program.exploration import Bounds, Exploration
from harness.explore.program.place import Place
from harness.explore.program.result import Played
from harness.explore.program.telling import lines

CRASHES = ("crash", "power")


def standing(folder):
    return {
        str(path): (path.lstat().st_mtime_ns, path.lstat().st_mode, path.is_file() and path.read_bytes())
        for path in sorted(folder.rglob("*"))
    }


def test_a_state_that_is_cut_in_place_is_lost_in_every_way(tmp_path):
    found = explored(folder_with(tmp_path, TRUNCATING))
    assert 1 == found.finished.exit_code
    assert ("truncate n to 0 bytes", "write 8 bytes at 0 of n") == found.observed.changes
    assert {"errno", "kill", "crash", "power"} == found.smallest.keys()
    assert "killed after truncate n to 0 bytes" == found.smallest["crash"].label
    assert "write(n) writes its first half, then fails with ENOSPC" == found.smallest["errno"].label
    assert {"The count is lost."} == {failing.said for failing in found.finished.smallest}
    assert {True} == {failing.steady for failing in found.finished.smallest}


def test_every_byte_of_a_write_is_a_crash_state(tmp_path):
    layer = explored(folder_with(tmp_path, TRUNCATING), only=["crash"]).layers["crash"]
    # before the first change, after the cut, after each of 8 bytes
    assert (10, 10, 10, "") == (layer.enumerated, layer.run, layer.distinct, layer.cut)
    assert 7 == layer.failing  # `cat` in $( ) forgives the missing newline


def test_an_atomic_replacement_is_sound_and_everything_was_run(tmp_path):
    found = explored(folder_with(tmp_path, ATOMIC), only=["errno", "kill", "crash", "power"], jobs=2)
    assert (0, (), ()) == (found.finished.exit_code, found.finished.smallest, found.finished.not_covered)
    assert all(layer.run == layer.enumerated > 0 and not layer.cut for layer in found.finished.layers)
    assert found.observed.steady


def test_without_a_sync_only_power_loss_finds_it(tmp_path):
    script = ATOMIC.replace("sync state/n.tmp; ", "")
    found = explored(folder_with(tmp_path, script), only=["kill", *CRASHES])
    assert {"power"} == found.smallest.keys()
    assert "lost: write 8 bytes at 0 of n.tmp" in found.smallest["power"].label


def test_what_was_reported_as_done_is_told_to_the_check(tmp_path):
    check = (
        'check) [ "$WINDTUNNEL_OP_EXIT" != 0 ] || grep -qx "count 8" state/n || { echo "Done, and gone."; exit 1; } ;;'
    )
    script = ATOMIC.replace("; sync state ;;", " ;;").replace(COUNTED, check)
    found = explored(folder_with(tmp_path, script).joinpath(), only=["errno", "power"])
    assert {"power"} == found.smallest.keys()
    assert "Done, and gone." == found.smallest["power"].said


def test_the_real_directory_is_never_changed(tmp_path):
    folder_with(tmp_path, TRUNCATING)
    before = standing(tmp_path)
    explored(tmp_path)
    assert before == standing(tmp_path)


def test_an_append_is_torn_at_its_end(tmp_path):
    script = "case $1 in op) echo two >> state/log ;; check) grep -q one state/log ;; esac"
    found = explored(folder_with(tmp_path, script, log="one\n"), only=CRASHES)
    assert ("write 4 bytes at 4 of log",) == found.observed.changes
    assert 0 == found.finished.exit_code


def test_names_that_differ_each_time_are_met_again(tmp_path):
    script = f"""case $1 in
op) set -e; t=$(mktemp -p state); printf 'count 8\\n' > $t; mv $t state/n ;;
{COUNTED}
esac"""
    found = explored(folder_with(tmp_path, script), only=["errno", "kill"])
    assert 0 == sum(layer.not_met for layer in found.finished.layers)
    assert "write(tmp.*)" in found.observed.calls
    assert not found.observed.steady


def test_a_recovery_that_is_killed_in_turn(tmp_path):
    script = f"""case $1 in
op) printf 'count 8\\n' > state/n.new; mv state/n.new state/n ;;
recover)
  if [ -e state/n.new ]; then
    v=$(cat state/n.new); rm state/n.new
    if [ "$v" = "count 8" ]; then echo "$v" > state/n; fi
  fi ;;
{COUNTED}
esac"""
    found = explored(folder_with(tmp_path, script), recover="sh app.sh recover", only=["crash", "crash twice"])
    assert {"crash twice"} == found.smallest.keys()
    label = found.smallest["crash twice"].label
    assert label.startswith("killed after byte 7 of write 1 to n.new; then, in recovery, killed after truncate n")


def test_crashes_of_recovery_beyond_the_limit_are_cut(tmp_path):
    script = f"""case $1 in
op) printf 'count 8\\n' > state/n ;;
recover) grep -qx 'count [78]' state/n || printf 'count 7\\n' > state/n ;;
{COUNTED}
esac"""
    folder = folder_with(tmp_path, script)
    found = explored(folder, recover="sh app.sh recover", only=["crash", "crash twice"], limit=20)
    layer = found.layers["crash twice"]
    assert 0 == found.finished.exit_code
    assert (20, f"20 of {layer.enumerated} states, chosen by seed 0") == (layer.run, layer.cut)


def test_a_recovery_whose_changes_are_not_known_is_told(tmp_path):
    mapped = "import mmap\nwith open('state/n', 'r+b') as f, mmap.mmap(f.fileno(), 0) as m: m[0:1] = b'C'\n"
    (tmp_path / "mend.py").write_text(mapped)
    script = "case $1 in op) echo x > state/m ;; check) [ -s state/n ] ;; esac"
    folder_with(tmp_path, script)
    found = explored(tmp_path, recover=f"{sys.executable} mend.py", only=["crash", "crash twice"])
    assert found.finished.not_covered[0].startswith("crashes of recovery: n changed in ways")
    assert 0 == found.layers["crash twice"].enumerated


def test_an_op_that_fails_only_while_it_is_watched_cannot_be_explored(tmp_path):
    script = """case $1 in op) grep -q '^Seccomp:.*0' /proc/self/status ;; esac"""
    with pytest.raises(UntestableError, match="--op fails while its file calls are watched: exit code 1"):
        explored(folder_with(tmp_path, script))


@needs.namespaces  # process ids are small there, and rise
def test_calls_that_differ_from_run_to_run_are_told(tmp_path):
    script = """case $1 in op) i=0; while [ $i -lt $$ ]; do : > state/m$i; i=$((i + 1)); done ;; esac"""
    found = explored(folder_with(tmp_path, script), only=["kill"], limit=1)
    assert "two calm runs made different file calls" in found.finished.not_covered[0]


def test_an_op_that_does_not_end_is_a_failing_case(tmp_path):
    script = "case $1 in op) cat state/n > /dev/null || sleep 60 ;; esac"
    found = explored(folder_with(tmp_path, script), only=["errno"], limit=1, timeout_s=2)
    assert ("op", "did not end within 2 s") == (found.smallest["errno"].by, found.smallest["errno"].said)


@pytest.mark.parametrize("hanging", ["recover", "check"])
def test_a_recovery_or_check_that_does_not_end_is_a_failing_case(tmp_path, hanging):
    script = f"""case $1 in op) echo "count 8" > state/n ;; {hanging}) [ -s state/n ] || sleep 60 ;; esac"""
    folder_with(tmp_path, script)
    found = explored(tmp_path, recover="sh app.sh recover", only=["crash"], timeout_s=2)
    failing = found.smallest["crash"]
    assert (hanging, "did not end within 2 s") == (failing.by, failing.said)


def test_links_in_the_directory_are_followed(tmp_path):
    script = "case $1 in op) echo x > state/now/n; echo y > state/m ;; check) ;; esac"
    folder_with(tmp_path, script, n="1\n")
    (tmp_path / "state" / "v1").mkdir()
    (tmp_path / "state" / "now").symlink_to("v1")
    (tmp_path / "state" / "m").symlink_to("n")
    found = explored(tmp_path, only=CRASHES)
    assert ("create v1/n", "write 2 bytes at 0 of v1/n", "truncate n to 0 bytes", "write 2 bytes at 0 of n") == (
        found.observed.changes
    )
    assert "" == found.observed.whole


def test_directories_that_were_there_can_be_moved_and_removed(tmp_path):
    script = """case $1 in
op) mv state/a state/b; ln -s b state/now; rm -r state/old; mkdir state/new; ln state/b/f state/new/g ;;
check) cat state/a/f state/b/f 2>/dev/null | grep -q one ;;
esac"""
    folder_with(tmp_path, script)
    for name in ("a", "old"):
        (tmp_path / "state" / name).mkdir()
        (tmp_path / "state" / name / "f").write_text("one\n")
    (tmp_path / "state" / "a" / "link").symlink_to("f")
    found = explored(tmp_path, only=CRASHES)
    assert ("", 0) == (found.observed.whole, found.finished.exit_code)
    assert ("rename a to b", "make the symbolic link now to b", "unlink old/f", "remove directory old") == (
        found.observed.changes[:4]
    )


def test_what_is_written_through_a_mapping_is_not_passed_over(tmp_path):
    (tmp_path / "app.py").write_text(
        "import mmap\nwith open('state/n', 'r+b') as f, mmap.mmap(f.fileno(), 0) as m: m[6:7] = b'8'\n"
    )
    folder_with(tmp_path, f"case $1 in {COUNTED} esac")
    found = explored(tmp_path, op=f"{sys.executable} app.py", only=CRASHES)
    assert 5 == found.finished.exit_code
    assert ["op's changes are not known, see below"] * 2 == [layer.not_asked for layer in found.finished.layers]
    assert "n changed in ways that its file calls do not tell (n is mapped" in found.finished.not_covered[0]


def test_a_mapping_whose_file_is_gone_in_the_end_is_told_all_the_same(tmp_path):
    (tmp_path / "app.py").write_text(
        "import mmap, os\nwith open('state/m', 'w+b') as f:\n    f.truncate(8)\n"
        "    with mmap.mmap(f.fileno(), 0) as m: m[0:1] = b'8'\nos.unlink('state/m')\n"
    )
    folder_with(tmp_path, f"case $1 in {COUNTED} esac")
    found = explored(tmp_path, op=f"{sys.executable} app.py", only=["crash"])
    assert (0, "") == (found.finished.exit_code, found.observed.whole)
    assert ("crash states in between: m is mapped, and writes through a mapping are not seen",) == (
        found.finished.not_covered
    )


def test_permissions_of_files_that_were_made_are_kept_in_every_state(tmp_path):
    script = """case $1 in
op) printf 'exit 0\\n' > state/t; chmod 750 state/t; mv state/t state/run ;;
check) [ ! -e state/run ] || [ -x state/run ] ;;
esac"""
    found = explored(folder_with(tmp_path, script), only=["crash"])
    assert 0 == found.finished.exit_code


def test_a_long_write_is_torn_at_its_sectors_and_edges_and_that_is_told(tmp_path):
    script = "case $1 in op) head -c 300000 /dev/zero > state/n ;; esac"
    found = explored(folder_with(tmp_path, script), only=["crash"], limit=5)
    assert "5 of " in found.layers["crash"].cut
    assert "was torn at" in found.layers["crash"].cut


def test_many_long_writes_are_told_briefly(tmp_path):
    script = "case $1 in op) for i in 1 2 3 4; do head -c 70000 /dev/zero > state/$i; done ;; esac"
    found = explored(folder_with(tmp_path, script), only=["crash"], limit=3)
    assert "more of the kind" in found.layers["crash"].cut


def test_directories_too_large_to_be_made_anew_are_told(tmp_path, monkeypatch):
    monkeypatch.setattr(rebuilding, "FILES", 1)
    folder_with(tmp_path, ATOMIC)
    (tmp_path / "state" / "d").mkdir()
    for name in "ab":
        (tmp_path / "state" / "d" / name).write_text("")
    found = explored(tmp_path, only=["crash"])
    assert found.finished.not_covered[0].startswith("a directory below --dir that was there cannot be renamed here")


def test_more_cases_than_the_limit_are_cut_and_the_same_seed_chooses_the_same(tmp_path):
    folder_with(tmp_path, TRUNCATING)
    first, second = (explored(tmp_path, limit=4, only=["errno", "crash"]) for _ in range(2))
    layer = first.layers["crash"]
    assert (10, 4, "4 of 10 states, chosen by seed 0") == (layer.enumerated, layer.run, layer.cut)
    played = [[event.case for event in found.events if isinstance(event, Played)] for found in (first, second)]
    assert played[0] == played[1]
    assert "C2" in played[0]  # what lies between two changes is never cut before what lies inside one


def test_a_budget_that_is_used_up_is_told(tmp_path):
    found = explored(folder_with(tmp_path, ATOMIC), deadline=time.monotonic())
    assert 5 == found.finished.exit_code
    assert "the budget was used up" == found.layers["errno"].cut


def test_a_directory_apart_from_the_program(tmp_path, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "n").write_text("count 7\n")
    script = TRUNCATING.replace("state/", '"$2"/')
    found = explored(
        folder_with(tmp_path, script),
        op=f"sh app.sh op {elsewhere}",
        check=f"sh app.sh check {elsewhere}",
        directory=elsewhere,
        only=["crash"],
    )
    assert {"crash"} == found.smallest.keys()


def test_where_the_machine_refuses_namespaces_the_same_is_found(tmp_path):
    found = explored(folder_with(tmp_path, TRUNCATING), fallback=True, only=["errno", "kill", "crash"])
    assert {"errno", "kill", "crash"} == found.smallest.keys()
    assert "count 7\n" == (tmp_path / "state" / "n").read_text()


def test_two_at_once_in_every_order(tmp_path):
    script = """case $1 in
op) [ -e state/lock ] || { : > state/lock; : > state/$2; } ;;
check) if [ -e state/a ] && [ -e state/b ]; then echo "Both have it."; exit 1; fi ;;
esac"""
    folder_with(tmp_path, script)
    found = explored(tmp_path, op="sh app.sh op a", rival="sh app.sh op b", only=["schedule"])
    layer, failing = found.layers["schedule"], found.smallest["schedule"]
    assert ("", "Both have it.") == (layer.cut, failing.said)
    assert 0 < layer.failing < layer.run
    assert {"op", "with"} == {step.partition(":")[0] for step in failing.order}


def test_an_exclusive_creation_is_safe_in_every_order(tmp_path):
    script = """case $1 in
op) set -C; if { : > state/lock; } 2>/dev/null; then : > state/$2; fi ;;
check) if [ -e state/a ] && [ -e state/b ]; then exit 1; fi ;;
esac"""
    folder_with(tmp_path, script)
    found = explored(tmp_path, op="sh app.sh op a", rival="sh app.sh op b", only=["schedule"])
    assert (0, "") == (found.finished.exit_code, found.layers["schedule"].cut)


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        ("[ $1 = check ]", "--op fails without any fault: exit code 1"),
        ("[ $1 != check ] || { echo no; exit 1; }", "the check fails before --op has run.* check said: no"),
        ("[ $1 != check ] || [ ! -e state/x ]; e=$?; [ $1 = check ] || : > state/x; exit $e", "--check fails without"),
        ("[ $1 = check ] || kill -9 $$", "--op fails without any fault: ended by signal 9"),
    ],
)
def test_a_command_that_fails_without_any_fault_cannot_be_explored(tmp_path, script, sentence):
    with pytest.raises(UntestableError, match=sentence):
        explored(folder_with(tmp_path, script))


def test_a_machine_that_refuses_the_supervisor_leaves_nothing_to_explore(tmp_path, monkeypatch):
    monkeypatch.setattr(Place, "refused", "this machine refuses it")
    found = explored(folder_with(tmp_path, ATOMIC))
    assert (5, ("everything: this machine refuses it",)) == (found.finished.exit_code, found.finished.not_covered)


def test_an_interruption_keeps_what_was_found(tmp_path):
    found = made(folder_with(tmp_path, TRUNCATING))
    with Crew(found, 2, 20, None) as crew:
        exploration = Exploration(found, crew, Bounds(0, 1000, frozenset({"errno", "crash"})), 2)
        events = []
        for event in exploration.run():
            events.append(event)
            if isinstance(event, Played):
                crew.interrupt()
    assert (130, True) == (events[-1].exit_code, events[-1].interrupted)
    assert any(layer.cut.startswith("interrupted") for layer in events[-1].layers)
    assert exploration.failing


def test_every_sandbox_is_closed_even_when_one_cannot_be_built(tmp_path, monkeypatch):
    closed = []
    close = Place.close
    monkeypatch.setattr(Place, "close", lambda self: (closed.append(self), close(self)))
    folder_with(tmp_path, "sleep 0")
    with Crew(made(tmp_path), 2, 20, None):
        pass
    assert 2 == len(closed)
    assert os.path.isdir(tmp_path / "state")


def test_a_check_that_refuses_a_file_that_is_empty_or_of_zeros_is_taken_at_its_word(tmp_path):
    assert "" == explored(folder_with(tmp_path, ATOMIC), only=["kill"]).finished.check_accepts


def test_a_check_that_passes_with_all_that_was_written_gone_is_named_beside_the_verdict(tmp_path):
    folder = folder_with(tmp_path, ATOMIC)
    found = explored(folder, only=["kill"], check="true")
    assert (0, "n emptied or full of zeros") == (found.finished.exit_code, found.finished.check_accepts)
    *_, last = lines(found.finished, "state")
    assert last == "no failing state found; the check also passes with n emptied or full of zeros: does it look?"


def test_of_many_files_that_a_check_does_not_look_at_some_are_named(tmp_path):
    folder = folder_with(tmp_path, "for each in a b c d e; do echo $each > state/$each; done")
    found = explored(folder, op="sh app.sh", only=["power"], limit=5, check="true")
    assert "a, b, c and 2 more emptied or full of zeros" == found.finished.check_accepts


def test_what_fails_shows_that_the_check_looks(tmp_path):
    assert "" == explored(folder_with(tmp_path, TRUNCATING), only=["crash"]).finished.check_accepts
