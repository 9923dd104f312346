"""Signals from one stream to another: every signal, its routes, its names, and handlers that fail. Level L1."""

from collections.abc import Iterator
from typing import Any

from harness.core.scenario import FileSpec, Scenario
from harness.systems.signals.contract import HEALING, NAMED, ROUTES, SIGNALS_DIRECTORY, Role, Signal, path_of
from harness.systems.signals.workload.signal_steps import Story, calm, consumed, emitted, scenario

HANDED = ("LK-SG-01", "LK-SG-03")
WORKFLOW = tuple(signal for signal in Signal if signal not in HEALING)
_SPOKEN: dict[Signal, str] = {signal: signal.value.lower().replace("_", "-") for signal in Signal}
# names that are part of a file name as they are, and those that are not
_PLAIN = ("auth", "auth2", "auth_api", "api", "feature-12", "v1.2", "A_b", "x" * 100)
_ODD: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("branch", "a slash, as branches have", ("feature/auth",)),
    ("way-out", "a way out", ("../../../etc/cron.d/x", "auth/../../../x", "/tmp/x", "~root")),  # noqa: S108 - a name
    ("dots", "dots and slashes", (".", "..", "auth/", "//")),
    ("neighbours", "the way to other files", ("/../../queue/pending.json", "x/../DRIFT_DETECTED", "..\\..\\x")),
    ("empty", "nothing that can be seen", ("", "  ", "a\x00b", "a\nb")),
    ("long", "300 characters, and 5,000 with slashes", ("n" * 300, "/".join(["deep"] * 1_000))),
    ("encoded", "percent signs, or other scripts", ("%2e%2e%2fx", "e\u0301-\u6f22-\u05d0-\U0001f41b")),
)  # fmt: skip


def handoff_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    yield from _signals()
    yield from _routes()
    yield from _names()
    yield from _handlers()
    yield from _contents()
    yield from _together()


def _name_of(signal: Signal) -> str | None:
    return "auth" if signal in NAMED else None


def _round(story: Story, signal: Signal, name: str | None = None) -> Story:
    """The signal is raised, handled, and looked for again."""
    return story.emit(signal, name).consume(signal, name).consume(signal, name)


def _signals() -> Iterator[Scenario]:
    story = calm()
    for signal in WORKFLOW:
        story.emit(signal, _name_of(signal))
    for signal in reversed(WORKFLOW):
        story.consume(signal, _name_of(signal))
    yield scenario("hands-all", "Every signal is raised, then each is handled: they are independent.", HANDED,
                   story.drifts())  # fmt: skip
    story = calm().consume(Signal.FEATURE_READY, "auth").consume(Signal.PLAN_APPROVED).drifts()
    yield scenario("hands-nothing", "What was never raised is looked for.", ("LK-SG-02",), story.drift().drifts())
    story = calm().emit(Signal.FEATURE_READY, "auth").restart().consume(Signal.FEATURE_READY, "auth").restart()
    yield scenario("hands-restarts", "The process that raised it is gone when it is handled.", HANDED,
                   story.consume(Signal.FEATURE_READY, "auth").drifts())  # fmt: skip
    story = calm().emit(Signal.TESTS_PASSED, "api", process=1).consume(Signal.TESTS_PASSED, "api", process=2)
    yield scenario("hands-processes", "One process raises it, another handles it.", HANDED,
                   story.consume(Signal.TESTS_PASSED, "api", process=1).drifts())  # fmt: skip
    story = calm().emit("TESTS_SKIPPED", "auth").consume("TESTS_SKIPPED", "auth").emit("", by="human")
    story.emit("../x", by="human").emit("HUMAN_APPROVED", by="human", payload={"decision": "approved"}).reviews()
    yield scenario("hands-unknown", "Words that are none of the signals are raised and looked for.", ("LK-SG-02",),
                   story.drift().drifts())  # fmt: skip
    story = calm().emit(Signal.FEATURE_READY).emit(Signal.DOCS_NEEDED, "auth").consume(Signal.FEATURE_READY)
    yield scenario("hands-name-missing", "A name is missing, and stands where none belongs.", ("LK-SG-02",),
                   story.consume(Signal.DOCS_NEEDED).drift().drifts())  # fmt: skip


