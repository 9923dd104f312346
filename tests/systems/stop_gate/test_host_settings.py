"""What the settings files of hosts say about Stop hooks. Source: issue 3, Build 6; stop-hook-contract.md; hosts.yaml."""

import json

import pytest

from harness.core.discovered import SettingsFile
from harness.errors import FileFormatError
from harness.systems.stop_gate import discovery

HOME, PROJECT = "/people/me", "/projects/shop"
CLAUDE = SettingsFile(f"{PROJECT}/.claude/settings.json", "claude-code", "the project's")
CODEX = SettingsFile(f"{PROJECT}/.codex/hooks.json", "codex", "the project's")
WHERE = f"{CLAUDE.path}: hooks.Stop[0].hooks[0]"


def found(content, file=CLAUDE, existing=()):
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    return discovery.hooks_in(file, data, HOME, lambda path: path in existing)


def stop(*handlers, event="Stop", **more):
    return {"hooks": {event: [{"hooks": list(handlers)}]}, **more}


def command(text, **more):
    return {"type": "command", "command": text, **more}


def one(handler, **settings):
    (hook,) = found(stop(handler), **settings).hooks
    return hook


def test_the_files_of_both_hosts_are_looked_for_in_the_project_and_at_home():
    paths = [file.path for file in discovery.settings_files(PROJECT, HOME, {})]
    assert [
        "/projects/shop/.claude/settings.json",
        "/projects/shop/.claude/settings.local.json",
        "/people/me/.claude/settings.json",
        "/projects/shop/.codex/hooks.json",
        "/people/me/.codex/hooks.json",
    ] == paths


@pytest.mark.parametrize(
    ("name", "path"), [("CODEX_HOME", "/etc/x/hooks.json"), ("CLAUDE_CONFIG_DIR", "/etc/x/settings.json")]
)
def test_a_variable_moves_the_file_of_the_home(name, path):
    assert path in [file.path for file in discovery.settings_files(PROJECT, HOME, {name: "/etc/x"})]


def test_a_command_is_what_the_host_gives_to_a_shell():
    hook = one(command("node 'my hooks/stop.js' | cat", timeout=5))
    assert ("sh", "-c", "node 'my hooks/stop.js' | cat") == hook.command
    assert ("claude-code", 5.0, (), WHERE) == (hook.host, hook.timeout_s, hook.said, hook.where)


@pytest.mark.parametrize(
    ("text", "placed"),
    [
        ('python3 "$CLAUDE_PROJECT_DIR"/a.py', 'python3 "{project}"/a.py'),
        ("${CLAUDE_PROJECT_DIR}/a.sh", "{project}/a.sh"),
        ("'$CLAUDE_PROJECT_DIR/a.sh'", "'$CLAUDE_PROJECT_DIR/a.sh'"),
        ("$CLAUDE_PROJECT_DIRECTORY/a.sh", "$CLAUDE_PROJECT_DIRECTORY/a.sh"),
        ("${CLAUDE_PROJECT_DIR:-.}/a.sh", "${CLAUDE_PROJECT_DIR:-.}/a.sh"),
        ("python3 ~/.claude/stop.py", "python3 /people/me/.claude/stop.py"),
        ('"$HOME/.claude/stop.py"', '"/people/me/.claude/stop.py"'),
        ("${HOME}/.claude/stop.py", "/people/me/.claude/stop.py"),
        ("'~/.claude/stop.py'", "'~/.claude/stop.py'"),
        ("a~/.claude/stop.py", "a~/.claude/stop.py"),
        ("~/.claude/missing.py", "~/.claude/missing.py"),
        ("true >> ~/.claude/log", "true >> ~/.claude/log"),
    ],
)
def test_the_project_and_files_of_the_home_that_exist_are_written_out(text, placed):
    assert placed == one(command(text), existing={"/people/me/.claude/stop.py"}).command[2]


