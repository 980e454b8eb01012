"""System packages that Sori needs: libraries, a Korean font, and for tests a virtual screen and sound server.

Only missing packages are installed. With permission, Sori installs them through apt and names their purposes. Without
permission, the user gets the command line to type, and Sori continues without the packages. On macOS and Windows the
Python packages contain their libraries, so nothing is needed.
"""

import ctypes
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from assistant.setup.environment import Environment
from assistant.setup.progress import Bar, run
from assistant.setup.words import Words


@dataclass(frozen=True)
class Need:
    """A requirement of the system.

    Attributes:
        probe: ``lib:`` and a library's name, ``command:`` and a program's, ``file:`` and a pattern below the library
            and data folders, or ``font:korean``.
        why: key of the reason, below ``setup.why``.
        apt: its Debian package; ``dnf``, ``pacman``: the package elsewhere, empty when it is not needed there.
    """

    probe: str
    why: str
    apt: str
    dnf: str = ""
    pacman: str = ""


_QT_X11 = "qt_x11"
_ALSA_PULSE = "file:alsa-lib/libasound_module_pcm_pulse.so"
_SANDBOX = Need("command:bwrap", "shell", "bubblewrap", "bubblewrap", "bubblewrap")
NEEDS: dict[str, tuple[Need, ...]] = {
    "engines": (
        Need("lib:libgomp.so.1", "engines", "libgomp1", "libgomp", "gcc-libs"),
        Need("lib:libstdc++.so.6", "engines", "libstdc++6", "libstdc++", "gcc-libs"),
    ),
    "sound": (Need("lib:libportaudio.so.2", "sound", "libportaudio2", "portaudio", "portaudio"),),
    "window": (
        Need("lib:libEGL.so.1", "qt", "libegl1", "libglvnd-egl", "libglvnd"),
        Need("lib:libGL.so.1", "qt", "libgl1", "libglvnd-glx", "libglvnd"),
        Need("lib:libdbus-1.so.3", "qt", "libdbus-1-3", "dbus-libs", "dbus"),
        Need("lib:libfontconfig.so.1", "qt", "libfontconfig1", "fontconfig", "fontconfig"),
        Need("lib:libglib-2.0.so.0", "qt", "libglib2.0-0", "glib2", "glib2"),
        Need("lib:libxkbcommon.so.0", "qt", "libxkbcommon0", "libxkbcommon", "libxkbcommon"),
        Need("lib:libxkbcommon-x11.so.0", _QT_X11, "libxkbcommon-x11-0", "libxkbcommon-x11", "libxkbcommon-x11"),
        Need("lib:libX11-xcb.so.1", _QT_X11, "libx11-xcb1", "libX11-xcb", "libx11"),
        Need("lib:libxcb-cursor.so.0", _QT_X11, "libxcb-cursor0", "xcb-util-cursor", "xcb-util-cursor"),
        Need("lib:libxcb-icccm.so.4", _QT_X11, "libxcb-icccm4", "xcb-util-wm", "xcb-util-wm"),
        Need("lib:libxcb-image.so.0", _QT_X11, "libxcb-image0", "xcb-util-image", "xcb-util-image"),
        Need("lib:libxcb-keysyms.so.1", _QT_X11, "libxcb-keysyms1", "xcb-util-keysyms", "xcb-util-keysyms"),
        Need("lib:libxcb-randr.so.0", _QT_X11, "libxcb-randr0", "libxcb", "libxcb"),
        Need("lib:libxcb-render-util.so.0", _QT_X11, "libxcb-render-util0", *["xcb-util-renderutil"] * 2),
        Need("lib:libxcb-shape.so.0", _QT_X11, "libxcb-shape0", "libxcb", "libxcb"),
        Need("lib:libxcb-shm.so.0", _QT_X11, "libxcb-shm0", "libxcb", "libxcb"),
        Need("lib:libxcb-sync.so.1", _QT_X11, "libxcb-sync1", "libxcb", "libxcb"),
        Need("lib:libxcb-xfixes.so.0", _QT_X11, "libxcb-xfixes0", "libxcb", "libxcb"),
        Need("lib:libxcb-xkb.so.1", _QT_X11, "libxcb-xkb1", "libxcb", "libxcb"),
        Need("lib:libwayland-cursor.so.0", "qt", "libwayland-cursor0", "libwayland-cursor", "wayland"),
        Need("font:korean", "font", "fonts-noto-cjk", "google-noto-sans-cjk-fonts", "noto-fonts-cjk"),
    ),
    "test": (
        Need("command:Xvfb", "test_screen", "xvfb", "xorg-x11-server-Xvfb", "xorg-server-xvfb"),
        Need("command:dbus-daemon", "test_screen", "dbus", "dbus-daemon", "dbus"),
        Need("command:pulseaudio", "test_sound", "pulseaudio", "pulseaudio", "pulseaudio"),
        Need("command:pactl", "test_sound", "pulseaudio-utils", "pulseaudio-utils", "libpulse"),
        Need("command:sox", "test_sound", "sox", "sox", "sox"),
        Need(_ALSA_PULSE, "test_sound", "libasound2-plugins", "alsa-plugins-pulseaudio", "alsa-plugins"),
        Need("command:chromium", "test_browser", "chromium", "chromium", "chromium"),
        Need("command:chromedriver", "test_browser", "chromium-driver", "chromedriver", "chromium"),
        *(
            Need(f"file:tess*/**/{each}.traineddata", "test_scans", f"tesseract-ocr-{each}", *other)
            for each, other in {
                "kor": ("tesseract-langpack-kor", "tesseract-data-kor"),
                "eng": ("tesseract-langpack-eng", "tesseract-data-eng"),
            }.items()
        ),
        Need("command:git", "test_packages", "git", "git", "git"),
        Need("command:desktop-file-validate", "test_packages", *["desktop-file-utils"] * 3),
        Need("command:appstreamcli", "test_packages", "appstream", "appstream", "appstream"),
        _SANDBOX,
    ),
    "shell": (_SANDBOX,),
}

