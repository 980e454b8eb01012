"""Whisper on CTranslate2, through faster-whisper's model, with an encoder window as short as the audio allows.

``WhisperModel.transcribe`` always encodes 30 s. The encoder takes any length, and its time grows with it: a window of
10 s costs a fifth. The window must outlast the speech by about 2 s of silence; windows close to the speech's own
length make the decoder repeat itself, and so does padding the spectrogram with zeros instead of the sound.
``docs/decisions/speech-recognition.md`` has the measurements.

Everything is decoded at temperature 0, once where nothing speaks against the result. A decoder that runs away in the
short window, or is unsure, gets a longer one and the sound without the silence at its end. What may be nonsense
nevertheless is told by ``judgement``.
"""

import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from assistant.core.audio import SAMPLE_RATE, to_samples
from assistant.core.errors import EngineError, ModelFileError
from assistant.speech.stt.judgement import DOUBTFUL_LOG_PROBABILITY
from assistant.speech.stt.recognizer import RecognizerEngine, Transcript
from assistant.speech.stt.runaway import first_copy, without_end_silence

ID: Final = "faster_whisper"
MODEL: Final = "whisper-base"
LANGUAGES: Final = ("ko", "en")
"""Languages that are told apart when none is given."""
WINDOW_MAX_S: Final = 30.0
"""The encoder has positions for no more."""
_BEAM: Final = 5
"""Whisper's usual width. Reads Korean visibly better than one (싱글룸, not 신글룸) for 0.05 to 0.15 s more."""
_TOKENS_A_SECOND: Final = 16
"""More than anyone says; keeps a decoder that loops from running to the model's limit."""
_TOKENS_AT_LEAST: Final = 24
_CONTEXT_TOKENS: Final = 448


@dataclass(frozen=True, slots=True)
class _Window:
    """How much sound the encoder sees; what is missing is silence.

    Attributes:
        least_s: seconds at least.
        margin_s: seconds of silence behind the sound.
    """

    least_s: float
    margin_s: float


SHORT_WINDOW: Final = _Window(10.0, 2.0)
_LONGER: Final = (_Window(15.0, 5.0), _Window(WINDOW_MAX_S, WINDOW_MAX_S))
"""What is tried after a decoder that ran away. Of 40 Korean utterances with noise, 13 were written twice or more in the
short window, none in either of these; the first costs half of the second."""


