"""Which models Sori needs here: what the settings name, and for its own server what this machine can hold."""

import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from assistant.agent.model_choice import ModelChoice, is_embedded, roles
from assistant.app.host.places import models_folder
from assistant.core.errors import SettingsError
from assistant.core.settings import Settings
from assistant.llm.providers.local import EMBEDDED_MODEL, PLACEHOLDER_MODEL

LEAST_MEMORY_BYTES = 3_500_000_000
"""Memory of a machine that gets the 1.5B model; below it the 135M one. Its server was measured at 1.97 GB with the
default context of 4096 tokens full (1.13 GB of that the file, which the system can drop and read again), and what
listens and speaks takes about 1 GB beside it. A machine that is sold with 4 GB reports 3.6 to 3.9."""

LEAST_DISK_BYTES = 2_500_000_000
"""Free space for the same: 1.12 GB of weights, 0.35 GB for packages on their way, and 1 GB that is left to the user."""


def for_this_machine(
    settings: Settings, home: Path, *, memory_bytes: Callable[[], int | None] | None = None
) -> Settings:
    """The settings with the model of Sori's own server named: the user's, or the best that this machine can hold.

    A model that is here already needs no space.

    Args:
        settings: as the user wrote them.
        home: the user's folder.
        memory_bytes: tells the memory of the machine, ``None`` where nobody knows; asks the system by default.
    """
    if settings.llm.embedded_model:
        return settings
    memory = (memory_bytes or total_memory)()
    roomy = memory is None or memory >= LEAST_MEMORY_BYTES
    capable = roomy and _has_disk(models_folder(home))
    model = EMBEDDED_MODEL if capable else PLACEHOLDER_MODEL
    return replace(settings, llm=replace(settings.llm, embedded_model=model))


def _has_disk(folder: Path) -> bool:
    if any((folder / EMBEDDED_MODEL).glob("*.gguf")):
        return True
    place = next((each for each in (folder, *folder.parents) if each.exists()), folder)
    staging = folder / ".fetching" / EMBEDDED_MODEL
    try:
        kept = sum(each.stat().st_size for each in staging.rglob("*") if each.is_file())
        return shutil.disk_usage(place).free + kept >= LEAST_DISK_BYTES
    except OSError:
        return True


def total_memory(read: Callable[[str], str] = lambda path: Path(path).read_text(encoding="ascii")) -> int | None:
    """Bytes of memory that this machine, or the container that this process runs in, has; ``None`` where unknown.

    Args:
        read: reads a file of the kernel's.
    """
    if sys.platform == "win32":
        return _windows_memory()
    try:
        total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return None
    try:
        return min(total, int(read("/sys/fs/cgroup/memory.max")))
    except (OSError, ValueError):
        return total


def _windows_memory() -> int | None:
    if sys.platform == "win32":
        import ctypes

        kilobytes = ctypes.c_ulonglong()
        if ctypes.windll.kernel32.GetPhysicallyInstalledSystemMemory(ctypes.byref(kilobytes)):
            return kilobytes.value * 1024
    return None


def needed_models(settings: Settings) -> list[str]:
    """The models that the configured engines load."""
    return [*needed_speech_models(settings), *needed_language_models(settings)]


def needed_voice_models(settings: Settings) -> list[str]:
    """The models of the voices that may speak: those of the engine that the settings name, or of the best ones."""
    models = {"kokoro": "kokoro-82m", "piper": "piper-en-joe"}
    chosen = ("kokoro", "piper") if settings.voice.tts == "auto" else (settings.voice.tts,)
    return [models[each] for each in chosen if each in models]


def needed_speech_models(settings: Settings) -> list[str]:
    """The models that listen and speak."""
    needed: list[str] = []
    if settings.voice.stt == "faster_whisper":
        needed.append("whisper-base")
    needed += ["openwakeword", "smart-turn-v3"]
    needed += needed_voice_models(settings)
    return needed


def needed_language_models(settings: Settings) -> list[str]:
    """The models of Sori's own server that the settings give any work; those that answer first."""
    try:
        given = roles(settings)
    except SettingsError:
        return []
    summaries = () if given.summaries is None else (given.summaries,)
    return _embedded((given.conversation, given.analysis, *summaries, *given.fallbacks))


def answering_models(settings: Settings) -> list[str]:
    """The models of Sori's own server without which nothing is answered."""
    try:
        given = roles(settings)
    except SettingsError:
        return []
    return _embedded((given.conversation, given.analysis))


def _embedded(choices: tuple[ModelChoice, ...]) -> list[str]:
    return list(dict.fromkeys(each.model for each in choices if is_embedded(each.provider)))
