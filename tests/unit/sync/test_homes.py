"""Homes that sync one account: what one has the others get, nothing is lost, and all end alike."""

import asyncio
import itertools
import json
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest

from assistant.core.errors import StorageError
from assistant.core.messages import Attachment, Completion, Message, Role
from assistant.core.records.people import Person
from assistant.core.records.sync import SyncStanding, SyncState
from assistant.storage.base_prompts import BasePromptStore
from assistant.storage.stored_message import StoredMessage
from assistant.storage.sync.differences import FILE, SyncDifferences
from assistant.storage.sync.inbox import NewerSoriError
from assistant.sync.sealing import UnopenedError
from assistant.sync.store import Change, Sealed
from tests.fakes.clock import START
from tests.fakes.sync.account import KEYS, Home, MemoryAccount

TABLES = ("conversations", "messages", "people", "tombstones")


@pytest.fixture
def account() -> MemoryAccount:
    return MemoryAccount()


@pytest.fixture
async def open_home(tmp_path: Path, account: MemoryAccount) -> AsyncIterator[Callable[..., Awaitable[Home]]]:
    homes: list[Home] = []

    async def opened(name: str, skew_min: float = 0) -> Home:
        homes.append(await Home.open(tmp_path / name, account, START + timedelta(minutes=skew_min)))
        return homes[-1]

    yield opened
    for home in homes:
        await home.database.close()


@pytest.fixture
async def laptop(open_home: Callable[..., Awaitable[Home]]) -> Home:
    return await open_home("laptop")


@pytest.fixture
async def desktop(open_home: Callable[..., Awaitable[Home]]) -> Home:
    return await open_home("desktop")


async def said(home: Home, text: str, conversation: str = "") -> str:
    """Say something in a conversation; its id."""
    conversation = conversation or await home.conversations.create()
    await home.conversations.add(conversation, Message(role=Role.USER, text=text))
    return conversation


async def texts(home: Home, conversation: str) -> list[str]:
    return [each.text for each in await home.conversations.messages(conversation)]


async def test_a_conversation_goes_on_at_the_other_device(laptop: Home, desktop: Home) -> None:
    conversation = await said(laptop, "우유 사야 해")
    await laptop.list.rename(conversation, "장보기")
    await laptop.sync()
    await desktop.sync()
    assert await texts(desktop, conversation) == ["우유 사야 해"]
    assert [each.title for each in await desktop.list.entries()] == ["장보기"]
    await said(desktop, "계란도", conversation)
    await desktop.sync()
    await laptop.sync()
    assert await texts(laptop, conversation) == ["우유 사야 해", "계란도"]
    assert await laptop.rows("messages") == await desktop.rows("messages")


async def test_what_was_there_before_is_sent_and_both_keep_all(laptop: Home, desktop: Home) -> None:
    first = [await said(home, f"old {number}") for number, home in enumerate((laptop, desktop))]
    for home in (laptop, desktop, laptop):
        await home.sync()
    for home in (laptop, desktop):
        assert {each.id for each in await home.list.entries()} == set(first)


async def test_the_server_sees_nothing_of_the_content(laptop: Home, account: MemoryAccount) -> None:
    conversation = await said(laptop, "비밀이야")
    laptop.file("memory/user.md").write_text("- 비밀 주소\n")
    await laptop.sync()
    for record in account.records.values():
        assert "비밀".encode() not in record.content
        assert conversation.encode() not in record.identity + record.content
    assert len(account.records) == 3


async def test_files_of_messages_travel_with_them(laptop: Home, desktop: Home) -> None:
    conversation = await laptop.conversations.create()
    picture = Attachment(mime_type="image/png", data=bytes(range(256)), name="그림.png")
    await laptop.conversations.add(conversation, Message(role=Role.USER, text="봐", attachments=(picture,)))
    await laptop.sync()
    await desktop.sync()
    (message,) = await desktop.conversations.messages(conversation)
    (file,) = message.attachments
    assert file.name == "그림.png"
    assert await asyncio.to_thread(file.read) == picture.data


async def test_an_answer_that_is_being_written_is_sent_when_it_is_whole(laptop: Home, desktop: Home) -> None:
    conversation = await said(laptop, "안녕")

    async def write(text: str, completion: Completion) -> None:
        answer = StoredMessage(
            id="0" * 32,
            conversation=conversation,
            role=Role.ASSISTANT,
            text=text,
            completion=completion,
            created_at="2026-11-22T15:05:00+09:00",
        )
        await laptop.conversations.save([answer], durable=False)
        await laptop.sync()
        await desktop.sync()

    await write("안녕하", Completion.STREAMING)
    assert await texts(desktop, conversation) == ["안녕"]
    await write("안녕하세요", Completion.COMPLETE)
    assert await texts(desktop, conversation) == ["안녕", "안녕하세요"]


