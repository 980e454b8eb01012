"""Piper: a neural synthesiser with one language and one voice per ONNX file.

Each call speaks one chunk of text. Piper splits it into sentences and yields the sound of each as soon as it is ready.
"""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from assistant.core.errors import EngineError, ModelFileError
from assistant.speech.onnx import open_session
from assistant.speech.tts.synthesizer import NamedVoice, SynthesizerEngine, Voice

ID: Final = "piper"
MODEL: Final = "piper-en-joe"
_RAW_PHONEMES: Final = re.compile(r"\[\[|\]\]|\0")
"""Piper reads text in double brackets as phonemes, which text from a model must not use, and rejects a null
character."""


class Piper:
    """One loaded voice.

    Args:
        directory: contains one ``*.onnx`` file and its ``.onnx.json`` description.
        threads: threads for one inference.

    Raises:
        EngineError: piper cannot be used on this machine.
        ModelFileError: the voice is missing or damaged.
    """

    def __init__(self, directory: Path, threads: int) -> None:
        try:
            from piper.config import PiperConfig, SynthesisConfig
            from piper.voice import PiperVoice
        except ImportError as error:
            raise EngineError(ID, f"the package cannot be imported: {error}", cause=error) from error
        weights = next(iter(sorted(directory.glob("*.onnx"))), None)
        if weights is None:
            detail = f"{directory} holds no voice; fetch it with: sori models pull {directory.name}"
            raise ModelFileError(detail, model=directory.name)
        description = weights.with_name(f"{weights.name}.json")
        try:
            config: Any = PiperConfig.from_dict(json.loads(description.read_text(encoding="utf-8")))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ModelFileError(f"{description}: {error}", model=directory.name, cause=error) from error
        self._config: Any = config
        self._options: Any = SynthesisConfig
        session = open_session(weights, model=directory.name, threads=threads)
        self._voice: Any = PiperVoice(session=session, config=config)
        self._language = str(config.espeak_voice).partition("-")[0]

    @property
    def sample_rate(self) -> int:
        """Samples per second, from the voice's description."""
        return int(self._config.sample_rate)

    def synthesize(self, text: str, voice: Voice) -> Iterator[NDArray[np.int16]]:
        """Speech, sentence by sentence; see ``Synthesizer.synthesize``.

        Raises:
            EngineError: the voice does not speak this language, or synthesis failed.
        """
        if self._voice is None:
            raise EngineError(ID, "the engine is closed")
        if voice.language != self._language:
            raise EngineError(ID, f"the loaded voice speaks {self._language}, not {voice.language}")
        options = self._options(length_scale=self._config.length_scale / voice.speed)
        readable = _RAW_PHONEMES.sub(" ", text).encode("utf-8", errors="replace").decode()
        return self._pieces(readable, options)

    def close(self) -> None:
        """Free the voice."""
        self._voice = None

    def _pieces(self, text: str, options: Any) -> Iterator[NDArray[np.int16]]:
        speech = iter(self._voice.synthesize(text, options))
        while True:
            try:
                chunk = next(speech, None)
            except Exception as error:
                raise EngineError(ID, f"synthesis failed: {error}", cause=error) from error
            if chunk is None:
                return
            pcm: NDArray[np.int16] = chunk.audio_int16_array
            if pcm.size:
                yield pcm


def _create(path_of: Callable[[str], Path], threads: int) -> Piper:
    return Piper(path_of(MODEL), threads)


ENGINE: Final = SynthesizerEngine(
    id=ID,
    languages=frozenset({"en"}),
    models=(MODEL,),
    neural=True,
    rank=1,
    licence="CC0-1.0",
    voices=(NamedVoice(name="joe", language="en"),),
    create=_create,
)
