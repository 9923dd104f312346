"""Programs that an implementation may call, made to fail: another one of that name is found first.

Each of them notes in ``{tools}/called`` that it was called.
"""

from collections.abc import Mapping

from harness.core.fault import Scalar
from harness.errors import MachineError
from harness.faults.kind import FaultKind, Param
from harness.faults.probing import calm, met, said
from harness.sandbox import Surroundings, Write, base_environment
from harness.sandbox.room import Room

FOLDER = "{tools}/bin"
SLOW_S = 0.5  # longer than anybody expects of git or jq, shorter than any limit
_PROGRAM = {"program": Param("text", "git", "the program's name")}

KINDS = (
    FaultKind("collaborator.missing", "the program `program` is not found along PATH", _PROGRAM),
    FaultKind("collaborator.hangs", "it never ends", _PROGRAM),
    FaultKind("collaborator.raises", "it dies by a signal", _PROGRAM),
    FaultKind("collaborator.exits", "it fails at once, with exit code 1", _PROGRAM),
    FaultKind("collaborator.garbage", "it prints what is no text, and says that all went well", _PROGRAM),
    FaultKind("collaborator.slow", "it takes half a second longer", _PROGRAM),
)

_SCRIPTS: Mapping[str, str] = {
    "hangs": "exec sleep 3600",
    "raises": "kill -SEGV $$",
    "exits": "exit 1",
    "garbage": r"""printf '\000\377\376{"decision": [}\r\033[2J%%\n'; printf '\377\n' >&2; exit 0""",
    "slow": f'sleep {SLOW_S}; exec "$real" "$@"',
}
# the directories of PATH that hold $1 are shown without it; $2 is where; prints the PATH this makes
_WITHOUT = """
made=; number=0; IFS=:
for folder in $PATH; do
  shown=$folder
  if [ -e "$folder/$1" ]; then
    real=$(readlink -f "$folder"); shown=
    case ":$seen:" in *":$real:"*) ;; *)
      seen=$seen:$real; number=$((number + 1)); shown=$2/$number
      mkdir -p "$shown" && ln -s "$real"/* "$shown"/ && rm -f "$shown/$1" || exit 1;;
    esac
  fi
  made=$made${made:+${shown:+:}}$shown
done
printf %s "$made"
"""


def place(room: Room, kind: str, params: Mapping[str, Scalar]) -> str:
    """Puts that fault in PATH, and gives the proof: what the name then stands for; ValueError for a name that is none.

    MachineError when this machine refuses it.
    """
    program = str(params["program"])
    if not program or set(program) & set("/: \n\0'\"$`\\") or program.startswith(("-", ".")):
        raise ValueError(f"program has to be the name of a program, not {program!r}")
    if kind == "missing":
        return _hide(room, program)
    real = said(calm(room, 'command -v "$1"', program))
    if kind == "slow" and not real.startswith("/"):
        raise MachineError(f"there is no {program} here that could be slow")
    text = f"#!/bin/sh\nreal={real}\necho {program} >> {room.roots.tools}/called\n{_SCRIPTS[kind]}\n"
    room.apply([Write(f"{FOLDER}/{program}", text.encode(), 0o755)])
    if FOLDER not in room.surroundings.path_first:
        room.surround(Surroundings(path_first=(FOLDER,)))
    found = said(met(room, 'command -v "$1"', program))
    return "found first" if found == room.roots.resolve(f"{FOLDER}/{program}") else ""


def _hide(room: Room, program: str) -> str:
    search = room.surroundings.environment.get("PATH") or base_environment(room.roots)["PATH"]
    made = met(room, f"PATH='{search}'; {_WITHOUT}", program, f"{room.roots.tools}/without-{program}")
    if made.exit_code != 0:
        raise MachineError(f"the directories of PATH cannot be shown without {program}")
    room.surround(Surroundings(environment={"PATH": made.stdout.decode()}))
    return "ENOENT" if met(room, 'command -v "$1"', program).exit_code != 0 else ""