async def test_what_is_in_the_trash_is_there_on_both_and_comes_back_on_both(laptop: Home, desktop: Home) -> None:
    conversation = await said(laptop, "지울 말")
    for home in (laptop, desktop):
        await home.sync()
    await desktop.list.delete(conversation)
    for home in (desktop, laptop):
        await home.sync()
    assert await laptop.list.entries() == ()
    await laptop.list.restore(conversation)
    for home in (laptop, desktop):
        await home.sync()
    assert [each.id for each in await desktop.list.entries()] == [conversation]


async def test_what_is_deleted_for_good_leaves_no_content_anywhere(
    laptop: Home, desktop: Home, account: MemoryAccount
) -> None:
    conversation = await said(laptop, "영원히 지울 말")
    for home in (laptop, desktop):
        await home.sync()
    await laptop.list.delete(conversation)
    await laptop.list.purge(conversation)
    for home in (laptop, desktop, laptop, desktop):
        await home.sync()
    for home in (laptop, desktop):
        assert await home.rows("conversations") == await home.rows("messages") == []
        assert await home.outbox.count() == 0
    contents = [json.loads(KEYS.open(each.identity, each.content)) for each in account.records.values()]
    assert all(each["content"]["deleted"] for each in contents)


async def test_what_was_said_meanwhile_in_a_deleted_conversation_goes_on_in_one_of_its_own(
    laptop: Home, desktop: Home
) -> None:
    conversation = await said(laptop, "지운 말")
    await laptop.list.rename(conversation, "여행")
    for home in (laptop, desktop):
        await home.sync()
    await said(desktop, "아직 아무도 모르는 말", conversation)
    await laptop.list.delete(conversation)
    await laptop.list.purge(conversation)
    for home in (laptop, desktop, laptop):
        await home.sync()
    for home in (laptop, desktop):
        (kept,) = await home.list.entries()
        assert (kept.id != conversation, kept.title) == (True, "여행")
        assert await texts(home, kept.id) == ["아직 아무도 모르는 말"]


@pytest.mark.parametrize("order", ["dl", "ld", "pdl", "dpl"])
async def test_what_was_said_meanwhile_goes_on_whichever_device_meets_the_account_first(
    laptop: Home, desktop: Home, open_home: Callable[..., Awaitable[Home]], account: MemoryAccount, order: str
) -> None:
    phone = await open_home("phone")
    homes = {"l": laptop, "d": desktop, "p": phone}
    conversation = await said(laptop, "지운 말")
    await laptop.list.rename(conversation, "여행")
    for home in homes.values():
        await home.sync()
    await said(desktop, "내일 갈까", conversation)
    await said(desktop, "모레 갈까", conversation)
    await laptop.list.delete(conversation)
    await laptop.list.purge(conversation)
    for home in [homes[each] for each in order] + [*homes.values()] * 3:
        await home.sync()
    for home in homes.values():
        (kept,) = await home.list.entries()
        assert (kept.id != conversation, kept.title) == (True, "여행")
        assert await texts(home, kept.id) == ["내일 갈까", "모레 갈까"]
        assert await home.outbox.count() == 0
    contents = [json.loads(KEYS.open(each.identity, each.content))["content"] for each in account.records.values()]
    assert not [each for each in contents if conversation in each.get("row", {}).values()]


async def test_a_device_that_joins_anew_brings_nothing_back_that_it_had_deleted(
    laptop: Home, desktop: Home, account: MemoryAccount
) -> None:
    conversation = await said(desktop, "지울 말")
    for home in (desktop, laptop):
        await home.sync()
    await laptop.outbox.end()
    await laptop.list.delete(conversation)
    await laptop.list.purge(conversation)
    await said(desktop, "또 지울 말", conversation)
    await laptop.join(account)
    for home in (desktop, laptop, desktop, laptop):
        await home.sync()
        assert await laptop.list.entries() == ()
    assert await desktop.list.entries() == ()


