"""The home of who has one, and of who has none."""

from pathlib import Path

from harness.ports.home import real_home


def test_the_home_is_the_one_that_is_set(monkeypatch):
    monkeypatch.setenv("HOME", "/some/where")
    assert Path("/some/where") == real_home()


def test_who_has_none_is_at_home_in_the_root(monkeypatch):
    """Path.home raises RuntimeError when HOME is unset and no entry of the password file has the user's number."""

    def nobody(_):
        raise KeyError("uid not found")

    monkeypatch.delenv("HOME")
    monkeypatch.setattr("pwd.getpwuid", nobody)
    assert Path("/") == real_home()
