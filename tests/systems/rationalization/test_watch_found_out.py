"""Wrong watches that once were certified, each by the scenario that finds it out, and other sound ones that agree.

Source: a review of issue 8 by implementations that the document forbids, and by others that it permits.
"""

import re

import msgspec
import pytest
from campaigns import sliced
from played import Served

from harness.core.finding import CheckVerdict
from harness.ports.files import RealFiles
from harness.systems import registry
from harness.systems.rationalization.contract import TABLE, Action, Entry, StepTaken
from harness.systems.rationalization.reference.attempts import Attempts
from harness.systems.rationalization.reference.phrases import PHRASES, Phrases
from harness.systems.rationalization.reference.watch import Watch
from harness.targets.direct import DirectSession
from harness.targets.player import play

SYSTEM = registry.get("rationalization")
SCENARIOS = {scenario.id: scenario for scenario in SYSTEM.workload.boundaries()}
FOUND_OUT = {
    "quotations-go-on-in-the-next-paragraph": "said-between-paragraphs-1",
    "blank-lines-are-empty": "said-between-paragraphs-2",
    "fences-are-closed-by-their-like": "said-between-paragraphs-7",
    "any-fence-closes": "mentioned-fence-with-another-of-a-language",
    "tables-are-mentions": "said-nice-to-have",
    "brackets-are-mentions": "said-i-checked-and-its-fine",
    "denials-are-none": "said-the-tests-are-flaky",
    "texts-are-cut": "said-after-many-pages",
    "every-counter-at-once": "said-the-tests-are-flaky",
    "every-fix-is-small": "plain-words",
    "other-words-have-no-counter": "other-words",
    "doubtful-phrases-have-no-counter": "odd-joined",
    "every-phrase-at-once": "enforced-several",
    "every-counter-is-applied": "enforced-several",
    "it-cannot-be-stopped": "enforced-several",
    "long-reasons-are-cut": "enforced-at-length",
    "announced-scope-proves-claims": "behaviour-verification-crossed",
    "evidence-justifies-growth": "behaviour-scope-crossed",
    "forty-attempts-are-kept": "logged-many",
}


def judged(make_watch, name):
    def make(config):
        return Served(SYSTEM, make_watch(msgspec.convert(config, SYSTEM.contract.Configuration)))

    scenario = SCENARIOS[f"watch-{name}"]
    with DirectSession("watch", make) as session:
        history = play(scenario, session, SYSTEM.inputs_of)
    return SYSTEM.judge(scenario, history, SYSTEM.catalogue)


def needs_a_process(scenario):
    """Nothing restarts in this process."""
    return any(step.fault is not None for step in scenario.steps)


@pytest.mark.parametrize("name", sliced(FOUND_OUT))
def test_a_wrong_watch_is_found_out(name):
    mutant = SYSTEM.mutants.MUTANTS[name]
    findings = judged(mutant.factory, FOUND_OUT[name])
    assert mutant.clause in {each.clause for each in findings if each.verdict is CheckVerdict.FAIL}


# -- other sound watches: what a clause leaves open is open


class CountersAtLast(Watch):
    """First all are named, then all are countered."""

    def steps(self, found, *, logged):
        stop, *others, document = super().steps(found, logged=logged)
        return stop, *sorted(others, key=lambda step: step.action != Action.IDENTIFY), document


class NamesThePhrase(Watch):
    """The phrase is named, of a row as well, and each place by itself."""

    def once(self, found):
        return found

    def countered(self, finding):
        _, counter = super().countered(finding)
        return StepTaken(Action.IDENTIFY, detail=f'The excuse "{finding.phrase}".'), counter


class NearestRow(Watch):
    """Of a red flag a row is named."""

    def countered(self, finding):
        if finding.entry is not None:
            return super().countered(finding)
        row = Entry.OUT_OF_SCOPE if finding.phrase == "nice to have" else Entry.ALREADY_VERIFIED
        action = TABLE[row].required_action
        return StepTaken(Action.IDENTIFY, detail=row.value), StepTaken(Action.COUNTER, detail=action)


class SaysMore(Phrases):
    """Counters say more than they must."""

    def finding(self, phrase, start, end):
        found = super().finding(phrase, start, end)
        more = f"First: {found.required_action}. Must pass CI! Then go on."
        return msgspec.structs.replace(found, required_action=more)


class OtherWords(Phrases):
    """The excuse in other words is found, too."""

    others = (
        (r"perhaps|maybe|presumably", "probably"), (r"trivial\s\w+", "simple fix"),
        (r"(?:a )?corner case", "This is just an edge case"), (r"the suite is unreliable", "The tests are flaky"),
        (r"clean(?:ed)? (?:it )?up later", "I'll refactor later"), (r"should work", "should be fine"),
    )  # fmt: skip

    def findings(self, text, *, has_output):
        spoken = self.spoken_class(text)
        places = sorted(
            (*each.span(), meant)
            for pattern, meant in self.others
            for each in re.finditer(rf"(?<!\w)(?:{pattern})(?!\w)", text, re.IGNORECASE)
        )
        phrases = {each.text: each for each in PHRASES}
        more = [self.finding(phrases[meant], *span) for *span, meant in places if spoken.is_said(*span)]
        found = super().findings(text, has_output=has_output)
        return tuple(sorted((*found, *more), key=lambda each: (each.start, each.end)))


class FirstOfOverlapping(Phrases):
    """Of two phrases with a word in common the first is found; output answers nothing."""

    def is_answered(self, phrase):
        return False

    def findings(self, text, *, has_output):
        found = []
        for each in super().findings(text, has_output=has_output):
            if not found or found[-1].end <= each.start:
                found.append(each)
        return tuple(found)


class FileEach(Attempts):
    """Every attempt has a file of its own, numbered."""

    def name(self):
        return f"{super().name()}.d/{vars(self).get('number', 0):06}.json"

    def write(self, data):
        base = self.path.rpartition("/")[0]
        with self.files.lock(f"{base}.lock", 5):
            self.number = len(self.data().splitlines()) + 1
            self.files.replace(f"{base}/{self.number:06}.json", data)

    def data(self):
        found, base = b"", self.path.rpartition("/")[0]
        for number in range(1, 200):
            try:
                found += self.files.read(f"{base}/{number:06}.json", 1 << 20)
            except FileNotFoundError:
                break
        return found


OTHERS = (
    CountersAtLast, NamesThePhrase, NearestRow,
    *(type(each.__name__, (Watch,), {"phrases_class": each}) for each in (SaysMore, OtherWords, FirstOfOverlapping)),
    type("FileEach", (Watch,), {"attempts_class": FileEach}),
)  # fmt: skip
READ_BY_THEM = tuple(
    name.removeprefix("watch-")
    for name, scenario in SCENARIOS.items()
    if scenario.level == "L1" and not needs_a_process(scenario)
)


@pytest.mark.parametrize("other", sliced(OTHERS))
def test_another_sound_watch_breaks_nothing_and_all_shows(other):
    shown = set()
    for name in READ_BY_THEM:
        findings = judged(lambda configuration: other(configuration, RealFiles()), name)
        assert [] == [each for each in findings if each.verdict is not CheckVerdict.PASS], name
        shown |= {each.clause for each in findings}
    assert {clause.id for clause in SYSTEM.catalogue} == shown