def test_a_file_of_the_home_that_is_shown_is_told():
    hook = one(command("~/.claude/stop.py; ~/.claude/stop.py", timeout=9), existing={"/people/me/.claude/stop.py"})
    assert ("/people/me/.claude/stop.py lies in your home, of which the sandbox shows only what is named",) == hook.said


@pytest.mark.parametrize(("handler", "words"), [
    (command("x", shell="bash"), ("bash", "-c", "x")),
    (command("node", args=["${CLAUDE_PROJECT_DIR}/stop.js", "$HOME"]), ("node", "{project}/stop.js", "$HOME")),
    ({"command": "x"}, ("sh", "-c", "x")),
])  # fmt: skip
def test_a_handler_may_name_its_shell_or_its_words(handler, words):
    assert words == one(handler).command


@pytest.mark.parametrize(
    ("file", "more", "timeout_s", "said"),
    [
        (CLAUDE, {}, None, "no time-out is stated: the host's 60 s"),
        (CODEX, {}, None, "no time-out is stated: the host's 600 s"),
        (CODEX, {"timeout": 30}, 30.0, None),
        (CODEX, {"timeout_sec": 30}, 30.0, None),
        (CLAUDE, {"timeout": 2.5}, 2.5, None),
        (
            CLAUDE,
            {"timeout": "60"},
            None,
            "the time-out '60' is no positive number of seconds: the host's 60 s instead",
        ),
        (CLAUDE, {"timeout": 0}, None, "the time-out 0 is no positive number of seconds: the host's 60 s instead"),
        (
            CLAUDE,
            {"timeout": True},
            None,
            "the time-out True is no positive number of seconds: the host's 60 s instead",
        ),
        (
            CLAUDE,
            {"timeout": 60000},
            60000.0,
            "the time-out is 60000 s, since hosts count seconds; were milliseconds meant?",
        ),
    ],
)
def test_a_time_out_is_what_is_stated_or_the_hosts_own_and_that_is_told(file, more, timeout_s, said):
    hook = one(command("x", **more), file=file)
    assert (timeout_s, () if said is None else (said,)) == (hook.timeout_s, hook.said)


def test_every_handler_of_every_group_is_found_and_a_matcher_means_nothing():
    groups = [{"matcher": "", "hooks": [command("a"), command("b")]}, {"matcher": "Bash", "hooks": [command("c")]}]
    hooks = found({"hooks": {"Stop": groups, "PreToolUse": [{"hooks": [command("d")]}]}}).hooks
    assert ["a", "b", "c"] == [hook.text for hook in hooks]
    assert f"{CLAUDE.path}: hooks.Stop[1].hooks[0]" == hooks[2].where


@pytest.mark.parametrize(
    ("handler", "sentence"),
    [
        ({"type": "prompt", "prompt": "Done?"}, f"{WHERE} is of type 'prompt', not a command, so there is nothing to run here"),
        ({"type": "http", "url": "x"}, f"{WHERE} is of type 'http', not a command, so there is nothing to run here"),
        ({"type": "command"}, f"{WHERE} has no `command`, so there is nothing to run"),
        (command("  "), f"{WHERE} has no `command`, so there is nothing to run"),
        (command("node", args="x"), f"{WHERE} has `args` that are no list of texts; it is passed over"),
        (command("x", **{"async": True}), f"{WHERE} is async: the host does not wait for it, so it cannot hold a session and is not certified"),
        (command("x", shell="powershell"), f"{WHERE} is for the shell 'powershell', which is not run here"),
        ("x", f"{WHERE} is no object; it is passed over"),
    ],
)  # fmt: skip
def test_what_cannot_be_certified_is_one_sentence(handler, sentence):
    assert ((), (sentence,)) == (found(stop(handler)).hooks, found(stop(handler)).said)


