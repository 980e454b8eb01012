"""``sori sync`` as a user types it, on a real PostgreSQL: with an engine that runs and without one."""

import asyncio
import getpass
import io
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psycopg
import pytest

from assistant.app.served_engine import ServedEngine
from assistant.core.service.requests.timers import ListTimers
from assistant.engine.checks.check import Check, Grade
from assistant.engine.checks.sync_checks import SyncChecks
from assistant.engine.settings.reading import settings_here
from assistant.host.places import Places
from assistant.host.settings_edit import change_settings
from assistant.host.texts import load_texts
from assistant.remote.local.endpoint import HeldHome
from assistant.sync.postgres.schema import LATEST
from tests.contract.sync.computer import SETTINGS
from tests.e2e.in_process import Outcome, run_command

TEXTS = load_texts("ko")
WORDS = "서로 상관없는 네 낱말입니다"
OTHER_WORDS = "다른 문구를 적어 보았습니다"
END_S = 20.0
GONE = "postgresql://me@127.0.0.1:9/none"

Sori = Callable[..., Outcome]
"""Runs a command for a home: the home's name, the words of the command line, and what is typed, or that it is
typed at a terminal."""


class Terminal(io.StringIO):
    """A terminal at which somebody types."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def sori(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sori:
    def run(home: str, line: str, typed: str = "", *, terminal: bool = False) -> Outcome:
        (tmp_path / home).mkdir(exist_ok=True)
        if not (tmp_path / home / "config.toml").exists():
            (tmp_path / home / "config.toml").write_text(SETTINGS, encoding="utf-8")
        monkeypatch.setenv("SORI_HOME", str(tmp_path / home))
        monkeypatch.setattr(sys, "stdin", Terminal() if terminal else io.StringIO(f"{typed}\n"))
        return run_command("sync", *line.split())

    return run


@contextmanager
def serving(home: Path) -> Iterator[None]:
    """A whole engine that runs for a home."""
    settings = settings_here(home / "config.toml", home)
    served = ServedEngine(home, settings, TEXTS, HeldHome(home), hears=False)
    served.start()
    try:
        asyncio.run(served.engine.connect(lambda _: None, name="test").result(ListTimers()))
        yield
    finally:
        assert served.stop(END_S)


@pytest.fixture(params=["alone", pytest.param("served", marks=pytest.mark.long)])
def laptop(request: pytest.FixtureRequest, sori: Sori, address: str, tmp_path: Path) -> Iterator[str]:
    """A device in an account, whose commands a running engine carries out, or they do so themselves."""
    with ExitStack() as stack:
        sori("laptop", "status")
        if request.param == "served":
            stack.enter_context(serving(tmp_path / "laptop"))
        joined = sori("laptop", f"setup --in-file --device laptop {address}", WORDS)
        assert joined.status == 0, joined
        assert TEXTS("sync.state.alike") in joined.printed
        assert (TEXTS("sync.while_running") in joined.printed) is (request.param == "alone")
        yield "laptop"


def code_of(sori: Sori, home: str) -> str:
    invited = sori(home, "invite")
    assert invited.status == 0, invited
    assert TEXTS("sync.local_server") in invited.errors  # The tests' server is on this computer.
    return invited.printed.strip()


def fails(outcome: Outcome, key: str, **values: str) -> bool:
    """Whether a command has failed with these words alone."""
    return outcome.status == 1 and TEXTS(f"error.{key}", **values) in outcome.errors and not outcome.printed


def examined(home: Path) -> list[Check]:
    """What ``sori doctor`` finds."""
    return list(SyncChecks(Places(home), TEXTS, settings_here(home / "config.toml", home)).sync())


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What commands ask for, at a terminal where the other passphrase is typed each time."""
    questions: list[str] = []

    def typed(question: str) -> str:
        questions.append(question)
        return OTHER_WORDS

    monkeypatch.setattr(getpass, "getpass", typed)
    return questions


