"""Plans: what a run begins with, in every form, and what is no plan. Level L1."""

from collections.abc import Iterator, Sequence

from harness.core.scenario import Scenario
from harness.systems.phase_runner.contract.words import COLUMNS, Mode
from harness.systems.phase_runner.workload.phase_steps import calm, scenario
from harness.systems.phase_runner.workload.plans import (
    CHAIN,
    CYCLE,
    DIAMONDS,
    EXAMPLE,
    FORK,
    ONE,
    PAIR,
    Phase,
    Plan,
    batch,
    chain,
    table,
)

_BEGUN = ("FRS-01", "STA-04", "STA-05")
_REFUSED = ("CLS-02", "NRT-05")
_SETUP = Phase("1", "Setup")


def plan_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    yield from _forms()
    yield from _ids()
    yield from _shapes()
    yield from _no_plans()
    yield from _no_graphs()
    yield from _odd_siblings()
    yield from _cycles()
    yield from _doubtful()


def _wider(rows: Sequence[str]) -> str:
    return "".join(f"|  {'  |   '.join(row.strip('|').split('|'))}|   \n" for row in rows)


_ROWS = table(CHAIN.phases).splitlines()
_TIGHT = (
    "|Phase|Name|Depends On|Parallel With|Estimate|Status|\n|-|-|-|-|-|-|\n|0|a|-|-|-|-|\n|1|b|0|-|-|-|\n|2|c|1|-|||\n"
)
_LISTS = ("| 0 | a | - | - | - | - |", "| 1 | b | 0 | - | - | - |", "| 2 | c | 0,1 | - | - | - |")
FORMS: tuple[tuple[str, str, str], ...] = (
    ("plain", "is as it should be", CHAIN.text),
    ("reversed-columns", "has its columns in the reverse order", table(CHAIN.phases, COLUMNS[::-1])),
    ("more-columns", "has other columns too", table(CHAIN.phases, ("Owner", *COLUMNS, "Notes"))),
    ("lower-case-columns", "has its columns in lower case", CHAIN.text.replace("Depends On", "depends on").replace(
        "| Phase |", "| phase |").replace("Parallel With", "PARALLEL WITH")),
    ("crlf", "has the line ends of Windows", CHAIN.text.replace("\n", "\r\n")),
    ("no-last-line-end", "does not end its last line", CHAIN.text.rstrip("\n")),
    ("tight", "has no blanks around its bars", _TIGHT),
    ("wide", "has many blanks around its bars", _wider(_ROWS)),
    ("colons", "has colons in the line below its columns", CHAIN.text.replace("---", ":---:")),
    ("text-around", "has text before and after its table",
     f"Some words - and a list:\n\n- one\n- two\n\n{table(CHAIN.phases)}\nThe end.\n"),
    ("no-blanks-in-lists", "has lists without blanks", "\n".join((*_ROWS[:2], *_LISTS)) + "\n"),
    ("nothing-for-none", "has nothing where there is none", CHAIN.text.replace("| - ", "|  ")),
    ("escaped-bars", "has bars in its cells",
     Plan(Phase("0", "a | b"), Phase("1", "c || d", ("0",)), Phase("2", "| e |", ("1",))).text),
    ("unicode-names", "has names in every script",
     Plan(Phase("0", "\u6f22 e\u0301"), Phase("1", "\u05d0\u05d1", ("0",)), Phase("2", "\U0001f41b", ("1",))).text),
)  # fmt: skip


def _forms() -> Iterator[Scenario]:
    for word, what, text in FORMS:
        story = calm().start(text).look(CHAIN).fail("0").look(CHAIN).complete("0", attempt=2).run(CHAIN, done=("0",))
        yield scenario(f"plan-{word}", f"A plan {what}; one that is none follows.",
                       (*_BEGUN, *_REFUSED, "CLS-01", "RTY-02", "STA-01"),
                       story.look(CHAIN).fresh(text).look(CHAIN).start("").look(CHAIN))  # fmt: skip


