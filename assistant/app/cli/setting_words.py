"""A setting in words: which values are possible, and when a change acts."""

from assistant.core.configuration.catalogue import Kind, Setting
from assistant.core.configuration.parsing import span_of
from assistant.core.setting_declaration import Acts
from assistant.core.texts import Texts


def possible_values(setting: Setting, texts: Texts) -> str:
    """The possible values in a sentence; empty where any is."""
    if setting.choices:
        return texts("settings_command.choices", choices=" | ".join(setting.choices))
    if span := span_of(setting.declared):
        return texts("settings_command.span", **span)
    if setting.kind is Kind.FLAG:
        return texts("settings_command.choices", choices="true | false")
    return ""


def when_it_acts(setting: Setting, texts: Texts) -> str:
    """When a change acts, and why only then if that is after a restart."""
    words = texts(f"settings_command.acts.{setting.declared.acts}")
    return f"{words} {texts(f'setting.{setting.name}.why')}" if setting.declared.acts is Acts.RESTART else words
