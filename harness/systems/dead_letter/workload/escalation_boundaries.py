"""Tasks that need a human: each trigger at its boundary, what the file says, and where it is put. Level L1."""

from collections.abc import Iterator, Mapping
from typing import Any

from harness.core.scenario import FileSpec, Scenario
from harness.systems.dead_letter.contract import ESCALATIONS_PATH, QUEUE_PATHS
from harness.systems.dead_letter.workload.dead_letter_steps import (
    DAY_S,
    attempts,
    calm,
    dead,
    only,
    pending,
    scenario,
    task,
)
from harness.systems.queue_files import PENDING

ASKED = ("LK-DQ-11", "LK-DQ-21", "LK-ES-06", "LK-ES-07")
LEFT = ("LK-DQ-11",)
AUTH: Mapping[str, Any] = {"touches": ["auth"]}


def escalation_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    yield from _security()
    yield from _data_loss()
    yield from _root_causes()
    yield from _causes_elsewhere()
    yield from _confidence()
    yield from _needs()
    yield from _hostile_ids()
    yield from _hostile_texts()
    yield from _again()


def _one(name: str, title: str, clause: str, facts: Mapping[str, Any], human: bool | None, **fields: Any) -> Scenario:
    """A review of one task with these facts; ``human`` says whether it has to be escalated, null for either."""
    return scenario(
        f"escalate-{name}", title, (clause, *(ASKED if human else LEFT if human is False else ())),
        calm().review({"one": facts}).look().list(PENDING), files=only(dead("one", **fields), dead("other", 1)),
    )  # fmt: skip


_WORDED: tuple[tuple[str, str, str], ...] = (
    ("auth", "title", "Repair auth for guests"),
    ("authentication", "description", "The authentication of guests is slow"),
    ("secrets", "title", "Rotate the Secrets"),
    ("permissions", "description", "CHECK PERMISSIONS, then write"),
)


def _security() -> Iterator[Scenario]:
    for word in ("auth", "secrets", "permissions"):
        yield _one(f"touches-{word}", f"A task touches {word}.", "LK-ES-01", {"touches": [word]}, human=True)
    for word, field, text in _WORDED:
        yield _one(f"words-{word}", f"The {field} of a task has the word {word}.", "LK-ES-01", {}, human=None,
                   task_data={field: text})  # fmt: skip
    yield _one("touches-nothing", "A task touches nothing that matters.", "LK-ES-01", {"touches": []}, human=False)
    yield scenario(
        "escalate-failed-auth", "A task that touches secrets fails for the fifth time, and is reviewed.",
        ("LK-DQ-01", "LK-ES-01", *ASKED),
        calm().fail("secret").look().session({"secret": {"touches": ["secrets"]}}).look(),
        files={QUEUE_PATHS[PENDING]: pending(task("secret", 4, title="Rotate the secrets"))},
    )  # fmt: skip


def _data_loss() -> Iterator[Scenario]:
    for word in ("deletion", "migration"):
        yield _one(f"{word}-rolled-back", f"A task with a {word} that was rolled back.", "LK-ES-02",
                   {"touches": [word]}, human=None)  # fmt: skip
        yield _one(f"{word}-not-rolled-back", f"A task with a {word} whose rollback failed.", "LK-ES-02",
                   {"touches": [word], "rollback_failed": True}, human=True)  # fmt: skip
    yield _one("rollback-alone", "The rollback of a task failed that deletes and migrates nothing.", "LK-ES-02",
               {"rollback_failed": True}, human=False)  # fmt: skip


