"""What the oracle reads in a shell line is what bash does with it, and text of a failure that acts is seen to."""

import shlex
import shutil
import subprocess

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from harness.systems.diagnosis.oracle.quoting import Failed, failed_of, hazards
from harness.systems.diagnosis.oracle.shell_lines import BrokenError, RefusedError, taken_apart

CANARY = "pwned"
PIECES = st.sampled_from(
    ["a", "b", "-", "=", " ", "\t", "\n", "'", '"', "\\", "$", "`", "(", ")", ";", "&", "|", "<", ">", "*", "#", "~",
     "{", ",", "}", "$(", "touch pwned", "$a", "${a}", "é", "https://x.y"]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=8).map("".join)
TEMPLATES = [
    "printf '%s\\0' {}",
    "printf '%s\\0' -L {} -o out",
    'printf "%s\\0" "{}"',
    "printf '%s\\0' '{}'",
    'printf "%s\\0" "x/{}/y"',
    "printf '%s\\0' x # {}",
    "sh -c 'printf \"%s\\0\" {}'",
    'sh -c \'printf "%s\\0" "{}"\'',
    "printf '%s\\0' x > {}",
    "printf '%s\\0' $(printf %s {})",
    "eval printf %s {}",
]


@pytest.fixture(scope="module")
def bash(tmp_path_factory):
    """Runs a line in a directory of its own, with a shell and a way to leave a trace and nothing else."""
    tools = tmp_path_factory.mktemp("tools")
    for name, program in (("sh", "bash"), ("touch", "touch")):
        (tools / name).symlink_to(shutil.which(program))
    program = shutil.which("bash")

    def run(line, *, only_read=False):
        place = tmp_path_factory.mktemp("place")
        ended = subprocess.run(
            [program, *(["-n"] if only_read else []), "-c", line],
            cwd=place,
            env={"PATH": str(tools), "LC_ALL": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=20,
        )
        made = {each.name for each in place.iterdir()}
        place.rmdir() if not made else shutil.rmtree(place)
        return ended.returncode, ended.stdout.decode(errors="replace"), made

    return run


@settings(max_examples=150, deadline=None)
@given(TEXTS)
@example("a\\\nb 'c d' \"e\\$f\" g#h #i")
@example('"\\a" $ "$" a$')
@example("a \\\n b")
def test_words_are_those_that_bash_passes(bash, text):
    line = f"printf '%s\\0' first {text}"
    try:
        read = taken_apart(line)
    except (BrokenError, RefusedError):
        return
    (one, *more) = read.commands
    if more or read.expansions or one.targets or any(word.globs for word in one.words) or text.rstrip().endswith("&"):
        return
    code, said, _ = bash(line)
    if code == 0:
        assert said.split("\0")[:-1] == [word.value for word in one.words[2:]]


@settings(max_examples=150, deadline=None)
@given(TEXTS)
@example("'a")
@example('"a')
@example("`a")
@example("$(a")
@example("a)")
@example("(a")
@example("${a")
@example("a >")
def test_what_is_called_broken_bash_does_not_read_either(bash, text):
    # what is between back-quotes bash reads only when it runs it
    line = f"printf x {text}"
    try:
        taken_apart(line)
    except BrokenError:
        assert text.count("`") > 1 or bash(line, only_read=True)[0] != 0
    except RefusedError:
        pass


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.sampled_from(TEMPLATES), st.booleans())
@example("$(touch pwned)", 'printf "%s\\0" "{}"', False)
@example("https://x.y;touch pwned", "printf '%s\\0' {}", False)
@example("'; touch pwned; '", "printf '%s\\0' '{}'", False)
@example("$(touch pwned)", "sh -c 'printf \"%s\\0\" {}'", True)
@example("\\", "printf '%s\\0' -L {} -o out", False)
def test_a_text_without_hazards_is_passed_whole_and_runs_nothing(bash, text, template, quoted):
    line = template.format(shlex.quote(text) if quoted else text)
    assume(text not in template)  # which of the two a word holds, the planner's or the failure's, nobody can tell
    if hazards(line, Failed(said=(text,), places=(text,))) == ():
        _, said, made = bash(line)
        assert CANARY not in made - {text}
        if text in line and text.strip("ab=-é") and not set("#>(") & set(template):  # those print nothing as it is
            assert text in said


