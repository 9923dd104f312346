"""The only list of hosts that can be run."""

from collections.abc import Mapping
from typing import Final

from harness.hosts.kind import HostKind
from harness.hosts.kinds.claude_code import ClaudeCode
from harness.hosts.kinds.codex import Codex
from harness.hosts.kinds.gemini_cli import GeminiCLI
from harness.hosts.kinds.kimi_code import KimiCode
from harness.hosts.kinds.qwen_code import QwenCode

KINDS: Final[Mapping[str, HostKind]] = {
    kind.name: kind for kind in (Codex(), ClaudeCode(), QwenCode(), GeminiCLI(), KimiCode())
}

__all__ = ["KINDS"]
