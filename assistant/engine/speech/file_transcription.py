"""Transcribes a whole recording: finds where somebody speaks, and reads it in pieces that a recogniser takes."""

from collections.abc import Iterator
from itertools import groupby
from typing import Final

import numpy as np
from numpy.typing import NDArray

from assistant.audio.resampling import Samples
from assistant.audio.vad import VoiceActivity
from assistant.core.audio import FRAME_MS, FRAME_SAMPLES, SAMPLE_RATE, to_samples, to_seconds
from assistant.core.service.requests.speech import HeardPart, HeardSpeech
from assistant.speech.endpoint.completeness import text_completeness
from assistant.speech.endpoint.policy import POLICIES, PauseSigns, Preset
from assistant.speech.stt.judgement import SHORTEST_SPEECH_MS, judge
from assistant.speech.stt.recognizer import Recognizer, Transcript
from assistant.voice.overlap.words import OverlapWords, classify

LONGEST_PIECE_S: Final = 28.0
"""Recognisers take 30 seconds and need silence after the last word."""
SHORTEST_PIECE_S: Final = 12.0
"""From here on a piece may end, at the longest pause before ``LONGEST_PIECE_S``."""
_AROUND_S: Final = 0.3
"""Seconds that are kept before the first and after the last voice of a piece."""

Voiced = NDArray[np.bool_]
"""Whether somebody speaks, for each 10 ms."""


def transcription(
    recognizer: Recognizer,
    pcm: Samples,
    language: str | None,
    likely: str,
    *,
    saying: str | None = None,
    voice: bool = True,
    patience: Preset = "balanced",
) -> HeardSpeech:
    """Transcribe a recording. Blocks for a fraction of its length.

    Args:
        recognizer: used by this thread alone.
        pcm: mono samples at ``SAMPLE_RATE``.
        language: ``ko`` or ``en``; ``None`` to detect it for each piece.
        likely: the language of sounds that are too short to tell.
        saying: what was read aloud meanwhile, if somebody spoke over an answer; see ``Transcribe``.
        voice: whether the sound is more than an echo of that, as far as the sound can tell.
        patience: how much time the speaker gets to think.

    Raises:
        EngineError: recognition failed.
    """
    voiced = voiced_frames(pcm)
    parts: list[HeardPart] = []
    languages: list[str] = []
    engine = over = ""
    if saying is not None:
        over = OverlapWords.NOTHING
    for first, last in pieces(voiced):
        spoken_ms = int(voiced[first:last].sum()) * FRAME_MS
        begin, end = first * FRAME_SAMPLES, min(last * FRAME_SAMPLES, len(pcm))
        heard = recognizer.transcribe(pcm[begin:end], language=language, likely=likely)
        engine = heard.engine
        if judge(heard, spoken_ms).accept:
            parts.append(_part(heard, begin, end))
            languages.append(heard.language)
        if saying is not None and not OverlapWords(over).interrupts:
            over = classify(heard, speech_ms=spoken_ms, saying=saying, echo=bool(saying), answers=False, voice=voice)
    text = " ".join(each.text for each in parts)
    spoken = max(languages, key=languages.count, default=language or likely)
    return HeardSpeech(
        text=text,
        language=spoken,
        duration_s=to_seconds(len(pcm)),
        parts=tuple(parts),
        engine=engine,
        over=over,
        pause_ms=_pause_ms(text, spoken, int(voiced.sum()) * FRAME_MS, patience),
    )


def _pause_ms(text: str, language: str, speech_ms: int, patience: Preset) -> int:
    """The silence that ends an utterance of these words."""
    signs = PauseSigns(silence_ms=0, speech_ms=speech_ms, completeness=text_completeness(text, language))
    return POLICIES[patience].decide(signs).required_ms


def _part(heard: Transcript, begin: int, end: int) -> HeardPart:
    return HeardPart(
        start_s=to_seconds(begin),
        end_s=to_seconds(end),
        text=heard.text,
        average_log_probability=heard.average_log_probability,
        no_speech_probability=heard.no_speech_probability,
    )


def voiced_frames(pcm: Samples) -> Voiced:
    """Whether somebody speaks, for each frame of a sound."""
    activity = VoiceActivity()
    padded = np.pad(pcm, (0, -len(pcm) % FRAME_SAMPLES)).astype("<i2")
    frames = padded.reshape(-1, FRAME_SAMPLES)
    return np.array([activity.feed(each.tobytes()).speech for each in frames], dtype=np.bool_)


def pieces(voiced: Voiced) -> Iterator[tuple[int, int]]:
    """The pieces in which somebody speaks, as frames: the first, and that behind the last."""
    around = to_samples(_AROUND_S) // FRAME_SAMPLES
    begin = 0
    while begin < len(voiced):
        end = _end_of_piece(voiced, begin)
        spoken = np.flatnonzero(voiced[begin:end])
        if len(spoken) * FRAME_MS >= SHORTEST_SPEECH_MS:
            yield begin + max(0, spoken[0] - around), begin + min(end - begin, spoken[-1] + 1 + around)
        begin = end


def _end_of_piece(voiced: Voiced, begin: int) -> int:
    """The end of the piece that begins here: in the middle of the longest pause within its limits."""
    rate = SAMPLE_RATE // FRAME_SAMPLES
    low, high = begin + round(SHORTEST_PIECE_S * rate), begin + round(LONGEST_PIECE_S * rate)
    if high >= len(voiced):
        return len(voiced)
    place, best = low, (0, high)
    for is_voice, run in groupby(voiced[low:high]):
        length = len(list(run))
        if not is_voice and length > best[0]:
            best = length, place + length // 2
        place += length
    return best[1]
