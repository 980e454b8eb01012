"""The whole engine on its thread, and everything that it publishes."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from assistant.core import controls as ct
from assistant.core import updates as up
from assistant.core.packets import AnswerDelta, Done
from assistant.core.settings import LlmSettings, Provider, Settings, VoiceSettings
from assistant.engine.thread import EngineThread
from assistant.host.texts import load_texts
from tests.fakes.model_server.server import Reply

LIMIT_S = 60.0
TEXTS = load_texts("ko")
SLOW = Reply(text="하나 둘 셋 넷 다섯 여섯 일곱 여덟 아홉 열 " * 50, tokens_per_second=20)

_Update = TypeVar("_Update")


class Shown:
    """Everything that an engine published."""

    def __init__(self) -> None:
        self.updates: list[up.Update] = []
        self._arrived = threading.Condition()

    def publish(self, update: up.Update) -> None:
        with self._arrived:
            self.updates.append(update)
            self._arrived.notify_all()

    def until(self, kind: type[_Update], wanted: Callable[[_Update], bool] = lambda _: True) -> _Update:
        """The first update that is wanted, waited for."""

        def found() -> list[_Update]:
            return [update for update in self.updates if isinstance(update, kind) and wanted(update)]

        with self._arrived:
            assert self._arrived.wait_for(found, LIMIT_S), f"no {kind.__name__} among {self.updates}"
            return found()[0]

    def all(self, kind: type[_Update]) -> list[_Update]:
        with self._arrived:
            return [update for update in self.updates if isinstance(update, kind)]

    @property
    def answer(self) -> str:
        packets = [update.packet for update in self.all(up.PacketEmitted)]
        return "".join(packet.text for packet in packets if isinstance(packet, AnswerDelta))


def finished(update: up.PacketEmitted) -> bool:
    return isinstance(update.packet, Done)


def begun(update: up.PacketEmitted) -> bool:
    return isinstance(update.packet, AnswerDelta)


def settings_for(base_url: str, *, stt: str = "none") -> Settings:
    """Without a recogniser no voice is loaded, which most tests have no use for."""
    return Settings(
        language="ko",
        llm=LlmSettings(provider="mine", model="scripted-model"),
        providers=(Provider(name="mine", kind="openai", base_url=base_url),),
        voice=VoiceSettings(stt=stt, tts="espeak"),
    )


@contextmanager
def running(home: Path, settings: Settings, *early: ct.Control) -> Iterator[tuple[EngineThread, Shown]]:
    shown = Shown()
    engine = EngineThread(home, settings, TEXTS, shown.publish)
    for control in early:
        engine.send(control)
    engine.start()
    try:
        shown.until(up.ConversationOpened)
        yield engine, shown
    finally:
        assert engine.stop(LIMIT_S)
    assert shown.updates[-1] == up.EngineStopped()
    engine.send(ct.Stop())  # nobody is there any more, and nothing happens


def opened(shown: Shown) -> up.ConversationOpened:
    return shown.until(up.ConversationOpened)
