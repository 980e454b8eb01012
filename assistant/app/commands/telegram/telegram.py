"""``sori telegram``: sets the bot up, shows how it stands, gives codes that link chats, and unlinks them (G-01)."""

import argparse
import getpass
import sys
from datetime import datetime
from typing import TYPE_CHECKING

from assistant.app.cli.asking import CarryOut, attached
from assistant.app.cli.keyring_check import check_keyring
from assistant.app.commands.telegram.running import Packets, decide, show
from assistant.core.display.reading import local_time
from assistant.core.display.table import fitting
from assistant.core.service.requests.telegram import linking as rq
from assistant.core.settings import Settings
from assistant.core.telegram.codes import CODE_S
from assistant.core.texts import Texts
from assistant.host.places import Places
from assistant.remote.local.endpoint import is_running

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from assistant.engine.serving.hub import Hub
    from assistant.engine.serving.table import Domain

_COLUMNS = ("id", "name", "agent", "linked")


def run(places: Places, settings: Settings, texts: Texts, arguments: argparse.Namespace) -> int:
    """Carry out the command; returns the exit status: 1 where there is no such chat, or nothing to remove.

    Raises:
        SoriError: the database or the settings cannot be used, or there is no keyring.
        RefusedError: Telegram does not accept the token, or there is no such agent.
    """

    def part(hub: "Hub") -> "AbstractAsyncContextManager[Domain]":
        from assistant.app.parts.telegram import telegram

        return telegram(places, settings, texts, hub.deliver)

    if arguments.action in ("run", "drop") and not is_running(places.home):
        print(texts("telegram.state.no_engine"), file=sys.stderr)
        return 1
    if arguments.action == "setup" and not arguments.in_file:
        check_keyring(places, texts, part, "telegram_no_keyring")
    # Read before the engine is connected: a person may take a while.
    token = _read_token(texts) if arguments.action == "setup" else ""
    packets = Packets()
    return attached(places, texts, part, lambda ask: _run(ask, packets, texts, arguments, token), packets.take)


async def _run(ask: CarryOut, packets: Packets, texts: Texts, arguments: argparse.Namespace, token: str) -> int:
    match arguments.action:
        case "run" | "drop":
            return await decide(ask, packets, texts, arguments.number or "", drop=arguments.action == "drop")
        case "setup":
            bot = await ask(rq.SetUpTelegram(token=token, in_file=arguments.in_file))
            print(texts("telegram.set_up", bot=f"@{bot.username}"))
            if chats := (await ask(rq.ReadTelegram())).chats:
                print(texts("telegram.linked_already", names=", ".join(each.name for each in chats)))
                return 0
            print(texts("telegram.next_code"))
            return await _give_code(ask, texts, "", "")
        case "code":
            return await _give_code(ask, texts, arguments.workspace or "", arguments.agent or "")
        case "unlink":
            return await (_forget(ask, texts) if arguments.all else _unlink(ask, texts, arguments.chat))
        case _:
            return _show(await ask(rq.ReadTelegram()), texts)


def _read_token(texts: Texts) -> str:
    """Read the token: from the terminal without echo, or the first line of standard input."""
    try:
        if sys.stdin.isatty():
            return getpass.getpass(texts("telegram.ask_token")).strip()
        return sys.stdin.readline().strip()
    except (EOFError, UnicodeDecodeError):
        return ""


async def _give_code(ask: CarryOut, texts: Texts, workspace: str, agent: str) -> int:
    given = await ask(rq.MakeTelegramCode(workspace=workspace, agent=agent))
    until = datetime.fromisoformat(given.until)
    print(texts("telegram.code_line", bot=f"@{given.bot.username}", code=given.code))
    print(texts("telegram.code_for", minutes=str(CODE_S // 60), until=f"{until:%H:%M}"))
    print(texts("telegram.code_link", link=f"https://t.me/{given.bot.username}?start={given.code}"))
    return 0


async def _forget(ask: CarryOut, texts: Texts) -> int:
    gone = await ask(rq.ForgetTelegram())
    print(texts("telegram.forgotten" if gone else "telegram.nothing_kept"))
    return 0 if gone else 1


async def _unlink(ask: CarryOut, texts: Texts, wanted: str) -> int:
    chats = (await ask(rq.ReadTelegram())).chats
    found = [each for each in chats if wanted in {str(each.chat), each.name}]
    if len(found) != 1:
        print(texts("telegram.several_chats" if found else "telegram.no_such_chat", name=wanted), file=sys.stderr)
        return 1
    await ask(rq.UnlinkTelegramChat(chat=found[0].chat))
    print(texts("telegram.unlinked", name=found[0].name))
    return 0


def _show(view: rq.TelegramView, texts: Texts) -> int:
    print(view.words)
    if view.bot is None:
        print(texts("telegram.no_bot"))
        return 0
    print(texts("telegram.bot", bot=f"{view.bot.name} (@{view.bot.username})"))
    if not view.chats:
        print(texts("telegram.no_chats"))
    else:
        heads = [texts(f"telegram.column.{each}") for each in _COLUMNS]
        rows = [[str(each.chat), each.name, _agent(each), local_time(each.linked_at)] for each in view.chats]
        for line in fitting([heads, *rows]):
            print(line)
    if view.calls:
        show(view.calls, texts)
    return 0


def _agent(chat: rq.ShownChat) -> str:
    return f"{chat.agent} · {chat.workspace}" if chat.workspace else chat.agent
