"""The speaker: turns the text of a streaming answer into sound (V-12, V-13).

Text is cut into sentences as it arrives. The synthesiser thread synthesises each sentence while the one before it
plays. A sentence is one segment of ``Playback``, and the playback marks tell which text was heard.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from assistant.audio.playback import Mark, Playback
from assistant.core.audio import FRAME_MS
from assistant.core.errors import SoriError
from assistant.core.live_settings import LiveSettings
from assistant.core.machine import events as ev
from assistant.core.machine.events import Event
from assistant.core.machine.states import TurnId
from assistant.speech.text.code_blocks import has_code
from assistant.speech.text.sentences import SentenceChunker, weight_of
from assistant.speech.text.spoken import has_words, spoken_language, spoken_text, written_up_to
from assistant.speech.tts.synthesizer import Voice, Voices
from assistant.voice import patience
from assistant.voice.conversation import SpokenConversation
from assistant.voice.early_sound import EarlySound, PutSound
from assistant.voice.threads.model_thread import ModelThread

log = logging.getLogger(__name__)

DUCK_DB = 14.0
"""Attenuation of Sori's voice while a barge-in is suspected."""
SHORT_LEAD_S = 2.0
"""With less sound than this ahead, a sentence is awaited. A slow voice needs about as long for a usual sentence while
the model is writing."""
HURRY_LEAD_S = 0.7
"""With less sound than this ahead and no sentence waiting, the beginning of the next one is said. Kokoro needs about as
long for two seconds of speech while a model is writing."""
WEIGHT_A_SECOND = 16
"""Pace of speech, in the weight of ``sentences``."""
LOOKAHEAD_S = 12.0
"""Most sound synthesised ahead of playback. More would be wasted on a barge-in."""


@dataclass(slots=True)
class _Sentence:
    """One sentence: its text, how it is spoken, the duration of its sound so far, and whether that is all of it.

    ``before`` is the text before it that nobody says, such as code.
    """

    text: str
    voice: Voice
    before: str = ""
    length_s: float = 0.0
    whole: bool = False
    begun: bool = False
    ended: bool = False

    def heard(self, played_s: float) -> str:
        """The beginning that was heard when ``played_s`` seconds of its sound were played."""
        language, length_s = self.voice.language, self.length_s
        if played_s and not self.whole:
            expected = weight_of(spoken_text(self.text, language))
            length_s = max(length_s, expected / (WEIGHT_A_SECOND * self.voice.speed))
        return written_up_to(self.text, language, played_s / length_s if length_s else 0.0)


@dataclass(slots=True)
class _Speech:
    """Everything that one turn says."""

    turn: TurnId
    chunker: SentenceChunker
    awaited_ms: int | None = None
    """Audio time from which its next sentence is awaited: that of its first text, or of the sentence before."""
    began_ms: int = 0
    """Audio time of its first text."""
    weight: int = 0
    """Weight of all its text."""
    waiting: asyncio.Queue[str | None] = field(default_factory=asyncio.Queue)
    sentences: dict[int, _Sentence] = field(default_factory=dict)
    begun: bool = False
    closed: bool = False
    missed: bool = False
    """Whether the user was told that a sentence cannot be spoken."""
    unsaid: dict[int, str] = field(default_factory=dict)
    """Text that nobody says, such as code, by the number of sentences given before it."""
    given: int = 0
    """Number of sentences passed to synthesis."""
    made: int = 0
    """Number of sentences that synthesis has done with."""
    told: set[str] = field(default_factory=set)
    """Sentences that are said of an answer, such as its sources, and belong to no answer."""
    settled: int = 0
    """Number of sentences that were played to their end or could not be synthesised."""