VENV = Need("module:ensurepip", "venv", f"python3.{sys.version_info.minor}-venv", "python3-pip", "python")
"""The module ``ensurepip`` of the standard library, which Debian has in a separate package."""

_FONT_FILE = re.compile(r"cjk|nanum|noto.*kr|baekmuk|undotum|unbatang|malgun|pretendard|spoqa", re.IGNORECASE)
_FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts", "~/.fonts")
_LIBRARY_FOLDERS = ("/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share")


def missing(scopes: Sequence[str]) -> list[Need]:
    """The missing requirements of these scopes (keys of ``NEEDS``); empty where packages contain everything."""
    if not sys.platform.startswith("linux"):
        return []
    return [need for scope in scopes for need in NEEDS[scope] if not has(need)]


def has(need: Need) -> bool:
    """Whether the system meets the requirement."""
    kind, _, name = need.probe.partition(":")
    if kind == "lib":
        return _loads(name)
    if kind == "command":
        return shutil.which(name) is not None
    if kind == "font":
        return korean_font()
    return any(_matches(name))


def korean_font() -> bool:
    """Whether an installed font has Korean letters."""
    lister = shutil.which("fc-list")
    if lister is not None:
        answer = subprocess.run([lister, ":lang=ko", "family"], capture_output=True, text=True, check=False)
        if answer.returncode == 0:
            return bool(answer.stdout.strip())
    folders = (Path(each).expanduser() for each in _FONT_FOLDERS)
    return any(_FONT_FILE.search(name) for folder in folders for _, _, names in os.walk(folder) for name in names)


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def _matches(pattern: str) -> Iterator[Path]:
    for folder in _LIBRARY_FOLDERS:
        yield from Path(folder).glob(pattern)
        yield from Path(folder).glob(f"*/{pattern}")


def install_line(needs: Sequence[Need]) -> str:
    """The command line that installs these; empty without a known package manager."""
    for program, attribute, command in (
        ("apt-get", "apt", "sudo apt-get install -y --no-install-recommends"),
        ("dnf", "dnf", "sudo dnf install -y"),
        ("pacman", "pacman", "sudo pacman -S --needed"),
    ):
        if shutil.which(program):
            names = {name: None for need in needs if (name := getattr(need, attribute))}
            return f"{command} {' '.join(names)}" if names else ""
    return ""


def root_prefix() -> list[str] | None:
    """The prefix that runs a command as root without a password: empty or sudo; ``None`` without permission."""
    if sys.platform == "win32" or shutil.which("apt-get") is None:
        return None
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") is None:
        return None
    allowed = subprocess.run(["sudo", "-n", "true"], capture_output=True, check=False)
    return ["sudo", "-n"] if allowed.returncode == 0 else None


def apt_install(needs: Sequence[Need], words: Words, log: Path | None) -> bool:
    """Install requirements through apt if permitted, and name their purposes; returns whether it worked."""
    prefix = root_prefix()
    if prefix is None:
        return False
    names = list({need.apt: None for need in needs})
    reasons = list({words(f"why.{need.why}"): None for need in needs})
    bar = Bar(words("step.system", packages=" ".join(names), why=", ".join(reasons)))
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C"}
    if prefix:
        prefix = [*prefix, "DEBIAN_FRONTEND=noninteractive"]
    options = ["-o", "DPkg::Lock::Timeout=120"]
    install = [*prefix, "apt-get", *options, "install", "-y", "--no-install-recommends", *names]
    status, _ = run(install, bar=bar, log=log, environment=environment)
    if status != 0:
        # A fresh image has no package lists, and an old one lists packages that are gone.
        run([*prefix, "apt-get", *options, "update"], bar=bar, log=log, environment=environment)
        status, _ = run(install, bar=bar, log=log, environment=environment)
    bar.end(words("step.done" if status == 0 else "step.failed"))
    return status == 0


def provide(scopes: Sequence[str], environment: Environment, words: Words) -> list[str]:
    """Install the requirements of these scopes, and report those that are still missing.

    A requirement that was met once is not checked again until the requirements change. A failed installation is
    repeated only when another requirement is missing too. Until then only the command line is shown.

    Returns:
        Lines for the user; empty when nothing is missing.
    """
    notes = environment.system_note()
    unchecked = [each for each in scopes if each not in notes.get("checked", [])]
    lacking = missing(unchecked)
    probes = sorted(each.probe for each in lacking)
    if lacking and probes != notes.get("declined"):
        apt_install(lacking, words, environment.log)
        lacking = [each for each in lacking if not has(each)]
        probes = sorted(each.probe for each in lacking)
    broken = {scope for scope in unchecked for need in NEEDS[scope] if need in lacking}
    checked = sorted({*notes.get("checked", []), *(set(unchecked) - broken)})
    fresh = {"checked": checked, "declined": probes, "needs": environment.needs_sum()}
    if fresh != notes and environment.folder.exists():
        environment.write_note("system", fresh)
    return _hint(lacking, words)


def _hint(lacking: Sequence[Need], words: Words) -> list[str]:
    if not lacking:
        return []
    reasons = ", ".join({words(f"why.{need.why}"): None for need in lacking})
    names = " ".join({need.apt: None for need in lacking})
    line = install_line(lacking)
    return [words("missing", why=reasons, packages=names), *([words("type_this", line=line)] if line else [])]
