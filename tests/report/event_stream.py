"""A small run, written down event by event, with text in it that whoever is tested may have chosen."""

from collections.abc import Mapping, Sequence
from typing import Any
from unittest import mock

import msgspec

from harness.certify import closing
from harness.certify.closing import NOTHING_VARIED, End, Interrupted, Varied, footer
from harness.certify.events import (
    FORMAT,
    Event,
    HarnessBroke,
    Notice,
    PlanFiles,
    RunStarted,
    ScenarioJudged,
    SearchFinished,
    SystemSimulated,
)
from harness.certify.explored import Explored, KindFacts
from harness.certify.plan import ChaosScope, RunPlan
from harness.certify.reach import Reach
from harness.certify.weather import FamilyTrials, Trials, UnderFault, Weather
from harness.core.chaos import RuleBroken, SeedPlayed
from harness.core.clause import Catalogue, Clause, Level
from harness.core.finding import CheckVerdict, Finding
from harness.core.history import Entry, EntryType
from harness.core.scenario import Crash, Operation, Scenario, Step, World
from harness.core.verdict import Outcome
from harness.errors import HarnessFault
from harness.faults.catalogue import FaultKind
from harness.faults.rows import Entry as TableEntry
from harness.faults.rows import Row
from harness.systems import registry

HOSTILE = "]]> <script>alert(1)</script> | `x` [bold]red[/] \x1b[31m\x00\x07\u2028 **loud** # no heading"
NOW = "2026-03-01T12:00:00Z"


def _clause(id_: str, level: Level = Level.MUST) -> Clause:
    return Clause(
        id_, "stop_gate", f"What {id_} requires", level, "004 section 1.2", "state", "it is seen", {"stop_hook": None}
    )


CATALOGUE = Catalogue("stop_gate", ("004",), (_clause("T-01"), _clause("T-02"), _clause("T-03", Level.SHOULD)))


TWO_DAYS = ChaosScope()


class _System(registry.System):
    catalogue = CATALOGUE  # type: ignore[assignment]  # three clauses instead of all


def scenario(id_: str, title: str = "A stop in calm weather", level: str = "L1") -> Scenario:
    step = Step(op=Operation("stop", {"deserves": "approve"}))
    return Scenario(1, id_, title, "stop_gate", "stop_hook", ("T-01",), World(NOW), (step,), level)  # type: ignore[arg-type]


def passed(clause: str) -> Finding:
    return Finding(clause, CheckVerdict.PASS, witnesses=2)


def failed(clause: str, observed: str = "it blocked") -> Finding:
    return Finding(clause, CheckVerdict.FAIL, None, 1, "blocks a finished session", "the session may end", observed)


def unclear(clause: str, reason: str = "its situation was not entered") -> Finding:
    return Finding(clause, CheckVerdict.INCONCLUSIVE, reason=reason)


def judged(id_: str, *findings: Finding, title: str = "A stop in calm weather", said: str = "") -> ScenarioJudged:
    history = (
        Entry(0, 0, EntryType.INVOKE, "stop", {"deserves": "approve"}, NOW),
        Entry(1, 0, EntryType.OK, "stop", {"stdout_excerpt": said}, NOW),
    )
    return ScenarioJudged(scenario=scenario(id_, title), origin="plan", history=history, findings=findings)


def storm(
    id_: str,
    *findings: Finding,
    fault: str = "jsonl.bom",
    struck: Sequence[str] = ("T-01", "T-02", "T-03"),
    trials: tuple[int, int] = (40, 0),
    unproven: Mapping[str, str] | None = None,
) -> ScenarioJudged:
    """A scenario of L2: those clauses were met under that fault, and so many calls had to let the session end."""
    family = {fault.partition(".")[0]: FamilyTrials(*trials)}
    witnesses = {finding.clause: finding.witnesses for finding in findings if finding.clause in struck}
    failing = tuple(finding.clause for finding in findings if finding.verdict is CheckVerdict.FAIL)
    stood = Weather({fault: UnderFault(1, witnesses, failing)}, unproven or {}, tuple(struck), Trials(*trials, family))
    event = judged(id_, *findings, title=f"A stop under {fault}")
    found = msgspec.structs.replace(event.scenario, level="L2")
    return msgspec.structs.replace(event, scenario=found, weather=stood)


