"""The messages of the stdio carrier: JSON-RPC 2.0, one a line. Validated on both sides, always.

Published as ``protocol.schema.json``. ``<system>/<operation>`` takes the operation's arguments and ``now``.
"""

from collections.abc import Mapping
from typing import Any, Final, Literal

import msgspec

from harness.systems import registry

PROTOCOL_VERSION = 1
_ID: Final = {"type": "integer", "minimum": 1, "description": "ours, counted from 1 in each process"}
_NOW: Final = {"type": "string", "format": "date-time", "description": "the time of the call, RFC 3339, UTC"}
_CLOSED: Final = {"additionalProperties": False}


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


class ErrorObject(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Why a call was refused. ``code``: -32601 unknown method, -32602 wrong arguments, -32000 the implementation's."""

    code: int
    message: str
    data: Any = None


class Nothing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The answer to ``reset``, ``open`` and ``shutdown``, and the parameters of the last: an empty object."""


def schema() -> dict[str, Any]:
    """The JSON Schema of every line on the wire, and by name of what it is made of.

    ``calls`` and ``answers`` are told apart by who writes them; those of ``<system>/<operation>`` by their method.
    """
    kinds = (InitializeParams, InitializeResult, WorkdirParams, Nothing, ErrorObject)
    _, definitions = msgspec.json.schema_components(kinds, ref_template="#/$defs/{name}")
    calls = {
        "initialize": "#/$defs/InitializeParams",
        "reset": "#/$defs/WorkdirParams",
        "open": "#/$defs/WorkdirParams",
        "shutdown": "#/$defs/Nothing",
    }
    results = {"initialize": "#/$defs/InitializeResult", "reset": "#/$defs/Nothing", "open": "#/$defs/Nothing"}
    results["shutdown"] = "#/$defs/Nothing"
    for system in registry.every():
        definitions.update(_of_system(system))
        for operation, (arguments, result) in system.contract.OPERATIONS.items():
            method = f"{system.name}/{operation}"
            calls[method] = f"#/$defs/{system.name}.{arguments.__name__}"
            results[method] = f"#/$defs/{system.name}.{result.__name__}"
    definitions["call"] = {"title": "a line we write", "oneOf": [_call(*pair) for pair in calls.items()]}
    definitions["answer"] = {"title": "a line an implementation writes", "oneOf": [_success(results), _error()]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Protocol {PROTOCOL_VERSION} of the stdio carrier: JSON-RPC 2.0, one message a line, UTF-8",
        "anyOf": [{"$ref": "#/$defs/call"}, {"$ref": "#/$defs/answer"}],
        "$defs": definitions,
    }


def _of_system(system: registry.System) -> dict[str, Any]:
    """The types of a system's operations, its name before each; arguments take the time of the call besides."""
    operations = system.contract.OPERATIONS
    kinds = [kind for pair in operations.values() for kind in pair]
    _, plain = msgspec.json.schema_components(kinds, ref_template=f"#/$defs/{system.name}.{{name}}")
    for name in {arguments.__name__ for arguments, _ in operations.values()}:  # two operations may take the same
        found = plain[name]
        found["properties"] = {**found["properties"], "now": _NOW}
        found["required"] = [*found["required"], "now"]
    return {f"{system.name}.{name}": found for name, found in plain.items()}


def _call(method: str, params: str) -> dict[str, Any]:
    members = {"jsonrpc": {"const": "2.0"}, "method": {"const": method}, "params": {"$ref": params}, "id": _ID}
    return {"title": method, "type": "object", "properties": members, "required": list(members), **_CLOSED}


def _success(results: Mapping[str, str]) -> dict[str, Any]:
    # an answer does not name its method, so which of the results it has to be is known from its id alone
    any_of = [{"$ref": kind} for kind in dict.fromkeys(results.values())]
    members = {"jsonrpc": {"const": "2.0"}, "result": {"anyOf": any_of}, "id": _ID}
    return {"title": "done", "type": "object", "properties": members, "required": list(members), **_CLOSED}


def _error() -> dict[str, Any]:
    members = {"jsonrpc": {"const": "2.0"}, "error": {"$ref": "#/$defs/ErrorObject"}, "id": _ID}
    return {"title": "refused", "type": "object", "properties": members, "required": list(members), **_CLOSED}
