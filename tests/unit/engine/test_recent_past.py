"""The recent past of a conversation: that of its workspace, without what Sori answered by itself."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from assistant.chat.scheduled.book import ScheduledRequests
from assistant.chat.timers import Timers
from assistant.core.messages import Message, Role
from assistant.core.records.agents import AgentId
from assistant.engine.rooms.recent_past import WorkspacePast
from assistant.storage.conversation_list import ConversationList
from assistant.storage.conversations import ConversationStore
from assistant.storage.database import Database
from assistant.storage.timers import Job
from tests.fakes.clock import START, FakeClock
from tests.unit.knowledge.projects.conftest import opened


async def test_only_the_workspace_of_the_conversation_is_told(
    tmp_path: Path, database: Database, clock: FakeClock, timers: Timers
) -> None:
    store = await ConversationStore.open(database, clock)
    made = {}
    for title, workspace in (("회의록", "default"), ("뉴스", "default"), ("선물", "집")):
        made[title] = await store.create(AgentId(workspace=workspace))
        await store.add(made[title], Message(role=Role.USER, text=title))
    book = ScheduledRequests(timers, clock)
    request = await book.add_at("뉴스 읽어 줘", "매일 8시", "ko", repeat="", except_on=(), own=True)
    await timers.put(replace(request, job=replace(request.job or Job(), conversation=made["뉴스"])))
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("a", encoding="utf-8")
    async with opened(tmp_path / "home") as projects:
        for workspace in ("default", "집"):
            await projects.add(f"자료 {workspace}", workspace, [str(tmp_path / "docs")])
        past = WorkspacePast(
            conversations=store,
            entries=ConversationList(database, clock),
            projects=projects,
            requests=timers.requests,
        )
        for title, workspace in (("회의록", "default"), ("선물", "집")):
            asking = await store.create(AgentId(workspace=workspace))
            await store.add(asking, Message(role=Role.USER, text="브리핑"))
            week = START - timedelta(days=7)
            assert [each.title for each in await past.talked_about(asking, week)] == [title]
            assert [each.project for each in await past.changes(asking, week)] == [f"자료 {workspace}"]
