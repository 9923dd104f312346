"""OpenAI's Codex CLI."""

import math
from collections.abc import Mapping, Sequence

import msgspec

from harness.hosts.kind import STOP, SUBAGENT_STOP, Conditions, HookSetting, as_json, hook_groups

_CONFIG = """\
model = "scripted"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"

[model_providers.scripted]
name = "scripted"
base_url = "{model}/v1"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1

[tools.update_plan]
enabled = true

[features]
hooks = true

[projects."{{project}}"]
trust_level = "trusted"
"""


def _in_whole_seconds(hooks: Sequence[HookSetting]) -> list[HookSetting]:
    """It reads no settings at all with a time-out that is none."""
    return [msgspec.structs.replace(hook, timeout_s=math.ceil(hook.timeout_s)) for hook in hooks]


class Codex:
    """See HostKind. Its own sandbox is off: it runs in ours, where another one may not be had."""

    name = "codex"
    program = "codex"
    runtime = ""
    can_be_ephemeral = True
    asks_again = True
    project_settings: tuple[str, ...] = (".codex/config.toml", ".codex/hooks.json")
    blocks_by = "block"

    def events(self) -> Mapping[str, str]:
        """See HostKind."""
        return {STOP: "Stop", SUBAGENT_STOP: "SubagentStop"}

    def files(self, hooks: Sequence[HookSetting], model: str) -> Mapping[str, str]:
        """See HostKind."""
        return {
            "{home}/.codex/config.toml": _CONFIG.format(model=model),
            "{home}/.codex/hooks.json": as_json({"hooks": hook_groups(_in_whole_seconds(hooks), self.events())}),
        }

    def arguments(self, prompt: str, conditions: Conditions) -> tuple[str, ...]:
        """See HostKind."""
        # its hooks are ours: nobody is there to be asked whether they may run
        trusted = ("exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust")
        return (*trusted, *(("--ephemeral",) if conditions.ephemeral else ()), prompt)

    def environment(self, model: str) -> Mapping[str, str]:
        """See HostKind."""
        return {"CODEX_HOME": "{home}/.codex"}
