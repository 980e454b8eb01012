"""Removal of Sori's own voice from the microphone signal with WebRTC's audio processing (AEC3)."""

from typing import TYPE_CHECKING

from assistant.audio.echo.correlation import FOLLOWS, EchoCorrelation, PlayedSound
from assistant.audio.echo.presence import Echo, EchoPresence
from assistant.audio.echo.separation import Separated, Separation
from assistant.audio.level import level_db
from assistant.core.audio import FRAME_BYTES, FRAME_MS, FRAME_SAMPLES, SAMPLE_RATE
from assistant.core.errors import EngineError

if TYPE_CHECKING:
    from livekit.rtc import AudioFrame

TAIL_MS = 1000
"""Time after the last played sound in which its echo is still expected: output and input latency, and the room."""

COMPARE_EVERY_MS = 50
"""Interval between comparisons of the heard and the played signal; one comparison takes 0.4 ms."""

_SILENCE = bytes(FRAME_BYTES)
_MAX_DELAY_MS = 500


class EchoCanceller:
    """Removes the echo of the played sound from the microphone signal, frame by frame.

    Of WebRTC's other processing only the high-pass filter is on. The canceller expects it, and speech has nothing below
    100 Hz. Noise suppression is off: recognisers are trained on noisy speech and lose words to its artefacts, and the
    voice detector finds nothing in the residue without it. Automatic gain is off: it raises noise in every pause, and
    changing levels change the detector's decisions. docs/decisions/echo-cancellation.md has the numbers.

    When nothing was played for ``TAIL_MS``, frames pass unchanged at no cost. While the microphone does not pick up the
    speaker (``EchoPresence``), frames also pass unchanged, and the canceller keeps adapting.

    Args:
        delay_ms: estimated time from playing to hearing. It is a hint; the canceller finds the true delay.

    Raises:
        EngineError: WebRTC's audio processing cannot be loaded.
    """

    def __init__(self, delay_ms: int = 0) -> None:
        try:
            from livekit import rtc

            self._frame_type = rtc.AudioFrame
            self._processing = rtc.AudioProcessingModule(
                echo_cancellation=True,
                noise_suppression=False,
                high_pass_filter=True,
                auto_gain_control=False,
            )
        except (ImportError, OSError) as error:
            raise EngineError(
                "echo canceller", f"WebRTC's processing cannot be loaded: {error}", cause=error
            ) from error
        self._idle_ms = TAIL_MS
        self._presence = EchoPresence()
        self._played = PlayedSound()
        self._correlation = EchoCorrelation(self._played)
        self._residue = EchoCorrelation(self._played)
        self._leaks = False
        self._separation = Separation(self._played)
        self._frames = 0
        self.set_delay_ms(delay_ms)

    def set_delay_ms(self, delay_ms: int) -> None:
        """Set the estimated time from playing a frame to hearing its echo, limited to 0 … 500 ms."""
        self._processing.set_stream_delay_ms(min(max(delay_ms, 0), _MAX_DELAY_MS))

    @property
    def active(self) -> bool:
        """Whether an echo is possible, because sound was played recently."""
        return self._idle_ms < TAIL_MS

    @property
    def presence(self) -> Echo:
        """Whether the microphone picks up the played sound."""
        return self._presence.state

    @property
    def leaks(self) -> bool:
        """Whether the played sound is still recognisable after echo cancellation, as while the filter adapts."""
        return self._leaks and self._presence.audible

    @property
    def separated(self) -> Separated | None:
        """The newest frame of what is heard beside a recognised echo, 10 ms late, for voice detection only.

        The user's voice is kept better than in the result of ``process``, and less of the first answer gets through.
        ``None`` while no echo is recognised and while the echo path has no model (``Separation``).
        """
        return self._separation.sound

    @property
    def drift(self) -> float:
        """By how much the echo's delay grows, as a share of the time, because the two clocks differ."""
        return self._separation.drift

    def process(self, heard: bytes, played: bytes) -> bytes:
        """Return ``heard`` without the echo of the played sound.

        Args:
            heard: one frame, 10 ms at ``SAMPLE_RATE``.
            played: the frame played in the same 10 ms, in the same format.

        Raises:
            ValueError: one of them is not exactly one frame.
        """
        if len(heard) != FRAME_BYTES or len(played) != FRAME_BYTES:
            raise ValueError(f"a frame has {FRAME_BYTES} bytes, not {len(heard)} and {len(played)}")
        self._idle_ms = self._idle_ms + FRAME_MS if played == _SILENCE else 0
        self._separation.pass_time()
        if not self.active:
            self._played.clear()
            self._correlation.clear()
            self._residue.clear()
            self._leaks = False
            self._separation.pause()
            return heard
        self._played.feed(played)
        self._separation.feed(heard, played)
        self._look_for_echo(heard, played)
        self._processing.process_reverse_stream(self._frame(played))
        frame = self._frame(heard)
        self._processing.process_stream(frame)
        cleaned = frame.data.tobytes()
        self._look_for_leak(cleaned)
        return cleaned if self._presence.audible else heard

    def _look_for_echo(self, heard: bytes, played: bytes) -> None:
        self._presence.feed(level_db(heard), level_db(played))
        self._correlation.feed(heard)
        self._frames += 1
        if not self._compares:
            return
        if (early_ms := self._correlation.early_delay_ms()) is not None:
            self._separation.measured_early(early_ms)
        if (peak := self._correlation.peak()) is None:
            return
        self._presence.compare(peak)
        self._separation.compare()
        if self._presence.state is not Echo.RECOGNISED:
            self._separation.clear()
        elif peak >= FOLLOWS:
            self._separation.measured(self._correlation.delay_ms, self._correlation.age_ms)

    def _look_for_leak(self, cleaned: bytes) -> None:
        self._residue.feed(cleaned)
        # Without an echo nothing leaks, so the transform is spared.
        if self._compares and self._presence.audible and (peak := self._residue.peak()) is not None:
            self._leaks = peak >= FOLLOWS

    @property
    def _compares(self) -> bool:
        """Whether the sounds are compared in this frame."""
        return self._frames * FRAME_MS % COMPARE_EVERY_MS == 0

    def _frame(self, pcm: bytes) -> "AudioFrame":
        return self._frame_type(bytearray(pcm), SAMPLE_RATE, 1, FRAME_SAMPLES)
