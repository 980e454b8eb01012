"""Language models of the user's own: loose GGUF files in the models folder, or in a folder of the model's name."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.app.command_line import main
from assistant.core.errors import ModelFileError
from assistant.core.live_settings import LiveSettings
from assistant.core.machine.states import TurnId
from assistant.core.packets import AnswerDelta, Done
from assistant.core.service.requests.models import RemoveModel
from assistant.core.settings import LlmSettings, Settings
from assistant.engine.chat_wiring import build_chat
from assistant.engine.domains.weights import Weights
from assistant.host.model_store import open_store
from assistant.host.setting_checks.names import _models_of_the_own_server
from assistant.host.texts import load_texts
from assistant.llm.embedded.own_models import PLACEHOLDER_MODEL
from assistant.llm.embedded.server import model_file
from tests.fakes.asking.turns import turn_packets
from tests.fakes.front.small_engine import SmallEngine


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SORI_HOME", str(tmp_path))
    monkeypatch.delenv("SORI_MODELS", raising=False)
    return tmp_path


def put(home: Path, name: str, *files: str) -> Path:
    folder = home / "models" / name
    folder.mkdir(parents=True)
    for each in files:
        (folder / each).write_bytes(b"GGUF weights")
    return folder


def test_it_is_one_of_the_models_and_needs_no_fetching(home: Path) -> None:
    folder = put(home, "my-model", "my-model-q4.gguf", "README.md")
    store = open_store(home)
    store.ensure(["my-model"])
    assert store.path("my-model") == folder
    assert store.verify(["my-model"]) == ()


@pytest.mark.parametrize("files", [(), ("notes.txt",), ("one.gguf", "two.gguf")])
def test_a_folder_without_exactly_one_model_is_none(home: Path, files: tuple[str, ...]) -> None:
    put(home, "my-model", *files)
    with pytest.raises(ModelFileError) as caught:
        open_store(home).ensure(["my-model"])
    assert caught.value.values["folder"] == str(home / "models")


def test_the_part_of_a_model_that_sees_images_is_no_model_and_hides_none(home: Path) -> None:
    put(home, "my-model", "my-model-q4.gguf", "mmproj-my-model-f16.gguf")
    (home / "models" / "mmproj-other.gguf").write_bytes(b"GGUF weights")
    manifest = open_store(home).manifest
    assert [file.name for file in manifest["my-model"].files] == ["my-model-q4.gguf"]
    assert "mmproj-other" not in manifest


def test_one_that_cannot_be_read_hides_no_other(home: Path) -> None:
    put(home, "my-model", "my-model-q4.gguf")
    (put(home, "gone") / "gone.gguf").symlink_to(home / "nowhere.gguf")
    (home / "models" / "notes.txt").write_text("not a folder", encoding="utf-8")
    store = open_store(home)
    assert "my-model" in store.manifest
    assert "gone" not in store.manifest


def test_what_nobody_could_fetch_again_is_not_deleted(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = put(home, "my-model", "my-model-q4.gguf", "notes.txt")
    assert main(["models", "remove", "my-model"]) != 0
    assert str(folder) in capsys.readouterr().err
    assert (folder / "my-model-q4.gguf").exists()


def test_the_engine_that_runs_deletes(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own, fetched = put(home, "my-model", "my-model-q4.gguf"), home / "models" / "qwen3-4b"
    fetched.mkdir()
    store = open_store(home)
    with SmallEngine(home, Weights(lambda: store, lambda _event, _audience: None)) as engine:
        assert main(["models", "remove", "qwen3-4b"]) == 0
        assert main(["models", "remove", "my-model"]) != 0
        assert engine.asked == [RemoveModel(model="qwen3-4b"), RemoveModel(model="my-model")]
    assert not fetched.exists()
    assert (own / "my-model-q4.gguf").exists()
    assert str(own) in capsys.readouterr().err


@pytest.mark.parametrize("names", [[], ["my-model"]])
def test_of_what_it_must_be_nothing_is_claimed(
    home: Path, capsys: pytest.CaptureFixture[str], names: list[str]
) -> None:
    (home / "config.toml").write_text('language = "en"', encoding="utf-8")
    put(home, "my-model", "my-model-q4.gguf")
    assert main(["models", "verify", *names]) == 0
    said = capsys.readouterr().out
    assert said.startswith("Your own models")
    assert said.strip().endswith("my-model")


def test_a_folder_of_a_known_name_is_the_known_model(home: Path) -> None:
    put(home, PLACEHOLDER_MODEL, "another.gguf")
    assert open_store(home).verify([PLACEHOLDER_MODEL]) != ()


def test_it_is_listed(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(home, "my-model", "my-model-q4.gguf")
    assert main(["models", "list", "--json"]) == 0
    (entry,) = [each for each in json.loads(capsys.readouterr().out) if each["name"] == "my-model"]
    assert (entry["title"], entry["state"], entry["size"]) == ("my-model-q4.gguf", "present", 12)


def put_loose(home: Path, *files: str) -> Path:
    """Write files directly into the models folder, and return the folder."""
    folder = home / "models"
    folder.mkdir(exist_ok=True)
    for each in files:
        (folder / each).write_bytes(b"GGUF weights")
    return folder


def test_a_loose_file_is_a_model_of_its_name(home: Path) -> None:
    folder = put_loose(home, "my-model-q4.gguf", "README.md")
    store = open_store(home)
    store.ensure(["my-model-q4"])
    assert store.path("my-model-q4") == folder / "my-model-q4.gguf"


def test_a_loose_file_with_the_name_of_another_model_is_left_out(home: Path) -> None:
    put(home, "my-model", "weights.gguf")
    put_loose(home, "my-model.gguf", f"{PLACEHOLDER_MODEL}.gguf")
    store = open_store(home)
    assert store.path("my-model") == home / "models" / "my-model"
    assert not store.manifest[PLACEHOLDER_MODEL].own


def test_empty_files_and_folders_with_the_suffix_are_left_out(home: Path) -> None:
    folder = put_loose(home)
    (folder / "empty.gguf").touch()
    (folder / "folder.gguf").mkdir()
    assert not any(each.own for each in open_store(home).manifest.values())


@pytest.mark.parametrize("loose", [True, False])
def test_a_split_model_counts_once_with_the_size_of_all_its_files(home: Path, loose: bool) -> None:
    files = [f"big-0000{number}-of-00003.gguf" for number in (1, 2, 3)]
    folder = put_loose(home, *files) if loose else put(home, "big", *files)
    store = open_store(home)
    (own,) = [each for each in store.manifest.values() if each.own]
    assert (own.name, own.size) == ("big", 36)
    store.ensure(["big"])
    assert model_file(store.path("big")) == folder / files[0]


@pytest.mark.parametrize("how", ["missing", "empty"])
def test_an_incomplete_split_model_is_damaged_and_the_file_is_named(
    home: Path, capsys: pytest.CaptureFixture[str], how: str
) -> None:
    (home / "config.toml").write_text('language = "en"', encoding="utf-8")
    folder = put_loose(home, "big-00001-of-00002.gguf")
    if how == "empty":
        (folder / "big-00002-of-00002.gguf").touch()
    assert main(["models", "list", "--json"]) == 0
    (entry,) = [each for each in json.loads(capsys.readouterr().out) if each["name"] == "big"]
    assert entry["state"] == "damaged"
    assert main(["models", "pull", "big"]) != 0
    said = capsys.readouterr().err
    assert "Missing or empty: big-00002-of-00002.gguf" in said
    assert str(folder) in said
    assert main(["models", "verify", "big"]) != 0
    assert "models pull" not in capsys.readouterr().out
    with pytest.raises(ModelFileError) as caught:
        open_store(home).path("big")
    assert caught.value.reason == "model_own_incomplete"


def test_a_loose_model_is_not_deleted_and_its_files_are_named(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = put_loose(home, "big-00001-of-00002.gguf", "big-00002-of-00002.gguf")
    assert main(["models", "remove", "big"]) != 0
    assert str(folder / "big-00002-of-00002.gguf") in capsys.readouterr().err
    assert (folder / "big-00001-of-00002.gguf").exists()


@pytest.mark.models
@pytest.mark.parametrize("file", ["my-model/weights.gguf", "my-model.gguf"])
async def test_it_answers(home: Path, model_path: Callable[[str], Path], file: str) -> None:
    place = home / "models" / file
    place.parent.mkdir(parents=True)
    shutil.copy(model_file(model_path(PLACEHOLDER_MODEL)), place)
    settings = Settings(language="en", llm=LlmSettings(model="my-model", max_output_tokens=4))
    chat = await build_chat(home, LiveSettings(settings), load_texts("en"))
    try:
        conversation = await chat.storage.conversations.create()
        packets = [packet async for packet in turn_packets(chat.answers.engine, TurnId("1"), conversation, "Hello!")]
    finally:
        await chat.close()
    assert any(isinstance(packet, AnswerDelta) for packet in packets)
    assert isinstance(packets[-1], Done)
    assert (packets[-1].provider, packets[-1].model) == ("embedded", "my-model")


def test_a_whisper_checkpoint_is_listed_as_a_recogniser_and_never_answers(home: Path) -> None:
    put(home, "openai-whisper", "mine.pt")
    model = open_store(home).manifest["openai-whisper"]
    assert (model.purpose, model.own, [each.name for each in model.files]) == ("stt", True, ["mine.pt"])
    assert "openai-whisper" not in _models_of_the_own_server(home)
