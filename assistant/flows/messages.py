"""The texts of a service for its users, apart from its code (F-04)."""

from collections.abc import Mapping
from string import Formatter

from assistant.core.hangul import final_of
from assistant.core.settings import Language

_FINAL_L = 8
"""Index of the final consonant ㄹ, after which 로 stands as after a vowel."""


class _Word(str):
    """A value in a text. Its format ``을/를`` adds the particle that agrees with its last syllable."""

    __slots__ = ()

    def __format__(self, spec: str) -> str:
        if "/" not in spec:
            return super().__format__(spec)
        after_consonant, after_vowel = spec.split("/")
        final = final_of(self.rstrip("\"'”’)"))
        is_open = final == 0 or (final == _FINAL_L and after_consonant.startswith("으"))
        return f"{self}{after_vowel if is_open else after_consonant}"


class Messages:
    """The texts of one service, in both languages.

    Args:
        ko: the Korean texts by key, with ``{placeholders}``.
        en: the English texts by the same keys.

    Raises:
        ValueError: a key or a placeholder is missing in one language; the message names it.
    """

    def __init__(self, *, ko: Mapping[str, str], en: Mapping[str, str]) -> None:
        self._texts: dict[Language, Mapping[str, str]] = {"ko": ko, "en": en}
        if lone := sorted(set(ko) ^ set(en)):
            raise ValueError(f"the message {lone[0]} is missing in {'en' if lone[0] in ko else 'ko'}")
        for key, text in ko.items():
            if (ours := placeholders(text)) != (theirs := placeholders(en[key])):
                raise ValueError(f"the message {key} has the placeholders {sorted(ours)} in ko, {sorted(theirs)} in en")

    def __call__(self, language: Language, key: str, /, **values: object) -> str:
        """The text with this key. ``{name:을/를}`` adds the Korean particle that fits the value.

        Raises:
            KeyError: there is no such text, or a value is missing.
        """
        return self._texts[language][key].format(
            **{name: _Word(value) if isinstance(value, str) else value for name, value in values.items()}
        )


def placeholders(text: str) -> frozenset[str]:
    """The names of the values in a text."""
    return frozenset(name.split(".")[0] for _, name, _, _ in Formatter().parse(text) if name)
