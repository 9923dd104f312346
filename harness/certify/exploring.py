"""The scenarios of L3 while they are run: learnt, turned into variants, each variant judged and counted."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import msgspec

from harness.certify.events import Event, Exploring, OperationExplored, ScenarioJudged, VariantsAlike
from harness.certify.explored import POWER, Explored, KindFacts, asked, counted, fired
from harness.certify.flaky import confirmed
from harness.certify.plan import Learn, Order, RunPlan, Vary
from harness.certify.weather import weather
from harness.core.finding import CheckVerdict, Finding
from harness.core.history import History
from harness.core.scenario import Scenario
from harness.explore.enumerated import Enumeration, enumerated, explored_steps
from harness.explore.learning import learned
from harness.explore.operation_orders import SCHEDULES, explored_orders, in_order
from harness.explore.playing import head_of, play
from harness.explore.power_variants import PowerVariants, power_variants, watched
from harness.explore.races import RaceReport
from harness.faults.syscalls import Call
from harness.faults.syscalls.calls import CHANGES
from harness.targets.player import Head
from harness.targets.session import Session

TRIES = 3  # plays of a variant until its call comes: where several processes work at once it may not
KEPT = 5  # failing variants of one operation that keep their history
SCHEDULE = "schedule"
UNORDERED = "its orders were not explored to their end"

_Operation = tuple[str, str, int]  # profile, scenario, step


class Explorer:
    """Everything that is known of the variants of one run. Used by many workers at once.

    ``judged`` are all variants, without their histories, ``operations`` counts what they asked for. ``over`` tells that
    the run ends, whatever is left.
    """

    def __init__(self, plan: RunPlan, put: Callable[[Event], None], over: Callable[[], bool] = lambda: False) -> None:
        self._plan = plan
        self._put = put
        self._is_over = over
        self._guard = threading.Lock()
        self._facts: dict[_Operation, Explored] = {}
        self._work: list[Vary | Order] = []
        self._told: Counter[tuple[_Operation, str]] = Counter()
        self._left: Counter[_Operation] = Counter()
        self._alike: Counter[bytes] = Counter()
        self._first: dict[bytes, ScenarioJudged] = {}
        self._planned = self._done = 0
        self.judged: list[ScenarioJudged] = []
        self.operations = 0

    @property
    def work(self) -> list[Vary | Order]:
        """What there is to play after everything was learnt: first what takes longest, then in a fixed order."""
        return sorted(self._work, key=lambda work: (isinstance(work, Vary), work.reach.profile, work.scenario.id))

    @property
    def facts(self) -> tuple[Explored, ...]:
        """What was enumerated, by profile and scenario."""
        return tuple(self._facts[operation].closed() for operation in sorted(self._facts))

    def alike(self) -> Iterator[VariantsAlike]:
        """The variants that were not told one by one, when all work is over."""
        for key, count in self._alike.items():
            first = self._first[key]
            yield VariantsAlike(scenario=first.scenario, findings=first.findings, weather=first.weather, count=count)

    def refused(self, work: Learn, why: str) -> None:
        """Nothing of this scenario can be enumerated here."""
        for place in explored_steps(work.scenario):
            self._facts[work.reach.profile, work.scenario.id, place] = _begun(work, place, cut=why)

    def learn(self, work: Learn, session: Session) -> None:
        """Plays a scenario as it is, judges that, and keeps what there is to vary."""
        scenario, system = work.scenario, work.reach.system
        known = learned(scenario, session, system.inputs_of)
        histories = known.histories[:2]
        touched = 0
        for place, recordings in zip(explored_steps(scenario), known.recordings, strict=True):
            touched += sum(map(len, recordings))
            power = self._power(scenario, place, session)
            self._keep(work, place, recordings, head_of(scenario, place, histories[0]), power)
        findings = counted(confirmed(*(self._judge(scenario, history) for history in histories)), met=True)
        stood = weather(system, scenario, histories[0], findings)
        if not touched:  # who touches no file at all cannot be struck at one, and that was seen
            passed = (found.clause for found in findings if found.verdict is CheckVerdict.PASS)
            stood = msgspec.structs.replace(stood, struck=tuple(dict.fromkeys((*stood.struck, *passed))))
        entries = histories[0].entries
        self._put(ScenarioJudged(scenario=scenario, origin="plan", history=entries, findings=findings, weather=stood))

    def _power(self, scenario: Scenario, place: int, session: Session) -> PowerVariants | None:
        explore = scenario.steps[place].explore
        if explore is None or POWER not in explore.kinds:
            return None
        found = watched(scenario, place, session, self._plan.system_of(scenario).inputs_of)
        return power_variants(scenario, place, found, session.hide, self._plan.explore_limit)

    def _judge(self, scenario: Scenario, history: History) -> tuple[Finding, ...]:
        system = self._plan.system_of(scenario)
        return system.judge(scenario, history, system.catalogue)

    def _keep(
        self,
        work: Learn,
        place: int,
        recordings: Sequence[Sequence[Call]],
        head: Head,
        power: PowerVariants | None,
    ) -> None:
        scenario, profile = work.scenario, work.reach.profile
        facts = msgspec.structs.replace(
            _begun(work, place),
            calls=len(recordings[0]),
            writes=sum(call.kind in CHANGES for call in recordings[0]),
        )
        items: list[Vary | Order]
        if scenario.steps[place + 1].schedule is not None:
            facts = msgspec.structs.replace(facts, cut=UNORDERED)  # until they were
            items = [Order(scenario, work.reach, place, head)]
        else:
            found = enumerated(scenario, place, recordings, self._plan.explore_limit)
            facts = _with(facts, found, power)
            parent = scenario.id, place
            items = [Vary(each.scenario, work.reach, parent, each.kind, head) for each in found.variants]
            items += [Vary(each, work.reach, parent, POWER, head) for each in (power.variants if power else ())]
            items = items[:: self._plan.one_variant_in]
        with self._guard:
            self._facts[profile, scenario.id, place] = facts
            self._left[profile, scenario.id, place] = len(items)
            self._planned += len(items)
            self._work += items

    def vary(self, work: Vary, session: Session) -> None:
        """Plays one variant until its fault was met, and judges it."""
        for _ in range(TRIES):
            history = play(work.scenario, session, work.reach.system.inputs_of, work.head)
            met = fired(history)
            if met:
                break
        event = self._confirmed(work.scenario, session, history, met=met)
        operation = (work.reach.profile, *work.parent)
        with self._guard:
            self._facts[operation] = self._facts[operation].with_variant(work.kind, fired=met, failed=_fails(event))
        self._tell(operation, work.kind, event)
        self._over(operation, work.scenario.id)

    def order(self, work: Order, session: Session) -> None:
        """Plays every order of operations begun together; of those that fail alike, the one with fewest switches."""
        operation = work.reach.profile, work.scenario.id, work.place
        scenario = in_order(work.scenario, work.place, ())
        tried = [0]

        def judge(history: History) -> str:
            findings = counted(self._judge(scenario, history), met=True)
            failing = sorted(found.clause for found in findings if found.verdict is CheckVerdict.FAIL)
            tried[0] += 1
            self._progress(f"{work.scenario.id}, order {tried[0]}")
            if not failing:
                self._tell(operation, SCHEDULE, self._event(scenario, history, findings))
            return ", ".join(failing)

        report = explored_orders(
            work.scenario, work.place, session, self._plan.system_of(scenario).inputs_of, judge,
            head=work.head, limit=self._plan.schedules, seed=self._plan.seed, over=self._is_over,
        )  # fmt: skip
        cut = [f"orders: {text}" for text in untold(report)]
        if report.bounded and self._plan.schedules < SCHEDULES:  # a lower bound would make the level a matter of taste
            cut.append(f"orders: {report.bounded}; the level needs {SCHEDULES} depth-first where there are as many")
        for failure in report.failures:
            failing = in_order(work.scenario, work.place, failure.choices, failure.order)
            history = play(failing, session, work.reach.system.inputs_of, work.head)
            event = self._confirmed(failing, session, history, met=True)
            self._tell(operation, SCHEDULE, event)
            if not _fails(event):
                cut.append(f"{failing.id} failed once and not again: {failure.verdict}")
        with self._guard:
            self._facts[operation] = _with_orders(self._facts[operation], report, "; ".join(cut))
        self._over(operation, work.scenario.id)

    def _confirmed(self, scenario: Scenario, session: Session, history: History, *, met: bool) -> ScenarioJudged:
        """What a variant's history says; a failure counts when the whole scenario, played again, fails again."""
        findings = self._judge(scenario, history)
        if any(finding.verdict is CheckVerdict.FAIL for finding in findings):
            history = play(scenario, session, self._plan.system_of(scenario).inputs_of)
            findings = confirmed(findings, self._judge(scenario, history))
        return self._event(scenario, history, counted(findings, met=met))

    def _event(self, scenario: Scenario, history: History, findings: tuple[Finding, ...]) -> ScenarioJudged:
        stood = weather(self._plan.system_of(scenario), scenario, history, findings)
        return ScenarioJudged(
            scenario=scenario, origin="explored", history=history.entries, findings=findings, weather=stood
        )

    def _tell(self, operation: _Operation, kind: str, event: ScenarioJudged) -> None:
        """Keeps what a variant says; tells of it when it failed or is the first of its kind, and counts the others."""
        light = event.without_history()
        failed = _fails(event)
        asked_for = event.operations()
        with self._guard:
            self.judged.append(light)
            self.operations += asked_for
            self._told[operation, "failed" if failed else kind] += 1
            told = self._told[operation, "failed" if failed else kind]
        if told <= (KEPT if failed else 1):
            self._put(event)
        elif failed:
            self._put(light)
        else:
            self._count(operation, kind, light)

    def _count(self, operation: _Operation, kind: str, event: ScenarioJudged) -> None:
        said = [(found.clause, found.verdict, found.readings) for found in event.findings]
        key = msgspec.json.encode((operation, kind, said, event.weather))
        with self._guard:
            self._alike[key] += 1
            self._first.setdefault(key, event)

    def _over(self, operation: _Operation, what: str) -> None:
        with self._guard:
            self._done += 1
            self._left[operation] -= 1
            over, facts = not self._left[operation], self._facts[operation]
        self._progress(what)
        if over:
            self._put(OperationExplored(facts=facts.closed()))

    def _progress(self, what: str) -> None:
        self._put(Exploring(what=what, done=self._done, planned=self._planned))


