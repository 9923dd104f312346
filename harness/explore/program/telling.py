"""What a person reads of an exploration: lines of plain text, the same for the same findings."""

import shlex
from collections.abc import Iterator, Sequence
from typing import Final

from harness.explore.program.result import (
    UNKNOWN_CHANGES,
    Event,
    Failing,
    Finished,
    Layer,
    LayerDone,
    Observed,
    Started,
)

CHANGES_SHOWN: Final = 12
STEPS_SHOWN: Final = 60
# What no run of this can show, whatever the program.
NEVER_COVERED: Final = (
    "errors of --recover and --check themselves; more than one error in a run",
    "errors that contradict the files (ENOENT of a file that is there); files that vanish meanwhile need --with",
    "files outside --dir; modes, owners, times and extended attributes of files; hard links (a crash leaves copies)",
    "writes through shared mappings; io_uring and copies inside the kernel (both refused); the network (there is none)",
    "clocks and time-outs of op; errors of memory; what a disk does to data that was synced",
)
_MEANING: Final = {
    "errno": "one call refused",
    "kill": "really killed at a call",
    "crash": "killed at any byte",
    "crash twice": "recovery killed too",
    "power": "power lost, un-synced data gone",
    "power twice": "power lost in recovery too",
    "schedule": "op and --with at once",
}
_HEADING: Final = f"{'':<12} {'':<32} {'there are':>9} {'run':>6} {'distinct':>8} {'failing':>7}"


def lines(event: Event, shown_directory: str) -> Iterator[str]:
    """What is said when ``event`` comes; ``shown_directory`` is --dir as it was given."""
    if isinstance(event, Started):
        yield f"op       {shlex.join(event.op)}"
        for name, words in (("with", event.rival), ("recover", event.recover), ("check", event.check)):
            if words:
                yield f"{name:<8} {shlex.join(words)}"
    elif isinstance(event, Observed):
        yield from _observed(event, shown_directory)
    elif isinstance(event, LayerDone):
        yield _row(event.layer)
    elif isinstance(event, Finished):
        yield from _finished(event)


def _observed(event: Observed, directory: str) -> Iterator[str]:
    yield ""
    changes = f"{len(event.changes)} change{'' if len(event.changes) == 1 else 's'}"
    yield f"op makes {len(event.calls)} file calls below {directory} and {changes}:"
    for number, text in enumerate(event.changes[:CHANGES_SHOWN], 1):
        yield f"  {number:>2} {text}"
    if len(event.changes) > CHANGES_SHOWN:
        yield f"     and {len(event.changes) - CHANGES_SHOWN} more"
    yield ""
    yield _HEADING


def _row(layer: Layer) -> str:
    name = f"{layer.name:<12} {_MEANING[layer.name]:<32}"
    if layer.not_asked:
        return f"{name} not explored: {layer.not_asked}"
    counts = f"{layer.enumerated:>9} {layer.run:>6} {layer.distinct:>8} {layer.failing:>7}"
    return f"{name} {counts}  {f'cut: {layer.cut}' if layer.cut else 'all'}"


def _finished(event: Finished) -> Iterator[str]:
    for failing in event.smallest:
        yield ""
        yield from told(failing)
    yield ""
    if event.not_covered:
        yield "not covered:"
        for text in event.not_covered:
            yield f"  {text}"
    yield "never covered:"
    for text in NEVER_COVERED:
        yield f"  {text}"
    yield ""
    yield verdict(event)


def told(failing: Failing) -> Iterator[str]:
    """One failing case, in full."""
    yield f"{failing.layer} {failing.id}: {failing.label}"
    for step in failing.order[:STEPS_SHOWN]:
        yield f"    {step}"
    if len(failing.order) > STEPS_SHOWN:
        yield f"    and {len(failing.order) - STEPS_SHOWN} more steps"
    if failing.op:
        yield f"  op: {failing.op}"
    if failing.recover_exit is not None:
        yield f"  recover: exit code {failing.recover_exit}"
    yield f"  {failing.by}: {failing.said}"
    if failing.script:
        yield f"  alone:   python3 {shlex.quote(failing.script)}"
    yield f"  again:   the same command with --replay {failing.id}"


def verdict(event: Finished) -> str:
    """The last line."""
    if event.interrupted:
        return "interrupted: what was found until then stands above"
    if event.smallest:
        total = sum(layer.failing for layer in event.layers)
        return f"{total} failing state{'' if total == 1 else 's'} found: not sound"
    blank = [layer.name for layer in event.layers if layer.inconclusive and not layer.run]
    if event.exit_code and blank:
        return f"nothing can be said of {', '.join(blank)}: not one case came to an end that shows anything"
    unknown = [layer.name for layer in event.layers if layer.not_asked == UNKNOWN_CHANGES]
    if event.exit_code and unknown:
        names = ", ".join(unknown)
        return f"{names} could not be explored, elsewhere no failing state was found: inconclusive (see --only)"
    if event.exit_code:
        return "nothing can be said: nothing was explored, or what failed did not fail again"
    cut = [layer.name for layer in event.layers if layer.cut]
    limits = [f"not everything was run: {', '.join(cut)}"] if cut else []
    limits += [
        f"{layer.inconclusive} of {layer.enumerated} cases of {layer.name} say nothing"
        for layer in event.layers
        if layer.inconclusive
    ]
    if event.check_accepts:
        limits.append(f"the check also passes with {event.check_accepts}: does it look?")
    if limits:
        return "; ".join(("no failing state found", *limits))
    return "no failing state found: sound in everything that was explored"


def replayed(failing: Failing | None, label: str, id_: str) -> Sequence[str]:
    """What is said of one case that was played again: ``failing`` None when it passed."""
    if failing is not None:
        return list(told(failing))
    return [f"{id_}: {label}", "  check passes: the failure does not show"]
