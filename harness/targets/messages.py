"""The messages of the stdio carrier: JSON-RPC 2.0, one a line. Validated on both sides, always.

Published as ``protocol.schema.json``. ``<system>/<operation>`` takes the operation's arguments and ``now``.
"""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

PROTOCOL_VERSION = 1


class InitializeParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The first message: the protocol versions we speak, and who we are."""

    protocolVersions: tuple[int, ...]  # noqa: N815 - a name on the wire
    harness: str


class Implementation(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Who is being certified."""

    name: str
    version: str
    language: str = ""
    homepage: str = ""


class SystemSupport(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What of one system it has: clauses declared not implemented, with the reason, and optional groups."""

    not_implemented: Mapping[str, str] = msgspec.field(default_factory=dict)
    groups: tuple[str, ...] = ()


class InitializeResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The answer: the version chosen, the systems implemented, whose clock it uses, and whether it can be restarted."""

    protocolVersion: int  # noqa: N815 - a name on the wire
    implementation: Implementation
    systems: Mapping[str, SystemSupport]
    clock: Literal["virtual", "system"] = "virtual"
    restart: bool = True


class WorkdirParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``reset`` (fresh state in an empty directory) and ``open`` (pick up what is on disk). ``now``: RFC 3339, UTC."""

    workdir: str
    config: Mapping[str, Any]
    now: str


def schema() -> dict[str, Any]:
    """The JSON Schema of every message we define, by name."""
    kinds = (InitializeParams, InitializeResult, WorkdirParams)
    _, definitions = msgspec.json.schema_components(kinds, ref_template="#/$defs/{name}")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": definitions}
