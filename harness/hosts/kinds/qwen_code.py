"""Alibaba's Qwen Code."""

from collections.abc import Mapping, Sequence

from harness.hosts.kind import STOP, SUBAGENT_STOP, Conditions, HookSetting, as_json, hook_groups


class QwenCode:
    """See HostKind."""

    name = "qwen-code"
    program = "qwen"
    runtime = ""
    can_be_ephemeral = False
    asks_again = True
    project_settings: tuple[str, ...] = (".qwen/settings.json",)
    blocks_by = "block"

    def events(self) -> Mapping[str, str]:
        """See HostKind."""
        return {STOP: "Stop", SUBAGENT_STOP: "SubagentStop"}

    def files(self, hooks: Sequence[HookSetting], model: str) -> Mapping[str, str]:
        """See HostKind."""
        settings = {
            "hooks": hook_groups(hooks, self.events()),
            "security": {"auth": {"selectedType": "openai"}},
            "model": {"name": "scripted"},
            "telemetry": {"enabled": False},
            "privacy": {"usageStatisticsEnabled": False},
            "tools": {"todoWrite": {"enabled": True}},  # the lists that hooks look for
            "general": {"enableAutoUpdate": False},
        }
        return {"{home}/.qwen/settings.json": as_json(settings)}

    def arguments(self, prompt: str, conditions: Conditions) -> tuple[str, ...]:
        """See HostKind."""
        return ("--approval-mode", "yolo", "-p", prompt)

    def environment(self, model: str) -> Mapping[str, str]:
        """See HostKind."""
        return {
            "OPENAI_API_KEY": "scripted",
            "OPENAI_BASE_URL": f"{model}/v1",
            "OPENAI_MODEL": "scripted",
            "QWEN_CODE_NO_RELAUNCH": "true",  # else a signal meets only the parent of the process that works
        }
