"""A provider is one file: the one in docs/adding-a-provider.md, put in place, answers a user."""

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from assistant.core.errors import SettingsError
from assistant.core.live_settings import LiveSettings
from assistant.core.machine.states import TurnId
from assistant.core.packets import AnswerDelta, Done, Failure, Packet
from assistant.engine.chat_wiring import build_chat
from assistant.host.settings_file import read_settings
from assistant.host.texts import load_texts
from assistant.llm import providers
from tests.fakes.asking.turns import turn_packets
from tests.fakes.system.volume import FakeVolume

PAGE = Path(__file__).parents[2] / "docs" / "adding-a-provider.md"
CONFIG = """
language = "en"
[llm]
provider = "sixth"
model = "some-model"
[[providers]]
name = "sixth"
kind = "example"
base_url = "http://127.0.0.1:{port}"
"""


@pytest.fixture
def sixth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The page's file among the providers."""
    folder = tmp_path / "providers"
    folder.mkdir()
    code = re.search(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert code is not None
    (folder / "example.py").write_text(code.group(1), encoding="utf-8")
    monkeypatch.setattr(providers, "__path__", [*providers.__path__, str(folder)])
    yield folder / "example.py"
    sys.modules.pop("assistant.llm.providers.example", None)
    vars(providers).pop("example", None)


@asynccontextmanager
async def serving(*lines: object, status: str = "200 OK") -> AsyncIterator[tuple[int, list[bytes]]]:
    """A server of the imaginary API: its port, and the bodies that it was sent."""
    bodies: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head.lower())
        bodies.append(await reader.readexactly(int(length.group(1)) if length else 0))
        writer.write(f"HTTP/1.1 {status}\r\nConnection: close\r\n\r\n".encode())
        for line in lines:
            writer.write(json.dumps(line).encode() + b"\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1], bodies


async def asked(home: Path, port: int) -> list[Packet]:
    config = home / "config.toml"
    config.write_text(CONFIG.format(port=port))
    chat = await build_chat(home, LiveSettings(read_settings(config)), load_texts("en"), volume=FakeVolume())
    try:
        conversation = await chat.storage.conversations.create()
        return [
            packet
            async for packet in turn_packets(chat.answers.engine, TurnId("1"), conversation, "How high is Hallasan?")
        ]
    finally:
        await chat.close()


async def test_the_pages_file_answers_a_user(sixth: Path, tmp_path: Path) -> None:
    end = {"stopped": "stop", "read": 20, "written": 2}
    async with serving({"text": "1,947 "}, {"text": "metres."}, end) as (port, bodies):
        packets = await asked(tmp_path, port)
    assert "".join(packet.text for packet in packets if isinstance(packet, AnswerDelta)) == "1,947 metres."
    done = packets[-1]
    assert isinstance(done, Done)
    assert (done.finish, done.provider, done.model) == ("complete", "sixth", "some-model")
    newest = json.loads(bodies[0])["messages"][-1]
    assert newest["from"] == "user"
    assert newest["text"].endswith("How high is Hallasan?")


async def test_the_pages_file_fails_as_every_provider_does(sixth: Path, tmp_path: Path) -> None:
    async with serving({"error": "no"}, status="401 Unauthorized") as (port, _):
        packets = await asked(tmp_path, port)
    assert [packet.code for packet in packets if isinstance(packet, Failure)] == ["authentication"]


def test_without_the_file_the_settings_do_not_know_its_kind(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text(CONFIG.format(port=1))
    with pytest.raises(SettingsError, match=r"choice: .*'example'") as raised:
        read_settings(config)
    assert raised.value.line == 8
    assert raised.value.values["choices"] == "anthropic, google, local, openai, zai"


def test_the_pages_file_is_as_clean_as_the_projects_own(sixth: Path) -> None:
    root = PAGE.parents[1]
    # The temporary folder is part of a package only while the test runs.
    tool = ["ruff", "check", "--config", str(root / "pyproject.toml"), "--ignore", "INP001"]
    done = subprocess.run(
        [sys.executable, "-m", *tool, str(sixth)], cwd=root, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_finding_the_kinds_loads_no_sdk() -> None:
    code = (
        "import sys; from assistant.llm.router import kinds_found; kinds_found();"
        "print(sorted({'openai', 'anthropic', 'google.genai', 'httpx2', 'PIL'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=PAGE.parents[1], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
