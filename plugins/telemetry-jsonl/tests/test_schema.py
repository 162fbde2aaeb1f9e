"""The published schema of an event."""

from __future__ import annotations

import jsonschema
import pytest

from toolsearch_hookspecs import EVENT_VERSION, EventType
from toolsearch_telemetry_jsonl import event_schema

from .events_of import Log, a_run, event


@pytest.fixture
def validator():
    schema = event_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def test_every_type_of_event_is_described(validator):
    described = {one["title"] for one in event_schema()["oneOf"]}
    assert described == {type_.value for type_ in EventType}
    assert event_schema()["properties"]["v"]["const"] == EVENT_VERSION
    assert all(one["description"] for one in event_schema()["oneOf"])


def test_what_is_written_fits_the_schema(validator, tmp_path):
    log = Log(tmp_path, content=True)
    log.write(
        *a_run(), event("search", {"call": "c", "hits": 0, "limit": 8, "ms": 1}, {"query": "q"})
    )
    for line in log.lines:
        validator.validate(line)


def test_the_schema_refuses_what_is_no_event(validator, tmp_path):
    log = Log(tmp_path)
    log.write(*a_run())
    for line in log.lines:
        assert not validator.is_valid(line | {"v": 2})
        assert not validator.is_valid(line | {"surprise": 1})
        assert not validator.is_valid(line | {"data": "text"})
    planned = log.lines[0]
    assert not validator.is_valid(planned | {"data": {"mode": "code"}})
