"""Identical failing calls are stopped."""

import pytest

from toolsearch.results import LoopGuard


def failed(guard, times, tool="a", arguments=None):
    for _ in range(times):
        guard.note(tool, arguments, failed=True)


def test_the_call_after_the_limit_of_identical_failures_is_stopped():
    guard = LoopGuard(3)
    failed(guard, 2, arguments={"x": 1, "y": 2})
    assert not guard.stops("a", {"x": 1, "y": 2})
    failed(guard, 1, arguments={"y": 2, "x": 1})
    assert guard.stops("a", {"x": 1, "y": 2})


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [("b", {"x": 1}), ("a", {"x": 2}), ("a", {"x": True}), ("a", {}), ("a", "x")],
)
def test_another_tool_or_other_arguments_are_another_call(tool, arguments):
    guard = LoopGuard(1)
    failed(guard, 1, arguments={"x": 1})
    assert guard.stops("a", {"x": 1})
    assert not guard.stops(tool, arguments)


def test_a_success_of_the_tool_clears_what_was_counted_for_it_only():
    guard = LoopGuard(1)
    failed(guard, 1, tool="a")
    failed(guard, 1, tool="b")
    guard.note("a", {"other": 1}, failed=False)
    assert not guard.stops("a", None)
    assert guard.stops("b", None)


def test_failures_in_turn_are_counted_for_each():
    guard = LoopGuard(3)
    for _ in range(3):
        failed(guard, 1, arguments={"x": 1})
        failed(guard, 1, arguments={"x": 2})
    assert guard.stops("a", {"x": 1})
    assert guard.stops("a", {"x": 2})


def test_any_arguments_can_be_counted():
    guard = LoopGuard(1)
    cycle = []
    cycle.append(cycle)
    for odd in (cycle, object(), {1: {2}}, float("nan"), "\ud800", b"\xff"):
        failed(guard, 1, arguments=odd)
        assert guard.stops("a", odd)


def test_a_run_remembers_a_bounded_number_of_calls():
    guard = LoopGuard(1)
    for number in range(2000):
        failed(guard, 1, arguments=number)
    assert guard.stops("a", 1999)
    assert len(guard._failures) == 1000
