"""Vectors from a model on this machine, on threads beside the event loop."""

import asyncio
import threading
from collections.abc import Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from assistant.core.errors import ModelFileError
from assistant.knowledge.meaning.embedder import Vectors
from assistant.knowledge.meaning.prefixes import prefixes_of
from assistant.speech.numpy_threads import keep_numpy_to_one_thread
from assistant.tasks import IdleTimer, come_last

if TYPE_CHECKING:
    from assistant.knowledge.meaning.e5_model import E5Model

MODEL: Final = "multilingual-e5-small"
"""Name of the model in the manifest."""
FILE: Final = "e5-small-q4.bin"
_PREFIXES: Final = prefixes_of(MODEL)
IDLE_S: Final = 600.0
"""Seconds without a text after which the model, about 400 MB, leaves the memory. Loading it takes a second."""


class LocalEmbedder:
    """``Embedder`` that runs multilingual-e5-small. A text loads the model, which leaves when it is idle.

    Args:
        path: the model's file. While it is missing, there are no vectors.
        idle_s: seconds without a text after which the model leaves the memory.
    """

    def __init__(self, path: Path, idle_s: float = IDLE_S) -> None:
        self._path = path
        self._idle = IdleTimer(idle_s, self._free)
        self._loading = threading.Lock()
        self._model: E5Model | None = None
        self._questions = ThreadPoolExecutor(1, "question's meaning")
        self._passages = ThreadPoolExecutor(1, "passages' meaning", initializer=come_last)

    @property
    def name(self) -> str:
        """See ``Embedder``."""
        return f"{MODEL}/{FILE}"

    @property
    def at_once(self) -> int:
        """See ``Embedder``."""
        return 1

    async def question(self, text: str) -> Vectors:
        """See ``Embedder``."""
        return await self._in(self._questions, _PREFIXES.question + text)

    async def passages(self, texts: Sequence[str]) -> Vectors:
        """See ``Embedder``. One text at a time, so the work ends soon after it is cancelled."""
        return np.stack([await self._in(self._passages, _PREFIXES.passage + text) for text in texts])

    def close(self) -> None:
        """Free the model, and end the threads after the text that they are at."""
        self._idle.stop()
        self._free()
        self._questions.shutdown(wait=False, cancel_futures=True)
        self._passages.shutdown(wait=False, cancel_futures=True)

    async def _in(self, thread: Executor, text: str) -> Vectors:
        with self._idle.in_use():
            return await asyncio.get_running_loop().run_in_executor(thread, self._vector, text)

    def _free(self) -> None:
        self._model = None

    def _vector(self, text: str) -> Vectors:
        with self._loading:
            model = self._model
            if model is None:
                if not self._path.exists():
                    raise ModelFileError("its file is missing", model=MODEL, message_key="model_missing")
                from assistant.knowledge.meaning.e5_model import E5Model  # Its tokenizer takes a while to import.

                model = self._model = E5Model(self._path)
                keep_numpy_to_one_thread()
        return model.vector(text)
