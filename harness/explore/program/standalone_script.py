"""One failing case of `windtunnel explore`, shown without windtunnel: plain Python 3.9 or newer, on Linux.

Exit code 1: the failure shows. 0: it does not. 2: it cannot be shown on this machine.
"""

from __future__ import annotations

import base64
import ctypes
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

CASE: dict[str, Any] = json.loads(r"""{}""")

LIBC = ctypes.CDLL(None, use_errno=True)
NEW_USER, NEW_MOUNTS, BIND, PRIVATE, RECURSIVE = 0x10000000, 0x00020000, 4096, 1 << 18, 16384


def say(text: str) -> None:
    """One line, at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def give_up(text: str) -> NoReturn:
    """End with exit code 2."""
    say("cannot be shown here: " + text)
    sys.exit(2)


# --- a private copy of the directory -------------------------------------------------------------------------------


def mount(source: str, target: str, flags: int) -> None:
    """Show something somewhere else; OSError when that is refused."""
    if LIBC.mount(source.encode(), target.encode(), None, flags, None):
        raise OSError(ctypes.get_errno(), "mount " + target)


def cover(copy: str, directory: str) -> None:
    """Show `copy` in place of `directory`, to this process and its children only."""
    user, group = os.getuid(), os.getgid()
    if user or LIBC.unshare(NEW_MOUNTS):
        if LIBC.unshare(NEW_USER | NEW_MOUNTS):
            raise OSError(ctypes.get_errno(), "unshare")
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                file.write(text)
    mount("none", "/", PRIVATE | RECURSIVE)
    mount(copy, directory, BIND)


def prepare(base: str) -> tuple[str, Callable[[str], str]]:
    """The directory as it began, in a copy; gives what replaces it in the words of commands."""
    directory, project = CASE["directory"], CASE["project"]
    os.mkdir(base + "/home")
    copy = base + "/directory"
    shutil.copytree(directory, copy, symlinks=True)
    try:
        cover(copy, directory)
        os.chdir(CASE["folder"])
    except OSError as error:
        if "--in-a-copy" not in sys.argv:
            give_up(
                f"this machine refuses a private view of {directory} ({error}). With --in-a-copy the commands run in "
                f"a copy of {project} instead; a program that names its files by absolute paths touches the real ones"
            )
    else:
        return directory, lambda word: word
    copy = base + "/project"
    shutil.copytree(project, copy, symlinks=True)

    def moved(word: str) -> str:
        return word.replace(project, copy)

    os.chdir(moved(CASE["folder"]))
    return moved(directory), moved


def put(directory: str, files: Mapping[str, Any], removed: Sequence[str]) -> None:
    """Bring the files to the state that the crash left."""
    for path in removed:
        place = os.path.join(directory, path)
        if os.path.isdir(place) and not os.path.islink(place):
            shutil.rmtree(place)
        elif os.path.lexists(place):
            os.unlink(place)
    for path in sorted(files):
        place, held = os.path.join(directory, path), files[path]
        if "directory" in held:
            os.makedirs(place, exist_ok=True)
        elif "link" in held:
            os.symlink(held["link"], place)
        else:
            data = held["text"].encode() if "text" in held else base64.b64decode(held["base64"])
            with open(place, "wb") as file:
                file.write(data)
            if path in CASE["modes"]:
                os.chmod(place, CASE["modes"][path])


# --- the case -------------------------------------------------------------------------------------------------------


def run(title: str, words: Sequence[str], env: Mapping[str, str]) -> int | None:
    """Run recover or check; its exit code, None when it did not end."""
    try:
        done = subprocess.run(
            words, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=CASE["timeout_s"], check=False
        )
    except subprocess.TimeoutExpired:
        say(f"{title} did not end within {CASE['timeout_s']} s")
        return None
    output = (done.stdout + done.stderr).decode("utf-8", "replace").strip()
    said = "\n    " + output.replace("\n", "\n    ") if output else ""
    say(f"{title}: exit code {done.returncode}{said}")
    return done.returncode


def show_files(directory: str, words: Mapping[str, Any], env: Mapping[str, str]) -> str | None:  # noqa: ARG001
    """The state that a crash left; what op had reported by then."""
    put(directory, CASE["files"], CASE["removed"])
    say("the files are as the crash left them")
    return str(CASE["op_exit"])


SHOWS: dict[str, Callable[[str, Mapping[str, Any], Mapping[str, str]], str | None]] = {"files": show_files}


def show(base: str) -> int:
    """Play the case; the exit code of the script."""
    directory, moved = prepare(base)
    env = {name: moved(value) for name, value in CASE["env"].items()}
    env["HOME"] = base + "/home"
    words = {name: [moved(word) for word in CASE[name] or ()] for name in ("op", "rival", "recover", "check")}
    op_exit = SHOWS[CASE["kind"]](directory, words, env)
    if op_exit is None:
        return 1
    env[CASE["op_exit_name"]] = op_exit
    if words["recover"] and run("recover", words["recover"], env) is None:
        return 1
    return 0 if run("check", words["check"], env) == 0 else 1


def main() -> int:
    """Shows the case; see above for the exit code."""
    say(f"{CASE['id']}: {CASE['label']}")
    if CASE["kind"] != "files" and os.uname().machine != CASE["machine"]:
        give_up(f"it was made on {CASE['machine']}, whose system calls have other numbers")
    base = tempfile.mkdtemp(prefix="explore-")
    try:
        code = show(base)
    finally:
        os.chdir("/")
        shutil.rmtree(base, ignore_errors=True)
    say("the failure shows" if code else "the failure does not show")
    return code


if __name__ == "__main__":
    sys.exit(main())
