"""Whisper on CTranslate2, using faster-whisper's model with an encoder window as short as the audio allows.

``WhisperModel.transcribe`` always encodes 30 s. The encoder accepts any length, and its time grows with the length: a
window of 10 s costs a fifth. The window must be about 2 s longer than the speech. In a tighter window the decoder
repeats itself. Padding the spectrogram with zeros, instead of padding the audio with silence, has the same effect.
``docs/decisions/speech-recognition.md`` has the measurements.

The decoder runs at temperature 0. If it runs away in the short window or is unsure, the utterance is decoded again in a
longer window, without the silence at its end. ``judgement`` decides afterwards whether the transcript is nonsense.
"""

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from assistant.core.audio import SAMPLE_RATE, to_samples
from assistant.core.errors import EngineError, ModelFileError
from assistant.speech.stt.judgement import DOUBTFUL_LOG_PROBABILITY
from assistant.speech.stt.phrase_fit import beginning_of, continued, fits
from assistant.speech.stt.recognizer import RecognizerEngine, RecognizerOptions, Transcript, Weighed
from assistant.speech.stt.recommendation import SIZES
from assistant.speech.stt.runaway import first_copy, without_end_silence
from assistant.speech.stt.spoken_language import LANGUAGES, doubtful, most_probable
from assistant.speech.stt.whisper_limits import WINDOW_MAX_S, check_language, check_length

ID: Final = "faster_whisper"
MODEL: Final = SIZES["base"]
_BEAM: Final = 5
"""Whisper's usual beam width. Korean is better than with width 1 (싱글룸, not 신글룸) and costs 0.05 to 0.15 s more."""
_TOKENS_A_SECOND: Final = 16
"""Token limit per second of audio, above any speaking rate. It stops a looping decoder before the model's limit."""
_TOKENS_AT_LEAST: Final = 24
_CONTEXT_TOKENS: Final = 448


@dataclass(frozen=True, slots=True)
class _Window:
    """Length of the encoder input; silence pads the sound.

    Attributes:
        least_s: minimum length in seconds.
        margin_s: silence after the sound, in seconds.
    """

    least_s: float
    margin_s: float


SHORT_WINDOW: Final = _Window(10.0, 2.0)
_LONGER: Final = (_Window(15.0, 5.0), _Window(WINDOW_MAX_S, WINDOW_MAX_S))
"""Windows for a second and third attempt after a runaway decoder.

Of 40 noisy Korean utterances, 13 were transcribed twice or more in the short window and none in these two windows. The
first window costs half as much as the second.
"""


