"""Actions that are excused: the four steps, and the log of attempts. Level L1."""

from collections.abc import Iterator, Mapping
from typing import Final

from harness.core.scenario import FileSpec, Operation, Scenario
from harness.systems.rationalization.contract import ATTEMPTS_PATH, EPISODIC_DIRECTORY
from harness.systems.rationalization.workload.mentioned_boundaries import LONGER_ALONE, MENTIONED
from harness.systems.rationalization.workload.said_boundaries import CLAUSE_OF, SHOWN, curved, slug
from harness.systems.rationalization.workload.watch_steps import (
    BOTH,
    ENFORCED,
    EVERY_FAMILY,
    EXCUSE,
    FLAG,
    LOGGED,
    MENTIONS,
    NEUTRAL,
    OTHER_AGENT,
    PROTOCOL,
    Allowed,
    Story,
    calm,
    scenario,
)

DAY_S: Final = 86400.0
STOPPED: Final[Allowed] = ({"proceeds": False},)
PROCEEDS: Final[Allowed] = ({"proceeds": True},)
ODD_NAMES: Final[Mapping[str, str]] = {
    "empty": "", "unicode": "\u00fcber\u2028\u4f60\u597d \U0001f600", "lines": 'a\nb\r\n"c"\\', "long": "x" * 5000,
    "nul": "a\x00b", "path": "../../queue/pending.json", "json": '{"action": "none"}',
}  # fmt: skip


def enforcing_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    for phrase in CLAUSE_OF:
        story = calm().enforce(f"Merge now: {phrase}.").attempts().enforce(curved(phrase.upper()), OTHER_AGENT)
        yield scenario(f"enforced-{slug(phrase)}", f'"{phrase}" is the reason of an action, which stops.', ENFORCED,
                       story.attempts())  # fmt: skip
    yield from _several()
    yield from _proceeding()
    yield from _logged()
    yield from _found_there()
    yield from _at_once()


def _several() -> Iterator[Scenario]:
    everything = " ".join(f"{phrase}." for phrase in reversed(tuple(CLAUSE_OF)))
    story = calm().enforce(BOTH).enforce(FLAG).enforce(EXCUSE).enforce(EVERY_FAMILY).enforce(everything).attempts()
    yield scenario("enforced-several", "Several rationalisations, rows and red flags: each is named and countered.",
                   ENFORCED, story)  # fmt: skip
    story = calm().enforce(" ".join([EXCUSE, FLAG] * 20)).attempts().enforce(f"{FLAG} {EXCUSE} {MENTIONS}").attempts()
    yield scenario("enforced-again-in-one", "The same ones again and again in one reason.", ENFORCED, story)
    story = calm().enforce(EXCUSE).enforce(EXCUSE).attempts()
    same = Operation("enforce", {"text": EXCUSE, "action": "merge", "agent": OTHER_AGENT})
    yield scenario("enforced-twice", "The same reason, for other actions and for the same one.", ENFORCED,
                   story.do(same).do(same).later(5.0).do(same).attempts())  # fmt: skip
    pages = f"{NEUTRAL} " * 100
    story = calm().enforce(f"{pages}\n\n{EXCUSE}").enforce(f"{pages}\n{FLAG}\n{pages}").enforce(f"{pages}{BOTH}")
    yield scenario("enforced-at-length", "A reason of pages has its excuse at the end.", ENFORCED,
                   story.attempts())  # fmt: skip
    story = calm()
    for phrase in SHOWN:
        story.enforce(f"{phrase}: 12 passed. It is a quick tweak", has_output=True).enforce(f"{phrase}: 12 passed.")
    yield scenario("enforced-with-output", "Output is shown where something else is excused.", ENFORCED,
                   story.attempts())  # fmt: skip


def _proceeding() -> Iterator[Scenario]:
    story = calm().enforce(EXCUSE).enforce(NEUTRAL).enforce("").enforce(MENTIONS).attempts()
    yield scenario("proceeds", "What is not excused proceeds, and is not logged.", ENFORCED, story.enforce(NEUTRAL),
                   PROCEEDS)  # fmt: skip
    story = calm().enforce(FLAG)
    for mention in MENTIONED.values():
        story.enforce(mention("I think")).enforce(mention("This is out of scope"))
    yield scenario("proceeds-mentioned", "Phrases that are only mentioned excuse nothing.", ENFORCED,
                   story.attempts().enforce(MENTIONS), PROCEEDS)  # fmt: skip
    story = calm().enforce(FLAG)
    for text in LONGER_ALONE:
        story.enforce(text)
    yield scenario("proceeds-longer-words", "Longer words excuse nothing.", ENFORCED, story.attempts().enforce(NEUTRAL),
                   PROCEEDS)  # fmt: skip
    story = calm().enforce(NEUTRAL).attempts().enforce(MENTIONS).attempts().enforce(FLAG).attempts().enforce(EXCUSE)
    yield scenario("proceeds-then-stops", "The log begins with the first action that is excused.", ENFORCED, story,
                   STOPPED)  # fmt: skip


