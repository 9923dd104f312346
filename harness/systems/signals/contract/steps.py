"""A step that an implementation took. Pure."""

import msgspec


class StepTaken(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One step, of Action; other words are the implementation's own, and nothing is concluded from them."""

    action: str
    ok: bool = True
    detail: str = ""