@pytest.mark.parametrize("first", [0, 1])
async def test_a_prompt_that_is_reset_on_one_device_and_written_anew_on_another_is_not_lost(
    laptop: Home, desktop: Home, first: int
) -> None:
    mine, theirs = (BasePromptStore(home.database, home.clock) for home in (laptop, desktop))
    await mine.put("ko", "짧게 답해")
    for home in (laptop, desktop):
        await home.sync()
    await mine.reset("ko")
    await theirs.put("ko", "길게 답해")
    order = [laptop, desktop] if first else [desktop, laptop]
    for home in order * 2:
        await home.sync()
    assert await mine.own("ko") == await theirs.own("ko")
    (difference,) = await SyncDifferences(order[1].database).all()
    assert {str(difference.ours["text"]), str(difference.theirs["text"])} == {"", "길게 답해"}


async def test_what_another_device_has_deleted_is_not_purged_while_it_can_be_undone_there(
    laptop: Home, desktop: Home
) -> None:
    conversation = await said(laptop, "다시 볼 말")
    (person,) = await laptop.people.add([Person(name="김영희")])
    for home in (laptop, desktop):
        await home.sync()
    await laptop.list.delete(conversation)
    await laptop.people.remove(person.id)
    for home in (laptop, desktop):
        await home.sync()
    assert await desktop.list.purge() == ()
    assert await desktop.people.purge() == 0
    assert await laptop.list.restore(conversation)
    for home in (laptop, desktop):
        await home.sync()
    assert await texts(desktop, conversation) == ["다시 볼 말"]
    await laptop.list.delete(conversation)
    for home in (laptop, desktop):
        await home.sync()
    desktop.clock.advance(25 * 3600)
    assert await desktop.list.purge() == (conversation,)  # The laptop may be gone for good.


async def test_a_start_removes_no_conversation_whose_messages_are_on_their_way(
    laptop: Home, desktop: Home, account: MemoryAccount
) -> None:
    conversation = await laptop.conversations.create()
    for number in range(250):
        await said(laptop, str(number), conversation)
    account.failing = ["", "", "before"]  # cut off after the first part
    with pytest.raises(StorageError):
        await laptop.sync()
    await desktop.sync()
    desktop.clock.advance(24 * 3600)
    await desktop.list.remove_empty("")
    for home in (desktop, laptop, desktop):
        await home.sync()
    assert len(await texts(desktop, conversation)) == len(await texts(laptop, conversation)) == 250


async def test_a_conversation_in_which_nothing_was_said_stays_here(laptop: Home, desktop: Home) -> None:
    empty = await laptop.conversations.create()
    for home in (laptop, desktop):
        await home.sync()
    assert not await desktop.conversations.exists(empty)
    assert await laptop.outbox.count() == 0
    await said(laptop, "이제 말해요", empty)
    for home in (laptop, desktop):
        await home.sync()
    assert await texts(desktop, empty) == ["이제 말해요"]


async def test_messages_that_are_put_back_after_they_were_deleted_are_not_lost(laptop: Home, desktop: Home) -> None:
    conversation = await laptop.conversations.create()
    for number in range(450):
        await said(laptop, str(number), conversation)
    for home in (laptop, desktop):
        await home.sync()
    second = (await laptop.conversations.messages(conversation))[1].id
    deletion = await laptop.list.delete_messages(conversation, second, after=True)
    assert deletion is not None
    for home in (laptop, desktop):
        await home.sync()
    assert await texts(desktop, conversation) == ["0"]
    assert await laptop.list.restore_messages(deletion)
    for home in (laptop, desktop, laptop, desktop):
        await home.sync()
    assert len(await texts(desktop, conversation)) == len(await texts(laptop, conversation)) == 450


async def test_a_device_that_joins_again_with_an_old_copy_takes_back_nothing(
    laptop: Home, desktop: Home, account: MemoryAccount
) -> None:
    conversation, gone = await said(laptop, "하나"), await said(laptop, "지울 것")
    for home in (laptop, desktop):
        await home.sync()
    await desktop.outbox.end()
    await laptop.list.rename(conversation, "새 이름")
    await laptop.list.delete(gone)
    await laptop.sync()
    await desktop.join(account)
    for home in (desktop, laptop):
        await home.sync()
    for home in (laptop, desktop):
        assert [each.title for each in await home.list.entries()] == ["새 이름"]
    assert not any(each.differences for each in desktop.taken)


