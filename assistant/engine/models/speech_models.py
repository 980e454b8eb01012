"""Speaks with a model on a server, for a user who has chosen one with ``[voice] tts = "openai"``.

The synthesiser's thread asks, and gets each part of the sound as it arrives on the event loop.
"""

import asyncio
import queue
import threading
from collections.abc import AsyncGenerator, Callable, Iterator
from concurrent.futures import Future
from contextlib import aclosing, contextmanager
from typing import Final

import numpy as np
from numpy.typing import NDArray

from assistant.agent.model_choice import ModelChoice, choose_model
from assistant.core import updates as up
from assistant.core.errors import EngineError, ErrorCode, ProviderError, SoriError
from assistant.core.live_settings import LiveSettings
from assistant.core.settings import Provider, Settings
from assistant.core.texts import Texts
from assistant.host.clock import SystemClock
from assistant.host.key_file import KeyFile
from assistant.host.keys import Keys
from assistant.host.model_store import open_store
from assistant.host.places import Places
from assistant.llm.backend import ProviderBackend, SpeechRequest, SpokenPart
from assistant.llm.backend_needs import BackendNeeds
from assistant.llm.embedded.own_models import PLACEHOLDER_MODEL
from assistant.llm.router import BackendRegistry
from assistant.speech.tts.openai import ID, SET_VOICE
from assistant.speech.tts.synthesizer import AskServer, Voice
from assistant.storage.database import Database
from assistant.storage.records.egress import EgressStore
from assistant.tasks import run_on

USUAL_MODEL: Final = "tts-1"
USUAL_VOICE: Final = "alloy"
FIRST_S: Final = 6.0
"""Longest wait for the first part of a sound. Then the next engine says the sentence."""
SILENT_S: Final = 4.0
"""Longest wait for a further part."""
_END_S: Final = 5.0
_Sound = tuple[NDArray[np.int16], int]
_Parts = queue.SimpleQueue[_Sound | SoriError | None]


class SpeechModels:
    """Asks the chosen server.

    Args:
        live: the settings.
        backend_for: gives the backend of a provider.
    """

    def __init__(self, live: LiveSettings, backend_for: Callable[[Provider], ProviderBackend]) -> None:
        self._live, self._backend_for = live, backend_for

    @property
    def wanted(self) -> bool:
        """Whether the settings name the engine."""
        return self._live.current.voice.tts == ID

    async def prepare(self) -> None:
        """Load what the first request needs. A problem is reported by the first request."""
        if self.wanted:
            try:
                provider = speech_choice(self._live.current).provider
                await self._backend_for(provider).prepare(provider)
            except SoriError:
                return

    async def speak(self, text: str, voice: Voice) -> AsyncGenerator[SpokenPart, None]:
        """Say a text.

        Raises:
            ProviderError: the server refuses, cannot be reached, or sends no sound.
            SettingsError: the model's provider does not exist any more.
            StorageError: the request could not be recorded, so it was not sent.
        """
        choice = speech_choice(self._live.current)
        backend = self._backend_for(choice.provider)
        named = "" if voice.name == SET_VOICE else voice.name
        name = named or self._live.current.voice.tts_voice or USUAL_VOICE
        request = SpeechRequest(model=choice.model, text=text, voice=name, speed=voice.speed)
        async with aclosing(backend.speak(choice.provider, request)) as parts:
            async for part in parts:
                yield part


def speech_choice(settings: Settings) -> ModelChoice:
    """The provider and the model that speak.

    Raises:
        ProviderError: no provider is of the kind, and the settings name no other.
        SettingsError: the reference names a provider that does not exist.
    """
    if reference := settings.voice.tts_model:
        return choose_model(settings, reference)
    provider = next((each for each in settings.providers if each.kind == ID), None)
    if provider is None:
        detail = "no server is named that could speak"
        raise ProviderError(ErrorCode.ENGINE_UNAVAILABLE, detail, provider=ID, message_key="no_speech_server")
    return ModelChoice(provider=provider, model=USUAL_MODEL)


