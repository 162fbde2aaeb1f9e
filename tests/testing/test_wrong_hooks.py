"""Policies, approvers and sinks that are wrong in one way."""

import asyncio
import json

import pytest

from toolsearch.testing import ApproverConformance, PolicyConformance, TelemetryConformance
from toolsearch_hookspecs import Approve, PolicyAnswer, Reject, Ruling, hookimpl

NO = Ruling(reason="files are not deleted here")


class Policy:
    @hookimpl
    async def toolsearch_tool_policy(self, run, tools, arguments):
        denied = {tool.id: NO for tool in tools if tool.name == "delete_file"}
        return PolicyAnswer(denied=denied, cache_key="all")


class AllowsAtCalls(Policy):
    @hookimpl
    async def toolsearch_tool_policy(self, run, tools, arguments):
        if arguments is not None:
            return None
        return await super().toolsearch_tool_policy(run, tools, arguments)


class KeyHidesAgent(Policy):
    @hookimpl
    async def toolsearch_tool_policy(self, run, tools, arguments):
        if run.agent == "other":
            return PolicyAnswer(cache_key="all")
        return await super().toolsearch_tool_policy(run, tools, arguments)


class KeyOfRun(Policy):
    @hookimpl
    async def toolsearch_tool_policy(self, run, tools, arguments):
        answer = await super().toolsearch_tool_policy(run, tools, arguments)
        return answer.model_copy(update={"cache_key": run.run_id})


class FirstOnly(Policy):
    @hookimpl
    async def toolsearch_tool_policy(self, run, tools, arguments):
        return PolicyAnswer(denied={tool.id: NO for tool in tools[:1]})


class Encodes(Policy):
    @hookimpl
    async def toolsearch_tool_policy(self, run, tools, arguments):
        json.dumps(arguments, allow_nan=False, ensure_ascii=False).encode()
        return await super().toolsearch_tool_policy(run, tools, arguments)


class SaysDict(Policy):
    @hookimpl
    async def toolsearch_tool_policy(self, run, tools, arguments):
        return {"denied": []}


class NoReason(Policy):
    @hookimpl
    async def toolsearch_tool_policy(self, run, tools, arguments):
        return PolicyAnswer(denied={tool.id: Ruling(reason="") for tool in tools})


def policy_suite(policy):
    class Suite(PolicyConformance):
        plugin = policy
        denies = "delete_file"
        allows = "read_file"

    return Suite


def test_a_right_policy_passes_every_case(faults):
    assert faults(policy_suite(Policy)) == {}


@pytest.mark.parametrize(
    ("policy", "case", "said"),
    [
        (AllowsAtCalls, "test_what_planning_denies_a_call_denies", "may only narrow"),
        (KeyHidesAgent, "test_askers_with_one_key_have_one_answer", "into the key"),
        (
            KeyOfRun,
            "test_an_answer_that_may_be_kept_does_not_depend_on_the_run",
            "must not depend on the run's id",
        ),
        (FirstOnly, "test_each_tool_alone_is_ruled_as_among_all", "judged otherwise"),
        (FirstOnly, "test_the_order_of_the_tools_does_not_matter", "order of the tools"),
        (Encodes, "test_no_arguments_raise", "what raises denies"),
        (SaysDict, "test_it_answers_a_policy_answer_or_none", "no PolicyAnswer denies all"),
        (NoReason, "test_every_ruling_says_why", "the model is told it"),
        (NoReason, "test_what_it_should_allow_it_allows", "read_file is denied"),
    ],
)
def test_a_wrong_policy_is_told_what_to_do(tmp_path, policy, case, said):
    with pytest.raises(pytest.fail.Exception, match=said):
        getattr(policy_suite(policy)(), case)(tmp_path)


class Unmarked:
    async def toolsearch_tool_policy(self, run, tools, arguments):
        return PolicyAnswer()


class Misspelt(Policy):
    @hookimpl
    def toolsearch_shut_down(self):
        """Close."""


class WrongArgument(Policy):
    @hookimpl
    async def toolsearch_before_tool_call(self, request):
        """Look at it."""


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        (Unmarked, "not marked as a hook. Put `@hookimpl` on it"),
        (Misspelt, "did you mean 'toolsearch_shutdown'"),
        (WrongArgument, "its arguments are: call"),
    ],
)
def test_a_plugin_that_no_host_would_take_is_told_why(tmp_path, policy, said):
    with pytest.raises(pytest.fail.Exception, match=f"(?i){said}"):
        policy_suite(policy)().test_a_host_takes_the_plugin(tmp_path)


