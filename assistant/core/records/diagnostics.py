"""The archive of the diagnostics (N-05). Pure."""

import io
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

NAME: Final = "sori-diagnostics.zip"
"""The name that is proposed for the file."""
_TIME: Final = (2000, 1, 1, 0, 0, 0)
"""The same texts make the same archive."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagnosticText:
    """A text of the diagnostics, without secrets and without contents.

    Attributes:
        name: its path in the archive.
        text: the text.
    """

    name: str
    text: str


def archive_of(texts: Iterable[DiagnosticText]) -> bytes:
    """The bytes of a zip with exactly these texts."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for each in texts:
            archive.writestr(zipfile.ZipInfo(each.name, _TIME), each.text)
    return buffer.getvalue()
