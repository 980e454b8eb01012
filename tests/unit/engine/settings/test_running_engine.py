"""The whole engine follows its settings file: real storage, a model server."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from assistant.app.served_engine import ServedEngine
from assistant.app.window_engine import load_engine
from assistant.core import updates as up
from assistant.core.service.request import Refusal
from assistant.core.service.requests.settings import GetSetting, ListSettings, ResetSetting, SetSetting
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.engine import thread
from assistant.engine.settings import keeper
from assistant.engine.thread import EngineThread
from assistant.host.places import Places
from assistant.host.settings_file import read_settings
from tests.e2e.conversation.running_engine import Client, MakeEngine, Shown, finished, running
from tests.fakes.model_server.server import ModelServer, Reply, serve_in_thread

TEXT = """language = "ko"  # mine

[llm]
provider = "mine"
model = "first"

[[providers]]
name = "mine"
kind = "openai"
base_url = "{url}"

[voice]
cues = true
"""


@pytest.fixture(autouse=True)
def _looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeper, "LOOK_EVERY_S", 0.05)
    monkeypatch.setattr(keeper, "SETTLE_S", 0.02)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serve_in_thread([Reply(text="네.")]) as running_server:
        yield running_server


@pytest.fixture
def config(tmp_path: Path, server: ModelServer) -> Path:
    path = Places(tmp_path).config
    path.write_text(TEXT.format(url=server.base_url), encoding="utf-8")
    return path


def _edit(config: Path, before: str, after: str) -> None:
    text = config.read_text(encoding="utf-8")
    assert before in text
    config.write_text(text.replace(before, after), encoding="utf-8")


def _say(client: Client, shown: Shown, text: str) -> None:
    turn = client.say(text)
    shown.until(up.PacketEmitted, lambda each: each.turn == turn and finished(each))


def _changed(shown: Shown, name: str) -> up.SettingsChanged:
    return shown.until(up.SettingsChanged, lambda each: name in each.names)


def test_hand_edits_change_model_language_and_words_of_the_engine_that_runs(config: Path, server: ModelServer) -> None:
    with running(config.parent, read_settings(config), hears=False) as (client, shown):
        _say(client, shown, "안녕?")
        _edit(config, '"first"', '"second"')
        _changed(shown, "llm.model")
        shown.until(up.ModelChosen, lambda each: each.model == "second")
        _say(client, shown, "또 안녕?")
        assert [each.body["model"] for each in server.chats][-1] == "second"
        assert server.chats[0].body["model"] == "first"

        _edit(config, "[voice]", "[voice]\nnonsense")
        fault = shown.until(up.NoticePosted, lambda each: each.key == "notice.settings_fault")
        assert fault.values["where"].endswith("config.toml:13")
        assert "고쳐" in fault.values["remedy"]
        listed = client.result(ListSettings())
        assert listed.fault is not None
        assert listed.fault.line == 13
        _edit(config, "nonsense\n", "")
        shown.until(up.NoticePosted, lambda each: each.key == "notice.settings_mended")

        _edit(config, '"ko"', '"en"')
        _changed(shown, "language")
        assert client.result(GetSetting(name="voice.speed")).title == "Speed"


def _served(home: Path, settings: Settings, texts: Texts) -> EngineThread:
    return ServedEngine(home, settings, texts, None, hears=False).engine


@pytest.mark.parametrize("make", [load_engine, _served])
def test_an_edit_between_the_read_of_the_file_and_the_start_of_the_engine_is_followed(
    config: Path, server: ModelServer, make: MakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thread, "EngineThread", partial(EngineThread, hears=False))
    settings = read_settings(config)
    _edit(config, '"first"', '"second"')
    with running(config.parent, settings, make=make) as (client, shown):
        _changed(shown, "llm.model")
        _say(client, shown, "안녕?")
        assert [each.body["model"] for each in server.chats] == ["second"]


def test_what_one_client_sets_is_in_force_in_the_file_and_told_to_all(config: Path) -> None:
    with running(config.parent, read_settings(config), hears=False) as (client, shown):
        other = Shown()
        Client(client.engine, other, name="other")
        result = client.result(SetSetting(name="voice.speed", value=1.5))
        assert (result.value, result.in_force, result.trouble) == (1.5, 1.5, "")
        for each in (shown, other):
            assert _changed(each, "voice.speed").values == {"voice.speed": 1.5}
        assert 'language = "ko"  # mine' in config.read_text(encoding="utf-8")
        client.send(SetSetting(name="voice.speed", value=9))
        refusal = shown.until(Refusal, lambda each: each.reason == "settings")
        assert "voice.speed" in refusal.message
        assert client.result(ResetSetting(name="voice.speed")).in_force == 1.0
