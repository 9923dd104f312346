"""What the templates permission_denied, timeout and tool_not_found of document 001 say, a step each."""

import difflib
import posixpath
from collections.abc import Mapping
from typing import Any

from harness.systems.diagnosis.contract import BUILT_IN_TOOLS, SHELLS, Approach, Tool
from harness.systems.diagnosis.reference.hostile import line
from harness.systems.diagnosis.reference.steps import (
    Case,
    Step,
    Strategy,
    Toolbox,
    archive_of,
    made,
    program_of,
    quoted,
    repeated,
)
from harness.systems.diagnosis.reference.subjects import path_of, url_of

FAMILIES: tuple[frozenset[str], ...] = (
    frozenset({"run_bash", "shell", "bash", "sh", "exec", "terminal", "execute_command", "run_command"}),
    frozenset({"read_file", "cat", "open_file", "view", "file_read", "get_file"}),
    frozenset({"read_dir", "ls", "list_dir", "list_files", "list_directory", "glob"}),
    frozenset({"write_file", "edit_file", "create_file", "file_write", "save_file"}),
    frozenset({"http_fetch", "fetch", "web_fetch", "browser", "repo_browser", "curl", "web_search", "download"}),
    frozenset({"search", "grep", "find", "search_files", "code_search"}),
)
"""Names of tools that do much the same."""

DEFAULT_LIMIT_S = 60.0
RAISED = 4
LONGEST_LIMIT_S = 3600.0
LEAST_LIKENESS = 0.6


# -- permission_denied


def sandbox_bounds(case: Case) -> list[Strategy | None]:
    """Step 1: is it within TOOLS_FS_ROOT?"""
    box, path = Toolbox(case.failure), _denied(case)
    look = box.listed(f"List TOOLS_FS_ROOT, the sandbox ({line(case.root, 80)})", case.root, "What may be used there")
    where = box.run(
        f"See where {line(path, 80)} lies", quoted("realpath", "-m", "--", path), f"A path below {case.root}, or not"
    )
    what = f"Check whether {line(path, 80)} lies within the bounds of the sandbox TOOLS_FS_ROOT"
    return [made("check_sandbox_bounds", Approach.SANDBOX_BOUNDS, what, 0.8, 1, look, where)]


def allowed_directory(case: Case) -> list[Strategy | None]:
    """Step 2: the same in a directory that is allowed."""
    failure, box, path = case.failure, Toolbox(case.failure), _denied(case)
    allowed = posixpath.join(case.root, posixpath.basename(path.rstrip("/")) or "file")
    if allowed == path:
        allowed = posixpath.join(case.root, "recovered", posixpath.basename(path))
    name = next((name for name, value in failure.args.items() if value == path), None)
    words = program_of(failure)
    again: Step | None = None
    if name is not None and failure.whole:
        args = {**failure.args, name: allowed}
        again = box.use(failure.tool, f"Do the same at {line(allowed, 80)}", args, "It is done")
    elif path in words:
        command = quoted(*(allowed if word == path else word for word in words))
        again = box.run(f"Do the same at {line(allowed, 80)}", command, "It is done")
    command = quoted("mkdir", "-p", "--", posixpath.dirname(allowed))
    make = box.run("Make sure that the directory is there", command, "The directory is there")
    probe = None if again or make else box.listed("Choose a place in the allowed directory", case.root, "A place")
    what = f"Work in the allowed directory {line(case.root, 80)}"
    return [made("use_allowed_directory", Approach.ALLOWED_DIRECTORY, what, 0.7, 2, make, again, probe)]


def _denied(case: Case) -> str:
    path = path_of(case.failure)
    return path or (case.subject if case.subject.startswith(("/", "~", ".")) else ".")


# -- timeout


def reduced_scope(case: Case) -> list[Strategy | None]:
    """Step 1: fewer files, a smaller part."""
    failure, box = case.failure, Toolbox(case.failure)
    place = path_of(failure) or "."
    look = box.run(
        "See what there is, and choose a smaller part",
        f"{quoted('ls', '-A', '--', place)} | head -n 20",
        "A smaller part",
    )
    if look is None:
        look = box.use(Tool.READ_DIR, "See what there is, and choose a smaller part", {"path": place}, "A smaller part")
    if look is None and failure.whole and failure.tool not in SHELLS:
        look = box.use(failure.tool, "Ask for a smaller part", {**failure.args, "limit": 100}, "A part of it")
    what = f"Reduce the scope of what {line(case.subject, 60)} does: fewer files, a smaller part"
    return [made("reduce_scope", Approach.REDUCED_SCOPE, what, 0.7, 2, look)]


def streaming(case: Case) -> list[Strategy | None]:
    """Step 2: in the background or in chunks, so that what is done is not lost."""
    failure, box = case.failure, Toolbox(case.failure)
    again = repeated(failure.command) if failure.command else None
    if again is not None:
        start = box.run(
            "Start it in the background, with its output in a file",
            f"nohup sh -c {quoted(again)} > recovery.log 2>&1 &",
            "It runs without a limit",
        )
        follow = box.run(
            "Read its output as it comes", quoted("tail", "-n", "50", "recovery.log"), "What was done so far"
        )
        return [_streamed(start, follow)]
    url = url_of(failure)
    if url:
        return [
            _streamed(
                box.run(
                    "Download it in parts that can be resumed",
                    quoted("curl", "-fL", "-C", "-", "-O", "--", url),
                    "The file",
                )
            )
        ]
    if failure.whole and failure.tool not in SHELLS:
        return [
            _streamed(
                box.use(
                    failure.tool, "Ask for the first chunk", {**failure.args, "offset": 0, "limit": 1000}, "A chunk"
                )
            )
        ]
    return []


