import argparse
import asyncio
import json
import os
from pathlib import Path

import pytest

from assistant.app.commands.providers import run
from assistant.core.configuration.parsing import parse_settings
from assistant.core.errors import SoriError
from assistant.core.settings import LlmSettings, ModelFacts, Provider, Settings
from assistant.engine.checks.health import embedded_memory
from assistant.host.clock import SystemClock
from assistant.host.places import Places
from assistant.host.texts import load_texts
from assistant.storage.database import Database
from assistant.storage.records.egress import EgressStore
from tests.fakes.model_server.local_servers import JAN, OLLAMA, neighbours

KINDS = {"providers.kind": {"local", "openai"}}


def said(
    home: Path,
    settings: Settings,
    capsys: pytest.CaptureFixture[str],
    ports: list[int],
    *,
    models: str | None = None,
    as_json: bool = False,
    language: str = "en",
) -> str:
    arguments = argparse.Namespace(models=models, json=as_json)
    assert run(Places(home), settings, load_texts(language), arguments, ports) == 0
    return capsys.readouterr().out


def test_what_is_found_can_be_used_with_the_lines_that_are_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with neighbours(OLLAMA) as ports:
        words = said(tmp_path, Settings(), capsys, ports)
    assert f"Ollama  http://127.0.0.1:{ports[0]}/v1" in words
    assert [line.split() for line in words.splitlines() if "context" in line] == [
        ["qwen3:8b", "context", "40,960", "tools"],
        ["gemma3:4b", "context", "131,072", "images"],
    ]
    entry = words[words.index("    [llm]") :]
    settings = parse_settings(entry, choices=KINDS)
    assert settings.llm == LlmSettings(provider="ollama", model="qwen3:8b")
    assert settings.providers == (Provider(name="ollama", kind="local", base_url=f"http://127.0.0.1:{ports[0]}/v1"),)


@pytest.mark.parametrize("language", ["ko", "en"])
def test_settings_that_name_a_model_already_are_told_which_lines_to_change(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], language: str
) -> None:
    written = '[llm]\nprovider = "a"\nmodel = "m"\n[[providers]]\nname = "a"\nkind = "openai"\n'
    with neighbours(OLLAMA) as ports:
        words = said(tmp_path, parse_settings(written), capsys, ports, language=language)
    entry = words[words.index('    provider = "ollama"') :]
    assert "    [llm]" not in words
    changed = "[llm]\n" + entry + written.partition('model = "m"\n')[2]
    assert parse_settings(changed, choices=KINDS).llm == LlmSettings(provider="ollama", model="qwen3:8b")


def test_which_model_does_what_is_told_and_which_does_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    llm = LlmSettings(provider="a", model="m", light_model="b/l", strong_model="s", fallbacks=("b/f",))
    providers = tuple(Provider(name=name, kind="openai", base_url="http://127.0.0.1:9/v1") for name in ("a", "b"))
    settings = Settings(llm=llm, providers=providers)
    words = said(tmp_path, settings, capsys, [])
    for line in (
        "Conversation: b/l",
        "Analysis, code, mathematics: a/s",
        "Summaries: b/l",
        "If that fails: b/f",
        f'Not used, because other models answer everything: model = "m" (in {Places(tmp_path).config})',
    ):
        assert line in words.splitlines()
    # What answers when nothing else is chosen is not the provider of the model that answers nothing.
    assert any(line.startswith("b *") for line in words.splitlines())
    listed = json.loads(said(tmp_path, settings, capsys, [], as_json=True))
    assert listed["roles"] == {
        "conversation": "b/l",
        "analysis": "a/s",
        "summaries": "b/l",
        "fallbacks": ["b/f"],
        "idle": ["model"],
    }
    assert [each["answers"] for each in listed["configured"]] == [False, True]


def test_a_provider_that_is_not_there_keeps_nobody_from_seeing_those_that_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = Settings(llm=LlmSettings(provider="ghost"), providers=(Provider(name="a", kind="anthropic"),))
    assert "a     anthropic" in said(tmp_path, settings, capsys, [])
    assert json.loads(said(tmp_path, settings, capsys, [], as_json=True))["roles"] is None


def test_the_table_tells_addresses_keys_and_which_answers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_KEY", "sk-ant-secret")
    with neighbours(JAN) as ports:
        settings = Settings(
            llm=LlmSettings(provider="claude"),
            providers=(
                Provider(name="claude", kind="anthropic", api_key_env="CLAUDE_KEY"),
                Provider(name="gpt", kind="openai", api_key_env="NO_SUCH_KEY"),
                Provider(name="box", kind="local", base_url=f"http://localhost:{ports[0]}/v1"),
                Provider(name="own", kind="local"),
            ),
        )
        words = said(tmp_path, settings, capsys, ports, language="ko")
        listed = json.loads(said(tmp_path, settings, capsys, ports, as_json=True))
    assert "claude *  anthropic" in words
    assert "(설정 이름: box)" in words
    own = next(line for line in words.splitlines() if line.startswith("own "))
    assert "소리 안의 서버" in own
    assert "config.toml에 이렇게" not in words
    assert "secret" not in words
    assert [each["key"] for each in listed["configured"]] == ["there", "missing", "none", "none"]
    assert listed["embedded"]["model"] == "smollm2-135m"
    assert listed["found"][0]["configured_as"] == "box"


def test_the_models_of_a_server_that_was_found_are_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with neighbours(OLLAMA) as ports:
        listed = json.loads(said(tmp_path, Settings(), capsys, ports, models="ollama", as_json=True))
    assert [(each["model"], each["tools"], each["reasoning"]) for each in listed] == [
        ("qwen3:8b", True, True),
        ("gemma3:4b", False, False),
    ]


def test_an_unknown_provider_is_refused_with_those_that_there_are(tmp_path: Path) -> None:
    arguments = argparse.Namespace(models="ghost", json=False)
    with neighbours(JAN) as ports, pytest.raises(SoriError) as raised:
        run(Places(tmp_path), Settings(), load_texts("en"), arguments, ports)
    assert raised.value.values["known"] == "embedded, jan"


def test_the_users_own_facts_are_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = Settings(models=(ModelFacts(model="jan-v3-4b-base-instruct", context_tokens=1234),))
    with neighbours(JAN) as ports:
        words = said(tmp_path, settings, capsys, ports, models="jan")
    assert "context 1,234" in words


def test_looking_is_in_the_ledger(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with neighbours(JAN) as ports:
        said(tmp_path, Settings(), capsys, ports)

    async def purposes() -> list[str]:
        database = await Database.open(Places(tmp_path).database, SystemClock())
        try:
            return [row.purpose for row in await EgressStore(database, SystemClock()).rows(local=True)]
        finally:
            await database.close()

    assert set(asyncio.run(purposes())) == {"discovery"}


def test_the_memory_of_embedded_servers_is_that_of_their_processes(tmp_path: Path) -> None:
    for number, command in (("11", "assistant.llm.embedded.process"), ("12", "something.else")):
        folder = tmp_path / number
        folder.mkdir()
        (folder / "cmdline").write_bytes(f"python\0-P\0-m\0{command}\0".encode())
        (folder / "statm").write_text("900 100 5 1 0 20 0")
    (tmp_path / "13").mkdir()
    assert embedded_memory(tmp_path / "nowhere") is None
    assert embedded_memory(tmp_path) == 100 * os.sysconf("SC_PAGE_SIZE")
