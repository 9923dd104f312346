"""A failing check is made twice: what does not fail twice certifies nothing, and is no failure either."""

import msgspec

from harness.core.finding import CheckVerdict, Finding

FLAKY = "flaky: it failed once and did not fail again"


def confirmed(first: tuple[Finding, ...], again: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """``first`` with each failure that did not fail a second time marked flaky: reported, and certifying nothing."""
    failed_again = {finding.clause for finding in again if finding.verdict is CheckVerdict.FAIL}
    return tuple(
        finding
        if finding.verdict is not CheckVerdict.FAIL or finding.clause in failed_again
        else msgspec.structs.replace(finding, verdict=CheckVerdict.INCONCLUSIVE, reason=FLAKY)
        for finding in first
    )
