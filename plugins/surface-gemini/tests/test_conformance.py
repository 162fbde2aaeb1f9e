from toolsearch.testing import SurfaceConformance
from toolsearch_surface_gemini import plugin


class TestContent(SurfaceConformance):
    plugin = plugin

    def message(self, calls):
        return {"role": "model", "parts": [self.part(call) for call in calls]}

    def chunks(self, calls):
        return [
            {"candidates": [{"content": {"role": "model", "parts": [self.part(call)]}}]}
            for call in calls
        ]

    def part(self, call):
        return {"functionCall": {"id": call.id, "name": call.name, "args": call.arguments}}
