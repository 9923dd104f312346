"""A lint of an adapter: a fixed series of exchanges, well-formed and malformed, and a sentence about each."""

from collections.abc import Iterator, Sequence

from harness.adapters.conversation import Conversation
from harness.adapters.exchanges import Exchanges
from harness.adapters.mistakes import REST, Finding
from harness.certify.reach import StdioStart


def lint(start: StdioStart, named: Sequence[str], timeout_scale: float, *, unsafe: bool = False) -> Iterator[Finding]:
    """What each exchange showed, in turn; of the systems ``named``, or of all that the adapter names.

    UntestableError when it does not start, MachineError when the machine cannot contain it.
    """
    with Conversation(start, timeout_scale, unsafe=unsafe) as talk:
        for exchange, action in Exchanges(talk, named).each():
            found = talk.played(exchange, action)
            yield from found
            if found[-1].exchange == REST:
                return
