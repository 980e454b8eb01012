"""The typed client of the Bot API, and the rule for calls that fail."""

import json
import logging
import os
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from http import HTTPMethod
from typing import Any, Final, TypeVar

import httpx
from telegram import Bot, Update
from telegram.error import BadRequest, Forbidden, InvalidToken, NetworkError, RetryAfter, TelegramError
from telegram.request import HTTPXRequest

from assistant.core.addresses import is_local_host, origin
from assistant.core.clock import Clock
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.records.egress import DataClass, Egress, EgressLedger
from assistant.core.telegram.records import TelegramBot

log = logging.getLogger(__name__)

R = TypeVar("R")

API: Final = "https://api.telegram.org"
TOKEN_REFUSED: Final = "telegram_token_refused"  # noqa: S105 - a key of a text
"""``SoriError.reason`` for a token that Telegram does not accept."""
POLL_S: Final = 50
"""Seconds for which Telegram holds a poll without updates; its longest."""
_PURPOSE: Final = "telegram"
_POLL: Final = "getUpdates"
_ANSWER_S: Final = 15.0
"""Seconds within which an answer begins, also one to a poll after its time."""
_UPLOAD_S: Final = 60.0
_LONGEST_PAUSE_S: Final = 60.0
_DATA: Final = {
    "sendMessage": DataClass.CONVERSATION,
    "editMessageText": DataClass.CONVERSATION,
    "sendPhoto": DataClass.IMAGE,
    "sendVoice": DataClass.AUDIO,
    "sendDocument": DataClass.DOCUMENT,
}

os.environ.setdefault("PTB_TIMEDELTA", "1")
"""Waits that Telegram asks for are given as ``timedelta``; the client warns of its former form."""

# These write the address of each call, which holds the token.
for _name in ("httpx", "httpcore"):
    logging.getLogger(_name).setLevel(logging.WARNING)


class SendingRequest(HTTPXRequest):
    """Takes what is no answer of the Bot API for a fault of the network: a proxy knows nothing of the token."""

    async def do_request(self, url: str, method: str, *args: Any, **more: Any) -> tuple[int, bytes]:
        """The status and the body of an answer; files come by ``GET``.

        Raises:
            NetworkError: something between Sori and Telegram has answered.
        """
        code, payload = await super().do_request(url, method, *args, **more)
        if method == HTTPMethod.POST and not _is_answer(payload):
            raise NetworkError(f"no answer of the Bot API ({code})")
        return code, payload


def _is_answer(payload: bytes) -> bool:
    try:
        told = json.loads(payload)
    except ValueError:
        return False
    return isinstance(told, dict) and ("result" in told if told.get("ok") else "error_code" in told)


class PollingRequest(SendingRequest):
    """Empties updates that the client does not understand, so that one of them holds up no others."""

    @staticmethod
    def parse_json_payload(payload: bytes) -> dict[str, Any]:
        """The answer to a poll."""
        told: dict[str, Any] = HTTPXRequest.parse_json_payload(payload)
        if isinstance(updates := told.get("result"), list):
            told["result"] = [_understood(each) for each in updates]
        return told


def _understood(update: dict[str, Any]) -> dict[str, Any]:
    try:
        Update.de_json(update, None)
    except (TypeError, ValueError, KeyError, AttributeError, OverflowError):
        log.exception("an update of Telegram has an unknown form")
        return {"update_id": update["update_id"]}
    return update


