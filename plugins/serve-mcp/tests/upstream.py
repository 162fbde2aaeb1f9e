"""What is behind the server in the tests: tools of every kind, in plain JSON-RPC over stdio."""

import itertools
import json
import os
import sys
import threading
from pathlib import Path

NOTES = Path(sys.argv[1])
OBJECT = {"type": "object", "properties": {}}
TEXT = {"type": "string"}
TOOLS = [
    {"name": "read_note", "description": "Read a note by its name.",
     "inputSchema": {"type": "object", "properties": {"name": TEXT}, "required": ["name"]},
     "annotations": {"readOnlyHint": True}},
    {"name": "write_note", "description": "Write a note.",
     "inputSchema": {"type": "object", "properties": {"name": TEXT, "text": TEXT}},
     "annotations": {"destructiveHint": False}},
    {"name": "drop_notes", "description": "Throw every note away.", "inputSchema": OBJECT},
    {"name": "long_note", "description": "A long note.",
     "inputSchema": {"type": "object", "properties": {"size": {"type": "integer"}}}},
    {"name": "wait", "description": "Never answer.", "inputSchema": OBJECT},
    {"name": "rest", "description": "Answer after some seconds.",
     "inputSchema": {"type": "object", "properties": {"seconds": {"type": "number"}}}},
    {"name": "held", "description": "Answer after the next note is read.", "inputSchema": OBJECT},
    {"name": "grow", "description": "Offer one more tool from now on.", "inputSchema": OBJECT},
    {"name": "test_simple_text", "description": "Text.", "inputSchema": OBJECT},
    {"name": "test_error_handling", "description": "Fail.", "inputSchema": OBJECT},
    {"name": "test_tool_with_progress", "description": "Progress.", "inputSchema": OBJECT},
    {"name": "test_elicitation", "description": "Ask.",
     "inputSchema": {"type": "object", "properties": {"message": TEXT}}},
    {"name": "test_elicitation_sep1034_defaults", "description": "Ask.", "inputSchema": OBJECT},
    {"name": "test_elicitation_sep1330_enums", "description": "Ask.", "inputSchema": OBJECT},
]  # fmt: skip
GROWN = {"name": "grown", "description": "Grown.", "inputSchema": OBJECT}
NUMBERS = itertools.count(1)
ASKED = {}
HELD = []

DEFAULTS = {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    "verified": {"type": "boolean", "default": True},
}
TITLED = [{"const": f"value{n}", "title": f"Option {n}"} for n in (1, 2, 3)]
PLAIN = ["option1", "option2", "option3"]
ENUMS = {
    "untitledSingle": {"type": "string", "enum": PLAIN},
    "titledSingle": {"type": "string", "oneOf": TITLED},
    "legacyEnum": {"type": "string", "enum": PLAIN, "enumNames": ["One", "Two", "Three"]},
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": PLAIN}},
    "titledMulti": {"type": "array", "items": {"anyOf": TITLED}},
}


def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0"} | message) + "\n")
    sys.stdout.flush()


def note(text):
    with NOTES.open("a") as file:
        file.write(text + "\n")


def ask(identity, message, properties):
    question = f"q{next(NUMBERS)}"
    ASKED[question] = identity
    schema = {"type": "object", "properties": properties}
    params = {"message": message, "requestedSchema": schema}
    send({"id": question, "method": "elicitation/create", "params": params})


def answer_late(identity, text):
    send({"id": identity, "result": {"content": [{"type": "text", "text": text}]}})


def call(identity, name, arguments, meta):
    match name:
        case "read_note":
            note(f"read {arguments['name']}")
            while HELD:
                answer_late(HELD.pop(), f"held until {arguments['name']}")
            return f"note {arguments['name']}"
        case "write_note":
            note(f"write {arguments['name']} {arguments['text']}")
            return "written"
        case "drop_notes":
            note("drop")
            return "dropped"
        case "long_note":
            return "x" * arguments["size"]
        case "wait":
            note(f"waiting {os.getpid()}")
            return None
        case "held":
            note("held")
            HELD.append(identity)
            return None
        case "rest":
            note(f"resting {os.getpid()}")
            threading.Timer(arguments["seconds"], answer_late, (identity, "rested")).start()
            return None
        case "grow":
            if GROWN not in TOOLS:
                TOOLS.append(GROWN)
            send({"method": "notifications/tools/list_changed"})
            return "grew"
        case "test_simple_text":
            return "This is a simple text response for testing."
        case "test_tool_with_progress":
            for done in (0, 50, 100):
                params = {
                    "progressToken": meta.get("progressToken"),
                    "progress": done,
                    "total": 100,
                }
                send({"method": "notifications/progress", "params": params})
            return "done"
        case "test_elicitation":
            ask(identity, arguments["message"], {"response": TEXT})
            return None
        case "test_elicitation_sep1034_defaults":
            ask(identity, "defaults", DEFAULTS)
            return None
        case "test_elicitation_sep1330_enums":
            ask(identity, "enums", ENUMS)
            return None
    return name


def answer(message):
    identity, params = message.get("id"), message.get("params") or {}
    match message.get("method"):
        case None:
            outcome = json.dumps(message.get("result") or message.get("error"))
            content = [{"type": "text", "text": f"Elicitation completed: {outcome}"}]
            send({"id": ASKED.pop(identity), "result": {"content": content}})
        case "notifications/cancelled":
            note("cancelled")
        case "initialize":
            capabilities = {"tools": {"listChanged": True}}
            server = {"name": "upstream", "version": "1"}
            result = {"protocolVersion": "2025-11-25", "capabilities": capabilities}
            send({"id": identity, "result": result | {"serverInfo": server}})
        case "tools/list":
            send({"id": identity, "result": {"tools": TOOLS}})
        case "tools/call":
            meta = params.get("_meta") or {}
            text = call(identity, params["name"], params.get("arguments") or {}, meta)
            if text is not None:
                content = [{"type": "text", "text": text}]
                failed = params["name"] == "test_error_handling"
                result = {"content": content, "isError": failed}
                send({"id": identity, "result": result})


if "--silent" in sys.argv:
    note(f"silent {os.getpid()}")
for line in sys.stdin:
    if "--silent" not in sys.argv:
        answer(json.loads(line))
