"""What tests of the boundary share: a standing one, and a handler that remembers and answers."""

from harness.explore.in_process.boundary import Boundary
from harness.explore.in_process.calls import Handler
from harness.explore.in_process.originals import patched
from harness.faults.syscalls.supervisor import Go


def standing(tmp_path):
    """A boundary around the test's directory; nothing is left exchanged after it."""
    with Boundary(str(tmp_path)) as boundary:
        yield boundary
    assert [] == patched()


class Seen(Handler):
    """Remembers names of calls; answers those it is told to."""

    def __init__(self, answers=()):
        self.names, self.calls = [], []
        self.answers = dict(answers)

    def before(self, call):
        self.calls.append(call)
        self.names.append((call.name, *call.paths))
        return self.answers.get(call.name, Go())
