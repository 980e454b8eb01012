"""The code that links a chat, so that the device that answers takes a code that another one has given out."""

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import datetime

from assistant.core.telegram.codes import LinkCode
from assistant.storage.records.telegram import CODE_SORT, TelegramRecords
from assistant.sync.comparing import UnfitError
from assistant.sync.values import ValueSource


class SharedCode(ValueSource):
    """Implements ``ValueSource``. The value is named by the bot, and gone once the code was used.

    Args:
        store: keeps the code.
    """

    sort = CODE_SORT
    shown = False  # The code that does not stay is void; the user has the other one before them.

    def __init__(self, store: TelegramRecords) -> None:
        self._store = store

    async def all(self) -> Mapping[str, str]:
        """The code as JSON. It holds the digest of the letters only."""
        bot, code = await self._store.bot(), await self._store.code()
        return {} if bot is None or code is None else {str(bot.bot): _text(code)}

    async def put(self, name: str, text: str, *, before: str) -> bool:
        """Take over a code.

        Raises:
            UnfitError: it is another bot's, or has what this Sori does not know.
        """
        bot = await self._store.bot()
        if bot is None or name != str(bot.bot):
            raise UnfitError(name)
        return await self._store.take_over_code(_code(text), _code(before))

    def stays(self, ours: str, theirs: str, *, first: bool) -> str:  # noqa: ARG002 - the same at a first meeting
        """The code that ends last, because it was given out last; any code rather than none."""
        ends = {text: code.until for text in (theirs, ours) if (code := _code(text)) is not None}
        return max(ends, key=lambda text: ends[text], default="")


def _text(code: LinkCode) -> str:
    return json.dumps({**asdict(code), "until": code.until.isoformat(), "wrong": dict(code.wrong)}, sort_keys=True)


def _code(text: str) -> LinkCode | None:
    if not text:
        return None
    try:
        code = LinkCode(**json.loads(text))
        wrong = {int(chat): int(tries) for chat, tries in code.wrong.items()}
        return replace(code, until=datetime.fromisoformat(str(code.until)), wrong=wrong)
    except (AttributeError, TypeError, ValueError) as error:
        raise UnfitError(text) from error
