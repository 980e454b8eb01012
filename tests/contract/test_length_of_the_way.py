"""How long the way of a word is, from the session to a server's wire and back, counted on real turns.

A session runs a turn against a real server on loopback, over the SDK of each wire format. Only code of ``assistant``
counts. A second test begins with a key press in the window, whose engine runs on a thread of its own.

The way there: every function that is active when a request is handed to the HTTP transport. These are the frames of the
task that sends it. That task was created by another one, so the frames that were active when it was created belong to
the way too, and so on, back to the function that was handed the session's ``StartTurn`` effect, which is the first that
counts. A nested function or a comprehension is a function of its own. A function that has returned before the request
is sent, such as one that builds a part of it, is not on the way.

The way back: every asynchronous generator, and every ``__anext__`` of a class, that is active when a piece of the reply
is read from the connection: in the task that reads it, and in the tasks that wait for it, up to the one that takes the
packets.
"""

import asyncio
import gc
import inspect
import os
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import httpx2
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from typing_extensions import override

import assistant
from assistant.app.late_connection import LateConnection
from assistant.core import packets as pk
from assistant.core import updates as up
from assistant.core.live_settings import LiveSettings
from assistant.core.machine import events as ev
from assistant.core.machine.effects import StartTurn
from assistant.core.settings import LlmSettings, Provider, Settings
from assistant.desktop.bridge import Bridge
from assistant.desktop.composer.composer import MessageInput
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.theme import Theme
from assistant.desktop.main_window import MainWindow
from assistant.engine.chat_wiring import build_chat
from assistant.engine.thread import EngineThread
from assistant.host.places import RESOURCES
from assistant.host.texts import load_texts
from assistant.voice.session.session import Session
from assistant.voice.work import Work
from tests.fakes.backend_bench import KINDS, WIRES
from tests.fakes.clock import FakeClock
from tests.fakes.model_server.server import ModelServer, Reply
from tests.fakes.system.volume import FakeVolume

os.environ["QT_QPA_PLATFORM"] = "offscreen"

MOST_FUNCTIONS = 15
MOST_FUNCTIONS_TYPED = 21
"""From the key press in the window's composer. One of them, ``metered``, also serves the requests aside of a turn."""
MOST_GENERATORS = 5
COMPOSER_KEY = MessageInput.keyPressEvent.__code__
OURS = str(Path(assistant.__file__).parent)


@dataclass(frozen=True)
class Step:
    """An active function: its code, and whether it was handed the effect that starts a turn."""

    code: CodeType
    starts_turn: bool

    @property
    def presses_key(self) -> bool:
        """Whether this takes the key press in the composer."""
        return self.code is COMPOSER_KEY

    def __str__(self) -> str:
        return f"{self.code.co_filename.removeprefix(OURS)[1:]}: {self.code.co_qualname}"

    @property
    def passes_items_on(self) -> bool:
        """Whether this is an asynchronous generator, or an iterator's step."""
        return bool(self.code.co_flags & inspect.CO_ASYNC_GENERATOR) or self.code.co_name == "__anext__"


@dataclass
class Ways:
    """Records the ways of one turn."""

    there: list[list[Step]] = field(default_factory=list)
    back: list[list[Step]] = field(default_factory=list)
    _created: dict[Any, tuple[list[Step], Any]] = field(default_factory=dict)

    def make_task(self, loop: asyncio.AbstractEventLoop, work: Any, **options: Any) -> asyncio.Task[Any]:
        """A task factory that remembers who created a task."""
        creator = asyncio.current_task(loop) if asyncio._get_running_loop() is loop else None
        task: asyncio.Task[Any] = asyncio.Task(work, loop=loop, **options)
        self._created[task] = ([*_active(sys._getframe(1))], creator)
        return task

    def note_request(self) -> None:
        """A request is being handed to the transport."""
        steps = [*_active(sys._getframe(1))]
        for task in self._tasks():
            steps += self._created[task][0]
        starts = [number for number, step in enumerate(steps) if self.starts(step)]
        if starts:
            self.there.append([*dict.fromkeys(reversed(steps[: starts[-1] + 1]))])

    def starts(self, step: Step) -> bool:
        """Whether a way begins here."""
        return step.starts_turn

    def note_piece(self) -> None:
        """A piece of a reply was read."""
        steps = [*_active(sys._getframe(1))]
        for task in self._tasks():
            creator = self._created[task][1]
            steps += _waiting(creator) if creator is not None else []
        self.back.append([*dict.fromkeys(step for step in steps if step.passes_items_on)])

    def _tasks(self) -> Iterator[Any]:
        """The running task, the one that created it, and so on."""
        task: Any = asyncio.current_task()
        while task in self._created:
            yield task
            task = self._created[task][1]