class Terse:
    """Names only the arguments that it needs, and not in the order of the contract."""

    @hookimpl
    def toolsearch_tool_policy(self, tools):
        denied = {tool.id: NO for tool in tools if tool.name == "delete_file"}
        return PolicyAnswer(denied=denied, cache_key="all")


def test_a_policy_that_names_only_what_it_needs_passes_every_case(faults):
    assert faults(policy_suite(Terse)) == {}


class Approver:
    """Waits for a decision that the test puts in."""

    def __init__(self):
        self.decisions = {}

    @hookimpl
    async def toolsearch_approve(self, request):
        return await self.of(request)

    def of(self, request):
        return self.decisions.setdefault(request.id, asyncio.get_running_loop().create_future())


class SilenceIsConsent(Approver):
    @hookimpl
    async def toolsearch_approve(self, request):
        return Approve(by="nobody")


class OneForAll(Approver):
    def of(self, request):
        return self.decisions.setdefault("", asyncio.get_running_loop().create_future())

    @hookimpl
    async def toolsearch_approve(self, request):
        return await asyncio.shield(self.of(request))


class Swallows(Approver):
    @hookimpl
    async def toolsearch_approve(self, request):
        try:
            return await super().toolsearch_approve(request)
        except asyncio.CancelledError:
            return Approve(by="cancelled")


class LosesMessages(Approver):
    @hookimpl
    async def toolsearch_approve(self, request):
        decision = await super().toolsearch_approve(request)
        return Reject() if isinstance(decision, Reject) else decision


def approver_suite(approver):
    class Suite(ApproverConformance):
        plugin = approver

        async def answer(self, asked, request, decision):
            asked.of(request).set_result(decision)

    return Suite


def test_a_right_approver_passes_every_case(faults):
    assert faults(approver_suite(Approver)) == {}


@pytest.mark.parametrize(
    ("approver", "case", "said"),
    [
        (SilenceIsConsent, "test_silence_approves_nothing", "although nobody answered"),
        (SilenceIsConsent, "test_an_expired_request_is_not_approved", "has expired"),
        (OneForAll, "test_an_answer_is_for_one_request", "taken for another"),
        (OneForAll, "test_an_approval_once_is_not_for_ever", "answered twice"),
        (Swallows, "test_it_ends_when_another_answered_first", "let CancelledError pass"),
        (LosesMessages, "test_a_rejection_arrives_with_its_message", "its message was lost"),
    ],
)
def test_a_wrong_approver_is_told_what_to_do(tmp_path, approver, case, said):
    with pytest.raises(pytest.fail.Exception, match=said):
        getattr(approver_suite(approver)(), case)(tmp_path)


class Sink:
    """Writes types of events into a file."""

    @hookimpl
    def toolsearch_configure(self, plugin):
        self.path = plugin.state_dir / "events.txt"
        plugin.state_dir.mkdir(parents=True, exist_ok=True)

    @hookimpl
    def toolsearch_event(self, event):
        with self.path.open("a") as file:
            file.write(self.line(event))

    def line(self, event):
        return f"{event.type.value}\n"


class KeepsContent(Sink):
    def line(self, event):
        return f"{event.content!r}\n"


class ExpectsData(Sink):
    def line(self, event):
        return f"{event.data['call']}\n" if event.type == "search" else ""


class WritesText(Sink):
    def line(self, event):
        return f"{event.agent}\n"


class Waits(Sink):
    @hookimpl
    async def toolsearch_event(self, event):
        pass


class ClosesTheFile(Sink):
    closed = False

    @hookimpl
    async def toolsearch_shutdown(self):
        self.closed = True

    def line(self, event):
        if self.closed:
            raise ValueError("I/O operation on closed file")
        return super().line(event)


def sink_suite(sink):
    return type("Suite", (TelemetryConformance,), {"plugin": sink})


def test_a_right_sink_passes_every_case(faults):
    assert faults(sink_suite(Sink)) == {}


@pytest.mark.parametrize(
    ("sink", "case", "said"),
    [
        (
            KeepsContent,
            "test_content_is_kept_nowhere_unless_the_deployment_opted_in",
            "only where `log.content` is true",
        ),
        (ExpectsData, "test_events_without_data_are_taken", "leave out what cannot be kept"),
        (WritesText, "test_no_text_raises", "lone surrogate"),
        (Waits, "test_the_hook_is_no_coroutine", "a plain function"),
        (ClosesTheFile, "test_events_after_closing_are_survived", "after closing"),
    ],
)
def test_a_wrong_sink_is_told_what_to_do(tmp_path, sink, case, said):
    with pytest.raises(pytest.fail.Exception, match=said):
        getattr(sink_suite(sink)(), case)(tmp_path)
