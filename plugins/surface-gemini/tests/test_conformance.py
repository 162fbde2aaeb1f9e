"""The surface in the suite that every surface goes through."""

from toolsearch.testing import SurfaceConformance
from toolsearch_surface_gemini import plugin


class TestGemini(SurfaceConformance):
    plugin = plugin

    def message(self, calls):
        asked = [
            {"functionCall": {"id": call.id, "name": call.name, "args": call.arguments}}
            for call in calls
        ]
        return {"candidates": [{"content": {"role": "model", "parts": [{"text": "So."}, *asked]}}]}

    def chunks(self, calls):
        return [self.message([call]) for call in calls]