def test_a_code_joins_one_device_which_has_all_at_once(sori: Sori, laptop: str, tmp_path: Path) -> None:
    change_settings(tmp_path / laptop / "config.toml", {"desktop.theme": "dark"})
    code = code_of(sori, laptop)
    sori(laptop, "status")
    joined = sori("desktop", "setup --code --in-file --device desktop", code)
    assert joined.status == 0, joined
    assert TEXTS("sync.state.alike") in joined.printed
    devices = sori("desktop", "devices").printed
    assert "laptop" in devices
    assert "desktop" in devices
    assert fails(sori("phone", "setup --code --in-file", code), "sync_code_used")


def test_what_one_command_has_sent_another_has_taken(sori: Sori, address: str, tmp_path: Path) -> None:
    """Without any engine, also the settings."""
    sori("laptop", f"setup --in-file {address}", WORDS)
    change_settings(tmp_path / "laptop" / "config.toml", {"desktop.theme": "dark"})
    sori("laptop", "status")
    sori("desktop", f"setup --in-file {address}", WORDS)
    assert settings_here(tmp_path / "desktop" / "config.toml", tmp_path / "desktop").desktop.theme == "dark"


@pytest.mark.parametrize(
    ("change", "key"),
    [
        (lambda code: code[:-3], "sync_code_mistyped"),
        (lambda _: "hello", "sync_code_mistyped"),
        (lambda _: "", "sync_code_mistyped"),
        (lambda code: code.replace("join-1", "join-2"), "sync_code_version"),
    ],
)
def test_a_wrong_code_is_told_and_the_right_one_still_works(
    sori: Sori, address: str, change: Callable[[str], str], key: str
) -> None:
    sori("laptop", f"setup --in-file {address}", WORDS)
    code = code_of(sori, "laptop")
    assert fails(sori("desktop", "setup --code --in-file", change(code)), key)
    assert sori("desktop", "setup --code --in-file", code).status == 0


def test_a_code_whose_time_is_over_joins_nothing(sori: Sori, address: str) -> None:
    sori("laptop", f"setup --in-file {address}", WORDS)
    code = code_of(sori, "laptop")
    with psycopg.connect(address) as owner:
        owner.execute("UPDATE sori_sync.invitations SET until = now() - interval '1 second'")
    assert fails(sori("desktop", "setup --code --in-file", code), "sync_code_used")
    assert TEXTS("sync.not_in") in sori("desktop", "status").printed


def test_where_no_keys_can_be_kept_the_code_is_not_used_up_and_nothing_is_made(
    sori: Sori, address: str, tmp_path: Path
) -> None:
    assert fails(sori("laptop", f"setup {address}", WORDS), "sync_no_keyring")
    with psycopg.connect(address) as owner:
        assert owner.execute("SELECT to_regclass('sori_sync.devices')").fetchone() == (None,)
    sori("laptop", f"setup --in-file {address}", WORDS)
    code = code_of(sori, "laptop")
    assert fails(sori("desktop", "setup --code", code), "sync_no_keyring")
    assert not Places(tmp_path / "desktop").keys.exists()
    assert sori("desktop", "setup --code --in-file", code).status == 0


@pytest.mark.parametrize("line", ["setup --code", "setup {address}"])
def test_where_no_keys_can_be_kept_nobody_is_asked_for_a_secret(
    sori: Sori, address: str, asked: list[str], line: str
) -> None:
    assert fails(sori("laptop", line.format(address=address), terminal=True), "sync_no_keyring")
    assert asked == []


def test_after_a_new_key_the_new_passphrase_joins_and_the_former_does_not(
    sori: Sori, laptop: str, address: str
) -> None:
    rotated = sori(laptop, "rotate", OTHER_WORDS)
    assert (rotated.status, rotated.printed.strip()) == (0, TEXTS("sync.rotated"))
    assert fails(sori("desktop", f"setup --in-file {address}", WORDS), "sync_other_passphrase")
    assert sori("desktop", f"setup --in-file {address}", OTHER_WORDS).status == 0


def test_a_short_passphrase_changes_nothing(sori: Sori, laptop: str, address: str) -> None:
    for line in ("rotate", f"setup --in-file {address}"):
        assert fails(sori(laptop, line, "짧아요"), "sync_short", most="12")
    assert sori("desktop", f"setup --in-file {address}", WORDS).status == 0


