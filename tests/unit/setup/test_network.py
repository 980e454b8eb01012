"""When a failed download is worth another attempt."""

import pytest

from assistant.setup.network import LOOK_S, RetryPause


def seconds(failures: int, routes: list[bool]) -> tuple[float, bool]:
    """Length of a pause, and whether the way is back; the last of ``routes`` stays."""
    pause, passed = RetryPause(failures, route=routes[0]), 0.0
    later = [*routes[1:], *[routes[-1]] * 1000]
    for route in later:
        passed += LOOK_S
        if pause.is_over(route=route):
            break
    return passed, pause.is_back


@pytest.mark.parametrize(
    ("failures", "routes", "told"),
    [
        (1, [True], (15, False)),
        (2, [True], (30, False)),
        (3, [True], (60, False)),
        (4, [True], (120, False)),
        (5, [True], (240, False)),
        (6, [True], (300, False)),
        (500, [True], (300, False)),
        (1, [False], (300, False)),
        (9, [False], (300, False)),
        (1, [False, True], (3, True)),
        (7, [False, False, False, True], (9, True)),
        (1, [True, False, True], (6, True)),
        (1, [True, False], (15, False)),
        (6, [True, True, False, False, True], (12, True)),
    ],
)
def test_a_pause_ends_when_the_way_is_back_else_after_a_time_that_grows(
    failures: int, routes: list[bool], told: tuple[float, bool]
) -> None:
    assert seconds(failures, routes) == told
