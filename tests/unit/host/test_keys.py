import io
import json
import logging
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from keyring.errors import KeyringLocked, NoKeyringError

from assistant.app.command_line import main
from assistant.core.configuration.parsing import parse_settings
from assistant.core.service.requests.servers import RemoveKey, StoreKey
from assistant.core.settings import Provider, SearchSettings, Settings
from assistant.engine.domains.keys import ApiKeys
from assistant.host.key_file import KeyFile
from assistant.host.keys import KEYRING_SERVICE, Keys, KeySource, search_provider
from assistant.host.logs import Redactor
from tests.fakes.backend_bench import WIRES
from tests.fakes.front.small_engine import SmallEngine
from tests.fakes.model_server.server import Reply, serve_in_thread
from tests.fakes.system.keyring_backend import MemoryKeyring

PROVIDER = Provider(name="mine", kind="openai", api_key_env="MINE_API_KEY", api_key="from-the-file")
KEY = "zq-1234-secret-5678"


@pytest.fixture(autouse=True)
def _no_key_in_the_environment(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MINE_API_KEY", raising=False)


def config(home: Path, more: str = "", kind: str = "openai") -> None:
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text(
        f'language = "en"\n[llm]\nprovider = "mine"\nmodel = "scripted-model"\n'
        f'[[providers]]\nname = "mine"\nkind = "{kind}"\n{more}'
    )


# Where keys come from


def test_the_keyring_comes_before_the_environment_and_that_before_the_settings(memory_keyring: MemoryKeyring) -> None:
    environment = {"MINE_API_KEY": "from-the-environment"}
    assert Keys({}).find(PROVIDER).source is KeySource.CONFIG
    assert Keys({}).of(PROVIDER) == "from-the-file"
    assert Keys(environment).find(PROVIDER).source is KeySource.ENVIRONMENT
    assert Keys(environment).of(PROVIDER) == "from-the-environment"
    memory_keyring.entries[KEYRING_SERVICE, "mine"] = "from-the-keyring"
    assert Keys(environment).find(PROVIDER).source is KeySource.KEYRING
    assert Keys(environment).of(PROVIDER) == "from-the-keyring"


def test_a_place_that_is_empty_or_blank_is_passed_over(memory_keyring: MemoryKeyring) -> None:
    memory_keyring.entries[KEYRING_SERVICE, "mine"] = " "
    assert Keys({"MINE_API_KEY": ""}).of(PROVIDER) == "from-the-file"
    assert Keys({"": "never"}).find(Provider(name="x", kind="openai")).source is KeySource.NONE


def test_without_a_keyring_the_other_places_remain_and_that_is_no_trouble(memory_keyring: MemoryKeyring) -> None:
    memory_keyring.error = NoKeyringError()
    found = Keys({"MINE_API_KEY": "key"}).find(PROVIDER)
    assert (found.key, found.trouble) == ("key", "")


@pytest.mark.parametrize("error", [KeyringLocked("locked"), OSError("no bus")])
def test_a_keyring_that_fails_is_told_and_the_other_places_remain(
    memory_keyring: MemoryKeyring, error: Exception
) -> None:
    memory_keyring.error = error
    found = Keys({"MINE_API_KEY": "key"}).find(PROVIDER)
    assert found.key == "key"
    assert str(error) in found.trouble


def test_the_keyring_is_not_asked_before_every_request_but_a_new_key_is_soon_noticed(
    memory_keyring: MemoryKeyring,
) -> None:
    now = 0.0
    keys, provider = Keys({}, lambda: now), Provider(name="mine", kind="openai")
    assert keys.of(provider) == ""
    memory_keyring.entries[KEYRING_SERVICE, "mine"] = "new"
    keys.of(provider)
    assert memory_keyring.asked == 1
    now = 31.0
    assert keys.of(provider) == "new"


def test_a_key_is_not_in_the_words_of_what_holds_it(memory_keyring: MemoryKeyring) -> None:
    found = Keys({"MINE_API_KEY": KEY}).find(PROVIDER)
    assert KEY not in repr(found)


@pytest.mark.parametrize("place", ["keyring", "environment", "config"])
def test_a_key_that_was_read_is_struck_out_of_the_logs_from_then_on(memory_keyring: MemoryKeyring, place: str) -> None:
    redact = Redactor()
    if place == "keyring":
        memory_keyring.entries[KEYRING_SERVICE, "mine"] = KEY
    environment = {"MINE_API_KEY": KEY} if place == "environment" else {}
    Keys(environment).of(Provider(name="mine", kind="openai", api_key_env="MINE_API_KEY", api_key=KEY))
    assert redact(f"the server said: {KEY} is wrong") == "the server said: [secret] is wrong"


# The commands


def typed(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))


