"""What the engine tells whoever is about to end it."""

from pathlib import Path

import pytest

from assistant.chat.timers import Timers
from assistant.core.service.requests.engine import EndEngine, ListWhatEnds, WhatEnds
from assistant.engine.domains.ending import EngineEnd
from assistant.engine.serving.hub import Hub
from assistant.host.texts import load_texts
from assistant.storage.timers import TimerStore
from tests.fakes.clock import FakeClock
from tests.fakes.front.asking import ask
from tests.fakes.new_database import open_database


@pytest.mark.parametrize(
    ("language", "rings"),
    [
        ("ko", ("라면 타이머 · 오늘 오후 3시 8분", "5분 타이머 · 오늘 오후 3시 10분")),
        ("en", ("라면 timer · today at 3:08 PM", "5 minute timer · today at 3:10 PM")),
    ],
)
async def test_it_tells_what_would_not_ring_and_who_follows(
    language: str, rings: tuple[str, ...], tmp_path: Path
) -> None:
    clock, texts = FakeClock(), load_texts(language)
    database = await open_database(tmp_path / "sori.db", clock)
    timers, hub, ended = Timers(TimerStore(database), clock, {"ko": texts, "en": texts}), Hub(texts), list[bool]()
    ending = EngineEnd(lambda: ended.append(True), timers, hub, clock, texts, rings=True)

    assert await ask(ending, ListWhatEnds()) == WhatEnds()
    await timers.set(300)
    await timers.set(180, "라면")
    terminal, command = hub.connect(lambda _: None, name="terminal"), hub.connect(lambda _: None, name="command")
    hub.follow(terminal.client, "")

    assert await ask(ending, ListWhatEnds()) == WhatEnds(rings=rings, followers=("terminal",))
    elsewhere = EngineEnd(lambda: None, timers, hub, clock, texts, rings=False)
    assert (await ask(elsewhere, ListWhatEnds())).rings == (), "another process rings them"
    await ask(ending, EndEngine())
    assert ended == [True]
    for each in (terminal, command):
        each.close()
    await database.close()
