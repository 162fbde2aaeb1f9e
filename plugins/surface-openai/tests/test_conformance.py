"""Both surfaces in the suite that every surface goes through."""

import json

from toolsearch.testing import SurfaceConformance
from toolsearch_surface_openai import plugin


class TestChat(SurfaceConformance):
    plugin = plugin
    name = "openai-chat"

    def message(self, calls):
        return {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": json.dumps(call.arguments)},
                }
                for call in calls
            ],
        }

    def chunks(self, calls):
        for index, call in enumerate(self.message(calls)["tool_calls"]):
            text = call["function"]["arguments"]
            begun = call | {"index": index, "function": call["function"] | {"arguments": text[:9]}}
            yield chunk(begun)
            yield chunk({"index": index, "function": {"arguments": text[9:]}})


def chunk(piece):
    return {"choices": [{"index": 0, "delta": {"tool_calls": [piece]}}]}


class TestResponses(SurfaceConformance):
    plugin = plugin
    name = "openai-responses"

    def message(self, calls):
        return {
            "output": [
                {
                    "type": "function_call",
                    "call_id": call.id,
                    "name": call.name,
                    "arguments": json.dumps(call.arguments),
                }
                for call in calls
            ]
        }

    def chunks(self, calls):
        items = self.message(calls)["output"]
        return [
            {"type": "response.output_item.done", "output_index": index, "item": item}
            for index, item in enumerate(items)
        ]
