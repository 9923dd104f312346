"""What a real host's sessions say about a Stop hook: which SH clauses they violate. Pure.

Only what the host did counts. What a session cannot show (a fault that was not there) is not judged. Source:
stop-hook-contract.md.
"""

from collections.abc import Sequence

from harness.core.hosted import HostFinding, HostStory
from harness.systems.stop_gate.answers import BLOCKING_EXIT


def judge(stories: Sequence[HostStory], max_blocks: int) -> tuple[HostFinding, ...]:
    """Every violation in those sessions; a hook may block ``max_blocks`` identical stops in a row."""
    found: list[HostFinding] = []
    controls = {story.story: story for story in stories if story.calm}
    for story in stories:
        found += _without_bound(story, max_blocks)
        found += _by_a_fault(story, controls.get(story.story))
        if story.calm and any(stop.timed_out for stop in story.stops):
            found.append(HostFinding("SH-04", story.name, "the hook did not end within its time-out"))
        # whoever ends a host in the middle ends no hook that is at work
        if story.children_left and story.end == "exited":
            names = ", ".join(story.children_left)
            found.append(HostFinding("SH-07", story.name, f"after the session still ran: {names}"))
    return tuple(found)


def _without_bound(story: HostStory, max_blocks: int) -> list[HostFinding]:
    blocks = sum(stop.blocked for stop in story.stops)
    if story.end != "stopped" or blocks <= max_blocks:
        return []
    text = f"the session was held {blocks} times in a row and would have gone on; at most {max_blocks} are allowed"
    return [HostFinding("SH-03", story.name, text)]


def _by_a_fault(story: HostStory, control: HostStory | None) -> list[HostFinding]:
    """A block at the first stop of a session that the same hook lets end when nothing is wrong."""
    if story.calm or control is None or not control.stops or not story.stops:
        return []
    first = story.stops[0]
    if not first.blocked or control.stops[0].blocked:
        return []
    by_code = first.exit_code == BLOCKING_EXIT
    how = f"by exit code 2 ({first.stderr.strip() or 'with nothing said'})" if by_code else "by a decision"
    return [HostFinding("SH-02" if by_code else "SH-01", story.name, f"it held a session {how} that it lets end else")]
