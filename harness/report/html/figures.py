"""The pictures of a report, drawn by matplotlib, as SVG in the colours of its page. The same run, the same bytes."""

import io
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from harness.certify.explored import Explored
from harness.core.history import Entry, EntryType
from harness.core.verdict import ClauseVerdict, SystemResult
from harness.report.sentences import FamilyRow

_INK: Final = "#010203"  # stands for the colour of the text around
VERDICT_COLOURS: Final[Mapping[ClauseVerdict, str]] = {
    ClauseVerdict.CONFORMS: "#2e8b57",
    ClauseVerdict.DEVIATES: "#c0392b",
    ClauseVerdict.NOT_ESTABLISHED: "#d39b1f",
    ClauseVerdict.NOT_APPLICABLE: "#8a8f98",
}
_KINDS: Final = ("errno", "killed", "torn", "power", "schedule")
_KIND_COLOURS: Final = ("#3b73b9", "#c0392b", "#d39b1f", "#7d4fb3", "#2e8b57")
_STATES: Final = ("CLOSED", "HALF_OPEN", "OPEN")
_BAR_IN: Final = 0.34
_MOST_BARS: Final = 40
_IDS: Final = re.compile(r'(id="|url\(#|href="#)')
_METADATA: Final = re.compile(r"<metadata>.*?</metadata>", re.DOTALL)
_STYLE: Final[Mapping[Any, Any]] = {
    "svg.hashsalt": "windtunnel",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 9.0,
    "text.color": _INK,
    "axes.edgecolor": _INK,
    "axes.labelcolor": _INK,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "legend.frameon": False,
}


def verdicts(systems: Mapping[str, SystemResult]) -> str:
    """How many clauses of each system have which verdict."""

    def draw(axes: Axes) -> None:
        names = list(reversed(list(systems)))
        left = [0] * len(names)
        for verdict, colour in VERDICT_COLOURS.items():
            counts = [sum(c.verdict is verdict for c in systems[name].clauses.values()) for name in names]
            if any(counts):
                axes.barh(names, counts, left=left, color=colour, label=verdict.value.lower().replace("_", " "))
            left = [a + b for a, b in zip(left, counts, strict=True)]
        axes.set_xlabel("clauses")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        _legend(axes)

    return _drawn("verdicts", draw, 1.1 + _BAR_IN * len(systems))


def heat(rows: Sequence[FamilyRow], columns: Sequence[str], cells: Mapping[tuple[str, str], int]) -> str:
    """How often each system's clauses were met under each family of faults: one colour a power of ten."""

    def draw(axes: Axes) -> None:
        names = [row.family for row in rows]
        values = [[len(str(cells.get((name, column), 0))) * (cells.get((name, column), 0) > 0) for column in columns]
                  for name in names]  # fmt: skip
        axes.imshow(values, cmap="Blues", aspect="auto", vmin=0, vmax=7)
        axes.set_xticks(range(len(columns)), columns, rotation=30, ha="right")
        axes.set_yticks(range(len(names)), names)
        for y, name in enumerate(names):
            for x, column in enumerate(columns):
                count = cells.get((name, column), 0)
                colour = "#ffffff" if len(str(count)) > 3 else "#10243e"
                axes.text(x, y, f"{count:,}" if count else "", ha="center", va="center", color=colour)

    return _drawn("heat", draw, 1.3 + 0.28 * len(rows))


def explored(found: Sequence[Explored]) -> str:
    """How many variants of each kind were played, for the operations with the most."""
    shown = sorted(found, key=lambda each: -sum(kind.fired for kind in each.kinds.values()))[:_MOST_BARS]

    def draw(axes: Axes) -> None:
        names = [each.scenario for each in reversed(shown)]
        left = [0] * len(names)
        for kind, colour in zip(_KINDS, _KIND_COLOURS, strict=True):
            counts = [each.kinds[kind].fired if kind in each.kinds else 0 for each in reversed(shown)]
            if any(counts):
                axes.barh(names, counts, left=left, color=colour, label=kind)
            left = [a + b for a, b in zip(left, counts, strict=True)]
        axes.set_xlabel("variants played")
        _legend(axes)

    return _drawn("explored", draw, 0.9 + _BAR_IN * len(shown))


def has_states(history: Sequence[Entry]) -> bool:
    """Does it tell states of breakers, more than one?"""
    return len({state for _, state in _states(history)}) > 1


def breaker_states(name: str, history: Sequence[Entry]) -> str:
    """The states that were told, over the time of the scenario."""

    def draw(axes: Axes) -> None:
        told = _states(history)
        start = told[0][0]
        times = [(at - start).total_seconds() for at, _ in told]
        axes.step(times, [_STATES.index(state) for _, state in told], where="post", color="#3b73b9", marker="o", ms=3)
        axes.set_yticks(range(len(_STATES)), _STATES)
        axes.set_ylim(-0.4, 2.4)
        axes.set_xlabel("seconds since the first answer")

    return _drawn(f"states-{name}", draw, 1.7)


def _states(history: Sequence[Entry]) -> list[tuple[datetime, str]]:
    ends = (entry for entry in history if entry.type is EntryType.OK)
    return [(datetime.fromisoformat(entry.now), state) for entry in ends for state in _told(entry.value)]


def _told(value: Mapping[str, Any]) -> list[str]:
    state = value.get("state")
    return [state] if isinstance(state, str) and state in _STATES else []


def times_to_kill(seconds: Sequence[float]) -> str:
    """How many mutants took how long to be killed."""

    def draw(axes: Axes) -> None:
        axes.hist(seconds, bins=40, color="#3b73b9")
        axes.set_xlabel("seconds to kill")
        axes.set_ylabel("mutants")

    return _drawn("kills", draw, 2.2)


def _legend(axes: Axes) -> None:
    figure = axes.get_figure(root=True)
    assert figure is not None  # noqa: S101 - it is being drawn
    figure.legend(loc="outside lower center", ncols=5)


def _drawn(name: str, draw: Any, height_in: float) -> str:
    with mpl.rc_context({**_STYLE, "svg.hashsalt": name}):
        figure = Figure(figsize=(8.0, height_in), layout="constrained")
        draw(figure.subplots())
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None}, bbox_inches="tight")
    text = buffer.getvalue()
    text = _METADATA.sub("", text[text.index("<svg") :]).replace(_INK, "currentColor")
    # pictures of one page must not share names
    prefix = re.sub(r"[^a-z0-9]+", "-", name.lower())
    text = _IDS.sub(lambda match: f"{match[1]}{prefix}-", text)
    return re.sub(r"<svg [^>]*?viewBox=\"([^\"]*)\"[^>]*>", r'<svg viewBox="\1" aria-hidden="true">', text, count=1)
