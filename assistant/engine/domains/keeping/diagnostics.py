"""Gathers the diagnostics: what helps to find a fault, without secrets and without contents (N-05)."""

import json
import platform
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib.metadata import distributions
from pathlib import Path

from assistant.core.configuration.catalogue import Kind, Setting, single_settings
from assistant.core.records.diagnostics import DiagnosticText
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.core.version import VERSION
from assistant.engine.checks.examination import examine
from assistant.engine.domains.keeping.cleaning import Cleaner, known_secrets
from assistant.host.places import Places
from assistant.knowledge.projects.figures import figures

_LOG_LINES = 400
"""The newest lines of each log."""
_PLAIN = frozenset({Kind.FLAG, Kind.CHOICE, Kind.NUMBER, Kind.WHOLE})
"""Kinds of settings whose values hold no words of the user."""


def diagnostics(places: Places, texts: Texts, settings: Settings, *, loads: bool) -> tuple[DiagnosticText, ...]:
    """All texts, ready to be shown and saved. Waits for the disk and the sound system.

    Args:
        places: the user's files.
        texts: the user's words.
        settings: the settings in force.
        loads: see ``examine``.
    """
    clean = Cleaner(known_secrets(places, settings), places.home)
    report = [
        f"{each.verdict.value:<4} {texts(f'doctor.{each.name}.name')}: {each.detail}\n     {each.remedy}".rstrip()
        for each in examine(places, texts, loads=loads)
    ]
    return (
        DiagnosticText(name="report.txt", text=clean("\n".join(report)) + "\n"),
        DiagnosticText(name="versions.txt", text=clean("\n".join(_versions())) + "\n"),
        DiagnosticText(name="settings.txt", text=clean("\n".join(_settings(settings))) + "\n"),
        DiagnosticText(name="projects.txt", text=clean("\n".join(figures(places.knowledge))) + "\n"),
        *(DiagnosticText(name=f"logs/{path.name}", text=_log(path, clean)) for path in _logs(places.logs)),
    )


def _versions() -> Iterator[str]:
    yield f"Sori {VERSION}"
    yield f"Python {platform.python_version()} ({platform.python_implementation()})"
    yield f"{platform.system()} {platform.release()} {platform.machine()}"
    yield from sorted({f"{each.name} {each.version}" for each in distributions()}, key=str.casefold)


def _settings(settings: Settings) -> Iterator[str]:
    for setting in single_settings().values():
        value = _value(settings, setting)
        if value == setting.default:
            continue
        if setting.kind in _PLAIN and not setting.declared.secret:
            yield f"{setting.name} = {json.dumps(value)}"
        else:
            yield f"{setting.name}: changed by the user"
    for provider in settings.providers:
        yield f"provider of the kind {provider.kind}, at an address: {bool(provider.base_url)}"


def _value(settings: Settings, setting: Setting) -> object:
    found: object = settings
    for part in setting.name.split("."):
        found = getattr(found, part)
    return found


def _logs(folder: Path) -> Sequence[Path]:
    with suppress(OSError):
        return sorted(each for each in folder.glob("*.log") if each.is_file())
    return ()


def _log(path: Path, clean: Cleaner) -> str:
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()[-_LOG_LINES:]
    except OSError as error:
        return f"cannot be read: {error.strerror}\n"
    return "".join(f"{_line(each, clean)}\n" for each in lines)


def _line(line: str, clean: Cleaner) -> str:
    """A line of a log. Its texts are cleaned before they are written as JSON again, which escapes letters."""
    try:
        entry = json.loads(line)
    except ValueError:
        return "a line that is no JSON"
    if not isinstance(entry, dict):
        return "a line that is no object"
    told = {
        name: clean.without_quotes(str(entry[name]))
        for name in ("time", "level", "logger", "thread", "message", "error")
        if name in entry
    }
    return json.dumps(told, ensure_ascii=False)
