"""Kokoro-82M: a small neural synthesiser for English, and for Korean through symbols learned from other languages.

Text becomes symbols of the International Phonetic Alphabet, and each sentence is one inference. The sound of a sentence
is available when its inference ends, so the delay of the first piece grows with the length of the first sentence.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from assistant.core.errors import EngineError
from assistant.speech.onnx import open_session
from assistant.speech.tts.kokoro_english import english_symbols
from assistant.speech.tts.kokoro_korean import korean_symbols
from assistant.speech.tts.kokoro_sound import finished
from assistant.speech.tts.kokoro_symbols import LONGEST, PAD, numbers_of
from assistant.speech.tts.kokoro_voices import EVERY, FURTHER, VOICES, KokoroVoice, styles_of
from assistant.speech.tts.synthesizer import NamedVoice, SynthesizerEngine, Voice

ID: Final = "kokoro"
MODEL: Final = "kokoro-82m"
SAMPLE_RATE: Final = 24_000
_SYMBOLS: Final[Mapping[str, Callable[[str], str]]] = {"ko": korean_symbols, "en": english_symbols}
_SENTENCE: Final = re.compile(r".+?(?:[.!?…]+[\"”)]*(?=\s|$)|$)", re.DOTALL)
_PAUSE: Final = re.compile(r"[,;:—…](?= )")
_PAUSE_S: Final = 0.25
"""Silence between two sentences of one text."""


class Kokoro:
    """The loaded model.

    Args:
        directory: holds ``model.onnx`` and ``voices/*.bin``.
        threads: threads for one inference.

    Raises:
        ModelFileError: the model or a voice is missing or damaged.
    """

    def __init__(self, directory: Path, threads: int) -> None:
        self._styles = styles_of(directory)
        self._session: Any = open_session(directory / "model.onnx", model=directory.name, threads=threads)

    @property
    def sample_rate(self) -> int:
        """Samples per second: 24,000."""
        return SAMPLE_RATE

    def synthesize(self, text: str, voice: Voice) -> Iterator[NDArray[np.int16]]:
        """Speech, sentence by sentence; see ``Synthesizer.synthesize``.

        Raises:
            EngineError: Kokoro does not speak this language, or synthesis failed.
        """
        if self._session is None:
            raise EngineError(ID, "the engine is closed")
        if voice.language not in _SYMBOLS:
            raise EngineError(ID, f"no voice speaks {voice.language}")
        if voice.name and (voice.name not in EVERY or EVERY[voice.name].language != voice.language):
            raise EngineError(ID, f"no voice {voice.name!r} speaks {voice.language}")
        return self._pieces(_SYMBOLS[voice.language](text), voice)

    def close(self) -> None:
        """Free the model."""
        self._session = None

    def _pieces(self, symbols: str, voice: Voice) -> Iterator[NDArray[np.int16]]:
        name = voice.name or next(name for name, each in VOICES.items() if each.language == voice.language)
        for index, piece in enumerate(_cut(symbols)):
            pauses = len(_PAUSE.findall(piece[:-1]))
            pcm = finished(self._infer(numbers_of(piece), name, voice.speed), SAMPLE_RATE, pauses=pauses)
            if not pcm.size:
                continue
            if index:
                yield np.zeros(round(_PAUSE_S * SAMPLE_RATE), np.int16)
            yield pcm

    def _infer(self, numbers: list[int], name: str, speed: float) -> NDArray[np.float32]:
        styles = self._styles[name]
        inputs = {
            "tokens": np.array([[PAD, *numbers, PAD]], dtype=np.int64),
            "style": styles[min(len(numbers), len(styles)) - 1],
            "speed": np.array([speed], dtype=np.float32),
        }
        try:
            sound: NDArray[np.float32] = self._session.run(None, inputs)[0]
        except Exception as error:
            raise EngineError(ID, f"synthesis failed: {error}", cause=error) from error
        return sound


def _cut(symbols: str) -> list[str]:
    """Split the symbols into sentences, and sentences that are too long for one inference into parts."""
    pieces: list[str] = []
    for found in _SENTENCE.finditer(symbols):
        rest = found.group().strip()
        while len(rest) > LONGEST:
            end = max(rest.rfind(sign, 0, LONGEST) for sign in (",", ";", ":", "—"))
            end = end + 1 if end > 0 else max(rest.rfind(" ", 0, LONGEST), 0) or LONGEST
            pieces.append(rest[:end].strip())
            rest = rest[end:].strip()
        pieces.append(rest)
    return [piece for piece in pieces if any(letter.isalpha() for letter in piece)]


def _create(path_of: Callable[[str], Path], threads: int) -> Kokoro:
    return Kokoro(path_of(MODEL), threads)


def _named(voices: Mapping[str, KokoroVoice]) -> tuple[NamedVoice, ...]:
    return tuple(NamedVoice(name=name, language=each.language) for name, each in voices.items())


ENGINE: Final = SynthesizerEngine(
    id=ID,
    languages=frozenset({"ko", "en"}),
    models=(MODEL,),
    neural=True,
    demanding=True,
    licence="Apache-2.0",
    voices=_named(VOICES),
    further_voices=_named(FURTHER),
    create=_create,
)
