"""Transcription of an utterance: partial transcripts while it grows, and the final transcript."""

import logging
from dataclasses import replace
from typing import Protocol

import numpy as np

from assistant.core.audio import SAMPLE_RATE, to_seconds
from assistant.core.errors import SoriError
from assistant.core.live_settings import LiveSettings
from assistant.core.machine.states import TurnId
from assistant.speech.stt.judgement import judge, normalise
from assistant.speech.stt.recognizer import Transcript
from assistant.voice.capture import Capture, Said
from assistant.voice.conversation import HeardConversation
from assistant.voice.ears import Ears

LONGEST_JOINED_S = 28.0
"""Longest audio of two halves; the recogniser takes 30 s at once."""
LEAST_JOINED_SHARE = 0.6
"""A transcript of both halves with fewer letters than this share of their own transcripts has lost words."""

log = logging.getLogger(__name__)

FIRST_PARTIAL_S = 0.9
"""Least audio of the first partial transcript, with the sound before the onset."""
PARTIAL_EVERY_S = 0.8
"""Least new audio between two partial transcripts while the voice is heard."""
LULL_MS = 30
"""Lull in which a partial transcript is begun at once. It is at the end of a word, and perhaps of the utterance."""
IN_LULL_AFTER_S = 0.1
"""Least new audio for it, if the last transcription took at most ``QUICK_S``."""
QUICK_S = 0.35
PARTIAL_SHARE = 3
"""The least audio between the starts of two partial transcripts is this factor times the duration of the last
transcription. The recogniser then stays mostly idle, and is free when a pause requires a transcript."""


class Captures(Protocol):
    """Holds the capture that is transcribed, and takes its transcripts."""

    def is_current(self, capture: Capture) -> bool:
        """Whether a capture is still active; results of other captures are dropped."""

    def deliver(self, capture: Capture, transcript: Transcript) -> None:
        """Take the final transcript of a capture that has ended."""

    def give_up(self, capture: Capture) -> None:
        """A capture that has ended has no transcript."""

    def show_partial(self, turn: TurnId, text: str, stable: int) -> None:
        """Take the partial transcript and the length of its stable prefix in characters."""


