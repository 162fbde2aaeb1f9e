import json

from toolsearch.testing import SurfaceConformance
from toolsearch_surface_anthropic import plugin


class TestMessages(SurfaceConformance):
    plugin = plugin

    def message(self, calls):
        blocks = [
            {"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments}
            for call in calls
        ]
        return {"role": "assistant", "content": blocks or [{"type": "text", "text": "done"}]}

    def chunks(self, calls):
        yield {"type": "message_start", "message": {"role": "assistant", "content": []}}
        for index, call in enumerate(calls):
            block = {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
            yield {"type": "content_block_start", "index": index, "content_block": block}
            text = json.dumps(call.arguments)
            for start in range(0, len(text), 7):
                delta = {"type": "input_json_delta", "partial_json": text[start : start + 7]}
                yield {"type": "content_block_delta", "index": index, "delta": delta}
            yield {"type": "content_block_stop", "index": index}
        yield {"type": "message_stop"}
