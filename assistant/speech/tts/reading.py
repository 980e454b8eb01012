"""Reads a whole text with the voices of a ``SynthesizerSet``, sentence by sentence."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from assistant.core.errors import EngineError
from assistant.speech.text.sentences import SentenceChunker
from assistant.speech.text.spoken import spoken_language, spoken_text
from assistant.speech.tts.choice import SynthesizerSet
from assistant.speech.tts.registry import synthesizers
from assistant.speech.tts.synthesizer import Voice

PAUSE_S = 0.3
"""Seconds of silence between two sentences in a file."""

Sound = tuple[int, NDArray[np.int16], int]
"""Number of the sentence, mono samples, sample rate in Hz."""


def reading(
    voices: SynthesizerSet, text: str, *, usual: str, language: str = "", voice: str = "", speed: float = 1.0
) -> Iterator[Sound]:
    """The sound of a text, in pieces. Blocks while it is made.

    Args:
        voices: speak.
        text: the text, as it is written.
        usual: the language of a sentence that does not tell its own.
        language: the language of all sentences; empty to tell it for each.
        voice: name of a voice; empty for the usual ones.
        speed: pace relative to the voice's normal one.

    Raises:
        EngineError: no engine speaks the language.
    """
    chunker = SentenceChunker()
    speaks = languages_of(voice)
    only = speaks[0] if len(speaks) == 1 else ""
    for number, sentence in enumerate([*chunker.feed(text), *chunker.flush()]):
        spoken_in = language or only or spoken_language(sentence, usual)
        if words := spoken_text(sentence, spoken_in):
            wanted = Voice(language=spoken_in, speed=speed, name=voice, awaited=not number)
            for pcm, rate in voices.synthesize(words, wanted):
                yield number, pcm, rate


def check_voice(name: str, language: str) -> None:
    """Check a requested voice. Another voice never replaces it silently.

    Args:
        name: its name; empty for none.
        language: the requested language; empty for any.

    Raises:
        EngineError: the voice does not exist, or does not speak the language.
    """
    if not name:
        return
    languages = languages_of(name)
    if not languages:
        names = (each.name for engine in synthesizers().engines.values() for each in engine.voices)
        raise EngineError(name, ", ".join(dict.fromkeys(names)), message_key="voice_unknown")
    if language and language not in languages:
        raise EngineError(name, ", ".join(languages), message_key="voice_language")


def languages_of(name: str) -> list[str]:
    """The languages that a voice speaks; none if it does not exist."""
    voices = [voice for engine in synthesizers().engines.values() for voice in engine.voices]
    return [each.language for each in voices if each.name == name]
