"""espeak-ng: a formant synthesiser for every language. It sounds robotic, starts at once and is always available.

The library delivers sound through a callback in pieces of about 50 ms. It runs on its own thread, so the caller gets
the first piece while the rest is being synthesised and may stop early.
"""

import queue
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from assistant.core.errors import EngineError
from assistant.speech.espeak_library import ENGINE_ID, EspeakLibrary, espeak_library
from assistant.speech.tts.synthesizer import NamedVoice, SynthesizerEngine, Voice

ID: Final = ENGINE_ID
_QUEUE_PIECES: Final = 64

_Piece = NDArray[np.int16] | EngineError | None


class Espeak:
    """espeak-ng's voices.

    Raises:
        EngineError: the library cannot be used on this machine.
    """

    def __init__(self) -> None:
        self._shared = espeak_library()
        self._closed = False

    @property
    def sample_rate(self) -> int:
        """Samples per second: 22,050."""
        return self._shared.sample_rate

    def synthesize(self, text: str, voice: Voice) -> Iterator[NDArray[np.int16]]:
        """Speech in pieces of about 50 ms; see ``Synthesizer.synthesize``.

        Raises:
            EngineError: no voice exists for the language, or the library failed.
        """
        if self._closed:
            raise EngineError(ID, "the engine is closed")
        return self._pieces(text, voice)

    def close(self) -> None:
        """Refuse further texts. The library stays loaded."""
        self._closed = True

    def _pieces(self, text: str, voice: Voice) -> Iterator[NDArray[np.int16]]:
        pieces: queue.Queue[_Piece] = queue.Queue(_QUEUE_PIECES)
        left = threading.Event()
        speaking = threading.Thread(
            target=_speak, args=(self._shared, text, voice, pieces, left), name="espeak", daemon=True
        )
        speaking.start()
        try:
            while (piece := pieces.get()) is not None:
                if isinstance(piece, EngineError):
                    raise piece
                yield piece
        finally:
            left.set()
            _drain(pieces)
            speaking.join()


def _speak(library: EspeakLibrary, text: str, voice: Voice, pieces: queue.Queue[_Piece], left: threading.Event) -> None:
    """Synthesise one text on the synthesis thread."""

    def take(piece: NDArray[np.int16]) -> bool:
        return _offer(pieces, piece, left)

    try:
        library.speak(text, voice.language, voice.speed, take)
    except EngineError as error:
        _offer(pieces, error, left)
    finally:
        _offer(pieces, None, left)


def _offer(pieces: queue.Queue[_Piece], piece: _Piece, left: threading.Event) -> bool:
    """Put a piece into the queue; give up and return false when the listener has left."""
    while not left.is_set():
        try:
            pieces.put(piece, timeout=0.05)
        except queue.Full:
            continue
        return True
    return False


def _drain(pieces: queue.Queue[_Piece]) -> None:
    while not pieces.empty():
        pieces.get_nowait()


def _create(path_of: Callable[[str], Path], threads: int) -> Espeak:
    del path_of, threads  # the voice is part of the package and needs one thread
    return Espeak()


ENGINE: Final = SynthesizerEngine(
    id=ID,
    languages=frozenset({"ko", "en"}),
    models=(),
    neural=False,
    licence="GPL-3.0-or-later",
    voices=(NamedVoice(name="espeak-ko", language="ko"), NamedVoice(name="espeak-en", language="en")),
    create=_create,
)
