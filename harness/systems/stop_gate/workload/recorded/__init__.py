"""Transcripts in the shapes that hosts write, recorded with a scripted model; every word in them is ours.

Each is the same session: a question, a list of work with open items, a file, a stop that a hook blocks, a command, the
list with all items done, an answer, a stop. Kept are the kinds of lines, their keys and their order; what a host wrote
into them of its own (instructions, reminders, tools, counts) is not, and what changes from run to run stands for one
session. tests/hosts/test_recorded_transcripts.py plays it on the real hosts and compares. Source: claude-code 2.1.328,
codex 0.169.0, qwen-code 0.24.4, gemini-cli 0.61.0. What a subagent does stands in files of its own.
"""

from collections.abc import Mapping
from typing import Final

from harness.systems.stop_gate.workload.recorded.claude_code import claude_code, conversation
from harness.systems.stop_gate.workload.recorded.codex import codex
from harness.systems.stop_gate.workload.recorded.gemini_cli import gemini_cli
from harness.systems.stop_gate.workload.recorded.qwen_code import qwen_code
from harness.systems.stop_gate.workload.recorded.words import OPEN_END, PLAIN, Recorded

RECORDED: Final[Mapping[str, Recorded]] = {
    "claude-code": claude_code(),
    "codex": codex(),
    "qwen-code": qwen_code(),
    "gemini-cli": gemini_cli(),
}
THREE_FORMS: Final = ("claude-code", "codex")
"""Whose lines have a form that stop-hook-contract.md names, in which a gate has to find what was said."""
CONVERSATIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "answer": conversation(PLAIN),
    "question": conversation(OPEN_END),
}
"""Sessions of Claude Code without tool calls, by how they end."""

__all__ = ["CONVERSATIONS", "RECORDED", "THREE_FORMS"]
