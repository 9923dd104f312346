"""Stop hook: logs every stop below logs/, copies the conversation, and says aloud that the work is done."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

LOGS = Path("logs")


def main() -> None:
    try:
        event = json.load(sys.stdin)
        LOGS.mkdir(exist_ok=True)
        log = LOGS / "stop.json"
        entries = json.loads(log.read_text()) if log.exists() else []
        log.write_text(json.dumps([*entries, event], indent=2))
        transcript = Path(event.get("transcript_path", ""))
        if transcript.is_file():
            lines = [line for line in transcript.read_text().splitlines() if line.strip()]
            (LOGS / "chat.json").write_text(json.dumps([json.loads(line) for line in lines], indent=2))
        if shutil.which("espeak"):
            subprocess.run(["espeak", "Work complete"], capture_output=True, timeout=10, check=False)
    except Exception:
        sys.exit(0)


main()
