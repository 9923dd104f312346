"""TODO.md and state.json made to agree, and jq filters in their other form. Document 002, State Sync and jq Recovery."""

import errno
import json

import pytest
from errors_reference_world import Failing, World, codes, given

from harness.systems.error_log.reference.jq import LONGEST, Jq
from harness.systems.error_log.reference.sync import KeptStatuses, todo_statuses
from harness.systems.trace import Trace

TODO = b"# Tasks\n\n- [ ] 258: other [PLANNED]\n  * [x] 0259. the parser [IMPLEMENTING]\n- [ ] 260: no status\n- note\n"
STATE = b'{"v":1,"tasks":{"258":"planned","259":{"status":"completed","n":1e999},"261":5},"z":[1]}'
EARLIER, LATER = "2026-02-28T09:00:00Z", "2026-02-28T10:00:00Z"


@pytest.fixture
def world():
    made = World(files=Failing())
    made.put("todo", TODO)
    made.put("state", STATE.replace(b"1e999", b"7"))
    return made


def synced(world, todo_changed=EARLIER, state_changed=LATER):
    found = world.recover("a", given("status_sync_failure"), todo_changed=todo_changed, state_changed=state_changed)
    return found, next(step for step in found.steps if step.action == "sync")


@pytest.mark.parametrize(
    ("todo", "state", "taken"),
    [
        (EARLIER, LATER, "state"), (LATER, EARLIER, "todo"), (LATER, LATER, "state"), (None, LATER, "todo"),
        (LATER, None, "state"), (None, None, "state"), ("no time", EARLIER, "state"), (EARLIER, "no time", "todo"),
        ("2026-02-28T12:00:00+03:00", "2026-02-28T10:00:00+00:00", "state"), ("2026-02-28T10:00:01", LATER, "todo"),
    ],
)  # fmt: skip
def test_the_file_that_was_changed_last_is_taken(world, todo, state, taken):
    found, sync = synced(world, todo, state)
    assert ("recovered", True, taken) == (found.outcome, sync.ok, sync.detail)
    assert world.records()[0]["resolution"]["what"] == f"synced to {taken}"


def test_the_older_todo_gets_the_statuses_and_nothing_else_and_is_kept(world):
    synced(world)
    assert world.text("todo") == (
        b"# Tasks\n\n- [ ] 258: other [PLANNED]\n  * [x] 0259. the parser [COMPLETED]\n- [ ] 260: no status\n- note\n"
    )
    assert world.files.read(world.path("todo") + ".backup-1", 999) == TODO
    assert json.loads(world.text("state"))["v"] == 1


def test_the_older_state_gets_the_statuses_and_nothing_else_and_is_kept(world):
    synced(world, LATER, EARLIER)
    expected = {"v": 1, "tasks": {"258": "planned", "259": {"status": "implementing", "n": 7}, "261": 5}, "z": [1]}
    assert world.written("state") == expected
    assert world.text("todo") == TODO
    assert world.files.read(world.path("state") + ".backup-1", 999) == STATE.replace(b"1e999", b"7")


def test_files_that_agree_stay_as_they_are(world):
    synced(world)
    before = dict(world.files.contents)
    assert synced(world)[1].ok
    assert {path for path in world.files.contents if world.files.contents[path] != before.get(path)} == {
        world.path("errors")
    }


@pytest.mark.parametrize(
    ("todo", "state", "taken", "expected"),
    [
        (TODO, None, "todo", {"tasks": {"258": "planned", "259": "implementing"}}),
        (TODO, b"{", "todo", {"tasks": {"258": "planned", "259": "implementing"}}),
        (TODO, STATE, "todo", None), (TODO, b'{"tasks":3}', "todo", {"tasks": {"258": "planned", "259": "implementing"}}),
        (TODO, b"{}", "todo", {"tasks": {"258": "planned", "259": "implementing"}}),
    ],
)  # fmt: skip
def test_of_a_file_that_says_nothing_the_other_is_taken(world, todo, state, taken, expected):
    world.put("todo", todo)
    world.files.remove(world.path("state"))
    if state is not None:
        world.put("state", state)
    sync = synced(world)[1]
    assert (taken, expected is not None) == (sync.detail, sync.ok)
    if expected is not None:
        assert world.written("state") == expected


