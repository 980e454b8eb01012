import asyncio
import json
import os
import sys
from pathlib import Path

import pytest

from assistant.core.errors import StorageError
from assistant.core.machine.effects import Origin
from assistant.core.messages import Attachment, Completion, Message, Role, Summary, ToolUse
from assistant.core.records.agents import AgentId
from assistant.core.records.usage import Exchange
from assistant.storage.conversation_list import ConversationList
from assistant.storage.conversations import ConversationStore
from assistant.storage.database import Database
from assistant.storage.records.usage import UsageStore
from assistant.storage.stored_message import StoredMessage
from tests.fakes.clock import FakeClock
from tests.fakes.new_database import open_database


def growing(conversation: str, text: str) -> StoredMessage:
    return StoredMessage(
        id="answer",
        conversation=conversation,
        role=Role.ASSISTANT,
        text=text,
        completion=Completion.STREAMING,
        created_at="2026-11-22T15:05:00+09:00",
    )


async def test_a_message_comes_back_as_it_was_saved(store: ConversationStore) -> None:
    conversation = await store.create()
    user = await store.add(conversation, Message(role=Role.USER, text="지금 몇 시야? 🕒"), origin=Origin.VOICE)
    call = Message(
        role=Role.ASSISTANT,
        text="",
        provider="acme",
        model="m",
        tool_uses=(ToolUse(id="1", name="current_time", arguments={"timezone": "Asia/Seoul"}),),
    )
    result = Message(role=Role.TOOL, text="15:05", tool_use_id="1")
    saved = [user, await store.add(conversation, call), await store.add(conversation, result)]
    assert user.id
    assert user.created_at == "2026-11-22T15:05:00+09:00"
    assert await store.messages(conversation) == tuple(saved)
    assert await store.messages(conversation, limit=2) == tuple(saved[1:])
    assert await store.count(conversation) == 3


async def test_a_summary_is_kept_with_its_conversation_and_replaced_by_the_next(store: ConversationStore) -> None:
    conversation, other = await store.create(), await store.create()
    said = [await store.add(conversation, Message(role=Role.USER, text=str(number))) for number in range(4)]
    assert await store.summary(conversation) == Summary()
    for last in (1, 2):
        kept = Summary(text=f"- 요약 {last} \udcff", until=said[last].id)
        await store.keep_summary(conversation, kept)
        assert await store.summary(conversation) == Summary(text=f"- 요약 {last} ?", until=said[last].id)
    assert await store.summary(other) == await store.summary("nowhere") == Summary()
    assert await store.messages(conversation, after=said[1].id) == tuple(said[2:])
    assert await store.messages(conversation, 1, after=said[1].id) == (said[3],)
    assert await store.count(conversation, after=said[1].id) == 2
    assert await store.count(conversation, after="no such message") == 4


async def test_a_growing_message_is_replaced_in_its_place(store: ConversationStore) -> None:
    conversation = await store.create()
    await store.save([growing(conversation, "안녕")], durable=False)
    await store.add(conversation, Message(role=Role.USER, text="다음"))
    await store.save([growing(conversation, "안녕하세요")])
    assert [message.text for message in await store.messages(conversation)] == ["안녕하세요", "다음"]


async def test_messages_are_saved_with_what_was_used_for_them_and_without_it_if_that_cannot_be_kept(
    store: ConversationStore, database: Database, clock: FakeClock
) -> None:
    conversation = await store.create()
    used = Exchange(
        id="e",
        at="2026-11-22T15:05:00+09:00",
        conversation=conversation,
        provider="mine",
        model="m",
        input=10,
        output=2,
        cached=0,
        total=12,
        first_token_ms=None,
        total_ms=5.0,
        requests=1,
        tool_calls=0,
        outcome="complete",
        agent="default/sori",
    )
    await store.save([growing(conversation, "하나")], exchanges=[used])
    assert await UsageStore(database, clock).exchanges() == (used,)
    await database.write(lambda connection: connection.execute("DROP TABLE exchanges"))
    await store.save([growing(conversation, "하나 둘")], exchanges=[used])
    assert [message.text for message in await store.messages(conversation)] == ["하나 둘"]


