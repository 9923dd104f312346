"""Failures of tool calls, as agents meet them: some for each type, look-alikes, and some of two types at once.

Texts are those of the tools themselves (coreutils, git, Node, Python, curl, npm), shortened where a path says nothing.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from harness.systems.diagnosis.contract import ErrorType

AVAILABLE: Final = ("run_bash", "read_file", "read_dir", "write_file", "http_fetch")
REPOSITORY: Final = "https://github.com/gatewaybuddy/forgekeeper"


class Failure(NamedTuple):
    """A tool call that failed: ``word`` names it, ``args`` and ``error`` are the Input Context of the document.

    ``type`` is what it is classified as, None where several types may be given.
    """

    word: str
    type: ErrorType | None
    tool: Any
    args: Any
    error: Any


def _shell(word: str, type_: ErrorType | None, command: str, code: Any, stderr: str, **more: Any) -> Failure:
    """A command of run_bash that failed, as shells and their callers say it."""
    message = more.pop("message", f"Command failed: exit code {code}")
    return Failure(
        word, type_, "run_bash", {"command": command}, {"message": message, "code": code, "stderr": stderr, **more}
    )


def _said(word: str, type_: ErrorType | None, tool: str, args: Mapping[str, Any], message: str, **more: Any) -> Failure:
    """A call of another tool that failed with a message."""
    return Failure(word, type_, tool, dict(args), {"message": message, **more})


_T = ErrorType
_PAGE: Mapping[str, Any] = {"url": "https://example.com/data.json"}
_NOTES: Mapping[str, Any] = {"path": "notes.txt"}

TOOL_NOT_FOUND = (
    _said("not-found", _T.TOOL_NOT_FOUND, "repo_browser", {"url": REPOSITORY}, "Tool not found"),
    _said("unknown", _T.TOOL_NOT_FOUND, "sql_query", {"query": "select 1"}, "Unknown tool: sql_query"),
    _said("not-allowed", _T.TOOL_NOT_FOUND, "browser", {"url": "https://example.com"},
          "Tool 'browser' is not in the allowlist"),
    _said("only-by-list", _T.TOOL_NOT_FOUND, "screenshot", {}, "failed"),
    _said("with-code", _T.TOOL_NOT_FOUND, "web_search", {"q": "tar"}, "Tool not found", code=404),
)  # fmt: skip
COMMAND_NOT_FOUND = (
    _shell("git", _T.COMMAND_NOT_FOUND, f"git clone {REPOSITORY}", 127, "bash: git: command not found", stdout="",
           signal=None),
    _shell("wget-dash", _T.COMMAND_NOT_FOUND, "wget https://example.com/a.zip", 127, "sh: 1: wget: not found"),
    _shell("message-only", _T.COMMAND_NOT_FOUND, "jq . a.json", 127, ""),
    _shell("code-only", _T.COMMAND_NOT_FOUND, "rg main", 127, "", message="failed"),
    _shell("env", _T.COMMAND_NOT_FOUND, "./build.sh", 127,
           "/usr/bin/env: \u2018python\u2019: No such file or directory"),
)  # fmt: skip
PERMISSION_DENIED = (
    _said("eacces", _T.PERMISSION_DENIED, "write_file", {"path": "/etc/hosts", "content": "x"},
          "EACCES: permission denied, open '/etc/hosts'", code="EACCES"),
    _said("errno-13", _T.PERMISSION_DENIED, "read_file", {"path": "/srv/secret"},
          "PermissionError: [Errno 13] Permission denied: '/srv/secret'"),
    _shell("only-in-stderr", _T.PERMISSION_DENIED, "mkdir /opt/tool", 1,
           "mkdir: cannot create directory \u2018/opt/tool\u2019: Permission denied"),
    _said("only-in-code", _T.PERMISSION_DENIED, "write_file", {"path": "/srv/a", "content": ""}, "open failed",
          code="EACCES"),
    _shell("eperm", _T.PERMISSION_DENIED, "chown root a.txt", 1,
           "chown: changing ownership of 'a.txt': Operation not permitted"),
)  # fmt: skip
INVALID_ARGUMENTS = (
    _said("required", _T.INVALID_ARGUMENTS, "http_fetch", {}, "Invalid arguments: missing required parameter 'url'"),
    _shell("option", _T.INVALID_ARGUMENTS, "cp -Y a b", 1,
           "cp: invalid option -- 'Y'\nTry 'cp --help' for more information."),
    _shell("argparse", _T.INVALID_ARGUMENTS, "python3 tool.py", 2,
           "usage: tool.py [-h] --input INPUT\ntool.py: error: the following arguments are required: --input"),
    _shell("long-option", _T.INVALID_ARGUMENTS, "tar --frobnicate x.tar", 64,
           "tar: unrecognized option '--frobnicate'\nTry 'tar --help' or 'tar --usage' for more information."),
)  # fmt: skip
TIMEOUT = (
    _shell("message", _T.TIMEOUT, "npm test", None, "", message="Command timed out after 30000 ms", signal="SIGTERM"),
    _said("only-in-code", _T.TIMEOUT, "run_bash", {"command": "make"}, "Operation failed", code="ETIMEDOUT"),
    _shell("exit-124", _T.TIMEOUT, "timeout 30 make all", 124, ""),
    _shell("only-in-stderr", _T.TIMEOUT, "python3 crawl.py", 1,
           "subprocess.TimeoutExpired: Command 'make' timed out after 60 seconds"),
    _said("class", _T.TIMEOUT, "read_file", {"path": "/net/a"}, "TimeoutError: the limit of 30 s was exceeded"),
)  # fmt: skip
OUTPUT_TOO_LARGE = (
    _shell("max-buffer", _T.OUTPUT_TOO_LARGE, "cat big.log", "ERR_CHILD_PROCESS_STDIO_MAXBUFFER", "",
           message="RangeError [ERR_CHILD_PROCESS_STDIO_MAXBUFFER]: stdout maxBuffer length exceeded"),
    _said("truncated", _T.OUTPUT_TOO_LARGE, "read_file", {"path": "big.log"},
          "Output too large: 5242880 bytes exceed the limit of 1048576 bytes; output truncated"),
    _shell("only-in-stderr", _T.OUTPUT_TOO_LARGE, "find /", 1,
           "output truncated: exceeded maximum output size (1 MiB)"),
    _said("only-in-code", _T.OUTPUT_TOO_LARGE, "run_bash", {"command": "cat big.log"}, "failed",
          code="ERR_CHILD_PROCESS_STDIO_MAXBUFFER"),
)  # fmt: skip
RATE_LIMITED = (
    _said("status", _T.RATE_LIMITED, "http_fetch", _PAGE, "Request failed with status code 429", code=429),
    _said("text", _T.RATE_LIMITED, "http_fetch", _PAGE, "HTTP 429 Too Many Requests"),
    _shell("only-in-stderr", _T.RATE_LIMITED, "curl -f https://example.com", 22,
           "curl: (22) The requested URL returned error: 429 Too Many Requests"),
    _said("only-in-code", _T.RATE_LIMITED, "http_fetch", _PAGE, "failed", code=429),
    _said("exceeded", _T.RATE_LIMITED, "http_fetch", _PAGE, "API rate limit exceeded for 203.0.113.7."),
)  # fmt: skip
NETWORK_ERROR = (
    _said("enotfound", _T.NETWORK_ERROR, "http_fetch", _PAGE, "getaddrinfo ENOTFOUND example.com", code="ENOTFOUND"),
    _said("eai-again", _T.NETWORK_ERROR, "http_fetch", _PAGE, "getaddrinfo EAI_AGAIN example.com", code="EAI_AGAIN"),
    _said("refused", _T.NETWORK_ERROR, "http_fetch", {"url": "http://127.0.0.1:5432"},
          "connect ECONNREFUSED 127.0.0.1:5432", code="ECONNREFUSED"),
    _shell("only-in-stderr", _T.NETWORK_ERROR, "curl https://example.invalid", 6,
           "curl: (6) Could not resolve host: example.invalid"),
    _said("only-in-code", _T.NETWORK_ERROR, "http_fetch", _PAGE, "fetch failed", code="ECONNRESET"),
    _shell("git", _T.NETWORK_ERROR, f"git clone {REPOSITORY}", 128,
           f"fatal: unable to access '{REPOSITORY}/': Could not resolve host: github.com"),
)  # fmt: skip
SYNTAX_ERROR = (
    _shell("bash", _T.SYNTAX_ERROR, "echo )", 2, "bash: -c: line 1: syntax error near unexpected token `)'"),
    _shell("python", _T.SYNTAX_ERROR, "python3 a.py", 1,
           '  File "a.py", line 3\n    def f(:\n          ^\nSyntaxError: invalid syntax'),
    _shell("node", _T.SYNTAX_ERROR, "node a.js", 1, "a.js:4\n}\n^\n\nSyntaxError: Unexpected token '}'"),
    _said("message", _T.SYNTAX_ERROR, "run_bash", {"command": "python3 -c 'x ='"}, "SyntaxError: invalid syntax"),
)  # fmt: skip
ENVIRONMENT_MISSING = (
    _shell("python-module", _T.ENVIRONMENT_MISSING, "python3 a.py", 1,
           "Traceback (most recent call last):\nModuleNotFoundError: No module named 'requests'"),
    _shell("node-module", _T.ENVIRONMENT_MISSING, "node a.js", 1,
           "Error: Cannot find module 'express'\nRequire stack:\n- /srv/a.js\n  code: 'MODULE_NOT_FOUND'"),
    _said("variable", _T.ENVIRONMENT_MISSING, "run_bash", {"command": "./deploy.sh"},
          "Environment variable DEPLOY_TOKEN is not set"),
    _said("only-in-code", _T.ENVIRONMENT_MISSING, "run_bash", {"command": "node a.js"}, "failed",
          code="MODULE_NOT_FOUND"),
)  # fmt: skip

OF_TYPE: Mapping[ErrorType, tuple[Failure, ...]] = {
    _T.TOOL_NOT_FOUND: TOOL_NOT_FOUND,
    _T.COMMAND_NOT_FOUND: COMMAND_NOT_FOUND,
    _T.PERMISSION_DENIED: PERMISSION_DENIED,
    _T.INVALID_ARGUMENTS: INVALID_ARGUMENTS,
    _T.TIMEOUT: TIMEOUT,
    _T.OUTPUT_TOO_LARGE: OUTPUT_TOO_LARGE,
    _T.RATE_LIMITED: RATE_LIMITED,
    _T.NETWORK_ERROR: NETWORK_ERROR,
    _T.SYNTAX_ERROR: SYNTAX_ERROR,
    _T.ENVIRONMENT_MISSING: ENVIRONMENT_MISSING,
}
FIRST: Mapping[ErrorType, Failure] = {kind: found[0] for kind, found in OF_TYPE.items()}
GIT, READ, WRITE = COMMAND_NOT_FOUND[0], PERMISSION_DENIED[1], PERMISSION_DENIED[0]
REPO_BROWSER, SLOW = TOOL_NOT_FOUND[0], TIMEOUT[0]

# nothing in them says what kind of failure it is
UNKNOWN = (
    _said("no-reason", _T.UNKNOWN, "run_bash", {"command": "make"}, "failed"),
    _shell("assertion", _T.UNKNOWN, "python3 -c 'assert 0'", 1, "AssertionError"),
    _said("frozen-lake", _T.UNKNOWN, "read_file", _NOTES, "the lake is frozen"),
)

# they hold the words of a type they are not of; ``type`` is what they are, where that is beyond doubt
LOOK_ALIKES = (
    _shell("line-4290", _T.SYNTAX_ERROR, "python3 a.py", 1,
           '  File "a.py", line 4290\n    x = = 1\nSyntaxError: invalid syntax'),
    _shell("404", None, "curl -f https://example.com/x", 22, "curl: (22) The requested URL returned error: 404"),
    _shell("rate-limit-test", None, "pytest -q", 1,
           "FAILED tests/test_rate_limit.py::test_rate_limit_handling - assert 3 == 4\n1 failed, 12 passed"),
    _shell("timeout-by-name", _T.SYNTAX_ERROR, "python3 timeout.py", 1,
           '  File "timeout.py", line 1\n    def (\nSyntaxError: invalid syntax'),
    _shell("permission-by-name", None, "pytest -q", 1,
           "FAILED tests/test_permission_denied.py::test_message - assert 'a' == 'b'"),
    _shell("exit-1270", None, "./count.sh", 1, "1270 lines", message="Command failed: exit code 1, after 1270 lines"),
    _shell("port-429", None, "./serve.sh", 1, "listening on port 4290 failed: 429 clients were told so"),
    _shell("network-by-name", _T.PERMISSION_DENIED, "cat network_error.log", 1,
           "cat: network_error.log: Permission denied"),
    _shell("command-in-text", None, "grep -r 'command not found' docs", 1, "", message="Command failed: exit code 1"),
)  # fmt: skip

# a person knows what they are, and a careful reader of words may take them for something else
DOUBTFUL = (
    _said("node-type", None, "read_file", {"path": 7},
          'TypeError [ERR_INVALID_ARG_TYPE]: The "path" argument must be of type string. Received type number (7)',
          code="ERR_INVALID_ARG_TYPE"),
    _shell("exit-126", None, "./run.sh", 126, "bash: ./run.sh: Permission denied"),
    _shell("unbound", None, "bash -u run.sh", 1, "run.sh: line 2: API_KEY: unbound variable"),
    _said("slow-page", None, "http_fetch", _PAGE, "Operation failed", code="ETIMEDOUT"),
    _shell("killed", None, "make", 137, "Killed", signal="SIGKILL"),
    _said("disk-full", None, "write_file", {"path": "a", "content": "x"}, "ENOSPC: no space left on device",
          code="ENOSPC"),
    _said("no-file", None, "read_file", {"path": "a"}, "ENOENT: no such file or directory, open 'a'", code="ENOENT"),
)  # fmt: skip

# of two types at once; the first of the order that is published, where there is one
DOUBLE = (
    _shell("127-and-denied", _T.COMMAND_NOT_FOUND, "git clone x", 127, "bash: git: Permission denied"),
    _shell("127-and-library", _T.COMMAND_NOT_FOUND, "./tool", 127,
           "./tool: error while loading shared libraries: libssl.so.1.1: cannot open shared object file"),
    _said("no-tool-and-127", None, "bash_tool", {"command": "git"}, "Command failed: exit code 127",
          code=127),
    _said("denied-and-timeout", None, "http_fetch", _PAGE, "Permission denied; the request timed out"),
    _said("timeout-and-network", None, "http_fetch", _PAGE, "connect ETIMEDOUT 203.0.113.7:443", code="ETIMEDOUT"),
    _shell("syntax-and-module", None, "python3 a.py", 1,
           "SyntaxError: invalid syntax\nModuleNotFoundError: No module named 'x'"),
    _said("rate-and-network", None, "http_fetch", _PAGE, "connect ECONNRESET after HTTP 429 Too Many Requests",
          code="ECONNRESET"),
    _said("code-and-text", None, "read_file", {"path": "/srv/a"}, "Operation timed out", code="EACCES"),
)  # fmt: skip


def missing(program: str, command: str) -> Failure:
    """That program is not there, as bash says it."""
    return _shell(program, ErrorType.COMMAND_NOT_FOUND, command, 127, f"bash: line 1: {program}: command not found")
