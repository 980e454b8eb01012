"""Conversations about a project that a user made, through the whole engine (K-02, C-07, C-08)."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistant.core import updates as up
from assistant.core.machine.states import TurnId
from assistant.core.messages import Attachment
from assistant.core.packets import Done, Status
from assistant.core.service.connection import Connection
from assistant.core.service.request import RefusedError
from assistant.core.service.requests.agents import AddWorkspace, EditAgent
from assistant.core.service.requests.conversations import CreateConversation
from assistant.core.service.requests.projects import (
    AddProject,
    ChooseProject,
    ConversationProject,
    RemoveProject,
    ShowProject,
)
from assistant.core.service.requests.turns import BeginTurn
from assistant.core.settings import ModelFacts, Settings
from tests.e2e.conversation.running_engine import settings_for
from tests.fakes.model_server.script import Reply
from tests.fakes.model_server.server import ModelServer, serve_in_thread
from tests.unit.engine.test_engine import TEXTS, Deliveries, engine_in

_PROJECT = TEXTS("context.project", documents="").strip()
"""The beginning of the message with the project."""
ANSWER = Reply(text="네.")


class Talk:
    """A conversation with an engine and a scripted model."""

    def __init__(self, connection: Connection, deliveries: Deliveries, server: ModelServer, conversation: str) -> None:
        self.connection, self.deliveries, self.server = connection, deliveries, server
        self.conversation = conversation

    async def say(self, text: str, *files: Attachment, model: str = "") -> list[dict[str, Any]]:
        """Say something, and return the messages that the model was sent."""
        turn = self.connection.new_turn()
        request = BeginTurn(turn=turn, conversation=self.conversation, text=text, attachments=files, model=model)
        await self.connection.result(request)
        await self._done(turn)
        (sent,) = [
            each.body["messages"]
            for each in self.server.requests
            if each.body and each.body.get("messages") and text in _last_words(each.body["messages"])
        ][-1:]
        return list(sent)

    async def _done(self, turn: TurnId) -> None:
        for _ in range(1000):
            for event in self.deliveries.events:
                if isinstance(event, up.PacketEmitted) and event.turn == turn and isinstance(event.packet, Done):
                    return
            await asyncio.sleep(0.02)
        raise TimeoutError

    @property
    def statuses(self) -> list[str]:
        """The statuses that turns have told."""
        packets = [each.packet for each in self.deliveries.events if isinstance(each, up.PacketEmitted)]
        return [each.status for each in packets if isinstance(each, Status)]


def _words(message: dict[str, Any]) -> str:
    content = message["content"]
    return content if isinstance(content, str) else "\n".join(each.get("text", "") for each in content)


def _last_words(messages: list[dict[str, Any]]) -> str:
    return next((_words(each) for each in reversed(messages) if each["role"] == "user"), "")


def letters(messages: list[dict[str, Any]]) -> str:
    """The messages in the letters of the specification."""
    told = []
    for message in messages:
        words = _words(message)
        if message["role"] == "system":
            told.append("S")
        elif message["role"] == "assistant":
            told.append("A")
        elif words.startswith(_PROJECT):
            told.append("P")
        elif words == "CA":
            told.append("CA")
        else:
            told += [*(["F"] if "내용 F" in words else []), "U"]  # A file comes with its message.
    return ", ".join(told)


@asynccontextmanager
async def talk_about(home: Path, docs: Path, *, facts: tuple[ModelFacts, ...] = ()) -> AsyncIterator[Talk]:
    """A conversation about a project of a folder, with an agent that has a prompt of its own."""
    with serve_in_thread(lambda _: ANSWER) as server:
        settings: Settings = replace(settings_for(server.base_url), models=facts)
        async with engine_in(home, settings) as (_, connection, deliveries):
            await connection.result(EditAgent(agent="sori", prompt="CA"))
            project = await connection.result(AddProject(name="회사", folders=(str(docs),)))
            for _ in range(500):
                if not (await connection.result(ShowProject(project=project.id))).waiting:
                    break
                await asyncio.sleep(0.02)
            conversation = await connection.result(CreateConversation())
            await connection.result(ChooseProject(conversation=conversation, project="회사"))
            yield Talk(connection, deliveries, server, conversation)


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "leave.md").write_text("# 휴가\n연차는 15일이에요.\n", encoding="utf-8")
    (folder / "parking.txt").write_text("Parking costs 3,000 won a day.\n", encoding="utf-8")
    return folder


async def test_the_worked_example_comes_out_of_a_project_that_a_user_made(tmp_path: Path, docs: Path) -> None:
    file = Attachment(mime_type="text/plain", name="F.txt", data="내용 F".encode())
    async with talk_about(tmp_path / "home", docs) as talk:
        first = await talk.say("첫 질문", file)
        second = await talk.say("둘째 질문")
    assert f"{letters(first)}, A" == "S, CA, P, F, U, A"
    assert f"{letters(second)}, A" == "S, F, U, A, CA, P, U, A"
    assert first[0] == second[0], "the beginning of the prompt stays the same"
    (project,) = [_words(each) for each in second if _words(each).startswith(_PROJECT)]
    assert "연차는 15일이에요." in project
    assert "3,000 won" in project


async def test_a_smaller_model_is_sent_passages_and_the_user_is_told(tmp_path: Path, docs: Path) -> None:
    for number in range(60):
        (docs / f"{number}.md").write_text(
            f"# 문서 {number}\n\n" + f"{number}번 부서의 이야기예요. " * 40, encoding="utf-8"
        )
    facts = (ModelFacts(model="small-one", context_tokens=8_000, small=False),)
    async with talk_about(tmp_path / "home", docs, facts=facts) as talk:
        whole = await talk.say("주차 parking 요금은?")
        assert "project_cut" not in talk.statuses
        passages = await talk.say("주차 parking 요금이 얼마야?", model="mine/small-one")
        assert talk.statuses.count("project_cut") == 1
    sent = [next(_words(each) for each in request if '{"documents"' in _words(each)) for request in (whole, passages)]
    assert "59번 부서" in sent[0]
    assert "3,000 won" in sent[0]
    assert "3,000 won" in sent[1]
    assert len(sent[1]) < len(sent[0]) / 3


async def test_an_edited_document_is_answered_from_in_its_new_form(tmp_path: Path, docs: Path) -> None:
    async with talk_about(tmp_path / "home", docs) as talk:
        await talk.say("연차는?")
        (docs / "leave.md").write_text("연차는 20일이에요.\n", encoding="utf-8")
        for number in range(200):
            sent = await talk.say(f"연차는? {number}")
            if any("연차는 20일이에요." in _words(each) for each in sent):
                break
            await asyncio.sleep(0.1)
        assert not any("15일" in _words(each) for each in sent)


async def test_a_removed_project_is_sent_no_more_and_a_conversation_can_be_about_none(
    tmp_path: Path, docs: Path
) -> None:
    async with talk_about(tmp_path / "home", docs) as talk:
        ask = talk.connection.result
        known = await ask(ConversationProject(conversation=talk.conversation))
        assert known is not None
        assert known.name == "회사"
        await ask(ChooseProject(conversation=talk.conversation))
        assert "P" not in letters(await talk.say("하나"))
        await ask(ChooseProject(conversation=talk.conversation, project="회사"))
        assert "P" in letters(await talk.say("둘"))
        await ask(RemoveProject(project="회사"))
        assert "P" not in letters(await talk.say("셋"))
        assert await ask(ConversationProject(conversation=talk.conversation)) is None


async def test_an_agent_of_another_workspace_cannot_be_asked_about_a_project(tmp_path: Path, docs: Path) -> None:
    async with talk_about(tmp_path / "home", docs) as talk:
        ask = talk.connection.result
        await ask(AddWorkspace(name="home"))
        await ask(AddProject(name="비밀", folders=(str(docs),), workspace="home"))
        with pytest.raises(RefusedError) as refused:
            await ask(ChooseProject(conversation=talk.conversation, project="비밀"))
        assert refused.value.refusal.reason == "project_of_other_workspace"
