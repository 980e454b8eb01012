"""A damaged index of the projects: it is told, and the files are found again (K-03), through the engine's wiring."""

from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.core import updates as up
from assistant.core.live_settings import LiveSettings
from assistant.core.settings import Settings
from assistant.engine.chat_wiring import Chat, build_chat
from assistant.engine.models.fetches import ModelFetches
from assistant.host.places import Places
from assistant.host.texts import load_texts
from tests.fakes.clock import FakeClock
from tests.fakes.system.volume import FakeVolume

_DAMAGED = "notice.index_set_aside"


async def _no_weights(_fetches: ModelFetches, _name: str) -> None:
    """Fetch nothing."""


async def _chat(home: Path, updates: list[up.Update]) -> Chat:
    return await build_chat(
        home, LiveSettings(Settings()), load_texts("ko"), updates.append, clock=FakeClock(), volume=FakeVolume()
    )


def _spoil(rows: Path) -> None:
    rows.write_bytes(b"broken" * 100)


def _cut(rows: Path) -> None:
    content = rows.read_bytes()
    rows.write_bytes(content[: len(content) // 3])


@pytest.mark.parametrize(("harm", "told"), [(_spoil, True), (_cut, True), (Path.unlink, False)])
async def test_what_a_damaged_index_lost_is_told_and_found_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, harm: Callable[[Path], None], told: bool
) -> None:
    monkeypatch.setattr(ModelFetches, "ensure", _no_weights)
    home, docs, updates = tmp_path / "home", tmp_path / "docs", list[up.Update]()
    docs.mkdir()
    for name, text in (("연차.md", "연차는 15일이에요."), ("parking.txt", "Parking costs 3,000 won a day.")):
        (docs / name).write_text(text, encoding="utf-8")
    chat = await _chat(home, updates)
    project = (await chat.projects.add("규정", "", [str(docs)])).id
    await chat.projects.read_here()
    await chat.projects.pipeline.done()
    await chat.close()
    assert not [each for each in updates if isinstance(each, up.NoticePosted)]

    harm(Places(home).knowledge / "passages.db")
    (docs / "연차.md").unlink()  # What is left of it must not be read again, and the other needs no reading.
    chat = await _chat(home, updates)
    await chat.projects.read_here()
    await chat.projects.pipeline.done()
    found = await chat.projects.search("주차 parking", [project])
    assert [each.name for each in found] == ["parking.txt"]
    await chat.close()

    notices = [each for each in updates if isinstance(each, up.NoticePosted)]
    assert [each.key for each in notices] == ([_DAMAGED] if told else [])
    for notice in notices:
        assert list(Places(home).knowledge.glob(Path(str(notice.values["set_aside"])).name))
        for language in ("ko", "en"):
            words = load_texts(language)(notice.key, **notice.values)
            assert str(notice.values["set_aside"]) in words


async def test_a_whole_index_is_given_nothing_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ModelFetches, "ensure", _no_weights)
    docs, steps = tmp_path / "docs", list[str]()
    docs.mkdir()
    (docs / "a.txt").write_text("one", encoding="utf-8")
    (docs / "empty.txt").write_text("", encoding="utf-8")
    (docs / "broken.pdf").write_bytes(b"%PDF-1.7 and no more")
    for start in range(2):
        chat = await _chat(tmp_path / "home", [])
        if not start:
            await chat.projects.add("p", "", [str(docs)])
        else:
            chat.projects.pipeline.progressed.add(lambda step: steps.append(step.file))
        await chat.projects.read_here()
        await chat.projects.pipeline.done()
        await chat.close()
    assert steps == []


async def test_a_damaged_list_of_projects_is_told(tmp_path: Path) -> None:
    knowledge = Places(tmp_path).knowledge
    knowledge.mkdir(parents=True)
    _spoil(knowledge / "knowledge.db")
    updates: list[up.Update] = []
    chat = await _chat(tmp_path, updates)
    await chat.close()
    assert [each.key for each in updates if isinstance(each, up.NoticePosted)] == ["notice.storage_set_aside"]
