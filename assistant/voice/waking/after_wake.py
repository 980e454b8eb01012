"""What follows a wake word: its own rest, or a request in the same breath. Pure, in frames of 10 ms.

A detector reports the wake word while it is still being said, or a little later. On 55 human recordings of "Alexa" the
hit came 0.33 s before to 0.45 s after the word's end, and voice was present for up to 0.39 s after the hit. Sound after
the hit is therefore no evidence by itself. Voice that continues for longer is a request. The request's audio starts at
the likely end of the word, and rather too early than too late: the recogniser ignores 0.3 s of the word's rest before a
sentence, but a first syllable that was cut off is lost.
"""

import re
from collections import deque
from dataclasses import dataclass, replace
from typing import Final

from assistant.core.audio import FRAME_BYTES, FRAME_MS
from assistant.speech.addressee import addressed
from assistant.speech.stt.judgement import is_polite_phrase
from assistant.speech.stt.recognizer import Transcript
from assistant.speech.text.names.calls import request_after
from assistant.speech.text.wake_words import without_wake_word

KEPT_MS: Final = 1600
"""Sound before a hit in which the wake word is: the longest wake words and the moment before them."""
REQUEST_MS: Final = 8_000
"""Sound kept before a hit: a request that the wake word ends."""
PAUSE_MS: Final = 700
"""Longest pause between words of such a request."""
GAP_MS: Final = 100
"""Silence that ends the wake word. Closures inside the word appear shorter to voice activity detection."""
SAME_BREATH_MS: Final = 450
"""Voice after the hit that is longer than the rest of a wake word."""
RESUMED_MS: Final = 350
"""Voice after an early gap that is longer than the rest of a wake word."""
REST_WITHIN_MS: Final = 350
"""Latest time after the hit at which the rest of the wake word can resume."""
CERTAIN_MS: Final = 750
"""Voice after the hit that is too long for a drawn-out wake word. Below this the words decide."""
_LETTER_MS: Final = 90
"""Duration of a wake word per letter; Alexa takes at least 450 ms."""
_LONGEST_WORD_MS: Final = 700
_LONGEST_RUN_MS: Final = 1000
"""Longest voice before a hit that can be the wake word alone."""
_MOST_BACK_MS: Final = 450
_LEAD_IN_MS: Final = 200
_SENTENCE: Final = re.compile(r"(?<=[.!?。！？…,])\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class WakeWordSaid:
    """A wake word that was followed by a request in the same breath.

    Attributes:
        word: name of the wake word.
        pcm: its sound, up to the estimated start of the request.
    """

    word: str
    pcm: bytes

    def sound_to_read(self, pcm: bytes, speech_ms: int) -> bytes:
        """The audio to transcribe for the request ``pcm``, which has ``speech_ms`` of voice after the hit.

        A short request may be only the rest of the wake word. The audio then includes the whole wake word, because a
        recogniser misreads a fragment of it.
        """
        return pcm if speech_ms >= CERTAIN_MS else self.pcm + pcm

    def request_in(self, transcript: Transcript, speech_ms: int) -> Transcript:
        """The transcript without the wake word; its text is empty when there may be no request."""
        rest = without_wake_word(transcript.text, self.word)
        if rest is None and (call := addressed(transcript.text, self.word.replace("_", " "))) is not None:
            rest = request_after(transcript.text, call)
        if speech_ms >= CERTAIN_MS:
            return transcript if rest is None else replace(transcript, text=rest)
        return replace(transcript, text="" if rest is None or is_polite_phrase(rest) else rest)


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestBeforeWakeWord:
    """A wake word that may end a request, as in "What's the weather, Alexa?"; the utterance includes its sound.

    Attributes:
        word: name of the wake word.
    """

    word: str

    def sound_to_read(self, pcm: bytes, speech_ms: int) -> bytes:
        """The audio to transcribe for the utterance ``pcm``."""
        del speech_ms
        return pcm

    def request_in(self, transcript: Transcript, speech_ms: int) -> Transcript:
        """The transcript without the wake word; its text is empty if the words before it are no request to Sori."""
        del speech_ms
        call = addressed(transcript.text, self.word.replace("_", " "))
        if call is not None:
            return replace(transcript, text=request_after(transcript.text, call))
        # The recogniser may misspell the wake word, which then begins a sentence.
        sentences = _SENTENCE.split(transcript.text)
        rests = (without_wake_word(" ".join(sentences[first:]), self.word) for first in range(len(sentences)))
        return replace(transcript, text=next((rest for rest in rests if rest is not None), ""))


class SoundBefore:
    """The last moments before a hit, with their voice decisions."""

    def __init__(self) -> None:
        self._frames: deque[tuple[bytes, bool]] = deque(maxlen=REQUEST_MS // FRAME_MS)

    def push(self, pcm: bytes, *, speech: bool) -> None:
        """Add one frame."""
        self._frames.append((pcm, speech))

    def clear(self) -> None:
        """Forget everything."""
        self._frames.clear()

    @property
    def pcm(self) -> bytes:
        """The sound in which the wake word is."""
        return b"".join(pcm for pcm, _ in list(self._frames)[-KEPT_MS // FRAME_MS :])

    def request(self) -> tuple[bytes, int]:
        """The speech that ends with the wake word, and its voice in milliseconds; empty if it is the word alone."""
        frames = list(self._frames)
        run_ms = self._run_ms(PAUSE_MS)
        if run_ms <= _LONGEST_RUN_MS:
            return b"", 0
        frames = frames[-(run_ms + _LEAD_IN_MS) // FRAME_MS :]
        return b"".join(pcm for pcm, _ in frames), FRAME_MS * sum(speech for _, speech in frames)

    def split(self, word: str) -> tuple[bytes, bytes]:
        """Split the sound before the hit at the likely end of the wake word: the word, and the rest up to now."""
        frames = list(self._frames)
        run_ms = self._run_ms()
        back_ms = min(_MOST_BACK_MS, max(0, run_ms - min(_LONGEST_WORD_MS, _LETTER_MS * len(word.replace("_", "")))))
        if run_ms > _LONGEST_RUN_MS:
            run_ms, back_ms = _LONGEST_WORD_MS, GAP_MS
        start = max(0, len(frames) - (run_ms + _LEAD_IN_MS) // FRAME_MS)
        cut = max(start, len(frames) - back_ms // FRAME_MS)
        return b"".join(pcm for pcm, _ in frames[start:cut]), b"".join(pcm for pcm, _ in frames[cut:])

    def _run_ms(self, gap_ms: int = GAP_MS) -> int:
        """Time since the start of the current or the last run of voice without a gap."""
        run = quiet = 0
        for index, (_, speech) in enumerate(reversed(self._frames), start=1):
            quiet = 0 if speech else quiet + 1
            if speech:
                run = index
            elif run and quiet * FRAME_MS >= gap_ms:
                break
        return run * FRAME_MS


@dataclass(frozen=True, slots=True, kw_only=True)
class Followed:
    """The result of ``AfterWake``.

    Attributes:
        request: whether the user continues with a request. Otherwise the wake word has ended and speech may still
            begin.
        pcm: the beginning of the request, or the silence since the end of the word.
        speech_ms: voice since the hit, or since a gap.
        said: the wake word, when the request followed or came before without a gap.
        silence_ms: silence at the end of the sound.
    """

    request: bool
    pcm: bytes
    speech_ms: int = 0
    said: WakeWordSaid | RequestBeforeWakeWord | None = None
    silence_ms: int = 0


class AfterWake:
    """Tells the rest of a wake word from a request.

    Args:
        word: the wake word's name.
        before: the sound up to the hit.
    """

    def __init__(self, word: str, before: SoundBefore) -> None:
        self._word = word
        self._lead, self._pcm = before.split(word)
        self._before = before.request()
        self._since = b""
        self._elapsed_ms = self._voiced_ms = self._quiet_ms = 0
        self._gap = False

    def feed(self, pcm: bytes, *, speech: bool) -> Followed | None:
        """Take the next 10 ms; return the result as soon as it is known."""
        self._pcm += pcm
        self._since += pcm
        self._elapsed_ms += FRAME_MS
        self._voiced_ms += FRAME_MS * speech
        self._quiet_ms = 0 if speech else self._quiet_ms + FRAME_MS
        if self._quiet_ms >= GAP_MS:
            self._gap, self._voiced_ms = True, 0
            self._pcm = self._pcm[-self._quiet_ms // FRAME_MS * FRAME_BYTES :]
            if self._elapsed_ms >= REST_WITHIN_MS:
                return self._ended()
        elif self._voiced_ms >= (RESUMED_MS if self._gap else SAME_BREATH_MS):
            said = None if self._gap else WakeWordSaid(word=self._word, pcm=self._lead)
            return Followed(request=True, pcm=self._pcm, speech_ms=self._voiced_ms, said=said)
        return None

    def _ended(self) -> Followed:
        """Nothing follows the wake word, so that it may end a request."""
        sound, speech_ms = self._before
        if not sound:
            return Followed(request=False, pcm=self._pcm)
        said = RequestBeforeWakeWord(word=self._word)
        return Followed(
            request=True, pcm=sound + self._since, speech_ms=speech_ms, said=said, silence_ms=self._quiet_ms
        )
