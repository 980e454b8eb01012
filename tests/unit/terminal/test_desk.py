"""The terminal follows the settings that concern it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.app.cli.surroundings import LocalSurroundings
from assistant.core.service.connection import Connection
from assistant.core.service.events import Delivery
from assistant.core.service.grant import OWNER, Grant
from assistant.core.texts import ChosenTexts
from assistant.core.updates import NoticePosted, SettingsChanged, Update
from assistant.host.places import Places
from assistant.host.texts import load_texts
from assistant.terminal.desk import Desk
from tests.fakes.front.connection import RecordedConnection


class Engine:
    """Implements ``EngineService`` for one client."""

    def __init__(self) -> None:
        self._deliver: Callable[[Delivery], None] = lambda _: None

    def connect(self, deliver: Callable[[Delivery], None], *, name: str, grant: Grant = OWNER) -> Connection:
        self._deliver = deliver
        return RecordedConnection()

    def tell(self, event: Update) -> None:
        self._deliver(Delivery(number=1, event=event))


def test_another_language_is_written_from_then_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = ChosenTexts("en", {"ko": load_texts("ko"), "en": load_texts("en")})
    engine = Engine()
    Desk(engine, texts, LocalSurroundings(Places(tmp_path), texts), on_language=texts.choose)
    mended = NoticePosted(key="notice.settings_mended", values={"path": "config.toml"})
    engine.tell(mended)
    engine.tell(SettingsChanged(names=("voice.speed",), values={"voice.speed": 1.5}))
    engine.tell(SettingsChanged(names=("language",), values={"language": "ko"}))
    engine.tell(mended)
    written = capsys.readouterr().out
    english, korean = (load_texts(each)("notice.settings_mended", path="config.toml") for each in ("en", "ko"))
    assert english in written
    assert korean in written.partition(english)[2]