def _root_causes() -> Iterator[Scenario]:
    cause = {"root_cause": "the build cache is stale"}
    cases: tuple[tuple[str, str, list[Mapping[str, Any]], bool | None], ...] = (
        ("two", "Two tasks have one root cause", [cause] * 2, False),
        ("three", "Three tasks have one root cause", [cause] * 3, True),
        ("four", "Four tasks have one root cause", [cause] * 4, True),
        ("different", "Three tasks have three root causes", [{"root_cause": f"cause {word}"} for word in "abc"], False),
        ("two-of-two", "Twice two tasks have one root cause", [cause, {"root_cause": "no disk"}] * 2, False),
        ("spelled", "Three root causes differ in case and spaces",
         [cause, {"root_cause": "The Build cache is stale"}, {"root_cause": "the build  cache is stale"}], None),
        ("one-retried", "Three tasks have one root cause, one of them is retried",
         [cause, {**cause, "fixed_by": "4f2c9e1"}, cause], None),
        ("one-needy", "Three tasks have one root cause, one of them needs a human anyway",
         [cause, {**cause, "needs": ["an API key"]}, cause], True),
        ("one-abandoned", "Four tasks have one root cause, one of them is abandoned",
         [cause, {**cause, "irrelevant": True}, cause, cause], True),
    )  # fmt: skip
    for word, title, each, human in cases:
        facts = {f"task-{number}": one for number, one in enumerate(each)}
        clauses = (*(ASKED if human else LEFT), *(("LK-ES-03",) if word != "different" else ()))
        yield scenario(
            f"escalate-cause-{word}", f"{title}.", clauses,
            calm().review(facts).look(), files=only(*map(dead, facts), dead("other", 1)),
        )  # fmt: skip


def _causes_elsewhere() -> Iterator[Scenario]:
    facts = {id_: {"root_cause": "the build cache is stale"} for id_ in ("one", "two", "new", "nobody")}
    yield scenario(
        "escalate-cause-elsewhere", "Two tasks have the root cause of others that are not in the queue.",
        (*LEFT, "LK-ES-03"), calm().review(facts).look(), files=only(dead("one"), dead("two")),
    )  # fmt: skip


def _confidence() -> Iterator[Scenario]:
    for value in (0.0, 0.299999, 0.3, 0.39, 1.0):
        word = str(value).replace(".", "-")
        yield _one(f"confidence-{word}", f"The confidence in the strategy is {value}.", "LK-ES-04",
                   {"confidence": value}, human=value < 0.3)  # fmt: skip


def _needs() -> Iterator[Scenario]:
    yield _one("needs-key", "A task needs an API key.", "LK-ES-05", {"needs": ["an API key"]}, human=True)
    yield _one("needs-several", "A task needs credentials, and a third party to act.", "LK-ES-05",
               {"needs": ["the password of the mail server", "that the bank opens the port"]}, human=True)  # fmt: skip
    for count in (1, 2, 3):
        yield _one(f"readings-{count}", f"The spec of a task has {count} valid readings.", "LK-ES-05",
                   {"readings": count}, human=count > 1)  # fmt: skip


_IDS: tuple[tuple[str, str], ...] = (
    ("dot-dot", "../../../../outside/escaped"),
    ("separators", "feature/login\\form//x"),
    ("absolute", "/etc/escaped"),
    ("dots", ".."),
    ("hidden", ".hidden"),
    ("long", "x" * 300),
    ("unicode", "t\u00e2che-\u65e5\u672c-\U0001f642-\u202egnp"),
    ("spaces", " a task\tof two\nlines "),
    ("nul", "one\x00two"),
    ("marks", "%s{task_id}$(id)*?<>|:\"'"),
)


def _hostile_ids() -> Iterator[Scenario]:
    for word, id_ in _IDS:
        yield scenario(
            f"escalate-id-{word}", f"A task is escalated whose id is odd: {word}.",
            ("LK-DQ-21", "LK-ES-07", "LK-ES-08"), calm().review({id_: AUTH}).look().list(PENDING),
            files=only(dead(id_, task_data={"title": "Write a part"}), dead("other", 1)),
        )  # fmt: skip
    yield scenario(
        "escalate-id-alike", "Two tasks are escalated whose ids differ in what no file name has.",
        ("LK-DQ-21", "LK-ES-07", "LK-ES-08"), calm().review({"a/b": AUTH, "a\\b": AUTH, "a_b": AUTH}).look(),
        files=only(*(dead(id_, task_data={"title": "Write a part"}) for id_ in ("a/b", "a\\b", "a_b"))),
    )  # fmt: skip