async def test_a_server_that_was_restored_from_its_backup_gets_everything_again(
    laptop: Home, desktop: Home, account: MemoryAccount
) -> None:
    conversation = await said(laptop, "백업 전")
    for home in (laptop, desktop):
        await home.sync()
    backup, number = dict(account.records), account.newest_number
    await said(laptop, "백업 후", conversation)
    laptop.file("memory/user.md").write_text("- 백업 후\n")
    for home in (laptop, desktop):
        await home.sync()
    account.records, account.newest_number = backup, number
    for home in (desktop, laptop, desktop):
        await home.sync()
    assert await texts(laptop, conversation) == await texts(desktop, conversation) == ["백업 전", "백업 후"]
    assert len(account.records) == 4


async def test_a_server_that_was_restored_gets_everything_also_where_others_have_written_as_much_since(
    laptop: Home, desktop: Home, account: MemoryAccount
) -> None:
    conversation = await said(laptop, "백업 전")
    for home in (laptop, desktop):
        await home.sync()
    backup, number, names = dict(account.records), account.newest_number, dict(account.names)
    await said(laptop, "백업 후", conversation)
    await laptop.sync()
    account.records, account.newest_number, account.names = backup, number, names
    for words in ("하나", "둘", "셋"):
        await said(desktop, words)
        await desktop.sync()
    for home in (laptop, desktop, laptop):
        await home.sync()
    for home in (laptop, desktop):
        assert await texts(home, conversation) == ["백업 전", "백업 후"]
        assert len(await home.list.entries()) == 4


async def test_a_server_whose_clock_was_set_back_is_not_taken_for_one_that_was_restored(
    laptop: Home, account: MemoryAccount
) -> None:
    await said(laptop, "하나")
    await laptop.sync()
    account.beats = itertools.count(-1000)
    running = asyncio.create_task(laptop.syncing.run())
    await account.followed.wait()
    assert min(account.names.values()) < START
    running.cancel()
    await asyncio.wait({running})
    await laptop.join(account)
    await laptop.sync()
    assert not any(each.refused for each in laptop.taken)


async def test_an_end_between_two_notes_of_what_was_sent_is_got_over(laptop: Home, desktop: Home) -> None:
    laptop.file("memory/user.md").write_text("- 하나\n")
    conversation = await said(laptop, "말")
    left = laptop.syncing._outbox.left

    async def cut(*_: object) -> None:
        raise StorageError("sori.db", "cut off here")

    laptop.syncing._outbox.left = cut  # type: ignore[method-assign, assignment]
    with pytest.raises(StorageError, match="cut off"):
        await laptop.sync()
    laptop.syncing._outbox.left = left  # type: ignore[method-assign]
    laptop.file("memory/user.md").write_text("- 하나\n- 둘\n")
    for home in (laptop, desktop):
        await home.sync()
    assert desktop.file("memory/user.md").read_text() == "- 하나\n- 둘\n"
    assert await texts(desktop, conversation) == ["말"]


async def test_an_account_that_refuses_everything_is_not_asked_for_ever(laptop: Home, account: MemoryAccount) -> None:
    await said(laptop, "말")

    async def refuse(changes: Sequence[Change]) -> list[int | None]:
        return [None for _ in changes]

    account.push = refuse  # type: ignore[method-assign]
    with pytest.raises(StorageError, match="refuses"):
        await laptop.sync()


async def test_ones_own_earlier_change_is_no_difference(laptop: Home, desktop: Home, account: MemoryAccount) -> None:
    conversation = await said(laptop, "말")
    account.failing = ["", "after"]
    with pytest.raises(StorageError):
        await laptop.sync()
    await laptop.list.rename(conversation, "이름")
    await laptop.join(account)
    for home in (laptop, desktop):
        await home.sync()
    assert [each.title for each in await desktop.list.entries()] == ["이름"]
    assert not any(each.differences for each in laptop.taken)


@pytest.mark.parametrize("lost", ["before", "after"])
async def test_an_answer_of_the_server_that_is_lost_loses_and_doubles_nothing(
    laptop: Home, desktop: Home, account: MemoryAccount, lost: str
) -> None:
    conversation = await said(laptop, "한 번만")
    account.failing = ["", lost]
    with pytest.raises(StorageError):
        await laptop.sync()
    await laptop.join(account)
    for home in (laptop, desktop):
        await home.sync()
    assert await texts(desktop, conversation) == ["한 번만"]
    assert await laptop.outbox.count() == 0
    assert not any(each.differences for each in laptop.taken)
    assert len(account.records) == 2


