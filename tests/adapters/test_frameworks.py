"""The adapters against the frameworks themselves; one that is not installed is left out."""

from __future__ import annotations

import asyncio
import json

import pytest

from toolsearch import SyncHost
from toolsearch.adapters import langchain, llama_index, openai_agents, pydantic_ai

from .conftest import ONLY, add

SEARCH = {"query": "say"}
CALL = {"id": "plugin:echo:say", "args": {"text": "hello"}}


async def test_an_agent_of_pydantic_ai_uses_the_surface(toolsearch_host, echo):
    framework = pytest.importorskip("pydantic_ai")
    messages = pytest.importorskip("pydantic_ai.messages")
    function = pytest.importorskip("pydantic_ai.models.function")
    said = [
        messages.ToolCallPart("tool_search", SEARCH),
        messages.ToolCallPart("tool_call", CALL),
        messages.TextPart("done"),
    ]
    seen = []

    def model(history, info):
        seen.append({tool.name for tool in info.function_tools})
        return messages.ModelResponse(parts=[said.pop(0)])

    async with toolsearch_host(None, echo, only=ONLY) as host:
        run = await host.plan()
        agent = framework.Agent(function.FunctionModel(model), tools=pydantic_ai.tools_of(run))
        result = await agent.run("say hello")
    assert result.output == "done"
    assert seen[0] == {"tool_search", "tool_describe", "tool_call"}
    assert '"result":"hello"' in str(result.all_messages())


@pytest.mark.parametrize("bare", [False, True], ids=["tool", "function"])
async def test_tools_of_pydantic_ai_are_a_source(adds, bare):
    framework = pytest.importorskip("pydantic_ai")
    source = pydantic_ai.source_of([add if bare else framework.Tool(add)])
    assert await adds(source, "pydantic-ai") == 5


def test_a_tool_of_pydantic_ai_that_needs_a_context_is_refused():
    framework = pytest.importorskip("pydantic_ai")

    def whose(ctx):
        """Tell whose run it is."""
        return str(ctx.deps)

    with pytest.raises(ValueError, match="whose takes a RunContext"):
        pydantic_ai.source_of([framework.Tool(whose, takes_ctx=True)])


async def test_a_tool_node_of_langgraph_answers_with_the_surface(toolsearch_host, echo):
    graph = pytest.importorskip("langgraph.graph")
    prebuilt = pytest.importorskip("langgraph.prebuilt")
    messages = pytest.importorskip("langchain_core.messages")
    call = {"name": "tool_call", "args": CALL, "id": "c1", "type": "tool_call"}
    async with toolsearch_host(None, echo, only=ONLY) as host:
        run = await host.plan()
        built = graph.StateGraph(graph.MessagesState)
        built.add_node("tools", prebuilt.ToolNode(langchain.tools_of(run)))
        built.add_edge(graph.START, "tools")
        asked = {"messages": [messages.AIMessage("", tool_calls=[call])]}
        state = await built.compile().ainvoke(asked)
    assert '"result":"hello"' in state["messages"][-1].content


def test_a_program_without_an_event_loop_invokes_the_tools(echo, tmp_path):
    """Of LangChain and LlamaIndex; the Agents SDK has a loop of its own, which is not the host's."""
    pytest.importorskip("langchain_core.tools")
    pytest.importorskip("llama_index.core.tools")
    pytest.importorskip("pydantic_ai")
    tool_context = pytest.importorskip("agents.tool_context")
    config = {"tools": {"toolSearch": {"mode": "tools"}}}
    with SyncHost(config, sources=[echo], environ={}, state_dir=tmp_path) as host:
        run = host.plan()
        call = {"id": "say", "args": {"text": "hello"}}
        (theirs,) = (t for t in langchain.tools_of(run) if t.name == "tool_call")
        assert json.loads(theirs.invoke(call))["result"] == "hello"
        (theirs,) = (t for t in llama_index.tools_of(run) if t.metadata.name == "tool_call")
        assert json.loads(theirs.call(**call).content)["result"] == "hello"
        (theirs,) = (t for t in pydantic_ai.tools_of(run) if t.name == "tool_call")
        assert json.loads(theirs.function_schema.function(**call))["result"] == "hello"
        (theirs,) = (t for t in openai_agents.tools_of(run) if t.name == "tool_call")
        context = tool_context.ToolContext(
            context=None, tool_name="tool_call", tool_call_id="c", tool_arguments=""
        )
        answer = asyncio.run(theirs.on_invoke_tool(context, json.dumps(call)))
        assert json.loads(answer)["result"] == "hello"


@pytest.mark.parametrize("bare", [False, True], ids=["tool", "function"])
async def test_tools_of_langchain_are_a_source(adds, bare):
    tools = pytest.importorskip("langchain_core.tools")
    source = langchain.source_of([add if bare else tools.tool(add)])
    assert await adds(source, "langchain") == 5


async def test_tools_of_the_agents_sdk_answer_with_the_surface(toolsearch_host, echo):
    tool_context = pytest.importorskip("agents.tool_context")
    async with toolsearch_host(None, echo, only=ONLY) as host:
        tools = {tool.name: tool for tool in openai_agents.tools_of(await host.plan())}
        text = json.dumps(CALL)
        context = tool_context.ToolContext(
            context=None, tool_name="tool_call", tool_call_id="c1", tool_arguments=text
        )
        answer = await tools["tool_call"].on_invoke_tool(context, text)
    assert json.loads(answer)["result"] == "hello"


async def test_tools_of_the_agents_sdk_are_a_source(adds):
    agents = pytest.importorskip("agents")
    source = openai_agents.source_of([agents.function_tool(add)])
    assert str(await adds(source, "openai-agents")) == "5"
    with pytest.raises(ValueError, match="@function_tool"):
        openai_agents.source_of([add])


async def test_tools_of_llama_index_answer_with_the_surface(toolsearch_host, echo):
    pytest.importorskip("llama_index.core.tools")
    async with toolsearch_host(None, echo, only=ONLY) as host:
        run = await host.plan()
        tools = {tool.metadata.name: tool for tool in llama_index.tools_of(run)}
        properties = tools["tool_call"].metadata.get_parameters_dict()["properties"]
        answer = await tools["tool_call"].acall(**CALL)
    assert set(properties) == {"id", "args"}
    assert json.loads(answer.content)["result"] == "hello"


@pytest.mark.parametrize("bare", [False, True], ids=["tool", "function"])
async def test_tools_of_llama_index_are_a_source(adds, bare):
    tools = pytest.importorskip("llama_index.core.tools")
    source = llama_index.source_of([add if bare else tools.FunctionTool.from_defaults(add)])
    assert await adds(source, "llama-index") == 5


def test_a_framework_that_is_not_there_says_what_to_install():
    from toolsearch.adapters._foreign import needed

    with pytest.raises(ImportError, match="pip install no-such-framework"):
        needed("no_such_framework", "no-such-framework")