def _logged() -> Iterator[Scenario]:
    story = calm()
    for number in range(60):
        story.enforce((EXCUSE, FLAG, BOTH)[number % 3], f"eng-{number % 4}")
    yield scenario("logged-many", "Sixty attempts of four agents.", ENFORCED, story.attempts())
    story = calm().enforce().restart().attempts().enforce(FLAG).restart().restart().enforce(BOTH).attempts()
    yield scenario("logged-restarted", "Each attempt is logged by a process of its own.", ENFORCED, story)
    story = calm().enforce().enforce(FLAG, process=1).enforce(BOTH, process=2).attempts().attempts(1).attempts(2)
    yield scenario("logged-by-three", "Three processes log in turn, and each tells of all.", ENFORCED, story)
    story = calm().enforce().later(DAY_S).enforce(FLAG).later(-2 * DAY_S).enforce(BOTH).attempts().later(0.25)
    yield scenario("logged-in-time", "A day passes, and time goes back: each attempt has its own.", ENFORCED,
                   story.enforce().attempts())  # fmt: skip
    for word, text in ODD_NAMES.items():
        story = calm().do(Operation("enforce", {"text": EXCUSE, "action": text, "agent": "eng-1"})).attempts()
        story.do(Operation("enforce", {"text": FLAG, "action": "merge", "agent": text})).attempts()
        yield scenario(f"logged-{word}", f"Names of actions and agents that are odd ({word}).", ENFORCED,
                       story.enforce().attempts())  # fmt: skip
    story = calm().do(Operation("enforce", {"text": EXCUSE, "action": "merge"})).attempts()
    yield scenario("logged-unnamed-agent", "Nobody says who it is.", ENFORCED, story)


_ATTEMPT: Final = (
    '{"timestamp": "2026-02-28T12:00:00Z", "agent": "qa-1", "action": "deploy", "phrases": ["probably"], "note": 1}\n'
)
FOUND: Final[Mapping[str, str]] = {
    "attempts": _ATTEMPT * 2, "a-torn-line": _ATTEMPT + _ATTEMPT[:40],
    "garbage": "no JSON\n\x00\x01\n[]\n1\nnull\n{}\n",
    "other-records": '{"timestamp": 5, "agent": [], "action": null, "phrases": "probably"}\n{"phrases": [1]}\n',
    "blank-lines": "\n\n" + _ATTEMPT + "\n", "nothing": "", "deep-nesting": "[" * 3000 + "\n" + _ATTEMPT,
}  # fmt: skip


def _found_there() -> Iterator[Scenario]:
    for word, text in FOUND.items():
        story = calm().attempts().enforce().attempts().restart().enforce(FLAG).attempts()
        yield scenario(f"logged-after-{word}", f"In the log there is something before ({word.replace('-', ' ')}).",
                       ENFORCED, story, files={ATTEMPTS_PATH: FileSpec(text=text)})  # fmt: skip
    others = {f"{EPISODIC_DIRECTORY}/2026-02-28.json": FileSpec(text='{"session": 1}'),
              f"{EPISODIC_DIRECTORY}/notes/a.md": FileSpec(text="I think\n")}  # fmt: skip
    yield scenario("logged-beside-others", "Other episodes lie in the directory.", ENFORCED,
                   calm().attempts().enforce().enforce(FLAG).attempts(), files=others)  # fmt: skip


def _at_once() -> Iterator[Scenario]:
    for count in (2, 3, 8):
        story = calm().enforce()
        story.together(*(story.excused((EXCUSE, FLAG, BOTH)[number % 3]) for number in range(count)))
        yield scenario(f"logged-{count}-at-once", f"{count} processes log at once: none is lost.", ENFORCED,
                       story.attempts().enforce().attempts())  # fmt: skip
    story = calm().enforce()
    story.together(story.excused(), Operation("attempts"), Operation("scan", {"text": EVERY_FAMILY}))
    yield scenario("logged-while-told", "An attempt is logged while all are asked for.", (PROTOCOL, LOGGED),
                   _told(story))  # fmt: skip


def _told(story: Story) -> Story:
    return story.attempts().enforce(FLAG).attempts()
