"""A sound card in a room that a test describes, without a clock."""

from collections.abc import AsyncIterator

import numpy as np
from numpy.typing import NDArray

from assistant.audio.cards.card import HeardFrame
from assistant.audio.playback import Playback
from assistant.core.audio import FRAME_SAMPLES, Frame

Samples = NDArray[np.int16]


class EchoCard:
    """A card whose microphone hears its own speaker, and a sound of the room."""

    def __init__(self, playback: Playback, room: Samples, *, gain_db: float, delay_frames: int, speaker: str) -> None:
        self.playback, self.room = playback, room
        self.gain, self.delay = 10 ** (gain_db / 20), delay_frames
        self.microphone, self.speaker, self.delay_ms = "microphone", speaker, 0

    async def open(self) -> None:
        """Nothing has to be opened."""

    async def close(self) -> None:
        """Nothing has to be closed."""

    async def frames(self) -> AsyncIterator[HeardFrame]:
        """Frames as long as somebody takes them."""
        sent = [np.zeros(FRAME_SAMPLES, np.int16)] * self.delay
        for at in range(0, 10**9, FRAME_SAMPLES):
            played = self.playback.pull().reference
            sent.append(played)
            heard = np.resize(self.room, at + FRAME_SAMPLES)[at:] if len(self.room) else np.zeros(FRAME_SAMPLES)
            pcm = (heard + self.gain * sent.pop(0)).astype(np.int16).tobytes()
            yield HeardFrame(heard=Frame(index=at, pcm=pcm), played=played.tobytes())
