"""Linked chats come to the other devices that answer for the same bot."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from assistant.core.telegram.codes import LinkCode
from assistant.core.telegram.records import TelegramChat
from assistant.engine.domains.telegram.shared_chats import SharedChats
from assistant.engine.domains.telegram.shared_code import SharedCode
from assistant.storage.records.telegram import TelegramRecords
from assistant.storage.sync.text_bases import TextBase, TextBases, TextKind
from assistant.sync.comparing import UnfitError
from assistant.sync.values import SharedValues
from tests.fakes.clock import START, FakeClock
from tests.fakes.new_database import open_database
from tests.fakes.system.telegram_line import BOT

CHAT = TelegramChat(chat=5, name="민지", workspace="w", agent="a", conversation="c", linked_at=START)


async def store(path: Path) -> TelegramRecords:
    clock = FakeClock()
    records = TelegramRecords(await open_database(path / "sori.db", clock), clock)
    await records.keep_bot(BOT)
    return records


async def test_a_chat_is_linked_changed_and_unlinked_on_the_other_device_too(tmp_path: Path) -> None:
    here, there = await store(tmp_path / "here"), await store(tmp_path / "there")
    ours, theirs = SharedChats(here), SharedChats(there)
    assert await here.take_over(5, CHAT, None)
    ((name, text),) = (await ours.all()).items()
    assert await theirs.put(name, text, before="")
    (chat,) = await there.chats()
    assert chat == CHAT
    await here.converse(5, "d")
    newer = (await ours.all())[name]
    assert await theirs.put(name, newer, before=text)
    assert await there.chats() == (replace(CHAT, conversation="d"),)
    assert not await theirs.put(name, "", before=text)  # It has changed since.
    assert await theirs.put(name, "", before=newer)
    assert await there.chats() == ()
    for each in (here, there):
        await each._database.close()


async def test_the_chat_of_another_bot_is_not_taken_over(tmp_path: Path) -> None:
    here = await store(tmp_path)
    for name in ("777-5", "123456-x", "123456-5-6"):
        with pytest.raises(UnfitError):
            await SharedChats(here).put(name, "", before="")
    with pytest.raises(UnfitError):
        await SharedChats(here).put("123456-5", '{"chat": 5, "newer": 1}', before="")
    assert await here.chats() == ()
    await here._database.close()


async def test_an_unlinked_chat_stays_unlinked(tmp_path: Path) -> None:
    here = await store(tmp_path)
    chats = SharedChats(here)
    assert chats.stays("ours", "", first=False) == ""
    assert chats.stays("", "theirs", first=False) == ""
    assert chats.stays("", "theirs", first=True) == "theirs"
    await here._database.close()


async def test_a_device_that_forgets_the_bot_unlinks_no_chat_of_the_others(tmp_path: Path) -> None:
    here = await store(tmp_path)
    database, clock = here._database, FakeClock()
    chats, shared = SharedChats(here), SharedValues([SharedChats(here)])
    assert await here.take_over(5, CHAT, None)
    ((name, text),) = (await chats.all()).items()
    bases, held = (TextBases(database, clock, kind) for kind in (TextKind.VALUE, TextKind.HELD))
    await bases.keep(f"telegram/{name}", TextBase(number=3, text=text))
    await here.keep_bot(None)
    assert await shared.here(await bases.all()) == {}
    assert await held.all() == {f"value:telegram/{name}": TextBase(number=3, text=text)}
    await database.close()


CODE = LinkCode(digest="d", workspace="w", agent="a", until=START, wrong={5: 1})


async def test_a_code_of_another_device_links_a_chat_and_is_used_up_everywhere(tmp_path: Path) -> None:
    here, there = await store(tmp_path / "here"), await store(tmp_path / "there")
    ours, theirs = SharedCode(here), SharedCode(there)
    await here.keep_code(CODE)
    ((name, text),) = (await ours.all()).items()
    assert await theirs.put(name, text, before="")
    assert await there.code() == CODE
    assert not await ours.put(name, "", before="")  # It is here.
    assert await ours.put(name, "", before=text)
    assert (await here.code(), await ours.all()) == (None, {})
    with pytest.raises(UnfitError):
        await ours.put("777", text, before="")
    for each in (here, there):
        await each._database.close()


async def test_of_two_codes_the_one_that_was_given_out_last_counts(tmp_path: Path) -> None:
    here = await store(tmp_path)
    shared = SharedCode(here)
    texts: list[str] = []
    for later in (0, 1):
        await here.keep_code(replace(CODE, until=START + timedelta(seconds=later)))
        texts += (await shared.all()).values()
    older, newer = texts
    assert shared.stays(older, newer, first=True) == shared.stays(newer, older, first=False) == newer
    assert shared.stays("", newer, first=False) == newer
    await here._database.close()
