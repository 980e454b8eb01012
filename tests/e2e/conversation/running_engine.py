"""The whole engine on its thread, and a client that follows the open conversation."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from assistant.core import updates as up
from assistant.core.machine.states import TurnId
from assistant.core.messages import Attachment
from assistant.core.packets import AnswerDelta, Done
from assistant.core.service.events import Delivery
from assistant.core.service.request import Refusal, Request
from assistant.core.service.requests.conversations import FollowConversation
from assistant.core.service.requests.engine import EndEngine
from assistant.core.service.requests.turns import BeginTurn
from assistant.core.settings import LlmSettings, Provider, Settings, VoiceSettings
from assistant.core.texts import Texts
from assistant.engine.thread import EngineThread
from assistant.host.texts import load_texts
from tests.fakes.model_server.server import Reply

LIMIT_S = 60.0
TEXTS = load_texts("ko")
SLOW = Reply(text="하나 둘 셋 넷 다섯 여섯 일곱 여덟 아홉 열 " * 50, tokens_per_second=20)

MakeEngine = Callable[[Path, Settings, Texts], EngineThread]
_Update = TypeVar("_Update")
_Result = TypeVar("_Result")


class Shown:
    """Everything that a client of an engine was shown: events, conversations that it asked for, and refusals."""

    def __init__(self) -> None:
        self.updates: list[Any] = []
        self._arrived = threading.Condition()

    def publish(self, update: object) -> None:
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


class Client:
    """A client that follows the open conversation of an engine, and talks in it."""

    def __init__(self, engine: EngineThread, shown: Shown, name: str = "test") -> None:
        self.engine, self.shown = engine, shown
        self.connection = engine.connect(self._take, name=name)
        self.send(FollowConversation())

    def _take(self, delivery: Delivery) -> None:
        self.shown.publish(delivery.event)

    @property
    def conversation(self) -> str:
        """The conversation that was opened last."""
        self.shown.until(up.ConversationOpened)
        return self.shown.all(up.ConversationOpened)[-1].conversation

    def send(self, request: Request[Any]) -> None:
        """Send a request; a conversation that it shows, and a refusal, are kept among what was shown."""
        self.connection.ask(request, self._take_reply)

    def _take_reply(self, reply: object) -> None:
        if isinstance(reply, Refusal | up.ConversationOpened):
            self.shown.publish(reply)

    def result(self, request: Request[_Result]) -> _Result:
        """Send a request and wait for its result."""
        replies: list[Any] = []
        done = threading.Event()

        def take(reply: Any) -> None:
            replies.append(reply)
            done.set()

        self.connection.ask(request, take)
        assert done.wait(LIMIT_S), f"no reply to {request}"
        assert not isinstance(replies[0], Refusal), replies[0]
        return replies[0]  # type: ignore[no-any-return]

    def say(self, text: str, attachments: tuple[Attachment, ...] = (), *, conversation: str = "") -> TurnId:
        """Send a typed message; returns its turn."""
        turn = self.connection.new_turn()
        where = conversation or self.conversation
        self.send(BeginTurn(turn=turn, conversation=where, text=text, attachments=attachments))
        return turn


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
def running(
    home: Path, settings: Settings, *, hears: bool = True, make: MakeEngine | None = None
) -> Iterator[tuple[Client, Shown]]:
    shown = Shown()
    engine = EngineThread(home, settings, TEXTS, hears=hears) if make is None else make(home, settings, TEXTS)
    client = Client(engine, shown)
    engine.start()
    try:
        shown.until(up.ConversationOpened)
        yield client, shown
    finally:
        assert engine.stop(LIMIT_S)
        shown.until(up.EngineStopped)
    assert shown.updates[-1] == up.EngineStopped()
    client.send(EndEngine())  # nobody is there any more
    assert shown.until(Refusal, lambda each: each.reason == "engine_gone")


def opened(shown: Shown) -> up.ConversationOpened:
    return shown.until(up.ConversationOpened)
