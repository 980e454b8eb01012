"""Listens for the name of an agent while nobody talks with Sori (V-06).

The first moment of each utterance is transcribed and compared with the wake phrases. Meanwhile the utterance is kept,
so a request in the same breath loses no syllable. Without a wake phrase nothing is transcribed.

A name may also end the request ("What time is it, Jarvis?"). A short utterance that does not begin with a name is
transcribed once more at its end. A name that is said alone, right after a short utterance, belongs to it.

While Sori makes sound, names are heard in what the echo canceller leaves. What still resembles Sori's sound is not
taken for speech, and a name that Sori's own sound holds at that time calls nobody. Without a canceller, and until it is
known whether the microphone picks up the speaker, no name is heard beside Sori's sound.
"""

import logging
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import takewhile
from typing import Final

import numpy as np

from assistant.audio.echo.presence import DELAY_MS, Echo
from assistant.audio.speech_segments import SpeechChange, SpeechTiming, SpeechTracker
from assistant.chat.agents.calling import AgentCalls, Called
from assistant.core.audio import FRAME_MS
from assistant.core.errors import SoriError
from assistant.core.live_settings import LiveSettings
from assistant.core.settings import Settings
from assistant.speech.text.names.likelihood import over_silence
from assistant.voice.conversation import HeardConversation
from assistant.voice.ears import Ears
from assistant.voice.waking.allowance import Allowance

READ_AFTER_MS: Final = 1_600
"""Sound from the onset on that is transcribed if the speaker does not pause before. A name takes up to a second."""
PAUSE_MS: Final = 240
"""Silence after which a shorter onset is transcribed."""
LEAST_VOICE_MS: Final = 180
"""Voice in a name; less is a click."""
LEAD_IN_MS: Final = 300
"""Sound kept before the onset."""
OWN_ECHO_MS: Final = 600
"""Time after Sori's own sound in which speech may be its echo."""
LATEST_END_MS: Final = 5_000
"""Longest utterance that is transcribed once more at its end."""
JOINS_WITHIN_MS: Final = 500
"""Longest pause between a request and the name that is called at its end."""
_ONSET_FRAMES: Final = (LEAD_IN_MS + READ_AFTER_MS) // FRAME_MS
_LONGEST_MS: Final = 20_000
"""Most sound that is kept while the beginning is transcribed."""

log = logging.getLogger(__name__)

HeardFrames = list[tuple[bytes, bool]]
"""Consecutive 10 ms frames with their voice decisions."""


def language_of_names(settings: Settings, *, korean: bool) -> str:
    """The language in which an onset is transcribed; ``korean`` if any wake phrase is written in Korean.

    The language of one word is often detected wrongly. Names are compared by their sounds in either script.
    """
    if korean:
        return "ko"
    return settings.language if settings.voice.language == "auto" else settings.voice.language


def onset_is_whole(change: SpeechChange | None, frames: int) -> bool:
    """Whether ``frames`` of 10 ms are enough to look for a name: the speaker paused, or spoke as long as a name."""
    return change is SpeechChange.ENDED or frames >= _ONSET_FRAMES


