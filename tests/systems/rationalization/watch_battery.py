"""A long conversation with an implementation of the watch, written down: what two of them say differently, differs."""

import itertools

from harness.ports.fake_files import FakeFiles
from harness.systems.rationalization.contract import (
    FLAGS,
    TABLE,
    AssessArguments,
    AttemptsArguments,
    Configuration,
    EnforceArguments,
    ScanArguments,
    Scope,
    Verification,
)

NOW = 1_772_366_400.0
LOG = "/world/.loki/memory/episodic/rationalizations.jsonl"
PHRASES = [*(row.phrase for row in TABLE.values()), *(phrase for family in FLAGS.values() for phrase in family)]
WAYS = (
    "{}", "x{}", "{}x", "`{}`", '"{}"', "\u201c{}\u201d", '"a\n{}\nb"', "```\n{0}\n```\n{0}", "~~~\n{}\n~~~", "> {}", "{0}, {0}",
    'He said "a". {}', "\u00e9 {}",
)  # fmt: skip
REASONS = (
    "The tests are flaky", "I think", "This is out of scope, nice to have", "The login answers 200.", "`I think`\n> a\n",
    "I think, probably. This is good enough. The error is benign",
)  # fmt: skip
ODD = (
    'a 5" b\n\nI think\n\nc 3" d', 'a 5" b\r\n\r\nI think\r\n\r\nc 3" d', "```\na\n`````\nThe tests are flaky",
    "```\n```python\nThe tests are flaky\n```\n", "| a | nice to have |", "[CI: I checked and it's fine]",
    "Nobody says that it is so: the tests are flaky", "a " * 10_000 + "simple fix", "The fix is in.", "Perhaps.",
    "probably-not",
)  # fmt: skip
SCOPES = [dict.fromkeys(pair, True) for pair in itertools.product(("expanded", "reduced"), ("justified", "documented"))]
CLAIMS = [{name: True} for name in ("failed_check_dismissed", "success_claimed", "tests_cited")]


class Broken(FakeFiles):
    """Files of which chosen methods raise: ``broken["read"] = OSError(...)``."""

    def __init__(self):
        super().__init__()
        self.broken = {}
        for method in ("read", "append_lines"):
            setattr(self, method, self._broken(method))

    def _broken(self, method):
        def call(*arguments):
            if method in self.broken:
                raise self.broken[method]
            return getattr(FakeFiles, method)(self, *arguments)

        return call


class Battery:
    """Says everything once, in calm weather; ``run`` gives what was said and what stood in the files."""

    def __init__(self, make):
        self.make = make
        self.told = []

    def opened(self, files=None):
        self.files = Broken() if files is None else files
        return self.make(Configuration("/world"), self.files)

    def say(self, call):
        try:
            self.told.append(repr(call()))
        except Exception as error:  # noqa: BLE001 - what escapes is what is looked for
            self.told.append(f"escaped: {error!r}")

    def seen(self, watch):
        self.say(lambda: watch.attempts(AttemptsArguments(), NOW))
        self.say(lambda: sorted((path, bytes(data)) for path, (data, _) in self.files.contents.items()))

    def enforce(self, watch, text, action="merge", at=0.0, **fields):
        self.say(lambda: watch.enforce(EnforceArguments(text, action, **fields), NOW + at))

    def run(self):
        for part in (self.scanned, self.oddly, self.assessed, self.enforced, self.logged):
            part()
        return self.told

    def scanned(self):
        watch = self.opened()
        for phrase, way in itertools.product(PHRASES, WAYS):
            ways = (
                phrase,
                phrase.upper(),
                phrase.replace(" ", "\n"),
                phrase.replace(" ", "  "),
                phrase.replace("'", "\u2019"),
            )
            for text in map(way.format, ways):
                self.say(lambda text=text: watch.scan(ScanArguments(text), NOW))
            shown = ScanArguments(way.format(phrase), has_output=True)
            self.say(lambda shown=shown: watch.scan(shown, NOW))

    def oddly(self):
        watch = self.opened()
        for text in ODD:
            self.say(lambda text=text: watch.scan(ScanArguments(text), NOW))
        self.enforce(watch, "a " * 2000 + "I think")

    def assessed(self):
        watch = self.opened()
        for scope in ({}, {"expanded": True}, *SCOPES):
            self.say(lambda scope=scope: watch.assess(AssessArguments(scope=Scope(**scope)), NOW))
        for facts in (*CLAIMS, *({**claim, "tests_run": True} for claim in CLAIMS)):
            self.say(lambda facts=facts: watch.assess(AssessArguments(verification=Verification(**facts)), NOW))

        both = AssessArguments(Scope(expanded=True, announced=True), Verification(success_claimed=True))
        self.say(lambda: watch.assess(both, NOW))
        proven = AssessArguments(Scope(expanded=True), Verification(evidence_shown=True))
        self.say(lambda: watch.assess(proven, NOW))

    def enforced(self):
        watch = self.opened()
        for number, text in enumerate(REASONS):
            self.enforce(watch, text, f"step {number}", agent=f"a{number}")
            self.seen(watch)

    def logged(self):
        watch = self.opened()
        other = self.make(Configuration("/world"), self.files)
        for one in (watch, other, watch):
            self.enforce(one, "I think")
            self.seen(watch)
        for number in range(45):
            self.enforce(watch, "I think", f"step {number}")
        self.seen(watch)
        torn = Broken()
        torn.append(LOG, b'no JSON\n{"torn')
        watch = self.opened(torn)
        self.enforce(watch, "I think")
        self.seen(watch)


class Struck(Battery):
    """The same while one call fails, after the year 2038, and over a log of any bytes."""

    def run(self):
        for method, error in itertools.product(
            ("read", "append_lines"),
            (OSError("full"), PermissionError("no"), OSError(5, "I/O")),
        ):
            watch = self.opened()
            self.enforce(watch, "I think")
            self.files.broken[method] = error
            for text in (*REASONS, "probably"):
                self.enforce(watch, text)
                self.seen(watch)
            self.files.broken.clear()
            self.seen(watch)
        bytes_ = Broken()
        bytes_.append(LOG, b"\xff\xfe\n")
        watch = self.opened(bytes_)
        self.enforce(watch, "I think", at=5e8)
        self.seen(watch)
        return self.told
