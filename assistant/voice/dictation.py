"""One dictation: hears the lent microphone and tells what is to be written at the cursor (D-08).

Utterances are heard as those of a conversation, with the same end of turn, but nothing answers them. They are kept
nowhere: neither in a trace nor in a log.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

from typing_extensions import override

from assistant.audio.cards.card import HeardFrame
from assistant.audio.level import LevelMeter
from assistant.chat.agents.calling import AgentCalls
from assistant.core.audio import FRAME_MS
from assistant.core.live_settings import LiveSettings
from assistant.core.machine import events as ev
from assistant.core.machine.events import Event, Meaning
from assistant.core.machine.states import TurnId
from assistant.speech.dictation.composing import Composing, Edit
from assistant.speech.dictation.reading import steps_of
from assistant.tasks import TaskSupervisor
from assistant.voice.conversation import HeardConversation
from assistant.voice.ears import Ears
from assistant.voice.trace import Trace
from assistant.voice.utterance_hearing import UtteranceHearing
from assistant.voice.work import Work

_TURN: Final = TurnId("dictation")
_REST_MS: Final = 250
"""Sound after the end of the dictation that is heard at least, and silence that ends it: a card delivers late."""
_LONGEST_REST_MS: Final = 4_000
"""Longest such sound. On a busy computer that much may wait to be heard; a room may never be silent."""


class _NoTrace(Trace):
    """Records nothing."""

    def __init__(self) -> None:
        super().__init__(lambda: 0.0)

    @override
    def note(self, event: str, **details: Any) -> None:
        """Forget an event."""


class Dictation(HeardConversation):
    """Utterances that are written down.

    Args:
        ears: the engines.
        settings: the voice settings.
        work: counts the work in progress.
        jobs: runs the transcriptions.
        on_level: takes the level of the microphone in dBFS.
        on_partial: takes what is heard of the present utterance, and the length of the prefix that will not change.
        on_edit: takes each change at the cursor, and whether speech was not understood; called after each utterance.
        on_over: called once, when the user has ended the dictation and the last utterance is written.
    """

    def __init__(
        self,
        ears: Ears,
        settings: LiveSettings,
        work: Work,
        jobs: TaskSupervisor,
        *,
        on_level: Callable[[float], None],
        on_partial: Callable[[str, int], None],
        on_edit: Callable[[Edit, bool], None],
        on_over: Callable[[], None],
    ) -> None:
        self.trace: Trace = _NoTrace()
        self.listening = jobs
        self.work = work
        self.conversation = ""
        self.calls: AgentCalls | None = None
        self.likely_words: tuple[str, ...] = ()
        self._ears = ears
        self._on_level, self._on_partial, self._on_edit, self._on_over = on_level, on_partial, on_edit, on_over
        self._meter, self._composing = LevelMeter(), Composing()
        self._ending = self._released = False
        self._ending_ms = self._silent_ms = 0
        ears.voice.reset()
        self._utterance = UtteranceHearing(ears, settings, self)
        self._utterance.begin(_TURN)

    def hear(self, frame: HeardFrame) -> None:
        """Take the next 10 ms."""
        echo, pcm = self._ears.echo, frame.heard.pcm
        if echo is not None:
            pcm = echo.process(pcm, frame.played)
        if (level := self._meter.feed(pcm)) is not None:
            self._on_level(level)
        speech = self._ears.voice.feed(pcm).speech
        self._silent_ms = 0 if speech else self._silent_ms + FRAME_MS
        self._utterance.heard_ms += FRAME_MS
        self._utterance.hear(self._ears.sound_of(frame, pcm, speech=speech))
        if self._ending and not self._released:
            self._hear_rest()

    def _hear_rest(self) -> None:
        """Hear what was said before the key was released: the sound comes later than the key."""
        self._ending_ms += FRAME_MS
        quiet = self._silent_ms >= _REST_MS and self._ending_ms >= _REST_MS
        if quiet or self._ending_ms >= _LONGEST_REST_MS:
            self._released = True
            if not self._utterance.release():
                self._on_over()

    def end(self) -> None:
        """Write what was said so far, and end."""
        self._ending = True

    def drop(self) -> None:
        """End at once, without what was not written yet."""
        self._utterance.end()

    # What the utterances need of a conversation

    @property
    @override
    def wake_phrases(self) -> Sequence[str]:
        """Nobody is called."""
        return ()

    @property
    @override
    def saying(self) -> str:
        """Sori is silent."""
        return ""

    @override
    def tell(self, event: Event) -> None:
        """Take the words of an utterance; other events mean nothing here."""
        if not isinstance(event, ev.UtteranceTranscribed | ev.UtteranceRejected):
            return
        self._utterance.end()  # The next utterance is no second half of this one.
        self._utterance.begin(_TURN)
        if isinstance(event, ev.UtteranceTranscribed):
            self._on_edit(self._composing.take(steps_of(event.text)), False)
        else:
            self._on_edit(Edit(erased=0, text=""), event.was_speech)
        if self._released:
            self._on_over()

    @override
    def meaning(self, text: str, ending: bool) -> Meaning:
        """Dictated words ask for nothing, so they have no answer that could be prepared."""
        return Meaning.STOP

    @override
    def calls_other(self, text: str) -> bool:
        """Nobody is called."""
        return False

    @override
    def show_partial(self, turn: TurnId, text: str, stable: int) -> None:
        """Show what is heard."""
        self._on_partial(text, stable)

    @override
    def show_level(self, level_db: float) -> None:
        """Show the level."""
        self._on_level(level_db)

    @override
    def prepare(self, turn: TurnId, text: str) -> None:
        """Prepare nothing."""

    @override
    def discard_prepared(self, turn: TurnId) -> None:
        """Nothing was prepared."""
