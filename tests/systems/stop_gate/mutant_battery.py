"""A battery of situations for a gate, told as text: where a mutant differs from the reference shows in a line."""

import json
import os
import re
import shutil
import tempfile

from harness.systems.stop_gate.contract import (
    CheckArguments,
    CheckerOutcome,
    Configuration,
    Consideration,
    Limits,
    MetricsArguments,
    PromptArguments,
    Severity,
)

NOW = 1_772_366_400.0


def scripted(outcome, severity=Severity.BLOCKER, name=None, seconds=0.0):
    return Consideration(name or outcome.value, outcome, severity, seconds)


FAILED, DONE = scripted(CheckerOutcome.FAILED), scripted(CheckerOutcome.SATISFIED)
WARNED, PLAIN = (
    scripted(CheckerOutcome.FAILED, Severity.WARNING, "docs"),
    scripted(CheckerOutcome.FAILED, None, "plain"),
)
EDITS = [{"type": "tool_use", "name": "Edit", "input": {"file_path": path}} for path in ("/a", "/b")]
ASKED = {"role": "user", "content": "Why?"}
SAID = {"role": "assistant", "content": "Because."}
QUIRKS = [
    *(scripted(kind) for kind in (CheckerOutcome.MISSING, CheckerOutcome.KEYLESS, CheckerOutcome.RAISES)),
    *(scripted(kind) for kind in (CheckerOutcome.EXITS, CheckerOutcome.INTERRUPTS, CheckerOutcome.NETWORK_ERROR)),
]