class FasterWhisper:
    """One loaded Whisper model.

    Args:
        directory: the converted model: ``model.bin``, ``config.json``, ``tokenizer.json``, ``vocabulary``.
        threads: threads for one inference; 0 leaves the choice to the library.
        device: ``cpu`` or ``cuda``.
        compute_type: CTranslate2's name for the type of the numbers.

    Raises:
        EngineError: faster-whisper, the device (message key ``recognizer_device``) or the compute type
            (``recognizer_compute_type``) cannot be used on this machine.
        ModelFileError: the model is missing or damaged.
    """

    def __init__(self, directory: Path, threads: int, *, device: str = "cpu", compute_type: str = "int8") -> None:
        try:
            from faster_whisper import WhisperModel
            from faster_whisper.tokenizer import Tokenizer
        except ImportError as error:
            raise EngineError(ID, f"the package cannot be imported: {error}", cause=error) from error
        if not (directory / "model.bin").is_file():
            detail = f"{directory / 'model.bin'} is missing; fetch it with: sori models pull {directory.name}"
            raise ModelFileError(detail, model=directory.name)
        _check_usable(device, compute_type)
        try:
            self._whisper: Any = WhisperModel(
                str(directory), device=device, compute_type=compute_type, cpu_threads=threads, local_files_only=True
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
        self,
        pcm: NDArray[np.int16],
        *,
        language: str | None,
        likely: str | None = None,
        prefix: str = "",
        draft: bool = False,
    ) -> Transcript:
        """Transcribe one utterance of at most 30 s; see ``Recognizer.transcribe``.

        Raises:
            EngineError: the audio is too long, the model does not support the language, or the library failed.
        """
        if self._model is None:
            raise EngineError(ID, "the engine is closed")
        check_length(ID, pcm)
        if pcm.size == 0:
            return Transcript(text="", language=language or self._languages[0], samples=0, engine=ID)
        try:
            if draft:
                return self._draft(pcm, language, likely, prefix)
            return self._read(pcm, language, likely, prefix)
        except RuntimeError as error:
            raise EngineError(ID, f"recognition failed: {error}", cause=error) from error

    def weigh(
        self, pcm: NDArray[np.int16], phrases: Mapping[str, Sequence[str]], *, language: str, least: float
    ) -> Weighed:
        """Transcribe a draft and weigh phrases, with one run of the encoder; see ``WeighsPhrases.weigh``.

        Raises:
            EngineError: the audio is too long, the model does not support the language, or the library failed.
        """
        if self._model is None or not phrases or pcm.size == 0:
            return Weighed(transcript=self.transcribe(pcm, language=language, draft=True))
        check_length(ID, pcm)
        tokenizer = self._tokenizers[check_language(ID, language, self._languages)]
        try:
            encoded = self._whisper.encode(self._features(pcm, SHORT_WINDOW))
            transcript = self._first_copy(self._decode_encoded(encoded, pcm, language, "", beam=1)[0])
            output = beginning_of(encoded, pcm.size)
            written = [(phrase, each) for phrase, writings in phrases.items() for each in writings]
            found = fits(self._model, tokenizer, output, [each for _, each in written])
            best: dict[str, tuple[float, str]] = {}
            for (phrase, each), fit in zip(written, found, strict=True):
                best[phrase] = max(best.get(phrase, (fit, each)), (fit, each))
            most = _TOKENS_AT_LEAST + _TOKENS_A_SECOND * pcm.size // SAMPLE_RATE
            forced = {
                phrase: continued(self._model, tokenizer, output, each, suppressed=self._suppressed, most=most)
                for phrase, (fit, each) in best.items()
                if fit >= least
            }
        except RuntimeError as error:
            raise EngineError(ID, f"recognition failed: {error}", cause=error) from error
        return Weighed(transcript=transcript, fits={phrase: fit for phrase, (fit, _) in best.items()}, continued=forced)

    def detect_language(self, pcm: NDArray[np.int16], *, likely: str | None = None) -> str:
        """The language of at most 28 s of speech; ``likely`` as in ``transcribe``."""
        return self._detect(self._whisper.encode(self._features(pcm, SHORT_WINDOW)), doubtful(pcm.size, likely))

    def close(self) -> None:
        """Free the model."""
        self._whisper = self._model = None

    def _draft(self, pcm: NDArray[np.int16], language: str | None, likely: str | None, prefix: str) -> Transcript:
        """Decode once. If the decoder runs away, keep only its first copy of the sentence."""
        transcript, _ended = self._decode(pcm, SHORT_WINDOW, language, likely, prefix, beam=1)
        return self._first_copy(transcript)

    @staticmethod
    def _first_copy(transcript: Transcript) -> Transcript:
        text = first_copy(transcript.text) or transcript.text
        return replace(transcript, text=text, compression_ratio=compression_ratio(text))

    def _read(self, pcm: NDArray[np.int16], language: str | None, likely: str | None, prefix: str) -> Transcript:
        """Decode in the short window; retry in longer windows while the decoder runs away or is unsure."""
        first, ended = self._decode(pcm, SHORT_WINDOW, language, likely, prefix, beam=_BEAM)
        if ended and first_copy(first.text) is None and not _unsure(first):
            return first
        sound = without_end_silence(pcm)
        for window in _LONGER:
            again, ended = self._decode(sound, window, language or first.language, likely, prefix, beam=_BEAM)
            if ended and first_copy(again.text) is None:
                break
        # If both results are unsure, return the first: noise also fails in a longer window, and its scores there say
        # less.
        return first if _unsure(first) and _unsure(again) else replace(again, samples=pcm.size)

    def _features(self, pcm: NDArray[np.int16], window: _Window) -> NDArray[np.float32]:
        seconds = min(WINDOW_MAX_S, max(window.least_s, pcm.size / SAMPLE_RATE + window.margin_s))
        sound = np.zeros(to_samples(seconds), dtype=np.float32)
        sound[: pcm.size] = pcm
        sound /= 32768
        features: NDArray[np.float32] = self._whisper.feature_extractor(sound, padding=0)
        return features

    def _detect(self, encoded: Any, likely: str | None) -> str:
        if len(self._languages) == 1:
            return self._languages[0]
        tokens = dict(self._model.detect_language(encoded)[0])
        return most_probable({each: float(tokens.get(f"<|{each}|>", 0.0)) for each in self._languages}, likely)

    def _decode(
        self,
        pcm: NDArray[np.int16],
        window: _Window,
        language: str | None,
        likely: str | None,
        prefix: str,
        *,
        beam: int,
    ) -> tuple[Transcript, bool]:
        """Encode and decode once; also return whether the decoder ended by itself, before the token limit."""
        encoded = self._whisper.encode(self._features(pcm, window))
        spoken = (
            check_language(ID, language, self._languages)
            if language
            else self._detect(encoded, doubtful(pcm.size, likely))
        )
        return self._decode_encoded(encoded, pcm, spoken, prefix, beam=beam)

    def _decode_encoded(
        self, encoded: Any, pcm: NDArray[np.int16], spoken: str, prefix: str, *, beam: int
    ) -> tuple[Transcript, bool]:
        """Decode what was encoded of ``pcm``; returns as ``_decode``."""
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
            # After a confirmed prefix the correct result may be that no text follows.
            suppress_blank=not confirmed,
        )[0]
        decoded: list[int] = result.sequences_ids[0]
        followed = len(decoded) - len(confirmed)
        text = tokenizer.decode(decoded).strip()
        transcript = Transcript(
            text=text,
            language=spoken,
            samples=pcm.size,
            # CTranslate2 divides the sum of the freely chosen tokens' log probabilities by the number of all tokens,
            # including the confirmed prefix and excluding the end token. Whisper divides by the number of chosen
            # tokens, including the end token.
            average_log_probability=float(result.scores[0]) * len(decoded) / (followed + 1),
            no_speech_probability=float(result.no_speech_prob),
            compression_ratio=compression_ratio(text),
            engine=ID,
        )
        return transcript, len(tokenizer.sot_sequence) + 1 + len(decoded) < limit


