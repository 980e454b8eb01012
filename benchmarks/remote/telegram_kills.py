"""Messages of Telegram while Sori is killed again and again: how many have their effect once, in order.

    python -m benchmarks.remote.telegram_kills [--updates 1000] [--kills 100] [--chats 5] [--seed 1]

The whole engine and its door run in a process of their own, with a scripted model and a server of the Bot API's rules
on loopback, which sends updates twice and in another order. The process is killed with SIGKILL at random times. Each
message has a number; the model answers with the number. Wanted: every message stands once in its conversation and has
one answer in its chat, in the order of the messages: its number, or the words for an answer that was cut off. Numbers
of a chat that stand twice, out of order or not at all are faults. An ellipsis without an answer is counted apart.
"""

import argparse
import asyncio
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

from assistant.core.records.agents import DEFAULT_AGENT, DEFAULT_WORKSPACE
from assistant.core.telegram.codes import LinkCode, digest_of
from assistant.core.telegram.records import TelegramUpdate
from assistant.host.clock import SystemClock
from assistant.storage.database import Database
from assistant.storage.records.telegram import TelegramRecords
from tests.e2e.conversation.running_engine import TEXTS
from tests.fakes.model_server.script import RecordedRequest
from tests.fakes.model_server.server import Reply, serve_in_thread
from tests.fakes.telegram_server.server import TelegramServer, telegram_server

CODE = "7K3M9QXA"
_OUTSTANDING = 12
"""Messages of all chats that wait at most, so that none counts as missed."""
_ASKED = re.compile(r"번호 (\d+)번")


def scripted(request: RecordedRequest) -> Reply:
    """Answers with the number of the last message."""
    numbers = _ASKED.findall(str(request.body["messages"][-1]["content"]))
    return Reply(text=f"답은 **{numbers[-1] if numbers else '?'}**번입니다만.")


def main() -> None:
    """Run, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--updates", type=int, default=1000)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--chats", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = kills(Path(folder), given.updates, given.kills, given.chats, given.seed)
    for name, value in found.items():
        sys.stdout.write(f"{name}: {value}\n")


def kills(home: Path, updates: int, most_kills: int, chats: int, seed: int) -> dict[str, Any]:
    """Let ``updates`` messages be answered while the process is killed ``most_kills`` times; returns what was found."""
    chance = random.Random(seed)  # noqa: S311 - times of kills
    numbers = [*range(1001, 1001 + chats)]
    asyncio.run(_linked(home, numbers))
    with serve_in_thread(scripted) as model, telegram_server() as (telegram, api):
        telegram.mixed = lambda found: _mixed(found, chance)
        asked: dict[int, list[int]] = {chat: [] for chat in numbers}
        threading.Thread(target=_ask, args=(telegram, asked, updates, chance), daemon=True).start()
        began, killed = time.monotonic(), 0
        while True:
            process = _started(home, model.base_url, api)
            if killed >= most_kills:
                break
            time.sleep(chance.uniform(0.0, 1.2))
            process.kill()
            process.wait()
            killed += 1
        telegram.until(lambda: sum(map(len, asked.values())) == updates and _open(home) == 0, 3600)
        process.send_signal(signal.SIGKILL)
        process.wait()
        took = time.monotonic() - began
        return {"kills": killed, "seconds": round(took), **_judged(home, telegram, asked)}


def _started(home: Path, model: str, api: str) -> "subprocess.Popen[str]":
    """A process that answers."""
    command = [sys.executable, "-m", "tests.e2e.telegram.killed_door", str(home), model, api]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=dict(os.environ))
    while process.stdout is not None and (line := process.stdout.readline()) and line.strip() != "running":
        pass
    return process


async def _linked(home: Path, chats: list[int]) -> None:
    clock = SystemClock()
    database = await Database.open(home / "sori.db", clock)
    records = TelegramRecords(database, clock)
    for chat in chats:
        until = clock.now() + timedelta(minutes=5)
        await records.keep_code(
            LinkCode(digest=digest_of(CODE), workspace=DEFAULT_WORKSPACE, agent=DEFAULT_AGENT, until=until)
        )
        update = TelegramUpdate(update_id=0, chat=chat, content="", sent_at=clock.now())
        await records.link(update, CODE, name="", now=clock.now())
    await database.close()


def _ask(telegram: TelegramServer, asked: dict[int, list[int]], updates: int, chance: random.Random) -> None:
    """Send the messages, never many at a time."""
    for number in range(1, updates + 1):
        telegram.until(lambda number=number: number - 1 - _answered(telegram, asked) < _OUTSTANDING, 3600)  # type: ignore[misc]
        chat = chance.choice([*asked])
        asked[chat].append(number)
        telegram.say(chat, f"번호 {number}번을 말해 줘")


def _answered(telegram: TelegramServer, asked: dict[int, list[int]]) -> int:
    return sum(text != "…" for chat in asked for text in telegram.texts(chat))


def _mixed(updates: list[dict[str, Any]], chance: random.Random) -> list[dict[str, Any]]:
    twice = [*updates, *(each for each in updates if chance.random() < 0.3)]
    chance.shuffle(twice)
    return twice[:100]


def _open(home: Path) -> int:
    with closing(sqlite3.connect(home / "sori.db", timeout=30)) as connection:
        query = "SELECT count(*) FROM telegram_updates WHERE state IN ('received', 'answering')"
        return int(connection.execute(query).fetchone()[0])


def _judged(home: Path, telegram: TelegramServer, asked: dict[int, list[int]]) -> dict[str, Any]:
    answers = interrupted = ellipses = faults = 0
    for chat, wanted in asked.items():
        told: list[int] = []
        for text in telegram.texts(chat):
            if text == "…":
                ellipses += 1
            elif found := re.fullmatch(r"답은 (\d+)번입니다만\.", text):
                told.append(int(found[1]))
            elif text == TEXTS("telegram.chat.interrupted"):
                interrupted += 1
                told.append(-1)
            else:
                faults += 1
                sys.stdout.write(f"strange: {text}\n")
        if len(told) != len(wanted) or any(a not in (-1, b) for a, b in zip(told, wanted, strict=False)):
            faults += 1
            sys.stdout.write(f"chat {chat}: {told}\nwanted {wanted}\n")
        answers += sum(each > 0 for each in told)
    with closing(sqlite3.connect(home / "sori.db")) as connection:
        query = "SELECT conversation, text FROM messages WHERE role = 'user' ORDER BY rowid"
        stored: dict[str, list[int]] = {}
        for conversation, text in connection.execute(query):
            stored.setdefault(conversation, []).append(int(_ASKED.findall(text)[0]))
    in_store = sorted(map(tuple, stored.values())) == sorted(tuple(each) for each in asked.values() if each)
    return {
        "answers": answers,
        "told as interrupted": interrupted,
        "ellipses left": ellipses,
        "messages stored once and in order": in_store,
        "faults": faults,
    }


if __name__ == "__main__":
    main()
