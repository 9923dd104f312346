"""Moonshot AI's Kimi Code."""

import json
import math
from collections.abc import Mapping, Sequence

from harness.hosts.kind import STOP, SUBAGENT_STOP, Conditions, HookSetting

_CONFIG = """\
default_model = "scripted"
telemetry = false

[providers.scripted]
type = "openai"
base_url = "{model}/v1"
api_key = "scripted"

[models.scripted]
provider = "scripted"
model = "scripted"
max_context_size = 262144
capabilities = ["tool_use"]
"""
_HOOK = """
[[hooks]]
event = {event}
command = {command}
timeout = {seconds}
"""


class KimiCode:
    """See HostKind. At the stop after a block it ends without asking its hooks."""

    name = "kimi-code"
    program = "kimi"
    runtime = "node"  # it needs a newer one than machines have
    can_be_ephemeral = False
    asks_again = False
    project_settings: tuple[str, ...] = ()
    blocks_by = "exit_2"

    def events(self) -> Mapping[str, str]:
        """See HostKind."""
        return {STOP: "Stop", SUBAGENT_STOP: "SubagentStop"}

    def files(self, hooks: Sequence[HookSetting], model: str) -> Mapping[str, str]:
        """See HostKind."""
        listed = [self._listed(hook) for hook in hooks for _ in range(hook.listed)]
        return {"{home}/.kimi-code/config.toml": _CONFIG.format(model=model) + "".join(listed)}

    def _listed(self, hook: HookSetting) -> str:
        # a JSON string is a TOML string, too; it refuses a time-out that is no whole number of seconds
        event, command = json.dumps(self.events()[hook.event]), json.dumps(hook.text)
        return _HOOK.format(event=event, command=command, seconds=math.ceil(hook.timeout_s))

    def arguments(self, prompt: str, conditions: Conditions) -> tuple[str, ...]:
        """See HostKind."""
        return ("-p", prompt)  # which lets every tool run unasked

    def environment(self, model: str) -> Mapping[str, str]:
        """See HostKind."""
        return {
            "KIMI_CODE_HOME": "{home}/.kimi-code",
            "KIMI_CODE_NO_AUTO_UPDATE": "1",
            "KIMI_DISABLE_TELEMETRY": "1",
        }
