from typing import Any

import pytest

from assistant.tools.builtin.schedule.clock import clock_tools
from assistant.tools.tool import ToolError
from tests.fakes.asking.served_call import served_call
from tests.fakes.clock import FakeClock

(current_time,) = clock_tools(FakeClock())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "15:05 in KST on Sunday, 2026-11-22 (UTC+09:00)"),
        ({"timezone": "America/New_York"}, "01:05 in America/New_York on Sunday, 2026-11-22 (UTC-05:00)"),
        ({"timezone": "tokyo"}, "15:05 in tokyo"),
    ],
)
async def test_the_time_is_told_here_and_elsewhere(arguments: dict[str, Any], said: str) -> None:
    assert said in str(await current_time.run(arguments, served_call()))


async def test_an_unknown_zone_is_explained() -> None:
    with pytest.raises(ToolError, match="Atlantis"):
        await current_time.run({"timezone": "Atlantis"}, served_call())
