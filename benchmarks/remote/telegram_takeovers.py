"""Messages of Telegram while two whole engines of an account are killed: how many have their effect once, in order.

    python -m benchmarks.remote.telegram_takeovers [--updates 60] [--kills 12] [--takeovers 2] [--seed 1]

Two homes share an account on a real PostgreSQL server; the model and the Bot API are servers on loopback. The leading
process is killed with SIGKILL at random times. Mostly it starts again and goes on leading; ``--takeovers`` times it
stays away until the other device leads, once the lease of 60 s has ended. Wanted: every message has one answer in the
chat, or the words for an answer that was cut off, in order. An answer that was given and then told as cut off, which a
kill between both can cause, is counted apart.
"""

import argparse
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from assistant.app.doors import AppDoors
from assistant.core.service.requests.sync.account import SetUpSync
from assistant.core.service.requests.telegram.linking import MakeTelegramCode, ReadTelegram, SetUpTelegram
from assistant.core.telegram.records import TelegramState
from assistant.engine.thread import EngineThread
from assistant.host.places import Places
from assistant.host.settings_edit import change_settings
from assistant.host.settings_file import read_settings
from benchmarks.remote.telegram_kills import scripted
from tests.contract.postgres import postgres_server
from tests.e2e.conversation.running_engine import TEXTS, Client, Shown
from tests.fakes.model_server.server import serve_in_thread
from tests.fakes.telegram_server.server import TOKEN, TelegramServer, telegram_server

_CHAT = 1001
_WORDS = "서로 상관없는 네 낱말입니다"
_OUTSTANDING = 6
_ANSWER = re.compile(r"답은 (\d+)번입니다만\.")