class NameHearing:
    """Finds called agents in the sound of an idle session.

    Args:
        ears: the recogniser and its thread.
        settings: the live settings, for the language.
        conversation: the open conversation.
        calls: knows the wake phrases.
        on_called: takes the called agent, the frames from the onset on, and the number of them that were transcribed.
            The conversation with the agent is then open.
    """

    def __init__(
        self,
        ears: Ears,
        settings: LiveSettings,
        conversation: HeardConversation,
        calls: AgentCalls,
        on_called: Callable[[Called, HeardFrames, int], None],
    ) -> None:
        self._ears, self._settings, self._calls, self._on_called = ears, settings, calls, on_called
        self._conversation, self._trace = conversation, conversation.trace
        self._allowance = Allowance()
        self._tracker = SpeechTracker(SpeechTiming(offset_ms=PAUSE_MS))
        self._before: deque[tuple[bytes, bool]] = deque(maxlen=LEAD_IN_MS // FRAME_MS)
        self._frames: HeardFrames | None = None
        """The sound of the present speech; ``None`` between speech and after speech that called nobody."""
        self._reading = False
        self._onset_read = False
        """Whether the beginning of the present speech calls nobody, so that its end is waited for."""
        self._earlier: HeardFrames = []
        """The sound right before the present speech, or before the silence."""
        self._anew: int | None = None
        """The frame at which speech began again while its beginning was being transcribed."""
        self._own_ms = 0
        self._echo: Echo | None = None
        self._played: deque[bytes] = deque(maxlen=(_LONGEST_MS + DELAY_MS) // FRAME_MS)

    def reset(self) -> None:
        """Forget all sound; a running transcription has no effect any more."""
        self._tracker.reset()
        self._before.clear()
        self._frames = None
        self._earlier = []

    def hear(self, pcm: bytes, *, speech: bool, played: bytes, echo: Echo | None = None, leaks: bool = False) -> None:
        """Take the next 10 ms.

        Args:
            pcm: the sound after echo cancellation.
            speech: whether it contains speech.
            played: Sori's own sound of that time.
            echo: whether the microphone picks up Sori's sound; ``None`` without echo cancellation.
            leaks: whether Sori's sound is still recognisable in ``pcm``.
        """
        self._allowance.passed(FRAME_MS)
        self._played.append(played)
        self._echo = echo
        self._own_ms = OWN_ECHO_MS if played.count(0) < len(played) else max(0, self._own_ms - FRAME_MS)
        if self._own_ms:
            if echo is None or echo is Echo.EXPECTED:
                self.reset()
                return
            speech = speech and not leaks
        change = self._tracker.feed(speech=speech)
        if self._frames is not None:
            self._frames.append((pcm, speech))
            self._follow(self._frames, change)
            return
        if len(self._before) == self._before.maxlen:
            self._earlier = []
        self._before.append((pcm, speech))
        if change is SpeechChange.STARTED:
            self._begin(list(self._before))

    def _begin(self, frames: HeardFrames) -> None:
        self._frames, self._reading, self._anew, self._onset_read = frames, False, None, False
        self._before.clear()

    def _follow(self, frames: HeardFrames, change: SpeechChange | None) -> None:
        """Go on with speech that has begun."""
        if self._reading:
            if change is SpeechChange.STARTED:
                self._anew = max(0, len(frames) - LEAD_IN_MS // FRAME_MS)
            if len(frames) * FRAME_MS > _LONGEST_MS:
                self._pass_over()
        elif self._onset_read:
            if change is SpeechChange.ENDED and self._allowance.ample:
                self._read(frames)
            elif change is SpeechChange.ENDED or len(frames) * FRAME_MS > LATEST_END_MS:
                self._pass_over()
        elif onset_is_whole(change, len(frames)):
            self._read(frames)

    def _read(self, frames: HeardFrames) -> None:
        """Look for a name in an onset that is whole, if there is enough voice in it."""
        if self._tracker.speech_ms >= LEAST_VOICE_MS and self._allowance.take():
            self._reading = True
            self._conversation.listening.start(self._look_for_name(frames), name="look for a name")
        else:
            self._pass_over()

    def _pass_over(self) -> None:
        """Go on with the speech that has begun meanwhile, if any, because the present speech calls nobody."""
        frames, anew = self._frames or [], self._anew
        if anew is None and self._tracker.speaking and not self._onset_read:
            self._onset_read, self._reading = True, False
            return
        short = len(frames) * FRAME_MS <= LATEST_END_MS
        self._frames, self._earlier = None, frames[:anew] if short else []
        if anew is None:
            return
        frames = frames[anew:]
        self._begin(frames)
        if not self._tracker.speaking:
            self._read(frames)

    async def _look_for_name(self, frames: HeardFrames) -> None:
        with self._conversation.work.piece():
            try:
                await self._answer_call(frames)
            except SoriError as error:
                log.warning("no name is heard: %s", error)
                self._trace.note("error", code=error.code, detail=error.detail)
                if self._frames is frames:
                    self.reset()

    async def _answer_call(self, frames: HeardFrames) -> None:
        # Speech that began while other speech was read may be longer than an onset.
        count = len(frames) if self._onset_read else min(len(frames), _ONSET_FRAMES)
        own, earlier = self._own_sound(len(frames)), self._earlier
        await self._calls.refresh(self._conversation.conversation)
        found = await self._find(_sound(frames[:count])) if self._calls.possible else None
        if found is not None and any(own) and await self._says_itself(found, own):
            self._trace.note("own_name", name=found.phrase)
            found = None
        if self._frames is not frames:
            return
        if found is None:
            self._pass_over()
            return
        whole = await self._with_request_before(found, earlier, frames)
        await self._calls.answer(found)
        if self._frames is frames:
            self.reset()
            if whole is None:
                self._on_called(found, frames, count)
            else:
                self._on_called(whole, [*earlier, *frames], len(earlier) + len(frames))

    async def _with_request_before(self, found: Called, earlier: HeardFrames, frames: HeardFrames) -> Called | None:
        """The call with the request that it ends, if the name is said alone right after it; else ``None``."""
        gap = _silent_frames(reversed(earlier)) + _silent_frames(frames)
        if not earlier or found.rest or found.opened or gap * FRAME_MS > JOINS_WITHIN_MS:
            return None
        whole = self._calls.find(await self._transcribe(_sound([*earlier, *frames])))
        return whole if whole is not None and whole.agent == found.agent and whole.rest else None

    async def _find(self, pcm: bytes) -> Called | None:
        """The agent that the beginning of an utterance calls."""
        language = language_of_names(self._settings.current, korean=self._calls.korean)
        least, phrases = self._calls.least(language), self._calls.to_weigh(language)
        weighed = await self._ears.weigh(pcm, phrases, language=language, least=least)
        if weighed is None:
            return self._calls.find(await self._transcribe(pcm))
        weighed = replace(weighed, fits=over_silence(weighed.fits, weighed.silent))
        found = self._calls.find_in(weighed)
        describes = self._ears.word_sound
        if describes is not None and self._calls.undecided(weighed, found):
            compared = await self._ears.recognizer_thread.run(
                lambda: self._calls.compare(describes.whole(np.frombuffer(pcm, "<i2")), weighed)
            )
            found = self._calls.find_in(weighed, compared)
        return found

    def _own_sound(self, frames: int) -> bytes:
        """Sori's own sound of which the newest ``frames`` of 10 ms may hold an echo; empty if none is heard."""
        if self._echo is Echo.ABSENT:
            return b""
        return b"".join(list(self._played)[-(frames + DELAY_MS // FRAME_MS) :])

    async def _says_itself(self, found: Called, own: bytes) -> bool:
        """Whether Sori's own sound, or the sentence that it belongs to, holds the name of the called agent."""
        return self._holds(self._conversation.saying, found) or self._holds(await self._transcribe(own), found)

    def _holds(self, text: str, found: Called) -> bool:
        if found.phrase.replace(" ", "").casefold() in text.replace(" ", "").casefold():
            return True
        words = text.split()
        calls = (self._calls.find(" ".join(words[index:])) for index in range(len(words)))
        return any(call is not None and call.agent == found.agent for call in calls)

    async def _transcribe(self, pcm: bytes) -> str:
        language = language_of_names(self._settings.current, korean=self._calls.korean)
        samples = np.frombuffer(pcm, "<i2")
        transcript = await self._ears.recognizer_thread.run(
            lambda: self._ears.recognizer.transcribe(samples, language=language, draft=True)
        )
        return transcript.text


def _sound(frames: HeardFrames) -> bytes:
    return b"".join(pcm for pcm, _ in frames)


def _silent_frames(frames: Iterable[tuple[bytes, bool]]) -> int:
    """Number of frames without speech before the first one with it."""
    return sum(1 for _ in takewhile(lambda frame: not frame[1], frames))
