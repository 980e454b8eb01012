"""E-mail addresses in a text, in any language."""

import re
from typing import Final

EMAIL: Final = re.compile(
    r"(?:mailto:)?\b([A-Za-z0-9][\w.+-]{0,60})@([A-Za-z0-9-]{1,60}(?:\.[A-Za-z0-9-]{1,60}){1,5})", re.ASCII
)
"""An address: the part before the at sign, and the host."""