def _routes() -> Iterator[Scenario]:
    for signal in WORKFLOW:
        creators, consumer = ROUTES[signal]
        name = _name_of(signal)
        stranger = next(role.value for role in (Role.BLOG, Role.GATE) if role not in creators and role is not consumer)
        story = calm().emit(signal, name).consume(signal, name, by=stranger).consume(signal, name)
        story.emit(signal, name, by=stranger).consume(signal, name).drifts()
        yield scenario(f"route-{_SPOKEN[signal]}", f"Somebody else asks for {signal}, and raises it.", HANDED, story)
    story = calm()
    for role in ("feature", "testing", "merge", "docs", "blog"):
        story.emit(Signal.DOCS_NEEDED, by=role, payload={"from": role}).consume(Signal.DOCS_NEEDED)
    yield scenario("route-any-stream", "Any stream wants documentation.", HANDED, story.drifts())


def _names() -> Iterator[Scenario]:
    story = calm()
    for name in _PLAIN:
        story.emit(Signal.FEATURE_READY, name, {"feature": name})
    for name in _PLAIN:
        story.consume(Signal.FEATURE_READY, name)
    yield scenario("name-plain", "Eight features are ready: each is handled as itself.", HANDED, story.drifts())
    for word, said, names in _ODD:
        story = calm().drift().emit(Signal.MERGE_REQUESTED, "auth")
        for number, name in enumerate(names):  # a path in the payload would be a place of the history
            story.emit(Signal.MERGE_REQUESTED, name, {"branch": number}).consume(Signal.MERGE_REQUESTED, name)
            story.consume(Signal.MERGE_REQUESTED, name)
        yield scenario(f"name-{word}", f"A branch whose name holds {said}.", ("LK-SG-04",),
                       story.consume(Signal.MERGE_REQUESTED, "auth").drifts())  # fmt: skip
    story = calm()
    alike = ("feature/auth", "feature_auth", "feature-auth", "feature%2Fauth", "feature%2fauth", "FEATURE/AUTH")
    for name in alike:
        story.emit(Signal.MERGE_REQUESTED, name, {"branch": name})
    for name in alike:
        story.consume(Signal.MERGE_REQUESTED, name)
    yield scenario("name-alike", "Branches whose names are alike are different ones.", ("LK-SG-04",), story.drifts())
    story = calm().drift().consume(Signal.MERGE_REQUESTED, "../DRIFT_DETECTED").consume(
        Signal.MERGE_REQUESTED, "x/../DRIFT_DETECTED"
    )  # fmt: skip
    yield scenario("name-of-log", "A name leads to the drift log: it is not deleted.", ("LK-SG-02", "LK-SG-04"),
                   story.drifts().drift().drifts())  # fmt: skip


