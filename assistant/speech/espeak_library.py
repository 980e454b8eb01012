"""The espeak-ng library: speech and phonemes through one global C state.

The library has one current voice, one rate and one callback. The process therefore holds one instance and locks every
call. Piper bundles a second copy of the library. Both copies are loaded with local symbols, so their states stay apart.
"""

import ctypes
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from assistant.core.errors import EngineError

ENGINE_ID: Final = "espeak"
_SYNCHRONOUS: Final = 2
"""``AUDIO_OUTPUT_SYNCHRONOUS``: the callback receives the samples, and the call returns when all text is spoken."""
_PIECE_MS: Final = 50
_DO_NOT_EXIT: Final = 0x8000
"""``espeakINITIALIZE_DONT_EXIT``. Without this flag the library ends the process when its data is missing."""
_RATE: Final = 1
"""``espeakRATE``, in words per minute."""
_WORDS_A_MINUTE: Final = 165
_RATE_LIMITS: Final = (80, 450)
_UTF8: Final = 1
_END_PAUSE: Final = 0x1000
_BY_CHARACTER: Final = 1
_OK: Final = 0
_IPA: Final = 2
"""Phoneme mode of ``espeak_TextToPhonemes``: the International Phonetic Alphabet, in UTF-8."""
_VOICES: Final = {"ko": "ko", "en": "en-us"}
"""espeak-ng voice names by language code. Other languages use their code as the voice name."""

_Callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p)


class EspeakLibrary:
    """The loaded library.

    Attributes:
        sample_rate: samples per second of the synthesised speech.
    """

    def __init__(self) -> None:
        try:
            import espeakng_loader

            path, data = espeakng_loader.get_library_path(), espeakng_loader.get_data_path()
            self._api: Any = ctypes.CDLL(path)
        except (ImportError, OSError, RuntimeError) as error:
            raise EngineError(ENGINE_ID, f"the library cannot be loaded: {error}", cause=error) from error
        self._api.espeak_TextToPhonemes.restype = ctypes.c_char_p
        self.sample_rate = int(
            self._api.espeak_Initialize(_SYNCHRONOUS, _PIECE_MS, str(Path(data).parent).encode(), _DO_NOT_EXIT)
        )
        if self.sample_rate <= 0:
            raise EngineError(ENGINE_ID, f"the library cannot use its data in {data}")
        self._lock = threading.Lock()
        self._take: Callable[[NDArray[np.int16]], bool] = _refuse
        # The library keeps the function pointer, so the callback object must live as long as the library.
        self._callback = _Callback(self._heard)
        self._api.espeak_SetSynthCallback(self._callback)

    def speak(self, text: str, language: str, speed: float, take: Callable[[NDArray[np.int16]], bool]) -> None:
        """Speak ``text`` and pass the samples to ``take``; stop when ``take`` returns false.

        Args:
            text: the text to speak.
            language: ISO 639-1 code.
            speed: pace relative to the voice's normal pace, 1 = normal.
            take: receives mono samples in pieces of about 50 ms and returns whether to continue.

        Raises:
            EngineError: no voice exists for the language, or the library rejects the text.
        """
        rate = min(max(round(_WORDS_A_MINUTE * speed), _RATE_LIMITS[0]), _RATE_LIMITS[1])
        encoded = text.replace("\0", " ").encode("utf-8", errors="replace") + b"\0"
        with self._lock:
            self._choose(language)
            self._api.espeak_SetParameter(_RATE, rate, 0)
            self._take = take
            try:
                result = self._api.espeak_Synth(
                    encoded, len(encoded), 0, _BY_CHARACTER, 0, _UTF8 | _END_PAUSE, None, None
                )
            finally:
                self._take = _refuse
        if result != _OK:
            raise EngineError(ENGINE_ID, f"the library rejected the text with error {result}")

    def phonemes(self, text: str, language: str) -> list[tuple[str, str]]:
        """Return each clause of ``text`` as a pair: its spelling and its pronunciation in IPA.

        Raises:
            EngineError: no voice exists for the language.
        """
        encoded = text.replace("\0", " ").encode("utf-8", errors="replace")
        # The library moves the pointer past each clause and sets it to null after the last.
        buffer = ctypes.create_string_buffer(encoded)
        start = ctypes.addressof(buffer)
        pointer = ctypes.c_void_p(start)
        clauses: list[tuple[str, str]] = []
        with self._lock:
            self._choose(language)
            at = 0
            while pointer.value is not None:
                sound = self._api.espeak_TextToPhonemes(ctypes.byref(pointer), _UTF8, _IPA)
                end = len(encoded) if pointer.value is None else pointer.value - start
                clauses.append((encoded[at:end].decode("utf-8", errors="replace"), (sound or b"").decode()))
                at = end
        return clauses

    def _choose(self, language: str) -> None:
        if self._api.espeak_SetVoiceByName(_VOICES.get(language, language).encode()) != _OK:
            raise EngineError(ENGINE_ID, f"the library has no voice for the language {language!r}")

    def _heard(self, samples: Any, count: int, _events: Any) -> int:
        """Library callback: return 0 to continue, 1 to stop. No exception may pass through the C code."""
        if not samples or count <= 0:
            return 0
        piece: NDArray[np.int16] = np.ctypeslib.as_array(samples, shape=(count,)).astype(np.int16, copy=True)
        return 0 if self._take(piece) else 1


def _refuse(_piece: NDArray[np.int16]) -> bool:
    return False


_loading = threading.Lock()
_loaded: list[EspeakLibrary] = []


def espeak_library() -> EspeakLibrary:
    """Return the process-wide instance. The first call loads it; the library cannot be loaded twice."""
    with _loading:
        if not _loaded:
            _loaded.append(EspeakLibrary())
        return _loaded[0]