def _active(frame: FrameType | None) -> Iterator[Step]:
    """Our functions on a stack, innermost first, up to the step of the event loop."""
    while frame is not None and frame.f_code is not asyncio.Handle._run.__code__:
        code = frame.f_code
        if code.co_filename.startswith(OURS):
            arguments = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            handed = any(isinstance(frame.f_locals.get(name), StartTurn) for name in arguments)
            yield Step(code, handed)
        frame = frame.f_back


def _waiting(task: asyncio.Task[Any]) -> list[Step]:
    """Our functions that a waiting task has begun and not ended."""
    steps: list[Step] = []
    at: Any = task.get_coro()
    while at is not None:
        if inspect.iscoroutine(at):
            code, at = at.cr_code, at.cr_await
        elif inspect.isasyncgen(at):
            code, at = at.ag_code, at.ag_await
        else:
            # The awaitable of a generator's next item does not name the generator.
            at = next((each for each in gc.get_referents(at) if inspect.isasyncgen(each)), None)
            continue
        if code.co_filename.startswith(OURS):
            steps.append(Step(code, starts_turn=False))
    return steps


class TappedBody(httpx2.AsyncByteStream):
    """The body of a response, with a note of each piece."""

    def __init__(self, body: Any, ways: Ways) -> None:
        self._body = body
        self._ways = ways

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._body:
            self._ways.note_piece()
            yield piece

    async def aclose(self) -> None:
        await self._body.aclose()


def tap(monkeypatch: pytest.MonkeyPatch, ways: Ways) -> None:
    """Note each request that is handed to the transport, and each piece of its reply."""
    send = httpx2.AsyncHTTPTransport.handle_async_request

    async def handle(transport: httpx2.AsyncHTTPTransport, request: httpx2.Request) -> httpx2.Response:
        ways.note_request()
        response = await send(transport, request)
        if request.method == "POST":
            response.stream = TappedBody(response.stream, ways)
        return response

    monkeypatch.setattr(httpx2.AsyncHTTPTransport, "handle_async_request", handle)


@pytest.fixture
def ways(monkeypatch: pytest.MonkeyPatch) -> Ways:
    ways = Ways()
    tap(monkeypatch, ways)
    return ways


@contextmanager
def server_of(kind: str) -> Iterator[Provider]:
    """A server of this kind on a loop of its own."""
    with asyncio.Runner() as runner:
        server = ModelServer([Reply(text="1,947 metres, in four pieces.")], wire=WIRES[kind]())
        runner.run(server.__aenter__())
        serving = threading.Thread(target=runner.get_loop().run_forever, daemon=True)
        serving.start()
        try:
            yield Provider(name="mine", kind=kind, base_url=server.base_url)
        finally:
            runner.get_loop().call_soon_threadsafe(runner.get_loop().stop)
            serving.join()
            runner.run(server.__aexit__(None, None, None))


async def answered(home: Path, provider: Provider, ways: Ways) -> str:
    """The answer to one message, with its way recorded."""
    settings = Settings(language="en", llm=LlmSettings(provider="mine", model="scripted-model"), providers=(provider,))
    live, texts = LiveSettings(settings), load_texts("en")
    answer, over = "", asyncio.Event()

    def publish(update: up.Update) -> None:
        nonlocal answer
        if isinstance(update, up.PacketEmitted) and isinstance(update.packet, pk.AnswerDelta):
            answer += update.packet.text
        if isinstance(update, up.PacketEmitted) and isinstance(update.packet, pk.Done):
            over.set()

    chat = await build_chat(home, live, texts, publish, clock=FakeClock(), volume=FakeVolume())
    session = Session(
        chat.answers.board,
        chat.answers.engine,
        live,
        texts,
        meaning=chat.answers.commands.meaning,
        publish=publish,
        work=Work(),
        conversation=await chat.storage.conversations.create(),
    )
    loop = asyncio.get_running_loop()
    loop.set_task_factory(ways.make_task)
    try:
        session.tell(ev.VoiceToggled())
        session.tell(ev.UtteranceTranscribed(turn=session.snapshot.turn, text="How high is Hallasan?"))
        async with asyncio.timeout(60):
            await over.wait()
    finally:
        loop.set_task_factory(None)
        await session.close()
        await chat.close()
    return answer


