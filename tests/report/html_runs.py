"""Runs whose page is looked at: a calm one, one that fails with hostile text in it, and a large one."""

from collections.abc import Iterator

import msgspec
from event_stream import CATALOGUE, HOSTILE, failed, judged, passed, storm, stream, unclear

from harness.certify.events import Event, ScenarioJudged
from harness.certify.explored import Explored, KindFacts
from harness.core.fault import Fault, Injection
from harness.core.history import Entry, EntryType, FileFact
from harness.report.html.contents import contents
from harness.report.html.page import page

MARKUP = '<img src=x onerror="document.title=1"><script>document.title=2</script>'


def breakers(id_: str) -> ScenarioJudged:
    """A breaker goes round, its file changes, and a fault stands against it."""
    times = ("12:00:00", "12:00:01", "12:05:02", "12:05:03")
    struck = Injection(Fault("filesystem.full", "{home}/state.json"), armed=True, proof=f"statvfs {MARKUP}")
    entries: list[Entry] = []
    for n, (time, state) in enumerate(zip(times, ("CLOSED", "OPEN", "HALF_OPEN", "CLOSED"), strict=True)):
        now = f"2026-03-01T{time}Z"
        files = {"{home}/state.json": FileFact("file", n + 1, f"{n}" * 64), f"{{home}}/{MARKUP}": FileFact("file", 3)}
        before = {} if n == 0 else {"{home}/state.json": FileFact("file", n, f"{n - 1}" * 64)}
        entries.append(
            Entry(2 * n, 0, EntryType.INVOKE, "acquire", {"x": MARKUP}, now, (struck,) if n == 1 else (), before)
        )
        entries.append(Entry(2 * n + 1, 0, EntryType.OK, "acquire", {"state": state, "log": [HOSTILE]}, now, (), files))
    return msgspec.structs.replace(judged(id_, failed("T-01", HOSTILE), title=MARKUP), history=tuple(entries))


def hostile() -> list[Event]:
    """Everything that whoever is tested may have named is markup."""
    explored = Explored("gate-l3-held", "stop_hook", MARKUP, ("T-01",), 9, 9, 4, ("EIO",),
                        {"errno": KindFacts(9, 9), "killed": KindFacts(4, 3, 1)})  # fmt: skip
    from harness.certify.closing import Varied

    return stream(
        breakers("first"),
        judged("second", failed("T-02", MARKUP), passed("T-01"), said=HOSTILE),
        storm("third", passed("T-01"), unclear("T-03", MARKUP)),
        target=f"my {MARKUP} hook",
        uncontained=(MARKUP,),
        level="L3",
        varied=Varied((), (explored,)),
    )


def large(checks: int = 100_000) -> Iterator[Event]:
    """A run of so many checks, each of a scenario of its own, half of which fail."""
    events = [
        judged(f"scenario-{n:06}", failed("T-01") if n % 2 else passed("T-01"), passed("T-02"))
        for n in range(checks // 2)
    ]
    return iter(stream(*events))


def html_of(events: list[Event]) -> str:
    """The page of these events."""
    scenarios = [event for event in events if isinstance(event, ScenarioJudged)]
    return page(contents(events[0], events[-1], scenarios, (CATALOGUE,)))
