"""``sori doctor``: checks what works on this machine and what does not, and gives remedies.

Every check uses the part that it examines. ``fail`` means that Sori cannot run as configured. ``warn`` means that an
optional part is missing.
"""

import json
import sys
from dataclasses import asdict
from pathlib import Path

from assistant.core.errors import SettingsError, StorageError
from assistant.core.records.diagnostics import archive_of
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.engine.checks.check import Check, Grade
from assistant.engine.checks.examination import examine
from assistant.engine.domains.keeping.diagnostics import diagnostics
from assistant.host.places import Places
from assistant.host.settings_file import read_settings


def run(places: Places, texts: Texts, *, as_json: bool, online: bool = False, export: Path | None = None) -> int:
    """Print the report; returns 1 when a check fails, else 0.

    Args:
        places: the user's files.
        texts: the user's words.
        as_json: whether to print JSON.
        online: whether to ask the providers' servers too.
        export: the file for the diagnostics, which are printed instead of the report; ``None`` for none.

    Raises:
        StorageError: the file cannot be written.
    """
    if export is not None:
        return _export(places, texts, export)
    checks = examine(places, texts, online=online)
    if as_json:
        print(json.dumps([asdict(each) for each in checks], ensure_ascii=False, indent=1))
    else:
        for each in checks:
            print(f"{_mark(each.verdict)} {texts(f'doctor.{each.name}.name')}: {each.detail}")
            for line in each.remedy.splitlines():
                print(f"      {line}")
        print(texts(f"doctor.summary.{_worst(checks).value}"))
    return 1 if _worst(checks) is Grade.FAIL else 0


def _export(places: Places, texts: Texts, path: Path) -> int:
    """Print what the file will hold, and write exactly that."""
    try:
        settings = read_settings(places.config)
    except SettingsError:
        settings = Settings()
    found = diagnostics(places, texts, settings, loads=True)
    for each in found:
        print(f"--- {each.name}\n{each.text}")
    try:
        path.write_bytes(archive_of(found))
    except OSError as error:
        raise StorageError(str(path), error.strerror or str(error), cause=error) from error
    print(texts("doctor.exported", path=path), file=sys.stderr)
    return 0


def _worst(checks: list[Check]) -> Grade:
    found = {each.verdict for each in checks}
    return next(each for each in (Grade.FAIL, Grade.WARN, Grade.OK) if each in found or each is Grade.OK)


def _mark(verdict: Grade) -> str:
    word = f"{verdict.value:<4}"
    colour = {Grade.OK: 32, Grade.WARN: 33, Grade.FAIL: 31}[verdict]
    return f"\033[{colour}m{word}\033[0m" if sys.stdout.isatty() else word
