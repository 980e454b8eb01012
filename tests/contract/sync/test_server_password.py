"""A server whose password has changed: the user is asked for the new one, which is kept only if the server takes it."""

import io
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest

from assistant.core.errors import SoriError, StorageError
from assistant.core.records.egress import DataClass
from assistant.core.records.sync import SyncStanding
from assistant.core.service.requests.sync import account as rq
from assistant.core.service.requests.sync import keys as kq
from assistant.host.key_file import KeyFile
from assistant.host.texts import load_texts
from assistant.storage.postgres.refusal import PasswordRefusedError
from assistant.sync.postgres.postgres_store import connected
from tests.contract.sync.computer import SETTINGS, WORDS, Computer
from tests.e2e.in_process import run_command
from tests.fakes.ledger import MemoryLedger

TEXTS = load_texts("ko")
LOGIN = "asked"
"""The server asks this user for a password, and no other one."""


class Login:
    """A user of the server who must give a password.

    Attributes:
        address: the server's, for this user with the first password.
    """

    def __init__(self, owner: str) -> None:
        self._owner = owner
        parts = urlsplit(owner)
        self.address = urlunsplit(parts._replace(netloc=f"{LOGIN}:first@{parts.netloc.rpartition('@')[2]}"))

    def change(self, password: str) -> None:
        """Change the password, and let those who are there come in once more."""
        with psycopg.connect(self._owner, autocommit=True) as owner:
            owner.execute(f"ALTER ROLE {LOGIN} PASSWORD '{password}'")
            owner.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = %s", (LOGIN,))


@contextmanager
def _asking(owner: psycopg.Connection[tuple[object, ...]]) -> Iterator[None]:
    (found,) = owner.execute("SHOW hba_file").fetchone() or ("",)
    rules = Path(str(found))
    before = rules.read_text()
    rules.write_text(f"local all {LOGIN} scram-sha-256\n{before}")
    owner.execute("SELECT pg_reload_conf()")
    try:
        yield
    finally:
        rules.write_text(before)
        owner.execute("SELECT pg_reload_conf()")


@pytest.fixture
def login(address: str) -> Iterator[Login]:
    with psycopg.connect(address, autocommit=True) as owner, _asking(owner):
        owner.execute(f"CREATE ROLE {LOGIN} LOGIN PASSWORD 'first'")
        owner.execute(f"GRANT CREATE ON DATABASE {urlsplit(address).path[1:]} TO {LOGIN}")
        try:
            yield Login(address)
        finally:
            owner.execute(f"DROP OWNED BY {LOGIN} CASCADE")
            owner.execute(f"DROP ROLE {LOGIN}")


@pytest.fixture
async def laptop(tmp_path: Path, login: Login) -> AsyncIterator[Computer]:
    laptop = Computer(tmp_path, "laptop")
    await laptop.start()
    await laptop.set_up(login.address)
    await laptop.alike()
    yield laptop
    await laptop.stop()


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Gives the line that the next command reads."""
    return lambda line: monkeypatch.setattr(sys, "stdin", io.StringIO(f"{line}\n"))


async def test_the_user_is_asked_for_a_changed_password_and_the_right_one_is_kept(
    laptop: Computer, login: Login
) -> None:
    login.change("sec@nd/")
    view = await laptop.until(lambda view: view.state.standing is SyncStanding.OFFLINE)
    assert view.state.asks_password
    assert "sori sync password" in view.advice
    before = KeyFile(laptop.home / "keys.json").key("sync-account")
    with pytest.raises(SoriError) as refused:
        await laptop.domain._change_password(kq.ChangeServerPassword(password="first"))
    assert refused.value.reason == "sync_password"
    assert KeyFile(laptop.home / "keys.json").key("sync-account") == before
    await laptop.domain._change_password(kq.ChangeServerPassword(password="sec@nd/"))
    assert not (await laptop.alike()).state.asks_password
    await laptop.stop()
    await laptop.start()
    assert [each.name for each in (await laptop.alike()).devices] == ["laptop"]
    assert "sec@nd/" not in (laptop.home / "config.toml").read_text()


async def test_a_password_of_a_server_that_is_away_changes_nothing(laptop: Computer) -> None:
    before = KeyFile(laptop.home / "keys.json").key("sync-account")
    await laptop.account.change({"sync.server": "postgresql://me@127.0.0.1:9/none"})
    view = await laptop.until(lambda view: view.state.standing is SyncStanding.OFFLINE)
    assert not view.state.asks_password
    with pytest.raises(SoriError) as refused:
        await laptop.domain._change_password(kq.ChangeServerPassword(password="other"))
    assert refused.value.reason == "postgres_server"
    assert KeyFile(laptop.home / "keys.json").key("sync-account") == before


async def test_a_paused_device_takes_a_password_and_stays_paused(laptop: Computer, login: Login) -> None:
    await laptop.domain._pause(rq.PauseSync(paused=True))
    login.change("second")
    await laptop.domain._change_password(kq.ChangeServerPassword(password="second"))
    assert (await laptop.view()).state.standing is SyncStanding.PAUSED
    await laptop.domain._pause(rq.PauseSync(paused=False))
    await laptop.alike()


@pytest.mark.parametrize(("place", "asks"), [("{asked}", True), ("postgresql://me@127.0.0.1:9/none", False)])
async def test_a_missing_password_is_told_apart_from_a_server_that_is_away(
    login: Login, place: str, asks: bool
) -> None:
    server = connected(place.format(asked=login.address.replace(":first", "")), "", MemoryLedger())
    with pytest.raises(StorageError) as raised:
        await server.run(lambda used: used.execute("SELECT 1"), data=DataClass.NONE)
    assert isinstance(raised.value, PasswordRefusedError) is asks
    await server.close()


def test_the_command_line_gives_the_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, login: Login, typed: Callable[[str], None]
) -> None:
    (tmp_path / "config.toml").write_text(SETTINGS, encoding="utf-8")
    monkeypatch.setenv("SORI_HOME", str(tmp_path))
    typed(WORDS)
    assert run_command("sync", "setup", "--in-file", login.address).status == 0
    login.change("second")
    told = run_command("sync", "status").printed
    assert TEXTS("sync.password_advice") in told
    typed("third")
    refused = run_command("sync", "password")
    assert refused.status == 1
    assert TEXTS("error.sync_password", path="", detail="").splitlines()[1] in refused.errors
    typed("second")
    taken = run_command("sync", "password")
    assert (taken.status, taken.printed.splitlines()[0]) == (0, TEXTS("sync.password_changed"))
    assert TEXTS("sync.state.alike") in taken.printed
