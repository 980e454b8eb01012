"""Listens for the name of an agent while nobody talks with Sori (V-06).

The first moment of each utterance is transcribed and compared with the wake phrases. Meanwhile the utterance is kept,
so a request in the same breath loses no syllable. Without a wake phrase nothing is transcribed.
"""

import logging
from collections import deque
from collections.abc import Callable
from typing import Final

import numpy as np

from assistant.audio.speech_segments import SpeechChange, SpeechTiming, SpeechTracker
from assistant.chat.agents.calling import AgentCalls, Called
from assistant.core.audio import FRAME_MS
from assistant.core.errors import SoriError
from assistant.core.live_settings import LiveSettings
from assistant.core.settings import Settings
from assistant.voice.ears import Ears
from assistant.voice.trace import Trace
from assistant.voice.waking.allowance import Allowance
from assistant.voice.work import Jobs, Work

READ_AFTER_MS: Final = 1_600
"""Sound from the onset on that is transcribed if the speaker does not pause before. A name takes up to a second."""
PAUSE_MS: Final = 240
"""Silence after which a shorter onset is transcribed."""
LEAST_VOICE_MS: Final = 180
"""Voice in a name; less is a click."""
LEAD_IN_MS: Final = 300
"""Sound kept before the onset."""
OWN_ECHO_MS: Final = 600
"""Time after Sori's own sound in which speech may be its echo. No name is heard then."""
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
    return change is SpeechChange.ENDED or frames * FRAME_MS >= LEAD_IN_MS + READ_AFTER_MS


class NameHearing:
    """Finds called agents in the sound of an idle session.

    Args:
        ears: the recogniser and its thread.
        settings: the live settings, for the language.
        calls: knows the wake phrases.
        conversation: gives the id of the open conversation.
        work: counts the work in progress.
        trace: records what happens.

    Attributes:
        on_called: takes the called agent, the frames from the onset on, and the number of them that were transcribed.
            The conversation with the agent is then open.
    """

    def __init__(
        self,
        ears: Ears,
        settings: LiveSettings,
        calls: AgentCalls,
        *,
        conversation: Callable[[], str],
        work: Work,
        trace: Trace,
    ) -> None:
        self._ears, self._settings, self._calls = ears, settings, calls
        self._conversation, self._work, self._trace = conversation, work, trace
        self._jobs = Jobs()
        self._allowance = Allowance()
        self._tracker = SpeechTracker(SpeechTiming(offset_ms=PAUSE_MS))
        self._before: deque[tuple[bytes, bool]] = deque(maxlen=LEAD_IN_MS // FRAME_MS)
        self._frames: HeardFrames | None = None
        """The sound of the present speech; ``None`` between speech and after speech that called nobody."""
        self._reading = False
        self._anew: int | None = None
        """The frame at which speech began again while its beginning was being transcribed."""
        self._own_ms = 0
        self.on_called: Callable[[Called, HeardFrames, int], None] = lambda *_: None

    def reset(self) -> None:
        """Forget all sound; a running transcription has no effect any more."""
        self._tracker.reset()
        self._before.clear()
        self._frames = None

    def close(self) -> None:
        """Forget everything."""
        self.reset()
        self._jobs.cancel()

    def hear(self, pcm: bytes, *, speech: bool, played: bytes) -> None:
        """Take the next 10 ms; ``played`` is Sori's own sound of that time."""
        self._allowance.passed(FRAME_MS)
        self._own_ms = OWN_ECHO_MS if any(played) else max(0, self._own_ms - FRAME_MS)
        if self._own_ms:
            self.reset()
            return
        change = self._tracker.feed(speech=speech)
        if self._frames is not None:
            self._frames.append((pcm, speech))
            self._follow(self._frames, change)
            return
        self._before.append((pcm, speech))
        if change is SpeechChange.STARTED:
            self._begin(list(self._before))

    def _begin(self, frames: HeardFrames) -> None:
        self._frames, self._reading, self._anew = frames, False, None
        self._before.clear()

    def _follow(self, frames: HeardFrames, change: SpeechChange | None) -> None:
        """Go on with speech that has begun."""
        if self._reading:
            if change is SpeechChange.STARTED:
                self._anew = max(0, len(frames) - LEAD_IN_MS // FRAME_MS)
            if len(frames) * FRAME_MS > _LONGEST_MS:
                self._pass_over()
        elif onset_is_whole(change, len(frames)):
            if self._tracker.speech_ms >= LEAST_VOICE_MS and self._allowance.take():
                self._reading = True
                self._jobs.start(self._look_for_name(frames))
            else:
                self._pass_over()

    def _pass_over(self) -> None:
        """Wait for the next speech, because the present speech calls nobody."""
        frames, anew = self._frames or [], self._anew
        self._frames = None
        if anew is not None and self._tracker.speaking:
            self._begin(frames[anew:])

    async def _look_for_name(self, frames: HeardFrames) -> None:
        with self._work.piece():
            try:
                await self._answer_call(frames)
            except SoriError as error:
                log.warning("no name is heard: %s", error)
                self._trace.note("error", code=error.code, detail=error.detail)
                if self._frames is frames:
                    self.reset()

    async def _answer_call(self, frames: HeardFrames) -> None:
        count = len(frames)
        await self._calls.refresh(self._conversation())
        text = await self._transcribe(frames[:count]) if self._calls.possible else ""
        found = self._calls.find(text)
        if self._frames is not frames:
            return
        if found is None:
            self._pass_over()
            return
        await self._calls.answer(found)
        if self._frames is frames:
            self.reset()
            self.on_called(found, frames, count)

    async def _transcribe(self, frames: HeardFrames) -> str:
        language = language_of_names(self._settings.current, korean=self._calls.korean)
        samples = np.frombuffer(b"".join(pcm for pcm, _ in frames), "<i2")
        transcript = await self._ears.recognizer_thread.run(
            lambda: self._ears.recognizer.transcribe(samples, language=language, draft=True)
        )
        return transcript.text
