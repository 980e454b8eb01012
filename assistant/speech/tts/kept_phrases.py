"""The sound of short phrases, kept because answers often begin with the same words ("네,", "Sure,").

A neural voice needs 0.1 to 0.25 s for such a word, and the listener waits for it in silence.
"""

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from assistant.speech.text.sentences import weight_of
from assistant.speech.tts.synthesizer import Synthesizer, Voice

MOST_WEIGHT: Final = 24
"""Weight of the longest phrase that is kept: about 1.3 s of speech."""
MOST_PHRASES: Final = 64
"""About 4 MB of sound. The phrase that was not said for the longest time is dropped for a new one."""


class KeptPhrases:
    """Synthesises, and keeps short phrases by engine, text and voice. One thread uses an instance."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str, Voice], tuple[NDArray[np.int16], ...]] = OrderedDict()

    def said_by(self, engine: str, synthesizer: Synthesizer, text: str, voice: Voice) -> Iterator[NDArray[np.int16]]:
        """Yield the speech in pieces. A phrase is kept when its last piece was taken.

        Args:
            engine: id of the engine.
            synthesizer: the loaded engine.
            text: the text to say.
            voice: how to say it; ``name`` is the voice that speaks.

        Raises:
            EngineError: as ``Synthesizer.synthesize`` does.
        """
        # Whether it is awaited changes how a text is cut, and not its sound.
        key = (engine, text, replace(voice, awaited=False))
        if key in self._kept:
            self._kept.move_to_end(key)
            yield from self._kept[key]
            return
        pieces: list[NDArray[np.int16]] = []
        for piece in synthesizer.synthesize(text, voice):
            pieces.append(piece)
            yield piece
        if pieces and weight_of(text) <= MOST_WEIGHT:
            self._kept[key] = tuple(pieces)
            if len(self._kept) > MOST_PHRASES:
                self._kept.popitem(last=False)
