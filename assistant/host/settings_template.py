"""The settings file of the first start: every common setting in a comment, with its default and its help."""

from collections.abc import Iterable
from itertools import groupby

from assistant.core.configuration.catalogue import Setting, all_settings
from assistant.core.configuration.values import shown_value
from assistant.core.texts import Texts

_HELP_COLUMN = 32


def settings_template(texts: Texts) -> str:
    """The text of the file, in the language of ``texts``."""
    common = [each for each in all_settings() if not each.declared.expert and (each.entry or each.alone)]
    parts = [_part(section, [*found], texts) for section, found in groupby(common, lambda each: each.section)]
    return "\n".join([texts("cli.config.head"), *parts])


def _part(section: str, settings: Iterable[Setting], texts: Texts) -> str:
    settings = [*settings]
    header = f"[[{section}]]" if settings[0].entry else f"[{section}]"
    lines = [*([header] if section else []), *(_line(each, texts) for each in settings)]
    return "".join(f"# {line}\n" for line in lines)


def _line(setting: Setting, texts: Texts) -> str:
    example = setting.default if setting.declared.example is None else setting.declared.example
    value = shown_value(texts.language if setting.name == "language" else example)
    choices = f" ({' | '.join(setting.choices)})" if setting.choices else ""
    return f"{f'{setting.key} = {value}'.ljust(_HELP_COLUMN)} # {texts(setting.help_key).removesuffix('.')}{choices}"
