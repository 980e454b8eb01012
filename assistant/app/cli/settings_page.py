"""Writes docs/settings.md and docs/settings.ko.md: ``python -m assistant.app.cli.settings_page``."""

from itertools import groupby

from assistant.app.cli.setting_words import possible_values
from assistant.core.configuration.catalogue import Setting, all_settings
from assistant.core.configuration.values import shown_value
from assistant.core.setting_declaration import Acts
from assistant.core.texts import Texts
from assistant.host.places import PROJECT
from assistant.host.texts import load_texts

PAGES = {"en": PROJECT / "docs" / "settings.md", "ko": PROJECT / "docs" / "settings.ko.md"}


def settings_page(texts: Texts) -> str:
    """The page in the language of ``texts``."""
    lines = [f"# {texts('settings_page.head')}", texts("settings_page.intro"), "", texts("settings_page.legend"), ""]
    listed = [each for each in all_settings() if each.entry or each.alone]
    for section, settings in groupby(listed, lambda each: each.section):
        columns = texts("settings_page.columns")
        title = texts(f"setting_section.{section or 'general'}")
        lines += [f"## {title}{f' `[{section}]`' if section else ''}", "", f"| {columns} |", "|---|---|---|---|---|"]
        lines += [*(_row(each, texts) for each in settings), ""]
    return "\n".join(lines)


def _row(setting: Setting, texts: Texts) -> str:
    declared = setting.declared
    declarations = (("e", declared.expert), ("t", declared.tool), ("s", declared.travels))
    marks = "".join(f" *{mark}*" for mark, has in declarations if has)
    default = shown_value(setting.default)
    acts = texts(f"settings_page.acts.{declared.acts}")
    why = f" {texts(f'setting.{setting.name}.why')}" if declared.acts is Acts.RESTART else ""
    cells = [f"`{setting.key}`{marks}", f"`{default}`" if default else "", possible_values(setting, texts)]
    return (
        f"| {' | '.join(each.replace('|', chr(92) + '|') for each in [*cells, acts])} | {_cell(setting, texts)}{why} |"
    )


def _cell(setting: Setting, texts: Texts) -> str:
    words = f"{texts(setting.title_key)}. {texts(setting.help_key)}"
    return words.replace("|", "\\|")


if __name__ == "__main__":
    for language, path in PAGES.items():
        path.write_text(settings_page(load_texts(language)), encoding="utf-8")
