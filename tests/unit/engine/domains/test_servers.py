"""Servers are added by their address, after they were asked: the real engine, real sockets, a real settings file."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest
from typing_extensions import override

from assistant.core.errors import ErrorCode, SoriError
from assistant.core.live_settings import LiveSettings
from assistant.core.service.requests.models import ListModels
from assistant.core.service.requests.servers import AddServer, CheckProvider, ListServers, RemoveServer
from assistant.core.settings import Provider, Settings
from assistant.engine.chat_wiring import build_chat
from assistant.engine.domains.keys import ApiKeys
from assistant.engine.domains.models import Models
from assistant.engine.domains.servers import ModelServers, server_addresses
from assistant.host.added_provider import add_entry, remove_entry
from assistant.host.key_file import KeyFile
from assistant.host.places import Places
from assistant.host.settings_file import read_settings
from assistant.host.texts import load_texts
from assistant.tasks import TaskSupervisor
from tests.fakes.clock import FakeClock
from tests.fakes.front.asking import ask
from tests.fakes.model_server.server import ModelServer
from tests.fakes.system.volume import FakeVolume

MODELS = ("big-1", "small-1", "text-embedding-3")


class AtRoot(BaseHTTPRequestHandler):
    """A server whose API is not below ``/v1``."""

    def do_GET(self) -> None:
        found = self.path == "/models"
        body = json.dumps({"object": "list", "data": [{"id": "root-1"}]} if found else {}).encode()
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    @override
    def log_message(self, format: str, *args: object) -> None:
        """Write nothing."""


def typed(server: ModelServer) -> str:
    """The address as a user types it."""
    return server.base_url.removeprefix("http://").removesuffix("/v1")


@dataclass
class Stand:
    """The domains of models, keys and servers, without the rest of an engine."""

    models: Models
    servers: ModelServers


@pytest.fixture
async def stand(tmp_path: Path, memory_keyring: object) -> AsyncIterator[Stand]:
    jobs = TaskSupervisor()
    live = LiveSettings(Settings(language="en"))
    chat = await build_chat(tmp_path, live, load_texts("en"), clock=FakeClock(), volume=FakeVolume())
    models = Models(
        chat,
        tmp_path,
        publish=lambda _: None,
        deliver=lambda _event, _audience: None,
        tell_of=lambda error: pytest.fail(str(error)),
        jobs=jobs,
    )
    keys = ApiKeys(KeyFile(Places(tmp_path).keys), changed=models.key_changed, configure=models.configure)
    yield Stand(models, ModelServers(chat, keys, models))
    await jobs.close()
    await chat.close()


ADDRESSES = (
    ("192.168.0.7:1234", ("http://192.168.0.7:1234/v1", "http://192.168.0.7:1234")),
    (" http://192.168.0.7:1234/ ", ("http://192.168.0.7:1234/v1", "http://192.168.0.7:1234")),
    ("http://127.0.0.1:11434/v1", ("http://127.0.0.1:11434/v1",)),
    ("http://127.0.0.1:11434/v1/", ("http://127.0.0.1:11434/v1",)),
    ("https://api.example.com/v1/chat/completions", ("https://api.example.com/v1",)),
    ("https://api.example.com/openai/v1/models", ("https://api.example.com/openai/v1",)),
    ("localhost:8080", ("http://localhost:8080/v1", "http://localhost:8080")),
    ("[::1]:8080", ("http://[::1]:8080/v1", "http://[::1]:8080")),
    ("my-server", ("http://my-server/v1", "http://my-server")),
    ("서버.한국:80", ("http://서버.한국:80/v1", "http://서버.한국:80")),
)


@pytest.mark.parametrize(("words", "meant"), ADDRESSES)
def test_an_address_is_understood_as_people_type_it(words: str, meant: tuple[str, ...]) -> None:
    assert server_addresses(words) == meant


@pytest.mark.parametrize(
    "words",
    [
        "",
        "   ",
        "http://",
        "ftp://example.com",
        "file:///etc/passwd",
        "javascript://x",
        "http://user:secret@example.com",
        "http://example.com:port",
        "http://example.com:0",
        "http://example.com/v1?key=secret",
        "use my server please",
        "내 서버 주소",
        "http://[::1",
    ],
)
def test_what_is_no_address_is_refused(words: str) -> None:
    with pytest.raises(SoriError) as raised:
        server_addresses(words)
    assert raised.value.reason == "server_address"


async def test_a_server_that_answers_is_stored_with_its_key_and_its_models_can_be_chosen(
    stand: Stand, tmp_path: Path
) -> None:
    async with ModelServer(models=MODELS, api_key="k-1") as server:
        added = await ask(stand.servers, AddServer(address=typed(server), key=" k-1 ", name="mine"))
        assert (added.name, added.local, added.models) == ("mine", True, ("big-1", "small-1"))
        (provider,) = read_settings(tmp_path / "config.toml").providers
        assert (provider.name, provider.base_url) == ("mine", server.base_url)
        assert "k-1" not in (tmp_path / "config.toml").read_text(encoding="utf-8")
        (listed,) = await ask(stand.servers, ListServers())
        assert (listed.name, listed.has_key, listed.trouble) == ("mine", True, "")
        offered = await ask(stand.models, ListModels())
        assert {"mine/big-1", "mine/small-1"} <= {each.reference for each in offered.models}
        assert await ask(stand.servers, CheckProvider(provider="mine")) == ("big-1", "small-1")
    await ask(stand.servers, RemoveServer(name="mine"))
    assert read_settings(tmp_path / "config.toml").providers == ()
    assert await ask(stand.servers, ListServers()) == ()


async def test_a_server_without_the_usual_path_is_found_too(stand: Stand) -> None:
    server = HTTPServer(("127.0.0.1", 0), AtRoot)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        added = await ask(stand.servers, AddServer(address=f"127.0.0.1:{server.server_port}/"))
    finally:
        await asyncio.to_thread(server.shutdown)
        server.server_close()
    assert (added.address, added.models) == (f"http://127.0.0.1:{server.server_port}", ("root-1",))


async def test_a_refused_key_is_told_and_nothing_is_stored(stand: Stand, tmp_path: Path) -> None:
    async with ModelServer(models=MODELS, api_key="right") as server:
        with pytest.raises(SoriError) as raised:
            await ask(stand.servers, AddServer(address=typed(server), key="wrong"))
        assert raised.value.code is ErrorCode.AUTHENTICATION
        assert typed(server) in str(raised.value)
    assert read_settings(tmp_path / "config.toml").providers == ()


async def test_a_server_that_does_not_run_is_stored_only_if_the_user_insists(stand: Stand, tmp_path: Path) -> None:
    async with ModelServer() as server:
        address = typed(server)
    request = AddServer(address=address)
    with pytest.raises(SoriError):
        await ask(stand.servers, request)
    added = await ask(stand.servers, AddServer(address=request.address, unasked=True))
    assert added.models == ()
    (listed,) = await ask(stand.servers, ListServers())
    assert listed.trouble
    offered = await ask(stand.models, ListModels())
    assert [each.provider for each in offered.unlisted] == [added.name], "the menu tells why it is missing"


async def test_servers_get_names_that_nobody_has(stand: Stand) -> None:
    async with ModelServer() as one, ModelServer() as other:
        names = [(await ask(stand.servers, AddServer(address=typed(each)))).name for each in (one, other)]
    assert names == ["127.0.0.1", "127.0.0.1-2"]


async def test_a_provider_that_the_settings_use_stays(stand: Stand, tmp_path: Path) -> None:
    async with ModelServer() as server:
        await ask(stand.servers, AddServer(address=typed(server), name="mine"))
    config = tmp_path / "config.toml"
    config.write_text(f'[llm]\nprovider = "mine"\n{config.read_text(encoding="utf-8")}', encoding="utf-8")
    with pytest.raises(SoriError):
        await ask(stand.servers, RemoveServer(name="mine"))
    assert [each.name for each in read_settings(config).providers] == ["mine"]


KEPT = (
    '# mine\n[llm]\nmodel = "m" # the best\n\n[[providers]]\nname = "a"\nkind = "openai"\n\n# second\n[[providers]]\n'
    'name = "b"\nkind = "local"\nbase_url = "http://127.0.0.1:1/v1"\n\n[voice]\nspeed = 1.1\n'
)


@pytest.mark.parametrize(("name", "left"), [("a", ["b"]), ("b", ["a"]), ("c", ["a", "b"])])
def test_taking_a_provider_out_of_the_file_leaves_everything_else(tmp_path: Path, name: str, left: list[str]) -> None:
    config = tmp_path / "config.toml"
    config.write_text(KEPT, encoding="utf-8")
    remove_entry(config, name)
    settings, text = read_settings(config), config.read_text(encoding="utf-8")
    assert [each.name for each in settings.providers] == left
    assert (settings.llm.model, settings.voice.speed) == ("m", 1.1)
    assert "# mine" in text
    assert "# the best" in text


@pytest.mark.parametrize("name", ['quo"te', "back\\slash", "새 서버", "a'b", "dots.and.more"])
def test_any_name_is_written_so_that_it_is_read_again(tmp_path: Path, name: str) -> None:
    config = tmp_path / "config.toml"
    provider = Provider(name=name, kind="openai", base_url="http://127.0.0.1:9/v1")
    try:
        add_entry(config, provider)
    except SoriError:
        assert not config.exists() or read_settings(config).providers == ()
        return
    assert read_settings(config).providers == (provider,)