def test_a_key_is_stored_listed_by_its_place_and_removed_and_never_shown(
    home: Path, memory_keyring: MemoryKeyring, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    config(home)
    typed(monkeypatch, f"  {KEY}\n")
    assert main(["keys", "set", "mine"]) == 0
    assert memory_keyring.entries == {(KEYRING_SERVICE, "mine"): KEY}
    assert main(["keys", "list"]) == 0
    said = capsys.readouterr()
    assert "from the keyring" in said.out
    assert main(["keys", "remove", "mine"]) == 0
    assert memory_keyring.entries == {}
    assert main(["keys", "remove", "mine"]) == 0
    assert "has no key for mine" in capsys.readouterr().out
    assert KEY not in said.out + said.err + (home / "logs" / "keys.log").read_text()


def test_the_engine_that_runs_stores_and_removes_a_key_and_uses_it_at_once(
    home: Path, memory_keyring: MemoryKeyring, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    config(home)
    used = Keys({}, file=KeyFile(home / "keys.json"))
    provider = Provider(name="mine", kind="openai")

    async def changed(name: str) -> None:
        used.forget(name)

    with SmallEngine(home, ApiKeys(KeyFile(home / "keys.json"), changed=changed)) as engine:
        assert used.of(provider) == ""
        typed(monkeypatch, f"  {KEY}\n")
        assert main(["keys", "set", "mine"]) == 0
        assert used.of(provider) == KEY
        assert main(["keys", "remove", "mine"]) == 0
        assert used.of(provider) == ""
        memory_keyring.error = KeyringLocked("the collection is locked")
        assert main(["keys", "remove", "mine"]) == 1
        assert engine.asked == [StoreKey(provider="mine", key=KEY, configure=False), *[RemoveKey(provider="mine")] * 2]
    said = capsys.readouterr()
    assert "the collection is locked" in said.err
    assert KEY not in said.out + said.err + (home / "logs" / "keys.log").read_text()


def test_where_there_is_no_keyring_it_says_so_and_what_to_do_instead(
    home: Path, memory_keyring: MemoryKeyring, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    config(home)
    memory_keyring.error = NoKeyringError()
    for command in (["set", "mine"], ["remove", "mine"]):
        typed(monkeypatch, KEY)
        assert main(["keys", *command]) == 1
        said = capsys.readouterr().err
        assert "api_key_env" in said
        assert "config.toml" in said
        assert KEY not in said


def test_a_keyring_that_refuses_is_named(
    home: Path, memory_keyring: MemoryKeyring, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    config(home)
    memory_keyring.error = KeyringLocked("the collection is locked")
    typed(monkeypatch, KEY)
    assert main(["keys", "set", "mine"]) == 1
    assert "the collection is locked" in capsys.readouterr().err
    assert main(["keys", "list"]) == 0
    assert "the collection is locked" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["", "\n", "two words\n", "키\n"])
def test_what_cannot_be_a_key_is_not_stored(
    text: str, home: Path, memory_keyring: MemoryKeyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    config(home)
    typed(monkeypatch, text)
    assert main(["keys", "set", "mine"]) == 1
    assert memory_keyring.entries == {}


class _Ended:
    """Standard input that ends, or holds what is no text."""

    def __init__(self, error: Exception, *, terminal: bool) -> None:
        self._error, self._terminal = error, terminal

    def isatty(self) -> bool:
        return self._terminal

    def readline(self) -> str:
        raise self._error


def test_an_input_that_ends_or_is_no_text_is_no_key_and_no_crash(
    home: Path, memory_keyring: MemoryKeyring, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    config(home)

    def ended(_: str) -> str:
        raise EOFError

    monkeypatch.setattr("getpass.getpass", ended)
    for stream in (
        _Ended(EOFError(), terminal=True),
        _Ended(UnicodeDecodeError("utf-8", b"\xff", 0, 1, ""), terminal=False),
    ):
        monkeypatch.setattr(sys, "stdin", stream)
        assert main(["keys", "set", "mine"]) == 1
        assert "is not an API key" in capsys.readouterr().err


def test_a_key_that_is_still_elsewhere_is_told(
    home: Path, memory_keyring: MemoryKeyring, capsys: pytest.CaptureFixture[str]
) -> None:
    config(home, f'api_key = "{KEY}"\n')
    main(["keys", "remove", "mine"])
    assert "still another key: from config.toml" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["set", "remove"])
@pytest.mark.parametrize(("name", "meant"), [("mien", "mine"), ("Mine", "mine"), ("opanai", "openai"), ("qqq", "")])
def test_a_name_that_no_provider_has_is_refused_with_those_there_are_and_the_one_likely_meant(
    command: str,
    name: str,
    meant: str,
    home: Path,
    memory_keyring: MemoryKeyring,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    config(home)
    typed(monkeypatch, KEY)
    assert main(["keys", command, name]) == 1
    said = capsys.readouterr().err
    assert f"no provider named '{name}'" in said
    assert "In config.toml: mine." in said
    assert "anthropic, brave, google, openai, zai" in said
    assert (f"Did you mean {meant}?" in said) if meant else "Did you mean" not in said
    assert memory_keyring.entries == {}
    assert sys.stdin.readline() == KEY  # nobody was made to type it first


def test_a_key_may_be_stored_for_a_kind_before_there_is_a_provider_and_the_lines_for_it_are_told(
    home: Path, memory_keyring: MemoryKeyring, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed(monkeypatch, KEY)
    assert main(["keys", "set", "anthropic"]) == 0
    assert memory_keyring.entries == {(KEYRING_SERVICE, "anthropic"): KEY}
    said = capsys.readouterr().out
    entry = "\n".join(line.strip() for line in said.splitlines()[-3:])
    assert parse_settings(entry).providers == (Provider(name="anthropic", kind="anthropic"),)


def test_the_key_of_a_provider_that_is_gone_can_be_removed(
    home: Path, memory_keyring: MemoryKeyring, capsys: pytest.CaptureFixture[str]
) -> None:
    memory_keyring.entries[KEYRING_SERVICE, "former"] = KEY
    assert main(["keys", "remove", "former"]) == 0
    assert memory_keyring.entries == {}
    assert "removed from the keyring" in capsys.readouterr().out
    assert main(["keys", "remove", "openai"]) == 0
    assert "has no key for openai" in capsys.readouterr().out


def test_soris_own_server_is_given_no_key(
    home: Path, memory_keyring: MemoryKeyring, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    config(home, kind="local")
    typed(monkeypatch, KEY)
    assert main(["keys", "set", "mine"]) == 0
    assert "needs no key" in capsys.readouterr().out
    assert memory_keyring.entries == {}


def test_the_list_tells_of_every_provider_where_its_key_is_or_was_looked_for_and_of_keys_that_nobody_uses(
    home: Path, memory_keyring: MemoryKeyring, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    entry = '[[providers]]\nname = "{}"\nkind = "{}"\n{}\n'
    config(
        home,
        'api_key_env = "MINE_API_KEY"\n'
        + entry.format("claude", "anthropic", "")
        + entry.format("box", "local", 'base_url = "http://127.0.0.1:9/v1"')
        + entry.format("own", "local", "")
        + entry.format("other", "openai", 'api_key_env = "OTHER_API_KEY"'),
    )
    monkeypatch.setenv("OTHER_API_KEY", KEY)
    memory_keyring.entries[KEYRING_SERVICE, "claude"] = KEY
    memory_keyring.entries[KEYRING_SERVICE, "google"] = KEY
    assert main(["keys", "list"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert [line.split(maxsplit=2) for line in said[1:6]] == [
        ["mine", "openai", "none (MINE_API_KEY is not set)"],
        ["claude", "anthropic", "from the keyring"],
        ["box", "local", "none needed"],
        ["own", "local", "none needed"],
        ["other", "openai", "from the environment variable OTHER_API_KEY"],
    ]
    assert [line for line in said[6:] if "google" in line]
    assert KEY not in "".join(said)


# A server that repeats the key


def everything_below(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != "config.toml")


@pytest.mark.parametrize("kind", sorted(WIRES))
@pytest.mark.parametrize("status", [401, 400, 500])
def test_a_server_that_repeats_the_key_brings_it_to_no_log_no_packet_and_no_message(
    kind: str,
    status: int,
    home: Path,
    memory_keyring: MemoryKeyring,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("assistant.llm.retry._WAITS_S", (0.0, 0.0))
    memory_keyring.entries[KEYRING_SERVICE, "mine"] = KEY
    said = json.dumps({"error": {"message": f"The key {KEY} is wrong. {KEY}", "type": f"odd_{KEY}"}})
    with serve_in_thread([Reply(status=status, body=said)], wire=WIRES[kind]()) as server:
        config(home, f'base_url = "{server.base_url}"\n', kind)
        with suppress(SystemExit):
            assert main(["chat", "--json", "hello there"]) == 1
        assert server.requests
    logging.shutdown()
    shown = capsys.readouterr()
    assert KEY not in shown.out + shown.err
    assert KEY.encode() not in everything_below(home)


def test_the_key_of_a_search_provider_is_stored_shown_and_removed(
    home: Path, memory_keyring: MemoryKeyring, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    config(home)
    typed(monkeypatch, KEY)
    assert main(["keys", "set", "brave"]) == 0
    said = capsys.readouterr().out
    assert '[search]\n    provider = "brave"' in said
    assert memory_keyring.entries[KEYRING_SERVICE, "brave"] == KEY
    with (home / "config.toml").open("a") as file:
        file.write('[search]\nprovider = "brave"\n')
    assert main(["keys", "list"]) == 0
    assert "brave" in capsys.readouterr().out
    assert main(["keys", "remove", "brave"]) == 0
    assert (KEYRING_SERVICE, "brave") not in memory_keyring.entries


def test_a_search_provider_may_have_its_key_in_a_variable(memory_keyring: MemoryKeyring) -> None:
    settings = Settings(search=SearchSettings(provider="brave", api_key_env="BRAVE_KEY"))
    assert Keys({"BRAVE_KEY": "key"}).of(search_provider(settings, "brave")) == "key"