class Battery:
    """Situations after one another, each in a fresh world, up to the first that is not as ``expected``."""

    WAITING = ("in_configuration_short", "in_hanging", "in_length", "in_monitoring")

    LEFT_OUT = ()

    def __init__(self, make, expected, base):
        self.base = base
        self.make = make
        self.expected = expected
        self.told = []
        self.root = ""

    def run(self):
        names = [name for name in dir(self) if name.startswith("in_") and name not in self.LEFT_OUT]
        for situation in sorted(names, key=lambda name: (name in self.WAITING, name)):
            self.world(os.path.realpath(tempfile.mkdtemp(dir=self.base)))
            try:
                getattr(self, situation)()
                self.told.append(f"{situation}: {self.tree()}")
            finally:
                shutil.rmtree(self.root)
            if not self.expected.startswith("\n".join(self.told)):
                break
        return "\n".join(self.told)

    def world(self, root):
        self.root = root
        self.home, self.project, self.path = f"{self.root}/h", f"{self.root}/p", f"{self.root}/t"
        self.runtime = f"{self.home}/.amplihack/.claude/runtime/power-steering"
        self.config = f"{self.project}/.claude/tools/amplihack/.power_steering_config"
        os.makedirs(self.runtime)
        os.makedirs(os.path.dirname(self.config))
        self.gate = self.make(Configuration(self.home, Limits(0.01)))
        self.write(ASKED, SAID)

    def write(self, *lines):
        data = b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines)
        with open(self.path, "wb") as file:
            file.write(data)

    def set_config(self, text):
        with open(self.config, "wb") as file:
            file.write(text)

    def semaphore(self, age_s):
        path = f"{self.runtime}/.s_completed"
        with open(path, "wb"):
            os.utime(path, (NOW - age_s, NOW - age_s))

    def check(self, *considerations, own=False, now=NOW, session_id="s", **more):
        arguments = CheckArguments(self.path, self.project, session_id, None if own else considerations, **more)
        try:
            result = self.gate.check(arguments, now)
        except BaseException as error:  # noqa: BLE001 - whatever a mutant raises is what it tells
            self.told.append(type(error).__name__)
            return
        log = [
            (
                str(e.code),
                e.level.value,
                e.line,
                e.keys,
                e.checker,
                e.traceback,
                e.session_id is None,
                "unnamed" in e.message,
            )
            for e in result.log
        ]
        told = (result.decision.value, result.reasons, result.continuation_prompt, result.summary, log)
        self.told.append(str(told))

    def tree(self):
        found = []
        for folder, _, names in sorted(os.walk(self.root)):
            for name in sorted(names):
                path = os.path.join(folder, name)
                dated = name.endswith("_completed") and not os.path.islink(path)
                mtime = os.lstat(path).st_mtime if dated else None
                text = os.path.relpath(path, self.root)
                found.append((re.sub(r"~\w{16}|(?<=unnamed-)\w{16}", "~", text), mtime))
        return found

    # the principle, switches

    def in_ordinary(self):
        self.check(DONE)
        self.check(FAILED, session_id="s2")
        self.check(DONE, session_id="s2")
        self.check(WARNED, PLAIN, session_id="s3")
        self.check(PLAIN, session_id="s4")
        self.check(WARNED, FAILED, session_id="s5")

    def in_switches(self):
        for value in ("1", "0"):
            self.check(FAILED, environment={"AMPLIHACK_SKIP_POWER_STEERING": value})
        self.check(FAILED)

    def in_nowhere(self):
        self.project += "/gone"
        self.check(FAILED)

    def in_configurations(self):
        self.check(FAILED)
        texts = [
            b'{"enabled": false}',
            b'{"enabled": 0}',
            b"[]",
            b"{",
            b'{"enabled": false, "x": 1}',
            b'{"timeout_seconds": 9}',
        ]
        texts += [
            b'"\xff"',
            *(b'{"timeout_seconds": %s}' % value for value in (b"0", b"1", b"300", b"301", b"true", b"30.0")),
        ]
        for text in texts:
            self.set_config(text)
            self.check(FAILED)
        self.set_config(b'{"enabled": false}')
        self.check(FAILED)
        os.unlink(self.config)
        self.check(FAILED)

    def in_configuration_fifo(self):
        os.mkfifo(self.config)
        self.check(FAILED)

    def in_configuration_short(self):
        self.set_config(b'{"timeout_seconds": 1, "enabled": true}')
        self.check(scripted(CheckerOutcome.HANGS), FAILED)

    # transcripts

    def in_lines(self):
        damaged = [
            b"5",
            b'"a role"',
            b"[" * 100_000,
            b'{"n": ' + b"1" * 5000 + b"}",
            b'{"role": "user", "content": "\xff"}',
        ]
        for line in [*damaged, b"{", b'{"role": "tool", "content": "x"}', {"type": "x", "message": SAID}]:
            self.write(b"", line, SAID)
            self.check(FAILED)
            self.write(SAID, line)
            self.check(FAILED, session_id="s2")
            self.write(line)
            self.check(FAILED, session_id="s3")

    def in_counts_of_lines(self):
        for count in (9, 10, 11, 12):
            self.write(SAID, *[b"{"] * count)
            self.check(FAILED)
            self.write(SAID, *[b" "] * count, ASKED)
            self.check(FAILED)

    def in_sizes(self):
        for size in (10 * 1024 * 1024, 10 * 1024 * 1024 + 1):
            self.write(SAID, b"")
            os.truncate(self.path, 0)
            with open(self.path, "wb") as file:
                line = json.dumps(SAID).encode() + b"\n"
                file.write(line + b" " * (size - len(line)))
            self.check(FAILED)

    def in_absence(self):
        os.unlink(self.path)
        self.check(FAILED)
        os.mkdir(self.path)
        self.check(FAILED)

    def in_emptiness(self):
        self.write()
        self.check(FAILED)

    def in_fifo(self):
        os.unlink(self.path)
        os.mkfifo(self.path)
        self.check(FAILED)

    def in_prompts(self):
        self.write(ASKED, {"role": "assistant", "content": "Hook: The session appears incomplete. Go on."})
        self.check(FAILED)
        for failed in ((), (FAILED,)):
            result = self.gate.continuation_prompt(PromptArguments(failed))
            self.told.append(f"{result.prompt} {[str(entry.code) for entry in result.log]}")

    # sessions

    def in_no_id(self):
        self.check(DONE, session_id=None)

    def in_ages(self):
        for age_s in (0, 3599, 3600, 3601, -10, -100):
            self.semaphore(age_s)
            self.check(FAILED)
            self.check(DONE)

    def in_order(self):
        self.semaphore(5)
        os.unlink(self.path)
        self.check(FAILED)

    def in_second_place(self):
        self.semaphore(-100)
        self.check(DONE)

    def in_vanishing(self):
        os.symlink("nothing", f"{self.runtime}/.s_completed")
        self.check(FAILED)

    def in_hostile_ids(self):
        self.check(DONE, session_id="../../x")

    def in_many_stops(self):
        for _ in range(22):
            self.check(FAILED)

    # checkers

    def in_quirks(self):
        for quirk in QUIRKS:
            self.check(quirk, session_id=quirk.id)
            self.check(quirk, FAILED, session_id=quirk.id + "2")

    def in_hanging(self):
        for kind in (CheckerOutcome.HANGS, CheckerOutcome.HANGS_SWALLOWING):
            self.check(scripted(kind), FAILED)
            self.check(scripted(kind), session_id="s2")
        self.check(scripted(CheckerOutcome.HANGS_SWALLOWING), FAILED, off_main_thread=True)

    def in_length(self):
        self.set_config(b'{"timeout_seconds": 12}')
        self.check(*[scripted(CheckerOutcome.SLOW, seconds=4.0, name=f"c{n}") for n in range(5)])
        self.check(*[scripted(CheckerOutcome.HANGS, name=f"c{n}") for n in range(5)])

    # storage

    def in_refused_storage(self):
        os.mkdir(f"{self.runtime}/.s_completed")
        os.makedirs(f"{self.runtime}/s/summary.md")
        self.check(DONE)
        os.rmdir(self.runtime + "/.s_completed")
        shutil.rmtree(self.runtime)
        with open(self.runtime, "wb"):
            self.check(DONE)

    def in_links(self):
        for target in (f"{self.root}/outside", f"{self.runtime}-evil"):
            os.mkdir(target)
            os.symlink(target, f"{self.runtime}/s")
            self.check(DONE)
            os.unlink(f"{self.runtime}/s")
            os.unlink(f"{self.runtime}/.s_completed")

    # judgement, summary, metrics

    def in_judgement(self):
        self.write(ASKED, {"role": "assistant", "content": "Shall I?"})
        self.check(own=True)
        self.write(ASKED, SAID)
        self.check(own=True)

    def in_summaries(self):
        self.write(
            {"role": "system", "content": "Rules"},
            ASKED,
            {"role": "assistant", "content": EDITS},
            {"role": "user", "content": "More"},
        )
        self.check(DONE)
        self.write(SAID)
        self.check(DONE, session_id="s2")
        self.write({"role": "user", "content": "y" * 150_000})
        self.check(DONE, session_id="s3")

    def in_monitoring(self):
        for _ in range(3):
            self.check(scripted(CheckerOutcome.RAISES), scripted(CheckerOutcome.HANGS), FAILED)
        for later in (0, 4000):
            result = self.gate.metrics(MetricsArguments(), NOW + later)
            self.told.append(f"{dict(result.counters)} {result.alerts}")


class Unhurried(Battery):
    """The situations in which nothing depends on how fast this machine is."""

    LEFT_OUT = Battery.WAITING
