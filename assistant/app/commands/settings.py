"""``sori settings``: lists, shows and changes settings in ``config.toml``; a Sori that runs follows the file."""

import argparse
import json
from collections.abc import Sequence
from difflib import get_close_matches

from assistant.app.cli.table import fitting
from assistant.core.configuration.catalogue import Kind, Setting, all_settings, single_settings, value_of
from assistant.core.configuration.declaration import Acts
from assistant.core.configuration.parsing import span_of
from assistant.core.configuration.values import shown_value, typed_value
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.host.places import Places
from assistant.host.settings_edit import change_settings
from assistant.host.settings_file import read_settings


def run(places: Places, texts: Texts, arguments: argparse.Namespace) -> int:
    """List, show, set or reset settings; returns the exit status.

    ``set`` and ``reset`` also mend a file whose only mistake is in that setting.

    Raises:
        SettingsError: the file is invalid, or would be with the new value; it stays as it is.
        SoriError: there is no such setting, or the file cannot be written.
    """
    match arguments.action:
        case "get":
            setting = _setting(arguments.name)
            _print_one(setting, read_settings(places.config), texts, as_json=arguments.json)
        case "set":
            setting = _setting(arguments.name)
            settings = change_settings(places.config, {setting.name: typed_value(setting, arguments.value)})
            _print_change(setting, settings, texts, as_json=arguments.json)
        case "reset":
            setting = _setting(arguments.name)
            _print_change(setting, change_settings(places.config, {setting.name: None}), texts, as_json=arguments.json)
        case _:
            _print_all(read_settings(places.config), places, texts, arguments)
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


def _print_all(settings: Settings, places: Places, texts: Texts, arguments: argparse.Namespace) -> None:
    shown = [each for each in single_settings().values() if arguments.all or not each.declared.expert]
    if arguments.json:
        print(json.dumps([_as_json(each, settings, texts) for each in shown], ensure_ascii=False, indent=1))
        return
    section = None
    rows: list[list[str]] = []
    for each in shown:
        if each.section != section:
            _print_section(section, rows, texts)
            section, rows = each.section, []
        value = value_of(settings, each.name)
        mark = "" if value == each.default else " *"
        rows.append([each.name, (shown_value(value) or texts("settings_command.open")) + mark, texts(each.title_key)])
    _print_section(section, rows, texts)
    print(texts("settings_command.legend", config=places.config))


def _print_section(section: str | None, rows: Sequence[Sequence[str]], texts: Texts) -> None:
    if section is not None:
        print(texts(f"setting_section.{section or 'general'}"))
        print("\n".join(f"  {line}" for line in fitting([[*each] for each in rows])), end="\n\n")


def _print_one(setting: Setting, settings: Settings, texts: Texts, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(_as_json(setting, settings, texts), ensure_ascii=False, indent=1))
        return
    value = shown_value(value_of(settings, setting.name)) or texts("settings_command.open")
    print(f"{setting.name} = {value}")
    print(f"{texts(setting.title_key)}: {texts(setting.help_key)}")
    if possible := possible_values(setting, texts):
        print(possible)
    default = shown_value(setting.default) or texts("settings_command.open")
    print(texts("settings_command.default", value=default))
    print(_acts(setting, texts))


def possible_values(setting: Setting, texts: Texts) -> str:
    """The possible values in a sentence; empty where any is."""
    if setting.choices:
        return texts("settings_command.choices", choices=" | ".join(setting.choices))
    if span := span_of(setting.declared):
        return texts("settings_command.span", **span)
    if setting.kind is Kind.FLAG:
        return texts("settings_command.choices", choices="true | false")
    return ""


def _acts(setting: Setting, texts: Texts) -> str:
    words = texts(f"settings_command.acts.{setting.declared.acts}")
    return f"{words} {texts(f'setting.{setting.name}.why')}" if setting.declared.acts is Acts.RESTART else words


def _print_change(setting: Setting, settings: Settings, texts: Texts, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(_as_json(setting, settings, texts), ensure_ascii=False, indent=1))
        return
    value = shown_value(value_of(settings, setting.name)) or texts("settings_command.open")
    print(f"{setting.name} = {value}")
    print(_acts(setting, texts))


def _as_json(setting: Setting, settings: Settings, texts: Texts) -> dict[str, object]:
    value = value_of(settings, setting.name)
    return {
        "name": setting.name,
        "value": value,
        "default": setting.default,
        "is_default": value == setting.default,
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