def stream(
    *middle: Event,
    target: str = "my-hook",
    uncontained: Sequence[str] = (),
    end: End | None = None,
    declared: Mapping[str, str] | None = None,
    level: str = "L1",
    only: tuple[str, ...] = (),
    varied: Varied = NOTHING_VARIED,
    chaos: ChaosScope = TWO_DAYS,
) -> list[Event]:
    """The whole run with these events in its middle: header and footer are made to fit."""
    reach = Reach(_System("stop_gate"), "stop_hook", "hook", ("extra",), {}, (), "digest", lambda slots: None)  # type: ignore[arg-type,return-value]
    plan = RunPlan(
        (_System("stop_gate"),), target, "my hook/target.yaml", (reach,), (), level, 0, 0, None, 2, only, chaos=chaos
    )
    simulated = [event for event in middle if isinstance(event, SystemSimulated)]
    searches = [event for event in middle if isinstance(event, SearchFinished)]
    played = [event for event in middle if isinstance(event, ScenarioJudged) and event.origin != "explored"]
    header = RunStarted(
        format=FORMAT, windtunnel="0.0.0", target=target, replay=plan.replay, carriers=("hook",), systems=("stop_gate",),
        profiles={"stop_hook": ("extra",)}, level=level, seed=0, cases=0, budget_s=None, suite_digest="s" * 64,
        implementation_digest="i" * 64, planned=sum(event.origin == "plan" for event in played), only=only,
        searches=len(searches), simulations=len(simulated), plan=PlanFiles(264, "p" * 64), uncontained=tuple(uncontained),
    )  # fmt: skip
    ending = end or End()
    for event in middle:
        if isinstance(event, HarnessBroke):
            ending.because(HarnessFault(event.error.strip().splitlines()[-1]))
        elif isinstance(event, Notice) and event.cut:
            ending.cut = event.text
    with (
        mock.patch.object(closing, "why_not", return_value="the harness is not qualified for stop_gate"),
        mock.patch.object(closing.faults, "EVERY", KINDS),
        mock.patch.object(closing.fault_table, "rows", return_value=TABLE),
    ):
        finished = footer(plan, played, ending, declared, searches, varied, simulated)
    return [header, *middle, msgspec.structs.replace(finished, digest="d" * 64)]


# a catalogue and a table of this size for good: the real ones grow
KINDS = tuple(
    FaultKind(name, "it strikes")
    for name in ("filesystem.busy", "filesystem.full", "jsonl.bom", "jsonl.nan", "syscall.errno")
)
TABLE = (
    Row(
        "transcript", {"byte order mark": TableEntry(("jsonl.bom",)), "EIO": TableEntry((), "", "with the supervisor")}
    ),
    Row("config", {"EBUSY": TableEntry(("filesystem.busy",)), "10 lines": TableEntry((), "a world with ten")}),
    Row("calls", {"one fails": TableEntry(("syscall.errno",))}),
)


def interrupted() -> End:
    end = End()
    end.because(Interrupted())
    return end


def explored(name: str, *, cut: str = "", power_cut: str = "", **kinds: KindFacts) -> Explored:
    errnos = ("EIO", "ENOSPC") if "errno" in kinds else ()
    known = Explored(
        name, "stop_hook", "stop", ("T-01", "T-02"), 73, 73, 5, errnos, kinds, 40, 1, 3, power_cut=power_cut
    )
    return msgspec.structs.replace(known, cut=cut).closed()


def variant(id_: str, *findings: Finding, crashed: bool = False) -> ScenarioJudged:
    """A variant of L3; ``crashed``: one in which the machine loses power."""
    event = storm(id_, *findings, fault="syscall.power" if crashed else "syscall.errno", trials=(0, 0))
    steps = (
        (Step(crash=Crash(Operation("stop"), {}, "power lost after change 2")),) if crashed else event.scenario.steps
    )
    title = "A stop; power lost after change 2" if crashed else "A stop; write({home}/x) fails with EIO"
    found = msgspec.structs.replace(event.scenario, level="L3", steps=steps, title=title)
    return msgspec.structs.replace(event, scenario=found, origin="explored")


def simulated(seed: int, **more: Any) -> SystemSimulated:
    """A simulation of L4 under that seed; ``more`` is what was seen in it."""
    settings = {"digest": "c" * 64, "events": 9200, "sessions": 61, "questions": {"check": 89}, **more}
    played = SeedPlayed(seed=seed, **settings)  # type: ignore[arg-type]  # by name
    return SystemSimulated(
        system="stop_gate", profile="stop_hook", carrier="hook", played=played, spared=("full disks: they are real",)
    )


def third_level(
    *variants: ScenarioJudged, facts: Sequence[Explored], more: Sequence[Event] = (), level: str = "L3"
) -> list[Event]:
    """A run at L3, whose variants are told where they failed; with ``more`` of L4."""
    failing = [event for event in variants if any(f.verdict is CheckVerdict.FAIL for f in event.findings)]
    return stream(
        judged("s-calm", *ALL),
        storm("s-l2-bom", *ALL),
        *failing,
        *more,
        level=level,
        varied=Varied(variants, tuple(facts), 1234),
    )


def fourth_level(*played: SystemSimulated) -> list[Event]:
    """A run that reached L3, then simulated."""
    return third_level(
        variant("hook-l3-fresh-errno-1", *ALL),
        facts=[explored("hook-l3-fresh", errno=KindFacts(1, 1))],
        more=played,
        level="L4",
    )


