"""The tools of a conversation about a project."""

import json
from dataclasses import replace
from typing import Any

import pytest

from assistant.core.documents import TurnDocuments
from assistant.core.permissions import LOCAL_ASSISTANT, REMOTE_CALLER, Category, Permissions
from assistant.core.settings import Language
from assistant.core.texts import Texts
from assistant.llm.backend import ModelToolCall
from assistant.tools.auditing import CallContext
from assistant.tools.builtin.knowledge.projects import project_tools
from assistant.tools.runner import Outcome, ToolRunner
from assistant.tools.taint import Taint
from assistant.tools.tool import ToolError
from tests.fakes.asking.served_call import served_call
from tests.fakes.project_access import MemoryProject

LONG = "".join(f"{number:06d} " for number in range(3000))
SHELF = MemoryProject(
    {"회의록.md": "회의는 3시", "하위/규정.md": "출장비 80,000원", "긴.txt": LONG, "규정-옛날.md": "옛날"}
)


async def called(runner: ToolRunner, name: str, context: CallContext, /, **arguments: Any) -> Outcome:
    call = ModelToolCall(id="1", name=name, arguments=arguments)
    (outcome,) = [each async for each in runner.run([call], context=context)]
    return outcome


@pytest.fixture
def runner(all_texts: dict[Language, Texts]) -> ToolRunner:
    return ToolRunner(project_tools(SHELF), all_texts["en"])


async def test_passages_are_numbered_on_and_keep_their_numbers(runner: ToolRunner) -> None:
    context = CallContext(conversation="c", documents=TurnDocuments())
    first = await called(runner, "search_project", context, query="회의는")
    second = await called(runner, "search_project", context, query="회의는 출장비")
    assert [each["document"] for each in json.loads(first.text)["documents"]] == [1]
    assert [(each["document"], each["title"]) for each in json.loads(second.text)["documents"]] == [
        (1, "회의록.md"),
        (2, "하위/규정.md"),
    ]
    assert second.documents == (1, 2)
    assert context.documents is not None
    assert context.documents.citations[2].file == "id-하위/규정.md"
    nothing = await called(runner, "search_project", context, query="없는것")
    assert (nothing.text, nothing.is_error) == ("Nothing in the files matches.", False)


async def test_a_page_is_kept_only_in_a_project_and_never_unasked(all_texts: dict[Language, Texts]) -> None:
    shelf = MemoryProject()
    (tool,) = [each for each in project_tools(shelf) if each.name == "keep_page"]
    assert (tool.category, tool.outbound, tool.untrusted, tool.in_projects) == (Category.SENSITIVE, True, True, True)
    url = "https://site.example/fig"
    sensitive = frozenset({Category.SAFE, Category.SENSITIVE})
    unasked = Permissions(categories=sensitive, unasked=("keep_page",))  # The model may have made the address up.
    for permissions in (Permissions(), Permissions(categories=sensitive), REMOTE_CALLER, LOCAL_ASSISTANT, unasked):
        runner = ToolRunner(project_tools(shelf), all_texts["en"], permissions=permissions)
        refused = await called(runner, "keep_page", CallContext(conversation="c"), url=url)
        assert refused.is_error
        assert not shelf.texts
    confirmed = replace(served_call(), conversation="c")
    assert await tool.run({"url": url}, confirmed) == f"Kept in the project: {url} ({url})"
    assert shelf.texts == {url: f"made_address: {url}"}
    with pytest.raises(ToolError, match="no_project"):
        await tool.run({"url": url}, replace(confirmed, conversation="d"))


async def test_a_long_file_is_read_in_parts_that_join(runner: ToolRunner) -> None:
    context = CallContext(conversation="c", documents=TurnDocuments())
    text, first = "", 1
    while first:
        outcome = await called(runner, "read_project_file", context, name="긴.txt", first_character=first)
        (document,) = json.loads(outcome.text)["documents"]
        text += document["contents"]
        told = document.get("metadata", "")
        first = int(told.rpartition("= ")[2]) if told else 0
    assert text == LONG


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("회의록.md", "회의록.md"),
        ("회의록", "회의록.md"),
        ("규정.md", "하위/규정.md"),
        ("하위/규정.md", "하위/규정.md"),
    ],
)
async def test_a_file_is_found_by_its_name(runner: ToolRunner, name: str, title: str) -> None:
    outcome = await called(runner, "read_project_file", CallContext(conversation="c"), name=name)
    assert json.loads(outcome.text)["documents"][0]["title"] == title


@pytest.mark.parametrize(
    ("name", "arguments", "reason"),
    [
        ("read_project_file", {"name": "규정"}, "Several files"),
        ("read_project_file", {"name": "../../etc/passwd"}, "There is no such file"),
        ("read_project_file", {"name": ""}, "There is no such file"),
        ("read_project_file", {"name": "회의록.md", "first_character": 900}, "6 characters"),
    ],
)
async def test_what_cannot_be_read_is_told(
    runner: ToolRunner, name: str, arguments: dict[str, Any], reason: str
) -> None:
    outcome = await called(runner, name, CallContext(conversation="c"), **arguments)
    assert outcome.is_error
    assert reason in outcome.text


async def test_the_files_are_listed_and_those_of_another_conversation_are_not(runner: ToolRunner) -> None:
    listed = await called(runner, "list_project_files", CallContext(conversation="c"), name="규정")
    assert listed.text.splitlines() == ["규정-옛날.md (2 characters)", "하위/규정.md (11 characters)"]
    for name in ("search_project", "list_project_files", "read_project_file"):
        arguments = {"search_project": {"query": "회의"}, "read_project_file": {"name": "회의록.md"}}.get(name, {})
        outcome = await called(runner, name, CallContext(conversation="another"), **arguments)
        assert outcome.is_error
        assert "no project" in outcome.text


async def test_they_are_offered_and_run_only_where_there_is_a_project(runner: ToolRunner) -> None:
    without = runner.permitted(Permissions(), projects=False)
    assert without.offered() == ()
    assert len(runner.permitted(Permissions(), projects=True).offered()) == 3
    outcome = await called(without, "search_project", CallContext(conversation="c"), query="회의")
    assert outcome.is_error


async def test_what_they_read_is_untrusted_and_private(runner: ToolRunner) -> None:
    outcome = await called(runner, "search_project", CallContext(conversation="c"), query="회의는")
    taint = runner.taint_after(Taint(), outcome)
    assert (taint.outside, taint.private_read) == (True, True)
    assert runner.searches("search_project")
