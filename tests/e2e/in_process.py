"""Runs commands of Sori in the test's own process, where the speech engines are loaded once and shared."""

import contextlib
import io
import logging
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from assistant.app.command_line import main
from assistant.core.settings import Settings, VoiceSettings
from assistant.engine.voice_wiring import Engines, load_voice
from assistant.speech.tts.pace import Paces


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command left behind.

    Attributes:
        status: its exit status.
        printed: what it wrote to standard output.
        errors: what it wrote to standard error.
    """

    status: int
    printed: str
    errors: str


def run_command(*arguments: str) -> Outcome:
    """Run a command line as ``sori`` does; the environment names the home. Not from a thread with a running loop."""
    out, errors = io.StringIO(), io.StringIO()
    with _global_state_restored(), contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        try:
            status = main(arguments)
        except SystemExit as left:
            status = int(left.code or 0)
    return Outcome(status, out.getvalue(), errors.getvalue())


@contextlib.contextmanager
def _global_state_restored() -> Iterator[None]:
    """Undo what a command sets for its whole process: log handlers, their level, the hook for uncaught errors."""
    root = logging.getLogger()
    handlers, level, hook, raising = root.handlers[:], root.level, sys.excepthook, logging.raiseExceptions
    try:
        yield
    finally:
        for added in [each for each in root.handlers if each not in handlers]:
            root.removeHandler(added)
            added.close()
        root.setLevel(level)
        logging.captureWarnings(capture=False)
        sys.excepthook, logging.raiseExceptions = hook, raising


class SharedVoice:
    """Loads speech engines at their first use and gives them to every later session with the same voice settings."""

    def __init__(self) -> None:
        self._loaded: dict[VoiceSettings, Engines] = {}

    async def load(
        self,
        settings: Settings,
        path_of: Callable[[str], Path],
        on_progress: Callable[[float, str], None] = lambda _fraction, _doing: None,
        *,
        paces: Paces | None = None,
    ) -> Engines:
        """As ``load_voice``. Both languages are loaded, so the language makes no difference."""
        key = replace(settings.voice, language=VoiceSettings().language, cues=False)
        if key not in self._loaded:
            self._loaded[key] = await load_voice(settings, path_of, on_progress, paces=paces)
        engines = self._loaded[key]
        if engines.wake is not None:
            engines.wake.reset()
        return engines

    def close(self) -> None:
        """Free the engines."""
        for engines in self._loaded.values():
            engines.recognizer.close()
            engines.synthesizers.close()
        self._loaded.clear()
