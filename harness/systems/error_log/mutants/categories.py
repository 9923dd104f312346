"""Mutants of the categories: ER-CAT-01 to ER-CAT-05."""

from harness.systems.error_log.contract import ErrorType, Incident
from harness.systems.error_log.mutants.table import mutant
from harness.systems.error_log.reference.classify import IN_PROGRESS, Classifier
from harness.systems.error_log.reference.tables import UNKNOWN


@mutant("silent-agents-are-unavailable-tools", "ER-CAT-01", "an agent that does not respond is an unavailable tool")
class SilentAgentsAreUnavailableTools(Classifier):
    def delegation(self, incident: Incident) -> str:
        found = super().delegation(incident)
        return ErrorType.TOOL_UNAVAILABLE if found == ErrorType.DELEGATION_HANG else found


@mutant("timeouts-are-unknown", "ER-CAT-01", "an operation that took too long has no category")
class TimeoutsAreUnknown(Classifier):
    def operation(self, incident: Incident) -> str:
        return UNKNOWN


@mutant("validation-is-an-error", "ER-CAT-01", "validation_failed is written validation_error")
class ValidationIsAnError(Classifier):
    def validation(self, incident: Incident) -> str:
        return "validation_error"


@mutant("desync-is-a-parse-error", "ER-CAT-02", "states that diverged are a parse_error")
class DesyncIsAParseError(Classifier):
    def status(self, incident: Incident) -> str:
        return ErrorType.PARSE_ERROR


@mutant("missing-files-are-parse-errors", "ER-CAT-02", "a file that is missing could not be parsed")
class MissingFilesAreParseErrors(Classifier):
    def file(self, incident: Incident) -> str:
        return ErrorType.PARSE_ERROR


@mutant("bad-documents-are-missing", "ER-CAT-02", "JSON and YAML that cannot be parsed are file_not_found")
class BadDocumentsAreMissing(Classifier):
    def document(self, incident: Incident) -> str:
        return ErrorType.FILE_NOT_FOUND


@mutant("jq-failures-are-parse-errors", "ER-CAT-03", "of jq the less specific type is told")
class JqFailuresAreParseErrors(Classifier):
    def jq(self, incident: Incident) -> str:
        return ErrorType.PARSE_ERROR


@mutant("git-failures-are-build-errors", "ER-CAT-03", "a git operation that failed is a build_error")
class GitFailuresAreBuildErrors(Classifier):
    def git(self, incident: Incident) -> str:
        return ErrorType.BUILD_ERROR


@mutant("builds-are-in-capitals", "ER-CAT-03", "build_error is written in capitals")
class BuildsAreInCapitals(Classifier):
    def build(self, incident: Incident) -> str:
        return ErrorType.BUILD_ERROR.upper()


@mutant("aborted-tools-are-unavailable", "ER-CAT-04", "the code -32001 means an unavailable tool")
class AbortedToolsAreUnavailable(Classifier):
    def mcp_tool(self, incident: Incident) -> str:
        return ErrorType.TOOL_UNAVAILABLE


@mutant("every-code-is-an-abort", "ER-CAT-04", "a tool that fails with any code was aborted")
class EveryCodeIsAnAbort(Classifier):
    def mcp_tool(self, incident: Incident) -> str:
        return super().mcp_tool(incident) if incident.code is None else ErrorType.MCP_ABORT_ERROR


@mutant("silent-tools-are-aborted", "ER-CAT-04", "a tool that does not respond was aborted")
class SilentToolsAreAborted(Classifier):
    def mcp_tool(self, incident: Incident) -> str:
        return super().mcp_tool(incident) if incident.responded else ErrorType.MCP_ABORT_ERROR


@mutant("interrupted-agents-hang", "ER-CAT-05", "an agent that ended with its metadata in_progress hangs")
class InterruptedAgentsHang(Classifier):
    def delegation(self, incident: Incident) -> str:
        found = super().delegation(incident)
        return ErrorType.DELEGATION_HANG if found == ErrorType.DELEGATION_INTERRUPTED else found


@mutant("every-end-is-an-interruption", "ER-CAT-05", "an agent that ended was interrupted, whatever its metadata says")
class EveryEndIsAnInterruption(Classifier):
    def delegation(self, incident: Incident) -> str:
        return ErrorType.DELEGATION_INTERRUPTED if incident.ended else super().delegation(incident)


@mutant("working-agents-are-interrupted", "ER-CAT-05", "an agent whose metadata says in_progress was interrupted")
class WorkingAgentsAreInterrupted(Classifier):
    def delegation(self, incident: Incident) -> str:
        if incident.metadata_status == IN_PROGRESS:
            return ErrorType.DELEGATION_INTERRUPTED
        return super().delegation(incident)