class AnswerSpeaker:
    """Speaks one turn at a time.

    Args:
        playback: the queue that takes the sound.
        voices: the synthesisers.
        thread: the synthesisers' thread.
        settings: the voice settings, and the language of text that shows none (numbers, names).
        conversation: the conversation for which it speaks.

    Attributes:
        voice_name: the voice of the answering agent; empty for that of the settings.
    """

    def __init__(
        self,
        playback: Playback,
        voices: Voices,
        thread: ModelThread,
        settings: LiveSettings,
        conversation: SpokenConversation,
    ) -> None:
        self._playback = playback
        self._voices = voices
        self._thread = thread
        self._settings = settings
        self._conversation = conversation
        self._trace = conversation.trace
        self._speech: _Speech | None = None
        self._task: asyncio.Task[None] | None = None
        self._early: EarlySound | None = None
        self._pace = patience.WritingPace()
        self._segments = 0
        self._room = asyncio.Event()
        self.voice_name = ""

    def prepare(self, turn: TurnId, text: str) -> None:
        """Take the next text of an answer that ``turn`` will probably speak, and synthesise its first sentence."""
        if self._early is None or self._early.turn != turn:
            self.drop_prepared()
            self._early = EarlySound(turn, self._now_ms, markers=not self._pace.slow)
        early = self._early
        if (sentence := early.feed(text, self._now_ms)) and has_words(sentence):
            early.voice = self._voice_for(sentence, awaited=True)
            early.work = self._conversation.speaking.start(
                self._synthesise_early(early, early.voice), name="synthesise early", handled=True
            )

    def drop_prepared(self) -> None:
        """Forget what was prepared. A sentence that is being synthesised is finished in vain."""
        if self._early is not None:
            self._early.dropped = True
            self._early = None

    def begin(self, turn: TurnId) -> None:
        """Speak for ``turn`` from now on, at full level; stop the speech of any other turn."""
        self.stop()
        if self._early is not None and self._early.turn != turn:
            self.drop_prepared()
        # The last answer may have ended ducked, while a barge-in was suspected.
        self._playback.restore()
        first = "" if self._early is None else self._early.sentence
        speech = _Speech(turn=turn, chunker=SentenceChunker(first, markers=not self._pace.slow))
        if self._early is not None:
            speech.awaited_ms = speech.began_ms = self._early.began_ms
        self._speech = speech
        self._task = self._conversation.speaking.start(self._synthesise(speech), name="synthesise")

    def feed(self, turn: TurnId, text: str) -> None:
        """Take the next text of the answer of ``turn``."""
        if (speech := self._current(turn)) is not None:
            now_ms = self._now_ms
            if speech.awaited_ms is None:
                speech.awaited_ms = speech.began_ms = now_ms
            speech.weight += weight_of(text)
            self._pace.learn(now_ms - speech.began_ms, speech.weight)
            chunker = speech.chunker
            pieces = chunker.feed(text)
            over = patience.is_over(now_ms - speech.awaited_ms, chunker.waiting_weight, first=chunker.at_beginning)
            if not pieces and over and self._is_waiting(speech):
                pieces = chunker.hurry()
            for piece in pieces:
                speech.awaited_ms = now_ms
                self._give(speech, piece)

    def _is_waiting(self, speech: _Speech) -> bool:
        """Whether the listener waits for text, or soon will: nothing more is ready or being made."""
        return speech.made == speech.given and self._playback.pending_s < HURRY_LEAD_S

    @property
    def _now_ms(self) -> int:
        """The audio time."""
        return self._playback.blocks * FRAME_MS

    def flush(self, turn: TurnId) -> None:
        """Speak the text so far, because nothing follows for a while, even if its sentence is not complete."""
        if (speech := self._current(turn)) is not None:
            for sentence in speech.chunker.flush():
                self._give(speech, sentence)
            # The time until the next text tells nothing of the model's pace.
            speech.awaited_ms, speech.weight = None, 0

    def say(self, turn: TurnId, text: str) -> None:
        """Say a whole text after the current speech of ``turn``, and end the speech with it.

        If a text has ended that speech already, such as a question that is void now, the new one takes its place.
        """
        before = self._current(turn)
        if before is None or before.closed:
            self.begin(turn)
        if (speech := self._current(turn)) is not None:
            speech.begun |= before is not None and before.begun
            whole = SentenceChunker()
            for sentence in [*speech.chunker.flush(), *whole.feed(text), *whole.flush()]:
                self._give(speech, sentence)
            if not self.finish(turn):
                self._report_later(ev.SpeechFinished(turn=turn))

    def finish(self, turn: TurnId, closing: str = "") -> bool:
        """End the text of ``turn``; return whether the turn speaks, so that ``SpeechFinished`` follows.

        Args:
            turn: the turn.
            closing: a sentence that is said of the answer after it, such as its sources; empty for none.
        """
        speech = self._current(turn)
        if speech is None:
            return False
        if not speech.closed:
            for sentence in speech.chunker.flush():
                self._give(speech, sentence)
            self._tell_of_code(speech)
            if closing and speech.given:
                self._tell_of(speech, closing)
            speech.closed = True
            speech.waiting.put_nowait(None)
        if speech.given > speech.settled:
            return True
        self._speech = None
        if speech.begun:
            # All sentences were played before the model finished.
            self._report_later(ev.SpeechFinished(turn=turn))
        return speech.begun

    def _report_later(self, event: Event) -> None:
        """Report after the caller has passed its own event to the machine."""
        asyncio.get_running_loop().call_soon(self._conversation.tell, event)

    def stop(self) -> str:
        """Stop speaking at once; return the part of the current turn's text that was heard, possibly empty."""
        speech, self._speech = self._speech, None
        if speech is None:
            return ""
        if self._task is not None:
            self._task.cancel()
            self._task = None
        self._poll_marks(speech)
        heard = self._heard(speech)
        if self._early is None:
            self._voices.abandon()  # a server may let the next answer wait
        self._playback.clear(through=self._segments)
        return heard

    def duck(self) -> None:
        """Lower the voice."""
        self._playback.duck(DUCK_DB)

    def pause(self) -> None:
        """Be silent until ``restore``. Synthesis goes on."""
        self._playback.pause()

    def restore(self) -> None:
        """Speak on where the voice was paused, at full level."""
        self._playback.restore()

    @property
    def saying(self) -> str:
        """The sentence that is being played and the one before it; empty while nothing is said."""
        if self._speech is None:
            return ""
        begun = [each.text for each in self._speech.sentences.values() if each.begun]
        return " ".join(begun[-2:])

    def poll(self) -> None:
        """Report the playback since the last call. Called every 10 ms of audio time."""
        self._poll_marks(self._speech)
        self._room.set()

    def _poll_marks(self, speech: _Speech | None) -> None:
        """Record which sentences started and ended."""
        for mark in self._playback.take_marks():
            if speech is not None and mark.segment in speech.sentences:
                self._note(speech, mark)

    def _note(self, speech: _Speech, mark: Mark) -> None:
        sentence = speech.sentences[mark.segment]
        if mark.kind == "started":
            sentence.begun = True
            if not speech.begun:
                speech.begun = True
                engine = self._voices.speaking
                self._trace.note("first_audio", **({"engine": engine} if engine else {}))
                if self._speech is speech:  # else it is being stopped, and its turn may have nothing more to say
                    self._conversation.tell(ev.FirstAudioReady(turn=speech.turn))
            self._trace.note("sentence", text=sentence.text)
            if self._speech is speech:
                self._conversation.show_sentence(speech.turn, sentence.text)
        elif not sentence.ended:
            sentence.ended = True
            self._settle(speech)

    def _settle(self, speech: _Speech) -> None:
        speech.settled += 1
        if speech.closed and speech.settled == speech.given and self._speech is speech:
            self._speech = None
            self._conversation.tell(ev.SpeechFinished(turn=speech.turn))

    def _current(self, turn: TurnId) -> _Speech | None:
        return self._speech if self._speech is not None and self._speech.turn == turn else None

    def _give(self, speech: _Speech, sentence: str) -> None:
        if has_words(sentence):
            speech.given += 1
            speech.waiting.put_nowait(sentence)
        else:
            speech.unsaid[speech.given] = f"{speech.unsaid.get(speech.given, '')}\n{sentence}".lstrip("\n")

    def _tell_of_code(self, speech: _Speech) -> None:
        """Say that an answer is code, so that the listener need not wonder about the silence."""
        if not speech.given and any(map(has_code, speech.unsaid.values())):
            self._tell_of(speech, self._conversation.only_code)

    def _tell_of(self, speech: _Speech, sentence: str) -> None:
        speech.told.add(sentence)
        self._give(speech, sentence)

    async def _synthesise(self, speech: _Speech) -> None:
        while (sentence := await speech.waiting.get()) is not None:
            await self._wait_for_room()
            await self._say_sentence(speech, sentence)
            speech.made += 1

    async def _wait_for_room(self) -> None:
        while self._playback.pending_s > LOOKAHEAD_S:
            self._room.clear()
            await self._room.wait()

    async def _say_sentence(self, speech: _Speech, sentence: str) -> None:
        voice = self._voice_for(sentence, awaited=self._is_awaited(speech))
        self._segments += 1
        number = self._segments
        noted = speech.sentences[number] = _Sentence(sentence, voice, speech.unsaid.get(speech.made, ""))
        given_up = False

        def wanted() -> bool:
            return not given_up and self._speech is speech

        def put(pcm: NDArray[np.int16], rate: int) -> None:
            if wanted():
                self._playback.enqueue(number, pcm, rate)
                noted.length_s += len(pcm) / rate

        try:
            if not await self._say_prepared(speech, sentence, voice, put):
                await self._thread.run(lambda: self._speak(sentence, voice, put, wanted))
            if voice.name and (missing := self._voices.unusable(voice.name, voice.language)):
                self._conversation.other_voice(missing)
        except SoriError as error:
            given_up = True
            self._miss(speech, error)
        noted.whole = True
        if noted.length_s:
            # Play the synthesised part even if the rest failed. A segment without an end would block all later
            # segments.
            self._playback.finish(number)
        else:
            del speech.sentences[number]
            self._settle(speech)

    def _is_awaited(self, speech: _Speech) -> bool:
        """Whether the listener waits for the next sentence, or will before its synthesis is likely to end."""
        return not speech.sentences or self._playback.pending_s < SHORT_LEAD_S

    def _voice_for(self, sentence: str, *, awaited: bool) -> Voice:
        language = spoken_language(sentence, self._settings.current.language)
        speed = self._settings.current.voice.speed
        return Voice(language=language, speed=speed, awaited=awaited, name=self.voice_name)

    def _speak(self, sentence: str, voice: Voice, put: PutSound, wanted: Callable[[], bool]) -> None:
        """Synthesise a sentence while it is ``wanted``. Runs on the synthesiser's thread."""
        text = spoken_text(sentence, voice.language)
        if not text:
            return
        for pcm, rate in self._voices.synthesize(text, voice):
            if not wanted():
                break
            put(pcm, rate)

    async def _synthesise_early(self, early: EarlySound, voice: Voice) -> None:
        await self._thread.run(lambda: self._speak(early.sentence, voice, early.add, lambda: not early.dropped))

    async def _say_prepared(self, speech: _Speech, sentence: str, voice: Voice, put: PutSound) -> bool:
        """Say a sentence whose sound was prepared. Returns whether it was.

        Raises:
            SoriError: its synthesis failed after a part of it was prepared.
        """
        early, self._early = self._early, None
        if early is None or early.work is None:
            return False
        if (early.turn, early.sentence, early.voice) != (speech.turn, sentence, voice):
            early.dropped = True
            return False
        early.take(put)
        try:
            await asyncio.shield(early.work)
        except asyncio.CancelledError:
            early.dropped = True
            raise
        return True

    def _miss(self, speech: _Speech, error: SoriError) -> None:
        """Handle a sentence that could not be spoken completely."""
        log.warning("cannot say a sentence: %s", error)
        if not speech.missed:
            speech.missed = True
            self._conversation.cannot_say(error)

    def _heard(self, speech: _Speech) -> str:
        """The text that was heard; a sentence that was cut off counts up to the word that was reached."""
        heard = []
        for number, sentence in speech.sentences.items():
            if sentence.ended:
                heard += [sentence.before, "" if sentence.text in speech.told else sentence.text]
                continue
            if reached := sentence.heard(self._playback.heard_s(number)).strip():
                heard += [sentence.before, "" if sentence.text in speech.told else reached]
            break
        return " ".join(part.strip() for part in heard if part.strip())

    def close(self) -> None:
        """Stop speaking and free the voices."""
        self.stop()
        self.drop_prepared()
        self._thread.close()