async def test_of_two_names_the_one_here_stays_and_the_other_is_kept_for_the_user(laptop: Home, desktop: Home) -> None:
    conversation = await said(laptop, "여행")
    for home in (laptop, desktop):
        await home.sync()
    await laptop.list.rename(conversation, "제주 여행")
    await desktop.list.rename(conversation, "부산 여행")
    for home in (laptop, desktop, laptop):
        await home.sync()
    for home in (laptop, desktop):
        assert [each.title for each in await home.list.entries()] == ["부산 여행"]
    assert sum(each.differences for each in desktop.taken) == 1
    (kept,) = await SyncDifferences(desktop.database).all()
    assert (kept.table, kept.ours, kept.theirs) == ("conversations", {"title": "부산 여행"}, {"title": "제주 여행"})
    assert kept.name == "부산 여행"
    await desktop.list.rename(conversation, "")
    assert [each.name for each in await SyncDifferences(desktop.database).all()] == ["여행"]
    assert await SyncDifferences(desktop.database).put_away(kept.id)
    assert await SyncDifferences(desktop.database).all() == ()


async def test_marks_of_content_from_outside_are_never_taken_back(laptop: Home, desktop: Home) -> None:
    conversation = await said(laptop, "메일")
    for home in (laptop, desktop):
        await home.sync()

    def mark(told_bits: float) -> Callable[..., object]:
        return lambda connection: connection.execute(
            "UPDATE conversations SET outside = 1, told_bits = ?, revision = revision + 1, changed = changed + 1",
            (told_bits,),
        )

    await laptop.database.write(mark(90.0))
    await desktop.list.rename(conversation, "새 이름")
    for home in (laptop, desktop, laptop):
        await home.sync()
    for home in (laptop, desktop):
        found = await home.database.read(
            lambda connection: connection.execute("SELECT title, outside, told_bits FROM conversations").fetchall()
        )
        assert found == [("새 이름", 1, 90.0)]


async def test_a_home_that_was_copied_sends_nothing_back(laptop: Home, desktop: Home, account: MemoryAccount) -> None:
    (device,) = await laptop.database.read(lambda connection: connection.execute("SELECT id FROM devices").fetchone())
    await desktop.database.write(lambda connection: connection.execute("UPDATE devices SET id = ?", (device,)))
    conversation = await said(laptop, "하나")
    await laptop.sync()
    numbers = account.newest_number
    await desktop.sync()
    assert (account.newest_number, await desktop.outbox.count()) == (numbers, 0)
    await said(desktop, "둘", conversation)
    for home in (desktop, laptop):
        await home.sync()
    assert await texts(laptop, conversation) == ["하나", "둘"]


async def answered(home: Home, conversation: str, text: str) -> None:
    """Answer the newest question anew."""
    question = (await home.conversations.messages(conversation))[0]
    for old in await home.conversations.messages(conversation):
        if old.role is Role.ASSISTANT:
            await home.conversations.rewind(conversation, old.id)
    await home.conversations.add(conversation, Message(role=Role.ASSISTANT, text=text, provider="p", model="m"))
    assert (await home.conversations.messages(conversation))[0].id == question.id


async def test_of_two_answers_that_two_devices_have_made_anew_one_is_shown(laptop: Home, desktop: Home) -> None:
    conversation = await said(laptop, "질문")
    await answered(laptop, conversation, "첫 답")
    for home in (laptop, desktop):
        await home.sync()
    await answered(laptop, conversation, "노트북의 답")
    desktop.clock.advance(10)
    await answered(desktop, conversation, "나중의 답")
    for home in (laptop, desktop, laptop, desktop):
        await home.sync()
    for home in (laptop, desktop):
        assert await texts(home, conversation) == ["질문", "나중의 답"]
        assert len(await home.conversations.every_message(conversation)) == 4


async def test_a_start_does_not_settle_an_answer_that_another_device_is_making(laptop: Home, desktop: Home) -> None:
    conversation = await said(laptop, "질문")
    await answered(laptop, conversation, "첫 답")
    for home in (laptop, desktop):
        await home.sync()
    old = (await laptop.conversations.messages(conversation))[-1]
    await laptop.conversations.rewind(conversation, old.id)
    for home in (laptop, desktop):
        await home.sync()
    await desktop.conversations.recover()
    await laptop.conversations.add(conversation, Message(role=Role.ASSISTANT, text="새 답", provider="p", model="m"))
    for home in (desktop, laptop, desktop, laptop):
        await home.sync()
    for home in (laptop, desktop):
        assert await texts(home, conversation) == ["질문", "새 답"]