IDS: tuple[tuple[str, str, tuple[str, str, str]], ...] = (
    ("words", "have the word before them", ("Phase 0", "Phase 1-A", "Phase 2")),
    ("marks", "have marks in them", ("0", "1.a", "2/b-C")),
    ("cases", "are in either case", ("PHASE 0", "phase 1b", "2C")),
    ("names", "are words", ("Setup", "Phase Build", "deploy to eu")),
    ("numbers", "are numbers that are not sorted as words are", ("2", "10", "1")),
    ("leading-zeros", "have leading zeros", ("00", "01", "002")),
    ("unicode", "have letters that are dropped", ("0\u00e9", "1\u6f22", "\u05d02")),
    ("long", "have two hundred characters", ("a" * 200, "b" * 200, "c" * 200)),
    ("dots", "look like paths", ("../../0", "./1", "/2")),
    ("reserved", "are names that mean something elsewhere", ("con", "nul", "config")),
)


def _ids() -> Iterator[Scenario]:
    for word, what, (first, second, third) in IDS:
        plan = Plan(Phase(first, "First"), Phase(second, "Second", (first,)), Phase(third, "Third", (second,)))
        story = calm().start(plan).look(plan).run(plan).look(plan)
        yield scenario(f"id-{word}", f"The ids of the phases {what}.", _BEGUN, story.fresh(plan).look(plan))
    plan = Plan(Phase("Phase 2-A", "First"), Phase("2B", "Second", ("phase 2a",)), Phase("3", "Third", ("2 A", "2-b")))
    yield scenario("id-spelt-otherwise", "Who waits spells an id in another way.", _BEGUN,
                   calm().start(plan).run(plan).look(plan).fresh(plan).look(plan))  # fmt: skip


_KNOT = Plan(Phase("0", "Begin", ("3",)), *FORK.phases[1:])


def _shapes() -> Iterator[Scenario]:
    for word, what, plan in (
        ("one", "one phase", ONE), ("chain", "twelve phases in a row", chain(12)),
        ("pair", "two phases that run together", PAIR), ("example", "the six of the document", EXAMPLE),
        ("wide", "eight that run together", batch(8)), ("diamonds", "two diamonds", DIAMONDS),
    ):  # fmt: skip
        story = calm().start(plan).look(plan).run(plan).look(plan).resume(plan).look(plan)
        yield scenario(f"shape-{word}", f"A plan has {what}.", _BEGUN, story.fresh(plan).look(plan))
    story = calm().start(FORK).finish(FORK).look(FORK).resume(FORK).look(FORK).fresh(FORK).look(FORK)
    yield scenario("shape-fork", "Two phases are ready, and nobody said that they run together; then a cycle is added.",
                   (*_BEGUN, "NRT-02", "NRT-03"), story.fresh(_KNOT).look(FORK))  # fmt: skip
    plan = Plan(FORK.phases[0], FORK.phases[3], *FORK.phases[1:3])
    story = calm().start(plan).complete("0").complete("1").look(plan).finish(plan).look(plan).fresh(_KNOT)
    yield scenario("shape-fork-end-first", "What waits for two stands before them; then a cycle is added.",
                   ("NRT-02", "NRT-03", "STA-04", "STA-05"), story.look(plan))  # fmt: skip
    plan = Plan(*(Phase(str(number), "Alone") for number in range(4)))
    story = calm().start(plan).finish(plan).look(plan).fresh(plan)
    yield scenario("shape-alone", "No phase waits for another.", _BEGUN, story.look(plan))
    plan = Plan(Phase("0", "A", (), ("2",)), Phase("1", "B", ("0",)), Phase("2", "C", (), ("0",)), Phase("3", "D"))
    yield scenario("shape-scattered", "Phases that run together are rows apart.", _BEGUN,
                   calm().start(plan).finish(plan).look(plan).fresh(plan).look(plan))  # fmt: skip
    plan = Plan(Phase("0", "A"), Phase("1", "B", (), ("2",)), Phase("2", "C", ("0",), ("1",)), Phase("3", "D", ("1",)))
    yield scenario("shape-late-sibling", "Of two that run together one is ready before the other.", _BEGUN,
                   calm().start(plan).finish(plan).look(plan).fresh(plan).look(plan))  # fmt: skip
    plan = Plan(Phase("3", "Last", ("2",)), Phase("2", "Middle", ("1",)), Phase("1", "First"))
    yield scenario("shape-backwards", "Every phase stands before those that it waits for.", _BEGUN,
                   calm().start(plan).run(plan).look(plan).fresh(plan).look(plan))  # fmt: skip


def _only(*columns: str) -> str:
    return table(CHAIN.phases, columns)


