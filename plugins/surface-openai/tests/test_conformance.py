import json

from toolsearch.testing import SurfaceConformance
from toolsearch_surface_openai import plugin


class TestChat(SurfaceConformance):
    plugin = plugin
    name = "openai-chat"

    def message(self, calls):
        message = {"role": "assistant", "content": None}
        return message | ({"tool_calls": [self.call(c) for c in calls]} if calls else {})

    def chunks(self, calls):
        return [
            {"choices": [{"index": 0, "delta": {"tool_calls": [piece | {"index": index}]}}]}
            for index, call in enumerate(calls)
            for piece in self.pieces(call)
        ]

    def call(self, call):
        text = json.dumps(call.arguments)
        return {
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": text},
        }

    def pieces(self, call):
        text = json.dumps(call.arguments)
        yield {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": ""}}
        for start in range(0, len(text), 7):
            yield {"function": {"arguments": text[start : start + 7]}}


class TestResponses(SurfaceConformance):
    plugin = plugin
    name = "openai-responses"

    def message(self, calls):
        return {"object": "response", "output": [self.item(call) for call in calls]}

    def chunks(self, calls):
        return [
            {"type": "response.output_item.done", "output_index": index, "item": self.item(call)}
            for index, call in enumerate(calls)
        ]

    def item(self, call):
        return {
            "type": "function_call",
            "call_id": call.id,
            "name": call.name,
            "arguments": json.dumps(call.arguments),
        }
