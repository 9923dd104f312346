"""How local tools fail in a simulation: real texts of the ten types of document 001, as those tools say them."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from harness.ports.launcher import Ended
from harness.systems.diagnosis.contract import ErrorType, Tool


class Mishap(NamedTuple):
    """A tool that is used so, and how it ends."""

    tool: str
    args: Mapping[str, Any]
    ended: Ended


def _shell(command: str, code: int, said: str) -> Mishap:
    return Mishap(Tool.RUN_BASH.value, {"command": command}, Ended("exit", code, said))


def _lost(command: str, kind: str, said: str) -> Mishap:
    return Mishap(Tool.RUN_BASH.value, {"command": command}, Ended(kind, 0, said))


def _absent(tool: str) -> Mishap:
    said = f"tool {tool!r} is not in the allowlist"
    return Mishap(tool, {"query": "release notes"}, Ended("not_started", 0, said))


MISHAPS: Mapping[ErrorType, tuple[Mishap, ...]] = {
    ErrorType.TOOL_NOT_FOUND: (_absent("repo_browser"), _absent("web_search"), _absent("sql_query")),
    ErrorType.COMMAND_NOT_FOUND: (
        _shell("git clone https://example.org/tool.git", 127, "bash: line 1: git: command not found"),
        _shell("wget https://example.org/a.tar.gz", 127, "sh: 1: wget: not found"),
        _shell("jq .name package.json", 127, "bash: line 1: jq: command not found"),
    ),
    ErrorType.PERMISSION_DENIED: (
        _shell("cat /etc/shadow", 1, "cat: /etc/shadow: Permission denied"),
        _shell("touch /usr/bin/tool", 1, "touch: cannot touch '/usr/bin/tool': Permission denied"),
        _shell("python3 write.py", 1, "PermissionError: [Errno 13] Permission denied: '/data/out.csv'"),
    ),
    ErrorType.INVALID_ARGUMENTS: (
        _shell("grep --colour-all x", 2, "grep: unrecognized option '--colour-all'\nUsage: grep [OPTION]..."),
        _shell("tar -y a.tar", 64, "tar: invalid option -- 'y'\nTry 'tar --help' for more information."),
        _shell("python3 tool.py", 2, "tool.py: error: the following arguments are required: path"),
    ),
    ErrorType.TIMEOUT: (
        _lost("pytest -q", "timeout", "no end within 60 s"),
        _lost("npm run build", "timeout", "no end within 60 s"),
        _shell("timeout 30 make", 124, ""),
    ),
    ErrorType.OUTPUT_TOO_LARGE: (
        _shell("cat build.log", 1, "Output truncated: 10485760 bytes exceed the limit of 1048576 bytes"),
        _shell("node list.js", 1, "RangeError [ERR_CHILD_PROCESS_STDIO_MAXBUFFER]: stdout maxBuffer length exceeded"),
    ),
    ErrorType.RATE_LIMITED: (
        _shell("curl -f https://api.example.org/v1", 22, "curl: (22) The requested URL returned error: 429"),
        _shell("gh api repos/x/y", 1, "gh: API rate limit exceeded for user ID 1 (HTTP 403)"),
        _shell("pip download x", 1, "HTTP 429: Too Many Requests"),
    ),
    ErrorType.NETWORK_ERROR: (
        _shell("curl https://example.org", 6, "curl: (6) Could not resolve host: example.org"),
        _shell(
            "curl https://example.org", 7, "curl: (7) Failed to connect to example.org port 443: Connection refused"
        ),
        _shell("npm install", 1, "npm error code EAI_AGAIN\nnpm error syscall getaddrinfo"),
    ),
    ErrorType.SYNTAX_ERROR: (
        _shell("python3 x.py", 1, '  File "x.py", line 4290\n    def f(:\n          ^\nSyntaxError: invalid syntax'),
        _shell("echo $((1+)", 2, "bash: -c: line 1: syntax error near unexpected token `)'"),
        _shell("node x.js", 1, "x.js:1\nlet = ;\nSyntaxError: Unexpected token ';'"),
    ),
    ErrorType.ENVIRONMENT_MISSING: (
        _shell("python3 fetch.py", 1, "ModuleNotFoundError: No module named 'requests'"),
        _shell("node app.js", 1, "Error: Cannot find module 'express'\n  code: 'MODULE_NOT_FOUND'"),
        _shell("./deploy.sh", 1, "./deploy.sh: line 3: DEPLOY_TOKEN: parameter not set"),
    ),
}
CAUSES = tuple(MISHAPS)
WORKING = Mishap(Tool.RUN_BASH.value, {"command": "pytest -q tests"}, Ended("exit", 0, "done"))
