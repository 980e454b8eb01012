"""The user's words for things, by key, in the user's language.

A catalogue is a flat mapping from dotted keys to texts with ``{name}`` fields. The app layer loads the catalogues from
``resources/translations`` and passes one ``Texts`` around.
"""

from collections.abc import Mapping


class Texts:
    """Looks up texts in one language.

    Args:
        language: ``ko`` or ``en``.
        catalogue: dotted key to text.
    """

    def __init__(self, language: str, catalogue: Mapping[str, str]) -> None:
        self.language = language
        self._catalogue = dict(catalogue)

    def __call__(self, key: str, /, **values: object) -> str:
        """The text of ``key`` with ``values`` filled in.

        Raises:
            KeyError: no such text; a test holds every key in code against both catalogues.
        """
        return self._catalogue[key].format(**values)

    def __contains__(self, key: str) -> bool:
        return key in self._catalogue

    @property
    def keys(self) -> frozenset[str]:
        """All keys of the catalogue."""
        return frozenset(self._catalogue)


def flatten(tree: Mapping[str, object], prefix: str = "") -> dict[str, str]:
    """A nested catalogue, as TOML gives it, as dotted keys.

    Raises:
        TypeError: a leaf is not text.
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
