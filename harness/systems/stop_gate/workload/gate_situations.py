"""What a fault takes from the situations of a tour, and what it adds to them: which clauses a scenario names.

A leg names the clauses it witnesses when nothing keeps it from doing so. A fault that makes the transcript doubtful,
takes it away or fills the disk keeps some of them from being entered, and enters others. Each entry names groups or
single scenarios, and clauses without their prefix.
"""

from collections.abc import Mapping
from functools import cache

Entry = tuple[str, str]
_GROUPS_LOSE: tuple[Entry, ...] = (
    (
        "gone",
        "CFG-02 CFG-05 CFG-06 FO-03 FS-04 FS-05 LOOP-02 LOOP-04 PRM-02 PRM-04",
    ),
    (
        "id",
        "CHK-01 CHK-02 CON-01 CON-03 MON-03",
    ),
    (
        "unasked",
        "CHK-01 CHK-02 CON-03 FO-01 FO-02 MON-03 TR-01 TR-02 TR-03 TR-04 TR-05 TR-06 TR-08 TR-09",
    ),
    (
        "killed",
        "TST-01",
    ),
    (
        "moved",
        "SUM-01",  # a moved clock is no fault of the table, and what comes last in the tour is another one
    ),
)
_LOSE: tuple[Entry, ...] = (
    (
        "transcript-grown",
        "LOOP-03 LOOP-04 SUM-01",
    ),
    (
        "transcript-garbage-lines-10",
        "TR-03 TR-08 TR-09",
    ),
    (
        "transcript-garbage-lines-11",
        "CFG-02 CFG-05 CFG-06 CHK-01 CHK-02 CON-02 CON-03 FO-03 FS-01 FS-02 FS-03 FS-04 FS-05 LOOP-02 LOOP-03 "
        "LOOP-04 MON-03 PRM-02 PRM-03 PRM-04 SES-02 SUM-01 SUM-02 TR-03 TR-04 TR-08 TR-09",
    ),
    (
        "transcript-torn-tail",
        "LOOP-03 LOOP-04 TR-03 TR-08 TR-09",
    ),
    (
        "transcript-interleaved transcript-long-line transcript-vanishing",
        "CFG-02 CFG-05 CFG-06 CHK-01 CHK-02 CON-03 FS-01 FS-02 FS-04 FS-05 LOOP-02 LOOP-04 MON-03",
    ),
    (
        "transcript-bom transcript-duplicate-keys transcript-nan",
        "CON-02 LOOP-03 SUM-01 SUM-02 TR-03 TR-04 TR-05 TR-08 TR-09",
    ),
    (
        "transcript-nul-bytes",
        "TR-03 TR-05 TR-08 TR-09",
    ),
    (
        "transcript-bad-utf8 transcript-huge-integer transcript-deep-nesting",
        "CON-02 FS-01 FS-02 FS-03 LOOP-02 LOOP-03 PRM-02 PRM-03 SES-02 SUM-01 SUM-02 TR-03 TR-04 TR-05 TR-08",
    ),
    (
        "config-duplicate-keys",
        "CHK-01 CHK-02 CON-02 CON-03 FS-01 FS-02 FS-03 FS-04 FS-05 LOOP-01 LOOP-02 LOOP-03 MON-03 PRM-03 "
        "SES-01 SES-02 SES-03 SES-04 SES-05 SES-06 SUM-02 TR-01 TR-02 TR-03 TR-04 TR-05 TR-06 TR-08 TR-09",
    ),
    (
        "id-separators id-dot-dot id-absolute id-nul id-long id-unicode id-whitespace",
        "PRM-02 TR-01 TR-02 TR-03 TR-04 TR-05 TR-06 TR-08 TR-09",
    ),
    (
        "path-empty path-dot-dot path-nul path-long path-unicode path-whitespace",
        "CFG-02 CFG-05 CFG-06 PRM-02 TR-01 TR-02 TR-03 TR-04 TR-05 TR-06 TR-08 TR-09",
    ),
    (
        "path-absolute",
        "CFG-02 CFG-05 CFG-06 PRM-02 TR-02 TR-03 TR-04 TR-05 TR-06 TR-08 TR-09",
    ),
    (
        "runtime-full runtime-full-after-100-bytes",
        "FS-03",
    ),
    (
        "runtime-read-only runtime-no-inodes runtime-not-writable runtime-unreadable "
        "runtime-file-for-directory runtime-symlink-loop runtime-dangling-link runtime-link-outside "
        "above-file-for-directory above-read-only",
        "FS-03 LOOP-01 SES-02 SES-04",
    ),
    (
        "runtime-vanishing",
        "CFG-02 CFG-05 CFG-06 CHK-01 CHK-02 CON-01 CON-02 CON-03 FS-03 LOOP-01 LOOP-02 LOOP-03 MON-03 PRM-02 "
        "PRM-03 SES-02 SES-04 SUM-02 TR-01 TR-02 TR-03 TR-04 TR-05 TR-06 TR-08 TR-09",
    ),
    (
        "semaphore-full-device semaphore-fifo semaphore-directory semaphore-symlink-loop semaphore-vanishing",
        "LOOP-01 SES-04",
    ),
    (
        "moved-forward-a-day moved-past-2038 moved-past-9990 clock-forward clock-year-2038",
        "SES-05",
    ),
    (
        "process-slow-disk process-paused process-few-descriptors process-lock-held-semaphore "
        "environment-no-path environment-nothing environment-deleted-cwd environment-stderr-closed "
        "environment-stderr-full git-missing network-refused",
        "SES-03",
    ),
    (
        "process-file-size-0 process-file-size-64 environment-read-only-home environment-odd-umask",
        "FS-03 SES-03",
    ),
    (
        "process-lock-held-runtime",
        "LOOP-01 SES-03 SES-04 SES-05",
    ),
    (
        "hostile-paths hostile-considerations",
        "TST-01",
    ),
    (
        "runtime-full-extremes",
        "MON-01",
    ),
)
_GROUPS_GAIN: tuple[Entry, ...] = (
    (
        "killed",
        "SES-03",
    ),
    (
        "extremes",
        "LOOP-02 TR-05",
    ),
)
_GAIN: tuple[Entry, ...] = (
    (
        "transcript-garbage-lines-10 transcript-garbage-lines-11 transcript-torn-tail transcript-nul-bytes",
        "TR-06",
    ),
    (
        "transcript-interleaved transcript-empty",
        "TR-02",
    ),
    (
        "transcript-long-line",
        "TR-07",
    ),
    (
        "transcript-missing transcript-dangling-link transcript-parent-missing transcript-folder-file-for-directory",
        "TR-01",
    ),
    (
        "transcript-directory transcript-fifo transcript-symlink-loop transcript-link-outside "
        "transcript-unreadable transcript-full-device",
        "TR-09",
    ),
    (
        "id-absent id-empty id-null",
        "SES-01",
    ),
    (
        "id-separators id-dot-dot id-absolute id-nul id-long",
        "SES-07",
    ),
    (
        "id-other-session",
        "LOOP-02 SES-03",
    ),
    (
        "runtime-full runtime-full-after-100-bytes runtime-full-extremes runtime-full-5-at-once",
        "FS-02",
    ),
    (
        "runtime-read-only runtime-no-inodes runtime-not-writable runtime-unreadable "
        "runtime-file-for-directory runtime-symlink-loop above-file-for-directory above-read-only "
        "runtime-read-only-4-at-once",
        "FS-01 FS-02",
    ),
    (
        "runtime-missing runtime-parent-missing runtime-garbled runtime-aged runtime-leftover "
        "session-directory-vanishing summary-fifo summary-leftover summary-not-writable summary-vanishing "
        "semaphore-leftover",
        "SES-03",
    ),
    (
        "runtime-vanishing semaphore-symlink-loop semaphore-vanishing",
        "SES-06",
    ),
    (
        "session-directory-file-for-directory session-directory-read-only session-directory-not-writable "
        "session-directory-symlink-loop summary-full-device summary-directory summary-busy",
        "FS-02 SES-03",
    ),
    (
        "session-directory-dangling-link session-directory-link-outside",
        "FS-04 FS-05 SES-03",
    ),
    (
        "hostile-paths",
        "SES-03 TR-01",
    ),
    (
        "config-truncated-extremes config-truncated-3-at-once",
        "CFG-02",
    ),
    (
        "transcript-torn-tail-2-at-once",
        "TR-04",
    ),
)


@cache
def _table(entries: tuple[Entry, ...]) -> Mapping[str, tuple[str, ...]]:
    return {
        name: tuple(f"PS-{clause}" for clause in clauses.split())
        for names, clauses in entries
        for name in names.split()
    }


def witnessed_otherwise(group: str, name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The clauses that the scenario ``name`` (without ``gate-``) of that group does not witness, and those it adds."""
    own = name.removeprefix("l2-")
    lost = (*_table(_GROUPS_LOSE).get(group, ()), *_table(_LOSE).get(own, ()))
    gained = (*_table(_GROUPS_GAIN).get(group, ()), *_table(_GAIN).get(own, ()))
    return lost, gained
