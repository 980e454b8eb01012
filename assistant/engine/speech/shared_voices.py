"""The voices that other programs use: those of the engine's own answers, or without them some of their own."""

import asyncio
from collections.abc import Callable

from assistant.speech.tts.choice import SynthesizerSet


class SharedVoices:
    """Knows which voices speak now.

    Args:
        load: makes and loads voices for an engine that does not speak itself; may take a minute, called in a thread.
    """

    def __init__(self, load: Callable[[], SynthesizerSet]) -> None:
        self._load = load
        self._loading = asyncio.Lock()
        self._used: SynthesizerSet | None = None

    def use(self, voices: SynthesizerSet) -> None:
        """The engine speaks with these voices from now on."""
        self._used = voices

    async def now(self) -> SynthesizerSet:
        """The voices; loaded at their first use.

        Raises:
            EngineError: none can be loaded.
        """
        async with self._loading:
            if self._used is None:
                self._used = await asyncio.to_thread(self._load)
            return self._used
