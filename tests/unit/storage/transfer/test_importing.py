import asyncio
import base64
import json
import zipfile
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from assistant.core.errors import SoriError
from assistant.core.machine.effects import Origin
from assistant.core.messages import Attachment, Completion, Message, Role, Summary, ToolUse
from assistant.core.records.agents import AgentId
from assistant.core.service.requests.conversations import ImportedConversations
from assistant.storage.conversation_list import ConversationList
from assistant.storage.conversations import ConversationStore
from assistant.storage.database import Database
from assistant.storage.stored_message import StoredMessage
from assistant.storage.transfer import sori_format
from assistant.storage.transfer.exporting import portable
from assistant.storage.transfer.portable import PortableConversation
from tests.fakes.clock import FakeClock
from tests.fakes.importing import import_file
from tests.fakes.new_database import open_database
from tests.unit.storage.transfer.test_foreign import chatgpt, claude, librechat, lm_studio, open_webui

SAID = "강릉\r\n🌊\u2028끝 "
AT = "2026-11-22T15:05:00+09:00"


@dataclass(frozen=True)
class Shelf:
    database: Database
    folder: Path

    @property
    def store(self) -> ConversationStore:
        return ConversationStore(self.database, FakeClock())

    @property
    def conversations(self) -> ConversationList:
        return ConversationList(self.database, FakeClock())

    async def take(self, content: Any, name: str = "export.json") -> ImportedConversations:
        path = self.folder / name
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return await import_file(self.database, path)

    async def exported(self, conversation: str) -> str:
        found = await portable(self.database, self.store, conversation)
        assert found is not None
        return await asyncio.to_thread(file_of, found)


def file_of(*conversations: PortableConversation) -> str:
    said = ",\n".join(map(sori_format.to_json, conversations))
    return f"{sori_format.beginning(AT)}{said}{sori_format.ending()}"


@pytest.fixture
def shelf(database: Database, tmp_path: Path) -> Shelf:
    return Shelf(database, tmp_path)


@pytest.fixture
async def other(tmp_path: Path) -> AsyncIterator[Shelf]:
    opened = await open_database(tmp_path / "other" / "sori.db", FakeClock())
    yield Shelf(opened, tmp_path)
    await opened.close()


def message(identity: str, conversation: str, text: str, **others: Any) -> StoredMessage:
    values: dict[str, Any] = {"role": Role.USER, "created_at": AT, **others}
    return StoredMessage(id=identity, conversation=conversation, text=text, **values)


async def filled(shelf: Shelf) -> str:
    """A conversation that has something in every column."""
    conversation = await shelf.store.create(AgentId(workspace="집", name="정원사"))
    photo = Attachment(mime_type="image/png", name="바다.png", data=bytes(range(256)))
    await shelf.store.save(
        [
            message("a" * 32, conversation, SAID, origin=Origin.VOICE, attachments=(photo,)),
            message(
                "b" * 32,
                conversation,
                "바다가",
                role=Role.ASSISTANT,
                reasoning="생각",
                heard="바다",
                completion=Completion.INTERRUPTED,
                error="cut",
                error_text="연결이 끊겼습니다.",
                provider="openai",
                model="m",
                tool_uses=(ToolUse(id="1", name="clock", arguments={"zone": "Asia/Seoul", "n": 1.5}),),
                usage={"input": 3},
                signatures=({"type": "thinking", "signature": "s"},),
                superseded=True,
            ),
            message("c" * 32, conversation, '{"at": 1}', role=Role.TOOL, tool_use_id="1"),
        ]
    )
    await shelf.conversations.rename(conversation, "여행")
    await shelf.store.choose_model(conversation, "openai/m")
    await shelf.store.keep_summary(conversation, Summary(text="요약", until="b" * 32))
    return conversation


async def test_what_is_exported_is_the_same_after_an_import(shelf: Shelf, other: Shelf) -> None:
    conversation = await filled(shelf)
    text = await shelf.exported(conversation)
    report = await other.take(text)
    assert (report.added, report.messages) == (1, 3)
    assert await other.exported(conversation) == text


async def test_a_second_import_adds_nothing(shelf: Shelf) -> None:
    content = [chatgpt(), claude()]
    first = await shelf.take(content)
    second = await shelf.take(content)
    assert (first.added, first.messages, first.left_out, first.known) == (2, 6, 3, 0)
    assert (second.added, second.known, second.grown) == (0, 2, 0)
    assert len(await shelf.conversations.entries()) == 2


async def test_messages_that_a_known_conversation_got_later_are_counted(shelf: Shelf) -> None:
    grown = chatgpt()
    nodes = {key: value for key, value in grown["mapping"].items() if key not in ("photo", "hidden")}
    first = await shelf.take([chatgpt(mapping=nodes, current_node="answer")])
    second = await shelf.take([grown])
    assert (first.messages, second.added, second.known, second.grown) == (2, 0, 1, 1)


