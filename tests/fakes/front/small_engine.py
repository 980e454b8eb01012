"""An engine with one small domain behind the real hub and the real local socket; also as a process of its own."""

import asyncio
import sys
import threading
import time
from collections.abc import Awaitable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from assistant.audio.encoded import SPOKEN_RATE
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.machine.states import TurnId
from assistant.core.packets import AnswerDelta
from assistant.core.records.traces import StoredTrace
from assistant.core.service.request import Request
from assistant.core.service.requests.conversations import (
    DeleteConversation,
    FollowConversation,
    ImportConversations,
    ImportedConversations,
    RenameConversation,
)
from assistant.core.service.requests.records import ListTraces
from assistant.core.service.requests.speech import Speak, SpokenSound
from assistant.core.service.requests.voice import SetMuted, ToggleVoice
from assistant.core.updates import ConversationOpened, EngineStopped, NoticePosted, PacketEmitted
from assistant.engine.serving.hub import Hub
from assistant.engine.serving.table import Asker, Domain, Handler, Handlers, InOrder, RequestTable
from assistant.host.texts import load_texts
from assistant.remote.local.endpoint import HeldHome
from assistant.remote.local.server import LocalServer


class SmallDomain:
    """Carries out a few requests.

    Attributes:
        renamed: titles, in the order in which they came.
        toggled: how often the voice was toggled.
        spoken: texts that were read; each becomes a second of a steady tone.
        deleted: conversations that were deleted.
        files: files that were imported.
        muting: set while a ``SetMuted`` waits; it never ends by itself.
    """

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self.renamed, self.spoken, self.deleted, self.files = list[str](), list[str](), list[str](), list[str]()
        self.toggled = self._written = 0
        self.muting = threading.Event()
        self.given_up = threading.Event()

    def handlers(self) -> Handlers:
        """The requests."""
        return {
            FollowConversation: self.follow,
            RenameConversation: self.rename,
            ToggleVoice: self.toggle,
            SetMuted: self.mute,
            ListTraces: self.traces,
            Speak: self.speak,
            DeleteConversation: self.delete,
            ImportConversations: self.take_file,
        }

    async def follow(self, request: FollowConversation, asker: Asker) -> ConversationOpened:
        """Let the client follow a conversation."""
        self._hub.follow(asker.client, request.conversation)
        return ConversationOpened(conversation=request.conversation, messages=())

    async def rename(self, request: RenameConversation, _: Asker) -> None:
        """Note a title, and tell everybody; an empty one is refused."""
        if not request.title:
            raise SoriError(ErrorCode.INVALID_REQUEST, "no title", message_key="nothing_to_retry")
        self.renamed.append(request.title)
        self._hub.deliver(NoticePosted(key="notice.renamed", values={"title": request.title}))

    async def toggle(self, _request: ToggleVoice, _: Asker) -> None:
        """Count."""
        self.toggled += 1

    async def mute(self, _request: SetMuted, _: Asker) -> None:
        """Wait until the request is given up."""
        self.muting.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.given_up.set()

    async def speak(self, request: Speak, _: Asker) -> SpokenSound:
        """Read a text."""
        self.spoken.append(request.text)
        tone = np.tile(np.array([8000, -8000], "<i2"), SPOKEN_RATE // 2)
        return SpokenSound(sound=tone.tobytes(), duration_s=1.0, engine="tone")

    async def delete(self, request: DeleteConversation, _: Asker) -> None:
        """Note that a conversation is deleted."""
        self.deleted.append(request.conversation)

    async def take_file(self, request: ImportConversations, _: Asker) -> ImportedConversations:
        """Note a file, and say that it is damaged after its first conversation."""
        self.files.append(request.path)
        return ImportedConversations(added=1, messages=3, unknown=("conversations[1]",), failure="It is damaged.")

    async def traces(self, _request: ListTraces, _: Asker) -> tuple[StoredTrace, ...]:
        """No traces."""
        return ()

    def write(self, conversation: str, count: int, *, size: int = 1) -> None:
        """Send further packets of an answer to the followers of a conversation."""
        packet = AnswerDelta(turn_index=0, text="가" * size)
        for _ in range(count):
            self._written += 1
            event = PacketEmitted(conversation=conversation, turn=TurnId("t"), packet=packet, number=self._written)
            self._hub.deliver(event)


class _Noted:
    """Notes the requests for a domain."""

    def __init__(self, domain: Domain, asked: list[Request[Any]]) -> None:
        self._domain, self._asked = domain, asked

    def handlers(self) -> Handlers:
        """Those of the domain."""
        return {kind: self._noting(each) for kind, each in self._domain.handlers().items()}

    def _noting(self, each: Handler | InOrder) -> InOrder:
        owner = each if isinstance(each, InOrder) else InOrder(each, "")

        def note(request: Request[Any], asker: Asker) -> Awaitable[Any]:
            self._asked.append(request)
            return owner.handler(request, asker)

        return InOrder(note, owner.lane)


class _Without:
    """A domain without the requests that another one has."""

    def __init__(self, domain: Domain, taken: Collection[type[Request[Any]]]) -> None:
        self._domain, self._taken = domain, taken

    def handlers(self) -> Handlers:
        """Those that are left."""
        return {kind: each for kind, each in self._domain.handlers().items() if kind not in self._taken}


class SmallEngine:
    """Holds a home and serves it while the ``with`` block runs.

    Args:
        home: the home.
        domains: further domains, whose requests replace those of the small one.
        window: whether it has a window to show.

    Attributes:
        asked: the requests for the further domains.
    """

    def __init__(self, home: Path, *domains: Domain, window: bool = False) -> None:
        self.asked: list[Request[Any]] = []
        self._domains = domains
        texts = load_texts("en")
        self.shown, self.shows = 0, True
        self.hub = Hub(texts)
        self.domain = SmallDomain(self.hub)
        self.held = HeldHome(home)
        self.server = LocalServer(self.held, self.hub, texts, self._show if window else None)
        self._loop = asyncio.new_event_loop()
        self._over = asyncio.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Self:
        self._thread.start()
        self.server.start()
        return self

    @contextmanager
    def serving(self) -> Iterator[None]:
        """As the ``with`` block of an engine whose server has started already, as while an engine is being loaded."""
        self._thread.start()
        try:
            yield
        finally:
            self.__exit__()

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.hub.end(EngineStopped())
        self.server.close()
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()

    def _show(self) -> bool:
        self.shown += 1
        return self.shows

    def _run(self) -> None:
        async def serve() -> None:
            noted = [_Noted(each, self.asked) for each in self._domains]
            taken = {kind for each in noted for kind in each.handlers()}
            self.hub.serve(RequestTable(_Without(self.domain, taken), *noted))
            await self._over.wait()
            await self.hub.close()

        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(serve())


if __name__ == "__main__":
    with SmallEngine(Path(sys.argv[1]), window=True) as engine:
        print("ready", flush=True)
        while True:
            time.sleep(60)
