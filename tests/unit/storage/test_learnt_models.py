"""What servers have taught, in a file."""

import asyncio
from pathlib import Path

import pytest

from assistant.storage.learnt_models import LearntModels
from tests.fakes.clock import FakeClock

DAY_S = 86_400.0
PLACE = ("openai 3", "https://example.org/v1", "some-model")


def opened(path: Path, clock: FakeClock) -> LearntModels:
    learnt = LearntModels(path, clock)
    learnt.load()
    return learnt


async def test_what_is_learnt_is_known_at_once_and_to_the_next_process(tmp_path: Path) -> None:
    clock = FakeClock()
    learnt = opened(tmp_path / "learnt.json", clock)
    learnt.learn(*PLACE, {"role": "developer"})
    assert learnt.recall(*PLACE) == {"role": "developer"}
    await asyncio.to_thread(learnt.flush)
    again = opened(tmp_path / "learnt.json", clock)
    assert again.recall(*PLACE) == {"role": "developer"}
    for other in (("openai 4", *PLACE[1:]), (PLACE[0], "http://other", PLACE[2]), (*PLACE[:2], "another")):
        assert again.recall(*other) is None


async def test_it_is_forgotten_after_a_month(tmp_path: Path) -> None:
    clock = FakeClock()
    learnt = opened(tmp_path / "learnt.json", clock)
    learnt.learn(*PLACE, {"role": "user"})
    await asyncio.to_thread(learnt.flush)
    later = opened(tmp_path / "learnt.json", clock)
    clock.advance(29 * DAY_S)
    assert later.recall(*PLACE) == {"role": "user"}
    clock.advance(DAY_S)
    assert later.recall(*PLACE) is None


async def test_without_facts_a_model_is_forgotten_and_what_another_process_has_learnt_stays(tmp_path: Path) -> None:
    clock = FakeClock()
    one, other = (opened(tmp_path / "learnt.json", clock) for _ in range(2))
    one.learn(*PLACE, {"role": "user"})
    await asyncio.to_thread(one.flush)
    other.learn("google 3", *PLACE[1:], {"signed": True})
    await asyncio.to_thread(other.flush)
    one.learn(*PLACE, {})
    await asyncio.to_thread(one.flush)
    again = opened(tmp_path / "learnt.json", clock)
    assert again.recall(*PLACE) is None
    assert again.recall("google 3", *PLACE[1:]) == {"signed": True}


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"version": 1}', '{"version": 9, "models": []}', '{"version": 1, "models": [7]}']
)
async def test_a_file_that_is_none_of_ours_is_begun_anew(tmp_path: Path, content: str) -> None:
    path = tmp_path / "learnt.json"
    path.write_text(content)
    learnt = opened(path, FakeClock())
    assert learnt.recall(*PLACE) is None
    learnt.learn(*PLACE, {"role": "user"})
    await asyncio.to_thread(learnt.flush)
    assert opened(path, FakeClock()).recall(*PLACE) == {"role": "user"}


async def test_a_file_that_cannot_be_written_costs_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "learnt.json").mkdir()
    learnt = opened(tmp_path / "learnt.json", FakeClock())
    learnt.learn(*PLACE, {"role": "user"})
    await asyncio.to_thread(learnt.flush)
    assert learnt.recall(*PLACE) == {"role": "user"}
    assert "are not kept" in caplog.text