async def test_a_deleted_conversation_comes_back_once(shelf: Shelf) -> None:
    conversation = await filled(shelf)
    text = await shelf.exported(conversation)
    await shelf.conversations.delete(conversation)
    await shelf.conversations.purge(conversation)
    assert (await shelf.take(text)).added == 1
    assert (await shelf.take(text)).known == 1
    (entry,) = await shelf.conversations.entries()
    assert entry.title == "여행"
    assert [each.text for each in await shelf.store.messages(entry.id)] == [
        SAID,
        "바다가",
        '{"at": 1}',
    ]
    assert (await shelf.store.summary(entry.id)).text == "요약"


async def test_messages_that_another_conversation_has_get_ids_of_their_own(shelf: Shelf) -> None:
    conversation = await filled(shelf)
    text = await shelf.exported(conversation)
    assert (await shelf.take(text.replace(conversation, "f" * 32))).added == 1
    assert len(await shelf.store.messages("f" * 32)) == len(await shelf.store.messages(conversation)) == 3


async def test_imported_conversations_stand_in_the_list_by_the_times_of_their_messages(shelf: Shelf) -> None:
    await shelf.take([claude(), chatgpt(conversation_id="c-2", title="옛날")])
    here = await shelf.store.create()
    await shelf.store.add(here, Message(role=Role.USER, text="오늘"))
    assert [entry.title for entry in await shelf.conversations.entries()] == ["오늘", "강릉", "옛날"]


@pytest.mark.parametrize("name", ["conversations.json", "folder/conversations.json", "conversations-001.json"])
async def test_an_archive_is_read_without_unpacking_it(shelf: Shelf, name: str) -> None:
    path = shelf.folder / "export.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, json.dumps([chatgpt()]))
        archive.writestr("user.json", "{}")
    report = await import_file(shelf.database, path)
    assert report.added == 1


@pytest.mark.parametrize("name", ["file-1-바다.png", "user/file-1.webp"])
async def test_the_pictures_of_an_archive_are_taken_and_those_that_are_not_there_are_counted(
    shelf: Shelf, name: str
) -> None:
    path = shelf.folder / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("conversations.json", json.dumps([chatgpt(), chatgpt(conversation_id="c-2", title="")]))
        archive.writestr("file-12-other.png", b"another one")
        archive.writestr(name, b"the sea")
    whole = await import_file(shelf.database, path)
    assert whole.left_out == 0
    entry = (await shelf.conversations.entries())[0]
    (asked,) = [each for each in await shelf.store.messages(entry.id) if each.text == "여기는?"]
    assert [(each.name, each.read()) for each in asked.attachments] == [(name.rpartition("/")[2], b"the sea")]


async def test_a_picture_that_is_damaged_costs_no_message(shelf: Shelf) -> None:
    path = shelf.folder / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("file-1.png", b"the sea, the sea, the sea")
        archive.writestr("conversations.json", json.dumps([chatgpt()]))
    content = path.read_bytes()
    path.write_bytes(content.replace(b"the sea, the", b"the lie, the", 1))
    report = await import_file(shelf.database, path)
    assert (report.messages, report.left_out) == (3, 1)


async def test_a_truncated_file_names_the_place_and_what_was_whole_before_stays(shelf: Shelf) -> None:
    whole = json.dumps([chatgpt(), claude()], indent=1)
    with pytest.raises(SoriError) as caught:
        await shelf.take(whole[:-40])
    assert caught.value.reason == "import_broken"
    assert caught.value.values["file"] == "export.json"
    assert int(caught.value.values["line"]) > 100
    assert [entry.title for entry in await shelf.conversations.entries()] == ["강릉"]
    assert (await shelf.take(whole)).added == 1


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\xff\xfe not text", "import_not_export"),
        (b"PK\x03\x04 no archive", "import_damaged"),
        (b"words", "import_broken"),
        (b'{"format": "sori-conversations", "version": 3, "conversations": [{}]}', "import_newer"),
    ],
)
async def test_a_file_that_is_no_export_is_refused_with_its_name(shelf: Shelf, content: bytes, reason: str) -> None:
    path = shelf.folder / "notes.json"
    path.write_bytes(content)
    with pytest.raises(SoriError) as caught:
        await import_file(shelf.database, path)
    assert caught.value.reason == reason
    assert "notes.json" in caught.value.values["file"]


async def test_an_archive_without_conversations_or_with_damage_is_refused(shelf: Shelf) -> None:
    path = shelf.folder / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("user.json", "{}")
    with pytest.raises(SoriError, match=r"no conversations\.json"):
        await import_file(shelf.database, path)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", json.dumps([chatgpt()] * 50))
    content = bytearray(path.read_bytes())
    content[200:260] = bytes(60)
    path.write_bytes(content)
    with pytest.raises(SoriError) as caught:
        await import_file(shelf.database, path)
    assert caught.value.reason in {"import_damaged", "import_broken"}