@asynccontextmanager
async def connected(token: str, api: str, ledger: EgressLedger) -> AsyncIterator[Bot]:
    """A client whose calls are in the ledger before they are sent. Of the polls, which hold nothing, the first one is.

    Raises:
        SoriError: the token has not the form of one.
    """
    polled = False

    async def record(request: httpx.Request) -> None:
        nonlocal polled
        method = request.url.path.rpartition("/")[2]
        if method == _POLL and polled:
            return
        polled = polled or method == _POLL
        data = _DATA.get(method, DataClass.NONE)
        size = len(await request.aread())
        await ledger.record(
            Egress(
                destination=origin(request.url.scheme, request.url.host, request.url.port),
                local=is_local_host(request.url.host),
                purpose=_PURPOSE,
                provider=_PURPOSE,
                size=size,
                data=(data,),
            )
        )

    hooks: dict[str, Any] = {"event_hooks": {"request": [record]}}
    limits: dict[str, Any] = {"read_timeout": _ANSWER_S, "connect_timeout": _ANSWER_S, "httpx_kwargs": hooks}
    async with AsyncExitStack() as stack:
        sending = SendingRequest(connection_pool_size=16, media_write_timeout=_UPLOAD_S, **limits)
        polling = PollingRequest(connection_pool_size=1, **limits)
        for each in (sending, polling):
            stack.push_async_callback(each.shutdown)
        try:
            bot = Bot(token, f"{api}/bot", f"{api}/file/bot", sending, polling)
        except InvalidToken as error:
            raise _token_refused(error) from error
        # Entering it would ask for its name first, and fail without a network.
        yield bot


async def bot_of(token: str, ledger: EgressLedger, *, api: str = API) -> TelegramBot:
    """The bot of a token, as Telegram knows it.

    Raises:
        SoriError: Telegram does not accept the token (``telegram_token_refused``), or cannot be reached
            (``telegram_unreachable``).
    """
    try:
        async with connected(token, api, ledger) as bot:
            me = await bot.get_me()
            return TelegramBot(bot=me.id, username=me.username or "", name=me.first_name)
    except InvalidToken as error:
        raise _token_refused(error) from error
    except TelegramError as error:
        raise SoriError(ErrorCode.NETWORK, str(error), message_key="telegram_unreachable", cause=error) from error


async def take_over(token: str, ledger: EgressLedger, *, api: str = API) -> None:
    """Let Telegram send the messages of a bot to no service on the web any more. What waits there stays.

    Raises:
        SoriError: Telegram refuses, or cannot be reached (``telegram_unreachable``).
    """
    try:
        async with connected(token, api, ledger) as bot:
            await bot.delete_webhook()
    except TelegramError as error:
        raise SoriError(ErrorCode.NETWORK, str(error), message_key="telegram_unreachable", cause=error) from error


def _token_refused(error: Exception) -> SoriError:
    detail = "Telegram does not accept the token"
    return SoriError(ErrorCode.INVALID_REQUEST, detail, message_key=TOKEN_REFUSED, cause=error)


def is_final(error: TelegramError) -> bool:
    """Whether the same call fails again: Telegram refuses it as it is, or its proxy a file that is too large."""
    return isinstance(error, BadRequest | Forbidden | InvalidToken) or "(413)" in error.message


def pause_s(error: TelegramError, failures: int) -> float:
    """Seconds until a call is tried again after its ``failures``-th failure in a row."""
    if isinstance(error, RetryAfter):
        after = error.retry_after
        return after.total_seconds() if isinstance(after, timedelta) else float(after)
    spread = 0.75 + random.random() / 2  # noqa: S311 - many programs must not come back at the same time
    return min(0.2 * 2.0 ** min(failures, 10), _LONGEST_PAUSE_S) * spread


async def patiently(call: Callable[[], Awaitable[R]], clock: Clock, *, most: int = 0) -> R:
    """Make a call until Telegram has answered it. One whose answer was lost is made twice.

    Args:
        call: makes it.
        clock: waits.
        most: how often it may fail; 0 for no limit.

    Raises:
        TelegramError: Telegram refuses the call as it is, or it has failed too often.
    """
    failures = 0
    while True:
        try:
            return await call()
        except (NetworkError, RetryAfter) as error:
            failures += 1
            if is_final(error) or failures == most:
                raise
            pause = pause_s(error, failures)
            log.info("a call of Telegram failed (%s), again in %.1f s", type(error).__name__, pause)
            await clock.sleep(pause)
