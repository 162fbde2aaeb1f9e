"""Every case with a person at a pseudo-terminal, which is the process's own for the time."""

import sys

import pytest

from toolsearch.testing import ApproverConformance
from toolsearch_approval_console import plugin
from toolsearch_approval_console._console import CHOICES
from toolsearch_hookspecs import Reject


class TestConsole(ApproverConformance):
    plugin = plugin

    @pytest.fixture(autouse=True)
    def with_a_person(self, person, monkeypatch):
        self.person = person
        self.monkeypatch = monkeypatch

    async def subject(self, folder):
        """Not in the fixture: pytest sets the streams again before it calls the test."""
        self.monkeypatch.setattr(sys, "stdin", self.person.stdin)
        self.monkeypatch.setattr(sys, "stderr", self.person.stderr)
        return await super().subject(folder)

    async def answer(self, approver, request, decision):
        """The terminal asks one thing at a time: what stands in the way is denied."""
        while request.call.arguments["path"] not in await self.person.sees(CHOICES):
            await self.denies("later")
        if isinstance(decision, Reject):
            await self.denies(decision.message)
        else:
            self.person.types("o\n")

    async def denies(self, message):
        self.person.types("d\n")
        await self.person.sees("what to tell the model")
        self.person.types(f"{message}\n")
