"""Which names are new, which are made up, and which are a choice among a few."""

import pytest

from harness.explore.new_names import MadeUp, Namer, NewNames

BELOW = ("/state/",)
HERE = {"/", "/state", "/state/n", "/elsewhere"}


def hide(path):
    return path.removeprefix("/state/")


def named(known, *paths, there=HERE, who="0", history=(1,)):
    """The identities of these paths, named in this order in one execution, and it."""
    names = NewNames(known, BELOW, hide)
    return [names.identity(path, Namer(who, history, there.__contains__)) for path in paths], names


def test_what_is_there_or_elsewhere_keeps_its_name():
    assert ["n", "/elsewhere", "/state"] == named(MadeUp(), "/state/n", "/elsewhere", "/state")[0]


def test_new_names_are_counted_by_who_names_them_first():
    known = MadeUp()
    names = NewNames(known, BELOW, hide)
    asked = [("/state/a", "0"), ("/state/b", "1"), ("/state/c", "0"), ("/state/b", "0")]
    found = [names.identity(path, Namer(who, (), HERE.__contains__)) for path, who in asked]
    assert ["\0new 0 1\0", "\0new 1 1\0", "\0new 0 2\0", "\0new 1 1\0"] == found
    assert ["a", "b", "c"] == [names.text(name) for name in "abc"]


def test_a_name_that_differs_after_the_same_history_is_made_up():
    known = MadeUp()
    first, names = named(known, "/state/t1")
    assert first == named(known, "/state/t2")[0]
    assert ({"0 1"}, "{new name 1 of 0}") == (known.slots, names.text("t1"))


def test_a_name_that_differs_after_another_history_is_not():
    known = MadeUp()
    assert named(known, "/state/a", history=(1,))[0] == named(known, "/state/b", history=(2,))[0]
    assert set() == known.slots


def test_one_of_two_names_is_a_choice_and_no_repetition():
    known = MadeUp()
    met = [named(known, f"/state/{name}")[0] for name in "aba"]
    assert met[0] == met[1] != met[2]


def test_a_name_out_of_many_may_come_back():
    known = MadeUp()
    assert 1 == len({tuple(named(known, f"/state/{name}")[0]) for name in "abca"})


def test_what_stands_below_a_made_up_folder_is_named_after_it():
    known = MadeUp()
    for number in (1, 2):
        folder = f"/state/d{number}"
        paths = [folder, f"{folder}/new", f"{folder}/link"]
        found, names = named(known, *paths, there=HERE | {f"{folder}/link"})
        assert ["\0new 0 1\0", "\0new 0 2\0", "\0new 0 1\0/link"] == found
    assert {"0 1"} == known.slots
    assert ["{new name 1 of 0}/new", "{new name 1 of 0}/link", "n"] == [
        names.text(path) for path in ("d2/new", "d2/link", "n")
    ]


def test_identities_in_a_text_are_written_for_people():
    known = MadeUp({"0 2"})
    named(known, "/state/lock", "/state/t1")
    assert "openat lock and {new name 2 of 0}" == known.told("openat \0new 0 1\0 and \0new 0 2\0")


@pytest.mark.parametrize(("slots", "expected"), [((), "t1"), (("0 1",), ""), (("1 1",), "t1")])
def test_calls_of_who_makes_up_names_are_not_put_in_order_by_these(slots, expected):
    names = NewNames(MadeUp(slots), BELOW, hide)
    namer = Namer("0", (), HERE.__contains__)
    assert expected == names.sorting("/state/t1", namer)
    names.identity("/state/t1", namer)
    assert ["\0new 0 1\0", "n"] == [names.sorting(path, namer) for path in ("/state/t1", "/state/n")]
