"""Whisper on CTranslate2, with an encoder window as short as the audio allows, and with what was read before.

``WhisperModel.transcribe`` always encodes 30 s. The encoder accepts any length, and its time grows with the length: a
window of 10 s costs a fifth. The window must be about 2 s longer than the speech. In a tighter window the decoder
repeats itself. Padding the spectrogram with zeros, instead of padding the audio with silence, has the same effect.

An utterance is read several times while it grows. The words of the last reading that the longer sound confirms are not
written again (``draft``, ``one_pass``). ``docs/decisions/speech-recognition.md`` has the measurements.

The decoder runs at temperature 0. If it runs away in the short window or is unsure, the utterance is decoded again in a
longer window, without the silence at its end. ``judgement`` decides afterwards whether the transcript is nonsense.
"""

import math
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from assistant.core.audio import SAMPLE_RATE, to_samples
from assistant.core.errors import EngineError, ModelFileError
from assistant.speech.stt.decoding.draft import SURE, Draft, confirmed, old_words
from assistant.speech.stt.decoding.likely_words import Change
from assistant.speech.stt.decoding.phrase_fit import SilentFits, beginning_of, continued, fits
from assistant.speech.stt.decoding.rescoring import likelier
from assistant.speech.stt.decoding.runaway import before_restart, first_copy, without_end_silence
from assistant.speech.stt.decoding.whisper_model import CONTEXT_TOKENS, Whisper
from assistant.speech.stt.judgement import DOUBTFUL_LOG_PROBABILITY
from assistant.speech.stt.recognizer import Recognizer, RecognizerEngine, RecognizerOptions, Transcript, Weighed
from assistant.speech.stt.recommendation import SIZES
from assistant.speech.stt.spoken_language import TELLING_S, doubtful, most_probable
from assistant.speech.stt.whisper_limits import WINDOW_MAX_S, check_language, check_length

ID: Final = "faster_whisper"
MODEL: Final = SIZES["base"]
_BEAM: Final = 5
"""Whisper's usual beam width. Korean is better than with width 1 (싱글룸, not 신글룸) and costs 0.05 to 0.15 s more."""
_TOKENS_A_SECOND: Final = 16
"""Token limit per second of audio, above any speaking rate. It stops a looping decoder before the model's limit."""
_TOKENS_AT_LEAST: Final = 24
_TOKENS_MORE: Final = 6
_NEW_TOKENS_A_SECOND: Final = 8
"""Tokens that may be written after confirmed words, beyond those of the draft: the first number, and the second for
each second of new sound. A decoder that misses the end writes until the limit, so the limit is low. If it cuts off
words, everything is decoded again."""


@dataclass(frozen=True, slots=True)
class _Window:
    """Length of the encoder input; silence pads the sound.

    Attributes:
        least_s: minimum length in seconds.
        margin_s: silence after the sound, in seconds.
    """

    least_s: float
    margin_s: float


_LEAST_PROBABILITY: Final = 1e-6
_TELLING_TOKENS: Final = 4
"""Probable tokens that confirm the language in which they were written."""
_WORTH_A_CHECK: Final = 4
"""Tokens of a draft that are not settled. To check fewer takes as long as to write them."""
_TRUSTED_S: Final = 0.6
"""New sound that is too short to change any but the last words of a draft, so that the final text need not check them.
A growing text checks them always. Else it would agree with itself, and wrong words would be settled."""
_SENTENCE_S: Final = 0.9
"""New sound that is too short to contain a sentence that was said before once more."""
SHORT_WINDOW: Final = _Window(10.0, 2.0)
_NEXT_WINDOW: Final = _Window(8.0, 2.0)
"""Window for a sound whose beginning is known: the decoder has less room to repeat itself."""
_LONGER: Final = (_Window(15.0, 5.0), _Window(WINDOW_MAX_S, WINDOW_MAX_S))
"""Windows for a second and third attempt after a runaway decoder.

Of 40 noisy Korean utterances, 13 were transcribed twice or more in the short window and none in these two windows. The
first window costs half as much as the second.
"""


