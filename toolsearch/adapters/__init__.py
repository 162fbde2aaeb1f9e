"""Other frameworks' tools as ours, and a run's surface as theirs.

Each module needs its framework, which nothing else here does:
`toolsearch.adapters.pydantic_ai`, `.langchain` (LangGraph too), `.openai_agents`, `.llama_index`,
and `.openai` and `.anthropic` for programs that have a loop of their own over a provider's client.
Each has `tools_of(run)`, which gives the surface of a run as the framework's tools, and
`source_of(tools, name)`, which makes a source of the framework's tools for
`Host.from_config(sources=[...])`. The last two have `conversation(client, run, messages, ...)`
besides, the loop itself.
"""
