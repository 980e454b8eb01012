"""The user-visible texts, by key, in the user's language.

A catalogue is a flat mapping from dotted keys to texts with ``{name}`` fields. The app layer loads the catalogues from
``resources/translations`` and passes one ``Texts`` around.
"""

from collections.abc import Callable, Mapping

from assistant.core.settings import Language


class Texts:
    """Looks up texts in one language.

    Args:
        language: ``ko`` or ``en``.
        catalogue: dotted key to text; it may read a text at its first lookup.
    """

    def __init__(self, language: str, catalogue: Mapping[str, str]) -> None:
        self._language = language
        self._catalogue = catalogue

    @property
    def language(self) -> str:
        """``ko`` or ``en``."""
        return self._language

    def __call__(self, key: str, /, **values: object) -> str:
        """The text of ``key`` with ``values`` filled in.

        Raises:
            KeyError: the catalogue has no such text. A test checks every key in the code against both catalogues.
        """
        return self._catalogue[key].format(**values)

    def raw(self, key: str) -> str:
        """The text of ``key`` with its fields, for a client that fills them in.

        Raises:
            KeyError: no such text.
        """
        return self._catalogue[key]

    def __contains__(self, key: str) -> bool:
        return key in self._catalogue

    @property
    def fixed(self) -> "Texts":
        """The texts of the present language, which stay in it."""
        return self

    @property
    def keys(self) -> frozenset[str]:
        """All keys of the catalogue."""
        return frozenset(self._catalogue)


class LiveTexts(Texts):
    """Looks up texts in the language of the current settings.

    Args:
        language: returns the current language.
        texts: the texts of each language.
    """

    def __init__(self, language: Callable[[], Language], texts: Mapping[Language, Texts]) -> None:
        super().__init__(language(), {})
        self._now = language
        self._texts = dict(texts)

    @property
    def language(self) -> str:
        """The current language."""
        return self._spoken.language

    @property
    def keys(self) -> frozenset[str]:
        """All keys of the catalogue."""
        return self._spoken.keys

    @property
    def fixed(self) -> Texts:
        """The texts of the present language, which stay in it."""
        return self._spoken

    @property
    def _spoken(self) -> Texts:
        return self._texts[self._now()]

    def __call__(self, key: str, /, **values: object) -> str:
        """The text of ``key`` with ``values`` filled in.

        Raises:
            KeyError: no such text.
        """
        return self._spoken(key, **values)

    def raw(self, key: str) -> str:
        """The text of ``key`` with its fields.

        Raises:
            KeyError: no such text.
        """
        return self._spoken.raw(key)

    def __contains__(self, key: str) -> bool:
        return key in self._spoken


class ChosenTexts(LiveTexts):
    """Looks up texts in the language that was chosen last.

    Args:
        language: the language at first.
        texts: the texts of each language.
    """

    def __init__(self, language: Language, texts: Mapping[Language, Texts]) -> None:
        self._chosen = language
        super().__init__(lambda: self._chosen, texts)

    def choose(self, language: Language) -> None:
        """Use this language from now on."""
        self._chosen = language


def flatten(tree: Mapping[str, object], prefix: str = "") -> dict[str, str]:
    """Flatten a nested catalogue, as read from TOML, to dotted keys.

    Raises:
        TypeError: a leaf is not a text.
    """
    flat: dict[str, str] = {}
    for key, value in tree.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping):
            flat.update(flatten(value, f"{name}."))
        elif isinstance(value, str):
            flat[name] = value
        else:
            raise TypeError(f"{name} is {type(value).__name__}, expected text")
    return flat