_TWICE = Plan(Phase("Phase 1-A", "One"), Phase("1a", "Other"))
_NOBODY = Plan(_SETUP, Phase("2", "Backend", ("1", "9")))
NO_PLANS: tuple[tuple[str, str, str], ...] = (
    ("empty", "has no text", ""),
    ("blank", "is white space", " \n\t\n"),
    ("prose", "is prose", "First we set up, then we build.\n"),
    ("no-rows", "has a table without rows", table(())),
    ("other-table", "has a table of other things", "| Name | Age |\n| --- | --- |\n| Ann | 30 |\n"),
    ("two-tables", "has two tables", f"{CHAIN.text}\n## Later\n\n{table(PAIR.phases)}"),
    ("same-table-twice", "has its table twice", f"{CHAIN.text}\n{CHAIN.text}"),
    ("no-phase-column", "lacks the column of the ids", _only(*COLUMNS[1:])),
    ("no-dependencies-column", "lacks the column of what phases wait for",
     _only(*(each for each in COLUMNS if each != "Depends On"))),
    ("no-siblings-column", "lacks the column of what runs together",
     _only(*(each for each in COLUMNS if each != "Parallel With"))),
    ("bad-id", "has an id of which nothing is left", Plan(_SETUP, Phase("\u6f22", "Other")).text),
    ("no-id", "has a row without an id", Plan(_SETUP, Phase(" ", "Other")).text),
    ("only-the-word", "has an id that is the word alone", Plan(Phase("Phase", "Setup")).text),
    ("same-id-twice", "has an id twice", Plan(_SETUP, Phase("2", "Backend"), Phase("1", "Again")).text),
    ("same-when-normalised", "has an id twice, spelt in two ways", _TWICE.text),
    ("json", "is JSON", '{"phases": [{"id": "1"}]}'),
)  # fmt: skip


def _refused(name: str, title: str, text: str, *clauses: str) -> Scenario:
    """It is refused, with state and without; then a good plan runs."""
    story = calm().start(text).look().complete("1").resume(text).fresh(text).look().fresh(ONE).complete("0").start(text)
    return scenario(name, title, (*_REFUSED, *clauses), story.look(ONE))


def _no_plans() -> Iterator[Scenario]:
    for word, what, text in NO_PLANS:
        clauses = ("STA-05",) if word.startswith("same-id") or word == "same-when-normalised" else ()
        yield _refused(f"no-plan-{word}", f"What is to be a plan {what}.", text, *clauses)
    story = calm().start(_NOBODY).start(ONE, Mode.FRESH).look(ONE).complete("0").fresh("").look()
    yield scenario("no-plan-between", "A plan that is none, one that is, and none again.",
                   (*_REFUSED, "NRT-03", "STA-05"), story.fresh(CHAIN).run(CHAIN).look(CHAIN))  # fmt: skip


def _no_graphs() -> Iterator[Scenario]:
    yield _refused("no-graph-unknown", "A phase waits for one that nobody knows.", _NOBODY.text, "NRT-03")
    text = Plan(_SETUP, Phase("2", "Backend", ("2",))).text
    yield _refused("no-graph-self", "A phase waits for itself.", text, "NRT-03")
    text = Plan(Phase("1", "A", ("Phase 1",))).text
    yield _refused("no-graph-self-spelt-otherwise", "A phase waits for itself, spelt in another way.", text, "NRT-03")


def _odd_siblings() -> Iterator[Scenario]:
    """What nobody says anything of: the run that is started afresh after it is no matter of taste."""
    for word, what, plan in (
        ("unknown", "runs beside one that nobody knows", Plan(_SETUP, Phase("2", "Backend", ("1",), ("9",)))),
        ("itself", "runs beside itself", Plan(_SETUP, Phase("2", "Backend", ("1",), ("2",)))),
        ("waiting", "waits for the one it runs beside",
         Plan(Phase("1", "A", (), ("2",)), Phase("2", "B", ("1",), ("1",)))),
        ("crossed", "waits for the one it runs beside, and that for it",
         Plan(Phase("1", "A", ("2",), ("2",)), Phase("2", "B", ("1",), ("1",)))),
        ("one-sided", "says alone that two run together",
         Plan(_SETUP, Phase("2", "B", ("1",), ("3",)), Phase("3", "C", ("1",)))),
    ):  # fmt: skip
        story = calm().start(ONE).complete("0").fresh(plan).look(plan).finish(plan, 2).look(plan).fresh(ONE)
        yield scenario(f"odd-sibling-{word}", f"A phase {what}.", ("FRS-01", "STA-04", "STA-05"),
                       story.look(ONE).complete("0").look(ONE))  # fmt: skip


