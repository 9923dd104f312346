"""Google's Gemini CLI, whose Stop is called AfterAgent."""

from collections.abc import Mapping, Sequence

from harness.hosts.kind import STOP, Conditions, HookSetting, as_json, hook_groups

_MILLISECONDS = 1000


class GeminiCLI:
    """See HostKind."""

    name = "gemini-cli"
    program = "gemini"
    runtime = ""
    can_be_ephemeral = False
    asks_again = True
    project_settings: tuple[str, ...] = (".gemini/settings.json",)
    blocks_by = "block"

    def events(self) -> Mapping[str, str]:
        """See HostKind."""
        return {STOP: "AfterAgent"}

    def files(self, hooks: Sequence[HookSetting], model: str) -> Mapping[str, str]:
        """See HostKind."""
        settings = {
            "hooks": hook_groups(hooks, self.events(), per_second=_MILLISECONDS),
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "telemetry": {"enabled": False},
            "privacy": {"usageStatisticsEnabled": False},
            "general": {"enableAutoUpdate": False},
        }
        return {"{home}/.gemini/settings.json": as_json(settings)}

    def arguments(self, prompt: str, conditions: Conditions) -> tuple[str, ...]:
        """See HostKind."""
        return ("-m", "gemini-2.5-flash", "--approval-mode", "yolo", "--skip-trust", "-p", prompt)

    def environment(self, model: str) -> Mapping[str, str]:
        """See HostKind."""
        return {
            "GEMINI_API_KEY": "scripted",
            "GOOGLE_GEMINI_BASE_URL": model,
            "GEMINI_CLI_NO_RELAUNCH": "true",  # else a signal meets only the parent of the process that works
        }
