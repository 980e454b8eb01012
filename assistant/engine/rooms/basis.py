"""What every room stands on."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, get_args

from assistant.core import updates as up
from assistant.core.clock import Clock
from assistant.core.live_settings import LiveSettings
from assistant.core.settings import Language
from assistant.core.texts import LiveTexts, Texts
from assistant.host.places import Places
from assistant.host.texts import load_texts


class Warn(Protocol):
    """Tells the user of something that does not work as it should."""

    def __call__(self, key: str, **values: str) -> None:
        """Tell it; ``key`` is a text's, with its values."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """The user's folder, settings and words, the time, and who is told what happens (updates other than packets)."""

    places: Places
    live: LiveSettings
    languages: Mapping[Language, Texts]
    clock: Clock
    tell: up.Publish

    @property
    def texts(self) -> Texts:
        """The words of the language that the settings have when they are used."""
        return LiveTexts(lambda: self.live.current.language, self.languages)

    def warn(self, key: str, **values: str) -> None:
        """Tell the user of something that does not work as it should."""
        self.tell(up.NoticePosted(key=key, severity=up.Severity.WARNING, values=values))


def languages_from(live: LiveSettings, texts: Texts) -> dict[Language, Texts]:
    """The words of each language; ``texts`` are those of the language at the start."""
    return {each: texts.fixed if each == live.current.language else load_texts(each) for each in get_args(Language)}