def test_a_device_that_is_shut_out_is_told_so_and_does_nothing_more(sori: Sori, laptop: str, address: str) -> None:
    sori("desktop", f"setup --in-file --device desktop {address}", WORDS)
    unknown = sori(laptop, "revoke phone")
    assert (unknown.status, unknown.errors.strip()) == (1, TEXTS("sync.no_such_device", name="phone"))
    revoked = sori(laptop, "revoke desktop")
    assert revoked.status == 0
    assert TEXTS("sync.revoked", name="desktop") in revoked.printed
    assert TEXTS("sync.state.revoked") in sori("desktop", "status").printed
    for line in ("invite", "rotate", "revoke laptop"):
        refused = sori("desktop", line, WORDS)
        assert fails(refused, "sync_revoked"), line
    assert sori("desktop", f"setup --in-file --device desktop {address}", WORDS).status == 0
    assert TEXTS("sync.state.alike") in sori("desktop", "status").printed


def test_a_device_that_left_is_listed_only_among_all_and_is_not_the_one_that_is_shut_out(
    sori: Sori, laptop: str, address: str
) -> None:
    join = f"setup --in-file --device desktop {address}"
    assert sori("desktop", join, WORDS).status == 0
    assert sori("desktop", "leave").status == 0
    assert "desktop" not in sori(laptop, "devices").printed.replace(TEXTS("sync.former", count="1"), "")
    assert TEXTS("sync.former", count="1") in sori(laptop, "devices").printed
    assert TEXTS("sync.gone") in sori(laptop, "devices --all").printed
    assert sori(laptop, "revoke desktop").status == 1
    assert sori("desktop", join, WORDS).status == 0
    assert sori(laptop, "revoke desktop").status == 0
    assert TEXTS("sync.shut_out") in sori(laptop, "devices").printed


def test_a_passphrase_is_asked_for_once_it_is_clear_which_device_is_shut_out(
    sori: Sori, laptop: str, address: str, asked: list[str]
) -> None:
    assert sori("desktop", f"setup --in-file --device desktop {address}", WORDS).status == 0
    unknown = sori(laptop, "revoke phone", terminal=True)
    assert (unknown.status, unknown.errors.strip()) == (1, TEXTS("sync.no_such_device", name="phone"))
    assert asked == []
    revoked = sori(laptop, "revoke desktop", terminal=True)
    assert asked == [TEXTS("sync.ask_after_revoke"), TEXTS("sync.ask_again")]
    assert revoked.printed.splitlines() == [TEXTS("sync.revoked", name="desktop"), TEXTS("sync.rotated")]
    assert fails(sori("phone", f"setup --in-file {address}", WORDS), "sync_other_passphrase")
    asked.clear()
    for line in ("rotate", f"upgrade {GONE}", "revoke laptop"):
        assert fails(sori("desktop", line, terminal=True), "sync_revoked"), line
    assert asked == []


