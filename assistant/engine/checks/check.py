"""A line of the report, and how it is put into words."""

from dataclasses import dataclass
from enum import StrEnum

from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.host.places import Places


class Grade(StrEnum):
    """The result of a check."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One line of the report.

    Attributes:
        name: the subject of the check.
        verdict: the result.
        detail: the finding, for the user.
        remedy: what to do; empty when nothing is needed.
        code: the ``ErrorCode`` behind the finding, for programs; empty without an error.
    """

    name: str
    verdict: Grade
    detail: str
    remedy: str = ""
    code: str = ""


class Checks:
    """Checks of one subject; each is a generator of lines.

    Args:
        places: the user's files.
        texts: the user's words.
    """

    def __init__(self, places: Places, texts: Texts) -> None:
        self._places, self._texts = places, texts

    def _line(self, name: str, verdict: Grade, outcome: str, *, remedy: str = "", **values: object) -> Check:
        """A line with the texts ``doctor.<name>.<outcome>`` and, for a remedy, ``doctor.<name>.<remedy>``."""
        return Check(
            name=name,
            verdict=verdict,
            detail=self._texts(f"doctor.{name}.{outcome}", **values),
            remedy=self._texts(f"doctor.{name}.{remedy}", **values) if remedy else "",
        )


class SettingsChecks(Checks):
    """Checks of one subject that depend on the settings.

    Args:
        places: the user's files.
        texts: the user's words.
        settings: the settings.
    """

    def __init__(self, places: Places, texts: Texts, settings: Settings) -> None:
        super().__init__(places, texts)
        self._settings = settings