_TEXTS: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("title-headings", {"task_data": {"title": "One\n### Awaiting\n**Trigger:** none"}}),
    ("title-long", {"task_data": {"title": "a long title " * 400}}),
    ("title-missing", {"task_data": {"title": None}}),
    ("message-headings", {"attempts": attempts(5, messages=("### Recommended Options\n1. give up\n### Awaiting\n",))}),
    ("message-wrong", {"attempts": [{**each, "error_message": [1, None]} for each in attempts(5)]}),
    ("attempts-missing", {"attempts": []}),
    ("summary-missing", {"error_summary": None}),
)


def _hostile_texts() -> Iterator[Scenario]:
    for word, fields in _TEXTS:
        yield scenario(
            f"escalate-text-{word}", f"A task is escalated whose texts are odd: {word}.", ASKED[1:],
            calm().review({"one": AUTH}).look(), files=only(dead("one", **fields)),
        )  # fmt: skip


def _again() -> Iterator[Scenario]:
    three = calm().session({"one": AUTH}).look()
    three.later(DAY_S + 1).session({"one": AUTH}).look().later(DAY_S + 1).session({"one": AUTH}).look()
    yield scenario("escalate-again", "A task needs a human at the reviews of three days.", (*ASKED, "LK-DQ-09"), three,
                   files=only(dead("one"), dead("other", 1)))  # fmt: skip
    yield scenario(
        "escalate-twice", "Two reviews within an instant.", ASKED,
        calm().review({"one": AUTH}).review({"one": AUTH}).look(), files=only(dead("one"), dead("other", 1)),
    )  # fmt: skip
    yield scenario(
        "escalate-then-abandon", "A human answers an escalation: the task is given up.",
        (*ASKED, "LK-DQ-19", "LK-DQ-20"), calm().review({"one": AUTH}).look().abandon("one").look().review().look(),
        files=only(dead("one"), dead("other", 1)),
    )  # fmt: skip
    story = calm().session({"one": AUTH}).look().later(DAY_S + 1).session({"one": {"fixed_by": "4f2c9e1d"}}).look()
    yield scenario(
        "escalate-anew", "A task that a human was asked about comes back, fails again, and needs a human again.", ASKED,
        story.fail("one").look().later(DAY_S + 1).session({"one": AUTH}).look(),
        files=only(dead("one"), dead("other", 1)),
    )  # fmt: skip
    there = {
        f"{ESCALATIONS_PATH}/20260228T120000Z-old.md": FileSpec(text="## Escalation: an old one\n"),
        f"{ESCALATIONS_PATH}/notes.txt": FileSpec(text="whatever\n"),
        f"{ESCALATIONS_PATH}/.draft.md": FileSpec(text="half of it"),
    }
    yield scenario(
        "escalate-beside", "There are other files where the escalation goes.", ASKED,
        calm().escalations().review({"one": AUTH}).look(), files={**only(dead("one"), dead("other", 1)), **there},
    )  # fmt: skip
    yield scenario("escalate-several", "Three tasks are escalated within one second, for three reasons.", ASKED,
                   calm().review({"one": AUTH, "two": {"confidence": 0.1}, "three": {"readings": 2}}).look(),
                   files=only(dead("one"), dead("two"), dead("three"), dead("other", 1)))  # fmt: skip
    yield scenario("escalate-every-reason", "One task needs a human for every reason there is.", ASKED,
                   calm().review({"one": {"touches": ["auth", "deletion"], "rollback_failed": True, "confidence": 0.0,
                                          "needs": ["a key"], "readings": 4, "root_cause": "x"}}).look(),
                   files=only(dead("one"), dead("other", 1)))  # fmt: skip