async def test_people_are_shared(laptop: Home, desktop: Home) -> None:
    (mother,) = await laptop.people.add([Person(name="김영희", relation="엄마")])
    for home in (laptop, desktop):
        await home.sync()
    assert [each.name for each in await desktop.people.all()] == ["김영희"]
    await desktop.people.remove(mother.id)
    for home in (desktop, laptop):
        await home.sync()
    assert await laptop.people.all() == ()


async def test_a_clock_that_is_wrong_does_not_decide(open_home: Callable[..., Awaitable[Home]]) -> None:
    slow, fast = await open_home("slow", -5), await open_home("fast", +5)
    conversation = await said(fast, "먼저")
    for home in (fast, slow):
        await home.sync()
    await slow.list.rename(conversation, "나중 이름")  # later, by a clock that is ten minutes behind
    for home in (slow, fast):
        await home.sync()
    assert [each.title for each in await fast.list.entries()] == ["나중 이름"]
    await said(slow, "다음", conversation)
    for home in (slow, fast):
        await home.sync()
    assert await texts(fast, conversation) == ["먼저", "다음"]


async def test_many_messages_come_before_a_conversation_that_was_changed_last(laptop: Home, desktop: Home) -> None:
    conversation = await laptop.conversations.create()
    for number in range(250):
        await said(laptop, str(number), conversation)
    await laptop.sync()
    await laptop.list.rename(conversation, "긴 대화")
    await laptop.sync()
    await desktop.sync()
    assert await texts(desktop, conversation) == [str(number) for number in range(250)]


async def test_facts_of_both_devices_come_together(laptop: Home, desktop: Home) -> None:
    memory = [home.file("memory/user.md") for home in (laptop, desktop)]
    memory[0].write_text("- 커피를 좋아한다\n")
    for home in (laptop, desktop):
        await home.sync()
    assert memory[1].read_text() == "- 커피를 좋아한다\n"
    memory[0].write_text("- 커피를 좋아한다\n- 서울에 산다\n")
    memory[1].write_text("- 커피를 좋아한다\n- 개가 있다\n")
    for home in (laptop, desktop, laptop):
        await home.sync()
    assert memory[0].read_text() == memory[1].read_text() == "- 커피를 좋아한다\n- 서울에 산다\n- 개가 있다\n"
    assert sum(each.differences for each in desktop.taken) == 0


async def test_of_a_fact_that_both_have_changed_both_forms_stay_and_the_user_is_told(
    laptop: Home, desktop: Home
) -> None:
    memory = [home.file("memory/user.md") for home in (laptop, desktop)]
    memory[0].write_text("- 색: 파랑\n- 서울에 산다\n")
    for home in (laptop, desktop):
        await home.sync()
    memory[0].write_text("- 색: 빨강\n- 서울에 산다\n")
    memory[1].write_text("- 색: 초록\n- 서울에 산다\n")
    for home in (laptop, desktop, laptop):
        await home.sync()
    assert memory[0].read_text() == memory[1].read_text() == "- 색: 빨강\n- 색: 초록\n- 서울에 산다\n"
    assert sum(each.differences for each in desktop.taken) == 1


async def test_of_a_persona_that_both_have_changed_the_one_here_stays_and_the_other_is_kept(
    laptop: Home, desktop: Home
) -> None:
    persona = [home.file("workspaces/default/agents/sori/persona.md") for home in (laptop, desktop)]
    persona[0].write_text("차분하다.\n")
    for home in (laptop, desktop):
        await home.sync()
    persona[0].write_text("명랑하다.\n")
    persona[1].write_text("엄격하다.\n")
    for home in (laptop, desktop, laptop):
        await home.sync()
    assert persona[0].read_text() == persona[1].read_text() == "엄격하다.\n"
    (kept,) = await SyncDifferences(desktop.database).all()
    assert (kept.table, kept.name) == (FILE, "workspaces/default/agents/sori/persona.md")
    assert (kept.ours, kept.theirs) == ({"text": "엄격하다.\n"}, {"text": "명랑하다.\n"})


async def test_a_removed_file_is_removed_everywhere_unless_it_was_changed(laptop: Home, desktop: Home) -> None:
    files = [home.file("workspaces/work/memory.md") for home in (laptop, desktop)]
    files[0].write_text("- 회의는 월요일\n")
    for home in (laptop, desktop):
        await home.sync()
    files[0].unlink()
    for home in (laptop, laptop, laptop, desktop):
        await home.sync()
    assert not files[1].exists()
    assert files[1].with_name(".memory.md.removed").read_text() == "- 회의는 월요일\n"
    files[0].write_text("- 회의는 월요일\n")
    for home in (laptop, desktop):
        await home.sync()
    files[0].unlink()
    files[1].write_text("- 회의는 월요일\n- 점심은 12시\n")
    for home in (laptop, laptop, laptop, desktop, laptop):
        await home.sync()
    assert "점심은 12시" in files[0].read_text()


