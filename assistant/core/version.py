"""The version of Sori."""

from typing import Final

VERSION: Final = "0.1.0"
