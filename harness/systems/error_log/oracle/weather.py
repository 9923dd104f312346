"""The files of an error log, as faults strike them. Pure."""

from typing import Final

from harness.systems.error_log.contract import (
    ERRORS_PATH,
    METADATA_PATH,
    PLAN_PATH,
    SOURCE_PATH,
    STATE_PATH,
    TODO_PATH,
)
from harness.systems.file_faults import Files, directory_of

FILES: Final = Files(
    {
        "errors": ERRORS_PATH,
        "metadata": METADATA_PATH,
        "plan": PLAN_PATH,
        "todo": TODO_PATH,
        "state": STATE_PATH,
        "source": SOURCE_PATH,
    },
    directory_of(ERRORS_PATH),
)
