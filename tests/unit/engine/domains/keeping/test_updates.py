"""A newer version is looked for only where this copy came from, and the ledger has it before it is asked."""

import subprocess
from pathlib import Path

import pytest

from assistant.core.errors import SoriError
from assistant.core.service.requests.engine import LookForUpdate, ShowProgram
from assistant.core.service.requests.records import ListEgress
from assistant.core.settings import Settings
from assistant.engine.domains.keeping import program, updates
from assistant.engine.domains.keeping.updates import destination_of, is_newer, newest_version, request_for, source_of
from tests.unit.engine.test_engine import engine_in


def git(folder: Path, *arguments: str) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
    subprocess.run(["git", *who, "-C", str(folder), *arguments], check=True, capture_output=True)


@pytest.fixture
def cloned(tmp_path: Path) -> Path:
    """A clone of a repository with three versions; it names a server as where it came from."""
    upstream, clone = tmp_path / "upstream", tmp_path / "clone"
    upstream.mkdir()
    git(upstream, "init", "-q")
    git(upstream, "commit", "-q", "--allow-empty", "-m", "first")
    for tag in ("v0.1.0", "v0.10.0", "v0.9.3", "nightly"):
        git(upstream, "tag", tag)
    git(tmp_path, "clone", "-q", str(upstream), str(clone))
    return clone


def test_the_highest_version_counts_by_its_numbers(cloned: Path) -> None:
    assert newest_version(cloned) == "0.10.0"


def test_a_repository_that_does_not_answer_is_an_error(cloned: Path) -> None:
    git(cloned, "remote", "set-url", "origin", str(cloned / "missing"))
    with pytest.raises(SoriError):
        newest_version(cloned)


@pytest.mark.parametrize(
    ("address", "destination"),
    [
        ("https://example.com/sori.git", "https://example.com:443"),
        ("https://me:secret@example.com/sori.git", "https://example.com:443"),
        ("http://127.0.0.1:8080/sori", "http://127.0.0.1:8080"),
        ("ssh://git@example.com:2222/sori.git", "ssh://example.com:2222"),
        ("git@example.com:me/sori.git", "ssh://example.com:22"),
        ("git://example.com/sori", "git://example.com:9418"),
        ("/home/mina/sori", ""),
        ("../sori", ""),
        ("C:/sori", ""),
        ("file:///home/mina/sori", ""),
        ("", ""),
    ],
)
def test_only_a_server_is_asked_and_named_without_secrets(address: str, destination: str) -> None:
    assert destination_of(address) == destination
    assert "secret" not in request_for(address).destination


@pytest.mark.parametrize(
    ("version", "than", "newer"),
    [
        ("0.2.0", "0.1.0", True),
        ("0.10.0", "0.9.9", True),
        ("1.0", "0.99.99", True),
        ("0.1.0", "0.1.0", False),
        ("0.0.9", "0.1.0", False),
        ("", "0.1.0", False),
    ],
)
def test_versions_are_compared_by_their_numbers(version: str, than: str, newer: bool) -> None:
    assert is_newer(version, than) is newer


def test_a_copy_of_no_server_has_no_source(cloned: Path, tmp_path: Path) -> None:
    assert source_of(cloned) == ""
    assert source_of(tmp_path) == ""
    git(cloned, "remote", "set-url", "origin", "https://example.com/sori.git")
    assert source_of(cloned) == "https://example.com/sori.git"


async def test_the_ledger_has_the_request_and_nothing_is_asked_unasked(
    cloned: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "PROJECT", cloned)
    monkeypatch.setattr(program, "source_of", lambda _: "https://example.com/sori.git")
    asked: list[Path] = []

    def ask(project: Path) -> str:
        asked.append(project)
        return updates.newest_version(project)

    monkeypatch.setattr(program, "newest_version", ask)
    async with engine_in(tmp_path / "home", Settings()) as (_, connection, _deliveries):
        shown = await connection.result(ShowProgram())
        assert (shown.source, asked) == ("https://example.com:443", [])
        assert await connection.result(LookForUpdate()) == "0.10.0"
        (row,) = await connection.result(ListEgress())
        assert (row.destination, row.purpose, row.local, row.size) == ("https://example.com:443", "update", False, 0)