@pytest.mark.parametrize("words", ["짧아요", ""])
def test_a_short_passphrase_is_refused_when_typed_once_and_before_anything_is_done(
    sori: Sori, laptop: str, address: str, asked: list[str], monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    """For ``revoke`` none at all means that the account gets no new key."""
    assert sori("desktop", f"setup --in-file --device desktop {address}", WORDS).status == 0

    def typed(question: str) -> str:
        asked.append(question)
        return words

    monkeypatch.setattr(getpass, "getpass", typed)
    for line, question in (("rotate", "ask_new_key"), (f"setup --in-file {GONE}", "ask_passphrase")):
        assert fails(sori(laptop, line, terminal=True), "sync_short", most="12"), line
        assert asked == [TEXTS(f"sync.{question}")]
        asked.clear()
    revoked = sori(laptop, "revoke desktop", terminal=True)
    assert asked == [TEXTS("sync.ask_after_revoke")]
    shut_out = TEXTS("sync.shut_out") in sori(laptop, "devices").printed
    if words:
        assert fails(revoked, "sync_short", most="12")
        assert not shut_out
    else:
        assert revoked.printed.splitlines() == [TEXTS("sync.revoked", name="desktop"), TEXTS("sync.to_rotate")]
        assert shut_out


@pytest.mark.parametrize("line", ["rotate", "revoke laptop", f"upgrade {GONE}"])
def test_nobody_is_asked_for_a_secret_of_no_account(sori: Sori, asked: list[str], line: str) -> None:
    assert fails(sori("laptop", line, terminal=True), "sync_not_set_up")
    assert asked == []


@pytest.mark.parametrize("line", ["invite", "rotate", "revoke laptop", "pause", "resume", "leave"])
def test_a_device_in_no_account_is_told_how_to_begin(sori: Sori, line: str) -> None:
    outcome = sori("laptop", line, WORDS)
    assert outcome.status == 1
    assert "sori sync setup" in outcome.printed + outcome.errors


@pytest.mark.parametrize("line", ["invite", "rotate", "revoke desktop"])
def test_without_the_server_a_command_names_it_and_what_to_look_at(
    sori: Sori, laptop: str, line: str, tmp_path: Path
) -> None:
    change_settings(tmp_path / laptop / "config.toml", {"sync.server": GONE})
    offline = TEXTS("sync.state.offline", count="0")
    while not all(each in sori(laptop, "status").printed for each in (offline, "127.0.0.1:9")):
        pass  # An engine that runs has not looked at its settings yet.
    assert TEXTS("sync.offline_advice") in sori(laptop, "status").printed
    outcome = sori(laptop, line, WORDS)
    assert outcome.status == 1
    assert "127.0.0.1:9" in outcome.errors
    assert TEXTS("error.postgres_server", path="", detail="").splitlines()[1] in outcome.errors


def test_without_the_server_the_status_says_so_and_a_setup_changes_nothing(sori: Sori, tmp_path: Path) -> None:
    outcome = sori("laptop", f"setup --in-file {GONE}", WORDS)
    assert outcome.status == 1
    assert "127.0.0.1:9" in outcome.errors
    assert TEXTS("sync.not_in") in sori("laptop", "status").printed


def test_an_address_that_is_none_is_told_with_its_form(sori: Sori) -> None:
    for address in ("me@host/db", "http://host/db", ""):
        assert fails(sori("laptop", f"setup --in-file {address}", WORDS), "postgres_address")


def test_an_older_server_is_told_and_brought_up_to_date_by_the_owner(
    sori: Sori, laptop: str, address: str, tmp_path: Path
) -> None:
    """As after an update of Sori on a device whose login may not change the server."""
    with psycopg.connect(address, autocommit=True) as owner:
        owner.execute("DROP TRIGGER forgotten ON sori_sync.leases")
        owner.execute("DROP FUNCTION sori_sync.forget_effects")
        owner.execute("UPDATE sori_sync.version SET number = %s", (LATEST - 1,))
    home = tmp_path / laptop
    (told,) = examined(home)
    assert told.verdict is Grade.WARN
    assert "sori sync upgrade postgresql://OWNER@" in told.remedy
    refused = sori(laptop, "upgrade", "")
    assert fails(refused, "postgres_address")
    least = settings_here(home / "config.toml", home).sync.server
    assert fails(sori(laptop, f"upgrade {least}"), "sync_tables")
    status = sori(laptop, "status").printed
    if TEXTS("sync.while_running") in status:  # An engine that runs asks every half a minute.
        assert "sori sync upgrade postgresql://OWNER@" in status
    upgraded = sori(laptop, f"upgrade {address}")
    assert (upgraded.status, upgraded.printed.strip()) == (0, TEXTS("sync.upgraded"))
    assert "sori sync upgrade" not in sori(laptop, "status").printed
    (told,) = examined(home)
    assert told.verdict is Grade.OK
    assert settings_here(home / "config.toml", home).sync.server == least


def test_doctor_tells_of_a_server_that_is_away_and_of_missing_keys(sori: Sori, address: str, tmp_path: Path) -> None:
    home = tmp_path / "laptop"
    sori("laptop", "status")
    assert examined(home) == []
    sori("laptop", f"setup --in-file {address}", WORDS)
    change_settings(home / "config.toml", {"sync.server": GONE})
    (away,) = examined(home)
    assert (away.verdict, "127.0.0.1:9" in away.detail) == (Grade.WARN, True)
    Places(home).keys.unlink()
    (missing,) = examined(home)
    assert (missing.verdict, missing.detail) == (Grade.WARN, TEXTS("doctor.sync.no_keys"))
