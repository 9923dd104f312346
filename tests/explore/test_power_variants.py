"""What a loss of power may leave, as scenarios. Source: issue 4, item 3; CERTIFICATION.md, "power loss is a separate attribute"."""

from harness.core.scenario import Explore, FileSpec, Operation, Scenario, Step, World, dump, load
from harness.explore.power_variants import Watched, power_variants
from harness.explore.recording import Seen
from harness.faults.syscalls import Kind

FOLDER = {"/home/agent/s": FileSpec(kind="directory")}
BEFORE = {**FOLDER, "/home/agent/s/count": FileSpec(base64=b"1")}
STEPS = (
    Step(op=Operation("reset")),
    Step(explore=Explore(("killed", "power"))),
    Step(process=2, op=Operation("check", {"n": 1})),
    Step(op=Operation("check")),
)
TOUR = Scenario(1, "tour", "A check", "toy", "gate", ("A",), World("2026-03-01T12:00:00Z"), STEPS, "L3")


def seen(name, kind, *paths, **more):
    return Seen(
        name=name, kind=kind, paths=tuple(f"home/agent/s/{path}" if path else "home/agent/s" for path in paths), **more
    )


def saved(*, syncs_file=False, syncs_folder=False):
    """A file that is written beside the old one and renamed over it."""
    calls = [
        seen("openat", Kind.OPEN, "new", flags=0o1101),
        seen("write", Kind.WRITE, "new", offset=0, data=b"2", length=1),
        *([seen("fsync", Kind.SYNC, "new")] if syncs_file else []),
        seen("rename", Kind.RENAME, "new", "count"),
        *([seen("fsync", Kind.SYNC, "")] if syncs_folder else []),
    ]
    return Watched(tuple(calls), BEFORE, {**FOLDER, "/home/agent/s/count": FileSpec(base64=b"2")})


def hide(path):
    return path.replace("/home/agent", "{home}")


def left(found, limit=1000):
    """What stands at the count in each state, "" for an empty file, None for no change."""
    variants = power_variants(TOUR, 1, found, hide, limit).variants
    crashes = [step.crash for variant in variants for step in variant.steps if step.crash is not None]
    return {spec.text if (spec := crash.files.get("{home}/s/count")) else None for crash in crashes}


def test_a_rename_of_what_was_not_synced_may_leave_an_empty_file():
    assert "" in left(saved())


def test_a_rename_of_what_was_synced_leaves_the_old_or_the_new():
    assert {None, "2"} == left(saved(syncs_file=True))
    assert {None, "2"} == left(saved(syncs_file=True, syncs_folder=True))


def test_a_variant_is_an_ordinary_scenario_in_which_the_operation_is_never_answered():
    for variant in power_variants(TOUR, 1, saved(), hide, 1000).variants:
        (crash,) = [step for step in variant.steps if step.crash is not None]
        assert (2, Operation("check", {"n": 1})) == (crash.process, crash.crash.op)
        assert (STEPS[0], STEPS[3]) == (variant.steps[0], variant.steps[2])
        assert variant.title.startswith("A check; power lost ")
        assert variant == load(dump(variant), where="x")


def test_ids_differ():
    ids = [variant.id for variant in power_variants(TOUR, 1, saved(), hide, 1000).variants]
    assert len(set(ids)) == len(ids)


def test_what_is_gone_is_absent_the_deepest_first():
    calls = (seen("unlink", Kind.UNLINK, "count"), seen("rmdir", Kind.RMDIR, ""))
    found = power_variants(TOUR, 1, Watched(calls, BEFORE, {}), hide, 1000)
    files = [step.crash.files for variant in found.variants for step in variant.steps if step.crash]
    assert {"{home}/s/count": FileSpec(kind="absent"), "{home}/s": FileSpec(kind="absent")} in files
    assert all(list(each) == sorted(each, key=lambda path: -path.count("/")) for each in files)


def test_bytes_that_are_no_text_are_kept_as_they_are():
    calls = (seen("write", Kind.WRITE, "count", offset=0, data=b"\xff", length=1), seen("fsync", Kind.SYNC, "count"))
    found = Watched(calls, BEFORE, {**FOLDER, "/home/agent/s/count": FileSpec(base64=b"\xff")})
    variants = power_variants(TOUR, 1, found, hide, 1000).variants
    files = [step.crash.files for variant in variants for step in variant.steps if step.crash]
    assert {"{home}/s/count": FileSpec(base64=b"\xff")} in files


def test_a_recording_that_does_not_explain_what_stood_afterwards_gives_no_variant_and_says_so():
    found = power_variants(TOUR, 1, Watched(saved().seen, BEFORE, BEFORE), hide, 1000)
    assert () == found.variants
    assert "loss of power is not covered: what was recorded does not explain {home}/s/count as it stood afterwards" == (
        found.cut
    )


def test_what_cannot_be_told_as_changes_is_said():
    found = power_variants(TOUR, 1, Watched((seen("mmap", Kind.MAP, "count"),), BEFORE, BEFORE), hide, 1000)
    assert found.cut.startswith("loss of power is not covered: home/agent/s/count is mapped")


def test_states_beyond_the_limit_are_left_out_and_that_is_said():
    found = power_variants(TOUR, 1, saved(), hide, 2)
    assert (2, "loss of power: after 2 states") == (len(found.variants), found.cut)