@pytest.mark.parametrize(
    "hostile",
    [
        "$(touch pwned)",
        "`touch pwned`",
        "; touch pwned",
        "| touch pwned",
        "& touch pwned",
        "\ntouch pwned",
        "&& touch pwned",
        "> pwned",
    ],
)
@pytest.mark.parametrize("template", ["printf %s {}", "printf %s x{}", "sh -c 'printf %s x{}'"])
def test_what_leaves_a_trace_when_it_is_not_quoted_is_a_hazard(bash, hostile, template):
    line = template.format(hostile)
    assert {CANARY} == bash(line)[2]
    assert hazards(line, failed_of({"url": f"https://x{hostile}"}, {"message": f"x{hostile}"}))
    quoted = "printf %s " + shlex.quote(f"https://x{hostile}")
    assert hazards(quoted, failed_of({"url": f"https://x{hostile}"}, {"message": f"x{hostile}"})) == ()
    assert set() == bash(quoted)[2]


HAZARDOUS = [
    ("curl -L https://x/$(id)/a.tar.gz", {"command": "git clone https://x/$(id)"}),
    ('curl -L "https://x/$(id)/a.tar.gz"', {"command": "git clone 'https://x/$(id)'"}),
    ('curl -L "https://x/`id`"', {"url": "https://x/`id`"}),
    ('curl -L "https://x/${SECRET}"', {"url": "https://x/${SECRET}"}),
    ("curl -L https://x/a?b=1&c=2 -o out", {"command": "git clone 'https://x/a?b=1&c=2'"}),
    ("curl -L https://x;touch/archive.tar.gz", {"command": "git clone https://x;touch pwned"}),
    ("cat my file", {"path": "my file"}),
    ("cat it's", {"path": "it's"}),
    ("cat 'it's'", {"path": "it's"}),
    ("cat -rf", {"path": "-rf"}),
    ("cat -- x; rm -rf", {"path": "-rf"}),
    ("cat -x", {"command": "cat -- -x"}),
    ("cat *", {"path": "*"}),
    ("cat ~me", {"path": "~me"}),
    ("cat #x", {"path": "#x"}),
    ("'a b' --version", {"path": "a b"}),
    ("bash -lc 'cat my file'", {"path": "my file"}),
    ("eval cat my file", {"path": "my file"}),
    ("echo x > my file", {"path": "my file"}),
    ("echo $(cat my file)", {"path": "my file"}),
    ("cat $(touch pwned", {"others": ["$(touch pwned)"]}),
]


@pytest.mark.parametrize(("line", "args"), HAZARDOUS)
def test_text_of_the_failure_that_acts_is_a_hazard(line, args):
    assert hazards(line, failed_of(args, None))


HARMLESS = [
    ("curl -L 'https://x/$(id)/a.tar.gz'", {"command": "git clone https://x/$(id)"}),
    ("curl -L https://x/\\$\\(id\\)", {"command": "git clone https://x/$(id)"}),
    ("curl -L https://x/a?b=1 -o out", {"url": "https://x/a?b=1"}),
    ("cd /w && curl -L https://x/a | tar xz", {"command": "cd /w && wget -qO- https://x/a | tar xz"}),
    ("cd \"$HOME\" && cat '$HOME'", {"command": "cd $HOME && false"}),
    ("cat -- -rf", {"path": "-rf"}),
    ("cat ./-rf", {"path": "-rf"}),
    ("cat 'my file'", {"path": "my file"}),
    ('cat "it\'s"', {"path": "it's"}),
    ("cat '*'", {"path": "*"}),
    ("ls *.py", {"path": "*"}),
    ("cat x # my file", {"path": "my file"}),
    ("cat x", {"command": "cat <<E\nx\nE"}),
    ("FOO=1 if true; then ls; fi", {"path": "a"}),
    ("", {"path": "a b"}),
]


