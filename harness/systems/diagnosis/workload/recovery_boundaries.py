"""What is proposed: the four templates walked to their ends, binaries that are missing, and hostile words. Level L1.

Each walk tells that recoveries failed until the user is asked, and once more.
"""

from collections.abc import Iterator, Mapping

from harness.core.scenario import Scenario
from harness.systems.diagnosis.contract import ErrorType, Flag
from harness.systems.diagnosis.workload.diagnosis_steps import ANY, ASKS, FULL, SILENT, Story, calm, scenario
from harness.systems.diagnosis.workload.failures import (
    FIRST,
    GIT,
    READ,
    REPOSITORY,
    SLOW,
    UNKNOWN,
    WRITE,
    Failure,
    missing,
)

TEMPLATES: Mapping[ErrorType, str] = {
    ErrorType.COMMAND_NOT_FOUND: "DR-REC-02",
    ErrorType.PERMISSION_DENIED: "DR-REC-03",
    ErrorType.TIMEOUT: "DR-REC-04",
    ErrorType.TOOL_NOT_FOUND: "DR-REC-05",
}
LONGEST_CHAIN = 8  # outcomes that are told of one failure: more than any template has strategies
MANY = {Flag.MAX_RECOVERY_ATTEMPTS.value: "9"}

# name, what git, curl and file tools are given: none of it may reach a shell as it is
HOSTILE: tuple[tuple[str, str], ...] = (
    ("substitution", "x$(touch pwned)y"),
    ("backticks", "x`touch pwned`y"),
    ("double-quote", 'x"; touch pwned; "y'),
    ("single-quote", "x'; touch pwned; 'y"),
    ("newline", "x\ntouch pwned\n"),
    ("semicolon", "x; touch pwned"),
    ("pipe", "x | touch pwned"),
    ("ampersand", "x && touch pwned &"),
    ("redirection", "x > pwned"),
    ("variable", "x${IFS}$HOME"),
    ("glob", "x*?[a]{b,c}~"),
    ("leading-dash", "-o pwned --exec=touch"),
    ("spaces", "a file  with spaces"),
    ("unicode", "caf\u00e9-\u65e5\u672c-\u202egnp"),
    ("backslash", "x\\$(touch pwned)\\"),
    ("comment", "x # touch pwned"),
    ("history", "x!!y!$"),
    ("carriage-return", "x\r\ntouch pwned"),
)
DASHED: Mapping[str, str] = {"options": "-rf", "long-option": "--exec=touch"}
PROGRAMS: Mapping[str, str] = {
    "wget": "wget https://example.com/a.tar.gz",
    "curl": "curl -LO https://example.com/a.tar.gz",
    "unzip": "unzip a.zip -d out",
    "python": "python build.py",
    "jq": "jq .name package.json",
    "frobnicate": "frobnicate --all",
}


def recovery_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    yield from _walked()
    yield from _attempts()
    yield from _missing()
    yield from _hostile()
    yield from _roots()


def template_of(kind: ErrorType) -> str:
    """The clause that says what is proposed after a failure of that type."""
    return TEMPLATES.get(kind, "DR-REC-06")


def _word(kind: ErrorType) -> str:
    return kind.value.replace("_", "-")


