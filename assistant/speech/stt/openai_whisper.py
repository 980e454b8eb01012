"""Whisper on PyTorch, by OpenAI's own package, with a checkpoint that the user has.

The package is not part of Sori's environment: ``docs/decisions/speech-recognition.md`` gives the reason. The encoder of
this package takes exactly 30 s, so ``faster_whisper`` is faster on a processor. The engine is for a user who has a
fine-tuned checkpoint or a graphics card that PyTorch supports.
"""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from assistant.core.errors import EngineError, ModelFileError
from assistant.speech.stt.recognizer import Recognizer, RecognizerEngine, RecognizerOptions, Transcript
from assistant.speech.stt.spoken_language import LANGUAGES, doubtful, most_probable
from assistant.speech.stt.whisper_limits import check_language, check_length

ID: Final = "openai_whisper"
FOLDER: Final = "openai-whisper"
"""Folder in the models folder for the user's checkpoint."""
PACKAGE: Final = "openai-whisper==20250625"
_BEAM: Final = 5
"""Whisper's usual beam width, as in ``faster_whisper``."""


class OpenaiWhisper(Recognizer):
    """One loaded Whisper checkpoint.

    Args:
        checkpoint: the ``.pt`` file.
        threads: threads for one inference; 0 leaves the choice to the library.
        device: ``cpu``, ``cuda``, or ``auto`` for the graphics card if PyTorch can use it.

    Raises:
        EngineError: the package is missing (message key ``whisper_package_missing``) or cannot be imported, or PyTorch
            cannot use the graphics card (``recognizer_device``).
        ModelFileError: the checkpoint cannot be loaded (message key ``whisper_checkpoint_damaged``).
    """

    def __init__(self, checkpoint: Path, threads: int, device: str = "auto") -> None:
        if importlib.util.find_spec("whisper") is None:
            command = f"{sys.executable} -m pip install {PACKAGE}"
            raise EngineError(ID, command, message_key="whisper_package_missing")
        try:
            import torch
            import whisper
        except (ImportError, OSError) as error:
            raise EngineError(ID, f"the package cannot be imported: {error}", cause=error) from error
        if threads:
            torch.set_num_threads(threads)
        card = bool(torch.cuda.is_available())
        if device == "cuda" and not card:
            raise EngineError(ID, device, message_key="recognizer_device")
        self._half = card and device != "cpu"
        self._whisper: Any = whisper
        try:
            self._model: Any = whisper.load_model(str(checkpoint), device="cuda" if self._half else "cpu")
        except Exception as error:
            raise ModelFileError(
                str(error) or type(error).__name__,
                model=FOLDER,
                message_key="whisper_checkpoint_damaged",
                values={"path": str(checkpoint)},
                cause=error,
            ) from error
        self._languages = LANGUAGES if self._model.is_multilingual else ("en",)

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
        del grows  # Each sound is read as a whole.
        if self._model is None:
            raise EngineError(ID, "the engine is closed")
        check_length(ID, pcm)
        if language is not None:
            check_language(ID, language, self._languages)
        if pcm.size == 0:
            return Transcript(text="", language=language or self._languages[0], samples=0, engine=ID)
        try:
            return self._decoded(pcm, language, doubtful(pcm.size, likely), prefix.strip(), 1 if draft else _BEAM)
        except RuntimeError as error:
            raise EngineError(ID, f"recognition failed: {error}", cause=error) from error

    def close(self) -> None:
        """Free the model."""
        self._model = None

    def _decoded(
        self, pcm: NDArray[np.int16], language: str | None, likely: str | None, prefix: str, beam: int
    ) -> Transcript:
        encoded = self._encoded(pcm)
        spoken = language or self._detected(encoded, likely)
        options = self._whisper.DecodingOptions(
            language=spoken,
            temperature=0.0,
            beam_size=beam if beam > 1 else None,
            prefix=prefix or None,
            without_timestamps=True,
            fp16=self._half,
        )
        result = self._whisper.decode(self._model, encoded, options)[0]
        return Transcript(
            # The library returns only what follows the prefix.
            text=f"{prefix} {result.text.strip()}".strip(),
            language=spoken,
            samples=pcm.size,
            average_log_probability=float(result.avg_logprob),
            no_speech_probability=float(result.no_speech_prob),
            compression_ratio=float(result.compression_ratio),
            engine=ID,
        )

    def _encoded(self, pcm: NDArray[np.int16]) -> Any:
        """The encoder's output for the sound padded to 30 s; a batch of one."""
        whole = self._whisper.pad_or_trim(pcm.astype(np.float32) / 32768)
        mel = self._whisper.log_mel_spectrogram(whole, n_mels=self._model.dims.n_mels, device=self._model.device)
        mel = mel.half() if self._half else mel
        import torch

        with torch.no_grad():
            return self._model.embed_audio(mel.unsqueeze(0))

    def _detected(self, encoded: Any, likely: str | None) -> str:
        if len(self._languages) == 1:
            return self._languages[0]
        probabilities = self._model.detect_language(encoded)[1][0]
        return most_probable({each: float(probabilities.get(each, 0.0)) for each in self._languages}, likely)


def checkpoint_in(path_of: Callable[[str], Path]) -> Path:
    """The only ``.pt`` file in the user's folder.

    Raises:
        ModelFileError: there is none or more than one (message key ``whisper_checkpoint_missing``).
    """
    try:
        folder = path_of(FOLDER)
    except ModelFileError as error:
        if "folder" not in error.values:
            raise
        folder = Path(str(error.values["folder"])) / FOLDER
    found = sorted(folder.glob("*.pt"))
    if len(found) != 1:
        raise ModelFileError(
            f"{folder} has {len(found)} checkpoints (*.pt), expected 1",
            model=FOLDER,
            message_key="whisper_checkpoint_missing",
            values={"folder": str(folder)},
        )
    return found[0]


def _create(path_of: Callable[[str], Path], options: RecognizerOptions) -> OpenaiWhisper:
    return OpenaiWhisper(checkpoint_in(path_of), options.threads, options.device)


# The checkpoint is the user's own file and cannot be fetched, so no model is declared.
ENGINE: Final = RecognizerEngine(id=ID, models=(), create=_create)
