"""Each damage to JSON lines is what its name says, and its lines can be told from the others."""

import json
from collections.abc import Iterable
from datetime import datetime
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.faults.catalogue import EVERY
from harness.faults.jsonl import COUNT_LIMIT, HUGE_INTEGER_DIGITS, KINDS, LONG_LINE_BYTES, damage

LINES = tuple(json.dumps({"role": "user", "content": f"message {n}"}).encode() for n in range(4))
FILE = b"".join(line + b"\n" for line in LINES)
CHANGING = ("torn_tail", "interleaved", "bom")  # these damage lines of the file; the others only add lines
ADDING = tuple(kind for kind in KINDS if kind not in CHANGING)

lines = st.lists(st.binary(max_size=12).map(lambda data: data.replace(b"\n", b"")), max_size=6)
cheap = st.sampled_from([kind for kind in KINDS if kind not in ("long_line", "deep_nesting")])


def damaged(kind: str, data: bytes = FILE, seed: int = 1, **params: object) -> bytes:
    return damage(data, kind, params, Random(seed))


def added(kind: str, **params: object) -> list[bytes]:
    """The lines that the damage put between those of FILE."""
    return [line for line in damaged(kind, **params).splitlines() if line not in LINES]


def is_within(few: Iterable[bytes], many: Iterable[bytes]) -> bool:
    """Do the few stand among the many, in their order?"""
    rest = iter(many)
    return all(line in rest for line in few)


def test_the_catalogue_names_every_kind():
    assert {f"jsonl.{kind}" for kind in KINDS} == {fault.name for fault in EVERY if fault.name.startswith("jsonl.")}


@given(lines, cheap, st.integers(), st.booleans())
def test_lines_that_are_not_damaged_survive_in_their_order(data, kind, seed, ended):
    """Brief: all but torn_tail and interleaved only add damaged lines, or damage lines they add."""
    before = b"\n".join(data) + (b"\n" if ended and data else b"")
    after = damaged(kind, before, seed).removeprefix(b"\xef\xbb\xbf" if kind == "bom" else b"").split(b"\n")
    kept = before.removesuffix(b"\n").split(b"\n") if before else []
    if kind == "torn_tail":
        assert kept[:-1] == after[: max(0, len(kept) - 1)]
    elif kind == "interleaved":
        assert sorted(b"".join(kept)) == sorted(b"".join(after))
    else:
        assert is_within(kept, after)


@given(lines, cheap, st.integers(), st.booleans())
def test_the_control_holds_the_undamaged_lines_and_only_those(data, kind, seed, ended):
    """CERTIFICATION.md, Fault-caused: the same transcript with the damaged lines deleted."""
    before = b"\n".join(data) + (b"\n" if ended and data else b"")
    control = damaged(kind, before, seed, deleted=True)
    kept = before.removesuffix(b"\n").split(b"\n") if before else []
    left = control.removesuffix(b"\n").split(b"\n") if control else []
    if kind == "torn_tail":
        assert left in (kept, kept[:-1])
    elif kind == "interleaved":
        assert left == kept or (len(left) == len(kept) - 2 and is_within(left, kept))
    elif kind == "grown":
        assert left == damaged(kind, before, seed).removesuffix(b"\n").split(b"\n")
    elif control:
        assert left == kept


@given(cheap, st.integers())
def test_the_same_seed_gives_the_same_damage(kind, seed):
    assert damaged(kind, seed=seed) == damaged(kind, seed=seed)


@pytest.mark.parametrize("kind", [kind for kind in ADDING if kind != "grown"])
def test_added_damage_is_deleted_to_the_very_file(kind):
    assert damaged(kind) != FILE
    assert damaged(kind, deleted=True) == FILE
    assert damaged(kind).splitlines()[-1] == LINES[-1]


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_damaged_file_ends_as_it_should(kind):
    assert damaged(kind).endswith(b"\n") is (kind != "torn_tail")


@pytest.mark.parametrize("seed", range(20))
def test_a_torn_tail_is_cut_in_the_last_line(seed):
    after = damaged("torn_tail", seed=seed)
    whole = FILE.removesuffix(b"\n")
    assert FILE.startswith(after)
    assert len(FILE) - len(LINES[-1]) - 1 < len(after) < len(whole) - 1
    assert damaged("torn_tail", seed=seed, deleted=True) == b"\n".join(LINES[:-1]) + b"\n"