def main() -> None:
    """Run, and print what was found; or be one of the engines."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--updates", type=int, default=60)
    parser.add_argument("--kills", type=int, default=12)
    parser.add_argument("--takeovers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--home", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--account", default="", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.home is not None:
        _answer(given.home, given.account)
        return
    with tempfile.TemporaryDirectory() as folder:
        found = takeovers(Path(folder), given.updates, given.kills, given.takeovers, given.seed)
    for name, value in found.items():
        sys.stdout.write(f"{name}: {value}\n")


def _answer(home: Path, account: str) -> None:
    """Run an engine until it is killed; it writes whether it leads, at each change."""
    settings = read_settings(home / "config.toml")
    engine = EngineThread(home, settings, TEXTS, hears=False, make_doors=partial(AppDoors, Places(home)))
    client = Client(engine, Shown())
    engine.start()
    _ = client.conversation
    if not settings.sync.server:
        client.result(SetUpSync(address=account, passphrase=_WORDS, device=home.name, in_file=True))
        client.result(SetUpTelegram(token=TOKEN, in_file=True))
        if home.name == "one":
            _tell(client.result(MakeTelegramCode()).code)
    told: Any = None
    while True:
        state = client.result(ReadTelegram()).state
        if state is not told and state in (TelegramState.RUNNING, TelegramState.ELSEWHERE):
            told = state
            _tell(state)
        time.sleep(0.1)


def _tell(word: str) -> None:
    sys.stdout.write(f"told {word}\n")
    sys.stdout.flush()


class _Device:
    """The process of a device."""

    def __init__(self, home: Path, account: str) -> None:
        self.home, self.account, self.words = home, account, list[str]()

    def start(self) -> None:
        self.words = []
        command = [sys.executable, "-m", "benchmarks.remote.telegram_takeovers"]
        command += ["--home", str(self.home), "--account", self.account]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        threading.Thread(target=self._read, args=(self.process, self.words), daemon=True).start()

    def _read(self, process: "subprocess.Popen[str]", words: list[str]) -> None:
        for line in process.stdout or ():
            words += [line.split()[1]] if line.startswith("told ") else []

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    @property
    def leads(self) -> bool:
        return self.words[-1:] == [TelegramState.RUNNING]


def takeovers(folder: Path, updates: int, most_kills: int, changes: int, seed: int) -> dict[str, Any]:
    """Let messages be answered while the leading process is killed; returns what was found."""
    chance = random.Random(seed)  # noqa: S311 - times of kills
    with (
        serve_in_thread(scripted) as model,
        telegram_server() as (telegram, api),
        postgres_server(folder / "postgres") as account,
    ):
        devices = [_Device(_home(folder / name, model.base_url, api), account) for name in ("one", "two")]
        for each in devices:
            each.start()
            telegram.until(lambda each=each: each.words[1:] if each.home.name == "one" else each.words, 120)  # type: ignore[misc]
            if each.home.name == "one":
                telegram.say(_CHAT, each.words[0])
                telegram.until(lambda: telegram.texts(_CHAT), 60)
        began, before = time.monotonic(), len(telegram.texts(_CHAT))
        threading.Thread(target=_ask, args=(telegram, updates, before), daemon=True).start()
        waits = []
        leader, other = devices
        for kill in range(most_kills):
            time.sleep(chance.uniform(0.5, 4.0))
            leader.kill()
            if kill % max(1, most_kills // changes) == 0:
                at = time.monotonic()
                telegram.until(lambda: other.leads, 180)  # noqa: B023 - used at once
                waits.append(round(time.monotonic() - at))
                leader.start()
                leader, other = other, leader
            else:
                leader.start()
                telegram.until(lambda: leader.leads, 120)  # noqa: B023 - as above
        last = f"답은 {updates}번입니다만."
        with suppress(AssertionError):
            telegram.until(lambda: last in telegram.texts(_CHAT) or len(_told(telegram, before)) >= updates, 240)
        time.sleep(5)
        for each in devices:
            each.kill()
        found = {"kills": most_kills, "seconds until the other led": waits, "seconds": round(time.monotonic() - began)}
        return {**found, **_judged(_told(telegram, before), updates), "not confirmed": telegram.waiting}


def _home(home: Path, model: str, api: str) -> Path:
    home.mkdir()
    lines = [
        'language = "ko"\n[llm]\nprovider = "mine"\nmodel = "scripted-model"\n',
        f'[[providers]]\nname = "mine"\nkind = "openai"\nbase_url = "{model}"\n',
        '[voice]\ntts = "espeak"\n',
        f'[telegram]\nserver = "{api}"\nmissed_messages = 100\n',
    ]
    (home / "config.toml").write_text("".join(lines), encoding="utf-8")
    change_settings(home / "config.toml", {})
    return home


def _told(telegram: TelegramServer, before: int) -> list[str]:
    return [text for text in telegram.texts(_CHAT)[before:] if text != "…"]


def _ask(telegram: TelegramServer, updates: int, before: int) -> None:
    for number in range(1, updates + 1):
        telegram.until(lambda number=number: number - 1 - len(_told(telegram, before)) < _OUTSTANDING, 3600)  # type: ignore[misc]
        telegram.say(_CHAT, f"번호 {number}번을 말해 줘")


def _judged(told: list[str], updates: int) -> dict[str, Any]:
    """Reads the chat from its beginning: whose answer each of the messages is."""
    interrupted = TEXTS("telegram.chat.interrupted")
    answers = [int(found[1]) for text in told if (found := _ANSWER.fullmatch(text))]
    cut_off, strange = (
        told.count(interrupted),
        [each for each in told if each != interrupted and not _ANSWER.match(each)],
    )
    lost, next_one, words = 0, 1, 0
    for text in [*told, f"답은 {updates + 1}번입니다만."]:
        if text == interrupted:
            words += 1
        elif (found := _ANSWER.fullmatch(text)) and int(found[1]) >= next_one:
            lost += max(0, int(found[1]) - next_one - words)
            next_one, words = int(found[1]) + 1, 0
    return {
        "answers": len(answers),
        "told as interrupted": cut_off,
        "answered and told as interrupted": len(answers) + cut_off - updates + lost,
        "lost": lost,
        "answered twice": len(answers) - len(set(answers)),
        "out of order": sum(later < former for former, later in pairwise(answers)),
        "strange": strange,
    }


if __name__ == "__main__":
    main()
