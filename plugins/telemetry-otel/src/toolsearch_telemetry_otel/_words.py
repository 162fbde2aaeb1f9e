"""The names of the GenAI and MCP conventions that are used here.

They are in development, and the package of conventions marks them as moved: the few that are used
are written down, with the version that they were read from.
"""

CONVENTIONS = "https://opentelemetry.io/schemas/gen-ai/0.1.0"

OPERATION = "gen_ai.operation.name"
EXECUTE_TOOL = "execute_tool"
TOOL_NAME = "gen_ai.tool.name"
TOOL_TYPE = "gen_ai.tool.type"
TOOL_CALL_ID = "gen_ai.tool.call.id"
TOOL_ARGUMENTS = "gen_ai.tool.call.arguments"
TOOL_RESULT = "gen_ai.tool.call.result"
AGENT = "gen_ai.agent.name"
CONVERSATION = "gen_ai.conversation.id"
ERROR = "error.type"
MCP_METHOD = "mcp.method.name"
MCP_CALL = "tools/call"

TOOL_DURATION = "gen_ai.execute_tool.duration"
MCP_DURATION = "mcp.client.operation.duration"

OURS = "toolsearch"  # the namespace of everything that no convention names
RUN = f"{OURS}.run.id"
