"""Older messages that a turn wants are found, and each message is looked at once as long as nothing has changed."""

from pathlib import Path

from assistant.core.messages import Message, Role
from assistant.storage.conversations import ConversationStore, Wanted
from tests.fakes.clock import FakeClock
from tests.fakes.new_database import open_database


class Picking:
    """A conversation whose orders are wanted, with what was looked at."""

    def __init__(self, store: ConversationStore, conversation: str) -> None:
        self._store, self.conversation = store, conversation
        self.looked_at: list[str] = []
        self._wanted = Wanted(newest=lambda _: 2, picks=self._picks)

    def _picks(self, text: str) -> bool:
        self.looked_at.append(text)
        return "order" in text

    async def says(self, *texts: str) -> list[Message]:
        return [
            await self._store.add(self.conversation, Message(role=role, text=text))
            for text in texts
            for role in (Role.USER, Role.ASSISTANT)
        ][::2]

    async def picked(self) -> tuple[str, ...]:
        self.looked_at.clear()
        return (await self._store.recent(self.conversation, self._wanted)).picked


async def test_a_message_is_looked_at_once(store: ConversationStore) -> None:
    it = Picking(store, await store.create())
    await it.says("a", "order b", "c", "d")
    assert await it.picked() == ("order b",)
    assert it.looked_at == ["a", "order b", "c"]
    assert await it.picked() == ("order b",)
    assert it.looked_at == []
    await it.says("order e", "f")
    assert await it.picked() == ("order b", "order e")
    assert it.looked_at == ["d", "order e"]


async def test_another_path_is_looked_at_anew(store: ConversationStore) -> None:
    it = Picking(store, await store.create())
    first, *_ = await it.says("order a", "b", "c", "d")
    assert await it.picked() == ("order a",)
    await store.add(it.conversation, Message(role=Role.USER, text="x"), instead=first.id)
    await it.says("order y", "z", "end")
    assert await it.picked() == ("order y",)
    assert await store.show_version(it.conversation, first.id)
    assert await it.picked() == ("order a",)


async def test_what_was_withdrawn_is_not_found(store: ConversationStore) -> None:
    it = Picking(store, await store.create())
    said = await it.says("order a", "order b", "c", "d")
    assert await it.picked() == ("order a", "order b")
    await store.withdraw([said[1].id])
    assert await it.picked() == ("order a",)


async def test_what_another_process_writes_is_found(store: ConversationStore, tmp_path: Path) -> None:
    it = Picking(store, await store.create())
    said = await it.says("order a", "b", "c", "d")
    assert await it.picked() == ("order a",)
    other = await open_database(tmp_path / "sori.db", FakeClock())
    try:
        await (await ConversationStore.open(other, FakeClock())).withdraw([said[0].id])
    finally:
        await other.close()
    assert await it.picked() == ()


async def test_conversations_are_kept_apart(store: ConversationStore) -> None:
    one, two = Picking(store, await store.create()), Picking(store, await store.create())
    await one.says("order a", "b", "c")
    await two.says("order d", "e", "f")
    assert await one.picked() == ("order a",)
    assert await two.picked() == ("order d",)
    assert await one.picked() == ("order a",)
