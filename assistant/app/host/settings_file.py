"""The settings file: read whole or refused by line, made with comments on the first start, never overwritten.

Everything speaks one language, window, terminal, commands and answers: what the file says, else the desktop's.
"""

import os
import re
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path

from assistant.app.host.names_in_settings import check_names
from assistant.app.host.setting_choices import choices_for
from assistant.app.setup.words import desktop_language
from assistant.core.errors import SettingsError, StorageError
from assistant.core.settings import Language, Settings, parse_settings
from assistant.core.texts import Texts


def read_settings(path: Path) -> Settings:
    """The settings of ``path``; the defaults where there is no file.

    Raises:
        SettingsError: it says something that Sori does not know; ``line`` names where.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return Settings(language=language_of(""))
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise SettingsError("not UTF-8 text", line=line, remedy="Save the file as UTF-8.", problem="utf8") from error
    except OSError as error:
        values = {"reason": error.strerror or str(error)}
        raise SettingsError(
            str(error), line=0, remedy="Make the file readable.", problem="unreadable", values=values
        ) from error
    settings = parse_settings(text, choices=choices_for(text, path.parent), language=language_of(text))
    check_names(settings, text, path.parent)
    return settings


def settings_trouble(error: SettingsError, texts: Texts) -> tuple[str, str]:
    """What is wrong with the settings, and what to do about it, in the user's words where there are some."""
    if not error.problem:
        return error.values["detail"], error.remedy
    key = f"settings.{error.problem}"
    return texts(f"{key}.problem", **error.values), texts(f"{key}.remedy", **error.values)


def write_default(path: Path, texts: Texts) -> None:
    """Write a commented settings file, unless there is one.

    Raises:
        StorageError: the folder cannot be written.
    """
    language = texts.language
    body = texts("cli.config.template", language=language)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        fresh = Path(name)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(body)
            # A rename would overwrite the file of a process that was faster; a link does not.
            os.link(fresh, path)
        except FileExistsError:
            return
        except OSError:  # no links on this file system
            if not path.exists():
                fresh.rename(path)
        finally:
            fresh.unlink(missing_ok=True)
    except OSError as error:
        raise StorageError(str(path), str(error), message_key="home_unwritable", cause=error) from error


def interface_language(path: Path, environment: Mapping[str, str] = os.environ) -> Language:
    """The language that settings in a file ask for, be they right or not, or the file not there: ``language_of``."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = ""
    return language_of(text, environment)


def language_of(text: str, environment: Mapping[str, str] = os.environ) -> Language:
    """What is spoken: the ``language`` of ``config.toml``, even one with mistakes elsewhere, else the desktop's.

    A desktop is Korean or it is taken for English: a terminal without a locale may have no Korean letters at all.

    Args:
        text: of ``config.toml``; empty where there is none.
        environment: the process's variables.
    """
    try:
        said = tomllib.loads(text).get("language")
    except (ValueError, RecursionError):
        before_tables = re.split(r"(?m)^\s*\[", text, maxsplit=1)[0]
        found = re.search(r"""(?m)^\s*language\s*=\s*["'](ko|en)["']""", before_tables)
        said = found and found.group(1)
    if said not in ("ko", "en"):
        said = desktop_language(environment)
    return "ko" if said == "ko" else "en"
