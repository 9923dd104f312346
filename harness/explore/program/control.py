"""The control of the owner's check: a state that is plainly damaged, which a check that looks at it refuses."""

from typing import Final

from harness.explore.program.place import Place

ZEROS: Final = 4096  # bytes that are written over a file, whatever was in it
DAMAGES: Final[tuple[tuple[str, bytes], ...]] = (("emptied", b""), ("full of zeros", bytes(ZEROS)))
NAMED: Final = 3


def accepted_damage(place: Place) -> str:
    """What the check passes though nothing that ``op`` wrote is left, in words; "" when it refuses some damage.

    Right for a program that can do without what it wrote, as for a cache; else the check does not look.
    """
    accepted: tuple[str, ...] = ()
    for _, content in DAMAGES:
        accepted = _passed(place, content)
        if not accepted:
            return ""
    more = f" and {len(accepted) - NAMED} more" if len(accepted) > NAMED else ""
    return f"{', '.join(accepted[:NAMED])}{more} {' or '.join(name for name, _ in DAMAGES)}"


def _passed(place: Place, content: bytes) -> tuple[str, ...]:
    place.fresh()
    place.operate(place.program.op)
    written = sorted(path for path, fact in place.differences().items() if fact and fact.kind == "file")
    place.put({}, dict.fromkeys(written, content), {})
    return tuple(written) if written and place.judge("0").passed else ()
