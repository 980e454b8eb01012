"""The order of a context, with the worked examples of its specification (C-01, C-03, C-05, C-07)."""

from collections.abc import Sequence
from typing import Any

import pytest

from assistant.agent.context.context import Context, compose
from assistant.agent.context.materials import AgentPrompt, Materials
from assistant.agent.context.small_form import alternating
from assistant.agent.model_choice import ModelChoice
from assistant.agent.open_model import OpenModel
from assistant.core.documents import Document, TurnDocuments
from assistant.core.messages import Attachment, Message, Role, ToolUse
from assistant.core.settings import Language, LlmSettings, Provider
from assistant.core.texts import Texts
from assistant.llm.backend import ModelAttachment, ModelMessage, ModelRequest, ModelToolCall
from assistant.llm.facts.model_facts import KnownModel
from tests.fakes.backend import FakeBackend
from tests.fakes.clock import START
from tests.unit.agent.context.composing import composed

Catalogues = dict[Language, Texts]

FILE = Attachment(mime_type="text/plain", name="F", data=b"F")
CALL = ModelToolCall(id="c", name="search", arguments={"query": "q"})
RUNNING = (
    ModelMessage(role="assistant", text="", tool_calls=(CALL,)),
    ModelMessage(role="tool", text="found", tool_call_id="c"),
)
"""A call of a search tool in the running turn, and its result."""
CUSTOM = AgentPrompt(text="CA")
PROJECT = [Document(title="P", contents="y" * 900)]


def user(name: str, *files: Attachment) -> Message:
    return Message(role=Role.USER, text=name, id=name, attachments=files)


def answer(name: str) -> Message:
    return Message(role=Role.ASSISTANT, text=name)


def searched() -> list[Message]:
    use = ToolUse(id="old", name="search", arguments={"query": "before"})
    return [
        Message(role=Role.ASSISTANT, text="", tool_uses=(use,)),
        Message(role=Role.TOOL, text="many documents", tool_use_id="old"),
    ]


def asked(texts: Texts, history: Sequence[Message], added: Sequence[ModelMessage] = (), **parts: Any) -> ModelRequest:
    """The request to a model in a conversation."""
    files = {each.id: (ModelAttachment(mime_type="text/plain", data="F", name="F"),) for each in history if each.id}

    def made(max_size: int, *, searched: bool = False, last: bool = False, memory: int | None = None) -> Context:
        assert (last, memory) == (False, None)
        materials = Materials(
            base_prompt="S", history=history, now=START, files=files, searched=searched, notes=False, **parts
        )
        return compose(materials, texts, max_size=max_size)

    choice = ModelChoice(provider=Provider(name="vendor", kind="openai"), model="m")
    model = OpenModel(choice=choice, backend=FakeBackend(), known=KnownModel(), compose=made, tools=())
    llm = LlmSettings()
    return model.request(llm, model.fitting(llm, 80_000, added, searched=bool(added)), added)


def letters(request: ModelRequest, texts: Texts) -> str:
    """The request in the letters of the specification."""
    project = f"{texts('context.project', documents=TurnDocuments().json(PROJECT))}\n{texts('context.project_rule')}"
    named = {texts("context.citation_reminder"): "R", project: "P"}
    told = ["S"] if request.system else []
    for message in request.messages:
        if message.attachments:
            told.append("F")
        if message.role == "tool":
            told.append("TR")
        else:
            told.append("TC" if message.tool_calls else named.get(message.text, message.text))
    return ", ".join(told)


def test_a_custom_agent_moves_to_just_above_the_newest_message(all_texts: Catalogues) -> None:
    texts = all_texts["ko"]
    history = [user("U1"), *searched(), answer("A1"), user("U2")]
    first = asked(texts, history, agent_prompt=CUSTOM)
    assert f"{letters(first, texts)}, A2" == "S, U1, TC, TR, A1, CA, U2, A2"
    later = [*history, answer("A2"), user("U3")]
    second = asked(texts, later, RUNNING, agent_prompt=CUSTOM)
    assert f"{letters(second, texts)}, A3" == "S, U1, TC, TR, A1, U2, A2, CA, U3, TC, TR, R, A3"
    assert [each.text for each in second.messages if each.role == "tool"] == [texts("tools.expired"), "found"]


