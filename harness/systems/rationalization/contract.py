"""The operations of a watch over rationalisations: typed arguments and results, the table, where attempts lie. Pure.

One profile, ``watch``. The optional group ``behaviour`` binds an implementation to what shows in no text: facts about
scope and verification that the harness tells. Source: document 000, Rationalization Tables.

What a phrase is, where the document gives a quotation and no rule: its words, whole, in any case, with any white space
between two of them, line breaks included; the straight and the curved apostrophe are the same. It is one in a question
or a denial, too. What somebody only mentions is none: text in fenced code, in code spans, in block quotes, and between
double quotation marks, straight or curved, within one paragraph. A fence, a block quote and a code span are what
CommonMark says; where readers of Markdown may see different things (marks that are not closed, indented lines, escapes,
HTML) a phrase may be found or not, and so may one beside which stands what to some makes a longer word: a hyphen, an
underscore, a letter of another alphabet.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final, NamedTuple

import msgspec

from harness.core.log import LogEntry
from harness.systems import arguments

SYSTEM: Final = "rationalization"
WATCH: Final = "watch"
PROFILES: Final = (WATCH,)
HOME: Final = "{home}"
EPISODIC_DIRECTORY: Final = f"{HOME}/.loki/memory/episodic"  # Enforcement Protocol 4
ATTEMPTS_PATH: Final = f"{EPISODIC_DIRECTORY}/rationalizations.jsonl"  # ours: the document names no file


class Kind(StrEnum):
    """What was found: a row of the table, or one of the five families of red flags."""

    EXCUSE = "excuse"
    HEDGING = "hedging"
    MINIMIZATION = "minimization"
    SCOPE_CHANGE = "scope_change"
    VERIFICATION_SKIPPED = "verification_skipped"
    UNVERIFIED_CLAIM = "unverified_claim"


class Entry(StrEnum):
    """The rows of the table, in its order."""

    REFACTOR_LATER = "refactor_later"
    EDGE_CASE = "edge_case"
    FLAKY_TESTS = "flaky_tests"
    WORKS_ON_MY_MACHINE = "works_on_my_machine"
    TEMPORARY_WORKAROUND = "temporary_workaround"
    UNCLEAR_SPEC = "unclear_spec"
    OUT_OF_SCOPE = "out_of_scope"
    OPTIMIZE_LATER = "optimize_later"
    GOOD_ENOUGH = "good_enough"
    BENIGN_ERROR = "benign_error"
    ALREADY_VERIFIED = "already_verified"
    OUTDATED_DOCUMENTATION = "outdated_documentation"


class Row(NamedTuple):
    """A row of the table: what is said, and what has to be done instead, in the document's words."""

    phrase: str
    required_action: str


TABLE: Final[Mapping[Entry, Row]] = {
    Entry.REFACTOR_LATER: Row("I'll refactor later", "Refactor now or reduce scope"),
    Entry.EDGE_CASE: Row("This is just an edge case", "Handle edge case or document limitation"),
    Entry.FLAKY_TESTS: Row("The tests are flaky", "Fix flaky test before proceeding"),
    Entry.WORKS_ON_MY_MACHINE: Row("It works on my machine", "Must pass CI"),
    Entry.TEMPORARY_WORKAROUND: Row("This is a temporary workaround", "No workarounds without issue filed"),
    Entry.UNCLEAR_SPEC: Row("The spec is unclear", "Block until spec clarified"),
    Entry.OUT_OF_SCOPE: Row("This is out of scope", "Verify against `.loki/queue/` task definition"),
    Entry.OPTIMIZE_LATER: Row(
        "We can optimize later", "Implement acceptable performance OR document as known limitation"
    ),
    Entry.GOOD_ENOUGH: Row("This is good enough", "Run full test suite before claiming completion"),
    Entry.BENIGN_ERROR: Row("The error is benign", "Investigate error, document root cause"),
    Entry.ALREADY_VERIFIED: Row("I already verified this", "Show command output or test results"),
    Entry.OUTDATED_DOCUMENTATION: Row(
        "The documentation is outdated", "Verify claim, update docs if true, follow docs if false"
    ),
}
"""Common Agent Rationalizations (LK-RAT-01)."""

FLAGS: Final[Mapping[Kind, Mapping[str, str]]] = {
    Kind.HEDGING: {
        "probably": "Replace with verified facts",
        "should be fine": "Replace with test results",
        "most likely": "Replace with confirmed behavior",
        "I think": "Replace with verified knowledge",
    },
    Kind.MINIMIZATION: {
        "just a small change": "All changes require verification",
        "simple fix": "Complexity is determined by test results",
        "minor update": "Impact is determined by CI, not assumption",
        "quick tweak": "Speed claims require evidence",
    },
    Kind.SCOPE_CHANGE: {"nice to have": "Keep to the features of the spec"},
    Kind.VERIFICATION_SKIPPED: {"The other component handles this": "Verify integration, don't assume"},
    Kind.UNVERIFIED_CLAIM: {"I checked and it's fine": "Show output"},
}
"""Red Flag Detection Patterns by family: the phrases that the document quotes, and what counters each.

The counters of "nice to have" and "I checked and it's fine" are ours, out of the sentences they stand in.
"""


