"""The escalation files: how many, where they lie, what stands in them, and who was told (LK-DQ-21, LK-ES-06 to 08)."""

import hashlib
import html
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import msgspec

from harness.core.history import FileFact
from harness.systems import file_faults
from harness.systems.calls import Call
from harness.systems.dead_letter import contract
from harness.systems.dead_letter.contract import (
    ESCALATION_HEADINGS,
    ESCALATIONS_PATH,
    OPTION_WORDS_AT_LEAST,
    OPTIONS_AT_LEAST,
    Escalation,
)
from harness.systems.dead_letter.oracle.queues import Step, Task
from harness.systems.dead_letter.oracle.values import bare, is_text
from harness.systems.dead_letter.oracle.weather import ESCALATIONS, FILES
from harness.systems.notes import Notes
from harness.systems.times import instant

_BELOW: Final = ESCALATIONS_PATH + "/"
_SAFE: Final = re.compile(r"[A-Za-z0-9_-]{1,120}", re.ASCII)
_BASIC: Final = re.compile(r"(\d{8}T\d{6})(\.?\d*)(Z?)([-_.]\w+)?", re.ASCII)
_EXTENDED: Final = re.compile(
    r"(\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d))([-_.]\w+)?", re.ASCII
)
_EPOCH: Final = re.compile(r"\d{9,19}(\.\d+)?([-_]\w{1,6})?", re.ASCII)
_CLOSE: Final = timedelta(seconds=1)
_OPTION: Final = re.compile(r"\s{0,3}\d+[.)]\s+(.*)")
_DIGITS: Final = 8  # as many as a date has
_QUOTED: Final = 20  # letters and digits of an approach or a message that tell an attempt from others


class Asked(msgspec.Struct, frozen=True):
    """A human was asked about that task. ``again``: a file and a notice were made before; None when nobody knows."""

    id: str
    task: Task
    again: bool | None = False


class Batch(msgspec.Struct, frozen=True):
    """The files that one operation made: by path, for whom each may be; each of ``first`` has one of its own."""

    files: Mapping[str, Sequence[Asked]]
    first: Sequence[Asked]


