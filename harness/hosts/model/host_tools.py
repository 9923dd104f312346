"""What each host calls the neutral tools; the table is data, made from the tools of real requests."""

from collections.abc import Mapping
from functools import cache
from importlib import resources

import msgspec

from harness.hosts.model.lines import HostTool
from harness.hosts.story import Tool


def tools_of(host_name: str) -> Mapping[str, HostTool]:
    """The tools of a host by neutral name; what it has not is missing. KeyError for a host that is not in the table."""
    return _table()[host_name]


@cache
def _table() -> Mapping[str, dict[str, HostTool]]:
    data = resources.files("harness.hosts.model").joinpath("tools.yaml").read_bytes()
    table = msgspec.yaml.decode(data, type=dict[str, dict[Tool, HostTool]])
    return {host: {str(tool): how for tool, how in tools.items()} for host, tools in table.items()}