@pytest.mark.parametrize("kind", KINDS)
async def test_the_way_to_the_wire_and_back_is_short(tmp_path: Path, ways: Ways, kind: str) -> None:
    async with ModelServer([Reply(text="1,947 metres, in four pieces.")], wire=WIRES[kind]()) as server:
        answer = await answered(tmp_path, Provider(name="mine", kind=kind, base_url=server.base_url), ways)
    assert answer == "1,947 metres, in four pieces."
    assert ways.there
    assert len(ways.back) > 1
    there = max(ways.there, key=len)
    assert there[0].starts_turn, "the way begins where a turn is started"
    assert len(there) <= MOST_FUNCTIONS, "\n".join(map(str, there))
    back = max(ways.back, key=len)
    assert back, "packets pass at least one generator"
    assert len(back) <= MOST_GENERATORS, "\n".join(map(str, back))


class TypedWays(Ways):
    """Records the ways of a turn that begins with a key press in the window, on another thread than the engine's."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__()
        self._cause: list[Step] = []
        call = asyncio.BaseEventLoop.call_soon_threadsafe
        ways = self

        def call_soon_threadsafe(loop: Any, callback: Callable[..., Any], *arguments: Any, context: Any = None) -> Any:
            steps = [*_active(sys._getframe(1))]
            if asyncio._get_running_loop() is loop or not any(step.presses_key for step in steps):
                return call(loop, callback, *arguments, context=context)

            def caused() -> None:
                loop.set_task_factory(ways.make_task)
                ways._cause = steps
                callback(*arguments)
                ways._cause = []

            return call(loop, caused, context=context)

        monkeypatch.setattr(asyncio.BaseEventLoop, "call_soon_threadsafe", call_soon_threadsafe)

    @override
    def make_task(self, loop: asyncio.AbstractEventLoop, work: Any, **options: Any) -> asyncio.Task[Any]:
        task = super().make_task(loop, work, **options)
        self._created[task][0].extend(self._cause)
        return task

    @override
    def starts(self, step: Step) -> bool:
        return step.presses_key


@pytest.fixture
def typed_ways(monkeypatch: pytest.MonkeyPatch) -> TypedWays:
    ways = TypedWays(monkeypatch)
    tap(monkeypatch, ways)
    return ways


@pytest.mark.qt_log_ignore("plugin does not support", "systemTrayWindowChanged")
@pytest.mark.parametrize("kind", KINDS)
def test_the_way_from_the_key_to_the_wire_is_short(
    tmp_path: Path, typed_ways: TypedWays, qapp: QApplication, qtbot: QtBot, kind: str
) -> None:
    texts, shown = load_texts("en"), []
    bridge = Bridge()
    connection = LateConnection(bridge)
    theme = Theme(qapp, "light")
    window = MainWindow(connection, texts, Icons(RESOURCES / "icons"), theme, tmp_path, talk_key="F9")
    qtbot.addWidget(window, before_close_func=MainWindow.let_close)

    def show(update: up.Update) -> None:
        window.show_update(update)
        if isinstance(update, up.PacketEmitted) and isinstance(update.packet, pk.AnswerDelta):
            shown.append(update.packet.text)

    bridge.connect_view(show)
    with server_of(kind) as provider:
        settings = Settings(language="en", llm=LlmSettings(provider="mine", model="m"), providers=(provider,))
        engine = EngineThread(tmp_path, settings, texts, hears=False)
        connection.connect(engine.connect(lambda delivery: bridge.publish(delivery.event), name="window"))
        engine.start()
        window.follow()
        window.show()
        try:
            qtbot.waitUntil(lambda: bool(window._view.conversation), timeout=60_000)
            QTest.keyClicks(window.composer.input, "How high is Hallasan?")
            QTest.keyClick(window.composer.input, Qt.Key.Key_Return)
            qtbot.waitUntil(lambda: "pieces" in "".join(shown), timeout=60_000)
        finally:
            engine.stop(30)
            bridge.close()
            theme.deleteLater()
    there = max(typed_ways.there, key=len)
    assert there[0].presses_key, "the way begins with the key press"
    assert len(there) <= MOST_FUNCTIONS_TYPED, "\n".join(map(str, there))
