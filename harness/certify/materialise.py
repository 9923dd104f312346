"""``python -m harness.certify.materialise``: writes scenarios/ anew from the enumerations in the code."""

from harness.certify import corpus
from harness.systems import registry


def write() -> int:
    """Makes scenarios/<system>/ hold exactly today's enumeration; the number of files written."""
    written = 0
    for name in registry.NAMES:
        folder = corpus.directory() / name
        files = corpus.materialised(name)
        for old in folder.glob("*.yaml"):
            if old.name not in files:
                old.unlink()
        for file_name, text in files.items():
            (folder / file_name).write_text(text, encoding="utf-8")
            written += 1
    return written


if __name__ == "__main__":
    print(f"{write()} scenario files written")  # noqa: T201 - a command's output
