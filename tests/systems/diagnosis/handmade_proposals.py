"""Failures and what was proposed for them, made by hand."""

from handmade_diagnosis import Story, a_context, a_diagnosis, a_plan

CLONE = "git clone https://github.com/o/keeper.git"
NO_GIT = {"message": "Command failed", "code": 127, "stderr": "bash: git: command not found"}
DENIED = {"message": "EACCES: permission denied", "code": "EACCES"}
LATE = {"message": "Command timed out after 30000 ms"}
NO_TOOL = {"message": "Tool not found"}
ALL = ["run_bash", "read_file", "write_file", "http_fetch"]


def way(approach, strategy=None, tools=("run_bash",)):
    """An alternative; of asking without a tool."""
    named = {"approach": approach} if approach else {}
    return {
        "strategy": strategy or approach, "tools": [] if approach == "ask_user" else list(tools), "description": "d",
        "confidence": 0.5, "estimatedIterations": 2, **named,
    }  # fmt: skip


def ways(*approaches):
    return [each if isinstance(each, dict) else way(each) for each in approaches]


def planned(strategy, *steps, chain=("ask_user",)):
    made = [{"action": "a", "tool": tool, "args": args, "expectedOutcome": "e"} for tool, args in steps]
    return a_plan(strategy, chain, steps=made)


def run(line):
    return "run_bash", {"command": line}


def proposing(kind, error, alternatives, plan=None, *, tool="run_bash", args=None, tools=ALL, story=None, **more):
    """A failure of that type, and what was proposed for it."""
    story = Story(**more.pop("config", {})) if story is None else story
    first = alternatives[0]["strategy"]
    chain = [each["strategy"] for each in alternatives[1:]]
    made = a_diagnosis(
        len(story.made) + 1,
        errorClassification__type=kind,
        alternatives=alternatives,
        recoveryPlan=a_plan(first, chain) if plan is None else plan,
    )
    args = {"command": "make"} if args is None else args
    name = f"c{len(story.made) + 1}"
    return story.failure(
        name, error=error, args=args, tool=tool, context=a_context(availableTools=tools), diagnosis=made, **more
    )


def missing(*approaches, line=CLONE, **more):
    return proposing("command_not_found", NO_GIT, ways(*approaches), args={"command": line}, **more)


def denied(*approaches, **more):
    more = {"tool": "write_file", "args": {"path": "/etc/hosts", "content": "x"}, **more}
    return proposing("permission_denied", DENIED, ways(*approaches), **more)


def late(*approaches, **more):
    return proposing("timeout", LATE, ways(*approaches), **more)


def absent(*approaches, **more):
    return proposing("tool_not_found", NO_TOOL, ways(*approaches), tool="browser", **more)