@pytest.mark.parametrize(
    ("hooks", "sentence"),
    [
        ({"Stop": {}}, "hooks.Stop is no list of groups, each with a list `hooks`; it is passed over"),
        ([], "hooks.Stop is no list of groups, each with a list `hooks`; it is passed over"),
        ({"Stop": [command("x")]}, "hooks.Stop[0] has no list `hooks`; it is passed over"),
        ({"Stop": ["x"]}, "hooks.Stop[0] has no list `hooks`; it is passed over"),
    ],
)
def test_hooks_of_another_form_are_one_sentence(hooks, sentence):
    assert (f"{CLAUDE.path}: {sentence}",) == found({"hooks": hooks}).said


@pytest.mark.parametrize("content", [b"", b" \n", {}, {"hooks": {}}, {"hooks": {"Stop": []}}, {"model": "x"}])
def test_settings_without_stop_hooks_have_none_and_say_nothing(content):
    assert ((), ()) == (found(content).hooks, found(content).said)


def test_a_byte_order_mark_is_read_over():
    assert 1 == len(found(b"\xef\xbb\xbf" + json.dumps(stop(command("x"))).encode()).hooks)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"{", "is no JSON: Input data was truncated; the host reads no hooks from it either"),
        (b"{'hooks': 1}", "is no JSON: JSON is malformed"),
        (b"// c\n{}", "is no JSON: JSON is malformed"),
        (b'"\xff"', "is no JSON: "),
        (b"[" * 100_000, "is no JSON: "),
        (b"[]", "holds no JSON object; the host reads no hooks from it either"),
        (b"null", "holds no JSON object"),
    ],
)
def test_settings_that_no_host_could_read_are_an_error_in_one_sentence(content, sentence):
    with pytest.raises(FileFormatError) as caught:
        found(content)
    assert str(caught.value).startswith(f"{CLAUDE.path} {sentence}")
    assert "\n" not in str(caught.value)


def test_hooks_that_are_switched_off_are_found_and_that_is_told():
    settings = found(stop(command("x"), disableAllHooks=True))
    assert 1 == len(settings.hooks)
    assert (
        f"{CLAUDE.path} sets disableAllHooks, so the host runs no hooks; they are certified all the same",
    ) == settings.said


@pytest.mark.parametrize(("text", "told"), [("a", False), ("b", True)])
def test_a_hook_for_subagents_is_told_unless_it_is_the_stop_hook_as_well(text, told):
    both = stop(command("a"))
    both["hooks"]["SubagentStop"] = [{"hooks": [command(text)]}]
    assert told == any("is for subagents and is not certified here" in sentence for sentence in found(both).said)
    assert 1 == len(found(both).hooks)


def test_our_sessions_are_one_that_ended_well_a_question_and_an_unfinished_one():
    assert [("finished", "approve"), ("question", "approve"), ("unfinished", "block")] == [
        (each.name, each.deserves) for each in discovery.sessions()
    ]
    assert 3 == len({each.data for each in discovery.sessions()})


def todos(data):
    last = []
    for line in data.splitlines():
        for part in json.loads(line).get("message", {}).get("content", []):
            if isinstance(part, dict) and "todos" in part.get("input", {}):
                last = part["input"]["todos"]
    return [todo["status"] for todo in last]


def test_only_the_unfinished_session_has_open_todos():
    has_open = {each.name: any(status != "completed" for status in todos(each.data)) for each in discovery.sessions()}
    assert {"finished": False, "question": False, "unfinished": True} == has_open


@pytest.mark.parametrize(
    ("value", "decision"),
    [
        ({"exit_code": 0, "decision": "approve"}, "approve"),
        ({"exit_code": 2, "decision": "block"}, "block"),
        ({"exit_code": 1, "decision": "approve"}, None),
        ({"exit_code": None, "decision": "approve", "timed_out": True}, None),
        ({"exit_code": None, "start_error": "ENOENT"}, None),
    ],
)
def test_only_an_answer_is_a_decision(value, decision):
    assert decision == discovery.decided([value])
    assert None is discovery.decided([])
