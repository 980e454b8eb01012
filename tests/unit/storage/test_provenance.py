"""A conversation with content from outside stays marked: after a restart, in branches, in imports."""

import json
from pathlib import Path

import pytest

from assistant.core.machine.effects import Origin
from assistant.core.messages import Message, Role
from assistant.core.records.provenance import OWN_WORDS, Provenance
from assistant.storage.conversation_list import ConversationList
from assistant.storage.conversations import ConversationStore, Wanted
from assistant.storage.database import Database
from assistant.storage.stored_message import StoredMessage
from tests.fakes.clock import FakeClock
from tests.fakes.importing import import_file

OUTSIDE = Provenance(outside=True)


async def provenance_of(database: Database, conversation: str) -> Provenance:
    store = ConversationStore(database, FakeClock())
    return (await store.recent(conversation, Wanted(newest=lambda count: count))).provenance


async def test_own_words_stay_clean_and_a_pasted_message_marks(database: Database) -> None:
    store = ConversationStore(database, FakeClock())
    conversation = await store.create()
    for outside, expected in ((False, OWN_WORDS), (True, OUTSIDE), (False, OUTSIDE)):
        said = Message(role=Role.USER, text="안녕")
        await store.ask(conversation, said, Wanted(newest=lambda count: count), outside=outside)
        assert await provenance_of(database, conversation) == expected


async def test_neither_value_ever_falls_and_a_branch_copies_both(database: Database) -> None:
    store = ConversationStore(database, FakeClock())
    conversation = await store.create()
    said = await store.add(conversation, Message(role=Role.USER, text="읽어 줘"))
    row = StoredMessage.of(said, conversation, Origin.TEXT)
    for grown in (Provenance(outside=True, told_bits=4.3), Provenance(told_bits=1.0), OWN_WORDS):
        await store.save([row], grown=(conversation, grown))
        assert await provenance_of(database, conversation) == Provenance(outside=True, told_bits=4.3)
    branch = await ConversationList(database, FakeClock()).branch(conversation, said.id)
    assert await provenance_of(database, branch) == Provenance(outside=True, told_bits=4.3)


@pytest.mark.parametrize("form", ["sori", "chatgpt"])
async def test_an_imported_conversation_is_somebody_elses(database: Database, tmp_path: Path, form: str) -> None:
    at = "2026-01-01T00:00:00+00:00"
    message = {"id": "m1", "role": "user", "created_at": at, "text": "안녕"}
    own = {"id": "c1", "created_at": at, "messages": [message]}
    node: dict[str, object] = {
        "id": "n",
        "parent": None,
        "children": [],
        "message": {
            "id": "n",
            "author": {"role": "user"},
            "create_time": 1.0,
            "content": {"content_type": "text", "parts": ["안녕"]},
        },
    }
    foreign = [{"id": "g1", "title": "t", "create_time": 1.0, "current_node": "n", "mapping": {"n": node}}]
    whole = {"format": "sori-conversations", "version": 2, "conversations": [own]} if form == "sori" else foreign
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps(whole))
    report = await import_file(database, file)
    assert report.added == 1
    (conversation,) = await ConversationStore(database, FakeClock()).ids()
    assert await provenance_of(database, conversation) == OUTSIDE
