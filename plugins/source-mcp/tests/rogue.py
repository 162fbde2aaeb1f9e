"""A server that does every bad thing on request. Plain JSON-RPC, no SDK, so that it starts fast.

Flags change how it starts and lists; the tools misbehave when they are called.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

QUESTION = {
    "message": "who\u202e?",
    "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}},
}
OBJECT = {"type": "object"}
NAMES = (
    "echo", "crash", "half_line", "hang", "big", "bad_utf8", "no_content", "odd_content",
    "violate", "fail", "refuse", "banner", "stderr", "count", "json_text", "blocks", "structured",
    "surrogate", "not_json", "ask", "change_tools", "spawn", "unfinished", "listify", "progress",
)  # fmt: skip


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--exit", action="store_true")
    parser.add_argument("--banner", action="store_true")
    parser.add_argument("--mute", action="store_true")
    parser.add_argument("--sleep", type=float, default=0)
    parser.add_argument("--until", type=Path, help="answer nothing until this file is there")
    parser.add_argument("--bad-tools", action="store_true")
    parser.add_argument("--pages", choices=["endless", "loop", "two", "duplicates"])
    parser.add_argument("--version", default="2025-06-18")
    parser.add_argument("--eras", default="legacy", choices=["legacy", "modern", "both"])
    parser.add_argument("--no-tools", action="store_true")
    parser.add_argument("--stay", action="store_true", help="ignore end of input and SIGTERM")
    parser.add_argument("--once", type=Path, help="start only while this file is missing")
    parser.add_argument("--unless", type=Path, help="exit at start while this file is there")
    parser.add_argument("--starts", type=Path, help="a file that gets a line for each start")
    parser.add_argument("--log", type=Path, help="a file that gets each method that arrives")
    parser.add_argument("--effects", type=Path, help="a file that gets a line for each call")
    parser.add_argument("--secret", default="")
    return parser.parse_args()


ARGS = options()
STATE = {"extra": 0}


def send(message):
    sys.stdout.buffer.write(json.dumps(message).encode() + b"\n")
    sys.stdout.buffer.flush()


def raw(data):
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def note(path, text):
    if path is not None:
        with path.open("a") as file:
            file.write(text + "\n")


def tools():
    listed = [{"name": name, "description": name, "inputSchema": OBJECT} for name in NAMES]
    violate = next(tool for tool in listed if tool["name"] == "violate")
    violate["outputSchema"] = {"type": "object", "required": ["n"], "properties": {}}
    listed += [
        {"name": f"extra_{number}", "inputSchema": OBJECT} for number in range(STATE["extra"])
    ]
    return listed + (bad_tools() if ARGS.bad_tools else [])


def bad_tools():
    return [
        "not an object",
        {"inputSchema": OBJECT},
        {"name": 7, "inputSchema": OBJECT},
        {"name": "", "inputSchema": OBJECT},
        {"name": "n" * 300, "inputSchema": OBJECT},
        {"name": "bell\u0007", "inputSchema": OBJECT},
        {"name": "bidi\u202e", "inputSchema": OBJECT},
        {"name": "root_int", "inputSchema": {"type": "int"}},
        {"name": "root_string", "inputSchema": "string"},
        {"name": "null_schema", "inputSchema": None},
        {"name": "no_schema"},
        {"name": "empty_schema", "inputSchema": {}},
        {"name": "int_inside", "inputSchema": {"properties": {"n": {"type": "int"}}}},
        {"name": "root_one_of", "inputSchema": {"oneOf": [{"required": ["a"]}]}},
        {"name": "deep", "inputSchema": deep(80)},
        {"name": "twice", "description": "a", "inputSchema": OBJECT},
        {"name": "twice", "description": "b", "inputSchema": OBJECT},
        {"name": "same", "inputSchema": OBJECT},
        {"name": "same", "inputSchema": OBJECT},
        {"name": "odd_hints", "annotations": {"readOnlyHint": "yes", "destructiveHint": False}},
        {"name": "odd_description", "description": ["a", "list"], "inputSchema": OBJECT},
        {"name": "hidden", "description": "a\u200bb\u202ec\U000e0041\u001b[2J", "title": "T\u0007"},
        {"name": "task_only", "inputSchema": OBJECT, "execution": {"taskSupport": "required"}},
    ]


def deep(levels):
    schema = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"x": schema}}
    return schema


def page(params):
    cursor = params.get("cursor")
    match ARGS.pages:
        case "endless":
            return {"tools": [], "nextCursor": str(int(cursor or 0) + 1)}
        case "loop":
            return {"tools": tools() if cursor is None else [], "nextCursor": "again"}
        case "two":
            half = len(NAMES) // 2
            if cursor is None:
                return {"tools": tools()[:half], "nextCursor": "rest"}
            return {"tools": tools()[half:]}
        case "duplicates":
            if cursor is None:
                return {"tools": tools(), "nextCursor": "rest"}
            return {"tools": tools()}
    return {"tools": tools()}


def text(value):
    return {"content": [{"type": "text", "text": value}]}


def call(identity, params):
    name, arguments = params.get("name"), params.get("arguments") or {}
    note(ARGS.effects, f"{name} {json.dumps(arguments, sort_keys=True)}")
    match name:
        case "crash":
            os._exit(3)
        case "half_line":
            raw(b'{"jsonrpc": "2.0", "id": ')
            os._exit(3)
        case "hang":
            return None
        case "big":
            return text("x" * arguments["bytes"])
        case "bad_utf8":
            raw(
                b'{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"a\xff\xfeb"}]}}\n'
                % identity
            )
            return None
        case "surrogate":
            raw(
                b'{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"a\\ud800b"}]}}\n'
                % identity
            )
            return None
        case "not_json":
            raw(b'{"jsonrpc":"2.0","id":%d,"result":{"content":[nonsense\n' % identity)
            return None
        case "no_content":
            return {}
        case "odd_content":
            return {"content": [{"type": "hologram", "rays": 3}]}
        case "listify":
            return {"content": "just text"}
        case "violate":
            return {"content": [], "structuredContent": {"m": 1}}
        case "structured":
            return {
                "content": [{"type": "text", "text": "{}"}, {"type": "image", "data": "aaaa"}],
                "structuredContent": {"n": 1},
            }
        case "fail":
            return {**text("no such\u001b[31m thing"), "isError": True}
        case "refuse":
            send({"jsonrpc": "2.0", "id": identity, "error": {"code": -32602, "message": "no"}})
            return None
        case "banner":
            raw(b"Loading model weights...\n\n{not json at all\n42\n")
            return text("after the banner")
        case "stderr":
            sys.stderr.write("noise\n" * arguments.get("lines", 500_000))
            sys.stderr.write(f"token={ARGS.secret}\n")
            sys.stderr.flush()
            return text("still here")
        case "json_text":
            return text('{"answer": [1, 2]}')
        case "blocks":
            return {
                "content": [
                    {"type": "text", "text": "one"},
                    {"type": "image", "mimeType": "image/png", "data": "A" * 4000},
                    {"type": "resource_link", "uri": "file:///etc/passwd", "name": "p"},
                    {"type": "resource", "resource": {"uri": "x:1", "text": "inside"}},
                ]
            }
        case "ask":
            send({"jsonrpc": "2.0", "id": "q1", "method": "elicitation/create", "params": QUESTION})
            STATE["asked_by"] = identity
            return None
        case "change_tools":
            STATE["extra"] = arguments.get("extra", 1)
            for _ in range(arguments.get("times", 1)):
                send({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
            return text("changed")
        case "spawn":
            child = subprocess.Popen(
                [sys.executable, "-c", "import signal,time; signal.signal(15, 1); time.sleep(600)"]
            )
            return text(f"pids {os.getpid()} {child.pid}")
        case "unfinished":
            if "inputResponses" in params:
                return text(json.dumps([params["inputResponses"], params["requestState"]]))
            return {
                "resultType": "input_required",
                "requestState": "s1",
                "inputRequests": {"q": {"method": "elicitation/create", "params": QUESTION}},
            }
        case "progress":
            token = (params.get("_meta") or {}).get("progressToken")
            if token is not None:
                for step in (1, 2):
                    send({"jsonrpc": "2.0", "method": "notifications/progress",
                          "params": {"progressToken": token, "progress": step, "total": 2}})  # fmt: skip
            return text("done")
    if name in {"echo", "count"} or name.startswith("extra_"):
        return text(f"{name} {json.dumps(arguments, sort_keys=True)}")
    send({"jsonrpc": "2.0", "id": identity, "error": {"code": -32602, "message": "unknown tool"}})
    return None


def answer(message):
    method, identity = message.get("method"), message.get("id")
    params = message.get("params") or {}
    note(ARGS.log, f"{method} {json.dumps(params.get('requestId'))}" if method else "answer")
    if method is None:
        if identity == "q1":
            outcome = json.dumps(message["result"]) if "result" in message else "refused"
            send({"jsonrpc": "2.0", "id": STATE["asked_by"], "result": text(outcome)})
        return
    if identity is None:
        return
    match method:
        case "initialize" if ARGS.eras != "modern":
            listed = {} if ARGS.no_tools else {"tools": {"listChanged": True}}
            result = {"protocolVersion": ARGS.version, "capabilities": listed}
            if not ARGS.bad_tools:
                result["serverInfo"] = {"name": "rogue", "version": "1"}
                result["instructions"] = "Rogue\u202e tools for tests."
        case "server/discover" if ARGS.eras != "legacy":
            result = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
        case "tools/list" if not ARGS.no_tools:
            result = page(params)
        case "tools/call":
            result = call(identity, params)
            if result is None:
                return
        case _:
            send({"jsonrpc": "2.0", "id": identity, "error": {"code": -32601, "message": "what?"}})
            return
    send({"jsonrpc": "2.0", "id": identity, "result": result})


def main():
    note(ARGS.starts, str(os.getpid()))
    if ARGS.stay:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if ARGS.exit or (ARGS.unless is not None and ARGS.unless.exists()):
        sys.stderr.write(f"cannot start: {ARGS.secret}\n")
        sys.exit(4)
    if ARGS.banner:
        raw(b"Welcome to Rogue 1.0\n\xff\xfe\n")
    time.sleep(ARGS.sleep)
    if ARGS.until is not None:
        sys.stderr.write("downloading the rest\n")
        sys.stderr.flush()
        while not ARGS.until.exists():
            time.sleep(0.02)
    if ARGS.mute:
        time.sleep(600)
    for line in sys.stdin:
        answer(json.loads(line))
    if ARGS.stay:
        time.sleep(600)


main()