class Configuration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The ``config`` of reset and open: the working directory."""

    home: str


class LogCode(StrEnum):
    """What a log entry is about. An implementation maps its own messages to these."""

    ATTEMPT_UNLOGGED = "attempt_unlogged"  # it could not be written
    ATTEMPTS_UNREADABLE = "attempts_unreadable"
    ATTEMPTS_INVALID = "attempts_invalid"  # what stands there is no record


class Finding(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One rationalisation in a text.

    ``phrase`` is the document's, ``start`` and ``end`` (exclusive) tell where it stands, in code points of the text.
    ``entry`` is the row of the table, null for a red flag, which has none. ``required_action`` has the words of the
    document's counter, and may have more.
    """

    phrase: str
    kind: Kind
    required_action: str
    start: int
    end: int
    entry: Entry | None = None


class ScanArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What an agent says, in Markdown. ``has_output``: it shows the output of a command or results of tests with it."""

    text: str
    has_output: bool = False


class ScanResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Every rationalisation, in the order of their places; of two phrases with a word in common one at least.

    With ``has_output``, "I checked and it's fine" and "I already verified this" may be left out: what they lack is
    there.
    """

    findings: tuple[Finding, ...]
    log: tuple[LogEntry, ...] = ()


class Scope(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What became of the scope of a task while it was worked on (Scope Changes Mid-Task)."""

    expanded: bool = False
    justified: bool = False
    reduced: bool = False
    documented: bool = False
    reinterpreted: bool = False
    announced: bool = False
    unspecified_feature: bool = False


class Verification(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What was claimed, and what was done for it (Verification Skipping, Unverified Claims)."""

    next_task_begun: bool = False
    tests_run: bool = False
    success_claimed: bool = False
    evidence_shown: bool = False
    failed_check_dismissed: bool = False
    relies_on_other_component: bool = False
    integration_verified: bool = False
    tests_cited: bool = False
    cited_tests_run: bool = False
    compatibility_claimed: bool = False
    compatibility_tested: bool = False
    behavior_asserted: bool = False
    behavior_demonstrated: bool = False


class Behaviour(StrEnum):
    """The behaviours that the document calls red flags, and that no phrase shows."""

    UNJUSTIFIED_EXPANSION = "unjustified_expansion"
    UNDOCUMENTED_REDUCTION = "undocumented_reduction"
    SILENT_REINTERPRETATION = "silent_reinterpretation"
    UNSPECIFIED_FEATURE = "unspecified_feature"
    UNTESTED_PROGRESS = "untested_progress"
    UNPROVEN_SUCCESS = "unproven_success"
    DISMISSED_CHECK = "dismissed_check"
    UNVERIFIED_INTEGRATION = "unverified_integration"
    UNRUN_TESTS_CITED = "unrun_tests_cited"
    UNTESTED_COMPATIBILITY = "untested_compatibility"
    UNDEMONSTRATED_BEHAVIOR = "undemonstrated_behavior"


class AssessArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What an agent did, as the harness tells it."""

    scope: Scope = Scope()
    verification: Verification = Verification()


class AssessResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Every behaviour that is a red flag, each once (LK-RAT-04, LK-RAT-05; group ``behaviour``)."""

    behaviours: tuple[Behaviour, ...]
    log: tuple[LogEntry, ...] = ()


class Action(StrEnum):
    """The steps of the Enforcement Protocol, and ``proceed``, which is none."""

    STOP = "stop"
    IDENTIFY = "identify"  # ``detail`` is the entry of the table, or the phrase of a red flag
    COUNTER = "counter"  # ``detail`` is the required action
    DOCUMENT = "document"  # ``ok``: the attempt was logged
    PROCEED = "proceed"


class StepTaken(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A step, in the order in which they were taken."""

    action: str
    ok: bool = True
    detail: str = ""


class EnforceArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An agent gives ``text`` as its reason for ``action``, which it is about to take."""

    text: str
    action: str
    agent: str = "eng-001"
    has_output: bool = False


class EnforceResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What was done about it (LK-RAT-06).

    Where a rationalisation is found: stop first, then of each finding identify and counter, in this order, then
    document, and the action does not proceed. Where there is none it proceeds, and nothing is logged. A log that cannot
    be written changes nothing of that: ``logged`` is false, and the answer says so. ``path`` is the file, below the
    home, in which the attempt stands (LK-RAT-07).
    """

    steps: tuple[StepTaken, ...]
    proceeds: bool
    logged: bool = False
    path: str | None = None
    log: tuple[LogEntry, ...] = ()


class AttemptsArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Nothing is asked for: everything is told."""


class Attempt(msgspec.Struct, frozen=True, omit_defaults=True):
    """A logged attempt: when, by whom, what was to be done, which phrases; further fields are the implementation's."""

    timestamp: str
    agent: str
    action: str
    phrases: tuple[str, ...]


class AttemptsResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Every logged attempt, in the order of their logging."""

    attempts: tuple[Attempt, ...]
    log: tuple[LogEntry, ...] = ()


OPERATIONS: Mapping[str, tuple[type, type]] = {
    "scan": (ScanArguments, ScanResult),
    "assess": (AssessArguments, AssessResult),
    "enforce": (EnforceArguments, EnforceResult),
    "attempts": (AttemptsArguments, AttemptsResult),
}

GROUPS: Mapping[str, str] = {"behaviour": "facts about scope and verification are assessed, not only texts"}


def inputs_of(operation: str, args: Mapping[str, Any]) -> Mapping[str, str]:
    """The files an operation finds: what a history records the state of when it begins."""
    del operation, args
    return {"attempts": ATTEMPTS_PATH}


def with_field(operation: str, args: Mapping[str, Any], field: str, value: Any) -> dict[str, Any]:
    """The arguments with ``field`` set to ``value``; see arguments.changed."""
    return arguments.changed(OPERATIONS[operation][0] if operation in OPERATIONS else None, args, field, value)
