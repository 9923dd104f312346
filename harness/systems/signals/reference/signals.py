"""The signals of one project: every operation of the contract."""

from harness.ports.files import Files, RealFiles
from harness.systems.signals.contract import (
    SIGNALS_DIRECTORY,
    AssessArguments,
    AssessResult,
    CancelArguments,
    CheckArguments,
    CheckResult,
    ClarifyArguments,
    ClassifyArguments,
    ClassifyResult,
    Configuration,
    ConsumeArguments,
    ConsumeResult,
    DecideArguments,
    DecideResult,
    DriftArguments,
    DriftResult,
    DriftsArguments,
    DriftsResult,
    EmitArguments,
    EmitResult,
    HealArguments,
    HealResult,
    RemoveArguments,
    RemoveResult,
    ResolveResult,
    ReviewArguments,
    ReviewResult,
    ReviewsArguments,
    ReviewsResult,
)
from harness.systems.signals.reference.assessing import Assessor
from harness.systems.signals.reference.drifts import Drifts
from harness.systems.signals.reference.handoffs import Handoffs
from harness.systems.signals.reference.healing import Healing
from harness.systems.signals.reference.kept_file import SignalsLock
from harness.systems.signals.reference.reviews import Reviews


class Signals:
    """Signal Processing of document 000 on the files below ``home``.

    Each operation takes the time of its call, in s since the epoch. Nothing raises, whatever is given and whatever
    stands in the files: what does not fit is told in the result's log. Not for use by two threads at once; by any
    number of processes.
    """

    lock_class = SignalsLock
    drifts_class = Drifts
    assessor_class = Assessor
    reviews_class = Reviews
    handoffs_class = Handoffs
    healing_class = Healing

    def __init__(self, configuration: Configuration, files: Files) -> None:
        home = configuration.home

        def place(path: str) -> str:
            return path.replace("{home}", home)

        lock = self.lock_class(f"{place(SIGNALS_DIRECTORY)}/.lock", files)
        self.drifting = self.drifts_class(place, files, lock)
        self.assessor = self.assessor_class()
        self.reviewing = self.reviews_class(home, place, files, lock)
        self.handoffs = self.handoffs_class(place, files, lock)
        self.healing = self.healing_class(place, files, self.handoffs)

    def report_drift(self, arguments: DriftArguments, now_s: float) -> DriftResult:
        """See DriftArguments."""
        return self.drifting.report(arguments, now_s)

    def drifts(self, arguments: DriftsArguments, now_s: float) -> DriftsResult:
        """See DriftsArguments."""
        return self.drifting.records(arguments)

    def assess(self, arguments: AssessArguments, now_s: float) -> AssessResult:
        """See AssessArguments."""
        return self.assessor.assess(arguments)

    def request_review(self, arguments: ReviewArguments, now_s: float) -> ReviewResult:
        """See ReviewArguments."""
        return self.reviewing.request(arguments, now_s)

    def reviews(self, arguments: ReviewsArguments, now_s: float) -> ReviewsResult:
        """See ReviewsArguments."""
        return self.reviewing.pending(arguments)

    def decide(self, arguments: DecideArguments, now_s: float) -> DecideResult:
        """See DecideArguments."""
        return self.reviewing.decide(arguments)

    def clarify(self, arguments: ClarifyArguments, now_s: float) -> ResolveResult:
        """See ClarifyArguments."""
        return self.reviewing.clarify(arguments)

    def cancel(self, arguments: CancelArguments, now_s: float) -> ResolveResult:
        """See CancelArguments."""
        return self.reviewing.cancel(arguments)

    def check_reviews(self, arguments: CheckArguments, now_s: float) -> CheckResult:
        """See CheckArguments."""
        return self.reviewing.check(arguments, now_s)

    def emit(self, arguments: EmitArguments, now_s: float) -> EmitResult:
        """See EmitArguments."""
        return self.handoffs.emit(arguments, now_s)

    def consume(self, arguments: ConsumeArguments, now_s: float) -> ConsumeResult:
        """See ConsumeArguments."""
        return self.handoffs.consume(arguments)

    def heal(self, arguments: HealArguments, now_s: float) -> HealResult:
        """See HealArguments."""
        return self.healing.heal(arguments)

    def classify_friction(self, arguments: ClassifyArguments, now_s: float) -> ClassifyResult:
        """See ClassifyArguments."""
        return self.healing.classify(arguments)

    def remove_friction(self, arguments: RemoveArguments, now_s: float) -> RemoveResult:
        """See RemoveArguments."""
        return self.healing.remove(arguments)


def create(configuration: Configuration, files: Files | None = None) -> Signals:
    """The reference as the harness starts it: on real files, unless others are given."""
    return Signals(configuration, files or RealFiles())
