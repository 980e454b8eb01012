"""``sori chat`` before a server of every kind: an image that is seen and, as a process, an answer that is stopped."""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from assistant.core.messages import Completion, Message
from assistant.host.clock import SystemClock
from assistant.storage.conversation_list import ConversationList
from assistant.storage.conversations import ConversationStore
from assistant.storage.database import Database
from tests.e2e.in_process import run_command
from tests.fakes.backend_bench import KEY, KINDS, WIRES
from tests.fakes.files_sent import files_in
from tests.fakes.model_server.server import ModelServer, Reply
from tests.fakes.model_server.sori_settings import scripted_settings
from tests.fakes.pictures import decoded, drawn, encoded

ROOT = Path(__file__).parents[2]
LIMIT_S = 60.0
ENDLESS = Reply(text="하나 둘 셋 넷 다섯 여섯 일곱 여덟 아홉 열 " * 50, tokens_per_second=20)

pytestmark = pytest.mark.parametrize("kind", KINDS)


def make_home(home: Path, kind: str, server: ModelServer) -> None:
    home.mkdir()
    settings = scripted_settings(server.base_url, 'api_key_env = "MINE_API_KEY"', kind=kind)
    (home / "config.toml").write_text(settings, encoding="utf-8")


async def started(home: Path, kind: str, server: ModelServer, *arguments: str) -> asyncio.subprocess.Process:
    make_home(home, kind, server)
    return await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "assistant.app.command_line", "chat", "--json", *arguments),
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "SORI_HOME": str(home), "PYTHONPATH": str(ROOT), "MINE_API_KEY": KEY},
    )


async def packets_of(process: asyncio.subprocess.Process) -> list[dict[str, Any]]:
    """All that is still to be printed."""
    assert process.stdout is not None
    async with asyncio.timeout(LIMIT_S):
        return [json.loads(line) for line in (await process.stdout.read()).splitlines()]


async def first_words(process: asyncio.subprocess.Process) -> str:
    """The first piece of the answer, once there is one."""
    assert process.stdout is not None
    async with asyncio.timeout(LIMIT_S):
        while True:
            packet = json.loads(await process.stdout.readline())
            if packet["type"] == "answer_delta":
                return str(packet["text"])


async def stored(home: Path) -> tuple[Message, ...]:
    database = await Database.open(home / "sori.db", SystemClock())
    latest = await ConversationList(database, SystemClock()).last_open()
    assert latest is not None
    messages = await (await ConversationStore.open(database, SystemClock())).messages(latest)
    await database.close()
    return messages


def said(packets: list[dict[str, Any]]) -> str:
    return "".join(packet["text"] for packet in packets if packet["type"] == "answer_delta")


async def test_an_image_is_seen_and_a_broken_one_is_said_to_be_left_out(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (whole := tmp_path / "whole.png").write_bytes(encoded(drawn()))
    (cut := tmp_path / "cut.png").write_bytes(encoded(drawn())[:60])
    async with ModelServer((Reply(text="빨강과 파랑이에요."),), wire=WIRES[kind](), api_key=KEY) as server:
        make_home(tmp_path / "home", kind, server)
        monkeypatch.setenv("SORI_HOME", str(tmp_path / "home"))
        monkeypatch.setenv("MINE_API_KEY", KEY)
        images = ("--image", str(whole), "--image", str(cut))
        told = await asyncio.to_thread(run_command, "chat", "--json", "무슨 색이야?", *images)
        assert told.status == 0
        packets = [json.loads(line) for line in told.printed.splitlines()]
        ((_, data),) = files_in(server.chats[-1].body)
    assert decoded(data).tobytes() == drawn().tobytes()
    assert said(packets) == "빨강과 파랑이에요."
    assert (packets[-1]["type"], packets[-1]["finish"]) == ("done", "complete")
    details = [packet["detail"] for packet in packets if packet["type"] == "status"]
    assert [words for words in details if "cut.png" in words]
    assert not [words for words in details if "whole.png" in words]
    question, answer = await stored(tmp_path / "home")
    assert [each.name for each in question.attachments] == ["whole.png", "cut.png"]
    assert answer.text == "빨강과 파랑이에요."


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
async def test_ctrl_c_hangs_up_and_keeps_what_had_arrived(kind: str, tmp_path: Path) -> None:
    async with ModelServer((ENDLESS,), wire=WIRES[kind](), api_key=KEY) as server:
        process = await started(tmp_path / "home", kind, server, "세어 봐")
        shown = await first_words(process)
        process.send_signal(signal.SIGINT)
        packets = await packets_of(process)
        assert await process.wait() == 130
        asked = server.chats[-1]
        async with asyncio.timeout(LIMIT_S):
            await asked.over.wait()
    assert asked.disconnected_at is not None
    assert asked.answered_at is None
    assert (packets[-1]["type"], packets[-1]["finish"]) == ("done", "cancelled")
    _, answer = await stored(tmp_path / "home")
    assert (answer.text, answer.completion) == (shown + said(packets), Completion.CANCELLED)
