"""Names of workspaces and agents, which are names of folders too. Pure."""

import re
import unicodedata

from assistant.core.errors import ErrorCode, SoriError

LONGEST_NAME = 60
"""Maximum length in characters. A Korean syllable takes three bytes, and a file system takes 255 bytes."""
_FORBIDDEN = re.compile(r'[/\\:*?"<>|]')
_RESERVED = re.compile(r"^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])(?:\..*)?$", re.IGNORECASE)
"""Names of devices. Windows gives no file such a name, with or without an extension."""


class InvalidNameError(SoriError):
    """A name that no workspace and no agent can have."""

    def __init__(self, name: str, reason: str) -> None:
        shown = "".join(each if each.isprintable() else "\ufffd" for each in name)[:LONGEST_NAME]
        super().__init__(
            ErrorCode.INVALID_REQUEST,
            f"{shown!r} cannot be a name: {reason}",
            message_key=f"name_{reason}",
            values={"name": shown, "most": str(LONGEST_NAME)},
        )


def checked_name(text: str) -> str:
    """The name in its normal form (NFC). Names are folders on every system, and cannot leave their folder.

    Raises:
        InvalidNameError: it is empty or too long, begins or ends with a dot or a space, has a character that some
            system forbids, or is reserved on Windows.
    """
    name = unicodedata.normalize("NFC", text)
    if not name.strip():
        raise InvalidNameError(name, "empty")
    if len(name) > LONGEST_NAME:
        raise InvalidNameError(name, "long")
    if name.startswith((".", " ")) or name.endswith((".", " ")):
        raise InvalidNameError(name, "ends")
    if _FORBIDDEN.search(name) or any(unicodedata.category(each).startswith("C") for each in name):
        raise InvalidNameError(name, "characters")
    if _RESERVED.match(name):
        raise InvalidNameError(name, "reserved")
    return name


def is_name(text: str) -> bool:
    """Whether a folder with this name can be a workspace or an agent."""
    try:
        checked_name(text)
    except InvalidNameError:
        return False
    return True


def same_name(one: str, other: str) -> bool:
    """Whether two names are the same on a system that ignores case."""
    return _plain(one) == _plain(other)


def spoken_form(phrase: str) -> str:
    """A name or a wake phrase as it is compared: without case, spaces and punctuation."""
    return "".join(each for each in _plain(phrase) if each.isalnum())


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()