def too_long(file: Path) -> None:
    file.write_text("- 길다\n" * 300_000)


def linked(file: Path) -> None:
    file.rename(file.with_name("elsewhere"))
    file.symlink_to(file.with_name("elsewhere"))


def unreadable(file: Path) -> None:
    file.write_bytes("- 옛 글자".encode("cp949"))


def folder_away(file: Path) -> None:
    file.parents[1].rename(file.parents[2] / "unmounted")


def replaced_by_an_editor(file: Path) -> None:
    file.unlink()


@pytest.mark.parametrize("happens", [too_long, linked, unreadable, folder_away, replaced_by_an_editor])
async def test_a_file_that_cannot_be_seen_is_not_taken_for_removed(
    laptop: Home, desktop: Home, happens: Callable[[Path], None]
) -> None:
    files = [home.file("workspaces/work/memory.md") for home in (laptop, desktop)]
    files[0].write_text("- 회의는 월요일\n")
    for home in (laptop, desktop):
        await home.sync()
    happens(files[0])
    conversation = await said(laptop, "그래도 말은 가요")
    if happens is not replaced_by_an_editor:
        await laptop.sync()
    for home in (laptop, desktop):
        await home.sync()
    assert files[1].read_text() == "- 회의는 월요일\n"
    assert await texts(desktop, conversation) == ["그래도 말은 가요"]


@pytest.mark.parametrize("name", ["agents/sori/agent.toml", "agents/sori/persona.md", "workspace.toml"])
async def test_files_of_two_used_computers_are_not_mixed_when_they_meet(laptop: Home, desktop: Home, name: str) -> None:
    files = [home.file(f"workspaces/default/{name}") for home in (laptop, desktop)]
    files[0].write_text('name = "하나"\n')
    files[1].write_text('name = "둘"\n')
    for home in (laptop, desktop, laptop):
        await home.sync()
    assert files[0].read_text() == files[1].read_text() == 'name = "둘"\n'
    (kept,) = await SyncDifferences(desktop.database).all()
    assert kept.theirs == {"text": 'name = "하나"\n'}


async def test_a_removed_workspace_leaves_no_folder_behind(laptop: Home, desktop: Home, account: MemoryAccount) -> None:
    file = laptop.file("workspaces/gone/memory.md")
    file.write_text("- 하나\n")
    await laptop.sync()
    file.unlink()
    for home in (laptop, laptop, laptop, desktop):
        await home.sync()
    assert not (desktop.path / "workspaces").exists()


@pytest.mark.parametrize(
    "path", ["../x.md", "/etc/x.md", "memory/../../x.md", "config.toml", "memory/.x.md", "memory\\user.md", "a/b/c.md"]
)
async def test_a_path_that_is_not_shared_is_refused(laptop: Home, account: MemoryAccount, path: str) -> None:
    identity = KEYS.identity("text", path)
    content = KEYS.seal(identity, json.dumps({"kind": "text", "name": path, "text": "x"}).encode())
    account.newest_number = 1
    account.records[identity] = Sealed(identity=identity, number=1, content=content)
    with pytest.raises(NewerSoriError, match="not shared"):
        await laptop.sync()


async def test_a_record_under_the_name_of_another_is_refused(laptop: Home, account: MemoryAccount) -> None:
    await said(laptop, "하나")
    await laptop.sync()
    one, two = list(account.records.values())
    account.newest_number += 1
    account.records[one.identity] = Sealed(identity=one.identity, number=account.newest_number, content=two.content)
    with pytest.raises(UnopenedError):
        await laptop.sync()


async def test_a_server_that_was_set_back_changes_nothing_here(
    laptop: Home, desktop: Home, account: MemoryAccount
) -> None:
    conversation = await said(laptop, "말")
    await laptop.sync()
    old = dict(account.records)
    await laptop.list.rename(conversation, "새 이름")
    await laptop.sync()
    await desktop.sync()
    for identity, record in old.items():
        account.newest_number += 1
        account.records[identity] = Sealed(identity=identity, number=account.newest_number, content=record.content)
    await desktop.sync()
    assert [each.title for each in await desktop.list.entries()] == ["새 이름"]
    assert desktop.taken[-1].refused == 1