def test_a_file_stays_with_its_message_and_the_project_moves(all_texts: Catalogues) -> None:
    texts = all_texts["en"]
    history = [user("U1", FILE)]
    first = asked(texts, history, agent_prompt=CUSTOM, project=PROJECT)
    assert f"{letters(first, texts)}, A1" == "S, CA, P, F, U1, A1"
    second = asked(texts, [*history, answer("A1"), user("U2")], agent_prompt=CUSTOM, project=PROJECT)
    assert f"{letters(second, texts)}, A2" == "S, F, U1, A1, CA, P, U2, A2"


def test_a_custom_agent_that_replaces_the_system_prompt_does_not_move(all_texts: Catalogues) -> None:
    texts = all_texts["en"]
    own = AgentPrompt(text="CA", replaces_system=True)
    request = asked(texts, [user("U1"), answer("A1"), user("U2")], agent_prompt=own)
    assert letters(request, texts) == "S, U1, A1, U2"
    assert request.system.startswith("CA\n\n")


def test_the_system_prompt_has_its_sections_in_the_given_order(all_texts: Catalogues) -> None:
    system = composed(
        "base",
        [user("U1")],
        all_texts["en"],
        START,
        persona="a poet",
        workspace_memory=["of the workspace"],
        agent_memory=["of the agent"],
        personal_memory=["of the user"],
        summary="what was said",
        searched=True,
    ).system
    cite = all_texts["en"]("context.citations")
    parts = ["base", "a poet", "November 22", "- of the workspace", "- of the agent", "- of the user", "what was", cite]
    places = [system.index(part) for part in parts]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("reminder", "searches", "expected"),
    [("", False, ""), ("Be brief.", False, "Be brief."), ("", True, "R"), ("Be brief.", True, "R\n\nBe brief.")],
)
def test_reminders_come_last_and_only_if_there_is_a_reason(
    all_texts: Catalogues, reminder: str, searches: bool, expected: str
) -> None:
    texts = all_texts["en"]
    request = asked(texts, [user("U1")], RUNNING if searches else (), reminder=reminder)
    last = request.messages[-1]
    found = last.text if last.role == "user" and last.text != "U1" else ""
    assert found.replace(texts("context.citation_reminder"), "R") == expected
    assert (texts("context.citations") in request.system) == searches


def test_what_is_inserted_takes_room_from_the_oldest_messages_and_is_never_left_out(all_texts: Catalogues) -> None:
    history = [user(f"U{number} " + "x" * 100) for number in range(20)]
    parts: dict[str, Any] = {"agent_prompt": CUSTOM, "reminder": "R", "project": PROJECT}
    plain = composed("S", history, all_texts["en"], START, max_size=2_000)
    full = composed("S", history, all_texts["en"], START, max_size=2_000, **parts)
    assert len(full.talk) < len(plain.talk)
    assert full.size <= 2_000
    least = composed("S", history, all_texts["en"], START, max_size=1, **parts)
    assert [message.text[:3] for message in least.messages[-4:]] == ["U18", "CA", "The", "U19"]


def test_messages_of_the_users_in_a_row_are_one_for_a_model_that_needs_alternation() -> None:
    file = ModelAttachment(mime_type="text/plain", data="F", name="F")
    said = [
        ModelMessage(role="user", text="CA"),
        ModelMessage(role="user", text="U", attachments=(file,)),
        ModelMessage(role="assistant", text="A"),
        ModelMessage(role="user", text="R"),
    ]
    assert [(each.role, each.text) for each in alternating(said)] == [
        ("user", "CA\n\nU"),
        ("assistant", "A"),
        ("user", "R"),
    ]
    assert alternating(said)[0].attachments == (file,)