class Transcribing:
    """Transcribes captures, one transcript at a time.

    Args:
        ears: the engines.
        settings: the live settings, for the language.
        conversation: tells which words are likely, and runs the tasks.
        captures: takes the transcripts.

    Attributes:
        answers: whether the user answers a question of Sori's. The reply is then read in the question's language: a
            language that is detected from one short word is often wrong ("네 해 주세요" becomes "Neha Joseio").
    """

    def __init__(self, ears: Ears, settings: LiveSettings, conversation: HeardConversation, captures: Captures) -> None:
        self._ears = ears
        self._settings = settings
        self._conversation = conversation
        self._captures = captures
        self.answers = False
        self._last_language: str | None = None
        """Language of the user's last understood words."""
        self._running: Capture | None = None
        """The capture whose sound the recogniser is transcribing now; set on the recogniser's thread."""
        self._recognition_samples = 0
        """Duration of the last transcription, in samples of audio that arrived during it."""

    def consider_partial(self, capture: Capture) -> None:
        """Start a partial transcript while the user speaks, if there is enough new audio. Call it in every frame.

        The best moment is a lull: it may be the end, and then the transcript is that of the whole utterance. While the
        voice falls, the lull is waited for.
        """
        utterance = capture.utterance
        new_s, last_s = to_seconds(utterance.samples - capture.partial_at), to_seconds(self._recognition_samples)
        if capture.recognising or (not capture.partial_at and new_s < FIRST_PARTIAL_S):
            return
        least_s = PARTIAL_SHARE * last_s
        if utterance.lull_ms >= LULL_MS:
            due = not capture.lull_is_read and new_s >= (IN_LULL_AFTER_S if last_s <= QUICK_S else least_s)
        else:
            speaks = not utterance.lull_ms and not utterance.silence_ms
            due = speaks and new_s >= max(PARTIAL_EVERY_S, least_s)
        if due:
            self._conversation.listening.start(self._recognise(capture), name="transcribe")

    def want(self, capture: Capture) -> None:
        """Transcribe the audio so far, as soon as the recogniser is free."""
        if capture.current_transcript is not None:
            return
        if capture.recognising:
            capture.wants_transcript = True
        elif (early := capture.early_transcript) is not None:
            self._take(capture, early)
        else:
            self._conversation.listening.start(self._recognise(capture), name="transcribe")

    def _take(self, capture: Capture, transcript: Transcript) -> None:
        """Take a transcript of the whole utterance."""
        capture.transcript, capture.transcribed = transcript, capture.utterance.revision
        if judge(transcript, speech_ms=capture.utterance.speech_ms).accept:
            self._last_language = transcript.language
        if capture.ended:
            self._captures.deliver(capture, transcript)

    def supersede(self, capture: Capture, *, dropped: bool = False) -> None:
        """End a transcription of the whole sound if speech has resumed, or if the capture is dropped.

        Only a request to a server ends early. Call it in every frame.
        """
        if capture.reading == -1 or (capture.reading == capture.utterance.revision and not dropped):
            return
        if self._running is not capture:
            return
        capture.reading = -1
        self._ears.recognizer.abandon()

    async def of_both(self, before: Said, capture: Capture, apart: str) -> str:
        """Transcribe both halves of an utterance together; return an empty text when the result is not credible.

        Args:
            before: the first half.
            capture: the second half.
            apart: the joined text of the separate transcripts.
        """
        pcm = before.pcm + capture.utterance.pcm
        if to_seconds(len(pcm) // 2) > LONGEST_JOINED_S:
            return ""
        try:
            whole = await self.read(pcm)
        except SoriError as error:
            log.warning("both halves are not recognised together: %s", error)
            return ""
        speech_ms = len(pcm) // 2 * 1000 // SAMPLE_RATE
        if before.wake_word is not None:
            whole = before.wake_word.request_in(whole, speech_ms)
        likely = len(normalise(whole.text)) >= LEAST_JOINED_SHARE * len(normalise(apart))
        return whole.text if likely and judge(whole, speech_ms=speech_ms).accept else ""

    async def of_part(self, capture: Capture) -> Transcript | None:
        """Transcribe the beginning of an utterance that goes on; ``None`` if nothing was understood."""
        try:
            transcript = await self._transcribe(capture, draft=False)
        except SoriError as error:
            self._note_failure(error)
            return None
        return transcript if judge(transcript, speech_ms=capture.utterance.speech_ms).accept else None

    async def _recognise(self, capture: Capture) -> None:
        capture.recognising = True
        utterance = capture.utterance
        revision, whole = utterance.revision, utterance.pausing or capture.ended
        capture.partial_at = utterance.samples
        capture.wants_transcript = False
        capture.reading = revision if whole else -1
        try:
            transcript = await self._transcribe(capture, draft=not whole)
        except SoriError as error:
            self._fail(capture, error)
            return
        finally:
            capture.recognising, capture.reading = False, -1
        if not self._captures.is_current(capture):
            return
        self._recognition_samples = utterance.samples - capture.partial_at
        if whole and revision == utterance.revision:
            self._take(capture, transcript)
            if capture.ended:
                return
        elif transcript.complete and judge(transcript, speech_ms=utterance.speech_ms).accept:
            capture.early, capture.early_at = transcript, (capture.partial_at, revision)
        self._show_partial(capture, transcript)
        if capture.wants_transcript or capture.ended:
            self.want(capture)

    async def _transcribe(self, capture: Capture, *, draft: bool) -> Transcript:
        wake_word = capture.wake_word
        sound, speech_ms = capture.utterance.pcm, capture.utterance.speech_ms
        heard_s = to_seconds(capture.partial_at)
        pcm = sound if wake_word is None else wake_word.sound_to_read(sound, speech_ms)
        # A prefix belongs to the sound of the utterance, not to that of a wake word before it.
        alone = len(pcm) == len(sound)
        prefix = capture.words.settled if alone else ""
        transcript = await self._read(pcm, capture=capture, prefix=prefix, draft=draft, grows=draft)
        if alone:
            transcript = replace(transcript, text=capture.words.spelled(transcript.text))
        if alone and judge(transcript, speech_ms=speech_ms).accept:
            capture.words.update(transcript.text, heard_s)
        return transcript if wake_word is None else wake_word.request_in(transcript, speech_ms)

    async def read(self, pcm: bytes, *, draft: bool = False) -> Transcript:
        """Transcribe a sound in the user's language.

        Args:
            pcm: the sound.
            draft: whether speed matters more than accuracy.

        Raises:
            SoriError: the recogniser failed.
        """
        return await self._read(pcm, draft=draft)

    async def _read(
        self, pcm: bytes, *, draft: bool, grows: bool = False, prefix: str = "", capture: Capture | None = None
    ) -> Transcript:
        """Transcribe a sound, which is that of ``capture`` if its transcription may be superseded."""
        language, likely = self._language(), self._last_language or self._settings.current.language
        samples = np.frombuffer(pcm, "<i2")
        # A reply may approve a tool, so the words of an answer must not change it.
        words = () if self.answers else self._conversation.likely_words

        def transcribe() -> Transcript:
            self._running = capture
            recognizer = self._ears.recognizer
            try:
                recognizer.expect(words)
                return recognizer.transcribe(
                    samples, language=language, likely=likely, prefix=prefix, draft=draft, grows=grows
                )
            finally:
                self._running = None

        return await self._ears.recognizer_thread.run(transcribe)

    def _language(self) -> str | None:
        """The language to read; ``None`` to detect it."""
        settings = self._settings.current
        if settings.voice.language != "auto":
            return settings.voice.language
        return settings.language if self.answers else None

    def _show_partial(self, capture: Capture, transcript: Transcript) -> None:
        if not judge(transcript, speech_ms=capture.utterance.speech_ms).accept:
            return
        partial = capture.prefix.update(transcript.text, to_seconds(capture.partial_at))
        self._conversation.trace.note("partial", text=partial.text, stable=partial.stable)
        self._captures.show_partial(capture.utterance.turn, partial.text, partial.stable)

    def _fail(self, capture: Capture, error: SoriError) -> None:
        """Handle a failed transcription: ignore a partial one, report one that ends the utterance."""
        self._note_failure(error)
        if capture.ended and self._captures.is_current(capture):
            self._captures.give_up(capture)

    def _note_failure(self, error: SoriError) -> None:
        log.warning("recognition failed: %s", error)
        self._conversation.trace.note("error", code=error.code, detail=error.detail)
