"""What an exploration finds, as values and as the events it yields; written for machines as JSON."""

import json
from typing import Any, Final

import msgspec

from harness.explore.program.cases import LayerName

FORMAT: Final = 1
UNKNOWN_CHANGES: Final = "op's changes are not known, see below"  # why a layer was not explored that should have been


class Failing(msgspec.Struct, frozen=True, kw_only=True):
    """A case whose check does not hold. ``steady``: it failed again when it was played once more.

    ``op`` is how the operation ended, "" where no operation was run; ``script`` the file that shows it alone.
    """

    id: str
    layer: LayerName
    label: str
    by: str
    said: str
    op: str = ""
    recover_exit: int | None = None
    steady: bool | None = None
    script: str = ""
    order: tuple[str, ...] = ()


class Layer(msgspec.Struct, frozen=True, kw_only=True):
    """One way to explore, counted.

    ``enumerated`` are the cases there are, ``run`` those that were played, ``distinct`` the different states they
    ended in, ``failing`` and ``not_met`` count among those run. ``inconclusive`` are those of which nothing can be
    said, because a program did not repeat itself or did not come to rest. ``exhausted`` when every case was played and
    judged; else ``cut`` says where cases were left out or say nothing. ``not_asked`` is why the layer was not explored
    at all.
    """

    name: LayerName
    enumerated: int = 0
    run: int = 0
    distinct: int = 0
    failing: int = 0
    not_met: int = 0
    inconclusive: int = 0
    exhausted: bool = False
    cut: str = ""
    not_asked: str = ""


class Started(msgspec.Struct, frozen=True, kw_only=True, tag="started"):
    """The exploration begins."""

    format: int = FORMAT
    windtunnel: str
    op: tuple[str, ...]
    recover: tuple[str, ...] | None
    check: tuple[str, ...]
    rival: tuple[str, ...] | None
    directory: str
    seed: int
    limit: int
    jobs: int


class Observed(msgspec.Struct, frozen=True, kw_only=True, tag="observed"):
    """The operation was run without any fault: its file calls, and what they changed, in words.

    ``whole`` is "" when the changes account for every difference, else what they do not.
    """

    calls: tuple[str, ...]
    changes: tuple[str, ...]
    whole: str
    steady: bool


class Played(msgspec.Struct, frozen=True, kw_only=True, tag="played"):
    """One case that did not pass: it failed, or what was to happen was not met."""

    case: str
    layer: LayerName
    label: str
    met: bool
    failing: Failing | None = None


class LayerDone(msgspec.Struct, frozen=True, tag="layer"):
    """A layer is explored, as far as it will be."""

    layer: Layer


class Finished(msgspec.Struct, frozen=True, kw_only=True, tag="finished"):
    """All there is to say. ``smallest`` has one failing case a layer, ``not_covered`` a sentence for each gap.

    ``check_accepts``: damage that the check passes too, "" when it refused some or a case failed (see control.py).
    """

    exit_code: int
    interrupted: bool
    layers: tuple[Layer, ...]
    smallest: tuple[Failing, ...]
    not_covered: tuple[str, ...]
    check_accepts: str = ""


Event = Started | Observed | Played | LayerDone | Finished


def schema() -> dict[str, Any]:
    """The JSON Schema of a line of events.jsonl and, as ``Result`` of its definitions, of result.json."""
    ((line, failing), kinds) = msgspec.json.schema_components([Event, Failing], ref_template="#/$defs/{name}")
    properties: dict[str, Any] = {"failing": {"type": "array", "items": failing}}
    required = ["failing"]
    for kind in (Started, Observed, Finished):
        parts = kinds[kind.__name__]
        properties |= parts["properties"]
        required += parts["required"] if kind is not Observed else []
    del properties["type"]
    whole = {
        "title": "result.json",
        "type": "object",
        "properties": properties,
        "required": [name for name in dict.fromkeys(required) if name != "type"],
        "additionalProperties": False,
    }
    return {"title": "a line of events.jsonl", **line, "$defs": {**kinds, "Result": whole}}


def encoded(event: Event) -> bytes:
    """One line of events.jsonl."""
    return as_utf8(json.dumps(msgspec.to_builtins(event), ensure_ascii=False, separators=(",", ":"))) + b"\n"


def as_utf8(text: str) -> bytes:
    r"""JSON as bytes; what is no UTF-8 in the name of a file becomes ``\udcNN``, which JSON reads back as it was."""
    return text.encode("utf-8", "backslashreplace")


def result(started: Started, observed: Observed | None, failing: list[Failing], finished: Finished) -> dict[str, Any]:
    """The content of result.json and of --json."""
    return {
        **_plain(started),
        **({} if observed is None else _plain(observed)),
        **_plain(finished),
        "failing": msgspec.to_builtins(failing),
    }


def _plain(event: Event) -> dict[str, Any]:
    content: dict[str, Any] = msgspec.to_builtins(event)
    content.pop("type")
    return content
