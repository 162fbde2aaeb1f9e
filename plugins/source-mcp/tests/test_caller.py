from __future__ import annotations

import asyncio

import pytest

from toolsearch_hookspecs import calling


class Person:
    """A caller who remembers what it was told, and answers with its name or not at all."""

    def __init__(self, name: str | None) -> None:
        self.name = name
        self.told: list[tuple[float, float | None]] = []
        self.asked: list[str] = []

    async def progress(self, done: float, total: float | None, message: str | None) -> None:
        self.told.append((done, total))

    async def ask(self, message: str, schema):
        self.asked.append(message)
        assert "name" in schema["properties"]
        return None if self.name is None else {"name": self.name}


async def test_progress_is_passed_on_to_the_caller(servers):
    source = await servers.rogue()
    person = Person("ada")
    with calling(person):
        assert (await servers.call(source, "progress")).value == "done"
    assert sorted(person.told) == [(1.0, 2.0), (2.0, 2.0)]


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("ada", {"action": "accept", "content": {"name": "ada"}}),
        (None, {"action": "cancel"}),
    ],
)
async def test_a_question_goes_to_the_caller_and_nobody_is_said_to_have_refused_it(
    servers, name, answer
):
    source = await servers.rogue()
    person = Person(name)
    with calling(person):
        assert (await servers.call(source, "ask")).value == answer
    assert person.asked == ["server rogue asks: who?"]


async def test_a_question_is_refused_while_it_could_belong_to_anothers_call(servers):
    effects = servers.folder / "effects"
    source = await servers.rogue("--effects", effects)
    other = asyncio.create_task(servers.call(source, "hang"))
    await servers.until(effects.exists)
    person = Person("ada")
    with calling(person):
        assert (await servers.call(source, "ask")).value == "refused"
    assert person.asked == []
    other.cancel()


async def test_questions_given_as_a_result_are_answered_by_the_next_call(servers):
    source = await servers.rogue("--eras", "modern")
    person = Person("ada")
    with calling(person):
        result = await servers.call(source, "unfinished")
    answers, state = result.value
    assert answers == {"q": {"action": "accept", "content": {"name": "ada"}}}
    assert state == "s1"
