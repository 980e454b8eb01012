"""espeak-ng: a formant synthesiser that speaks every language, at once and everywhere. Robotic, and never missing.

The library is one global state: one voice, one rate, one callback. So there is one instance of it in the process, and
a lock around every utterance. Its sound comes through a callback in pieces of about 50 ms; a thread of its own runs it,
so that whoever listens gets the first piece while the rest is being made, and may leave early.

Piper carries a second copy of the library inside of its own module. Both are loaded with local symbols, so each keeps
its own state and they live side by side.
"""

import ctypes
import queue
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from assistant.core.errors import EngineError
from assistant.speech.tts.synthesizer import SynthesizerEngine, Voice

ID: Final = "espeak"
_SYNCHRONOUS: Final = 2
"""``AUDIO_OUTPUT_SYNCHRONOUS``: sound goes to the callback, and the call returns when all is spoken."""
_PIECE_MS: Final = 50
_DO_NOT_EXIT: Final = 0x8000
"""Without it the library ends the whole process when its data is missing."""
_RATE: Final = 1
"""``espeakRATE``, in words a minute."""
_WORDS_A_MINUTE: Final = 165
_RATE_LIMITS: Final = (80, 450)
_UTF8: Final = 1
_END_PAUSE: Final = 0x1000
_BY_CHARACTER: Final = 1
_OK: Final = 0
_VOICES: Final = {"ko": "ko", "en": "en-us"}
"""espeak-ng's voice where it is not named as the language."""
_QUEUE_PIECES: Final = 64

_Callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p)
_Piece = NDArray[np.int16] | EngineError | None


class _Library:
    """The loaded library.

    Attributes:
        sample_rate: samples a second of everything it speaks.
    """

    def __init__(self) -> None:
        try:
            import espeakng_loader

            path, data = espeakng_loader.get_library_path(), espeakng_loader.get_data_path()
            self._api: Any = ctypes.CDLL(path)
        except (ImportError, OSError, RuntimeError) as error:
            raise EngineError(ID, f"the library cannot be loaded: {error}", cause=error) from error
        self.sample_rate = int(
            self._api.espeak_Initialize(_SYNCHRONOUS, _PIECE_MS, str(Path(data).parent).encode(), _DO_NOT_EXIT)
        )
        if self.sample_rate <= 0:
            raise EngineError(ID, f"the library does not accept its data at {data}")
        self._lock = threading.Lock()
        self._take: Callable[[NDArray[np.int16]], bool] = _refuse
        # The library keeps the pointer; the object must live as long.
        self._callback = _Callback(self._heard)
        self._api.espeak_SetSynthCallback(self._callback)

    def speak(self, text: str, voice: Voice, take: Callable[[NDArray[np.int16]], bool]) -> None:
        """Speak all of ``text`` into ``take``, which answers whether to go on.

        Raises:
            EngineError: there is no voice for the language, or the library refuses the text.
        """
        name = _VOICES.get(voice.language, voice.language)
        rate = min(max(round(_WORDS_A_MINUTE * voice.speed), _RATE_LIMITS[0]), _RATE_LIMITS[1])
        encoded = text.replace("\0", " ").encode("utf-8", errors="replace") + b"\0"
        with self._lock:
            if self._api.espeak_SetVoiceByName(name.encode()) != _OK:
                raise EngineError(ID, f"there is no voice for {voice.language!r}")
            self._api.espeak_SetParameter(_RATE, rate, 0)
            self._take = take
            try:
                result = self._api.espeak_Synth(
                    encoded, len(encoded), 0, _BY_CHARACTER, 0, _UTF8 | _END_PAUSE, None, None
                )
            finally:
                self._take = _refuse
        if result != _OK:
            raise EngineError(ID, f"the library refused the text, error {result}")

    def _heard(self, samples: Any, count: int, _events: Any) -> int:
        """The library's callback: 0 to go on, 1 to stop. Exceptions must not pass through C."""
        if not samples or count <= 0:
            return 0
        piece: NDArray[np.int16] = np.ctypeslib.as_array(samples, shape=(count,)).astype(np.int16, copy=True)
        return 0 if self._take(piece) else 1


def _refuse(_piece: NDArray[np.int16]) -> bool:
    return False


_loading = threading.Lock()
_loaded: list[_Library] = []


def _library() -> _Library:
    """The one instance; loaded at first use, and kept, because the library cannot be loaded twice."""
    with _loading:
        if not _loaded:
            _loaded.append(_Library())
        return _loaded[0]


class Espeak:
    """espeak-ng's voices.

    Raises:
        EngineError: the library cannot be used on this machine.
    """

    def __init__(self) -> None:
        self._shared = _library()
        self._closed = False

    @property
    def sample_rate(self) -> int:
        """Samples a second, 22,050."""
        return self._shared.sample_rate

    def synthesize(self, text: str, voice: Voice) -> Iterator[NDArray[np.int16]]:
        """Speech in pieces of about 50 ms; see ``Synthesizer.synthesize``.

        Raises:
            EngineError: there is no voice for the language, or the library failed.
        """
        if self._closed:
            raise EngineError(ID, "the engine is closed")
        return self._pieces(text, voice)

    def close(self) -> None:
        """Stop speaking; the library stays loaded."""
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


def _speak(library: _Library, text: str, voice: Voice, pieces: queue.Queue[_Piece], left: threading.Event) -> None:
    """Run one utterance on the speaking thread."""

    def take(piece: NDArray[np.int16]) -> bool:
        return _offer(pieces, piece, left)

    try:
        library.speak(text, voice, take)
    except EngineError as error:
        _offer(pieces, error, left)
    finally:
        _offer(pieces, None, left)


def _offer(pieces: queue.Queue[_Piece], piece: _Piece, left: threading.Event) -> bool:
    """Hand a piece over unless the listener has left."""
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
    del path_of, threads  # the voice comes with its package and needs one thread
    return Espeak()


ENGINE: Final = SynthesizerEngine(id=ID, languages=frozenset({"ko", "en"}), models=(), neural=False, create=_create)
