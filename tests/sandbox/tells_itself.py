"""A program that says what it finds itself to be: run by ``python -m``, or by a fork of the agent."""

import json
import os
import sys
from pathlib import Path

STATUS = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp", "SigBlk", "SigIgn", "SigCgt")
OF_GLIBC = 0b11 << 31  # signals 32 and 33, which posix_spawn ignores for its own use
prepared: list[str] = []


def prepare(words: list[str]) -> None:
    prepared.extend(words)


def facts() -> dict[str, object]:
    lines = (line.partition(":") for line in Path("/proc/self/status").read_text().splitlines())
    status = {name: value.strip() for name, _, value in lines if name in STATUS}
    status["SigIgn"] = f"{int(status['SigIgn'], 16) & ~OF_GLIBC:x}"
    streams = {n: os.readlink(f"/proc/self/fd/{n}").partition(":")[0] for n in range(3)}
    umask = os.umask(0o022)
    return {
        "status": status,
        "streams": streams,
        "open": sorted(int(fd) for fd in os.listdir("/proc/self/fd"))[3:-1],  # the last one lists them
        "environment": dict(os.environ),
        "words": sys.argv[1:],
        "cwd": os.getcwd(),
        "leads_its_session": os.getsid(0) == os.getpid(),
        "umask": umask,
        "said": sys.stdin.readline(),
    }


def main(words: list[str]) -> None:
    if words[:1] == ["raise"]:
        raise RuntimeError("on purpose")
    if words[:1] == ["exit"]:
        sys.exit(words[1])
    if words[:1] == ["exit with"]:
        sys.exit(int(words[1]))
    print(json.dumps(facts()))
    print("a complaint", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
