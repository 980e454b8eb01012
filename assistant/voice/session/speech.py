"""What the session says: the speech of its turns, its cues, and how much of an answer was heard."""

import asyncio
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from assistant.audio.playback import Playback
from assistant.core.citing.spoken import spoken_sources
from assistant.core.knowledge.passages import Citation
from assistant.core.live_settings import LiveSettings
from assistant.core.machine import events as ev
from assistant.core.machine.effects import Cue
from assistant.core.machine.events import Event
from assistant.core.machine.states import TurnId
from assistant.core.texts import Texts
from assistant.voice.speaker import AnswerSpeaker

Cues = Mapping[Cue, NDArray[np.int16]]
"""Short sounds at ``PLAYBACK_RATE``."""


class SessionSpeech:
    """Speaks for the turns of a session while a speaker is attached; without one, it only keeps what they write.

    Args:
        settings: says whether cues are played.
        report: takes ``SpeechFinished`` where there is no speaker.
        texts: the user's words.
    """

    def __init__(self, settings: LiveSettings, report: Callable[[Event], None], texts: Texts) -> None:
        self._settings = settings
        self._texts = texts
        self._report = report
        self._speaker: AnswerSpeaker | None = None
        self._playback: Playback | None = None
        self._cues: Cues = {}
        self._spoken: set[TurnId] = set()
        self._held = False
        """Whether the user has paused the voice."""
        self._written: dict[TurnId, str] = {}
        self._heard: dict[TurnId, str] = {}
        self._heard_before: dict[TurnId, str] = {}
        """What was heard of a turn before it asked a question."""
        self._told: dict[TurnId, int] = {}
        """The letters of what a turn was told to say that is no part of its answer."""

    # The speaker

    def attach(self, speaker: AnswerSpeaker | None, playback: Playback, cues: Cues) -> None:
        """Use ``speaker`` from now on; without one, only cues are played."""
        self._speaker, self._playback, self._cues = speaker, playback, cues

    def detach(self) -> None:
        """Stop speaking, because the speaker is gone. Answers are only shown from now on."""
        if self._speaker is not None:
            self._speaker.stop()
        self._spoken.clear()
        self._heard_before.clear()
        self._speaker = self._playback = None

    @property
    def possible(self) -> bool:
        """Whether there is a speaker."""
        return self._speaker is not None

    @property
    def pending(self) -> bool:
        """Whether there is sound to be played."""
        return self._playback is not None and self._playback.pending_s > 0

    @property
    def saying(self) -> str:
        """The sentence that is being said and the one before it; empty while nothing is said."""
        return "" if self._speaker is None else self._speaker.saying

    def poll(self) -> None:
        """Report the playback marks since the last call."""
        if self._speaker is not None:
            self._speaker.poll()

    def close(self) -> None:
        """Stop speaking and free the voices."""
        if self._speaker is not None:
            self._speaker.close()

    # An answer

    def use_voice(self, name: str) -> None:
        """Speak with this voice from the next sentence on; an empty name stands for the voice of the settings."""
        if self._speaker is not None:
            self._speaker.voice_name = name

    def prepare(self, turn: TurnId, text: str) -> None:
        """Take text of an answer that ``turn`` will probably speak."""
        if self._speaker is not None:
            self._speaker.prepare(turn, text)

    def drop_prepared(self) -> None:
        """Forget what was prepared, because the user goes on speaking."""
        if self._speaker is not None:
            self._speaker.drop_prepared()

    def begin(self, turn: TurnId) -> None:
        """Read the answer of ``turn`` aloud from now on."""
        if self._speaker is not None:
            self._spoken.add(turn)
            self._written[turn] = ""
            self._speaker.begin(turn)

    def resume_reading(self, turn: TurnId) -> None:
        """The question of ``turn`` is over: read aloud what it still writes."""
        self._heard_before[turn] = self._heard.get(turn, "")
        if turn in self._spoken and self._speaker is not None:
            self._speaker.begin(turn)

    def write(self, turn: TurnId, text: str, *, aloud: bool) -> None:
        """Take the next text of an answer."""
        self._written[turn] = self._written.get(turn, "") + text
        if aloud and self._speaker is not None:
            self._speaker.feed(turn, text)

    def tell(self, turn: TurnId, text: str) -> None:
        """Say a sentence before the answer of ``turn`` that is no part of it."""
        if self._speaker is not None:
            self._told[turn] = self._told.get(turn, 0) + _letters(text)
            self._speaker.feed(turn, f"{text}\n")
            self._speaker.flush(turn)

    def withdraw(self, turn: TurnId) -> None:
        """What was written of an answer is no part of it: stop saying it, and wait for the answer."""
        self._written[turn] = ""
        self._told.pop(turn, None)
        if turn in self._spoken:
            self.begin(turn)

    def flush(self, turn: TurnId) -> None:
        """Say the text written so far, because nothing follows for a while."""
        if self._speaker is not None:
            self._speaker.flush(turn)

    def finish(self, turn: TurnId, sources: Sequence[Citation] = ()) -> bool:
        """End the text of an answer, which cites ``sources``; return whether ``SpeechFinished`` follows."""
        if self._speaker is None:
            return False
        return self._speaker.finish(turn, spoken_sources(sources, self._written.get(turn, ""), self._texts))

    def say(self, turn: TurnId, text: str) -> None:
        """Say a whole text as the speech of ``turn``; ``SpeechFinished`` follows."""
        if self._speaker is None:
            asyncio.get_running_loop().call_soon(self._report, ev.SpeechFinished(turn=turn))
        else:
            self._speaker.say(turn, text)

    # What was heard

    def note_question(self, turn: TurnId, *, interrupted: bool) -> None:
        """The answer to a question of ``turn`` is awaited: note what was heard of the turn before.

        Args:
            turn: the turn that asks.
            interrupted: whether the user spoke over the question; else all of the turn's text was heard.
        """
        self._heard_before[turn] = self._heard.get(turn, "") if interrupted else self._written.get(turn, "")

    def take_heard(self, turn: TurnId) -> tuple[bool, str]:
        """Whether a cancelled turn was read aloud, and which part of its text was heard. Both are then forgotten."""
        aloud, heard = turn in self._spoken, self._heard.pop(turn, "")
        self.complete(turn)
        return aloud, heard

    def complete(self, turn: TurnId) -> None:
        """The answer of ``turn`` is read no more."""
        self._spoken.discard(turn)
        self._heard_before.pop(turn, None)
        self._told.pop(turn, None)

    def forget(self, turn: TurnId) -> None:
        """Forget the text of a turn that writes no more. It may still be read aloud."""
        self._written.pop(turn, None)

    # The sound

    def stop(self, turn: TurnId) -> None:
        """Be silent at once, and note how much of ``turn`` was heard, without a question after its text."""
        self._held = False
        if self._speaker is not None:
            heard = f"{self._heard_before.get(turn, '')} {self._speaker.stop()}".strip()
            heard = _after_letters(heard, self._told.get(turn, 0))
            written = self._written.get(turn, heard)
            self._heard[turn] = written if _letters(heard) > _letters(written) else heard

    def duck(self) -> None:
        """Lower the voice."""
        if self._speaker is not None:
            self._speaker.duck()

    def pause(self) -> None:
        """Be silent until ``restore``."""
        if self._speaker is not None:
            self._speaker.pause()

    def restore(self) -> None:
        """Speak on where the voice was paused, at full level, unless the user has paused it."""
        if self._speaker is not None and not self._held:
            self._speaker.restore()

    def hold(self, *, held: bool) -> None:
        """The user pauses the voice, or lets it go on. What stops the voice ends the pause."""
        self._held = held
        self.pause() if held else self.restore()

    def play(self, sound: NDArray[np.int16]) -> bool:
        """Play a sound at ``PLAYBACK_RATE`` now; return whether there is a speaker."""
        if self._speaker is None or self._playback is None:
            return False
        self._playback.cue(sound)
        return True

    def cue(self, cue: Cue) -> None:
        """Play a cue. The timer cue is an alarm, and sounds although cues are off."""
        if self._speaker is not None and self._is_wanted(cue):
            self.ring(cue)

    def _is_wanted(self, cue: Cue) -> bool:
        voice = self._settings.current.voice
        each = {Cue.AWAKE: voice.cue_awake, Cue.HEARD: voice.cue_heard, Cue.ERROR: voice.cue_error}
        return cue is Cue.TIMER or (voice.cues and each[cue])

    def ring(self, cue: Cue = Cue.TIMER) -> None:
        """Play a cue whatever the settings say."""
        if self._playback is not None:
            self._playback.cue(self._cues[cue])


def _letters(text: str) -> int:
    """The length without white space, which differs between written and spoken text."""
    return len("".join(text.split()))


def _after_letters(text: str, letters: int) -> str:
    """The text after its first ``letters`` letters."""
    for place, letter in enumerate(text):
        if letters <= 0:
            return text[place:].lstrip()
        letters -= _letters(letter)
    return ""
