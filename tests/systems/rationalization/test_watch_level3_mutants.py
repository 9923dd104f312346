"""Mutants of level L3 of the watch, in this process: as the reference in calm weather, wrong where one call is struck.

That a scenario kills each of them is for ``qualify`` to show; what a call meets is put there by hand.
"""

import errno

import pytest
from watch_battery import LOG, NOW, Broken

from harness.ports.fake_files import FakeFiles
from harness.ports.files import RealFiles
from harness.systems import registry
from harness.systems.rationalization.contract import AttemptsArguments, Configuration, EnforceArguments

SYSTEM = registry.get("rationalization")
ESCAPES, PUT_BACK, IN_PLACE = "io-error-escapes", "log-is-read-and-put-back", "log-is-rewritten-in-place"
LEVEL3 = {name for name, mutant in SYSTEM.mutants.MUTANTS.items() if mutant.level == "L3"}


def made(name, files, home="/world"):
    configuration = Configuration(home)
    if name is None:
        return SYSTEM.reference.create(configuration, files)
    return SYSTEM.mutants.create_mutant(name, configuration, files)


def enforce(watch, action="merge"):
    return watch.enforce(EnforceArguments("I think", action), NOW)


def actions(watch):
    return [each.action for each in watch.attempts(AttemptsArguments(), NOW).attempts]


def test_each_of_them_is_told_of_here():
    assert {ESCAPES, PUT_BACK, IN_PLACE} == LEVEL3


@pytest.mark.parametrize("name", sorted(LEVEL3))
@pytest.mark.parametrize("before", [None, b"", b'{"torn', b"no JSON\n"])
def test_on_the_disk_of_a_calm_machine_they_leave_what_the_reference_leaves(tmp_path, name, before):
    left = []
    for number, who in enumerate((None, name)):
        home = tmp_path / str(number)
        log = home / LOG.removeprefix("/world/")
        log.parent.mkdir(parents=True)
        if before is not None:
            log.write_bytes(before)
        watch = made(who, RealFiles(), str(home))
        left.append(([enforce(watch, action) for action in ("merge", "deploy")], log.read_bytes(), actions(watch)))
    assert left[0] == left[1]
    assert left[0][2] == ["merge", "deploy"]


@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC, errno.EACCES])
def test_of_the_errors_of_a_log_only_one_ends_the_operation(number):
    files = Broken()
    files.broken["append_lines"] = OSError(number, "struck")
    assert not enforce(made(None, files)).logged
    watch = made(ESCAPES, files)
    if number == errno.EIO:
        with pytest.raises(RuntimeError, match="the disk is broken"):
            enforce(watch)
    else:
        assert enforce(watch) == enforce(made(None, files))


class Overtaken(FakeFiles):
    """Files in which another writes a line after each read."""

    def __init__(self):
        super().__init__()
        self.written = []

    def read(self, path, limit):
        found = super().read(path, limit)
        self.written.append(f"another's {len(self.written)}".encode())
        self.append(path, self.written[-1] + b"\n")
        return found


@pytest.mark.parametrize(("name", "is_kept"), [(None, True), (PUT_BACK, False)])
def test_who_puts_the_log_back_loses_what_another_wrote_meanwhile(name, is_kept):
    files = Overtaken()
    files.append(LOG, b"before\n")
    assert enforce(made(name, files)).logged
    first, *others, last = files.contents[LOG][0].splitlines()
    assert (first, b'"merge"' in last) == (b"before", True)
    assert (others == files.written) == is_kept


def test_a_log_that_cannot_be_put_back_is_appended_to():
    files = Broken()
    files.broken["read"] = OSError(errno.EIO, "struck")
    assert enforce(made(PUT_BACK, files)).logged
    files.broken.clear()
    assert actions(made(None, files)) == ["merge"]
