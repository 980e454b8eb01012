"""Decides which models Sori needs: those in the settings, and an embedded model that fits the machine."""

import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from assistant.core.errors import SettingsError
from assistant.core.settings import Settings
from assistant.host.places import models_folder
from assistant.llm.embedded.own_models import EMBEDDED_MODEL, PLACEHOLDER_MODEL

LEAST_MEMORY_BYTES = 3_500_000_000
"""Least memory in bytes for the 1.5B model; a smaller machine gets the 135M model. The server was measured at 1.97 GB
with a full default context of 4096 tokens. Of that, 1.13 GB is the file, which the system can drop and read again.
Listening and speaking take about 1 GB more. A machine that is sold with 4 GB reports 3.6 to 3.9."""

LEAST_DISK_BYTES = 2_500_000_000
"""Least free disk space in bytes for the 1.5B model: 1.12 GB of weights, 0.35 GB of temporary packages, and 1 GB that
stays free."""


def for_this_machine(
    settings: Settings, home: Path, *, memory_bytes: Callable[[], int | None] | None = None
) -> Settings:
    """The settings with a name of the embedded model: the user's choice, or the best model that this machine can hold.

    A model that is already here needs no disk space.

    Args:
        settings: as the user wrote them.
        home: the user's folder.
        memory_bytes: returns the machine's memory, ``None`` when unknown; asks the system by default.
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
    """Memory in bytes of this machine, or of this process's container; ``None`` when unknown.

    Args:
        read: reads a file of the kernel.
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


def free_memory(read: Callable[[str], str] = lambda path: Path(path).read_text(encoding="ascii")) -> int | None:
    """Memory in bytes that programs can take now without others being moved to the disk; ``None`` when unknown.

    Args:
        read: reads a file of the kernel.
    """
    try:
        free = next(int(line.split()[1]) * 1024 for line in read("/proc/meminfo").splitlines() if "Available" in line)
    except (OSError, ValueError, StopIteration):
        return None
    try:
        group = int(read("/sys/fs/cgroup/memory.max")) - int(read("/sys/fs/cgroup/memory.current"))
    except (OSError, ValueError):
        return free
    return max(min(free, group), 0)


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
    """The models of the voices that may speak: those of the configured engine, or of the best ones for ``auto``."""
    from assistant.speech.tts.choice import AUTO
    from assistant.speech.tts.registry import synthesizers

    engines = synthesizers().engines.values()
    if settings.voice.tts == AUTO:
        chosen = sorted((each for each in engines if each.neural and not each.on_request), key=lambda each: each.rank)
    else:
        chosen = [each for each in engines if each.id == settings.voice.tts]
    return [model for engine in chosen for model in engine.models]


def needed_wake_models() -> list[str]:
    """The models of wake words."""
    from assistant.speech.wake.registry import wake_engines

    return [model for each in wake_engines().engines.values() for model in each.models]


def needed_recognizer_models(settings: Settings) -> list[str]:
    """The models of the configured recogniser."""
    from assistant.speech.stt.registry import recognizers

    recognising = [each for each in recognizers().engines.values() if each.id == settings.voice.stt]
    return [model for each in recognising for model in each.models_for(settings.voice.stt_size)]


def needed_speech_models(settings: Settings) -> list[str]:
    """The models for listening and speaking, as the engines declare them."""
    from assistant.speech.endpoint import smart_turn

    listening = [*needed_recognizer_models(settings), *needed_wake_models()]
    return [*listening, smart_turn.MODEL, *needed_voice_models(settings)]


def needed_language_models(settings: Settings) -> list[str]:
    """The embedded models that have a role in the settings; the answering models come first."""
    return _embedded(settings, answering=False)


def answering_models(settings: Settings) -> list[str]:
    """The embedded models that answer; without them there is no answer."""
    return _embedded(settings, answering=True)


def _embedded(settings: Settings, *, answering: bool) -> list[str]:
    # Imported here, because every command imports this module, and few ask for the roles.
    from assistant.agent.model_choice import is_embedded, roles

    try:
        given = roles(settings)
    except SettingsError:
        return []
    choices = [given.conversation, given.analysis]
    if not answering:
        choices += [*filter(None, [given.summaries]), *given.fallbacks]
    return list(dict.fromkeys(each.model for each in choices if is_embedded(each.provider)))
