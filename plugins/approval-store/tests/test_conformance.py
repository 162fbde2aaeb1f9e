import asyncio

from toolsearch.testing import ApproverConformance
from toolsearch_approval_store import plugin, store_of


class TestStore(ApproverConformance):
    plugin = plugin

    def loaded(self, folder):
        approver, context = super().loaded(folder)
        self.desk = store_of(context)
        return approver, context

    async def answer(self, approver, request, decision):
        """As `toolsearch approvals approve` does from another process."""
        while not self.desk.database.exists or self.desk.request(request.id) is None:
            await asyncio.sleep(0.01)
        self.desk.answer(request.id, decision)

    async def close(self, approver):
        self.desk.database.close()
        await super().close(approver)