def compression_ratio(text: str) -> float:
    """UTF-8 length of ``text`` divided by its zlib-compressed length. Repetition raises it (Whisper's own measure)."""
    encoded = text.encode()
    return len(encoded) / len(zlib.compress(encoded)) if encoded else 1.0


def _unsure(transcript: Transcript) -> bool:
    return transcript.average_log_probability < DOUBTFUL_LOG_PROBABILITY


def _suppressed(tokenizer: Any) -> list[int]:
    """Tokens that never represent speech: bracketed sounds, music signs and the model's control tokens."""
    control = (
        tokenizer.transcribe,
        tokenizer.translate,
        tokenizer.sot,
        tokenizer.sot_prev,
        tokenizer.sot_lm,
        tokenizer.no_speech,
    )
    return sorted({*tokenizer.non_speech_tokens, *(token for token in control if token is not None)})


def usable_compute_types(device: str) -> frozenset[str]:
    """The compute types that CTranslate2 can use on a device; none if the device is missing."""
    import ctranslate2

    try:
        return frozenset(ctranslate2.get_supported_compute_types(device))
    except (RuntimeError, ValueError):
        return frozenset()


def _check_usable(device: str, compute_type: str) -> None:
    usable = usable_compute_types(device)
    if not usable:
        raise EngineError(ID, device, message_key="recognizer_device")
    if compute_type not in usable:
        detail = f"{compute_type} ({device}: {', '.join(sorted(usable))})"
        raise EngineError(ID, detail, message_key="recognizer_compute_type")


def _create(path_of: Callable[[str], Path], options: RecognizerOptions) -> FasterWhisper:
    device = "cpu" if options.device == "auto" else options.device
    default = "int8" if device == "cpu" else "float16"
    return FasterWhisper(
        path_of(ENGINE.models_for(options.size)[0]),
        options.threads,
        device=device,
        compute_type=default if options.compute_type == "auto" else options.compute_type,
    )


ENGINE: Final = RecognizerEngine(id=ID, models=(MODEL,), create=_create, sized=True)
