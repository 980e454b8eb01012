"""A Whisper model on CTranslate2: sound to tokens, and tokens to text. The choices are in ``faster_whisper``."""

import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from assistant.speech.numpy_threads import keep_numpy_to_one_thread
from assistant.speech.stt.decoding.one_pass import TokenSwap, UnknownLayoutError, exchanged_copy, with_idle_sound
from assistant.speech.stt.spoken_language import LANGUAGES

CONTEXT_TOKENS: Final = 448

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What the decoder wrote after the known tokens.

    Attributes:
        tokens: the new tokens.
        log_probability: sum of their log probabilities and that of the end.
        no_speech_probability: the model's probability that nobody spoke.
        ended: whether the decoder ended by itself, before the token limit.
    """

    tokens: tuple[int, ...]
    log_probability: float
    no_speech_probability: float
    ended: bool

    @property
    def probabilities(self) -> tuple[float, ...]:
        """An estimate of the probability of each token: their mean. To know them takes another pass of the decoder."""
        return (math.exp(self.log_probability / (len(self.tokens) + 1)),) * len(self.tokens)


class Whisper:
    """One loaded model.

    Args:
        directory: the converted model: ``model.bin``, ``config.json``, ``tokenizer.json``, ``vocabulary``.
        threads: threads for one inference; 0 leaves the choice to the library.
        device: ``cpu`` or ``cuda``.
        compute_type: CTranslate2's name for the type of the numbers.

    Attributes:
        languages: the languages that it can be asked for.
    """

    def __init__(self, directory: Path, threads: int, *, device: str, compute_type: str) -> None:
        from faster_whisper import WhisperModel
        from faster_whisper.tokenizer import Tokenizer

        def load(folder: Path) -> Any:
            return WhisperModel(
                str(folder), device=device, compute_type=compute_type, cpu_threads=threads, local_files_only=True
            )

        keep_numpy_to_one_thread()
        self._exchange: TokenSwap | None = None
        try:
            with exchanged_copy(directory) as (copy, exchange):
                self._library: Any = load(copy)
                self._exchange = exchange
        except UnknownLayoutError as error:
            log.warning("known words are read one by one: %s", error)
            self._library = load(directory)
        self._model: Any = self._library.model
        self.languages = LANGUAGES if self._model.is_multilingual else ("en",)
        self._tokenizers: dict[str, Any] = {
            language: Tokenizer(
                self._library.hf_tokenizer, self._model.is_multilingual, task="transcribe", language=language
            )
            for language in self.languages
        }
        self._suppressed = self._numbers(_suppressed(self._tokenizers[self.languages[0]]))

    def _numbers(self, tokens: Sequence[int]) -> list[int]:
        """The model's numbers of the tokenizer's tokens, and the other way round."""
        return list(tokens) if self._exchange is None else self._exchange(tokens)

    def features(self, sound: NDArray[np.float32]) -> NDArray[np.float32]:
        """The spectrogram of a sound, 100 frames a second."""
        features: NDArray[np.float32] = self._library.feature_extractor(sound, padding=0)
        return features

    def encode(self, features: NDArray[np.float32]) -> Any:
        """The encoder's output."""
        return self._library.encode(features)

    def language_probabilities(self, encoded: Any) -> Mapping[str, float]:
        """The probability of each language."""
        found = dict(self._model.detect_language(encoded)[0])
        return {each: float(found.get(f"<|{each}|>", 0.0)) for each in self.languages}

    def tokens_of(self, text: str, language: str) -> tuple[int, ...]:
        """The tokens of a text that begins with a word."""
        return tuple(self._tokenizers[language].encode(f" {text}")) if text else ()

    def text_of(self, tokens: Sequence[int], language: str) -> str:
        """The text of tokens, stripped, without a character of which they hold only a part."""
        text: str = self._tokenizers[language].decode(list(tokens))
        return text.replace("\ufffd", "").strip()

    def starts_word(self, token: int) -> bool:
        """Whether a word begins with this token."""
        text: str = self._tokenizers[self.languages[0]].decode([token])
        return text.startswith(" ")

    def probabilities(self, encoded: Any, texts: Sequence[Sequence[int]], language: str) -> list[tuple[float, ...]]:
        """The probability of each token of each text after those before it, in one pass.

        Args:
            encoded: the encoder's output, once for each text.
            texts: the tokens of the texts.
            language: their language.
        """
        start = self._numbers(self._tokenizers[language].sot_sequence)
        frames = [2 * encoded.shape[1]] * len(texts)
        numbers = [self._numbers(text) for text in texts]
        aligned = self._model.align(encoded, start, numbers, frames, median_filter_width=1)
        return [tuple(each.text_token_probs) for each in aligned]

    def write(self, encoded: Any, language: str, known: Sequence[int], *, room: int, beam: int) -> Written:
        """Decode at temperature 0.

        Args:
            encoded: the encoder's output.
            language: the language to write.
            known: the tokens that the text begins with.
            room: most tokens that are written.
            beam: width of the beam; 1 is greedy.
        """
        tokenizer = self._tokenizers[language]
        begin = [*tokenizer.sot_sequence, tokenizer.no_timestamps]
        prompts = [self._numbers([*begin, *known])]
        one_pass = self._exchange is not None and bool(known)
        if one_pass:
            encoded = with_idle_sound(encoded)
            prompts.insert(0, self._numbers(begin) + [tokenizer.no_timestamps] * len(known))
        result = self._model.generate(
            encoded,
            prompts,
            beam_size=beam,
            max_length=_most_tokens(len(prompts[-1]), room, whole=not one_pass),
            # The mean over a short rest would favour a long one, such as the sentence written once more.
            length_penalty=0 if one_pass else 1,
            return_scores=True,
            return_no_speech_prob=True,
            suppress_tokens=self._suppressed,
            # After known words the correct result may be that no text follows.
            suppress_blank=not known,
        )[-1]
        decoded = self._numbers(result.sequences_ids[0])
        # CTranslate2 divides the sum of the log probabilities of the freely chosen tokens by the number of all tokens
        # except the end. Tokens that are forced one by one are among them, those of the prompt are not.
        total = float(result.scores[0]) * (1 if one_pass else max(1, len(decoded)))
        written = decoded if one_pass else decoded[len(known) :]
        return Written(
            tokens=tuple(written),
            log_probability=total,
            no_speech_probability=float(result.no_speech_prob),
            ended=len(written) < room,
        )


def _most_tokens(prompt: int, room: int, *, whole: bool) -> int:
    """The limit that the library is given."""
    if whole:
        return min(CONTEXT_TOKENS, prompt + room)
    # The library writes at most half of the limit.
    return min(CONTEXT_TOKENS, max(2 * room, prompt - 1 + room))


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
