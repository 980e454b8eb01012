"""``sori settings``: lists, shows and changes settings in ``config.toml``; a Sori that runs follows the file."""

import argparse
import asyncio
import json
import sys
import tomllib
from collections.abc import Collection, Sequence
from difflib import get_close_matches
from pathlib import Path

from assistant.app.cli.setting_words import possible_values, when_it_acts
from assistant.core.configuration.catalogue import Setting, all_settings, single_settings, value_of
from assistant.core.configuration.values import shown_value, typed_value
from assistant.core.display.table import fitting
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.host.places import Places
from assistant.host.settings_edit import change_settings
from assistant.host.settings_file import read_settings, text_for_help, write_default


def run(places: Places, texts: Texts, arguments: argparse.Namespace) -> int:
    """List, show, set or reset settings; returns the exit status: 1 when a Sori that runs cannot follow a change.

    ``set`` and ``reset`` also mend a file whose only mistake is in that setting.

    Raises:
        SettingsError: the file is invalid, or would be with the new value; it stays as it is.
        SoriError: there is no such setting, or the file cannot be written.
        RefusedError: the Sori that runs does not take this program.
    """
    if arguments.action == "set":
        write_default(places.config, texts)
    match arguments.action:
        case "get":
            _print_one(_setting(arguments.name), places, texts, as_json=arguments.json)
        case "set":
            setting = _setting(arguments.name)
            change_settings(places.config, {setting.name: typed_value(setting, arguments.value)})
            return _show_change(setting, places, texts, as_json=arguments.json)
        case "reset":
            setting = _setting(arguments.name)
            change_settings(places.config, {setting.name: None})
            return _show_change(setting, places, texts, as_json=arguments.json)
        case _:
            _print_all(places, texts, arguments)
    return 0


def _setting(name: str) -> Setting:
    known = single_settings()
    if name in known:
        return known[name]
    by_key = [each for each in known if each.rpartition(".")[2] == name]
    near = by_key or get_close_matches(name, known, n=3, cutoff=0.6)
    lists = {each.name.partition(".")[0] for each in all_settings() if not each.alone}
    key = "setting_in_list" if name.partition(".")[0] in lists else "setting_unknown"
    values = {"name": name, "near": ", ".join(near or ("sori settings list",))}
    raise SoriError(ErrorCode.SETTINGS, f"there is no setting {name!r}", message_key=key, values=values)


def _print_all(places: Places, texts: Texts, arguments: argparse.Namespace) -> None:
    settings, in_file = read_settings(places.config), _names_in(places.config)
    shown = [each for each in single_settings().values() if arguments.all or not each.declared.expert]
    if arguments.json:
        rows_of_data = [_as_json(each, settings, in_file, texts) for each in shown]
        print(json.dumps(rows_of_data, ensure_ascii=False, indent=1))
        return
    section = None
    rows: list[list[str]] = []
    for each in shown:
        if each.section != section:
            _print_section(section, rows, texts)
            section, rows = each.section, []
        mark = " *" if each.name in in_file else ""
        rows.append([each.name, _shown(each, settings, texts) + mark, texts(each.title_key)])
    _print_section(section, rows, texts)
    print(texts("settings_command.legend", config=places.config))


def _print_section(section: str | None, rows: Sequence[Sequence[str]], texts: Texts) -> None:
    if section is not None:
        print(texts(f"setting_section.{section or 'general'}"))
        print("\n".join(f"  {line}" for line in fitting([[*each] for each in rows])), end="\n\n")


def _names_in(config: Path) -> set[str]:
    """The settings that stand in the file."""
    try:
        tree = tomllib.loads(text_for_help(config))
    except ValueError:
        return set()
    tables = {table: each for table, each in {"": tree, **tree}.items() if isinstance(each, dict)}
    return {each.name for each in single_settings().values() if each.key in tables.get(each.section, {})}


def _shown(setting: Setting, settings: Settings, texts: Texts) -> str:
    return shown_value(value_of(settings, setting.name)) or texts("settings_command.open")


def _print_one(setting: Setting, places: Places, texts: Texts, *, as_json: bool) -> None:
    settings = read_settings(places.config)
    if as_json:
        print(json.dumps(_as_json(setting, settings, _names_in(places.config), texts), ensure_ascii=False, indent=1))
        return
    print(f"{setting.name} = {_shown(setting, settings, texts)}")
    print(f"{texts(setting.title_key)}: {texts(setting.help_key)}")
    if possible := possible_values(setting, texts):
        print(possible)
    default = shown_value(setting.default) or texts("settings_command.open")
    print(texts("settings_command.default", value=default))
    print(when_it_acts(setting, texts))


def _show_change(setting: Setting, places: Places, texts: Texts, *, as_json: bool) -> int:
    trouble = _trouble(setting, places, texts)
    if as_json:
        _print_one(setting, places, texts, as_json=True)
    else:
        print(f"{setting.name} = {_shown(setting, read_settings(places.config), texts)}")
    if trouble:
        print(texts("notice.setting_not_applied", settings=texts(setting.title_key), reason=trouble), file=sys.stderr)
    elif not as_json:
        print(when_it_acts(setting, texts))
    return 1 if trouble else 0


def _trouble(setting: Setting, places: Places, texts: Texts) -> str:
    """Why a Sori that runs does not follow the change; empty if it does, or if none runs."""
    from assistant.core.service.requests.settings import GetSetting
    from assistant.remote.local.client import connect

    connection = connect(places.home, texts, name="command")
    if connection is None:
        return ""
    try:
        return asyncio.run(connection.result(GetSetting(name=setting.name))).trouble
    finally:
        connection.close()


def _as_json(setting: Setting, settings: Settings, in_file: Collection[str], texts: Texts) -> dict[str, object]:
    return {
        "name": setting.name,
        "value": value_of(settings, setting.name),
        "default": setting.default,
        "in_file": setting.name in in_file,
        "kind": setting.kind.value,
        "choices": list(setting.choices),
        "low": setting.declared.low,
        "high": setting.declared.high,
        "acts": setting.declared.acts.value,
        "tool": setting.declared.tool,
        "expert": setting.declared.expert,
        "title": texts(setting.title_key),
        "help": texts(setting.help_key),
    }