CYCLES: tuple[tuple[str, str, Plan, Plan], ...] = (
    ("two", "of two phases", CYCLE, Plan(Phase("1", "Hen"), Phase("2", "Egg", ("1",)))),
    ("document", "as in the document", Plan(Phase("2A", "A", ("3",)), Phase("3", "B", ("2A",))),
     Plan(Phase("2A", "A"), Phase("3", "B", ("2A",)))),
    ("three", "of three phases",
     Plan(Phase("1", "A", ("3",)), Phase("2", "B", ("1",)), Phase("3", "C", ("2",))), CHAIN),
    ("behind", "behind phases that could run",
     Plan(Phase("0", "A"), Phase("1", "B", ("0", "3")), Phase("2", "C", ("1",)), Phase("3", "D", ("2",))), chain(4)),
    ("before", "before phases that wait for it",
     Plan(Phase("0", "A", ("1",)), Phase("1", "B", ("0",)), Phase("2", "C", ("1",))), CHAIN),
    ("beside", "beside phases that could run",
     Plan(_SETUP, Phase("2", "B", ("3",)), Phase("3", "C", ("2",)), Phase("4", "D", ("1",))), chain(5)),
    ("two-cycles", "and another one",
     Plan(Phase("1", "A", ("2",)), Phase("2", "B", ("1",)), Phase("3", "C", ("4",)), Phase("4", "D", ("3",))), PAIR),
    ("long", "of forty phases", Plan(Phase("0", "A", ("39",)), *chain(40).phases[1:]), chain(3)),
)  # fmt: skip


def _cycles() -> Iterator[Scenario]:
    for word, what, bad, good in CYCLES:
        story = calm().start(bad).look().resume(bad).complete(bad.ids[0])
        yield scenario(f"cycle-{word}", f"A plan has a cycle {what}; then one edge of it is gone.",
                       ("CLS-02", "NRT-02", "NRT-03", "STA-05"),
                       story.fresh(bad).look().fresh(good).look(good).run(good).look(good))  # fmt: skip


def _doubtful() -> Iterator[Scenario]:
    """What readers of Markdown may take in one way or another; the run that follows is no matter of taste."""
    fenced = f"```\n{table(CHAIN.phases)}```\n"
    for word, what, text in (
        ("fenced", "is in a block of code", fenced), ("indented", "is indented by four", "    " + "\n    ".join(_ROWS)),
        ("no-rule", "has no line below its columns", "\n".join((_ROWS[0], *_ROWS[2:]))),
        ("no-outer-bars", "has no bars at its sides", "\n".join(row.strip("| ") for row in _ROWS)),
        ("short-row", "has a row with fewer cells", "\n".join((*_ROWS[:3], "| 1 | Setup | 0 |", _ROWS[4]))),
        ("long-row", "has a row with more cells", "\n".join((*_ROWS[:4], _ROWS[4] + " more | and more |"))),
        ("column-twice", "has a column twice", table(CHAIN.phases, (*COLUMNS, "Depends On"))),
        ("other-table-too", "stands beside a table of other things",
         f"{CHAIN.text}\n| Name | Age |\n| --- | --- |\n| Ann | 30 |\n"),
        ("bold", "has bold ids", CHAIN.text.replace("Phase 1 ", "**Phase 1** ")),
        ("status", "says of a phase that it is complete", CHAIN.text.replace("1 day | - |", "1 day | complete |", 1)),
        ("in-a-quote", "is in a quotation", "> " + "\n> ".join(_ROWS)),
        ("header-only", "is a line of columns alone", _ROWS[0]), ("nul", "is two NUL characters", "\x00\x00"),
    ):  # fmt: skip
        story = calm().start(ONE).complete("0").fresh(text).look().finish(CHAIN, 1).look()
        story.fresh(CHAIN).look(CHAIN).run(CHAIN)
        yield scenario(f"doubtful-{word}", f"The table of a plan {what}.", ("FRS-01", "STA-04", "STA-05"),
                       story.look(CHAIN))  # fmt: skip