@pytest.mark.parametrize(("line", "args"), HARMLESS)
def test_text_of_the_failure_that_only_stands_there_is_no_hazard(line, args):
    assert hazards(line, failed_of(args, None)) == ()


@pytest.mark.parametrize(
    ("line", "args"),
    [
        ("git clone $(id)", {"command": " git clone $(id)\n"}),
        ("cat <<E\nx\nE", {}),
        ("cat <(id)", {}),
        ("cat $'a'", {}),
        ("f() { :; }", {}),
        ("case a in b) ;; esac", {}),
        ("case a", {}),
        ("echo ${a:-'b'}", {}),
        ("echo a\\", {}),
        ("echo \0", {}),
        ("echo " + "$(" * 30 + ")" * 30, {}),
        ("echo 'a", {"path": "b"}),
    ],
)
def test_nothing_is_said_of_the_line_itself_and_of_what_is_not_known(line, args):
    assert hazards(line, failed_of(args, None)) is None


def test_texts_are_found_in_values_of_any_shape():
    deep = []
    for _ in range(40):
        deep = [deep, "end"]
    found = failed_of(
        {"Path": ["p", {"x": "y"}], "n": 1, "command": "a", "b": {"command": "c"}}, {"message": "m", "k": deep}
    )
    assert ("a", ("p",), ("y", "c")) == (found.line, found.places, found.others)
    assert "m" == found.said[0]
    assert {"end"} == set(found.said[1:])
    assert Failed() == failed_of(None, 3)


def test_a_command_says_its_name_and_where_it_writes():
    (one, two) = taken_apart("A=1 ! /usr/bin/env x 2>&1 >> 'a b' 3; > c").commands
    assert ("env", ["/usr/bin/env", "x", "3"]) == (one.name, [word.value for word in one.words])
    assert [(">&", "1"), (">>", "a b")] == [(sign, word.value) for sign, word in one.targets]
    assert ("", ";", "") == (two.name, two.operator, two.line)


@pytest.mark.parametrize(
    ("line", "inner"),
    [
        ("sh -c 'a b' c", "a b"), ("bash -e -c 'a b'", "a b"), ("/bin/bash -lc 'a b'", "a b"), ("sh -c", ""),
        ("sh a.sh -c", ""), ("sh --login -c x", ""), ("sh -n -c x", ""), ("sh -e", ""), ("eval a b", "a b"), ("echo -c x", ""),
    ],
)  # fmt: skip
def test_a_shell_is_known_by_the_line_that_it_runs(line, inner):
    assert inner == taken_apart(line).commands[0].line


def test_what_a_parameter_is_called_ends_as_in_bash():
    assert ("$a_1", "$1", "$?", "${b}") == taken_apart('echo "$a_1-$10$?" ${b} $- $').expansions[:4]


@pytest.mark.parametrize("text", ["x" * 20_000, "; " * 10_000, "&" * 20_000, "a;" * 10_000, "https://x;" * 2_000])
def test_a_long_text_of_a_failure_is_read_once(text):
    failure = failed_of({"command": text}, {"message": text})
    assert hazards("true && ls", failure) == ()


def test_all_of_an_address_is_text_whatever_follows_in_the_line_is_the_agents():
    failure = failed_of({"command": "cd a; git clone https://x/a;touch&&pwned && make all"}, None)
    assert 1 == len(hazards("curl x;touch", failure))
    assert 1 == len(hazards("curl x&&pwned", failure))
    assert () == hazards("cd b && make all", failure)
