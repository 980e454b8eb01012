"""A server that was restored from an older copy, to which the devices come one after the other."""

import psycopg

from assistant.core.messages import Message, Role
from assistant.host.settings_edit import change_settings
from tests.contract.postgres import database_of
from tests.contract.sync.computer import Computer


async def said(computer: Computer, words: str) -> str:
    conversation = await computer.conversations.create()
    await computer.conversations.add(conversation, Message(role=Role.USER, text=words))
    return conversation


async def test_what_was_written_since_the_copy_comes_back_though_others_have_written_as_much_on_it(
    computers: tuple[Computer, Computer], address: str, postgres: str
) -> None:
    laptop, desktop = computers
    for each in computers:
        await each.set_up(address)
        await each.alike()
    for each in computers:
        await each.stop()
    with psycopg.connect(postgres, autocommit=True) as owner:
        owner.execute("CREATE DATABASE restored TEMPLATE " + address.partition("@/")[2].partition("?")[0])
    restored = database_of(address, "restored")
    await laptop.start()
    conversation = await said(laptop, "복사한 뒤에 적었어요")
    await laptop.account.share()
    change_settings(desktop.home / "config.toml", {"sync.server": restored})
    await desktop.start()
    await desktop.alike()
    await said(desktop, "되돌린 서버에 적었어요")
    await said(desktop, "그리고 하나 더")
    await desktop.account.share()
    await laptop.set_up(restored)
    await laptop.alike()
    await desktop.account.share()
    assert await desktop.conversations.exists(conversation)