class FasterWhisper:
    """One loaded Whisper model.

    Args:
        directory: the converted model: ``model.bin``, ``config.json``, ``tokenizer.json``, ``vocabulary``.
        threads: threads for one inference, 0 for the library's choice.

    Raises:
        EngineError: faster-whisper cannot be used on this machine.
        ModelFileError: the model is missing or damaged.
    """

    def __init__(self, directory: Path, threads: int) -> None:
        try:
            from faster_whisper import WhisperModel
            from faster_whisper.tokenizer import Tokenizer
        except ImportError as error:
            raise EngineError(ID, f"faster-whisper is not usable: {error}", cause=error) from error
        if not (directory / "model.bin").is_file():
            raise ModelFileError(f"{directory / 'model.bin'} is missing", model=directory.name)
        try:
            self._whisper: Any = WhisperModel(
                str(directory), device="cpu", compute_type="int8", cpu_threads=threads, local_files_only=True
            )
        except Exception as error:
            raise ModelFileError(f"{directory} cannot be loaded: {error}", model=directory.name, cause=error) from error
        self._model: Any = self._whisper.model
        self._languages = LANGUAGES if self._model.is_multilingual else ("en",)
        self._tokenizers: dict[str, Any] = {
            language: Tokenizer(
                self._whisper.hf_tokenizer, self._model.is_multilingual, task="transcribe", language=language
            )
            for language in self._languages
        }
        self._suppressed = _suppressed(self._tokenizers[self._languages[0]])

    def transcribe(
        self, pcm: NDArray[np.int16], *, language: str | None, prefix: str = "", draft: bool = False
    ) -> Transcript:
        """Transcribe one utterance of at most 30 s; see ``Recognizer.transcribe``.

        Raises:
            EngineError: the audio is too long, the language is not one of the model's, or the library failed.
        """
        if self._model is None:
            raise EngineError(ID, "the engine is closed")
        if pcm.size > to_samples(WINDOW_MAX_S):
            raise EngineError(ID, f"{pcm.size / SAMPLE_RATE:.0f} s of audio, at most {WINDOW_MAX_S:.0f} are possible")
        if pcm.size == 0:
            return Transcript(text="", language=language or self._languages[0], samples=0, engine=ID)
        try:
            return self._draft(pcm, language, prefix) if draft else self._read(pcm, language, prefix)
        except RuntimeError as error:
            raise EngineError(ID, f"recognition failed: {error}", cause=error) from error

    def close(self) -> None:
        """Free the model."""
        self._whisper = self._model = None

    def _draft(self, pcm: NDArray[np.int16], language: str | None, prefix: str) -> Transcript:
        """Decoded once; where the decoder runs away, what it wrote first."""
        transcript, _ended = self._decode(pcm, SHORT_WINDOW, language, prefix, beam=1)
        text = first_copy(transcript.text) or transcript.text
        return replace(transcript, text=text, compression_ratio=compression_ratio(text))

    def _read(self, pcm: NDArray[np.int16], language: str | None, prefix: str) -> Transcript:
        """Decoded in longer windows as long as the decoder runs away, and once more when it is unsure."""
        first, ended = self._decode(pcm, SHORT_WINDOW, language, prefix, beam=_BEAM)
        if ended and first_copy(first.text) is None and not _unsure(first):
            return first
        sound = without_end_silence(pcm)
        for window in _LONGER:
            again, ended = self._decode(sound, window, language or first.language, prefix, beam=_BEAM)
            if ended and first_copy(again.text) is None:
                break
        # Noise is as little understood in a longer window; what speaks against it there is weaker evidence.
        return first if _unsure(first) and _unsure(again) else replace(again, samples=pcm.size)

    def _features(self, pcm: NDArray[np.int16], window: _Window) -> NDArray[np.float32]:
        seconds = min(WINDOW_MAX_S, max(window.least_s, pcm.size / SAMPLE_RATE + window.margin_s))
        sound = np.zeros(to_samples(seconds), dtype=np.float32)
        sound[: pcm.size] = pcm
        sound /= 32768
        features: NDArray[np.float32] = self._whisper.feature_extractor(sound, padding=0)
        return features

    def _checked(self, language: str) -> str:
        if language not in self._languages:
            raise EngineError(ID, f"this model does not understand {language!r}")
        return language

    def _detect(self, encoded: Any) -> str:
        if len(self._languages) == 1:
            return self._languages[0]
        probabilities = dict(self._model.detect_language(encoded)[0])
        return max(self._languages, key=lambda each: float(probabilities.get(f"<|{each}|>", 0.0)))

    def _decode(
        self, pcm: NDArray[np.int16], window: _Window, language: str | None, prefix: str, *, beam: int
    ) -> tuple[Transcript, bool]:
        """One encoding and one decoding; tells also whether the decoder came to an end by itself."""
        encoded = self._whisper.encode(self._features(pcm, window))
        spoken = self._checked(language) if language else self._detect(encoded)
        prefix = prefix.strip()
        tokenizer = self._tokenizers[spoken]
        confirmed: list[int] = tokenizer.encode(f" {prefix}")[: _CONTEXT_TOKENS // 2] if prefix else []
        prompt = [*tokenizer.sot_sequence, tokenizer.no_timestamps, *confirmed]
        room = int(_TOKENS_AT_LEAST + _TOKENS_A_SECOND * pcm.size / SAMPLE_RATE)
        limit = min(_CONTEXT_TOKENS, len(prompt) + room)
        result = self._model.generate(
            encoded,
            [prompt],
            beam_size=beam,
            max_length=limit,
            return_scores=True,
            return_no_speech_prob=True,
            suppress_tokens=self._suppressed,
            # With a confirmed prefix the very first decision may rightly be that nothing follows.
            suppress_blank=not confirmed,
        )[0]
        decoded: list[int] = result.sequences_ids[0]
        followed = len(decoded) - len(confirmed)
        text = tokenizer.decode(decoded).strip()
        transcript = Transcript(
            text=text,
            language=spoken,
            samples=pcm.size,
            # CTranslate2 gives the sum of what was chosen freely over all tokens, the confirmed ones and not the end
            # of the text; Whisper's measure counts what was chosen, the end among it.
            average_log_probability=float(result.scores[0]) * len(decoded) / (followed + 1),
            no_speech_probability=float(result.no_speech_prob),
            compression_ratio=compression_ratio(text),
            engine=ID,
        )
        return transcript, len(tokenizer.sot_sequence) + 1 + len(decoded) < limit


def compression_ratio(text: str) -> float:
    """How much shorter ``text`` gets when compressed; repetition shows as a high ratio (Whisper's own measure)."""
    encoded = text.encode()
    return len(encoded) / len(zlib.compress(encoded)) if encoded else 1.0


def _unsure(transcript: Transcript) -> bool:
    return transcript.average_log_probability < DOUBTFUL_LOG_PROBABILITY


def _suppressed(tokenizer: Any) -> list[int]:
    """Tokens that never stand for speech: sounds in brackets, music signs, and the model's own control tokens."""
    control = (
        tokenizer.transcribe,
        tokenizer.translate,
        tokenizer.sot,
        tokenizer.sot_prev,
        tokenizer.sot_lm,
        tokenizer.no_speech,
    )
    return sorted({*tokenizer.non_speech_tokens, *(token for token in control if token is not None)})


def _create(path_of: Callable[[str], Path], threads: int) -> FasterWhisper:
    return FasterWhisper(path_of(MODEL), threads)


ENGINE: Final = RecognizerEngine(id=ID, models=(MODEL,), create=_create)
