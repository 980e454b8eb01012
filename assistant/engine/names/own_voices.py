"""Which voices and models Sori has to enrol names by itself (V-06)."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from assistant.agent.workspaces.directory import Agent, Workspaces
from assistant.chat.agents.calling import written_in_korean
from assistant.chat.agents.enrolments import own_words_in
from assistant.core.settings import Settings
from assistant.speech.stt.registry import recognizers
from assistant.speech.text.names.evidence import language_of_phrase
from assistant.speech.tts.every_voice import EngineVoice, voices_of
from assistant.speech.tts.registry import synthesizers
from assistant.speech.tts.synthesizer import SynthesizerEngine
from assistant.speech.wake.word_sound import MODEL
from assistant.voice.waking.name_hearing import language_of_names
from assistant.weights.store import ModelStore

_RECIPE: Final = 2
"""A higher number lets every name be enrolled anew, after a change of the way."""
_SUM: Final = 12
"""Characters of a checksum that tell weights apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToLearn:
    """A wake phrase that Sori has not enrolled with its present voices.

    Attributes:
        agent: the agent.
        phrase: its wake phrase.
        damaged: whether there is a file that cannot be read.
    """

    agent: Agent
    phrase: str
    damaged: bool = False


class OwnVoices:
    """Knows the installed voices, and what an enrolment is made from.

    Args:
        store: the weights.
        settings: the recogniser and the language.
        engines: the synthesisers; all of the package by default.
    """

    def __init__(
        self, store: ModelStore, settings: Settings, engines: Iterable[SynthesizerEngine] | None = None
    ) -> None:
        self._store, self._settings = store, settings
        self.engines = tuple(synthesizers().engines.values() if engines is None else engines)

    def voices(self, language: str) -> tuple[EngineVoice, ...]:
        """The installed voices of a language."""
        here = (each for each in self.engines if all(map(self._here, each.models)))
        return tuple(
            EngineVoice(engine=engine.id, name=voice.name) for engine in here for voice in voices_of(engine, language)
        )

    def made_from(self, language: str) -> str:
        """The voices and models of an enrolment in a language, as text that is the same for the same ones."""
        voices, voice = self.voices(language), self._settings.voice
        used = {each.engine for each in voices}
        models = {name for engine in self.engines if engine.id in used for name in engine.models}
        recognizer = recognizers().engines.get(voice.stt)
        models |= {MODEL, *(recognizer.models_for(voice.stt_size) if recognizer is not None else ())}
        made_from = {
            "recipe": _RECIPE,
            "language": language,
            "voices": [f"{each.engine}/{each.name}" for each in voices],
            "recogniser": voice.stt,
            "weights": {name: self._sums(name) for name in sorted(models)},
        }
        return json.dumps(made_from, ensure_ascii=False, sort_keys=True)

    def known(self, workspaces: Workspaces, agent: Agent) -> bool:
        """Whether an agent's wake phrase is enrolled by the present voices."""
        phrase, words = agent.file.wake_phrase.strip(), own_words_in(workspaces.own_words(agent.id))
        return words is not None and (words.phrase, words.made_from) == (
            phrase,
            self.made_from(language_of_phrase(phrase)),
        )

    def to_learn(self, workspaces: Workspaces) -> tuple[ToLearn, ...]:
        """The wake phrases that are not enrolled yet, in the language in which names are read. Uses the disk."""
        agents = [agent for each in workspaces.workspaces() for agent in workspaces.agents(each.name)]
        phrases = [agent.file.wake_phrase.strip() for agent in agents]
        language = language_of_names(self._settings, korean=written_in_korean(phrases))
        # An onset is read in one language, and the words of a name of the other one would decide nothing.
        return tuple(
            ToLearn(agent=agent, phrase=phrase, damaged=_damaged(workspaces.own_words(agent.id)))
            for agent, phrase in zip(agents, phrases, strict=True)
            if phrase and language_of_phrase(phrase) == language and not self.known(workspaces, agent)
        )

    def nothing_called(self, workspaces: Workspaces) -> tuple[Agent, ...]:
        """The agents with words of a wake phrase that they do not have any more, as after a change of their file."""
        agents = (agent for each in workspaces.workspaces() for agent in workspaces.agents(each.name))
        return tuple(each for each in agents if not each.file.wake_phrase.strip() and workspaces.own_words(each.id))

    def _here(self, model: str) -> bool:
        known = self._store.manifest.get(model)
        return known is not None and all(each.exists() for each in self._store.files(known))

    def _sums(self, model: str) -> list[str]:
        known = self._store.manifest.get(model)
        return [] if known is None else [each.sha256[:_SUM] for each in known.files]


def _damaged(content: bytes) -> bool:
    return bool(content) and own_words_in(content) is None