async def test_rows_of_a_newer_sori_stop_the_syncing_and_nothing_is_taken(
    laptop: Home, desktop: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    await said(laptop, "새 형식")
    monkeypatch.setattr("assistant.storage.sync.row_contents.LATEST", 10_000)
    await laptop.sync()
    with pytest.raises(NewerSoriError):
        await desktop.sync()
    assert await desktop.rows("messages") == []


async def test_it_goes_on_by_itself_when_the_server_is_back(
    laptop: Home, desktop: Home, account: MemoryAccount
) -> None:
    standings: list[SyncStanding] = []
    alike, offline = asyncio.Event(), asyncio.Event()

    def follow(state: SyncState) -> None:
        standings.append(state.standing)
        {SyncStanding.ALIKE: alike, SyncStanding.OFFLINE: offline}.get(state.standing, asyncio.Event()).set()

    desktop.syncing.changed.add(follow)
    running = asyncio.create_task(desktop.syncing.run())
    await alike.wait()
    account.failing = ["before"]
    account.tell()
    await offline.wait()
    alike.clear()
    conversation = await said(laptop, "그동안 한 말")
    await laptop.sync()
    await desktop.clock.until_sleeping()
    desktop.clock.advance(2)
    await alike.wait()
    assert await texts(desktop, conversation) == ["그동안 한 말"]
    await said(desktop, "여기서 한 말", conversation)
    alike.clear()
    await desktop.clock.until_sleeping()
    desktop.clock.advance(3)
    await alike.wait()
    await laptop.sync()
    assert await texts(laptop, conversation) == ["그동안 한 말", "여기서 한 말"]
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running


async def test_a_revoked_device_stops_and_keeps_what_it_has(laptop: Home, account: MemoryAccount) -> None:
    conversation = await said(laptop, "내 말")
    account.revoked = True
    await laptop.syncing.run()
    assert laptop.syncing.state.standing is SyncStanding.REVOKED
    assert await texts(laptop, conversation) == ["내 말"]
    assert await laptop.outbox.count() == 2


@pytest.mark.parametrize("seed", range(2))
async def test_random_histories_of_three_devices_end_alike_without_a_lost_line(
    open_home: Callable[..., Awaitable[Home]], account: MemoryAccount, seed: int
) -> None:
    chance = random.Random(seed)
    homes = [await open_home(f"home {number}", 5 * (number - 1)) for number in range(3)]
    spoken: set[str] = set()
    noted: set[str] = set()
    for step in range(60):
        home = chance.choice(homes)
        known = [each.id for each in await home.list.entries()]
        match chance.randrange(6):
            case 0 | 1:
                text = f"말 {step}"
                await said(home, text, chance.choice(known) if known and chance.random() < 0.8 else "")
                spoken.add(text)
            case 2 if known:
                await home.list.rename(chance.choice(known), f"이름 {step}")
            case 3:
                file = home.file("memory/user.md")
                lines = file.read_text().splitlines() if file.exists() else []
                lines.insert(chance.randint(0, len(lines)), f"- 사실 {step}")
                file.write_text("".join(f"{line}\n" for line in lines))
                noted.add(f"- 사실 {step}")
            case _:
                account.failing = chance.choices(["", "", "", "before", "after"], k=2)
                with suppress(StorageError):
                    await home.sync()
                account.failing = []
                if chance.random() < 0.2:
                    await home.join(account)  # as after a kill
    for _ in range(3):
        for home in homes:
            await home.sync()
    for table in TABLES:
        assert await homes[0].rows(table) == await homes[1].rows(table) == await homes[2].rows(table)
    told = [each async for each in _all_texts(homes[0])]
    assert sorted(told) == sorted(spoken)
    contents = {home.file("memory/user.md").read_text() if noted else "" for home in homes}
    assert len(contents) == 1
    assert sorted(contents.pop().splitlines()) == sorted(noted)


async def _all_texts(home: Home) -> AsyncIterator[str]:
    for each in await home.list.entries():
        for text in await texts(home, each.id):
            yield text


async def test_what_is_hastened_is_sent_before_the_next_look(tmp_path: Path) -> None:
    account = MemoryAccount()
    laptop = await Home.open(tmp_path, account)
    running = asyncio.create_task(laptop.syncing.run())
    await laptop.clock.until_sleeping()
    await said(laptop, "지금")
    laptop.syncing.hasten()
    async with asyncio.timeout(60):
        while not account.newest_number:
            account.told.clear()
            await account.told.wait()
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running
    await laptop.database.close()
