"""What the agent is asked for when a run begins: words, variables, limits and streams, as bytes."""

import os
import sys
from collections.abc import Sequence
from typing import Final

from harness.sandbox import wire
from harness.sandbox.plan import CALM, Run
from harness.sandbox.roots import Roots

_WORDS_FROM: Final = 3  # in a command `python -m module words`


def spawn_request(number: int, run: Run, roots: Roots, warm: str = "") -> wire.Spawn:
    """``run`` with its placeholders resolved, as bytes: arguments need not be text.

    ``warm`` is the module that is kept imported, if any: a run of it that nothing stands around begins with a fork.
    """
    env = {os.fsencode(name): os.fsencode(roots.resolve(value)) for name, value in run.env.items()}
    around = run.surroundings
    search = env.get(b"PATH", b"")
    if around.path_first:
        first = os.fsencode(":".join(roots.resolve(path) for path in around.path_first))
        env[b"PATH"] = b":".join(filter(None, (first, search)))
    if around.bare_environment:
        env.clear()
    for name, value in around.environment.items():
        env.pop(os.fsencode(name), None)
        if value is not None:
            env[os.fsencode(name)] = os.fsencode(roots.resolve(value))
    streams = (around.stdin, around.stdout, around.stderr)
    closed = {n for n, stream in enumerate(streams) if stream == "closed"}
    closed |= {n for n, on in ((1, run.close_stdout), (2, run.close_stderr)) if on}
    return wire.Spawn(
        run=number,
        argv=tuple(os.fsencode(roots.resolve(word)) for word in (*around.prefix, *run.argv)),
        env=env,
        cwd=os.fsencode(roots.resolve(run.cwd)),
        search=search,
        closed=tuple(sorted(closed)),
        full=tuple(n for n, stream in enumerate(streams) if stream == "full" and n not in closed),
        limits=dict(around.limits),
        deleted_cwd=around.deleted_cwd,
        umask=around.umask,
        filter=run.filter.program if run.filter else b"",
        warm_from=_WORDS_FROM if warm and around == CALM and not closed and _runs(run.argv, warm) else 0,
    )


def _runs(argv: Sequence[str], module: str) -> bool:
    return tuple(argv[:_WORDS_FROM]) == (sys.executable, "-m", module)


def listener_way(run: Run) -> tuple[int, ...]:
    """The descriptor through which the child of a filtered run sends its listener; none of other runs."""
    return (run.filter.listener_to,) if run.filter else ()
