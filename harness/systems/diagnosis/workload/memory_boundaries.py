"""The memories and the context log: found as others left them, or damaged. Level L1.

Whatever stands in them is kept byte for byte, and what is appended is found by the next operation.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Final

from harness.core.scenario import FileSpec, Scenario
from harness.systems.diagnosis.contract import CONTEXT_LOG_PATH, EPISODIC_MEMORY_PATH, SESSION_MEMORY_PATH
from harness.systems.diagnosis.workload.diagnosis_steps import SILENT, Story, calm, scenario
from harness.systems.diagnosis.workload.failures import GIT, READ

FILES: Final[Mapping[str, str]] = {
    "session": SESSION_MEMORY_PATH,
    "episodic": EPISODIC_MEMORY_PATH,
    "log": CONTEXT_LOG_PATH,
}
CLAUSE_OF: Final[Mapping[str, str]] = {"session": "DR-MEM-01", "episodic": "DR-MEM-02", "log": "DR-LOG-01"}
_HARD = ("unended", "torn", "torn-only", "junk", "values", "binary")
_LONG_BYTES = 64 * 1024

# the example of the document, with the fields that it says are there already
SESSION_LINE: Final = json.dumps(
    {
        "task_type": "repository_clone",
        "tools_used": ["shell"],
        "failure_diagnosis": {
            "immediate_cause": "git command not found",
            "root_cause": "missing_binary_in_container",
            "why_chain": ["a", "b", "c", "d", "e"],
            "recovery_attempted": [
                {"strategy": "curl_download_and_extract", "outcome": "success", "iterations_to_success": 3}
            ],
        },
        "learned_pattern": {"when": "git_command_not_found", "then": "use_curl_tar_fallback", "confidence": 0.95},
    }
)
EPISODIC_LINE: Final = json.dumps(
    {
        "summary": "cloned a repository",
        "error_encountered": {
            "type": "missing_binary",
            "tool": "shell",
            "diagnosis": "git not in PATH",
            "root_cause": "container_environment",
        },
        "successful_recovery": {
            "strategy": "curl_download_and_extract",
            "tools": ["run_bash"],
            "iterations_to_success": 3,
            "confidence": 0.95,
        },
        "reusable_pattern": {
            "trigger": "command_not_found_error",
            "action": "suggest_curl_tar_fallback",
            "success_rate": 0.9,
        },
    }
)
LOG_LINE: Final = json.dumps({"id": "01J9YH", "actor": "user", "act": "message", "conv_id": "c_7e", "text": "clone it"})
_LINES: Mapping[str, str] = {"session": SESSION_LINE, "episodic": EPISODIC_LINE, "log": LOG_LINE}


def memory_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    yield from _written()
    for word, path in FILES.items():
        for shape, said, spec in _shapes(_LINES[word]):
            yield scenario(
                f"{word}-{shape}", f"The file {path.rpartition('/')[2]} is there, and {said}.",
                (CLAUSE_OF[word], "DR-TRG-01", *(("DR-MEM-04",) if shape in _HARD else ())), _used(), SILENT,
                files={path: spec},
            )  # fmt: skip
        yield scenario(
            f"{word}-directory", f"A directory stands at {path.rpartition('/')[2]}: failures are diagnosed.",
            ("DR-TRG-01",), _used(), SILENT, files={path: FileSpec("directory")},
        )  # fmt: skip
    everything = {path: FileSpec(text=_LINES[word] + "\n") for word, path in FILES.items()}
    yield scenario(
        "memories-of-others", "All three files hold records of others.", tuple(CLAUSE_OF.values()), _used(), SILENT,
        files=everything,
    )  # fmt: skip


def _used() -> Story:
    """Everything is written and learned once, then found by another process."""
    return calm().fail(GIT).tried(success=True).fail(READ).gave_up(1).ok().restart().fail(GIT).ok()


def _written() -> Iterator[Scenario]:
    yield scenario(
        "memory-after-each", "The files after a failure, each outcome, and a success.",
        ("DR-MEM-01", "DR-MEM-02", "DR-MEM-03", "DR-LOG-01", "DR-LOG-02", "DR-LRN-01"),
        calm().fail(GIT).ok().gave_up(1).ok().tried(success=True).ok().fail(READ).ok(), SILENT,
    )  # fmt: skip
    yield scenario(
        "memory-failure", "A recovery that failed is stored as well.", ("DR-MEM-01", "DR-MEM-02", "DR-MEM-03"),
        calm().fail(READ).gave_up(2).ok(), SILENT,
    )  # fmt: skip
    yield scenario(
        "memory-untouched", "Successes, prompts and reports append nothing.", ("DR-TRG-01",),
        calm().fail(GIT).shown().ok().shown().ok(), SILENT,
    )  # fmt: skip
    gone = calm().fail(GIT).tried(success=True).ok()
    for path in FILES.values():
        gone.fault("filesystem.missing", path)
    yield scenario(
        "memory-set-aside", "All files are set aside while a process runs: new ones are begun.",
        ("DR-MEM-01", "DR-MEM-02", "DR-LOG-01"), gone.fail(READ).gave_up(1).ok(), SILENT,
    )  # fmt: skip


def _shapes(line: str) -> Iterator[tuple[str, str, FileSpec]]:
    """Ways in which the file may be found."""
    odd = '"\\ud800 half a pair"'
    for shape, said, text in (
        ("empty", "is empty", ""),
        ("foreign", "holds a record of another writer", f"{line}\n"),
        ("unended", "its last line has no end", line),
        ("torn", "its last line is torn", f"{line}\n{line[: len(line) // 2]}"),
        ("torn-only", "its only line is torn", line[:20]),
        ("junk", "holds lines that are nothing", f"{line}\n\x07 junk\n{{\n{line}\n"),
        ("values", "holds JSON that is no record", f'5\n[1, 2]\n"text"\nnull\ntrue\n{{}}\n{odd}\n{line}\n'),
        ("blank", "holds blank lines", f"\n\n{line}\n  \n\n"),
        ("nul", "holds NUL bytes", f"{line}\n\x00\x00\x00\n{line}\n"),
        ("windows", "has Windows line ends", f"{line}\r\n{line}\r\n"),
        ("bom", "begins with a byte order mark", f"\ufeff{line}\n"),
        ("wrong-types", "holds records with other types",
         '{"failure_diagnosis": 5, "learned_pattern": [], "error_encountered": "x", '
         '"successful_recovery": {"tools": 3}, "metadata": null, '
         '"reusable_pattern": {"trigger": null, "action": 7, "success_rate": "high"}}\n'),
        ("huge-line", "holds a line of 64 KiB", f"{line}\n{'x' * _LONG_BYTES}\n{line}\n"),
    ):  # fmt: skip
        yield shape, said, FileSpec(text=text)
    yield "binary", "is no UTF-8", FileSpec(base64=b"\xff\xfe\x00binary\n\xc3(\n" + line.encode() + b"\n")