class FasterWhisper(Recognizer):
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

    can_weigh = True

    def __init__(self, directory: Path, threads: int, *, device: str = "cpu", compute_type: str = "int8") -> None:
        if not (directory / "model.bin").is_file():
            detail = f"{directory / 'model.bin'} is missing; fetch it with: sori models pull {directory.name}"
            raise ModelFileError(detail, model=directory.name)
        _check_usable(device, compute_type)
        try:
            self._model: Whisper | None = Whisper(directory, threads, device=device, compute_type=compute_type)
        except ImportError as error:
            raise EngineError(ID, f"the package cannot be imported: {error}", cause=error) from error
        except Exception as error:
            raise ModelFileError(f"{directory} cannot be loaded: {error}", model=directory.name, cause=error) from error
        self._silent = SilentFits()
        self._draft: Draft | None = None
        self._likely: tuple[str, ...] = ()
        self._refused: set[Change] = set()

    def expect(self, words: Sequence[str]) -> None:
        """Expect these words; see ``Recognizer.expect``."""
        self._likely = tuple(words)

    def transcribe(
        self,
        pcm: NDArray[np.int16],
        *,
        language: str | None,
        likely: str | None = None,
        prefix: str = "",
        draft: bool = False,
        grows: bool = False,
    ) -> Transcript:
        """Transcribe one utterance of at most 30 s; see ``Recognizer.transcribe``.

        Raises:
            EngineError: the audio is too long, the model does not support the language, or the library failed.
        """
        if self._model is None:
            raise EngineError(ID, "the engine is closed")
        check_length(ID, pcm)
        asked = _Asked(
            pcm, check_language(ID, language, self._model.languages) if language else None, likely, prefix, grows
        )
        if pcm.size == 0:
            return Transcript(text="", language=language or self._model.languages[0], samples=0, engine=ID)
        try:
            if draft and not grows:
                return self._read_roughly(self._model, asked)
            if self._draft is None or not self._draft.begins(pcm):
                self._refused = set()
            asked = replace(asked, likely_words=self._likely, refused=self._refused)
            return self._read_growing(self._model, asked) if grows else self._read(self._model, asked)
        except RuntimeError as error:
            raise EngineError(ID, f"recognition failed: {error}", cause=error) from error

    def weigh(
        self, pcm: NDArray[np.int16], phrases: Mapping[str, Sequence[str]], *, language: str, least: float
    ) -> Weighed:
        """Transcribe a draft and weigh phrases, with one run of the encoder; see ``Recognizer.weigh``.

        Raises:
            EngineError: the audio is too long, the model does not support the language, or the library failed.
        """
        model = self._model
        if model is None or not phrases or pcm.size == 0:
            return Weighed(transcript=self.transcribe(pcm, language=language, draft=True))
        check_length(ID, pcm)
        asked = _Asked(pcm, check_language(ID, language, model.languages), None, "")
        try:
            read = _decode(model, asked, SHORT_WINDOW, beam=1)
            output = beginning_of(read.encoded, pcm.size)
            written = [(phrase, each) for phrase, writings in phrases.items() for each in writings]
            texts = [each for _, each in written]
            best = _best(written, fits(model, output, texts, language))
            silent = _best(written, self._silent.of(model, texts, language))
            forced = {
                phrase: continued(model, output, each, language, most=_room(pcm) // 2)
                for phrase, (fit, each) in best.items()
                if fit >= least
            }
        except RuntimeError as error:
            raise EngineError(ID, f"recognition failed: {error}", cause=error) from error
        fit_of, silent_of = ({phrase: fit for phrase, (fit, _) in each.items()} for each in (best, silent))
        return Weighed(transcript=_first_copy(read.transcript), fits=fit_of, silent=silent_of, continued=forced)

    def detect_language(self, pcm: NDArray[np.int16], *, likely: str | None = None) -> str:
        """The language of at most 28 s of speech; ``likely`` as in ``transcribe``."""
        if self._model is None:
            raise EngineError(ID, "the engine is closed")
        encoded = self._model.encode(self._model.features(padded(pcm, SHORT_WINDOW)))
        return most_probable(self._model.language_probabilities(encoded), doubtful(pcm.size, likely))

    def close(self) -> None:
        """Free the model."""
        self._model = self._draft = None

    def _read_roughly(self, model: Whisper, asked: "_Asked") -> Transcript:
        """Decode once without a beam. If the decoder runs away, keep only its first copy of the sentence."""
        return _first_copy(_decode(model, asked, SHORT_WINDOW, beam=1).transcript)

    def _read(self, model: Whisper, asked: "_Asked") -> Transcript:
        """Decode in the short window; retry in longer windows while the decoder runs away or is unsure."""
        read = _stopped(model, self._read_on(model, asked))
        first = read.transcript
        if read.ended and first_copy(first.text) is None and not _unsure(first):
            read = _likelier(model, read, asked)
            self._draft = read.draft_of(asked)
            return read.transcript
        sound = replace(asked, pcm=without_end_silence(asked.pcm), language=first.language)
        for window in _LONGER:
            read = _decode(model, sound, window, beam=_BEAM)
            if read.ended and first_copy(read.transcript.text) is None:
                break
        again = _likelier(model, read, sound).transcript
        # If both results are unsure, return the first: noise also fails in a longer window, and its scores there say
        # less.
        return first if _unsure(first) and _unsure(again) else replace(again, samples=asked.pcm.size)

    def _read_growing(self, model: Whisper, asked: "_Asked") -> Transcript:
        """Read the beginning of an utterance, and remember the words for the next reading."""
        read = self._read_on(model, asked)
        text = first_copy(read.transcript.text)
        read = _stopped(model, read) if text is None else read.shortened(model, text)
        read = _likelier(model, read, asked)
        if read.tokens and not read.probabilities:
            rated = model.probabilities(read.encoded, [read.tokens], read.transcript.language)[0]
            read = replace(read, probabilities=rated)
        self._draft = read.draft_of(asked)
        return replace(read.transcript, complete=read.ended and text is None and not _unsure(read.transcript))

    def _read_on(self, model: Whisper, asked: "_Asked") -> "_Read":
        """Decode what the last draft of this utterance does not say yet; decode everything if there is none."""
        draft = self._draft
        if draft is None or not draft.begins(asked.pcm) or asked.language not in (None, draft.language):
            self._draft = None
            return _decode(model, asked, SHORT_WINDOW, beam=_BEAM)
        return _decode(model, asked, _NEXT_WINDOW, beam=_BEAM, draft=draft)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is to be read: the arguments of ``Recognizer.transcribe``, and the words that are expected."""

    pcm: NDArray[np.int16]
    language: str | None
    likely: str | None
    prefix: str
    grows: bool = False
    likely_words: tuple[str, ...] = ()
    refused: set[Change] = field(default_factory=set)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """The words that a text begins with.

    Attributes:
        tokens: the words.
        probabilities: the probability of each token; empty if they are not known.
        room: most tokens that may follow.
        language: their language.
        told: whether the language is certain.
    """

    tokens: tuple[int, ...]
    language: str
    told: bool = False
    probabilities: tuple[float, ...] = ()
    room: int

    @property
    def log_probability(self) -> float:
        """Sum of the log probabilities that are known."""
        return sum(math.log(max(each, _LEAST_PROBABILITY)) for each in self.probabilities)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """The result of one decoding.

    Attributes:
        transcript: the text with its evidence.
        tokens: the tokens of the whole text.
        probabilities: the probability of each token; empty if they are not known. Those of the tokens that were
            written now are estimated.
        ended: whether the decoder ended by itself, before the token limit.
        encoded: the encoder's output.
        told: whether the language is certain.
        new_s: duration of the sound that no draft covers.
    """

    transcript: Transcript
    tokens: tuple[int, ...]
    probabilities: tuple[float, ...]
    ended: bool
    encoded: Any
    told: bool
    new_s: float

    def draft_of(self, asked: _Asked) -> Draft:
        """The draft for a longer sound."""
        return Draft(asked.pcm, self.transcript.language, self.told, self.tokens, self.probabilities)

    def shortened(self, model: Whisper, text: str) -> "_Read":
        """The result with only the beginning of its text."""
        count = len(self.tokens)
        while count and len(model.text_of(self.tokens[:count], self.transcript.language)) > len(text):
            count -= 1
        transcript = replace(self.transcript, text=text, compression_ratio=compression_ratio(text))
        tokens, probabilities = self.tokens[:count], self.probabilities[:count]
        return replace(self, transcript=transcript, tokens=tokens, probabilities=probabilities)


def padded(pcm: NDArray[np.int16], window: _Window) -> NDArray[np.float32]:
    """The sound with silence after it, as long as a window."""
    seconds = min(WINDOW_MAX_S, max(window.least_s, pcm.size / SAMPLE_RATE + window.margin_s))
    sound = np.zeros(to_samples(seconds), dtype=np.float32)
    sound[: pcm.size] = pcm
    sound /= 32768
    return sound


def _first_copy(transcript: Transcript) -> Transcript:
    text = first_copy(transcript.text) or transcript.text
    return replace(transcript, text=text, compression_ratio=compression_ratio(text))


def _best(written: Sequence[tuple[str, str]], found: Sequence[float]) -> dict[str, tuple[float, str]]:
    """For each phrase, how well its best writing fits, and this writing.

    Args:
        written: the phrases, each with one of its writings.
        found: how well the writings fit.
    """
    best: dict[str, tuple[float, str]] = {}
    for (phrase, each), fit in zip(written, found, strict=True):
        best[phrase] = max(best.get(phrase, (fit, each)), (fit, each))
    return best


def _room(pcm: NDArray[np.int16]) -> int:
    """Most tokens of a sound of which nothing is known."""
    return int(_TOKENS_AT_LEAST + _TOKENS_A_SECOND * pcm.size / SAMPLE_RATE)


def _decode(model: Whisper, asked: _Asked, window: _Window, *, beam: int, draft: Draft | None = None) -> _Read:
    """Encode and decode once, after the words of a draft that the sound confirms."""
    pcm = asked.pcm
    encoded = model.encode(model.features(padded(pcm, window)))
    known = None if draft is None else _confirmed(model, encoded, asked, draft)
    language, told = _language(model, encoded, asked, known)
    if known is None or known.language != language:
        known = _Known(
            tokens=model.tokens_of(asked.prefix.strip(), language)[: CONTEXT_TOKENS // 2],
            language=language,
            room=_room(pcm),
        )
    written = model.write(encoded, language, known.tokens, room=known.room, beam=beam)
    tokens = (*known.tokens, *written.tokens)
    text = model.text_of(tokens, language)
    transcript = Transcript(
        text=text,
        language=language,
        samples=pcm.size,
        # Whisper divides by the number of tokens including the end.
        average_log_probability=(known.log_probability + written.log_probability)
        / (len(known.probabilities) + len(written.tokens) + 1),
        no_speech_probability=written.no_speech_probability,
        compression_ratio=compression_ratio(text),
        engine=ID,
    )
    return _Read(
        transcript=transcript,
        tokens=tokens,
        probabilities=(*(known.probabilities or (1.0,) * len(known.tokens)), *written.probabilities),
        ended=written.ended,
        encoded=encoded,
        told=told,
        new_s=(pcm.size - (draft.sound.size if draft is not None else 0)) / SAMPLE_RATE,
    )


def _likelier(model: Whisper, read: _Read, asked: _Asked) -> _Read:
    """The result with likely words where they fit the sound, behind the settled words."""
    heard, prefix = read.transcript, asked.prefix.strip()
    if not asked.likely_words or not heard.text.startswith(prefix) or _unsure(heard):
        return read
    found = likelier(model, read.encoded, heard, asked.likely_words, settled=len(prefix), refused=asked.refused)
    if found is None:
        return read
    tokens = model.tokens_of(found.text, found.language)
    heard = replace(found, compression_ratio=compression_ratio(found.text))
    return replace(read, transcript=heard, tokens=tokens, probabilities=())


def _stopped(model: Whisper, read: _Read) -> _Read:
    """The result without a sentence that begins again although the new sound is too short for a sentence."""
    if read.new_s >= _SENTENCE_S:
        return read
    text = first_copy(read.transcript.text) or (None if read.ended else before_restart(read.transcript.text))
    return read if text is None else replace(read.shortened(model, text), ended=True)


def _language(model: Whisper, encoded: Any, asked: _Asked, known: _Known | None) -> tuple[str, bool]:
    """The language, and whether it is certain."""
    if asked.language is not None:
        return asked.language, True
    if known is not None and known.told:
        return known.language, True
    if len(model.languages) == 1:
        return model.languages[0], True
    probable = most_probable(model.language_probabilities(encoded), doubtful(asked.pcm.size, asked.likely))
    return probable, asked.pcm.size >= to_samples(TELLING_S)


def _confirmed(model: Whisper, encoded: Any, asked: _Asked, draft: Draft) -> _Known | None:
    """The words of the draft that need not be decoded; ``None`` if there are none.

    These are the settled words, and those that the sound confirms. The latter also confirm the language.
    """
    settled = _settled_in(model, draft, asked.prefix.strip())
    if settled is None or len(draft.tokens) > CONTEXT_TOKENS // 2:
        return None
    new_s = (asked.pcm.size - draft.sound.size) / SAMPLE_RATE
    now: tuple[float, ...] = ()
    count = settled
    if new_s <= _TRUSTED_S and draft.probabilities and not asked.grows:
        now = draft.probabilities
        count = old_words(draft, model.starts_word, settled=settled)
    elif len(draft.tokens) - settled >= _WORTH_A_CHECK:
        now = model.probabilities(encoded, [draft.tokens], draft.language)[0]
        count = confirmed(draft, now, model.starts_word, settled=settled)
    if not count:
        return None
    rated = now[:count]
    return _Known(
        tokens=draft.tokens[:count],
        language=draft.language,
        told=draft.told or sum(each >= SURE for each in rated) >= _TELLING_TOKENS,
        probabilities=rated,
        room=int(len(draft.tokens) - count + _TOKENS_MORE + _NEW_TOKENS_A_SECOND * new_s),
    )


def _settled_in(model: Whisper, draft: Draft, prefix: str) -> int | None:
    """Number of a draft's tokens that say the settled words; ``None`` if it begins with other words."""
    if not prefix:
        return 0
    for count in range(1, len(draft.tokens) + 1):
        text = model.text_of(draft.tokens[:count], draft.language)
        if text == prefix:
            return count
        if len(text) > len(prefix):
            break
    return None


def compression_ratio(text: str) -> float:
    """UTF-8 length of ``text`` divided by its zlib-compressed length. Repetition raises it (Whisper's own measure)."""
    encoded = text.encode()
    return len(encoded) / len(zlib.compress(encoded)) if encoded else 1.0


def _unsure(transcript: Transcript) -> bool:
    return transcript.average_log_probability < DOUBTFUL_LOG_PROBABILITY


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