@pytest.mark.parametrize("seed", range(5))
def test_interleaved_lines_hold_halves_of_two_neighbours(seed):
    after = damaged("interleaved", seed=seed).splitlines()
    changed = [n for n in range(4) if after[n] != LINES[n]]
    assert len(changed) == 2
    first, second = changed
    assert second == first + 1
    half = len(LINES[0]) // 2
    assert after[first] == LINES[first][:half] + LINES[second][:half]
    assert after[second] == LINES[first][half:] + LINES[second][half:]


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("torn_tail", b""),
        ("torn_tail", b"x\n"),
        ("torn_tail", b"a\n\n"),
        ("interleaved", b""),
        ("interleaved", b"one"),
        ("bom", b""),
        ("garbage_lines", b"no newline at its end"),
        ("blank_lines", b""),
    ],
)
def test_a_file_with_too_little_in_it_comes_back_as_it_is(kind, data):
    params = {"count": 0} if kind.endswith("_lines") else {}
    assert data == damaged(kind, data, **params)


def test_a_byte_order_mark_stands_before_everything():
    assert damaged("bom") == b"\xef\xbb\xbf" + FILE
    assert damaged("bom", deleted=True) == FILE


def unreadable(line: bytes) -> bool:
    try:
        json.loads(line.decode(), parse_constant=lambda _: 1 / 0)
    except (ValueError, RecursionError, ZeroDivisionError):
        return True
    return False


@pytest.mark.parametrize(
    ("kind", "count"),
    [("garbage_lines", 3), ("bad_utf8", 1), ("nan", 2), ("nul_bytes", 2), ("huge_integer", 1), ("deep_nesting", 1)],
)
def test_these_lines_no_reader_of_json_takes(kind, count):
    assert len(added(kind)) == count
    assert all(map(unreadable, added(kind)))


def test_the_number_of_garbage_lines_is_as_asked_and_blank_ones_are_blank():
    assert len(added("garbage_lines", count=11)) == 11
    assert [line.strip() for line in added("blank_lines", count=7)] == [b""] * 7
    assert len(added("blank_lines")) == 12


def test_lines_that_are_json_and_no_message():
    assert {type(json.loads(line)) for line in added("non_object_lines")} == {int, list, str, type(None), bool}
    assert [json.loads(line).get("role") in ("user", "assistant", "system") for line in added("wrong_roles")] == [
        False
    ] * 4
    (doubled,) = added("duplicate_keys")
    assert json.loads(doubled, object_pairs_hook=lambda pairs: [key for key, _ in pairs]) == [
        "role",
        "role",
        "content",
        "content",
    ]


def test_quantities_are_as_large_as_they_say():
    assert sum(byte in b"9" for byte in added("huge_integer")[0]) == HUGE_INTEGER_DIGITS
    (line,) = added("long_line")
    assert len(json.loads(line)["content"]) == LONG_LINE_BYTES


@pytest.mark.parametrize("kind", ["leap_second", "invalid_timestamps"])
def test_times_that_a_reader_of_times_refuses(kind):
    stamps = [json.loads(line)["timestamp"] for line in added(kind)]
    assert (":59:60" in "".join(map(str, stamps))) is (kind == "leap_second")
    for stamp in stamps:
        with pytest.raises((ValueError, TypeError)):
            datetime.fromisoformat(stamp)


def test_a_grown_session_used_a_tool_and_is_not_damaged():
    after = damaged("grown")
    assert after.startswith(FILE)
    use, result = (json.loads(line)["message"]["content"][-1] for line in after.splitlines()[4:])
    assert (use["type"], result["type"], use["id"]) == ("tool_use", "tool_result", result["tool_use_id"])
    assert damaged("grown", deleted=True) == after
    assert damaged("grown", b"").count(b"\n") == 2


@pytest.mark.parametrize("kind", ["garbage_lines", "blank_lines"])
@pytest.mark.parametrize("count", ["three", 1.5, True, None, -1, COUNT_LIMIT + 1])
def test_a_count_that_is_none_is_refused(kind, count):
    with pytest.raises(ValueError, match="count has to be"):
        damaged(kind, count=count)
