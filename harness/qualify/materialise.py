"""``python -m harness.qualify.materialise``: the schemas of qualify.json, result.json, certificates, from the code."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from harness.certify import corpus
from harness.qualify.qualification import Qualification
from harness.report import certificate, result

PLACE = Path("docs", "schemas")


def schemas() -> dict[str, str]:
    """The JSON Schemas by the names of their files, as these hold them."""
    return {
        "qualify.schema.json": _text(msgspec.json.schema(Qualification)),
        "certificate.schema.json": _text(certificate.schema()),
        "result.schema.json": _text(result.schema()),
    }


def _text(schema: Mapping[str, Any]) -> str:
    content = {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
    return msgspec.json.format(msgspec.json.encode(content, order="deterministic"), indent=2).decode() + "\n"


def main() -> None:
    """Writes them into the checkout."""
    for name, text in schemas().items():
        (corpus.directory().parent / PLACE / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
