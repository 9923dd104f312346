"""The kinds of faults that strike one thing, without their family: what several systems name together. Pure."""

from typing import Final

Kinds = tuple[str, ...]

NO_DOCUMENTS: Final[Kinds] = (
    "truncated", "empty", "not_json", "list", "scalar", "null", "bad_utf8", "bom", "huge_integer", "deep_nesting",
    "duplicate_keys", "nul_bytes", "nan",
)  # fmt: skip
"""Of the family json_document: what is left is no document of a system's, or not the one that was written."""
WRONG_VALUES: Final[Kinds] = ("wrong_types", "out_of_range")
"""Of json_document: values that a document cannot have."""
DOCUMENTS: Final[Kinds] = (*NO_DOCUMENTS, *WRONG_VALUES)
"""All of json_document."""
LINES: Final[Kinds] = (
    "torn_tail", "interleaved", "bom", "nul_bytes", "bad_utf8", "garbage_lines", "non_object_lines", "wrong_roles",
    "duplicate_keys", "nan", "huge_integer", "deep_nesting", "long_line", "blank_lines", "leap_second",
    "invalid_timestamps", "grown",
)  # fmt: skip
"""Of jsonl, those that strike a file which is written line by line."""

PASSING: Final[Kinds] = ("missing", "empty", "garbled")
"""Of filesystem, at a file: what can be got over by writing it anew."""
HARMLESS: Final[Kinds] = ("aged", "leftover")
"""Of filesystem, at a file: what takes nothing from it."""
STANDING: Final[Kinds] = (
    "directory", "fifo", "symlink_loop", "dangling_link", "link_outside", "unreadable", "not_writable", "busy",
    "full_device",
)  # fmt: skip
"""Of filesystem, at a file: what stands in its way for good."""
UNSTEADY: Final[Kinds] = ("vanishing", "growing")
"""Of filesystem, at a file: what strikes it again and again."""
STANDING_ABOVE: Final[Kinds] = (
    "read_only", "no_inodes", "not_writable", "unreadable", "file_for_directory", "symlink_loop", "dangling_link",
    "link_outside",
)  # fmt: skip
"""Of filesystem, at a directory: what stands in the way of the files inside it for good."""

NO_IDENTIFIERS: Final[Kinds] = ("absent", "null", "wrong_type")
"""Of identifier: those that leave no identifier at all."""
IDENTIFIERS: Final[Kinds] = ("empty", "separators", "dot_dot", "absolute", "nul", "long", "unicode", "whitespace")
"""Of identifier: those that make it another one."""
