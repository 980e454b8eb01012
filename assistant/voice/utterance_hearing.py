"""Utterances while Sori listens: their onset, capture and result."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace

from assistant.audio.echo.onset import Rest
from assistant.audio.echo.presence import Echo
from assistant.audio.speech_segments import PreRoll, SpeechChange, SpeechTracker
from assistant.chat.agents.calling import Called
from assistant.core.audio import FRAME_BYTES, FRAME_MS, to_seconds
from assistant.core.errors import SoriError
from assistant.core.live_settings import LiveSettings
from assistant.core.machine import events as ev
from assistant.core.machine.events import Meaning
from assistant.core.machine.states import NO_TURN, TurnId
from assistant.speech.endpoint.completeness import text_completeness
from assistant.speech.endpoint.continuation import Relation, joined_text, one_sentence, relation, rest_after
from assistant.speech.endpoint.policy import WORDS_FINISHED
from assistant.speech.stt.judgement import Reason, judge, was_speech
from assistant.speech.stt.partials import StablePrefix
from assistant.speech.stt.recognizer import Transcript, Weighed
from assistant.voice.capture import Capture, Said, SaidBefore
from assistant.voice.conversation import HeardConversation
from assistant.voice.ears import Ears
from assistant.voice.heard_sound import HeardSound
from assistant.voice.long_utterance import LONGEST_S, Part, quietest
from assistant.voice.overlap.hearing import AT_ONCE_MS, GOES_ON_WITHIN_MS, Onset
from assistant.voice.overlap.user_level import RoomVoices, UserLevel
from assistant.voice.transcribing import Transcribing
from assistant.voice.turn_end import TurnEnd
from assistant.voice.utterance import Utterance
from assistant.voice.waking.after_wake import Followed
from assistant.voice.waking.name_hearing import HeardFrames
from assistant.voice.waking.name_said import NameSaid

log = logging.getLogger(__name__)

MOST_PREPARATIONS = 2
"""Answers that are prepared for one utterance. Each that the user does not wait for is a request in vain."""
REST_OF_NAME_MS = 150
"""Voice after a transcribed name that can still belong to the name."""
LEAST_MORE_LETTERS = 2
"""Letters that the joined transcript must add to the first half if the second half alone was rejected."""


class UtteranceHearing:
    """Captures one utterance after another.

    Args:
        ears: the engines.
        settings: the live settings.
        conversation: takes what was heard.

    Attributes:
        turn: the turn of the next utterance.
        ending: whether the session is about to end.
        heard_ms: total time of sound that the listener has taken, in every mode.
        level: how loud the user speaks.
        others: how loud the voices are that do not speak to Sori.
        held: whether the user holds the talk key, so that no pause ends an utterance.
    """

    def __init__(self, ears: Ears, settings: LiveSettings, conversation: HeardConversation) -> None:
        self._ears = ears
        self._settings = settings
        self._conversation = conversation
        self._trace = conversation.trace
        self._tracker = SpeechTracker()
        self._preroll = PreRoll(settings.current.voice.preroll_ms)
        self._capture: Capture | None = None
        self._tasks = conversation.listening
        self._transcribing = Transcribing(ears, settings, conversation, self)
        self._turn_end = TurnEnd(ears, settings, self._transcribing, self._tasks)
        self._said: Said | None = None
        self._shown = ""
        """The words of the utterance on the screen, without those of its earlier parts."""
        self.level = UserLevel()
        self.others = RoomVoices()
        self.turn = NO_TURN
        self.ending = False
        self.heard_ms = 0
        self.held = False

    def expect(self, *, answer: bool) -> None:
        """Expect the answer to a question of Sori's, or anything."""
        self._transcribing.answers = answer

    @property
    def capturing(self) -> bool:
        """Whether an utterance has begun and has no final transcript yet."""
        return self._capture is not None

    @property
    def names(self) -> Sequence[str]:
        """The wake word in words, and the wake phrases."""
        word = () if self._ears.wake is None else (self._ears.wake.name.replace("_", " "),)
        return (*word, *self._conversation.wake_phrases)

    def is_current(self, capture: Capture) -> bool:
        """Whether a capture is still active."""
        return self._capture is capture

    def wait(self, preroll: bytes = b"") -> None:
        """Wait for an onset; ``preroll`` is the sound before it."""
        self._tracker.reset()
        self._preroll = PreRoll(self._settings.current.voice.preroll_ms)
        self._preroll.extend(preroll)

    def begin(self, turn: TurnId) -> None:
        """Wait for an utterance of ``turn`` and discard the current capture."""
        self.turn = turn
        self.drop()
        self._tracker.reset()

    def begin_within(self, turn: TurnId, onset: Onset, *, continues: TurnId | None = None) -> None:
        """Capture an utterance of ``turn`` that began with ``onset`` and may continue that of ``continues``."""
        self.begin(turn)
        self._trace.note("speech_started")
        calls_other = bool(onset.name) and self._conversation.calls_other(onset.name)
        capture = self._start(
            onset.pcm,
            onset.speech_ms,
            NameSaid(phrase=onset.name, stays=calls_other) if onset.name else None,
            unprocessed=onset.unprocessed,
            silence_ms=onset.silence_ms,
        )
        if self._said is not None and self._said.turn == continues and not calls_other:
            capture.before = self._said
            capture.at_once = self.ended_within(AT_ONCE_MS + onset.began_ms_ago)
        if onset.transcript is not None:
            self._take_words(capture, onset.transcript, stops=onset.stops)
        if onset.both[0] and self._capture is capture:
            self._tasks.start(self._restore(capture, onset), name="restore an onset")

    def begin_after_turn(self, turn: TurnId, onset: Onset) -> None:
        """Capture an utterance of ``turn`` that began with ``onset``, over a turn that has ended by itself."""
        self.begin_within(turn, onset)
        self._may_go_on(onset.began_ms_ago)
        self._conversation.tell(ev.SpeechStarted(turn=turn))

    def _may_go_on(self, began_ms_ago: int = 0) -> None:
        """The utterance may be the second half of the last one, if it began soon after it."""
        if self._capture is not None and self.ended_within(GOES_ON_WITHIN_MS + began_ms_ago):
            self._capture.before, self._capture.answered = self._said, True

    async def _restore(self, capture: Capture, onset: Onset) -> None:
        """Give a capture the first words that echo cancellation has removed."""
        try:
            sound = (await self.compute(onset.restored)).pcm
        except SoriError as error:
            log.warning("the first words of an interruption are used as they were heard: %s", error)
            return
        if sound != onset.pcm:
            capture.utterance.replace_onset(sound)

    async def compute(self, work: Callable[[], Rest]) -> Rest:
        """Run a function on the recogniser's thread.

        Raises:
            SoriError: the thread hangs.
        """
        return await self._ears.recognizer_thread.run(work)

    def _take_words(self, capture: Capture, transcript: Transcript, *, stops: bool) -> None:
        """End an interruption that consists of a stop word or a reply; nothing more is waited for.

        A stop word is known by its sounds. The recogniser may misspell it, so that its text alone means a request.
        """
        meaning = self._conversation.meaning(transcript.text, self.ending)
        if meaning.is_request and stops:
            self._note_end(capture, "words")
            self._deliver_alone(capture, transcript, Meaning.STOP)
        elif not meaning.is_request:
            capture.transcript, capture.transcribed = transcript, capture.utterance.revision
            self._end_capture(capture, "words")

    async def read_draft(self, pcm: bytes) -> Transcript:
        """Transcribe a sound in the user's language, on this machine.

        Raises:
            SoriError: the recogniser failed.
        """
        return await self._transcribing.read(pcm, draft=True)

    async def weigh(self, pcm: bytes, phrases: Sequence[str], language: str) -> Weighed | None:
        """How well phrases fit the beginning of a sound; ``None`` if nobody can tell.

        Raises:
            SoriError: the recogniser failed.
        """
        return await self._ears.weigh(pcm, {phrase: (phrase,) for phrase in phrases}, language=language)

    def ended_within(self, limit_ms: int) -> bool:
        """Whether the last understood request ended at most ``limit_ms`` ago."""
        return self._said is not None and self.heard_ms - self._said.ended_ms <= limit_ms

    def relation(self, text: str, language: str) -> Relation:
        """Relate words to the last understood request."""
        return Relation.APART if self._said is None else relation(self._said.text, text, language)

    def unfinished(self) -> bool:
        """Whether the words of the last understood request lack something."""
        completeness = None if self._said is None else text_completeness(self._said.text, self._said.language)
        return completeness is not None and completeness < WORDS_FINISHED

    def begin_after_wake(self, followed: Followed) -> None:
        """Capture the request that followed the wake word, or came before it, in the same breath."""
        self._start(followed.pcm, followed.speech_ms, followed.said, silence_ms=followed.silence_ms)
        self._trace.note("speech_started")
        self._conversation.tell(ev.SpeechStarted(turn=self.turn))

    def begin_after_name(self, called: Called, frames: HeardFrames, transcribed: int) -> None:
        """Capture the utterance that begins with a name, or wait for one if only the name was said.

        Args:
            called: the called agent, and the words after its name that are known.
            frames: the sound from the name on.
            transcribed: number of the frames in which the name was found.
        """
        later = frames[transcribed:]
        if not called.rest and sum(speech for _, speech in later) * FRAME_MS <= REST_OF_NAME_MS:
            self.wait(b"".join(pcm for pcm, _ in later))
            return
        capture = self._start(b"", 0, NameSaid(phrase=called.phrase, spellings=called.spellings))
        for pcm, speech in frames:
            capture.utterance.add(pcm, speech=speech)
        self._trace.note("speech_started")
        self._conversation.tell(ev.SpeechStarted(turn=self.turn))

    def drop(self) -> None:
        """Discard the current capture."""
        if self._capture is not None and self._capture.prepared != -1:
            self._discard_prepared(self._capture)
        if self._capture is not None:
            self._transcribing.supersede(self._capture, dropped=True)
        self._capture = None

    def end(self) -> None:
        """Discard the current capture, the pre-roll and the last utterance."""
        self.drop()
        self._said = None
        self._preroll.clear()

    def release(self) -> bool:
        """End the utterance of a held talk key; return whether one has begun."""
        self.held = False
        if self._capture is None:
            return False
        if not self._capture.ended:
            self._end_capture(self._capture, "released")
        return True

    def hear(self, sound: HeardSound) -> None:
        """Take the next 10 ms."""
        capture = self._capture
        if capture is None:
            self._await_speech(sound.cleaned, speech=sound.speech)
            return
        if capture.endpoint in {"cap", "released"}:
            return
        capture.utterance.add(sound.cleaned, speech=sound.speech, unprocessed=sound.heard)
        self._transcribing.supersede(capture)
        if sound.echo is not Echo.EXPECTED:
            capture.utterance.settle_echo(present=sound.echo is Echo.RECOGNISED)
        if capture.prepared not in (-1, capture.utterance.revision):
            self._discard_prepared(capture)
        if capture.ended:
            self._reopen_if_resumed(capture)
        elif capture.utterance.length_s >= self._settings.current.voice.max_utterance_s:
            self._cut(capture)
        elif capture.utterance.pausing:
            self._judge_pause(capture)
        else:
            self._transcribing.consider_partial(capture)

    def _cut(self, capture: Capture) -> None:
        """Read what was said so far, and go on with the rest, because a transcript cannot be longer."""
        if capture.parts.length_s + capture.utterance.length_s >= LONGEST_S:
            self._end_capture(capture, "cap")
            return
        self._note_end(capture, "cap")
        utterance, parts = capture.utterance, capture.parts
        at = quietest(utterance.pcm)
        part, rest = Part(utterance.pcm[:at], shown=self._shown), utterance.pcm[at:]
        opening = capture.opening if parts else capture.wake_word
        capture.utterance = Utterance(utterance.turn, part.pcm, speech_ms=utterance.speech_ms)
        capture.words = StablePrefix()  # The newest of them may be in the rest.
        self._tasks.start(self._read_part(part, capture), name="transcribe a part")
        parts.add(part)
        following = self._start(
            rest, len(rest) // FRAME_BYTES * FRAME_MS - utterance.silence_ms, silence_ms=utterance.silence_ms
        )
        following.parts, following.opening, following.before = parts, opening, capture.before
        following.at_once, following.answered = capture.at_once, capture.answered

    async def _read_part(self, part: Part, capture: Capture) -> None:
        try:
            part.transcript = await self._transcribing.of_part(capture)
        finally:
            part.read.set()

    def show_partial(self, turn: TurnId, text: str, stable: int) -> None:
        """Show a partial transcript of the current capture."""
        self._shown = text
        if self._capture is not None and self._capture.parts:
            text, rest = self._capture.parts.with_rest(text), text
            stable += len(text) - len(rest)
        self._conversation.show_partial(turn, text, stable)

    def _await_speech(self, pcm: bytes, *, speech: bool) -> None:
        self._preroll.push(pcm)
        if self._tracker.feed(speech=speech) is SpeechChange.STARTED:
            self._start(self._preroll.take(), self._tracker.speech_ms)
            self._may_go_on()
            self._trace.note("speech_started")
            self._conversation.tell(ev.SpeechStarted(turn=self.turn))

    def _start(
        self,
        onset: bytes,
        speech_ms: int,
        wake_word: SaidBefore | None = None,
        unprocessed: bytes | None = None,
        silence_ms: int = 0,
    ) -> Capture:
        self._shown = ""
        self._capture = Capture(
            utterance=Utterance(self.turn, onset, speech_ms=speech_ms, unprocessed=unprocessed, silence_ms=silence_ms),
            wake_word=wake_word,
        )
        return self._capture

    def _judge_pause(self, capture: Capture) -> None:
        decision = self._turn_end.decision(capture)
        if self.held:
            return
        if decision.end:
            self._end_capture(capture, "silence")
        elif decision.probable:
            self._prepare_answer(capture)

    def _prepare_answer(self, capture: Capture) -> None:
        """Have an answer prepared to what was said up to this pause, once a pause."""
        transcript = capture.current_transcript
        continued = capture.before is not None or bool(capture.parts)
        if transcript is None or continued or capture.prepared == capture.utterance.revision:
            return
        accepted = judge(transcript, speech_ms=capture.utterance.speech_ms).accept
        if not accepted or not self._conversation.meaning(transcript.text, self.ending).is_request:
            return
        if capture.preparations < MOST_PREPARATIONS:
            capture.preparations += 1
            capture.prepared = capture.utterance.revision
            self._conversation.prepare(capture.utterance.turn, transcript.text)

    def _discard_prepared(self, capture: Capture) -> None:
        capture.prepared = -1
        self._conversation.discard_prepared(capture.utterance.turn)

    def _reopen_if_resumed(self, capture: Capture) -> None:
        """Reopen the capture if the speaker resumes before its transcript arrives."""
        if not capture.utterance.pausing:
            capture.ended = False
            capture.wants_transcript = False

    def _end_capture(self, capture: Capture, reason: str) -> None:
        capture.ended = True
        capture.endpoint = reason
        self._note_end(capture, reason)
        transcript = capture.current_transcript
        if transcript is None:
            self._transcribing.want(capture)
        else:
            self.deliver(capture, transcript)

    def _note_end(self, capture: Capture, reason: str) -> None:
        self._trace.note(
            "speech_ended",
            silence_ms=capture.utterance.silence_ms,
            reason=reason,
            probability=None if capture.probability is None else round(capture.probability, 3),
        )

    def deliver(self, capture: Capture, transcript: Transcript) -> None:
        """Report the final transcript of a capture that has ended."""
        utterance = capture.utterance
        verdict = judge(transcript, speech_ms=utterance.speech_ms)
        if capture.parts:
            self._tasks.start(
                self._deliver_parts(capture, transcript if verdict.accept else None), name="deliver parts"
            )
        elif verdict.accept:
            self._deliver_accepted(capture, transcript)
        else:
            # After a wake word without a request, an empty transcript is expected.
            only_wake_word = capture.wake_word is not None and verdict.reason is Reason.EMPTY
            said = not only_wake_word and was_speech(verdict.reason, utterance.speech_ms)
            if said and capture.before is not None:
                # The end of a sentence is recognised better together with its beginning.
                self._tasks.start(
                    self._deliver_joined(capture, capture.before, transcript, verdict.reason), name="join both halves"
                )
            else:
                self._reject(capture, transcript, verdict.reason, was_speech=said)

    async def _deliver_parts(self, capture: Capture, rest: Transcript | None) -> None:
        """Deliver the parts of a long utterance and its rest, unless the speaker resumes meanwhile."""
        revision = capture.utterance.revision
        await capture.parts.all_read()
        if self._capture is not capture or capture.utterance.revision != revision:
            return
        text = capture.parts.with_rest("" if rest is None else rest.text)
        if rest is None:
            rest = Transcript(text="", language=capture.parts.language, samples=capture.utterance.samples)
        if text:
            self._deliver_accepted(capture, replace(rest, text=text))
        else:
            self._reject(capture, rest, Reason.EMPTY, was_speech=True)

    def _deliver_accepted(self, capture: Capture, transcript: Transcript) -> None:
        meaning = self._conversation.meaning(transcript.text, self.ending)
        before = capture.before
        if before is not None and meaning.is_request:
            self._tasks.start(self._deliver_joined(capture, before, transcript, Reason.HEARD), name="join both halves")
        else:
            self._deliver_alone(capture, transcript, meaning)

    def _deliver_alone(self, capture: Capture, transcript: Transcript, meaning: Meaning) -> None:
        capture.prepared = -1  # The turn of the request takes what was prepared.
        self._understood(capture, transcript, transcript.text, capture.pcm)
        if not meaning.is_request:
            self._said = None
        self._conversation.tell(
            ev.UtteranceTranscribed(turn=capture.utterance.turn, text=transcript.text, meaning=meaning)
        )

    async def _deliver_joined(self, capture: Capture, before: Said, transcript: Transcript, reason: Reason) -> None:
        """Report two halves as one utterance if they belong together. Drop the result if the speaker resumes meanwhile.

        Args:
            capture: the second half.
            before: the first half.
            transcript: the transcript of the second half.
            reason: the verdict on the second half alone; ``HEARD`` when it was accepted.
        """
        utterance, rest = capture.utterance, transcript.text
        revision = utterance.revision
        heard = reason is Reason.HEARD
        known = capture.relation_to(before, rest, transcript.language) if heard else Relation.HALVES
        if known is Relation.APART:
            self._deliver_alone(capture, transcript, Meaning.REQUEST)
            return
        apart = joined_text(before.text, rest) if heard else before.text
        text = "" if capture.parts else await self._transcribing.of_both(before, capture, apart)
        if self._capture is not capture or utterance.revision != revision:
            return
        if not heard and len(text) < len(before.text) + LEAST_MORE_LETTERS:
            self._reject(capture, transcript, reason, was_speech=True)
            return
        if known is Relation.UNCLEAR and not one_sentence(text):
            self._deliver_alone(capture, transcript, Meaning.REQUEST)
            return
        text = text or apart
        rest = rest if heard else rest_after(before.text, text)
        self._understood(capture, transcript, text, before.pcm + capture.pcm)
        self._conversation.tell(
            ev.UtteranceTranscribed(turn=utterance.turn, text=text, continues=before.turn, rest=rest)
        )

    def _reject(self, capture: Capture, transcript: Transcript, reason: Reason, *, was_speech: bool) -> None:
        self.drop()
        self._trace.note("speech_rejected", reason=reason, text=transcript.text)
        self._conversation.tell(ev.UtteranceRejected(turn=capture.utterance.turn, was_speech=was_speech))

    def _understood(self, capture: Capture, transcript: Transcript, text: str, pcm: bytes) -> None:
        self.drop()
        utterance = capture.utterance
        self.level.learn(utterance.pcm)
        self._said = Said(
            turn=utterance.turn,
            pcm=pcm,
            text=text,
            language=transcript.language,
            ended_ms=self.heard_ms - utterance.silence_ms,
            wake_word=_said_before(capture),
        )
        self._trace.note(
            "transcript",
            text=text,
            language=transcript.language,
            engine=transcript.engine,
            audio_s=round(to_seconds(len(pcm) // 2), 2),
        )

    def give_up(self, capture: Capture) -> None:
        """A capture that has ended has no transcript."""
        if capture.parts:
            self._tasks.start(self._deliver_parts(capture, None), name="deliver parts")
            return
        self.drop()
        self._conversation.tell(ev.UtteranceRejected(turn=capture.utterance.turn, was_speech=True))


def _said_before(capture: Capture) -> SaidBefore | None:
    """The wake word or the name said right before the utterance, or before its first half or part."""
    if capture.before is not None:
        return capture.before.wake_word
    return capture.opening if capture.parts else capture.wake_word