def _walked() -> Iterator[Scenario]:
    for kind, failure in FIRST.items():
        clauses = (template_of(kind),)
        yield scenario(
            f"walk-{_word(kind)}", f"Every recovery of {kind.value} fails: what is proposed in turn.",
            (*clauses, "DR-CFG-05", "DR-MEM-03"), calm().fail(failure).gave_up(LONGEST_CHAIN).ok(), SILENT,
            flags=MANY,
        )  # fmt: skip
        yield scenario(
            f"ends-{_word(kind)}", f"Two recoveries of {kind.value} fail, and the user is asked; then one more.",
            ("DR-REC-07", "DR-MEM-03"), calm().fail(failure).gave_up(2).ok().gave_up(1).ok(), SILENT,
        )  # fmt: skip
    for name, similar in (("ReadFile", "read_file"), ("bash", "run_bash"), ("fetch_url", "http_fetch")):
        failure = Failure("", ErrorType.TOOL_NOT_FOUND, name, {"path": "a.txt"}, {"message": "Tool not found"})
        word = name.lower().replace("_", "-")
        yield scenario(
            f"plan-similar-{word}", f"The tool {name} is not there, and {similar} is.", ("DR-CLS-03", "DR-REC-05"),
            calm().fail(failure, tools=(similar, "run_bash")), FULL,
        )  # fmt: skip
    yield scenario(
        "plan-unknown", "What is proposed after a failure that says nothing of itself.", ("DR-REC-06", "DR-REC-07"),
        calm().fail(UNKNOWN[0]).gave_up(2), ASKS,
    )  # fmt: skip


def _attempts() -> Iterator[Scenario]:
    limit = ("DR-REC-07", "DR-CFG-05")
    yield scenario(
        "attempts-one-fails", "One recovery fails: another one is proposed.", (*limit, "DR-TRG-04"),
        calm().fail().gave_up(1), ({"asks_user": False}, {}),
    )  # fmt: skip
    yield scenario(
        "attempts-two-fail", "Two recoveries fail: the user is asked.", limit, calm().fail().gave_up(2), ASKS
    )
    yield scenario(
        "attempts-second-works", "The first recovery fails, and the second succeeds.", ("DR-MEM-02", "DR-MEM-03"),
        calm().fail().gave_up(1).tried(success=True).ok(), SILENT,
    )  # fmt: skip
    yield scenario(
        "attempts-of-two-failures", "Recoveries of two failures fail in turn: of neither two have.", ("DR-TRG-04",),
        calm().fail(GIT, "a").fail(READ, "b").tried(success=False, call="a").tried(success=False, call="b"),
        ({"asks_user": False}, {"asks_user": True}, {}),
    )  # fmt: skip
    cascade = calm().fail(GIT, "a").tried(success=False, call="a").fail(SLOW, "b").tried(success=False, call="b")
    yield scenario(
        "attempts-cascade", "A recovery fails with a failure of its own, whose recovery fails, too.",
        ("DR-REC-07", "DR-MEM-03"), cascade.tried(success=False, call="a").tried(success=False, call="b").ok(), SILENT,
    )  # fmt: skip
    restarted = calm().fail(GIT, "a").gave_up(1).restart().tried(success=False, call="a")
    yield scenario(
        "attempts-restarted", "The process is another one between two failed recoveries.", ("DR-MEM-03",),
        restarted.ok(), SILENT,
    )  # fmt: skip


def _missing() -> Iterator[Scenario]:
    clauses = ("DR-CLS-02", "DR-REC-02", "DR-REC-08", "DR-OUT-10")
    yield scenario(
        "smoke-git", "git is missing: curl and tar take its place, as the document's smoke test wants.",
        ("DR-CLS-02", "DR-REC-02", "DR-OUT-10"), calm().fail(GIT).shown().tried(success=True).ok(), SILENT,
    )  # fmt: skip
    for program, command in PROGRAMS.items():
        yield scenario(
            f"smoke-{program}", f"The program {program} is missing.", ("DR-CLS-02", "DR-REC-02"),
            calm().fail(missing(program, command)).gave_up(2).ok(), SILENT,
        )  # fmt: skip
    for word, command in (
        ("ssh", "git clone git@github.com:gatewaybuddy/forgekeeper.git"),
        ("branch", f"git clone --branch dev --depth 1 {REPOSITORY}.git keeper"),
        ("pull", "git pull --rebase"),
        ("quoted", f"git clone '{REPOSITORY}' 'a folder'"),
        ("in-a-row", f"cd src && git clone {REPOSITORY} && ls"),
        ("unbalanced", "git clone 'https://example.com/x"),
    ):
        yield scenario(
            f"smoke-git-{word}", f"git is missing, in another command ({word}).", clauses[:2],
            calm().fail(missing("git", command)).gave_up(1), ANY,
        )  # fmt: skip


