from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assistant.core.errors import ModelFileError
from assistant.weights.url_source import fetch_url
from tests.fakes.weights.weights_server import WeightsServer, weights_server


@pytest.fixture
def server() -> Iterator[WeightsServer]:
    with weights_server() as running:
        yield running


def fetch(url: str, part: Path) -> list[str]:
    """Fetch 1000 bytes; returns the addresses that were recorded."""
    recorded: list[str] = []
    silent: dict[str, Any] = {"tick": lambda *_, **__: None, "pause": lambda _: None}
    fetch_url(url, part, size=1000, model="voice", record=recorded.append, **silent)
    return recorded


def test_a_redirect_into_the_file_system_is_not_followed(tmp_path: Path, server: WeightsServer) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(bytes(1000))
    server.redirects["a.bin"] = secret.as_uri()
    with pytest.raises(ModelFileError):
        fetch(server.url("a.bin"), tmp_path / "part")
    assert not (tmp_path / "part").exists()


def test_redirects_in_a_circle_end_at_once(tmp_path: Path, server: WeightsServer) -> None:
    server.redirects["a.bin"] = server.url("a.bin")
    with pytest.raises(ModelFileError) as caught:
        fetch(server.url("a.bin"), tmp_path / "part")
    assert caught.value.message_key == "error.model_unavailable"
    assert len(server.requests) <= 21


def test_a_server_that_sends_more_than_the_file_does_not_make_it_longer(tmp_path: Path, server: WeightsServer) -> None:
    server.files["a.bin"] = bytes(5000)
    assert fetch(server.url("a.bin"), tmp_path / "part") == [server.url("a.bin")]
    assert (tmp_path / "part").stat().st_size == 1000


def test_a_proxy_of_an_unknown_kind_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "gopher://127.0.0.1:1")
    with pytest.raises(ModelFileError, match="gopher"):
        fetch("http://127.0.0.1:9/a.bin", tmp_path / "part")


def test_a_whole_file_asks_nobody(tmp_path: Path) -> None:
    (tmp_path / "part").write_bytes(bytes(1000))
    assert fetch("http://127.0.0.1:9/a.bin", tmp_path / "part") == []
