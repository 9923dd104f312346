"""A scenario's world becomes file actions: exact sizes, ages, kinds, and a sentence for what cannot be made."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.core.scenario import FileSpec, World
from harness.errors import FileFormatError
from harness.sandbox import MakeDirectory, MakeFifo, Remove, SetTime, Symlink, Write
from harness.targets.world import PAD_LINE_BYTES, actions, content

NOW_S = 10_000.0
SAMPLES = {"approve": b"good\n", "block": b"bad\n"}


def made(path: str = "{home}/a", **spec: object) -> list[object]:
    return actions(World("2026-03-01T12:00:00Z", {path: FileSpec(**spec)}), NOW_S, SAMPLES)


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, [Write("{home}/a", b"", 0o644, None)]),
        ({"text": "é"}, [Write("{home}/a", b"\xc3\xa9", 0o644, None)]),
        ({"text": "\ud800"}, [Write("{home}/a", b"\xed\xa0\x80", 0o644, None)]),
        ({"base64": b"\xff"}, [Write("{home}/a", b"\xff", 0o644, None)]),
        ({"sample": "block"}, [Write("{home}/a", b"bad\n", 0o644, None)]),
        ({"text": "x", "mode": 0, "age_s": 3600.0}, [Write("{home}/a", b"x", 0, 6400.0)]),
        ({"age_s": -60.0}, [Write("{home}/a", b"", 0o644, 10_060.0)]),
        ({"age_s": 0.0}, [Write("{home}/a", b"", 0o644, NOW_S)]),
        ({"kind": "absent", "age_s": 5.0}, [Remove("{home}/a")]),
        ({"kind": "directory"}, [MakeDirectory("{home}/a", 0o755)]),
        ({"kind": "directory", "mode": 0}, [MakeDirectory("{home}/a", 0)]),
        ({"kind": "directory", "age_s": 5.0}, [MakeDirectory("{home}/a", 0o755), SetTime("{home}/a", 9995.0)]),
        ({"kind": "fifo"}, [MakeFifo("{home}/a")]),
        ({"kind": "fifo", "age_s": 1.0}, [MakeFifo("{home}/a"), SetTime("{home}/a", 9999.0)]),
        ({"kind": "symlink", "target": "{outside}/b"}, [Symlink("{home}/a", "{outside}/b")]),
    ],
)
def test_a_file_of_the_world_is_made_as_it_says(spec, expected):
    assert expected == made(**spec)


def test_files_are_made_in_the_order_of_the_world():
    files = {"{home}/b": FileSpec(kind="directory"), "{home}/b/a": FileSpec(), "/abs": FileSpec()}
    paths = [action.path for action in actions(World("x", files), NOW_S, {})]
    assert paths == ["{home}/b", "{home}/b/a", "/abs"]


@pytest.mark.parametrize("root", ["home", "project", "tmp", "outside", "config", "semaphore", "runtime"])
def test_a_path_may_begin_with_any_root(root):
    assert made(path=f"{{{root}}}/a")[0].path == f"{{{root}}}/a"


@pytest.mark.parametrize(
    ("path", "spec", "says"),
    [
        ("{home}/a", {"kind": "symlink"}, "the world's link {home}/a has no target"),
        ("{home}/a", {"sample": "other"}, "the world's file {home}/a wants the sample 'other', which nobody gave"),
        ("{home}/a", {"text": "abc", "pad_bytes": 2}, "has 4 bytes, more than its pad_bytes of 2"),
        ("{home}/a", {"pad_bytes": -1}, "has 0 bytes, more than its pad_bytes of -1"),
        ("a", {}, "the world's file a has to begin with a root such as {home}"),
        ("{nowhere}/a", {}, "the world's file {nowhere}/a has to begin with a root"),
        ("", {}, "has to begin with a root"),
    ],
)
def test_a_file_that_cannot_be_made_is_told_in_one_sentence(path, spec, says):
    with pytest.raises(FileFormatError) as caught:
        made(path, **spec)
    assert says in str(caught.value)


@given(st.text(max_size=20), st.integers(0, 5 * PAD_LINE_BYTES))
def test_padding_gives_exactly_the_size_and_only_blank_lines(text, more):
    """FileSpec: filled with blank JSON lines up to exactly that size."""
    begins = text.encode()
    size = len(begins) + 1 + more
    data = content("{home}/a", FileSpec(text=text, pad_bytes=size), {})
    assert len(data) == size
    assert data.startswith(begins)
    assert data.endswith(b"\n")
    assert data.removeprefix(begins).strip(b" \n") == b""
    assert max(map(len, data.removeprefix(begins).split(b"\n"))) < PAD_LINE_BYTES


@pytest.mark.parametrize("text", ["", "abc", "abc\n"])
def test_a_file_that_has_its_size_already_is_left_alone(text):
    assert content("{home}/a", FileSpec(text=text, pad_bytes=len(text)), {}) == text.encode()


def test_a_sample_can_be_padded():
    assert content("{home}/a", FileSpec(sample="approve", pad_bytes=8), SAMPLES) == b"good\n  \n"
