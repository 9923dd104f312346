"""The type of what happened (002, Error Categories). Pure."""

from harness.systems.error_log.contract import MCP_ABORTED, ErrorType, Incident
from harness.systems.error_log.reference.tables import UNKNOWN

IN_PROGRESS = "in_progress"


class Classifier:
    """One method a source; what fits no category has a word of its own."""

    def type_of(self, incident: Incident) -> str:
        """The type."""
        by_source = {
            "mcp_tool": self.mcp_tool,
            "delegation": self.delegation,
            "operation": self.operation,
            "validation": self.validation,
            "file": self.file,
            "json": self.document,
            "yaml": self.document,
            "jq": self.jq,
            "git": self.git,
            "build": self.build,
            "status": self.status,
        }
        found = by_source.get(incident.source)
        return UNKNOWN if found is None else str(found(incident))

    def mcp_tool(self, incident: Incident) -> str:
        """ER-CAT-04: the code makes it an abort; one that does not respond is unavailable (our reading)."""
        if incident.code == MCP_ABORTED:
            return ErrorType.MCP_ABORT_ERROR
        return UNKNOWN if incident.responded else ErrorType.TOOL_UNAVAILABLE

    def delegation(self, incident: Incident) -> str:
        """ER-CAT-05, ER-CAT-01: interrupted, or out of time, or simply silent."""
        if incident.ended:
            return ErrorType.DELEGATION_INTERRUPTED if incident.metadata_status == IN_PROGRESS else UNKNOWN
        if incident.timed_out:
            return ErrorType.TIMEOUT
        return UNKNOWN if incident.responded else ErrorType.DELEGATION_HANG

    def operation(self, incident: Incident) -> str:
        """An operation is timed out, or nothing is known of it."""
        return ErrorType.TIMEOUT if incident.timed_out else UNKNOWN

    def validation(self, incident: Incident) -> str:
        """Input that is not valid."""
        return ErrorType.VALIDATION_FAILED

    def file(self, incident: Incident) -> str:
        """A file that was expected."""
        return ErrorType.FILE_NOT_FOUND if incident.missing else UNKNOWN

    def document(self, incident: Incident) -> str:
        """JSON or YAML."""
        return ErrorType.FILE_NOT_FOUND if incident.missing else ErrorType.PARSE_ERROR

    def jq(self, incident: Incident) -> str:
        """Of a parse error by jq, the more specific type."""
        return ErrorType.JQ_PARSE_FAILURE

    def git(self, incident: Incident) -> str:
        """A git operation."""
        return ErrorType.GIT_COMMIT_FAILURE

    def build(self, incident: Incident) -> str:
        """A build command."""
        return ErrorType.BUILD_ERROR

    def status(self, incident: Incident) -> str:
        """TODO.md and state.json."""
        return ErrorType.STATUS_SYNC_FAILURE
