from typing import Any

import pytest

from assistant.tools.builtin.clock import clock_tools
from assistant.tools.tool import ToolError
from tests.fakes.clock import FakeClock

(current_time,) = clock_tools(FakeClock())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "2026-11-22 (Sunday) 15:05:00 UTC+09:00 KST"),
        ({"timezone": "America/New_York"}, "2026-11-22 (Sunday) 01:05:00 UTC-05:00 America/New_York"),
        ({"timezone": "tokyo"}, "15:05:00 UTC+09:00"),
    ],
)
async def test_the_time_is_told_here_and_elsewhere(arguments: dict[str, Any], said: str) -> None:
    assert said in await current_time.run(arguments)


async def test_an_unknown_zone_is_explained() -> None:
    with pytest.raises(ToolError, match="Atlantis"):
        await current_time.run({"timezone": "Atlantis"})