async def test_a_page_begins_with_a_message_of_the_users(store: ConversationStore) -> None:
    conversation = await store.create()
    said = []
    for number in range(4):
        said.append(await store.add(conversation, Message(role=Role.USER, text=f"q{number}")))
        said.append(await store.add(conversation, Message(role=Role.ASSISTANT, text=f"a{number}")))

    newest, more = await store.page(conversation, 3)
    middle, still_more = await store.page(conversation, 2, before=newest[0].id)
    oldest, nothing_more = await store.page(conversation, 2, before=middle[0].id)

    assert newest == tuple(said[4:])
    assert middle == tuple(said[2:4])
    assert oldest == tuple(said[:2])
    assert (more, still_more, nothing_more) == (True, True, False)
    assert await store.page("nowhere", 3) == ((), False)


async def test_a_page_of_what_sori_says_by_itself_has_a_beginning_too(store: ConversationStore) -> None:
    conversation = await store.create()
    rung = [await store.add(conversation, Message(role=Role.ASSISTANT, text=str(number))) for number in range(3)]
    assert await store.page(conversation, 2) == (tuple(rung), False)


async def test_a_message_of_no_conversation_is_refused(store: ConversationStore) -> None:
    assert not await store.exists("nowhere")
    with pytest.raises(StorageError):
        await store.add("nowhere", Message(role=Role.USER, text="?"))


async def test_lone_surrogates_do_not_stop_a_message(store: ConversationStore) -> None:
    conversation = await store.create()
    await store.add(conversation, Message(role=Role.USER, text="bad \udcff byte"))
    assert [message.text for message in await store.messages(conversation)] == ["bad ? byte"]


async def test_what_was_heard_of_an_interrupted_message_is_kept_beside_its_text(store: ConversationStore) -> None:
    conversation = await store.create()
    message = await store.add(conversation, Message(role=Role.ASSISTANT, text="하나 둘 셋"))
    await store.mark_interrupted([(message.id, "하나")])
    (read,) = await store.messages(conversation)
    assert (read.text, read.heard, read.completion) == ("하나 둘 셋", "하나", Completion.INTERRUPTED)


async def test_messages_that_are_withdrawn_are_gone_with_their_files(
    database: Database, store: ConversationStore
) -> None:
    conversation = await store.create()
    file = Attachment(mime_type="text/plain", name="a.txt", data=b"a")
    half = await store.add(conversation, Message(role=Role.USER, text="내일 서울", attachments=(file,)))
    answer = await store.add(conversation, Message(role=Role.ASSISTANT, text="네?"))
    kept = await store.add(conversation, Message(role=Role.USER, text="내일 서울 날씨 어때?"))
    await store.withdraw([half.id, answer.id])
    assert [message.id for message in await store.messages(conversation)] == [kept.id]
    query = "SELECT COUNT(*) FROM attachments"
    assert await database.read(lambda connection: connection.execute(query).fetchone()) == (0,)


async def test_an_unreadable_row_is_named(database: Database, store: ConversationStore) -> None:
    conversation = await store.create()
    message = await store.add(conversation, Message(role=Role.USER, text="a"))
    await database.write(lambda connection: connection.execute("UPDATE messages SET role = 'ghost'"))
    with pytest.raises(StorageError, match=message.id) as caught:
        await store.messages(conversation)
    assert caught.value.path == str(database.path)


CRASH = """
import asyncio, json, os, pathlib, sys
from assistant.core.messages import Completion, Message, Role
from assistant.storage.conversation_list import ConversationList
from assistant.storage.conversations import ConversationStore
from assistant.storage.database import Database
from tests.fakes.clock import FakeClock
from tests.unit.storage.test_conversations import growing

def say(**what):
    print(json.dumps(what), flush=True)

async def main():
    clock = FakeClock()
    store = await ConversationStore.open(await Database.open(pathlib.Path(sys.argv[1]), clock), clock)
    conversation = await store.create()
    number = 0
    while True:
        number += 1
        message = await store.add(conversation, Message(role=Role.USER, text=f"sent {number}"))
        say(kind="sent", text=message.text)
        text = ""
        for word in range(5):
            text += f"word {number}.{word} "
            await store.save([growing(conversation, text)], durable=False)
            say(kind="shown", text=text)
        await store.add(conversation, Message(role=Role.ASSISTANT, text=f"finished {number}"))
        say(kind="finished", text=f"finished {number}")

asyncio.run(main())
"""


