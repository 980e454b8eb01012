"""The settings file: parsed or rejected with a line, written with comments at the first start, never overwritten.

Window, terminal, commands and answers use one language: the file's, else the desktop's, else that of the first start.
"""

import os
import re
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assistant.core.configuration.catalogue import Value, single_settings, value_of
from assistant.core.configuration.parsing import parse_settings
from assistant.core.errors import SettingsError, StorageError, unreadable
from assistant.core.formats.toml_text import parse_toml
from assistant.core.settings import Language, Settings
from assistant.core.texts import Texts
from assistant.host.places import Places
from assistant.setup.words import desktop_language
from assistant.storage.atomic import UNFINISHED, read_text


def read_settings(path: Path) -> Settings:
    """The settings of ``path``, or the defaults without a file.

    Raises:
        SettingsError: the file has an unknown or invalid entry; ``line`` is its line.
    """
    text = _text(path)
    return settings_in(text, path) if text else Settings(language=interface_language(path))


def written_settings(path: Path) -> dict[str, Value]:
    """The single settings that stand in ``path``, by name, also those that stand there at their default.

    Raises:
        SettingsError: see ``read_settings``.
    """
    text = _text(path)
    settings, tree = settings_in(text, path), parse_toml(text)
    return {name: value_of(settings, name) for name in single_settings() if _stands(tree, name)}


def _stands(tree: Mapping[str, Any], name: str) -> bool:
    table, _, key = name.rpartition(".")
    return key in (tree.get(table, {}) if table else tree)


def _text(path: Path) -> str:
    """The text of a settings file; empty without one."""
    try:
        return read_text(path)
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except (UnicodeDecodeError, OSError) as error:
        raise unreadable(error) from error


def settings_in(text: str, path: Path) -> Settings:
    """The settings in the text of the settings file ``path``.

    Raises:
        SettingsError: an entry is unknown or invalid; ``line`` is its line.
    """
    # Help needs the language of the file but none of its values.
    from assistant.host.setting_checks.choices import choices_for
    from assistant.host.setting_checks.names import check_names

    settings = parse_settings(text, choices=choices_for(text, path.parent), language=interface_language(path))
    check_names(settings, text, path.parent)
    return settings


def settings_trouble(error: SettingsError, texts: Texts) -> tuple[str, str]:
    """The problem in the settings and its remedy, in the user's language."""
    return texts(error.message_key, **error.values), texts(error.remedy_key, **error.values)


def write_default(path: Path, texts: Texts) -> None:
    """Write a commented settings file and the language of the first start, unless there is a settings file.

    Raises:
        StorageError: the folder cannot be written.
    """
    from assistant.host.settings_template import settings_template

    body = settings_template(texts)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=UNFINISHED, dir=path.parent)
        fresh = Path(name)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(body)
            # A rename would overwrite the file of a faster process. A link does not.
            os.link(fresh, path)
        except FileExistsError:
            return
        except OSError:  # This file system has no links.
            if path.exists():
                return
            fresh.rename(path)
        finally:
            fresh.unlink(missing_ok=True)
        Places(path.parent).first_language.write_text(texts.language, encoding="ascii")
    except OSError as error:
        reason = error.strerror or str(error)
        raise StorageError(str(path.parent), reason, message_key="home", cause=error) from error


def interface_language(path: Path, environment: Mapping[str, str] = os.environ) -> Language:
    """The language for the settings file ``path``, which may be invalid or missing: see ``interface_language_of``."""
    return interface_language_of(text_for_help(path), environment, _first_language(path))


def text_for_help(path: Path) -> str:
    """The text of a settings file that may be invalid, as far as it can be read; empty when it cannot."""
    try:
        return read_text(path)
    except UnicodeDecodeError as error:
        return error.object.decode("utf-8", "replace")
    except OSError:
        return ""


def _first_language(path: Path) -> Language:
    """The language of the first start; English before it."""
    try:
        return "ko" if Places(path.parent).first_language.read_text(encoding="ascii") == "ko" else "en"
    except (OSError, ValueError):
        return "en"


def interface_language_of(text: str, environment: Mapping[str, str], first: Language) -> Language:
    """The interface language: ``language`` in ``config.toml``, even if that has other errors, else the desktop's.

    Any desktop that names another language than Korean counts as English.

    Args:
        text: of ``config.toml``; empty without a file.
        environment: the process's variables.
        first: the language of the first start, for a process whose variables name no language.
    """
    try:
        said = tomllib.loads(text).get("language")
    except (ValueError, RecursionError):
        before_tables = re.split(r"(?m)^\s*\[", text, maxsplit=1)[0]
        found = re.search(r"""(?m)^\s*language\s*=\s*["'](ko|en)["']""", before_tables)
        said = found and found.group(1)
    if said not in ("ko", "en"):
        said = desktop_language(environment, otherwise=first)
    return "ko" if said == "ko" else "en"