BROKEN_RULE = RuleBroken("INT-09", "what fails is said", ("T-01", "X-9"), 3, 77, "windtunnel simulate --until 77")
WITHOUT_CLAUSE = RuleBroken("INT-21", "a system answers", ("X-1",), 1, 12, "windtunnel simulate --until 12")
ALL = (passed("T-01"), passed("T-02"), passed("T-03"))
DONE = {"errno": KindFacts(300, 300), "killed": KindFacts(33, 33), "torn": KindFacts(18, 18), "power": KindFacts(2, 2)}
STREAMS: dict[str, Any] = {
    "conformant": lambda: stream(judged("s-calm", *ALL), judged("s-storm", *ALL)),
    "not_strict": lambda: stream(judged("s-calm", *ALL[:2], failed("T-03"))),
    "nonconformant": lambda: stream(
        judged("s-calm", *ALL),
        *(judged(f"s-fault-{n}", failed("T-01"), unclear("T-02"), title="A damaged transcript" + "!" * n) for n in range(7)),
        Notice(text="the plan failed already, so nothing more was searched for", cut=False),
    ),
    "inconclusive": lambda: stream(judged("s-calm", passed("T-01"), unclear("T-02"), unclear("T-03"))),
    "harness_fault": lambda: stream(
        judged("s-calm", *ALL), HarnessBroke(scenario="s-fault", error="Traceback\nKeyError: 'x'")
    ),
    "interrupted": lambda: stream(judged("s-calm", passed("T-01")), end=interrupted()),
    "declared": lambda: stream(judged("s-calm", *ALL), declared={"T-01": "not in this version"}),
    "cut": lambda: stream(judged("s-calm", *ALL), Notice(text="the budget ran out")),
    "uncontained": lambda: stream(judged("s-calm", *ALL), uncontained=("The network can be reached.",)),
    "second_level": lambda: stream(
        judged("s-calm", *ALL),
        storm("s-l2-bom", *ALL),
        storm("s-l2-full", *ALL, fault="filesystem.full", trials=(12, 0), unproven={"filesystem.busy": "mounts are refused"}),
        SearchFinished(profile="stop_hook", shard=0, cases=20, operations=150, trials=Trials(150, 0, {"jsonl": FamilyTrials(150, 0)})),
        level="L2",
    ),
    "stopped_by_a_deviation": lambda: stream(
        judged("s-calm", *ALL),
        storm("s-l2-bom", failed("T-01"), passed("T-02"), passed("T-03"), trials=(40, 1)),
        level="L2",
    ),
    "stopped_by_what_is_open": lambda: stream(
        judged("s-calm", *ALL), storm("s-l2-bom", *ALL, struck=("T-01", "T-03")), level="L2"
    ),
    "third_level": lambda: third_level(
        variant("hook-l3-fresh-errno-1", *ALL),
        variant("hook-l3-fresh-power-1", *ALL, crashed=True),
        variant("hook-l3-fresh-power-2", failed("T-02"), crashed=True),
        facts=[explored("hook-l3-fresh", **DONE), explored("hook-l3-together", schedule=KindFacts(137, 137))],
    ),
    "third_level_failed": lambda: third_level(
        variant("hook-l3-fresh-errno-1", *ALL),
        variant("hook-l3-fresh-errno-2", failed("T-01", "it was lost")),
        facts=[explored("hook-l3-fresh", errno=KindFacts(2, 2, 0, 1))],
    ),
    "third_level_cut": lambda: third_level(
        variant("hook-l3-fresh-errno-1", *ALL),
        variant("hook-l3-fresh-power-1", *ALL, crashed=True),
        facts=[
            explored("hook-l3-fresh", cut="200 of 300 variants are left, from write({home}/x) on", errno=KindFacts(100, 97, 3)),
            explored("hook-l3-power", power=KindFacts(1, 1), power_cut="loss of power: after 1 states"),
            *(explored(f"hook-l3-other-{n}", cut="after 10 schedules", schedule=KindFacts(10, 10)) for n in range(4)),
        ],
    ),
    "fourth_level": lambda: fourth_level(simulated(5), simulated(6)),
    "fourth_level_failed": lambda: fourth_level(
        simulated(5), simulated(6, broken=(BROKEN_RULE, WITHOUT_CLAUSE), control=(), unanswered=11, cut="it left 11 open")
    ),
    "fourth_level_without_clause": lambda: fourth_level(simulated(5, broken=(WITHOUT_CLAUSE,), control=())),
    "fourth_level_open": lambda: fourth_level(simulated(5, questions={}), simulated(6, flaky=("INT-09",))),
    "fourth_level_defect": lambda: fourth_level(simulated(5, broken=(BROKEN_RULE,), control=("INT-09",))),
    "one_clause": lambda: stream(judged("s-calm", *ALL[:1], unclear("T-02")), only=("T-01",)),
    "hostile": lambda: stream(
        judged("s-hostile", failed("T-01", HOSTILE), unclear("T-02", HOSTILE), title=HOSTILE, said=HOSTILE),
        HarnessBroke(scenario="s-hostile", error=HOSTILE),
        target=HOSTILE,
        uncontained=(HOSTILE,),
    ),
}  # fmt: skip


def outcomes() -> set[Outcome]:
    return {make()[-1].outcome for make in STREAMS.values()}
