"""The surface in the suite that every surface goes through."""

import json

from toolsearch.testing import SurfaceConformance
from toolsearch_surface_anthropic import plugin


class TestMessages(SurfaceConformance):
    plugin = plugin

    def message(self, calls):
        uses = [
            {"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments}
            for call in calls
        ]
        return {"role": "assistant", "content": [{"type": "text", "text": "So."}, *uses]}

    def chunks(self, calls):
        yield {"type": "message_start", "message": {"role": "assistant", "content": []}}
        for index, call in enumerate(calls):
            block = {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
            yield {"type": "content_block_start", "index": index, "content_block": block}
            text = json.dumps(call.arguments)
            for piece in (text[:9], text[9:]):
                delta = {"type": "input_json_delta", "partial_json": piece}
                yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "message_stop"}