class ServedSpeech:
    """Gives the synthesiser's thread the sound that arrives on an event loop.

    Args:
        models: asks the server.
        loop: where the requests run.
        on_failure: takes the error of a failed request; called on the loop.
        first_s: longest wait for the first part in seconds.
    """

    def __init__(
        self,
        models: SpeechModels,
        loop: asyncio.AbstractEventLoop,
        on_failure: Callable[[SoriError], None] = lambda _: None,
        *,
        first_s: float = FIRST_S,
    ) -> None:
        self._models, self._loop, self._on_failure, self._first_s = models, loop, on_failure, first_s
        self._asked: Future[None] | None = None

    def ask(self, text: str, voice: Voice) -> Iterator[_Sound]:
        """The sound of a text, part by part; leaving early ends the request.

        Raises:
            SoriError: the request failed.
        """
        parts: _Parts = queue.SimpleQueue()
        asked = run_on(self._loop, self._fill(parts, text, voice))
        asked.add_done_callback(lambda over: _end(over, parts))
        self._asked = asked
        wait_s = self._first_s
        try:
            while (part := _next(parts, wait_s)) is not None:
                if isinstance(part, SoriError):
                    raise part
                yield part
                wait_s = SILENT_S
        except SoriError as error:
            self._loop.call_soon_threadsafe(self._on_failure, error)
            raise
        finally:
            asked.cancel()

    def abandon(self) -> None:
        """End the running request, so that ``ask`` waits for no more sound."""
        if (asked := self._asked) is not None:
            asked.cancel()

    async def _fill(self, parts: _Parts, text: str, voice: Voice) -> None:
        try:
            async with aclosing(self._models.speak(text, voice)) as sound:
                async for part in sound:
                    parts.put(_mono(part))
            parts.put(None)
        except SoriError as error:
            parts.put(error)


def _end(asked: Future[None], parts: _Parts) -> None:
    """Tell the waiting thread of an end that nobody expects: an error, or that the sound is not needed any more."""
    if asked.cancelled():
        parts.put(None)
    elif (error := asked.exception()) is not None:
        parts.put(EngineError(ID, f"the request failed: {error!r}", cause=error))


def _next(parts: _Parts, wait_s: float) -> _Sound | SoriError | None:
    try:
        return parts.get(timeout=wait_s)
    except queue.Empty:
        return ProviderError(ErrorCode.TIMEOUT, f"no sound within {wait_s:g} s", provider=ID)


def _mono(part: SpokenPart) -> _Sound:
    samples = np.frombuffer(part.pcm, "<i2").astype(np.int16)
    if part.channels > 1:
        samples = samples.reshape(-1, part.channels).mean(axis=1).astype(np.int16)
    return samples, part.rate


def failure_notice(texts: Texts, error: SoriError) -> up.NoticePosted:
    """The notice that another engine speaks for a while."""
    reason = texts(error.message_key, **error.values)
    return up.NoticePosted(key="notice.speech_server_failed", severity=up.Severity.WARNING, values={"reason": reason})


@contextmanager
def speech_server(home: Places, settings: Settings) -> Iterator[AskServer]:
    """The server of the settings for a command, with an event loop of its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="speech-server", daemon=True)
    thread.start()

    async def opened() -> tuple[Database, BackendRegistry]:
        clock = SystemClock()
        database = await Database.open(home.database, clock)
        needs = BackendNeeds(
            key_of=Keys(file=KeyFile(home.keys)).of,
            ledger=EgressStore(database, clock),
            embedded_model=open_store(home.home).folder / PLACEHOLDER_MODEL,
        )
        return database, BackendRegistry.discovered(needs)

    async def closed() -> None:
        await router.close()
        await database.close()

    try:
        database, router = asyncio.run_coroutine_threadsafe(opened(), loop).result()
        try:
            yield ServedSpeech(SpeechModels(LiveSettings(settings), router.backend_for), loop).ask
        finally:
            asyncio.run_coroutine_threadsafe(closed(), loop).result(_END_S)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(_END_S)
        loop.close()