def _handlers() -> Iterator[Scenario]:
    story = calm().emit(Signal.FEATURE_READY, "auth").consume(Signal.FEATURE_READY, "auth", handler="fails")
    story.consume(Signal.FEATURE_READY, "auth").consume(Signal.FEATURE_READY, "auth")
    yield scenario("handler-fails", "The handler fails once: the signal is handled again, or never.", HANDED,
                   story.drifts())  # fmt: skip
    story = calm().emit(Signal.PLAN_APPROVED)
    for _ in range(3):
        story.consume(Signal.PLAN_APPROVED, handler="fails")
    yield scenario("handler-fails-thrice", "The handler fails three times.", HANDED,
                   story.restart().consume(Signal.PLAN_APPROVED).consume(Signal.PLAN_APPROVED).drifts())  # fmt: skip
    story = calm().emit(Signal.TESTS_FAILED, "auth", {"n": 1}).consume(Signal.TESTS_FAILED, "auth")
    story.emit(Signal.TESTS_FAILED, "auth", {"n": 2}).consume(Signal.TESTS_FAILED, "auth")
    yield scenario("handler-again", "The signal is raised again after it was handled: that is handled, too.", HANDED,
                   story.consume(Signal.TESTS_FAILED, "auth").drifts())  # fmt: skip
    story = calm().emit(Signal.TESTS_FAILED, "auth", {"n": 1}).emit(Signal.TESTS_FAILED, "auth", {"n": 2})
    story.consume(Signal.TESTS_FAILED, "auth").consume(Signal.TESTS_FAILED, "auth")
    yield scenario("handler-behind", "The signal is raised twice before it is handled: the second is not lost.", HANDED,
                   story.consume(Signal.TESTS_FAILED, "auth").drifts())  # fmt: skip


_PAYLOADS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("empty", {}),
    ("nested", {"commits": ["a1b2", {"files": [None, 1, 2.5, True]}], "": {"\u6f22": "\x00\n\u2028"}}),
    ("long", {"notes": "what was done. " * 4_000}),
)
_FILES: tuple[tuple[str, str, FileSpec], ...] = (
    ("empty-file", "an empty file", FileSpec(text="")),
    ("torn-file", "a torn file", FileSpec(text='{"feature": "au')),
    ("directory", "a directory", FileSpec("directory")),
)


def _contents() -> Iterator[Scenario]:
    for word, payload in _PAYLOADS:
        story = calm().emit(Signal.TESTS_PASSED, "auth", payload).consume(Signal.TESTS_PASSED, "auth")
        yield scenario(f"content-{word}", f"What the handler is given: {word}.", HANDED, story.drifts())
    path = path_of(Signal.FEATURE_READY, "auth") or ""
    for word, said, spec in _FILES:
        story = calm().consume(Signal.FEATURE_READY, "auth").consume(Signal.FEATURE_READY, "api")
        story.emit(Signal.FEATURE_READY, "api").consume(Signal.FEATURE_READY, "api")
        yield scenario(f"content-{word}", f"The signal is {said}.", HANDED, story.drifts(), files={path: spec})
    beside = {f"{SIGNALS_DIRECTORY}/NOTES": FileSpec(text="mine\n"), path + ".bak": FileSpec(text="{}")}
    yield scenario("content-beside", "Other files stand in the directory.", HANDED,
                   _round(calm(), Signal.FEATURE_READY, "auth").drifts(), files=beside)  # fmt: skip


def _together() -> Iterator[Scenario]:
    story = calm().emit(Signal.FEATURE_READY, "auth", {"n": 1})
    story.together(consumed(Signal.FEATURE_READY, "auth"), emitted(Signal.FEATURE_READY, "auth", {"n": 2}))
    story.consume(Signal.FEATURE_READY, "auth").consume(Signal.FEATURE_READY, "auth")
    yield scenario("together-raised-again", "A signal is raised again while it is handled: it is not lost.", HANDED,
                   story.drifts())  # fmt: skip
    story = calm().together(*(emitted(Signal.FEATURE_READY, name) for name in ("auth", "api", "web")))
    for name in ("auth", "api", "web"):
        story.consume(Signal.FEATURE_READY, name)
    yield scenario("together-raised", "Three features become ready at once.", HANDED, story.drifts())
    story = calm().emit(Signal.TESTS_PASSED, "auth")
    story.together(consumed(Signal.TESTS_PASSED, "auth"), consumed(Signal.TESTS_PASSED, "auth"))
    yield scenario("together-handled", "Two handlers look for one signal at once: it is gone afterwards.",
                   ("LK-SG-01",), story.consume(Signal.TESTS_PASSED, "auth").drifts())  # fmt: skip