class Escalations:
    """What was made, and for whom; ``made`` has the tasks that were escalated, None where nobody knows."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._batches: list[Batch] = []
        self.made: dict[str, bool | None] = {}

    def forget(self) -> None:
        """The directory was damaged, or its files are those of another run."""
        self._batches = []
        self.made = dict.fromkeys(self.made)

    def struck(self, ids: Iterable[str]) -> None:
        """Those may have been escalated, or not."""
        self.made |= dict.fromkeys(ids)

    def asked(self, id_: str, task: Task, *, waits: bool) -> Asked:
        """The task needs a human, and ``waits`` for one already, as it says itself."""
        if waits:
            return Asked(id_, task, self.made.get(id_))
        return Asked(id_, task, None if self.made.get(id_, False) is not False else False)

    def judge(self, step: Step, call: Call, asked: Sequence[Asked], notified: Sequence[str]) -> None:
        """Notes what one operation made for these; ``notified`` are whom it says to have told a human of."""
        again = [each for each in asked if each.again]
        first = [each for each in asked if each.again is False]
        told = set(notified)
        self.made |= {each.id: True if each.again is not None else None for each in asked}
        wrong = told - {each.id for each in asked}
        lacking = {each.id for each in first} - told
        if wrong or lacking or len(told) < len(notified):
            said = f"notified {list(notified)} after {call.said}"
            self._notes.breaks("LK-DQ-21", f"a human is told of {[each.id for each in asked]}, once", said)
            return
        readings = {"once"} if not told & {each.id for each in again} else set()
        readings |= {"each"} if told >= {each.id for each in again} else set()
        if call.found and call.left:
            readings &= self._judge_files(call, asked, len(first), len(again))
        if (first or again) and step.after is not None:
            expected = "a task that needs a human has one escalation and one notice, or one at each review"
            self._notes.holds("LK-DQ-21", bool(readings), expected, f"{call.said}"[:300], readings)
        elif not readings:
            self._notes.breaks("LK-DQ-21", "no escalation that nobody asked for", call.said)

    def judge_shaken(self, step: Step, call: Call, asked: Sequence[Asked]) -> None:
        """Where files may not be written: what is said to be stored of these has its escalation all the same.

        What became of the others nobody knows.
        """
        first = [each.id for each in asked if each.again is False]
        new = set(escalations(call.left)) - set(escalations(call.found))
        seen = call.found and call.left and not step.loses_power and not _is_hidden(call)
        if seen and len(new) < len(first):
            expected = f"an escalation for each of {first}, which are said to wait for a human"
            self._notes.breaks("LK-DQ-21", expected[:300], f"{sorted(new)} after {call.said}"[:300])
        self.struck(each.id for each in asked)

    def _judge_files(self, call: Call, asked: Sequence[Asked], first: int, again: int) -> set[str]:
        """The readings that the number of new files leaves."""
        new = sorted(set(escalations(call.left)) - set(escalations(call.found)))
        changed = [path for path in escalations(call.found) if path in call.left
                   and call.left[path].sha256 != call.found[path].sha256]  # fmt: skip
        if changed:
            self._notes.breaks("LK-ES-06", "two escalations are two files", f"{changed} were written over")
        named = {path: [each for each in asked if _is_for(path, each, call.at)] or list(asked) for path in new}
        self._batches.append(Batch(named, [each for each in asked if each.again is False]))
        open_ = len(asked) - first - again
        readings = {"once"} if first <= len(new) <= first + open_ else set()
        readings |= {"each"} if first + again <= len(new) <= len(asked) else set()
        outside = sorted(path for path in set(call.left) - set(call.found)
                         if path.endswith(".md") and not path.startswith(_BELOW))  # fmt: skip
        odd = [each for each in asked if each.again is False and not _SAFE.fullmatch(each.id)]
        if outside and odd:
            self._notes.breaks("LK-ES-08", f"no escalation lies outside {ESCALATIONS_PATH}", f"{outside}")
        elif odd and not readings:
            said = f"{new} after {call.said}"
            self._notes.breaks("LK-ES-08", f"a file for {[each.id for each in odd]} is made"[:300], said)
        elif odd:
            flat = not any("/" in path.removeprefix(_BELOW) for path in new)
            self._notes.agrees("LK-ES-08", "it lies in the directory", ("flat", "nested") if flat else ("nested",))
        self._judge_names(call, asked, new)
        return readings

    def _judge_names(self, call: Call, asked: Sequence[Asked], new: Sequence[str]) -> None:
        for each in asked:
            if each.again is not False or not _SAFE.fullmatch(each.id):
                continue
            named = {name for path in new for name in named_after(path.removeprefix(_BELOW), each.id, call.at)}
            taken = f"-{each.id}.md" in "".join(escalations(call.found))
            if not named and taken and any(each.id in path for path in new):
                continue  # a second one within the same second
            expected = f"{{timestamp}}-{each.id}.md in {ESCALATIONS_PATH}"
            self._notes.holds("LK-ES-06", bool(named), expected, f"{new} after {call.said}", named)

    def read(self, call: Call) -> None:
        """The escalations were asked for: what is answered is what lies there, and what was made has its headings."""
        if call.shaken or not call.found:
            return
        answered: Mapping[str, Escalation] = {_BELOW + each.name: each for each in call.answer.files}
        there = escalations(call.found)
        if set(answered) != set(there) or len(answered) != len(call.answer.files):
            expected = f"the escalations are {sorted(there)}"
            self._notes.breaks("LK-ES-07", expected[:300], f"{sorted(answered)}"[:300])
            return
        for path, each in answered.items():
            text = each.text
            if text is not None and hashlib.sha256(_encoded(text)).hexdigest() != call.found[path].sha256:
                self._notes.breaks("LK-ES-07", f"the text of {each.name!r} is what the file has", f"{text[:200]!r}")
        for batch in self._batches:
            self._judge_batch(batch, {path: each.text for path, each in answered.items()})
        self._batches = []

    def _judge_batch(self, batch: Batch, texts: Mapping[str, str | None]) -> None:
        """Each file has the text of one whom it may be for, and everybody's text is in one."""
        seen = {path: texts[path] for path in batch.files if path in texts}
        for path, text in seen.items():
            name = path.removeprefix(_BELOW)
            if text is None:
                self._notes.breaks("LK-ES-07", f"{name!r} is a text in UTF-8", "it is none")
                continue
            wrong = [wrong_with(text, each) for each in batch.files[path]]
            expected = "headings in order, each with its text, and two options with tradeoffs"
            self._notes.holds("LK-ES-07", "" in wrong, expected, f"{name}: {wrong[:1]} {text[:300]!r}")
        if len(seen) < len(batch.files):
            return
        whole = [text for text in seen.values() if text is not None]
        lacking = [each.id for each in batch.first if not any(wrong_with(text, each) == "" for text in whole)]
        if lacking and seen:
            self._notes.breaks("LK-ES-07", f"{lacking} have escalations of their own"[:300], f"{sorted(seen)}"[:300])


def _is_for(path: str, asked: Asked, at: datetime | None) -> bool:
    """Is the file named after that task?"""
    return bool(named_after(path.removeprefix(_BELOW), asked.id, at))


def escalations(files: Mapping[str, FileFact]) -> Mapping[str, FileFact]:
    """The escalation files among all files, by path."""
    return {path: fact for path, fact in files.items() if path.startswith(_BELOW) and path.endswith(".md")
            and not path.rpartition("/")[2].startswith(".") and fact.kind == "file"}  # fmt: skip


def _is_hidden(call: Call) -> bool:
    """May escalations be made that are not seen: behind a link, or because they are gone at once?"""
    if ESCALATIONS in FILES.damaged(file_faults.unsteady(call.faults)):
        return True
    return any(fact.kind not in ("directory", "file") for path, fact in call.left.items()
               if _BELOW.startswith(f"{path}/"))  # fmt: skip


