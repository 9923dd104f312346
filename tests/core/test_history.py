"""A stored history is the run: nothing is lost in a file, and each invoke finds its own end."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from values import CLOCK, entries

from harness.core.history import (
    Change,
    Completed,
    Entry,
    EntryType,
    FileFact,
    History,
    InputFact,
    condensed,
    decode_lines,
    encode_lines,
    restored,
)


def entry(n: int, process: int, kind: str, op: str = "check") -> Entry:
    return Entry(n, process, EntryType(kind), op, {}, CLOCK)


@given(st.lists(entries, max_size=4).map(tuple))
def test_a_stored_history_is_read_back_as_it_was(written):
    data = encode_lines(written)
    assert History(written) == decode_lines(data)
    assert len(written) == data.count(b"\n")


def test_equal_histories_are_equal_bytes_whatever_the_order_of_keys():
    one = Entry(0, 0, EntryType.INVOKE, "check", {"b": 1, "a": 2}, CLOCK)
    other = Entry(0, 0, EntryType.INVOKE, "check", {"a": 2, "b": 1}, CLOCK)
    assert encode_lines([one]) == encode_lines([other])


def test_blank_lines_of_a_stored_history_mean_nothing():
    data = encode_lines([entry(0, 0, "invoke")])
    assert decode_lines(data) == decode_lines(b"\n" + data + b"  \n\n")


def test_a_files_bytes_survive_as_base64():
    first = Entry(0, 0, EntryType.INVOKE, "check", {}, CLOCK, inputs={"transcript": InputFact("file", 2, b"\xff\x00")})
    assert b'"/wA="' in encode_lines([first])


@pytest.mark.parametrize("line", [b"{", b"[]", b"5", b'{"n": 0}', b'{"n": 0, "what": 1}'])
def test_a_line_that_is_no_entry_is_refused(line):
    with pytest.raises(msgspec.DecodeError):
        decode_lines(line)


def test_an_invoke_is_paired_with_the_next_end_of_its_own_process():
    invoke_1, invoke_2 = entry(0, 1, "invoke"), entry(1, 2, "invoke")
    end_2, end_1 = entry(2, 2, "fail"), entry(3, 1, "ok")
    expected = (Completed(invoke_1, end_1), Completed(invoke_2, end_2))
    assert expected == History((invoke_1, invoke_2, end_2, end_1)).operations()


def test_an_end_that_never_came_is_none():
    lost, other = entry(0, 1, "invoke"), entry(1, 2, "invoke")
    assert (Completed(lost, None), Completed(other, None)) == History((lost, other)).operations()


def test_an_invoke_of_the_same_process_leaves_the_one_before_without_an_end():
    lost, second, end = entry(0, 1, "invoke"), entry(1, 1, "invoke"), entry(2, 1, "info")
    assert (Completed(lost, None), Completed(second, end)) == History((lost, second, end)).operations()


def test_an_end_without_an_invoke_begins_nothing():
    assert () == History((entry(0, 1, "ok"),)).operations()
    invoke, end = entry(0, 1, "invoke"), entry(1, 1, "ok")
    assert (Completed(invoke, end),) == History((invoke, end, entry(2, 1, "ok"))).operations()


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from(("invoke", "ok", "fail", "info"))), max_size=30))
def test_every_invoke_shows_once_in_order_and_no_end_is_used_twice(drawn):
    history = History(tuple(entry(n, process, kind) for n, (process, kind) in enumerate(drawn)))
    done = history.operations()
    assert [e for e in history.entries if e.type is EntryType.INVOKE] == [each.begin for each in done]
    ends = [each.end.n for each in done if each.end is not None]
    assert len(ends) == len(set(ends))
    for each in done:
        if each.end is not None:
            assert each.begin.n < each.end.n
            assert each.begin.process == each.end.process
            between = history.entries[each.begin.n + 1 : each.end.n]
            assert not any(e.process == each.begin.process for e in between)


facts = st.builds(FileFact, kind=st.sampled_from(("file", "directory")), size=st.integers(0, 3))
found = st.builds(InputFact, kind=st.just("file"), size=st.integers(0, 3), data=st.none() | st.just(b"x"))
paths = st.sampled_from(("{home}/a", "{home}/b", "{tmp}/c"))
kinds = st.sampled_from(list(EntryType))


@st.composite
def histories(draw):
    entries = []
    for number, kind in enumerate(draw(st.lists(kinds, max_size=8))):
        inputs = draw(st.dictionaries(st.sampled_from(("config", "transcript")), found))
        entries.append(
            Entry(
                number,
                0,
                kind,
                "stop",
                {"number": number},
                "2026-03-01T12:00:00Z",
                files=draw(st.dictionaries(paths, facts)),
                inputs=inputs if kind is EntryType.INVOKE else {},
            )
        )
    return tuple(entries)


@given(histories())
def test_a_condensed_history_gives_the_same_entries_back(entries):
    changes = condensed(entries)
    stored = msgspec.json.decode(msgspec.json.encode(changes), type=tuple[Change, ...])
    assert entries == restored(stored)


def test_a_snapshot_that_stays_as_it_was_is_not_stored_again():
    files = {"{home}/a": FileFact("file", 1)}
    entries = [
        Entry(n, 0, kind, "stop", {}, "", files=files) for n, kind in enumerate((EntryType.INVOKE, EntryType.OK))
    ]
    assert [files, {}] == [change.files for change in condensed(entries)]


def test_what_is_gone_is_stored_as_null():
    before, after = (Entry(n, 0, EntryType.OK, "stop", {}, "", files=files) for n, files in enumerate(
        ({"{home}/a": FileFact("file"), "{home}/b": FileFact("file")}, {"{home}/b": FileFact("file")})))  # fmt: skip
    assert {"{home}/a": None} == condensed((before, after))[1].files
