"""A room in which somebody speaks whenever Sori listens: real engines, wav files as cards, an echo of Sori's voice.

The time of each word is audio time after the moment at which Sori began to listen: a scene plays the same way on any
computer.
"""

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assistant.agent.profile import LOCAL_PROFILE
from assistant.audio.cards.card import HeardFrame
from assistant.audio.cards.files import FileCard
from assistant.audio.playback import Playback
from assistant.core import packets as pk
from assistant.core import updates as up
from assistant.core.audio import FRAME_SAMPLES, SAMPLE_RATE, Frame
from assistant.core.live_settings import LiveSettings
from assistant.core.machine import events as ev
from assistant.core.permissions import Category, Permissions
from assistant.core.settings import Settings
from assistant.engine.chat_wiring import build_chat
from assistant.engine.session_wiring import VoiceThreads, attach_voice
from assistant.engine.voice_wiring import Engines
from assistant.host.texts import load_texts
from assistant.voice.session.session import Session
from assistant.voice.work import Work

Pcm = NDArray[np.int16]
"""Sound at 16 kHz."""

TAIL_FRAMES = 100
ASKS = replace(LOCAL_PROFILE, permissions=Permissions(categories=frozenset({Category.SAFE, Category.SENSITIVE})))
"""Sori, but asking before every sensitive tool, timers too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying:
    """Words of the user.

    Attributes:
        pcm: the words; empty for silence.
        after_s: how long after Sori began to listen they begin.
    """

    pcm: Pcm
    after_s: float = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class EchoPath:
    """How Sori's own voice comes back: level relative to what is played, and delay."""

    gain_db: float
    delay_ms: int


@dataclass
class Heard:
    """What a session left behind."""

    trace: list[dict[str, Any]] = field(default_factory=list)
    outcomes: list[str] = field(default_factory=list)
    ran: list[dict[str, Any]] = field(default_factory=list)
    timers: int = 0

    def all(self, name: str) -> list[dict[str, Any]]:
        """All events of this name."""
        return [event for event in self.trace if event["event"] == name]


class Room:
    """A sound card on which the next saying begins when Sori listens.

    Args:
        card: what is played and its echo; its recording is silent.
        sayings: one for each time that Sori begins to listen.
    """

    microphone = "room"
    speaker = "room"

    def __init__(self, card: FileCard, sayings: Sequence[Saying]) -> None:
        self._card = card
        self._sayings: Iterator[Saying] = iter(sayings)
        self._pending: Pcm = np.zeros(0, np.int16)

    @property
    def delay_ms(self) -> int:
        """The card's."""
        return self._card.delay_ms

    @property
    def quiet(self) -> bool:
        """Whether nobody is about to say anything."""
        return not len(self._pending)

    def listened_to(self) -> None:
        """Sori listens: the next words are said."""
        saying = next(self._sayings, None)
        if saying is not None and len(saying.pcm):
            before = np.zeros(round(saying.after_s * SAMPLE_RATE), np.int16)
            self._pending = np.concatenate((before, saying.pcm))

    async def open(self) -> None:
        """Open the card."""
        await self._card.open()

    async def frames(self) -> AsyncIterator[HeardFrame]:
        """The card's frames with the words in them."""
        async for frame in self._card.frames():
            words, self._pending = self._pending[:FRAME_SAMPLES], self._pending[FRAME_SAMPLES:]
            mixed = np.frombuffer(frame.heard.pcm, np.int16).astype(np.int32)
            mixed[: len(words)] += words
            pcm = np.clip(mixed, -32_768, 32_767).astype("<i2").tobytes()
            yield HeardFrame(heard=Frame(index=frame.heard.index, pcm=pcm), played=frame.played)

    async def close(self) -> None:
        """Close the card."""
        await self._card.close()


async def converse(
    home: Path, settings: Settings, voice: Engines, sayings: Sequence[Saying], *, echo: EchoPath | None = None
) -> Heard:
    """Play a conversation in a room to a session that asks before every sensitive tool.

    Args:
        home: the user's folder.
        settings: all settings, with the server that answers.
        voice: the loaded engines.
        sayings: what the user says, one for each time that Sori begins to listen.
        echo: how Sori's own voice comes back; ``None`` for not at all.
    """
    heard, work, live = Heard(), Work(), LiveSettings(settings)
    texts, threads, playback = load_texts(settings.language), VoiceThreads(work), Playback()
    idle_frames = 0

    def note(event: dict[str, Any]) -> None:
        heard.trace.append(event)
        if event["event"] == "listening":
            room.listened_to()

    def see(update: up.Update) -> None:
        if isinstance(update, up.PacketEmitted) and isinstance(update.packet, pk.Answered):
            heard.outcomes.append(update.packet.outcome)
        if isinstance(update, up.PacketEmitted) and isinstance(update.packet, pk.ToolCall):
            heard.ran.append(dict(update.packet.arguments))

    def tail() -> bool:
        nonlocal idle_frames
        idle_frames = 0 if session.busy or not room.quiet else idle_frames + 1
        return idle_frames < TAIL_FRAMES

    chat = await build_chat(home, live, texts, see)
    try:
        session = Session(
            chat.answers.board,
            chat.answers.engine,
            live,
            texts,
            meaning=chat.answers.commands.meaning,
            publish=see,
            on_event=note,
            work=work,
            conversation=await chat.storage.conversations.create(),
            save_trace=chat.storage.traces.save,
            profile=ASKS,
        )
        card = FileCard(
            None,
            None,
            playback,
            pace="fast",
            echo_gain_db=None if echo is None else echo.gain_db,
            echo_delay_ms=0 if echo is None else echo.delay_ms,
            wait_until_idle=work.wait_until_idle,
            tail=tail,
        )
        room = Room(card, sayings)
        await room.open()
        try:
            attach_voice(session, voice, threads, room, playback, settings=live, publish=see)
            session.tell(ev.VoiceToggled())
            await session.run_card(room)
        finally:
            await session.close()
            await room.close()
        heard.timers = len(await chat.tools.timers.running())
    finally:
        threads.close()
        await chat.close()
    return heard