def _hostile() -> Iterator[Scenario]:
    clauses = ("DR-REC-08", "DR-OUT-07")
    for word, text in HOSTILE:
        url = f"https://example.com/{text}"
        yield scenario(
            f"hostile-url-{word}", f"The address that git was given is hostile: {word}.", clauses,
            _each_plan(missing("git", f"git clone {url}"), missing("wget", f"wget {url}")), ANY,
        )  # fmt: skip
        file = Failure(
            "", ErrorType.PERMISSION_DENIED, "write_file", {"path": f"/srv/{text}", "content": text},
            {"message": f"EACCES: permission denied, open '/srv/{text}'", "code": "EACCES"},
        )  # fmt: skip
        page = Failure("", ErrorType.TIMEOUT, "http_fetch", {"url": url}, {"message": f"Timed out: {url}", "code": 124})
        yield scenario(
            f"hostile-path-{word}", f"The path that a tool was given is hostile: {word}.", clauses,
            _each_plan(file, page), ANY,
        )  # fmt: skip
        said = {"message": f"{text}: failed", "stderr": f"bash: {text}: command not found", "code": 127}
        yield scenario(
            f"hostile-message-{word}", f"What a command said is hostile: {word}.", clauses,
            _each_plan(Failure("", ErrorType.COMMAND_NOT_FOUND, "run_bash", {"command": text}, said)), ANY,
        )  # fmt: skip
    yield from _dashed()
    tool = Failure("", None, "x; touch pwned", {"$(touch pwned)": "`touch pwned`"}, {"message": "Tool not found"})
    yield scenario(
        "hostile-tool", "The name of a tool and of its argument are hostile.", ("DR-CLS-03", *clauses[1:]),
        _each_plan(tool), ANY,
    )  # fmt: skip


def _dashed() -> Iterator[Scenario]:
    """Nothing but a name that looks like an option, to tools of files, in three types of failure."""
    for word, path in DASHED.items():
        for kind, message in (
            ("invalid-arguments", f"Invalid arguments: invalid value for parameter 'path': {path}"),
            ("unknown", "failed"),
            ("syntax-error", "SyntaxError: invalid syntax"),
        ):
            error = {"message": message, "code": 1}
            read = Failure("", None, "read_file", {"path": path}, error)
            written = Failure("", None, "write_file", {"path": path, "content": "x"}, error)
            yield scenario(
                f"hostile-dash-{word}-{kind}", f"A file is called {path}, and using it fails: {kind}.",
                ("DR-OUT-07",), _each_plan(read, written), ANY,
            )  # fmt: skip


def _each_plan(*failures: Failure) -> Story:
    """Each plan that there is for these failures is asked for."""
    story = calm()
    for failure in failures:
        story.fail(failure).gave_up(2).shown()
    return story


def _roots() -> Iterator[Scenario]:
    for word, root in (
        ("project", "{project}"), ("spaces", "{home}/my files"), ("quote", "{home}/o'work"), ("slash", "{home}/files/"),
        ("root", "/"), ("substitution", "{home}/$(touch pwned)"), ("relative", "workspace"), ("empty", ""),
    ):  # fmt: skip
        yield scenario(
            f"sandbox-{word}", f"TOOLS_FS_ROOT is another directory: {word}.", ("DR-REC-03",),
            calm().fail(WRITE).gave_up(2).fail(READ), FULL, config={"tools_fs_root": root},
        )  # fmt: skip
    inside = Failure(
        "", ErrorType.PERMISSION_DENIED, "write_file", {"path": "{home}/workspace/a.txt", "content": "x"},
        {"message": "EACCES: permission denied, open '{home}/workspace/a.txt'", "code": "EACCES"},
    )  # fmt: skip
    yield scenario(
        "sandbox-inside",
        "The path that was refused is in the sandbox.",
        ("DR-REC-03",),
        calm().fail(inside),
        FULL,
    )
