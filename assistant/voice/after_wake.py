"""What follows a wake word: the rest of its own sound, or a request in the same breath. Pure, in frames of 10 ms.

A detector notices the wake word while it is still being said, or a little later: on 55 human recordings of "Alexa" the
hit came 0.33 s before to 0.45 s after the word's end, and the voice was heard for up to 0.39 s after the hit. So sound
after the hit means nothing by itself. Voice that goes on for longer is a request. It begins where the word is likely to
have ended, rather earlier than later: the recogniser passes over 0.3 s of the word's rest before a sentence, but
nothing brings back a first syllable that was cut off.
"""

from collections import deque
from dataclasses import dataclass, replace
from typing import Final

from assistant.core.audio import FRAME_BYTES, FRAME_MS
from assistant.speech.stt.judgement import is_polite_phrase
from assistant.speech.stt.recognizer import Transcript
from assistant.speech.text.wake_words import without_wake_word

KEPT_MS: Final = 1600
"""Sound that is kept before a hit: the longest wake words and the moment before them."""
GAP_MS: Final = 100
"""Silence after which the wake word is over; inside it, closures are shorter than that to voice activity."""
SAME_BREATH_MS: Final = 450
"""Voice after the hit that is more than the wake word's rest."""
RESUMED_MS: Final = 350
"""Voice after an early gap that is more than the wake word's rest."""
REST_WITHIN_MS: Final = 350
"""The wake word's rest does not begin again later than this after the hit."""
CERTAIN_MS: Final = 750
"""Voice after the hit that cannot be the rest of a drawn-out wake word; below it the words decide."""
_LETTER_MS: Final = 90
"""Length of a wake word by its letters; Alexa takes from 450 ms on."""
_LONGEST_WORD_MS: Final = 700
_LONGEST_RUN_MS: Final = 1000
"""Voice that lasts longer before a hit is not the wake word alone."""
_MOST_BACK_MS: Final = 450
_LEAD_IN_MS: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class WakeWordSaid:
    """The wake word that a request followed in the same breath.

    Attributes:
        word: its name.
        pcm: its sound, up to where the request is taken to begin.
    """

    word: str
    pcm: bytes

    def sound_to_read(self, pcm: bytes, speech_ms: int) -> bytes:
        """What the recogniser shall hear of the request ``pcm`` with ``speech_ms`` of voice after the hit.

        With the whole wake word while that may be all there is: a scrap of it would be read as anything.
        """
        return pcm if speech_ms >= CERTAIN_MS else self.pcm + pcm

    def request_in(self, transcript: Transcript, speech_ms: int) -> Transcript:
        """The transcript without the wake word; without a word when there may be nothing else."""
        rest = without_wake_word(transcript.text, self.word)
        if speech_ms >= CERTAIN_MS:
            return transcript if rest is None else replace(transcript, text=rest)
        return replace(transcript, text="" if rest is None or is_polite_phrase(rest) else rest)


class SoundBefore:
    """The last moments before a hit, and where somebody spoke in them."""

    def __init__(self) -> None:
        self._frames: deque[tuple[bytes, bool]] = deque(maxlen=KEPT_MS // FRAME_MS)

    def push(self, pcm: bytes, *, speech: bool) -> None:
        """Keep one more frame."""
        self._frames.append((pcm, speech))

    def clear(self) -> None:
        """Forget everything."""
        self._frames.clear()

    def split(self, word: str) -> tuple[bytes, bytes]:
        """The wake word's sound, and the sound from where it is likely to have ended; up to now, at the hit."""
        frames = list(self._frames)
        run_ms = self._run_ms()
        back_ms = min(_MOST_BACK_MS, max(0, run_ms - min(_LONGEST_WORD_MS, _LETTER_MS * len(word.replace("_", "")))))
        if run_ms > _LONGEST_RUN_MS:
            run_ms, back_ms = _LONGEST_WORD_MS, GAP_MS
        start = max(0, len(frames) - (run_ms + _LEAD_IN_MS) // FRAME_MS)
        cut = max(start, len(frames) - back_ms // FRAME_MS)
        return b"".join(pcm for pcm, _ in frames[start:cut]), b"".join(pcm for pcm, _ in frames[cut:])

    def _run_ms(self) -> int:
        """How long ago the voice began that is heard now or was heard last."""
        run = quiet = 0
        for index, (_, speech) in enumerate(reversed(self._frames), start=1):
            quiet = 0 if speech else quiet + 1
            if speech:
                run = index
            elif run and quiet * FRAME_MS >= GAP_MS:
                break
        return run * FRAME_MS


@dataclass(frozen=True, slots=True, kw_only=True)
class Followed:
    """What followed the wake word.

    Attributes:
        request: whether somebody goes on speaking; else the wake word has ended, and speech may still begin.
        pcm: the request's beginning, or the silence since the end.
        speech_ms: voice since the hit, or since a gap.
        said: the wake word, when the request came without a gap.
    """

    request: bool
    pcm: bytes
    speech_ms: int = 0
    said: WakeWordSaid | None = None


class AfterWake:
    """Tells the rest of a wake word from a request.

    Args:
        word: the wake word's name.
        before: the sound up to the hit.
    """

    def __init__(self, word: str, before: SoundBefore) -> None:
        self._word = word
        self._lead, self._pcm = before.split(word)
        self._elapsed_ms = self._voiced_ms = self._quiet_ms = 0
        self._gap = False

    def feed(self, pcm: bytes, *, speech: bool) -> Followed | None:
        """Take the next 10 ms; gives what followed as soon as that is known."""
        self._pcm += pcm
        self._elapsed_ms += FRAME_MS
        self._voiced_ms += FRAME_MS * speech
        self._quiet_ms = 0 if speech else self._quiet_ms + FRAME_MS
        if self._quiet_ms >= GAP_MS:
            self._gap, self._voiced_ms = True, 0
            self._pcm = self._pcm[-self._quiet_ms // FRAME_MS * FRAME_BYTES :]
            if self._elapsed_ms >= REST_WITHIN_MS:
                return Followed(request=False, pcm=self._pcm)
        elif self._voiced_ms >= (RESUMED_MS if self._gap else SAME_BREATH_MS):
            said = None if self._gap else WakeWordSaid(word=self._word, pcm=self._lead)
            return Followed(request=True, pcm=self._pcm, speech_ms=self._voiced_ms, said=said)
        return None