@pytest.mark.parametrize(
    ("todo", "lines"), [(None, b""), (b"no tasks", b"no tasks\n"), (b"- [ ] 7: x\n", b"- [ ] 7: x\n")]
)
def test_tasks_that_todo_lacks_are_added(world, todo, lines):
    world.files.remove(world.path("todo"))
    if todo is not None:
        world.put("todo", todo)
    assert synced(world)[1].detail == "state"
    assert world.text("todo") == lines + b"- [ ] 258: task 258 [PLANNED]\n- [x] 259: task 259 [COMPLETED]\n"


def test_a_task_whose_box_says_done_is_opened_again(world):
    world.put("todo", b"- [x] 259: parser [COMPLETED]\r\n- [ ] 258: x [1]")
    world.put("state", b'{"tasks":{"259":"implementing"}}')
    synced(world)
    assert world.text("todo") == b"- [ ] 259: parser [IMPLEMENTING]\r\n- [ ] 258: x [1]"


def test_without_any_status_there_is_nothing_to_sync(world):
    for label in ("todo", "state"):
        world.files.remove(world.path(label))
    found, sync = synced(world)
    assert ("failed", False, ["sync_failed"]) == (found.outcome, sync.ok, codes(found))
    assert world.records()[0]["resolution"]["what"] == "not synced"


@pytest.mark.parametrize("method", ["read", "replace", "create", "lock"])
def test_a_file_that_refuses_is_told(world, method):
    world.files.broken[method, "todo"] = OSError(errno.EACCES, "not yours")
    found, sync = synced(world)
    assert ("failed", False) == (found.outcome, sync.ok)
    assert set(codes(found)) == {"sync_failed"}
    assert found.returned["status"] == "partial"
    world.files.broken.clear()
    assert world.text("todo") == TODO


def test_a_hostile_line_costs_no_more_than_its_length():
    assert todo_statuses(b"- [ ] 1: " + b"[" * 100_000 + b" " * 100_000) == {}
    assert todo_statuses(b"- [ ] 1: a [B C-D]\n- [X] 2. [e_f] \n- [y] 3: x [G]\n") == {"1": "b_c_d", "2": "e_f"}


def test_who_read_nothing_syncs_nothing():
    assert not KeptStatuses("/a", "/b", Failing()).sync("todo", 0.0, Trace())


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ('select(.type != "X")', 'select(.type == "X" | not)'), ('select(.f!="X")', 'select(.f == "X" | not)'),
        ('select(.f \\!= "X")', 'select(.f == "X" | not)'), (".a != .b", "(.a == .b | not)"),
        ('.[] | select(.a != "x") | select(.b != "y")', '.[] | select(.a == "x" | not) | select(.b == "y" | not)'),
        ('select(.a != "X" and .b != "Y")', 'select((.a == "X" | not) and (.b == "Y" | not))'),
        ("if .a != 1 then 2 else 3 end", "if (.a == 1 | not) then 2 else 3 end"),
        ("select((.a|length) != 0)", "select((.a|length) == 0 | not)"), ("select( .a[0] != 1 )", "select( .a[0] == 1 | not )"),
        ("{a: .or != 1, b: 2}", "{a: (.or == 1 | not), b: 2}"), ('select(.a == "!=")', 'select(.a == "!=")'),
        ('select(.a == "X")', 'select(.a == "X")'), (".a != .b != .c", "(.a == ((.b | not) == .c | not)"), ("!=", " == "),
        ("jq '.a[] | select(.s != \"a != b\")' f.json", "jq '.a[] | select(.s == \"a != b\" | not)' f.json"),
        ('/usr/bin/jq "select(.t != \\"X\\")" f', '/usr/bin/jq "select(.t == \\"X\\" | not)" f'),
        ("jq '.a' \"f != g\"", "jq '.a' \"f != g\""), ("jq --arg x 'f != g' '.a'", "jq --arg x 'f != g' '.a'"), ("jq -r '.a' f != g \"x\"", "jq -r '.a' f != g \"x\""),
        ("jq '.a < /dev/null | .b' f", "jq '.a | .b' f"), ("echo x", "echo x"),
    ],
)  # fmt: skip
def test_filters_use_not_instead_of_unequal(command, expected):
    found = Jq().rewritten(command)
    if command not in ("!=", ".a != .b != .c"):  # these are no filters: anything but an error will do
        assert found == expected


def test_a_filter_that_no_system_could_run_stays_as_it_is():
    assert Jq().rewritten("a != b " * LONGEST) == "a != b " * LONGEST
    assert "!=" not in Jq().rewritten("a != b " * 10_000)