def named_after(name: str, id_: str, at: datetime | None) -> set[str]:
    """How the timestamp of a file name is written, as the readings of LK-ES-06 are called; none when it is no name."""
    stamp = name.removesuffix(f"-{id_}.md")
    if stamp == name or "/" in name:
        return set()
    basic, extended = _BASIC.fullmatch(stamp), _EXTENDED.fullmatch(stamp)
    if basic is not None and (basic[3] or _is_close(instant(basic[1]), at)):
        return {"basic"} if _is_close(instant(basic[1]), at) else set()
    if extended is not None:
        return {"extended"} if _is_close(instant(extended[1]), at) else set()
    if _EPOCH.fullmatch(stamp) and any(_is_close(_moment(stamp, scale), at) for scale in (1, 10**3, 10**6, 10**9)):
        return {"epoch"}
    return {"other"} if sum(each.isdigit() for each in stamp) >= _DIGITS else set()


def _moment(stamp: str, scale: int) -> datetime | None:
    try:
        return datetime.fromtimestamp(float(re.split("[-_]", stamp)[0]) / scale, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _is_close(found: datetime | None, at: datetime | None) -> bool:
    return found is not None and (at is None or abs(found - at) <= _CLOSE)


def _encoded(text: str) -> bytes:
    return text.encode(errors="surrogatepass")


def wrong_with(text: str, asked: Asked) -> str:
    """What is wrong with the text of an escalation of that task; "" when nothing is."""
    lines = text.splitlines()
    places = _headings(lines)
    if places is None:
        return "headings are missing, or in another order"
    summary, log, analysis, options, awaiting = places[4:]
    behind = [" ".join([lines[place].strip().removeprefix(heading), *lines[place + 1 : end]]).strip()
              for place, heading, end in zip(places, ESCALATION_HEADINGS[:4], places[1:], strict=False)]  # fmt: skip
    failed = {str(contract.failure_count_of(asked.task)), str(len(contract.failures_of(asked.task)))}
    named = contract.data_of(asked.task).get("title")
    sections = [lines[summary + 1 : log], lines[analysis + 1 : options], lines[awaiting + 1 :]]
    said = bare("\n".join(lines[log + 1 : analysis]))
    unsaid = [each for each in contract.failures_of(asked.task) if not _is_said(each, said)]
    checks = {
        f"the title is not {named!r}": is_text(named) and bare(named)[:_QUOTED] not in bare(behind[0]),
        f"the task is not {asked.id!r}": not behind[1] or not _names(behind[1], asked.id),
        f"the count is none of {failed}": not failed & set(re.findall(r"\d+", behind[2])),
        "no trigger": not behind[3],
        "nothing below a heading": not all("".join(section).strip() for section in sections),
        f"no word of {unsaid[:1]}": bool(unsaid),
        "no two options with their tradeoffs": _options(lines[options + 1 : awaiting]) < OPTIONS_AT_LEAST,
        "no human decides": "human" not in "".join(lines[awaiting + 1 :]).casefold(),
    }
    return "; ".join(what for what, is_wrong in checks.items() if is_wrong)


def _names(said: str, id_: str) -> bool:
    """Is that the id, however it is quoted? One that cannot be printed may be written in any way."""
    return not id_.isprintable() or bare(id_) in (bare(said), bare(html.unescape(said)))


def _is_said(attempt: Mapping[str, Any], said: str) -> bool:
    """Does a text have what was tried, or how it failed? What has no letters cannot be looked for."""
    words = [bare(attempt.get(name))[:_QUOTED] for name in ("approach", "error_message", "error_type")]
    return not any(words) or any(word and word in said for word in words)


def _headings(lines: Sequence[str]) -> list[int] | None:
    """Where the headings stand: the last one of each section, as what stands above may look like headings."""
    found: list[int] = []
    end = len(lines)
    for heading in reversed(ESCALATION_HEADINGS[4:]):
        places = [place for place in range(end) if lines[place].strip().startswith(heading)]
        if not places:
            return None
        # the log of attempts, and what is above it, goes as far as it can
        end = places[0] if heading == "### Attempts Log" else places[-1]
        found.insert(0, end)
    begin = -1
    first: list[int] = []
    for heading in ESCALATION_HEADINGS[:4]:
        places = [place for place in range(begin + 1, found[0]) if lines[place].strip().startswith(heading)]
        if not places:
            return None
        begin = places[0]
        first.append(begin)
    return [*first, *found]


def _options(lines: Sequence[str]) -> int:
    """How many options are said, with their tradeoffs."""
    options: list[list[str]] = []
    for line in lines:
        found = _OPTION.match(line)
        if found is not None:
            options.append(found[1].split())
        elif options:
            options[-1] += line.split()
    return sum(len(each) >= OPTION_WORDS_AT_LEAST for each in options)
