"""The voices that other programs use: those of the engine's own answers, or without them some of their own."""

from collections.abc import Callable

from assistant.speech.tts.choice import SynthesizerSet


class SharedVoices:
    """Knows which voices speak now.

    Args:
        make: makes voices for an engine that does not speak itself.
    """

    def __init__(self, make: Callable[[], SynthesizerSet]) -> None:
        self._make = make
        self._used: SynthesizerSet | None = None

    def use(self, voices: SynthesizerSet) -> None:
        """The engine speaks with these voices from now on."""
        self._used = voices

    def now(self) -> SynthesizerSet:
        """The voices; made at their first use. Called on the thread of the voices."""
        if self._used is None:
            self._used = self._make()
        return self._used
