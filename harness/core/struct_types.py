"""What msgspec has to know of a Struct before threads convert values to it.

It builds that at the first conversion, and hands it out while it is still being built: of two threads that convert to
the same new Struct at once the second one reads a null pointer, and the process ends with SIGSEGV (msgspec 0.22.0).
"""

from collections.abc import Iterator

import msgspec

_BUILT: set[type] = set()


def build() -> None:
    """Builds what is known of every Struct that is loaded; to be called before threads are started.

    A Struct that nothing can be converted to is passed over: nobody will.
    """
    for kind in set(_below(msgspec.Struct)) - _BUILT:
        _BUILT.add(kind)
        try:
            msgspec.json.Decoder(kind)
        except (TypeError, NameError):
            continue


def _below(kind: type) -> Iterator[type]:
    each: type
    for each in kind.__subclasses__():
        yield each
        yield from _below(each)
