"""``sori schedule list`` says which requests another device carries out."""

from dataclasses import replace

import pytest

from assistant.app.commands.schedule import _list
from assistant.core.service.requests.timers import ScheduledItem
from assistant.host.texts import load_texts

NEWS = ScheduledItem(
    id="request1",
    kind="request",
    title="뉴스 요약해 줘",
    name="뉴스 요약해 줘",
    due_at="2026-11-27T19:00:00+09:00",
    outcome="done",
)


def test_a_request_that_another_device_carries_out_is_marked(capsys: pytest.CaptureFixture[str]) -> None:
    _list((NEWS, replace(NEWS, here=False), replace(NEWS, outcome="", here=False)), load_texts("ko"), as_json=False)
    _, *rows = capsys.readouterr().out.splitlines()
    ends = ("했어요", "했어요, 이 기기에서는 하지 않아요", "이 기기에서는 하지 않아요")
    assert [row.endswith(f"  {end}") for row, end in zip(rows, ends, strict=True)] == [True] * 3