def _fails(event: ScenarioJudged) -> bool:
    return any(finding.verdict is CheckVerdict.FAIL for finding in event.findings)


def _begun(work: Learn, place: int, *, cut: str = "") -> Explored:
    scenario = work.scenario
    return Explored(scenario.id, work.reach.profile, asked(scenario, place), scenario.clauses, cut=cut)


def _with(facts: Explored, found: Enumeration, power: PowerVariants | None) -> Explored:
    kinds = Counter(variant.kind for variant in found.variants)
    if power is not None:
        kinds[POWER] = len(power.variants)
    return msgspec.structs.replace(
        facts,
        sites=found.sites,
        errnos=found.errnos,
        kinds={kind: KindFacts(count) for kind, count in kinds.items()},
        alike=found.alike,
        sampled=found.sampled,
        cut=found.cut,
        power_cut=power.cut if power is not None else "",
    )


def untold(report: RaceReport) -> list[str]:
    """Why the orders that were run show less than they should: one that says nothing may have been a bad one."""
    return [f"{report.untold} of {report.schedules} say nothing, one because {why}" for why in report.inconclusive]


def _with_orders(facts: Explored, report: RaceReport, cut: str) -> Explored:
    counts = KindFacts(report.judged + report.untold, report.judged, report.untold, report.failing)
    return msgspec.structs.replace(
        facts, kinds={SCHEDULE: counts}, redundant=report.redundant, cut=cut, bounded=report.bounded
    )
