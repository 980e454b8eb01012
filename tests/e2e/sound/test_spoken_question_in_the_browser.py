"""A spoken turn asks, and somebody answers in the browser: ``sori serve``, a sound server, and Chromium."""

import asyncio
import http.client
import json
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from assistant.audio.cards.recordings import read_recording
from assistant.core.audio import PLAYBACK_RATE
from assistant.core.permissions import Category
from assistant.core.service.callers import Caller
from assistant.host.clock import SystemClock
from assistant.host.tokens import TokenFile
from tests.e2e.remote.conftest import Stream
from tests.e2e.remote.test_page import Browser
from tests.e2e.sound.event_process import ROOT
from tests.e2e.sound.test_spoken_question import QUESTION, REPLY, transcribed
from tests.e2e.sound_server import SoundServer
from tests.e2e.terminal import screenless
from tests.fakes.model_server.script import RecordedRequest, ScriptedCall
from tests.fakes.model_server.server import Reply, serve_in_thread
from tests.fakes.model_server.sori_settings import scripted_settings
from tests.fakes.sound.human_speech import THREADS
from tests.fakes.voices.kokoro import write_pace

FACT = "The user drinks large coffee."
LIMIT_S = 90.0


def reply_to(request: RecordedRequest) -> Reply:
    """A call that needs consent, and then what is said after its result."""
    if request.body["messages"][-1]["role"] == "tool":
        return Reply(text=REPLY)
    return Reply(text="", tool_calls=(ScriptedCall(name="remember", arguments=json.dumps({"fact": FACT})),))


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def served(home: Path, server: SoundServer, base_url: str, port: int) -> Iterator[None]:
    """``sori serve`` with a microphone, a speaker and the HTTP door."""
    voice = f"""
[voice]
wake_word = "alexa"
cues = false
tts = "piper"
threads = {THREADS}
[http]
enabled = true
port = {port}
"""
    (home / "config.toml").write_text(scripted_settings(base_url, voice, language="en"), encoding="utf-8")
    write_pace(home)
    environment = {**server.environment, **{name: value for name, value in screenless(home).items() if "SORI" in name}}
    command = [sys.executable, "-m", "assistant.app.command_line", "serve"]
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline()
        yield
        process.send_signal(signal.SIGTERM)
        assert process.wait(LIMIT_S) == 0
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def followed(port: int, token: str) -> list[str]:
    """What Sori does, one after another from now on: a list that grows."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LIMIT_S)
    connection.request("GET", "/v1/events", headers={"authorization": f"Bearer {token}"})
    stream, seen = Stream(connection, connection.getresponse()), list[str]()

    def follow() -> None:
        with closing(stream), suppress(OSError, http.client.HTTPException):  # Sori ends.
            for each in stream:
                if each.kind == "state_changed":
                    seen.append(each.data["snapshot"]["interaction"])

    threading.Thread(target=follow, daemon=True).start()
    return seen


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + LIMIT_S
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.1)


@pytest.mark.sound
@pytest.mark.models
def test_a_question_of_a_spoken_turn_is_answered_in_the_browser_and_the_voice_goes_on(
    sound_server: SoundServer, tmp_path: Path, model_path: Callable[[str], Path]
) -> None:
    for weights in ("whisper-base", "openwakeword", "smart-turn-v3", "piper-en-joe"):
        model_path(weights)
    port = free_port()
    with serve_in_thread(reply_to) as model, served(tmp_path, sound_server, model.base_url, port):
        granted = frozenset({Category.SAFE, Category.SENSITIVE})
        token = TokenFile(tmp_path / "http-tokens.json", SystemClock()).add(Caller(name="test", categories=granted))

        def status() -> Any:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LIMIT_S)
            connection.request("GET", "/v1/status", headers={"authorization": f"Bearer {token}"})
            told = json.load(connection.getresponse())
            connection.close()
            return told

        def hears() -> bool:
            try:
                return bool(status()["devices"]["microphone"])
            except OSError:  # The door opens when the engine is loaded.
                return False

        until(hears)
        seen = followed(port, token)
        page = Browser(port)
        try:
            page.sign_in(tmp_path)
            page.open(f"#c={status()['conversation']}")
            asyncio.run(sound_server.say(read_recording(QUESTION, PLAYBACK_RATE)))
            page.until(lambda: page.one(".ask .yes"))
            assert "can i" in "".join(page.all(".message.user")).lower()
            assert FACT in page.one(".ask dd").text
            until(lambda: "speaking" in seen[:-1])  # It has asked aloud, too.
            asked = len(seen)
            recorder = sound_server.record()
            page.click(".ask .yes")
            page.until(lambda: REPLY in "".join(page.answers()))
            page.until(lambda: page.one(".ask.over"))
            until(lambda: "speaking" in seen[asked:])
            until(lambda: "listening" in seen[seen.index("speaking", asked) :])
            spoken = recorder.stop()
        finally:
            page.driver.quit()
    assert any(FACT in each.read_text(encoding="utf-8") for each in tmp_path.rglob("*.md"))
    assert "right away" in transcribed(spoken, model_path).lower()
