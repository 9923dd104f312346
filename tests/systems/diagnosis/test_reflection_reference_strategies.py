"""What the reference proposes: templates in their order, available tools only, and no word that a shell would take."""

import functools
import itertools
import shutil
import subprocess

import pytest
from reflection_world import DENIED, REPOSITORY, TOOLS, World, approaches, commands, kind, names

from harness.systems.diagnosis.contract import Approach, ErrorType, ObserveArguments
from harness.systems.diagnosis.reference.reading import Reading
from harness.systems.diagnosis.reference.steps import Case, archive_of, program_of, repeated
from harness.systems.diagnosis.reference.strategies import Strategies
from harness.systems.diagnosis.reference.taxonomy import Verdict

EVIL = (
    "$(touch pwned)",
    "`touch pwned`",
    "; touch pwned",
    "' touch pwned '",
    "a\ntouch pwned",
    "| touch pwned",
    "-rf",
    "$HOME",
)
ERRORS = {
    "tool_not_found": {"message": "Tool not found"},
    "command_not_found": {"message": "x: command not found", "code": 127},
    "permission_denied": DENIED,
    "invalid_arguments": {"message": "error: unrecognized arguments: --x"},
    "timeout": {"message": "timed out after 30 s"},
    "output_too_large": {"message": "Output was truncated"},
    "rate_limited": {"message": "429 Too Many Requests", "code": 429},
    "network_error": {"message": "getaddrinfo ENOTFOUND example.com"},
    "syntax_error": {"message": "SyntaxError: invalid syntax"},
    "environment_missing": {"message": "ModuleNotFoundError: No module named 'yaml'"},
    "unknown": {"message": "it did not work"},
}
TOOL_SETS = [
    *((tool,) for tool in TOOLS), TOOLS, ("shell",), ("shell", "run_bash", "search"), ("repo_reader", "cat"), ("odd",), (),
]  # fmt: skip
CALLS = [
    ("run_bash", {"command": "pytest -q tests/test_a.py"}), ("run_bash", {"command": "a | b && c > d"}),
    ("run_bash", {"command": "echo $HOME `x` $(y)"}), ("run_bash", {"command": "sudo make install"}),
    ("run_bash", {"command": "'"}), ("run_bash", {}), ("read_file", {"path": "src/a.py"}), ("read_file", {"path": "a.json"}),
    ("read_file", {"path": "/etc/hosts", "limit": None}), ("read_dir", {"path": "src"}),
    ("write_file", {"path": "/etc/hosts", "content": "x"}), ("http_fetch", {"url": "https://example.com/a.zip?x=1"}),
    ("search", {"pattern": "x", "path": "src"}), ("cat", {"file": "a.txt"}), ("read_flie", {"path": "a"}),
    ("http_fetch", {"url": "https://example.com/a", "timeout_s": 10}), ("odd", {"x": 1, "timeout_s": True}),
    ("run_bash", {"command": "x" * 70_000}), ("read_file", {"path": "a" * 70_000}), ("shell", {"cmd": "python3 a.py"}),
    ("run_bash", {"command": "python3 a.py"}), ("run_bash", {"command": "pip install x"}), ("run_bash", {"command": "unzip a.zip"}),
    ("run_bash", {"command": "gunzip a.gz"}), ("run_bash", {"command": "wget https://example.com/a.zip"}),
    ("run_bash", {"command": "curl https://example.com/a.zip"}), ("run_bash", {"command": "git status"}),
    ("run_bash", {"command": f"git clone {REPOSITORY}"}),
]  # fmt: skip


@pytest.mark.parametrize("word", ERRORS)
@pytest.mark.parametrize("tools", TOOL_SETS, ids="-".join)
def test_each_failure_has_three_ways_on_of_tools_there_are(word, tools):
    for tool, args in CALLS:
        available = tools if word == "tool_not_found" else (*tools, tool)
        found = World().observe(ERRORS[word], tool, args, availableTools=list(available))
        alternatives = found.diagnosis["alternatives"]
        assert (3, []) <= (len(alternatives), alternatives[-1]["tools"])
        assert len(alternatives) == len(set(names(found)))
        assert {name for each in alternatives for name in each["tools"]} <= set(available)
        steps = found.diagnosis["recoveryPlan"]["steps"]
        assert steps
        assert [] == [step for step in steps if (step["tool"], step["args"]) == (tool, args)]
        order = [
            list(Approach).index(each) for each in approaches(found) if each not in {"corrected_retry", "another_tool"}
        ]
        assert order == sorted(order) or word not in {
            "timeout",
            "permission_denied",
            "command_not_found",
            "tool_not_found",
        }