async def test_a_missing_file_is_named(shelf: Shelf) -> None:
    with pytest.raises(SoriError) as caught:
        await import_file(shelf.database, shelf.folder / "none.json")
    assert caught.value.reason == "import_unreadable"


@pytest.mark.parametrize(
    ("key", "value", "place"),
    [
        ("role", "robot", "messages[1].role"),
        ("created_at", "yesterday", "messages[1].created_at"),
        ("text", 5, "messages[1].text"),
        ("attachments", [{"name": "a", "mime_type": "b", "data": "?"}], "messages[1].attachments[0].data"),
        ("usage", {"input": "x"}, "messages[1].usage.input"),
        ("superseded", "no", "messages[1].superseded"),
    ],
)
async def test_a_conversation_of_another_form_is_skipped_whole_and_the_rest_is_taken(
    shelf: Shelf, other: Shelf, key: str, value: object, place: str
) -> None:
    conversation = await filled(shelf)
    good = json.loads(await shelf.exported(conversation))
    bad = json.loads(json.dumps(good["conversations"][0]).replace(conversation, "f" * 32))
    bad["messages"][1][key] = value
    report = await other.take({**good, "conversations": [bad, good["conversations"][0]]})
    assert (report.added, report.invalid) == (1, (f"export.json: conversations[0].{place}",))
    assert [entry.id for entry in await other.conversations.entries()] == [conversation]


@pytest.mark.parametrize("name", ["../up", "a/b", ".hidden", "C:x"])
async def test_an_agent_whose_name_leads_elsewhere_is_refused(shelf: Shelf, name: str) -> None:
    content = json.loads(await shelf.exported(await filled(shelf)))
    content["conversations"][0].update(id="f" * 32, agent=name)
    assert (await shelf.take(content)).invalid == ("export.json: conversations[0].agent",)


async def test_an_answer_that_was_being_written_is_incomplete_after_the_import(shelf: Shelf, other: Shelf) -> None:
    conversation = await shelf.store.create()
    await shelf.store.save([message("a" * 32, conversation, "바다", completion=Completion.STREAMING)])
    await other.take(await shelf.exported(conversation))
    assert [each.completion for each in await other.store.messages(conversation)] == [Completion.INCOMPLETE]


def test_files_are_written_as_base64() -> None:
    photo = Attachment(mime_type="image/png", name="a", data=b"\x00\xff")
    said = PortableConversation(id="c", created_at=AT, messages=(message("m", "c", "", attachments=(photo,)),))
    assert (
        json.loads(sori_format.to_json(said))["messages"][0]["attachments"][0]["data"]
        == base64.b64encode(b"\x00\xff").decode()
    )


@pytest.mark.parametrize("one", [chatgpt, claude, open_webui, librechat, lm_studio])
async def test_a_file_with_one_conversation_is_taken_like_a_list(
    shelf: Shelf, one: Callable[[], dict[str, Any]]
) -> None:
    report = await shelf.take(one())
    assert (report.added, report.invalid, report.unknown) == (1, (), ())
    again = await shelf.take([one()])
    assert (again.added, again.known) == (0, 1)


async def test_what_has_no_time_gets_that_of_what_was_before_it_or_of_the_import(shelf: Shelf) -> None:
    value = open_webui(created_at=None)
    for each in value["chat"]["history"]["messages"].values():
        del each["timestamp"]
    await shelf.take(value)
    (entry,) = await shelf.conversations.entries()
    now = FakeClock().now().isoformat()
    assert {each.created_at for each in await shelf.store.messages(entry.id)} == {now}


async def test_json_of_no_known_program_is_counted_and_called_no_damage(shelf: Shelf) -> None:
    report = await shelf.take([{"a": 1}, chatgpt(), "x", 3])
    assert (report.added, report.unknown) == (1, tuple(f"export.json: conversations[{number}]" for number in (0, 2, 3)))
    report = await shelf.take({"settings": {}})
    assert (report.added, report.unknown) == (0, ("export.json",))


@pytest.mark.parametrize(
    ("value", "program"),
    [
        ([{"header": "Gemini Apps", "title": "Said hello", "products": ["Gemini Apps"], "time": AT}], "Gemini"),
        ({"conversations": [{"conversation": {"id": "g"}, "responses": []}]}, "Grok"),
    ],
)
async def test_an_export_that_is_known_and_not_read_is_refused_by_name(shelf: Shelf, value: Any, program: str) -> None:
    with pytest.raises(SoriError) as caught:
        await shelf.take(value)
    assert (caught.value.message_key, caught.value.values["program"]) == ("error.import_unread", program)
