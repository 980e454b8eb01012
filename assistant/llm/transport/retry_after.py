"""Reads how long a server wants the client to wait: ``Retry-After`` and similar (RFC 9110 section 10.2.3)."""

import math
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any


def retry_after_s(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds to wait, or ``None`` without a valid value.

    Args:
        headers: of the response, names in lower case (or compared without case).
        now: the current time with time zone; a ``Retry-After`` may be a date.
    """
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        seconds = _number(headers.get(name, ""))
        if seconds is not None:
            return seconds * scale
    return _until(headers.get("retry-after", ""), now)


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def _until(text: str, now: datetime) -> float | None:
    try:
        when = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    return max(0.0, (when - now).total_seconds())


def retry_info_s(details: Iterable[Mapping[str, Any]]) -> float | None:
    """Seconds of a ``google.rpc.RetryInfo`` in an error's details, given as a duration such as ``37.5s``."""
    for each in details:
        delay = re.fullmatch(r"(\d+(?:\.\d+)?)s", str(each.get("retryDelay", "")))
        if delay:
            return float(delay.group(1))
    return None
