"""The summary of a session that may end (004, section 9, 6.2 and 8.2). Pure."""

from collections.abc import Sequence

from harness.systems.stop_gate.contract import (
    NO_FILES_TEXT,
    SUMMARY_CUT_MARK,
    SUMMARY_LIMIT_CHARACTERS,
    UNKNOWN_OBJECTIVE,
)
from harness.systems.stop_gate.reference import json_text
from harness.systems.stop_gate.reference.considerations import Question, changed_paths
from harness.systems.stop_gate.reference.transcript import Message


class SummaryWriter:
    """Writes the text of one summary."""

    def text(self, messages: Sequence[Message], warnings: Sequence[Question]) -> str:
        """The whole text, encodable and cut to its limit."""
        parts = ["# Session summary", "", "## Objective", self.objective(messages)]
        parts += ["", "## Files changed", self.files(messages)]
        if warnings:
            parts += ["", "## Warnings", self.warnings(warnings)]
        return self.cut(json_text.encodable("\n".join(parts) + "\n"))

    def objective(self, messages: Sequence[Message]) -> str:
        """The first user message that says something, or the placeholder (PS-CON-02, PS-SUM-01)."""
        asked = (message.text for message in messages if message.role == "user" and message.text.strip())
        return next(asked, UNKNOWN_OBJECTIVE[0])

    def files(self, messages: Sequence[Message]) -> str:
        """One line a changed file in the order of its first change, or the sentence that there is none (PS-SUM-02)."""
        paths = dict.fromkeys(path for message in messages for tool in message.tools for path in changed_paths(tool))
        if not paths:
            return NO_FILES_TEXT
        return "\n".join("- " + path.replace("\n", "\\n").replace("\r", "\\r") for path in paths)

    def warnings(self, warnings: Sequence[Question]) -> str:
        """One line a failed consideration (PS-PRM-03)."""
        return "\n".join(
            f"- {question.id}: {question.title}" if question.title else f"- {question.id}" for question in warnings
        )

    def cut(self, text: str) -> str:
        """At most 100,000 characters, and the mark behind them when there were more (PS-SUM-03)."""
        if len(text) <= SUMMARY_LIMIT_CHARACTERS:
            return text
        return text[:SUMMARY_LIMIT_CHARACTERS] + SUMMARY_CUT_MARK
