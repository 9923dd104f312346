"""``python -m benchmarks [hook] [sandbox] [machine] [certify]``."""

import sys

from benchmarks import certify, hook, machine
from benchmarks.measure import Figure

FIGURES = {"hook": hook.case_over_start, "sandbox": hook.sandboxed_over_bare, "machine": machine.reference_over_twin,
           "certify": certify.seconds}  # fmt: skip


def main(names: list[str]) -> int:
    """Prints the figures named, or all."""
    unknown = [name for name in names if name not in FIGURES]
    if unknown:
        print(f"there is no figure {unknown[0]!r}; there are: {', '.join(FIGURES)}", file=sys.stderr)
        return 2
    for name in names or FIGURES:
        figure: Figure = FIGURES[name]()
        print(figure.line(name))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