@pytest.fixture(scope="module")
def shell(tmp_path_factory):
    """Runs lines with a shell that finds nothing but itself and touch; tells whether something was touched."""
    place = tmp_path_factory.mktemp("shell")
    (place / "bin").mkdir()
    for program in ("sh", "touch"):
        (place / "bin" / program).symlink_to(shutil.which(program))

    @functools.cache
    def touched(line):
        subprocess.run(
            ["/bin/sh", "-c", line],
            cwd=place,
            env={"PATH": f"{place}/bin"},
            capture_output=True,
            check=False,
            timeout=60,
        )
        found = (place / "pwned").exists()
        (place / "pwned").unlink(missing_ok=True)
        return found

    assert touched("echo $(touch pwned)")
    return touched


@pytest.mark.parametrize("word", ERRORS)
@pytest.mark.parametrize("evil", EVIL)
def test_no_foreign_word_is_run_by_a_shell(word, evil, shell):
    calls = (
        {"command": f"wget https://x/{evil}"}, {"command": f"git clone https://x/a/{evil}"}, {"path": f"/x/{evil}"},
        {"url": f"https://x/y/{evil}"}, {"pattern": evil, "path": evil}, {"command": f"unzip '{evil}.zip'"},
    )  # fmt: skip
    for args, tool in itertools.product(calls, ("run_bash", "odd")):
        if evil[:1] in ";|'" and "command" in args:
            continue  # the agent's own line of several commands may be run again as it is
        error = ERRORS[word] | ({"stderr": f"bash: {evil}: command not found"} if word == "command_not_found" else {})
        world = World(flags={"AUTONOMOUS_MAX_RECOVERY_ATTEMPTS": "9"})
        found = world.observe(error, tool, args, availableTools=["run_bash", "odd"][: 1 + (tool == "odd")], call="c")
        plan = found.diagnosis["recoveryPlan"]
        for _ in range(6):
            assert [] == [line for line in commands(plan) if shell(line)]
            plan = world.tried(False, "c").next_plan


