"""Checks of the computer: Python, packages, display, fonts, sound, keyring."""

import os
import platform
import sys
from collections.abc import Iterator

from assistant.engine.checks.check import Check, Checks, Grade
from assistant.engine.checks.health import has_secret_store, sound_devices, sound_server
from assistant.setup.display import has_display
from assistant.setup.environment import InstalledEnvironment, own_environment
from assistant.setup.system import install_line, korean_font, missing

_OLDEST_PYTHON = (3, 11)


class MachineChecks(Checks):
    """Checks what Sori needs of the computer."""

    def python(self) -> Iterator[Check]:
        """Whether Python is new enough."""
        version = platform.python_version()
        fine = sys.version_info >= _OLDEST_PYTHON
        verdict, remedy = (Grade.OK, "") if fine else (Grade.FAIL, "remedy")
        yield self._line("python", verdict, "found", remedy=remedy, version=version, path=sys.executable)

    def environment(self) -> Iterator[Check]:
        """Whether Sori runs in its own environment, and whether that is complete."""
        environment = own_environment()
        folder = environment.folder
        if isinstance(environment, InstalledEnvironment):
            yield self._line("environment", Grade.OK, "installed", folder=folder)
        elif not environment.is_running:
            yield self._line("environment", Grade.WARN, "elsewhere", remedy="remedy", folder=folder, prefix=sys.prefix)
        elif not environment.ready(["runtime"]):
            yield self._line("environment", Grade.WARN, "stale", remedy="remedy", folder=folder)
        else:
            yield self._line("environment", Grade.OK, "ready", folder=folder)

    def system(self) -> Iterator[Check]:
        """Whether the system's packages are there."""
        lacking = [each for each in missing(["engines", "sound", "window"]) if not each.probe.startswith("font:")]
        if not lacking:
            yield self._line("system", Grade.OK, "complete")
            return
        names = " ".join({each.apt: None for each in lacking})
        remedy = "remedy" if install_line(lacking) else ""
        yield self._line("system", Grade.WARN, "lacking", remedy=remedy, names=names, line=install_line(lacking))

    def display(self) -> Iterator[Check]:
        """Whether a window can be shown."""
        if has_display():
            shown = os.environ.get("WAYLAND_DISPLAY") or os.environ.get("DISPLAY") or platform.system()
            yield self._line("display", Grade.OK, "found", display=shown)
        else:
            yield self._line("display", Grade.WARN, "none", remedy="remedy")

    def fonts(self) -> Iterator[Check]:
        """Whether Korean can be drawn."""
        if sys.platform in ("win32", "darwin") or korean_font():
            yield self._line("fonts", Grade.OK, "found")
        else:
            yield self._line("fonts", Grade.WARN, "none", remedy="remedy")

    def sound_server(self) -> Iterator[Check]:
        """Which sound server runs."""
        if not sys.platform.startswith("linux"):
            return
        server = sound_server()
        if server:
            yield self._line("sound_server", Grade.OK, "found", server=server)
        else:
            yield self._line("sound_server", Grade.WARN, "none", remedy="remedy")

    def devices(self) -> Iterator[Check]:
        """Which microphone and speaker there are."""
        devices = sound_devices()
        for name, device in (("microphone", devices.microphone), ("speaker", devices.speaker)):
            if device:
                yield self._line(name, Grade.OK, "found", device=device)
            else:
                reason = devices.reason or self._texts("doctor.no_device")
                yield self._line(name, Grade.WARN, "none", remedy="remedy", reason=reason)

    def secrets(self) -> Iterator[Check]:
        """Whether there is a keyring for API keys."""
        store = has_secret_store()
        if store:
            yield self._line("keyring", Grade.OK, "found", store=store)
        else:
            yield self._line("keyring", Grade.WARN, "none", remedy="remedy")
