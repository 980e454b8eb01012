"""An enrolment: the user says a wake phrase three times, and what recogniser and sound make of it is kept (V-06).

The command and the window enrol in the same way. Nothing is kept before the last utterance.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from assistant.agent.workspaces.directory import Agent, Workspaces
from assistant.chat.agents.calling import written_in_korean
from assistant.core.records.names import Enrolment, EnrolmentStage, TakeResult
from assistant.core.settings import Settings
from assistant.speech.stt.judgement import Reason, judge
from assistant.speech.stt.recognizer import Recognizer, Weighed
from assistant.speech.text.names.enrolment import TAKES, enrolled, resembles
from assistant.speech.text.names.likelihood import POSSIBLE, writings
from assistant.speech.wake.likeness import Steps, enrolled_sound, packed
from assistant.speech.wake.word_sound import WordSound
from assistant.voice.waking.name_hearing import language_of_names
from assistant.voice.waking.takes import Take

MOST_ATTEMPTS: Final = 6
"""Utterances that are listened to before the enrolment has failed."""
_NOBODY: Final = frozenset({Reason.EMPTY, Reason.STOCK_PHRASE, Reason.REPETITION, Reason.NO_SPEECH})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sound:
    """The sound of one utterance: the word in it, and the whole."""

    word: Steps
    whole: Steps


class Enrolling:
    """One enrolment.

    Args:
        workspaces: has the agent and keeps the result.
        agent: the agent; it has a wake phrase.
        settings: for the language.
        recognizer: transcribes the utterances.
        word_sound: describes their sound; ``None`` where its model is missing.

    Attributes:
        state: how far it is.
    """

    def __init__(
        self,
        workspaces: Workspaces,
        agent: Agent,
        settings: Settings,
        recognizer: Recognizer,
        word_sound: WordSound | None,
    ) -> None:
        self._workspaces, self._agent = workspaces, agent
        self._recognizer, self._word_sound = recognizer, word_sound
        self._phrase = agent.file.wake_phrase.strip()
        every = [each for _, each in workspaces.wake_phrases(agent.id.workspace)]
        own = {self._phrase, *agent.file.wake_spellings}
        self._others: Collection[str] = [each for each in every if each not in own]
        self._language = language_of_names(settings, korean=written_in_korean(every))
        self._attempts = 0
        self._sounds: list[_Sound] = []
        self.state = Enrolment(agent=agent.id, wanted=TAKES)

    @property
    def phrase(self) -> str:
        """The wake phrase."""
        return self._phrase

    def hear(self, take: Take) -> Enrolment:
        """Judge an utterance as the voice loop would hear it, which takes about 0.25 s; keep the result of the last.

        Raises:
            SoriError: the recogniser failed, or nothing can be written.
        """
        self._attempts += 1
        result, text = self._judge(take)
        heard = (*self.state.heard, text) if result is TakeResult.HEARD else self.state.heard
        self.state = replace(self.state, result=result, text=text, heard=heard)
        if len(heard) == TAKES:
            self._keep()
        elif self._attempts >= MOST_ATTEMPTS:
            self.state = replace(self.state, stage=EnrolmentStage.FAILED)
        return self.state

    def _judge(self, take: Take) -> tuple[TakeResult, str]:
        if not take.pcm:
            return TakeResult.SILENT, ""
        pcm = np.frombuffer(take.pcm, "<i2")
        weighed = weigh_phrase(self._recognizer, pcm, self._phrase, self._language)
        text = weighed.transcript.text
        if not fits(self._phrase, weighed) and judge(weighed.transcript, speech_ms=take.speech_ms).reason in _NOBODY:
            return TakeResult.SILENT, ""
        if not is_phrase(self._phrase, weighed):
            return TakeResult.DIFFERENT, text
        if self._word_sound is not None:
            self._sounds.append(_Sound(word=self._word_sound.word(pcm), whole=self._word_sound.whole(pcm)))
        return TakeResult.HEARD, text

    def _keep(self) -> None:
        spellings = [text for text in self.state.heard if resembles(self._phrase, text)]
        found = enrolled(self._phrase, spellings, self._others)
        words, wholes = [each.word for each in self._sounds], [each.whole for each in self._sounds]
        sound = enrolled_sound(self._phrase, words, wholes) if len(words) == TAKES else None
        self._workspaces.edit_agent(self._agent.id, {"wake_spellings": found.spellings})
        self._workspaces.keep_wake_sound(self._agent.id, b"" if sound is None else packed(sound))
        self.state = replace(
            self.state,
            stage=EnrolmentStage.DONE,
            spellings=found.spellings,
            left_out=found.left_out,
            unlike=sound is None,
        )


def weigh_phrase(recognizer: Recognizer, pcm: NDArray[np.int16], phrase: str, language: str) -> Weighed:
    """What a recogniser makes of an utterance, and how well a wake phrase fits it if the recogniser can tell.

    Raises:
        EngineError: the recogniser failed.
    """
    return recognizer.weigh(pcm, {phrase: writings(phrase, language)}, language=language, least=0.0)


def fits(phrase: str, weighed: Weighed) -> bool:
    """Whether a wake phrase is possible at the beginning of an utterance."""
    return weighed.fits.get(phrase, POSSIBLE - 1) >= POSSIBLE


def is_phrase(phrase: str, weighed: Weighed) -> bool:
    """Whether an utterance may be a wake phrase, and not other words."""
    return fits(phrase, weighed) or resembles(phrase, weighed.transcript.text)
