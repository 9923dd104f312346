"""What a command names, without running or expanding anything."""

import pytest

from harness.targets.shell_command import is_shell_text, simple_commands


def of(text):
    return simple_commands(("sh", "-c", text), "/p")


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("python3 .claude/x.py", (("python3", ".claude/x.py"),)),
        ('python3 "{project}"/x.py', (("python3", "/p/x.py"),)),
        ("FOO=1 BAR='a b' exec node a.js 2>/dev/null", (("node", "a.js", "2"),)),
        ("cd x && ./y.sh | jq . > out; echo 'c d'", (("cd", "x"), ("./y.sh",), ("jq", "."), ("echo", "c d"))),
        ("a\nb", (("a",), ("b",))),
        ("[ -f $X ] || (true &)", (("[", "-f", "", "]"), ("true",))),
        ("cat < in >> out 2>&1", (("cat", "2"),)),
        ("`y` ~/z *.py $HOME/x", (("", "", "", ""),)),
        ("python3 'not closed", ()),
        ("  ", ()),
        ("A=1", ()),
        ("echo # no comment", (("echo", "#", "no", "comment"),)),
    ],
)
def test_the_simple_commands_of_a_text_for_a_shell(text, commands):
    assert commands == of(text)


@pytest.mark.parametrize("words", [("sh", "hook.sh"), ("python3", "-c", "x; y"), ("sh", "-c"), ("./run",)])
def test_a_command_that_gives_a_shell_no_text_is_itself(words):
    assert (words,) == simple_commands(words, "/p")
    assert not is_shell_text(words)


@pytest.mark.parametrize("shell", ["sh", "/bin/bash", "zsh", "dash"])
def test_every_shell_is_known_by_its_name(shell):
    assert is_shell_text((shell, "-c", "x"))
