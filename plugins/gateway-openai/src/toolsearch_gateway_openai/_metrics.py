"""Numbers for Prometheus, in its text format."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from toolsearch_hookspecs import Event, EventType

SECONDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)
MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_COUNTED = {
    EventType.SEARCH: "search",
    EventType.DESCRIBE: "describe",
    EventType.CODE_ENDED: "code",
    EventType.RESULT_READ: "read",
}


class Metrics:
    """Counts requests and what came of them. Counters are only ever added to; events come from
    a thread of the host.
    """

    def __init__(self) -> None:
        self.turns = 0
        self.calls = 0
        self._requests: Counter[tuple[str, int]] = Counter()
        self._buckets: Counter[float] = Counter()
        self._seconds = 0.0
        self._tokens: Counter[str] = Counter()
        self._operations: Counter[str] = Counter()
        self._tool_calls: Counter[tuple[str, str]] = Counter()
        self._lock = threading.Lock()

    def answered(self, api: str, status: int, seconds: float) -> None:
        """One request of an app is over."""
        self._requests[api, status] += 1
        self._seconds += seconds
        for bound in SECONDS:
            if seconds <= bound:
                self._buckets[bound] += 1

    def used(self, usage: Mapping[str, Any] | None) -> None:
        """Tokens that the provider counted."""
        for name, words in _TOKENS.items():
            given = next((usage[word] for word in words if word in usage), None) if usage else None
            if isinstance(given, int):
                self._tokens[name] += given

    def happened(self, event: Event) -> None:
        """What the host did in a run."""
        with self._lock:
            if event.type in _COUNTED:
                self._operations[_COUNTED[event.type]] += 1
            elif event.type is EventType.CALL_ENDED:
                outcome = "ok" if event.data.get("ok") else str(event.data.get("code", "error"))
                self._tool_calls[str(event.data.get("source", "unknown")), outcome] += 1

    def text(self, *, running: int, waiting: int, approvals: int) -> str:
        """Everything, with three numbers that are known elsewhere."""
        return "\n".join([*self._lines(running, waiting, approvals), ""])

    def _lines(self, running: int, waiting: int, approvals: int) -> Iterator[str]:
        requests = {
            f'api="{api}",status="{status}"': n for (api, status), n in self._requests.items()
        }
        yield from _family("requests_total", "counter", "Requests of apps.", requests)
        total = sum(self._requests.values())
        yield f"# TYPE {_name('request_seconds')} histogram"
        for bound in SECONDS:
            yield f'{_name("request_seconds")}_bucket{{le="{bound:g}"}} {self._buckets[bound]}'
        yield f'{_name("request_seconds")}_bucket{{le="+Inf"}} {total}'
        yield f"{_name('request_seconds')}_sum {self._seconds:.6f}"
        yield f"{_name('request_seconds')}_count {total}"
        yield from _family("running", "gauge", "Requests under way.", {"": running})
        yield from _family("waiting", "gauge", "Turns that wait for an app.", {"": waiting})
        yield from _family("approvals_pending", "gauge", "Unanswered approvals.", {"": approvals})
        yield from _family("turns_total", "counter", "Turns of the model.", {"": self.turns})
        yield from _family("hidden_calls_total", "counter", "Calls no app sees.", {"": self.calls})
        tokens = {f'kind="{kind}"': n for kind, n in self._tokens.items()}
        yield from _family("tokens_total", "counter", "Tokens, as the provider counts.", tokens)
        with self._lock:
            operations = {f'operation="{name}"': n for name, n in self._operations.items()}
            calls = {
                f'source="{source}",outcome="{outcome}"': n
                for (source, outcome), n in self._tool_calls.items()
            }
        yield from _family("operations_total", "counter", "Searches and the like.", operations)
        yield from _family("tool_calls_total", "counter", "Calls of tools.", calls)


_TOKENS = {
    "input": ("prompt_tokens", "input_tokens"),
    "output": ("completion_tokens", "output_tokens"),
}


def _family(name: str, kind: str, said: str, values: Mapping[str, int]) -> Iterator[str]:
    full = _name(name)
    yield f"# HELP {full} {said}"
    yield f"# TYPE {full} {kind}"
    for labels, value in sorted(values.items()):
        yield f"{full}{{{labels}}} {value}" if labels else f"{full} {value}"


def _name(name: str) -> str:
    return f"toolsearch_gateway_{name}"