@pytest.mark.parametrize(
    ("word", "tool", "args", "expected"),
    [
        ("command_not_found", "run_bash", {"command": "wget https://example.com/a.zip"},
         ["use_curl_instead", "http_download", "ask_user"]),
        ("command_not_found", "run_bash", {"command": "unzip a.zip"},
         ["extract_with_python", "download_missing_binary", "ask_user"]),
        ("command_not_found", "run_bash", {"command": "rg x"}, ["find_equivalent_binary", "download_missing_binary", "ask_user"]),
        ("permission_denied", "write_file", {"path": "/etc/hosts", "content": "x"},
         ["check_sandbox_bounds", "use_allowed_directory", "ask_user"]),
        ("timeout", "run_bash", {"command": "pytest -q"}, ["reduce_scope", "stream_or_chunk", "raise_time_limit", "ask_user"]),
        ("rate_limited", "http_fetch", {"url": "https://example.com/a"},
         ["retry_after_a_pause", "fetch_with_another_tool", "use_what_is_here", "ask_user"]),
        ("syntax_error", "run_bash", {"command": "python3 a.py"},
         ["correct_the_syntax", "use_another_tool", "do_a_smaller_part", "ask_user"]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_templates(word, tool, args, expected):
    error = ERRORS[word]
    if word == "command_not_found":
        error = {"message": "failed", "code": 127, "stderr": f"bash: {args['command'].split()[0]}: command not found"}
    found = World().observe(error, tool, args)
    assert (word, expected) == (kind(found), names(found))


def test_an_allowed_directory_is_another_one_within_the_root():
    found = World().observe(DENIED, "write_file", {"path": "/home/agent/workspace/a.txt", "content": "x"})
    world_plan = found.diagnosis
    assert "use_allowed_directory" in names(found)
    assert "check_sandbox_bounds" == world_plan["recoveryPlan"]["strategy"]


def test_a_denied_word_of_a_command_is_moved_too():
    world = World(flags={"AUTONOMOUS_MAX_RECOVERY_ATTEMPTS": "5"})
    error = {"message": "failed", "code": 1, "stderr": "cp: cannot create '/etc/x': Permission denied"}
    world.observe(error, args={"command": "cp a /etc/x"}, call="c")
    assert "cp a /home/agent/workspace/x" in commands(world.tried(False, "c").next_plan)


def test_what_failed_before_is_not_proposed_again():
    first = World().clone().diagnosis["recoveryPlan"]["steps"][0]
    before = {"tool": first["tool"], "args": first["args"], "result": "curl: not found", "success": False}
    assert "manual_http_download" == World().clone(previousActions=[before]).diagnosis["recoveryPlan"]["strategy"]
    assert (
        "curl_download_and_extract"
        == World().clone(previousActions=[before | {"success": True}]).diagnosis["recoveryPlan"]["strategy"]
    )


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("a | b", "a | b"), ("a $(b)", "a '$(b)'"), ("sudo a", None), ("a; sudo b", None), ("", None), ("a\nb", "a b"),
    ],
)  # fmt: skip
def test_a_command_is_repeated_without_what_a_shell_would_expand(command, expected):
    assert expected == repeated(command)


def failure(command="", goal="", **args):
    given = ({"command": command} if command else {}) | args
    return Reading().failure(ObserveArguments("c", "run_bash", given, False, {"message": "x"}, {"taskGoal": goal}))


@pytest.mark.parametrize(
    ("command", "url", "name"),
    [
        ("git clone https://github.com/a/b.git", "https://github.com/a/b/archive/refs/heads/main.tar.gz", "b"),
        ("git clone -b dev git@github.com:a/b.git", "https://github.com/a/b/archive/refs/heads/dev.tar.gz", "b"),
        ("git clone https://gitlab.com/g/a/b", "https://gitlab.com/g/a/b/-/archive/main/b-main.tar.gz", "b"),
        ("git clone https://u:p@bitbucket.org/a/b/", "https://bitbucket.org/a/b/get/main.tar.gz", "b"),
        ("git clone https://x/a/.git.git", "https://x/a/.git/archive/refs/heads/main.tar.gz", "repository"),
    ],
)
def test_archives_of_repositories(command, url, name):
    assert (url, name) == archive_of(failure(command))


@pytest.mark.parametrize(
    "command", ["git clone b", "git clone https://[x", "git clone https://github.com/a", "git status"]
)
def test_what_is_no_address_of_a_repository_has_no_archive(command):
    assert None is archive_of(failure(command))


def test_without_a_shell_a_repository_is_fetched_by_http():
    error = {"message": "f", "code": 127}
    found = World().observe(error, "odd", {"command": f"git clone {REPOSITORY}"}, availableTools=["odd", "http_fetch"])
    assert ["manual_http_download", "ask_user_to_narrow_the_task", "ask_user"] == names(found)


def test_the_archive_of_a_task_is_known_as_well():
    tool = {"tool": "repo_browser", "args": {}, "taskGoal": f"Clone {REPOSITORY}."}
    found = World().observe(ERRORS["tool_not_found"], tool["tool"], {}, taskGoal=tool["taskGoal"])
    assert ErrorType.TOOL_NOT_FOUND == kind(found)
    assert {"url": REPOSITORY} == found.diagnosis["recoveryPlan"]["steps"][0]["args"]
    goal = tool["taskGoal"]
    found = World().observe(ERRORS["tool_not_found"], "repo_browser", {}, taskGoal=goal, availableTools=["shell"])
    assert "&& tar -xzf forgekeeper.tar.gz" in commands(found.diagnosis["recoveryPlan"])[0]


@pytest.mark.parametrize(("command", "expected"), [("a b", ["a", "b"]), ("a | b", []), ("sudo a", []), ("", [])])
def test_programs(command, expected):
    assert expected == program_of(failure(command))


@pytest.mark.parametrize(
    ("message", "needle"),
    [
        ("Cannot find module 'left-pad'", "npm install -- left-pad"), ("No module named 'yaml.x'", "pip install --user -- yaml"),
        ("Environment variable API_KEY is not set", "printenv API_KEY"), ("libx.so: cannot open shared object file", "find /usr"),
    ],
)  # fmt: skip
def test_what_is_missing_is_provided(message, needle):
    found = World().observe({"message": message})
    assert "environment_missing" == kind(found)
    assert needle in " ".join(commands(found.diagnosis["recoveryPlan"]))


def test_every_type_has_strategies_even_where_no_tool_is_known():
    for each in ErrorType:
        verdict = Verdict(each, "x", "x", 0.5)
        assert 3 <= len(Strategies().of(Case(failure(), verdict, "/root")))
