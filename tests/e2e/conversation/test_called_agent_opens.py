"""The whole engine, when somebody calls an agent by its name; what is heard is scripted."""

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.agent.workspaces.current import CurrentAgent
from assistant.agent.workspaces.directory import Workspaces
from assistant.core import updates as up
from assistant.core.errors import StorageError
from assistant.core.records.agents import AgentId, AgentShown
from assistant.engine.hearing import Hearing
from assistant.engine.voice_wiring import Engines
from assistant.host.places import Places
from assistant.storage.conversations import ConversationStore
from assistant.voice.session.session import Session
from tests.e2e.conversation.running_engine import LIMIT_S, running, settings_for
from tests.fakes.clock import FakeClock

SECRETARY = AgentId(workspace="work", name="secretary")


def test_the_called_agent_becomes_the_current_one_and_its_conversation_opens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspaces = Workspaces(Places(tmp_path).workspaces, FakeClock(), lambda: 2_000)
    workspaces.add_workspace("work")
    workspaces.add_agent(SECRETARY, {"wake_phrase": "김비서"})
    open_then: list[str] = []
    answered = threading.Event()

    async def run(_: Hearing, session: Session, _serve: Callable[[Engines], None]) -> None:
        assert session.calls is not None
        await session.calls.refresh(session.conversation)
        called = session.calls.find("김비서, 일정 알려 줘")
        assert called is not None
        await session.calls.answer(called)
        open_then.append(session.conversation)
        answered.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(Hearing, "run", run)
    with running(tmp_path, settings_for("http://127.0.0.1:1/v1")) as (_, shown):
        opened = shown.until(up.ConversationOpened, lambda update: update.agent.name == "secretary")
        assert answered.wait(LIMIT_S)
    assert opened.agent == AgentShown(name="secretary", workspace="work")
    assert open_then == [opened.conversation]
    assert CurrentAgent(Places(tmp_path).current_agent).get() == SECRETARY


def test_a_call_fails_if_no_conversation_can_be_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the agent of the open conversation would answer in place of the one that was called."""
    workspaces = Workspaces(Places(tmp_path).workspaces, FakeClock(), lambda: 2_000)
    workspaces.add_workspace("work")
    workspaces.add_agent(SECRETARY, {"wake_phrase": "김비서"})
    errors: list[Exception] = []
    answered = threading.Event()

    async def fail(*_arguments: object) -> None:
        raise StorageError("sori.db", "disk I/O error")

    async def run(_: Hearing, session: Session, _serve: Callable[[Engines], None]) -> None:
        assert session.calls is not None
        await session.calls.refresh(session.conversation)
        called = session.calls.find("김비서, 일정 알려 줘")
        assert called is not None
        monkeypatch.setattr(ConversationStore, "give_to_current", fail)
        try:
            await session.calls.answer(called)
        except StorageError as error:
            errors.append(error)
        answered.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(Hearing, "run", run)
    with running(tmp_path, settings_for("http://127.0.0.1:1/v1")):
        assert answered.wait(LIMIT_S)
    assert len(errors) == 1
