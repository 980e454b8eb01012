from datetime import UTC, datetime, timedelta

import pytest

from assistant.desktop.kit.countdown import figures, left_s

NOW = datetime(2026, 11, 22, 6, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0, "0:00"), (9, "0:09"), (245, "4:05"), (3599, "59:59"), (3845, "1:04:05")],
)
def test_time_is_shown_as_a_clock_shows_it(seconds: int, shown: str) -> None:
    assert figures(seconds) == shown


@pytest.mark.parametrize(("ms", "left"), [(2000, 2), (1999, 2), (1, 1), (0, 0), (-5000, 0)])
def test_zero_means_now(ms: int, left: int) -> None:
    assert left_s((NOW + timedelta(milliseconds=ms)).isoformat(), NOW) == left
