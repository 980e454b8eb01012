"""``python main.py`` in a terminal without a screen: typed conversation, as a person has it."""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.core.settings import LlmSettings, Provider, Settings
from assistant.engine.voice_wiring import speech_threads
from assistant.host.needed_models import needed_models
from assistant.host.texts import load_texts
from tests.e2e.terminal import CTRL_D, Terminal, screenless
from tests.fakes.model_server.server import RecordedRequest, Reply, ScriptedCall, serve_in_thread
from tests.fakes.model_server.sori_settings import scripted_settings
from tests.fakes.voices.kokoro import write_pace

ROOT = Path(__file__).parents[2]
TEXTS = load_texts("ko")
VOICE = """
[voice]
tts = "espeak"
"""
"""Nothing is spoken here, so the voice is the one that loads at once."""
LONG = "하나 둘 셋 넷 다섯 여섯 일곱 여덟 아홉 열 " * 50

pytestmark = [
    pytest.mark.models,
    pytest.mark.timeout(300),
    pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are POSIX's"),
]


def reply_to(request: RecordedRequest) -> Reply:
    asked = request.body["messages"][-1]["content"]
    if "길게" in asked:
        return Reply(text=LONG, tokens_per_second=20)
    return Reply(text="네, 안녕하세요!" if "안녕" in asked else "Yes, good morning!")


def terminal(home: Path, *arguments: str) -> Terminal:
    return Terminal([sys.executable, "main.py", *arguments], ROOT, screenless(home))


@pytest.fixture
def home(tmp_path: Path, model_path: Callable[[str], Path]) -> Path:
    mine = Provider(name="mine", kind="openai")
    for model in needed_models(Settings(llm=LlmSettings(provider="mine"), providers=(mine,))):
        model_path(model)
    write_pace(tmp_path, threads=speech_threads(Settings()))
    return tmp_path


def configure(home: Path, base_url: str) -> None:
    (home / "config.toml").write_text(scripted_settings(base_url, VOICE), encoding="utf-8")


def test_a_conversation_in_the_terminal_goes_on_after_a_restart(home: Path) -> None:
    prompt = TEXTS("console.prompt")
    with serve_in_thread(reply_to) as server:
        configure(home, server.base_url)
        with terminal(home) as first:
            first.expect(TEXTS("console.welcome"))
            first.expect(prompt)
            first.type("안녕하세요")
            first.expect("소리: 네, 안녕하세요!")
            first.expect(prompt)
            first.type("good morning")
            first.expect("소리: Yes, good morning!")
            first.expect(prompt)
            first.type("/help")
            first.expect("/voice")
            first.expect(prompt)
            first.type("/fly")
            first.expect(TEXTS("console.unknown", command="/fly"))
            first.expect(prompt)
            first.type("길게 말해 줘")
            first.expect("하나 둘 셋")
            first.interrupt()
            first.expect(prompt)
            first.type("/quit")
            assert first.status() == 0
            assert "Traceback" not in first.screen
            assert LONG.strip() not in first.screen

        with terminal(home) as second:
            second.expect(prompt)
            second.type("또 왔어요, 안녕!")
            second.expect("소리: 네, 안녕하세요!")
            second.expect(prompt)
            second.press(CTRL_D)
            assert second.status() == 0
        asked = [message["content"] for message in server.chats[-1].body["messages"]]
    said = "\n".join(asked)
    assert all(words in said for words in ("안녕하세요", "네, 안녕하세요!", "good morning", "Yes, good morning!"))
    assert "하나 둘 셋" in said
    assert LONG.strip() not in said


def test_quitting_tells_once_what_would_not_ring(home: Path) -> None:
    prompt = TEXTS("console.prompt")
    with serve_in_thread(reply_to) as server:
        configure(home, server.base_url)
        with terminal(home, "chat") as first:
            first.expect(prompt)
            first.type("내일 아침 7시에 깨워 줘")
            first.expect(prompt)
            first.type("/quit")
            first.expect(TEXTS("desktop.ending.rings"))
            first.expect("오전 7시 알람")
            first.expect(TEXTS("console.quit_again"))
            first.expect(prompt)
            first.type("/quit")
            assert first.status() == 0


def asks_for_the_clipboard(request: RecordedRequest) -> Reply:
    messages = request.body["messages"]
    if messages[-1]["role"] == "tool":
        return Reply(text="그럼 읽지 않을게요.")
    if "클립보드" in messages[-1]["content"]:
        return Reply(tool_calls=(ScriptedCall(name="read_clipboard", arguments="{}"),))
    return reply_to(request)


def test_a_typed_conversation_asks_before_a_tool_and_is_found_opened_and_gone_on_with(home: Path) -> None:
    prompt = TEXTS("console.prompt")
    with serve_in_thread(asks_for_the_clipboard) as server:
        configure(home, server.base_url)
        with terminal(home, "chat") as first:
            first.expect(prompt)
            first.type("클립보드 읽어 줘")
            first.expect(TEXTS("desktop.ask.danger.sensitive"))
            first.expect(TEXTS("console.ask"))
            first.type("")
            first.expect("소리: 그럼 읽지 않을게요.")
            first.expect(prompt)
            first.type("/new")
            first.expect(TEXTS("console.new"))
            first.type("/tools")
            first.expect("read_clipboard")
            first.type("/search 그럼 읽지")
            first.expect("[그럼 읽지] 않을게요.")
            first.type("/open 1")
            first.expect("소리: 그럼 읽지 않을게요.")
            first.expect(prompt)
            first.press(CTRL_D)
            assert first.status() == 0
        with terminal(home, "chat", "--continue") as second:
            second.expect("소리: 그럼 읽지 않을게요.")
            second.expect(prompt)
            second.type("안녕")
            second.expect("소리: 네, 안녕하세요!")
            second.expect(prompt)
            second.hang_up()
            assert second.status() == 128 + signal.SIGHUP
        asked = [str(message["content"]) for message in server.chats[-1].body["messages"]]
    assert any("클립보드 읽어 줘" in each for each in asked)


def test_ctrl_c_at_an_empty_prompt_leaves(home: Path) -> None:
    configure(home, "http://127.0.0.1:9/v1")
    with terminal(home) as it:
        it.expect(TEXTS("console.prompt"))
        it.interrupt()
        assert it.status() == 0


SESSIONS = """
import asyncio, sys
from prompt_toolkit.history import InMemoryHistory
from assistant.terminal.line_editor import InterruptError, LineEditor

async def session():
    async with LineEditor(InMemoryHistory()) as editor:
        try:
            await editor.read("> ")
        except InterruptError:
            return
        sys.exit("not obeyed")

for number in range(30):
    print("session", number, flush=True)
    asyncio.run(session())
print("all left")
"""


def test_ctrl_c_pressed_in_the_instant_in_which_a_prompt_is_seen_is_obeyed(tmp_path: Path) -> None:
    environment = {**os.environ, "TERM": "xterm", "PYTHONPATH": str(ROOT)}
    with Terminal([sys.executable, "-c", SESSIONS], tmp_path, environment) as it:
        for number in range(30):
            it.expect(f"session {number}")
            it.expect(">")
            it.interrupt()
        it.expect("all left")
        assert it.status() == 0


def test_an_engine_that_cannot_start_ends_the_console_with_its_reason(home: Path) -> None:
    configure(home, "http://127.0.0.1:9/v1")
    (home / "sori.db").mkdir()
    with terminal(home) as it:
        it.expect(TEXTS("console.stopped", reason="").strip())
        assert it.status() == 1
        assert "Traceback" not in it.screen
