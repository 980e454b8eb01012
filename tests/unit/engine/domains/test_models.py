"""What the window's list of models does: weights and keys, without a restart."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import keyring
import keyring.core
import pytest

from assistant.app.command_line import main
from assistant.core import updates as up
from assistant.core.errors import SettingsError, SoriError
from assistant.core.live_settings import LiveSettings
from assistant.core.records.usage import Exchange
from assistant.core.service.requests.models import CheckFiles, FileHead, ListKeptModels, PauseFetch, RemoveModel
from assistant.core.service.requests.servers import StoreKey
from assistant.core.settings import LlmSettings, ModelFacts, Provider, Settings
from assistant.engine.chat_wiring import Chat, build_chat
from assistant.engine.domains.keys import ApiKeys
from assistant.engine.domains.models import Models, pace
from assistant.host.added_provider import add_provider
from assistant.host.key_file import KeyFile
from assistant.host.keys import Keys, KeySource
from assistant.host.places import Places
from assistant.host.settings_file import read_settings
from assistant.host.texts import load_texts
from assistant.tasks import TaskSupervisor
from tests.fakes.clock import FakeClock
from tests.fakes.front.asking import ask
from tests.fakes.pictures import HEIC, PDF, WAV
from tests.fakes.system.keyring_backend import MemoryKeyring
from tests.fakes.system.volume import FakeVolume


@dataclass
class Stand:
    """A shelf, and what it said."""

    home: Path
    chat: Chat
    shelf: Models
    keys: ApiKeys
    updates: list[up.Update]
    errors: list[SoriError] = field(default_factory=list)

    @property
    def kept(self) -> up.ModelsKept:
        return [each for each in self.updates if isinstance(each, up.ModelsKept)][-1]

    def place(self, provider: str) -> up.KeyPlace:
        return next(each for each in self.kept.keys if each.provider == provider)


@pytest.fixture
async def stand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Stand]:
    monkeypatch.delenv("SORI_MODELS", raising=False)
    monkeypatch.setenv("LANG", "en_US.UTF-8")
    own = tmp_path / "models" / "mine"
    own.mkdir(parents=True)
    (own / "weights.gguf").write_bytes(b"GGUF")
    updates: list[up.Update] = []
    errors: list[SoriError] = []
    jobs = TaskSupervisor()
    settings = Settings(language="en")
    chat = await build_chat(tmp_path, LiveSettings(settings), load_texts("en"), clock=FakeClock(), volume=FakeVolume())
    shelf = Models(
        chat,
        tmp_path,
        publish=updates.append,
        deliver=lambda _event, _audience: None,
        tell_of=errors.append,
        jobs=jobs,
    )
    keys = ApiKeys(
        KeyFile(Places(tmp_path).keys),
        changed=shelf.key_changed,
        configure=shelf.configure,
        publish=updates.append,
    )
    yield Stand(tmp_path, chat, shelf, keys, updates, errors)
    await jobs.settle()
    await chat.close()


@pytest.mark.usefixtures("memory_keyring")
async def test_what_is_here_and_what_could_be_is_listed_with_size_and_licence(stand: Stand) -> None:
    kept = await ask(stand.shelf, ListKeptModels())
    models = {each.model: each for each in kept.models}
    assert models["mine"].own
    assert (models["mine"].keeping, models["mine"].size) == (up.Keeping.HERE, 4)
    qwen = models["qwen2.5-coder-1.5b"]
    assert (qwen.keeping, qwen.licence, qwen.third_party) == (up.Keeping.ABSENT, "Apache-2.0", True)
    assert qwen.tokens_per_s is None
    assert (qwen.korean, qwen.tools, qwen.memory, qwen.memory_measured) == ("weak", True, 1_970_000_000, True)
    assert (models["qwen3-4b"].korean, models["qwen3-4b"].tools) == ("", None), "what was not measured is not claimed"
    whisper = models["whisper-base"]
    assert (whisper.purpose, whisper.reference, whisper.needed) == ("stt", "", True)
    assert any(each.reference == "embedded/mine" for each in stand.chat.models.offers.offers)


@pytest.mark.usefixtures("memory_keyring")
async def test_a_pause_is_shown_and_what_cannot_be_removed_is_told(stand: Stand) -> None:
    await ask(stand.shelf, PauseFetch(model="qwen3-4b"))
    assert {each.keeping for each in stand.kept.models if each.model == "qwen3-4b"} == {up.Keeping.PAUSED}
    with pytest.raises(SoriError) as raised:
        await ask(stand.shelf, RemoveModel(model="mine"))
    assert raised.value.reason == "model_own"


async def test_a_key_goes_into_the_keyring_and_is_used_at_once(stand: Stand, memory_keyring: MemoryKeyring) -> None:
    openai = Provider(name="openai", kind="openai")
    assert stand.chat.models.keys.of(openai) == ""
    await ask(stand.keys, StoreKey(provider="openai", key=" k-1 "))
    assert list(memory_keyring.entries.values()) == ["k-1"]
    assert stand.chat.models.keys.of(openai) == "k-1"
    place = stand.place("openai")
    assert (place.has_key, place.configured) == (True, True)
    assert [each.name for each in stand.chat.basis.live.current.providers] == ["openai"]
    assert read_settings(Places(stand.home).config).providers == (openai,)


async def test_without_a_keyring_it_goes_into_a_file_for_its_owner_only(stand: Stand) -> None:
    before = keyring.get_keyring()
    keyring.set_keyring(keyring.core.load_keyring("keyring.backends.fail.Keyring"))
    try:
        with pytest.raises(SoriError) as raised:
            await ask(stand.keys, StoreKey(provider="zai", key="k-2"))
        assert raised.value.reason == "no_keyring"
        await ask(stand.keys, StoreKey(provider="zai", key="k-2", in_file=True))
        assert not stand.kept.keyring
    finally:
        keyring.set_keyring(before)
    file = Places(stand.home).keys
    assert file.stat().st_mode & 0o777 == 0o600
    found = Keys({}, file=KeyFile(file)).find(Provider(name="zai", kind="zai"))
    assert (found.key, found.source) == ("k-2", KeySource.FILE)


def test_a_file_that_others_could_read_is_closed_to_them_and_an_empty_key_leaves(tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    path.write_text('{"a": "1"}')
    path.chmod(0o644)
    KeyFile(path).store("b", "2")
    assert path.stat().st_mode & 0o777 == 0o600
    KeyFile(path).store("a", "")
    assert (KeyFile(path).key("a"), KeyFile(path).key("b")) == ("", "2")


@pytest.mark.parametrize(
    "content", [b'{"a": "1"', b"", b"[]", b"null", b'"a"', b"\xff\xfe\x00", b"\x00\x01", b"{" * 100_000, b"a: 1", b"1"]
)
def test_a_damaged_file_is_told_and_set_aside_before_another_is_written(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "keys.json"
    file = KeyFile(path)
    assert (file.damage, file.store("first", "0")) == (None, None)
    for number in ("", "2"):
        path.write_bytes(content)
        assert (file.damage and file.damage.values["path"], file.key("a")) == (str(path), "")
        assert file.store("b", "2") == tmp_path / f"keys.json.damaged{number}"
        assert (tmp_path / f"keys.json.damaged{number}").read_bytes() == content
    assert (file.damage, file.key("b"), file.store("c", "3")) == (None, "2", None)


def test_what_is_no_key_stays_in_the_file_and_a_mark_of_notepad_does_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    path.write_bytes('\ufeff{"a": "1", "note": ["mine"]}'.encode())
    KeyFile(path).store("b", "2")
    assert json.loads(path.read_text()) == {"a": "1", "note": ["mine"], "b": "2"}
    assert KeyFile(path).key("note") == ""


def test_a_vendor_is_added_below_what_stands_in_the_settings(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('# mine\nlanguage = "ko"\n[llm]\nmodel = "m"\n')
    add_provider(config, "google")
    assert config.read_text().startswith('# mine\nlanguage = "ko"\n[llm]\nmodel = "m"\n')
    assert [each.kind for each in read_settings(config).providers] == ["google"]
    add_provider(config, "google")
    assert config.read_text().count("[[providers]]") == 1


def test_settings_that_would_not_be_understood_are_left_alone(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text("providers = []\n")
    with pytest.raises(SettingsError):
        add_provider(config, "google")
    assert config.read_text() == "providers = []\n"


def exchange(**values: Any) -> Exchange:
    usual: dict[str, Any] = {
        "conversation": "c",
        "provider": "embedded",
        "model": "m",
        "input": 10,
        "output": 40,
        "cached": None,
        "total": 50,
        "first_token_ms": 1000.0,
        "total_ms": 5000.0,
        "requests": 1,
        "tool_calls": 0,
        "outcome": "complete",
    }
    return Exchange(**{**usual, **values})


def test_the_pace_is_the_median_of_whole_answers_and_unknown_without_any() -> None:
    seen = (exchange(), exchange(total_ms=3000.0), exchange(total_ms=9000.0))
    assert pace(seen, "m") == pytest.approx(10.0)
    assert pace(seen, "other") is None
    short = (exchange(output=3), exchange(outcome="cancelled"), exchange(first_token_ms=None), exchange(requests=2))
    assert pace(short, "m") is None


def test_a_key_in_the_file_is_removed_by_the_command_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SORI_HOME", str(tmp_path))
    KeyFile(Places(tmp_path).keys).store("openai", "k-3")
    before = keyring.get_keyring()
    keyring.set_keyring(keyring.core.load_keyring("keyring.backends.fail.Keyring"))
    try:
        assert main(["keys", "remove", "openai"]) == 0
    finally:
        keyring.set_keyring(before)
    assert KeyFile(Places(tmp_path).keys).key("openai") == ""


OPENAI, CLAUDE, GEMINI, BLIND = (
    Provider(name=name, kind=kind)
    for name, kind in (("openai", "openai"), ("claude", "anthropic"), ("gemini", "google"), ("mine", "openai"))
)
JPEG, TIFF, ZIP = b"\xff\xd8\xff\xe0" + bytes(40), b"II*\0" + bytes(40), b"PK\x03\x04" + bytes(60)
MANY = 60 * 1024 * 1024
FILES: dict[str, tuple[str, bytes, int, str]] = {
    "a photograph": ("image/jpeg", JPEG, 0, "image"),
    "a photograph that calls itself text": ("application/octet-stream", JPEG, 0, "image"),
    "a TIFF": ("image/tiff", TIFF, 0, "picture"),
    "a HEIC": ("image/heic", HEIC, 0, "picture"),
    "a PDF": ("application/pdf", PDF, 0, "pdf"),
    "a scanned PDF of 60 MB": ("application/pdf", PDF, MANY, "pdf"),
    "a zip": ("application/zip", ZIP, 0, "other"),
    "a zip of 60 MB": ("application/zip", ZIP, MANY, "other"),
    "a program of 60 MB": ("application/x-executable", b"\x7fELF" + bytes(60), MANY, "other"),
    "a Word document": ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", ZIP, 0, "other"),
    "a recording": ("audio/wav", WAV, 0, "audio"),
    "a song": ("audio/flac", b"fLaC" + bytes(40), 0, "audio"),
    "a video": ("video/mp4", b"\0\0\0\x18ftypisom" + bytes(40), 0, "video"),
    "an empty file": ("text/plain", b"", 0, "broken"),
    "a PDF in name alone": ("application/pdf", b"nothing", 0, "broken"),
    "a book": ("text/plain", "어느 날 ".encode() * 5000, MANY, "size"),
    "Korean notes": ("text/markdown", "# 메모".encode(), 0, ""),
    "Korean notes in an old encoding": ("text/plain", "안녕하세요".encode("cp949"), 0, ""),
    "a text cut in a letter": ("text/plain", "가".encode() * 30 + b"\xea\xb0", 200, ""),
    "code": ("text/x-python", b"print(1)", 0, ""),
    "a mail": ("message/rfc822", b"From: a@b.c\n\nhello", 0, ""),
    "a table": ("text/csv", b"a,b\n1,2\n", 0, ""),
}
READS = {
    "blind": frozenset({"audio/wav"}),
    "gpt-4o": frozenset({"image", "audio/wav"}),
    "claude-opus-4-5": frozenset({"image", "application/pdf"}),
    "gemini-2.5-pro": frozenset({"image", "application/pdf", "audio/wav", "audio/flac", "video/mp4"}),
}
WHERE = dict(zip(READS, (BLIND, OPENAI, CLAUDE, GEMINI), strict=True))


@pytest.mark.parametrize("model", READS)
@pytest.mark.parametrize("language", ["ko", "en"])
async def test_before_it_is_sent_each_file_has_a_warning_if_the_model_would_not_get_it(
    model: str, language: str, tmp_path: Path
) -> None:
    provider, texts = WHERE[model], load_texts(language)
    settings = Settings(
        language="ko" if language == "ko" else "en",
        providers=(provider,),
        llm=LlmSettings(provider=provider.name, model=model),
        models=(ModelFacts(model="blind", images=False),),
    )
    chat = await build_chat(tmp_path, LiveSettings(settings), texts, clock=FakeClock(), volume=FakeVolume())
    shelf = Models(
        chat, tmp_path, publish=lambda _: None, deliver=lambda *_: None, tell_of=lambda _: None, jobs=TaskSupervisor()
    )
    heads = tuple(
        FileHead(name=name, mime_type=kind, size=size or len(head), head=head)
        for name, (kind, head, size, _) in FILES.items()
    )

    warnings = await ask(shelf, CheckFiles(conversation="", files=heads))

    told = dict(zip(FILES, warnings, strict=True))
    for name, (kind, _, _, reason) in FILES.items():
        reads = (reason == "image" and "image" in READS[model]) or kind in READS[model]
        if reads or reason not in {"image", "picture", "audio", "video"}:
            assert told[name] is None, f"{name}: documents are read by Sori itself, which tells why it cannot"
            continue
        warning = told[name]
        assert warning is not None, name
        assert warning.message == texts(f"file_warning.{reason}", model=model), name
        assert warning.remedy == texts(f"file_warning.{reason}_remedy"), name
        assert warning.other_model is (reason in {"image", "audio", "video"}), name
    await chat.close()
