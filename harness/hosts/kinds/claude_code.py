"""Anthropic's Claude Code."""

from collections.abc import Mapping, Sequence

from harness.hosts.kind import STOP, SUBAGENT_STOP, Conditions, HookSetting, as_json, hook_groups


class ClaudeCode:
    """See HostKind."""

    name = "claude-code"
    program = "claude"
    runtime = ""
    can_be_ephemeral = True
    asks_again = True
    project_settings: tuple[str, ...] = (".claude/settings.json", ".claude/settings.local.json")
    blocks_by = "block"

    def events(self) -> Mapping[str, str]:
        """See HostKind."""
        return {STOP: "Stop", SUBAGENT_STOP: "SubagentStop"}

    def files(self, hooks: Sequence[HookSetting], model: str) -> Mapping[str, str]:
        """See HostKind."""
        settings = {"hooks": hook_groups(hooks, self.events()), "permissions": {"defaultMode": "bypassPermissions"}}
        return {"{home}/.claude/settings.json": as_json(settings)}

    def arguments(self, prompt: str, conditions: Conditions) -> tuple[str, ...]:
        """See HostKind."""
        return ("-p", *(("--no-session-persistence",) if conditions.ephemeral else ()), prompt)

    def environment(self, model: str) -> Mapping[str, str]:
        """See HostKind."""
        return {
            "CLAUDE_CONFIG_DIR": "{home}/.claude",
            "ANTHROPIC_BASE_URL": model,
            "ANTHROPIC_API_KEY": "scripted",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
            "CLAUDE_CODE_ENABLE_TODO_TOOLS": "1",  # the lists that hooks look for
            "CLAUDE_CODE_ENABLE_TASKS": "0",
            "IS_SANDBOX": "1",  # who is root may let tools run unasked only where it is said that this is a sandbox
        }