async def test_a_kill_loses_nothing_that_was_shown_as_sent_or_finished(tmp_path: Path) -> None:
    path = tmp_path / "sori.db"
    root = Path(__file__).parents[3]
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-c", CRASH, str(path)),
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(root)},
    )
    assert process.stdout is not None
    shown = [json.loads(await process.stdout.readline()) for _ in range(40)]
    process.kill()
    rest = await process.stdout.read()
    await process.wait()
    shown += [json.loads(line) for line in rest.splitlines(keepends=True) if line.endswith(b"}\n")]

    clock = FakeClock()
    database = await open_database(path, clock)
    assert database.set_aside is None
    store = await ConversationStore.open(database, clock)
    latest = await ConversationList(database, clock).last_open()
    assert latest is not None
    messages = await store.messages(latest)
    whole = {message.text for message in messages if message.completion is Completion.COMPLETE}
    assert {each["text"] for each in shown if each["kind"] in ("sent", "finished")} <= whole
    (cut_off,) = [message for message in messages if message.id == "answer"]
    assert cut_off.completion is Completion.INCOMPLETE
    assert cut_off.error == "incomplete"
    last_shown = [each["text"] for each in shown if each["kind"] == "shown"][-1]
    assert cut_off.text.startswith(last_shown) or cut_off.text.split()[1] > last_shown.split()[1]
    await database.close()


async def test_what_another_running_process_writes_is_not_taken_for_a_crash(
    tmp_path: Path, store: ConversationStore, database: Database
) -> None:
    conversation = await store.create()
    await store.save([growing(conversation, "아직")], durable=False)
    second = await open_database(tmp_path / "sori.db", FakeClock())
    assert not second.alone
    other = await ConversationStore.open(second, FakeClock())
    assert [message.completion for message in await other.messages(conversation)] == [Completion.STREAMING]
    await second.close()


async def test_a_conversation_remembers_the_model_that_it_chose(store: ConversationStore) -> None:
    conversation, other = await store.create(), await store.create()
    await store.choose_model(conversation, "mine/m")
    assert (await store.chosen_model(conversation), await store.chosen_model(other)) == ("mine/m", "")
    await store.choose_model(conversation, "")
    assert await store.chosen_model(conversation) == ""


async def test_only_what_models_answered_to_the_newest_request_is_superseded(store: ConversationStore) -> None:
    conversation = await store.create()
    assert await store.newest_request(conversation) is None

    async def answered(identity: str, provider: str) -> None:
        message = StoredMessage(
            id=identity,
            conversation=conversation,
            role=Role.ASSISTANT,
            text="답",
            provider=provider,
            created_at="2026-11-22T15:05:00+09:00",
        )
        await store.save([message])

    await store.add(conversation, Message(role=Role.USER, text="하나"))
    await answered("first", "mine")
    newest = await store.add(conversation, Message(role=Role.USER, text="둘"))
    await answered("second", "mine")
    await answered("a timer that rang", "")
    assert await store.newest_request(conversation) == newest
    await store.supersede(conversation)
    assert [each.id for each in await store.messages(conversation) if each.superseded] == ["second"]


async def test_a_conversation_belongs_to_the_agent_that_was_current_when_it_began(
    database: Database, clock: FakeClock
) -> None:
    current = AgentId(workspace="집", name="요리사")
    store = ConversationStore(database, clock, current_agent=lambda: current)
    own, given = await store.create(), await store.create(AgentId(name="coach"))
    assert await store.agent_of(own) == AgentId(workspace="집", name="요리사")
    assert await store.agent_of(given) == AgentId(name="coach")
    current = AgentId()
    await store.give_to_current(own)
    assert await store.agent_of(own) == AgentId()
