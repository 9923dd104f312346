"""qualification.html: what a qualification came to, with the times to kill as a picture. Needs the extra ``report``."""

from harness.qualify.qualification import KINDS, Qualification
from harness.report.html import figures
from harness.report.html.page import rendered

NAME = "qualification.html"
_HEADINGS = ("system", *KINDS, "median s to kill", "survivors")


def html_page(came: Qualification) -> str:
    """The page; the same qualification gives the same."""
    fates = came.mutants.values()
    seconds = [fate.seconds for fate in fates if fate.killed]
    return rendered(
        "qualification.html.j2",
        part=came.part,
        suite=came.suite_digest,
        unqualified=came.unqualified,
        rates=[f"{kind}: {rate.says}" for kind, rate in came.rates.items()],
        picture=figures.times_to_kill(seconds) if seconds else "",
        headings=_HEADINGS,
        rows=[_row(came, system) for system in came.systems],
    )


def _row(came: Qualification, system: str) -> tuple[str, ...]:
    mine = [fate for fate in came.mutants.values() if fate.system == system]
    seconds = sorted(fate.seconds for fate in mine if fate.killed)
    counts = []
    for kind in KINDS:
        some = [fate for fate in mine if fate.kind == kind]
        counts.append(f"{sum(fate.killed for fate in some)} of {len(some)}" if some else "-")
    survivors = ", ".join(fate.name for fate in mine if not fate.killed)
    return (system, *counts, f"{seconds[len(seconds) // 2]:.2f}" if seconds else "-", survivors)
