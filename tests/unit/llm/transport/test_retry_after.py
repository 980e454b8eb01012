from datetime import UTC, datetime

import pytest

from assistant.llm.transport.retry_after import retry_after_s, retry_info_s

NOW = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "1"}, 1.0),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": "3600"}, 3600.0),
        ({"retry-after": "2592000"}, 2_592_000.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Sun, 22 Nov 2026 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Sun, 22 Nov 2026 11:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "9" * 400}, None),
    ],
)
def test_seconds_and_dates_are_understood_and_nonsense_is_not(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_s(headers, NOW) == seconds


@pytest.mark.parametrize(
    ("details", "seconds"),
    [
        ([{"retryDelay": "37s"}], 37.0),
        ([{"reason": "x"}, {"retryDelay": "0.25s"}], 0.25),
        ([{"retryDelay": "-3s"}], None),
        ([{"retryDelay": "soon"}], None),
        ([{"retryDelay": None}], None),
        ([], None),
    ],
)
def test_a_wait_may_be_among_the_details_of_an_error(details: list[dict[str, object]], seconds: float | None) -> None:
    assert retry_info_s(details) == seconds
