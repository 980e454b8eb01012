"""How well phrases fit the beginning of a sound: the probability that Whisper's decoder gives their tokens (V-06).

A decoder that chooses its words freely writes a name that it does not know as other words, differently each time. The
probability of the name itself depends less on such chances. The encoder has already run, so a phrase costs one pass of
the decoder over a few tokens, and all phrases are one batch.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from assistant.core.audio import SAMPLE_RATE, to_samples
from assistant.speech.stt.decoding.whisper_model import Whisper

_STEPS_A_SECOND: Final = 50
"""Encoder output per second of sound."""
_MARGIN_S: Final = 1.8
"""Silence after the sound that the decoder needs. With 0.2 s it repeats itself; with 1.3 s its text is as in 10 s."""
_ALLOWED: Final = (0.0, 0.0, 0.0, 1.0, 5.5, 8.5)
"""What is added to the log probability of a phrase with so many tokens, or more. Each token lowers the probability of a
phrase that was said a little, and of one that was not said much more: other speech reaches -8 for two tokens, -9 for
three and -28 for four. With this addition the same limits serve phrases of all lengths."""
_SILENCE_S: Final = 1.5
"""Silence by which phrases are compared: as long as a name."""
_WINDOW_S: Final = 10.0
_LEAST: Final = 1e-9
"""Smallest probability, so that its logarithm exists."""


def beginning_of(encoded: Any, samples: int) -> NDArray[np.float32]:
    """The encoder output for so many samples of sound, without most of the padding. Shape 1 × steps × numbers."""
    steps = round((samples / SAMPLE_RATE + _MARGIN_S) * _STEPS_A_SECOND)
    output: NDArray[np.float32] = np.array(_on_processor(encoded), dtype=np.float32)
    return np.ascontiguousarray(output[:, :steps])


def fits(model: Whisper, output: NDArray[np.float32], phrases: Sequence[str], language: str) -> list[float]:
    """How well each phrase fits the beginning of a sound: a log probability, comparable between short and long ones.

    Args:
        model: the model.
        output: the result of ``beginning_of``.
        phrases: at least one; none of them is empty.
        language: the language in which the phrases are read.
    """
    tokens = [model.tokens_of(phrase, language) for phrase in phrases]
    rated = model.probabilities(view(np.repeat(output, len(tokens), axis=0)), tokens, language)
    found = [float(np.log(np.maximum(each, _LEAST)).sum()) for each in rated]
    return [fit + _ALLOWED[min(len(each), len(_ALLOWED) - 1)] for fit, each in zip(found, tokens, strict=True)]


class SilentFits:
    """How well phrases fit silence: how probable their words are without a sound. Each is weighed once."""

    def __init__(self) -> None:
        self._output: NDArray[np.float32] | None = None
        self._known: dict[tuple[str, str], float] = {}

    def of(self, model: Whisper, phrases: Sequence[str], language: str) -> list[float]:
        """The result of ``fits`` for silence. The model must be the same in each call."""
        new = [each for each in dict.fromkeys(phrases) if (language, each) not in self._known]
        if new:
            found = fits(model, self._silence(model), new, language)
            self._known |= {(language, phrase): fit for phrase, fit in zip(new, found, strict=True)}
        return [self._known[language, each] for each in phrases]

    def _silence(self, model: Whisper) -> NDArray[np.float32]:
        if self._output is None:
            encoded = model.encode(model.features(np.zeros(to_samples(_WINDOW_S), np.float32)))
            self._output = beginning_of(encoded, to_samples(_SILENCE_S))
        return self._output


def continued(model: Whisper, output: NDArray[np.float32], phrase: str, language: str, *, most: int) -> str:
    """The transcript if the sound begins with ``phrase``: the phrase and what probably follows, ``most`` tokens."""
    known = model.tokens_of(phrase, language)
    written = model.write(view(output), language, known, room=most, beam=1)
    return model.text_of((*known, *written.tokens), language)


def view(output: NDArray[np.float32]) -> Any:
    """The numbers as the library takes them."""
    import ctranslate2

    return ctranslate2.StorageView.from_array(np.ascontiguousarray(output))


def _on_processor(encoded: Any) -> Any:
    """The numbers where numpy can read them; those of a graphics card are copied."""
    import ctranslate2

    return encoded if encoded.device == "cpu" else encoded.to_device(ctranslate2.Device.cpu)
