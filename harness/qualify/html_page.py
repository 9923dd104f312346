"""qualification.html: what a qualification came to, with the times to kill as a picture. Needs the extra ``report``."""

from harness.qualify.qualification import KINDS, Qualification, killed_of
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
    survivors = ", ".join(fate.name for fate in mine if not fate.killed)
    return (system, *killed_of(came, system), survivors)
