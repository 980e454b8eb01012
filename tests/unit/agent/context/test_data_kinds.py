"""Which kinds of user data a request to a model holds, as the user reads in the ledger."""

from datetime import UTC, datetime
from typing import Any

import pytest

from assistant.agent.context.context import compose
from assistant.agent.context.data_kinds import data_in
from assistant.agent.context.materials import AgentPrompt, Materials
from assistant.core.documents import Document
from assistant.core.messages import Message, Role
from assistant.core.records.egress import DataClass
from assistant.core.settings import Language
from assistant.core.texts import Texts
from assistant.llm.backend import ModelMessage, ModelToolCall

MATERIALS: dict[str, Any] = {
    "base_prompt": "Sori",
    "history": (Message(role=Role.USER, text="Hello", id="1"),),
    "now": datetime(2026, 11, 25, tzinfo=UTC),
}


@pytest.mark.parametrize(
    ("more", "kinds"),
    [
        ({}, ()),
        ({"personal_memory": ("I live in Oslo",)}, (DataClass.FACTS,)),
        ({"workspace_memory": ("we ship on Thursday",)}, (DataClass.FACTS,)),
        ({"agent_memory": ("be brief",)}, (DataClass.FACTS,)),
        ({"persona": "You are a gardener."}, (DataClass.PERSONA,)),
        ({"agent_prompt": AgentPrompt(text="Speak of plants.", replaces_system=False)}, (DataClass.PERSONA,)),
        ({"summary": "They spoke of fig trees."}, (DataClass.SUMMARY,)),
        ({"project": (Document(title="rules.md", contents="15 days"),)}, (DataClass.DOCUMENT,)),
        ({"persona": "a", "personal_memory": ("b",), "summary": "c"}, ("facts", "persona", "summary")),
    ],
)
def test_facts_persona_summary_and_project_are_told_apart(
    all_texts: dict[Language, Texts], more: dict[str, Any], kinds: tuple[str, ...]
) -> None:
    context = compose(Materials(**MATERIALS, **more), all_texts["en"], max_size=80_000)
    assert data_in(context, ()) == (DataClass.CONVERSATION, *kinds)


@pytest.mark.parametrize(
    ("tool", "kinds"),
    [
        ("read_note", ("notes",)),
        ("search_notes", ("notes",)),
        ("read_file", ("files",)),
        ("read_clipboard", ("files",)),
        ("search_project", ("document",)),
        ("list_project_files", ("document",)),
        ("read_project_file", ("document",)),
        ("set_timer", ()),
    ],
)
def test_results_of_notes_files_and_projects_are_told_apart(
    all_texts: dict[Language, Texts], tool: str, kinds: tuple[str, ...]
) -> None:
    context = compose(Materials(**MATERIALS), all_texts["en"], max_size=80_000)
    called = ModelMessage(role="assistant", text="", tool_calls=(ModelToolCall(id="c", name=tool, arguments={}),))
    assert data_in(context, (called,)) == (DataClass.CONVERSATION, *kinds)
