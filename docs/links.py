"""For mkdocs: a link out of docs/ leads to a file of the checkout, which the site has not; its text and path stay."""

import re
from typing import Any

_OUTSIDE = re.compile(r"\[([^\]]*)\]\(((?:\.\./)+[^)]*)\)")


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links that leave docs/ become text with the path beside it."""
    depth = page.file.src_uri.count("/") + 1
    return _OUTSIDE.sub(lambda found: _told(found, depth), markdown)


def _told(found: re.Match[str], depth: int) -> str:
    text, path = found[1], found[2]
    if path.count("../") < depth:
        return found[0]
    inside = path.replace("../", "")
    return text if inside == text else f"{text} (`{inside}`)"
