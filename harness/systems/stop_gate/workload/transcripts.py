"""Transcripts as agents write them, with text by Faker: the same words on every machine."""

import json
from functools import cache
from typing import Any

from faker import Faker
from hypothesis import strategies as st

_TEXT_SEED = 20260301  # any number; it only has to stay the same
_SENTENCES = 120
CONCLUSIVE = "All done: the change is in and every test passes."
OPEN_QUESTION = "Shall I go on and change the other module as well?"


@cache
def sentences() -> tuple[str, ...]:
    """Sentences that are neither a question nor a promise."""
    faker = Faker("en_US")
    faker.seed_instance(_TEXT_SEED)
    return tuple(faker.sentence(nb_words=8) for _ in range(_SENTENCES))


def nested(role: str, content: Any) -> str:
    """One line as coding agents write it: the role inside ``message``."""
    return json.dumps({"type": role, "message": {"role": role, "content": content}})


def flat(role: str, content: Any) -> str:
    """One line as document 004 describes it."""
    return json.dumps({"role": role, "content": content})


def codex(role: str, content: str) -> str:
    """One line as Codex writes it: everything inside ``payload``."""
    kind = "input_text" if role == "user" else "output_text"
    payload = {"type": "message", "role": role, "content": [{"type": kind, "text": content}]}
    return json.dumps({"type": "response_item", "payload": payload})


FORMS = (nested, flat, codex)


def messages() -> st.SearchStrategy[str]:
    """The text of a transcript of one to eight messages that begins with the user's, all lines in one form."""
    texts = st.sampled_from(sentences())
    turns = st.lists(st.tuples(st.sampled_from(("user", "assistant", "system")), texts), max_size=7)

    def written(form_number: int, first: str, rest: list[tuple[str, str]]) -> str:
        form = FORMS[form_number]
        lines = [form("user", first), *(form(role, text) for role, text in rest)]
        return "".join(line + "\n" for line in lines)

    return st.builds(written, st.integers(0, len(FORMS) - 1), texts, turns)