def raised_limit(case: Case) -> list[Strategy | None]:
    """Step 3: more time."""
    failure, box = case.failure, Toolbox(case.failure)
    args = _with_more_time(failure.args)
    if failure.command:
        again = repeated(failure.command)
        name = next(name for name, value in failure.args.items() if value == failure.command)
        args = {**args, name: again} if again is not None else {}
    if not args or not failure.whole:
        return []
    limit_s = args["timeout_s"]
    again_with = box.use(failure.tool, f"Do it again with a limit of {limit_s:g} s", args, "It ends within its limit")
    return [
        made("raise_time_limit", Approach.RAISED_LIMIT, f"Raise the time limit to {limit_s:g} s", 0.5, 1, again_with)
    ]


def _streamed(*steps: Step | None) -> Strategy | None:
    what = "Stream the output, or work in chunks, so that nothing has to end at once"
    return made("stream_or_chunk", Approach.STREAMING, what, 0.6, 2, *steps)


def _with_more_time(args: Mapping[str, Any]) -> dict[str, Any]:
    found = args.get("timeout_s")
    has_limit = isinstance(found, int | float) and not isinstance(found, bool) and found > 0
    limit_s = float(found) if has_limit and found is not None else DEFAULT_LIMIT_S
    return {**args, "timeout_s": max(limit_s * 2, min(limit_s * RAISED, LONGEST_LIMIT_S))}


# -- tool_not_found


def similar_tool(case: Case) -> list[Strategy | None]:
    """Step 1: an available tool that does much the same."""
    failure = case.failure
    box = Toolbox(failure, without=failure.tool)
    kin = frozenset[str]().union(*(family for family in FAMILIES if failure.tool.casefold() in family))
    alike = difflib.get_close_matches(failure.tool[:80], box.tools, n=1, cutoff=LEAST_LIKENESS)
    found = next((tool for tool in box.tools if tool.casefold() in kin), alike[0] if alike else None)
    if found is None:
        return []
    args = _fitting(found, case)
    step = (
        box.use(found, f"Use {line(found, 60)} for the same goal", args, "It does what was asked for") if args else None
    )
    what = f"Use the available tool {line(found, 60)}, which is similar to {line(failure.tool, 60)}"
    return [made("use_similar_tool", Approach.SIMILAR_TOOL, what, 0.8, 2, step)]


def built_in(case: Case) -> list[Strategy | None]:
    """Step 2: run_bash, read_file and the like."""
    failure = case.failure
    box = Toolbox(failure, without=failure.tool)
    found: list[Strategy | None] = []
    for tool in (*BUILT_IN_TOOLS, Tool.SHELL):
        args = _fitting(tool, case) if box.has(tool) else {}
        if args:
            step = box.use(tool, f"Use the built-in {tool} instead", args, "It does what was asked for")
            what = f"Use the built-in tool {tool} in place of {line(failure.tool, 60)}"
            found.append(made(f"use_built_in_{tool}", Approach.BUILT_IN, what, 0.7, 2, step))
    return found


def _fitting(tool: str, case: Case) -> dict[str, Any]:
    """Arguments for that tool from those of the call that failed; none when they do not tell enough."""
    failure = case.failure
    path, url, content = path_of(failure), url_of(failure), failure.args.get("content")
    if tool in SHELLS:
        return {"command": _as_command(case)}
    if tool == Tool.READ_DIR:
        return {"path": path or "."}
    if tool == Tool.WRITE_FILE:
        return {"path": path, "content": content} if path and isinstance(content, str) and failure.whole else {}
    if tool == Tool.READ_FILE:
        return {"path": path} if path and content is None else {}
    if tool == Tool.HTTP_FETCH:
        return {"url": url} if url else {}
    return dict(failure.args) if failure.whole else {}


def _as_command(case: Case) -> str:
    failure = case.failure
    path, url = path_of(failure), url_of(failure)
    if failure.command:
        return repeated(failure.command) or quoted("ls", "-la")
    archive = archive_of(failure)
    if archive is not None and ("repo" in failure.tool or "clone" in failure.goal.casefold()):
        fetch = quoted("curl", "-fL", "-o", f"{archive.name}.tar.gz", "--", archive.url)
        return f"{fetch} && {quoted('tar', '-xzf', f'{archive.name}.tar.gz')}"
    if url:
        return quoted("curl", "-fsSL", "--", url)
    pattern = next(
        (failure.args[name] for name in ("pattern", "query") if isinstance(failure.args.get(name), str)), None
    )
    if pattern is not None:
        return quoted("grep", "-rn", "-e", pattern, "--", path or ".")
    if path:
        return f"{quoted('cat', '--', path)} || {quoted('ls', '-la', '--', path)}"
    return quoted("ls", "-la")
