"""``sori phone`` where no engine runs: the setting, and the phones that are signed in."""

from argparse import Namespace
from pathlib import Path

import pytest

from assistant.app.commands.phone.phone import run
from assistant.core.permissions import Category
from assistant.core.service.callers import Caller
from assistant.core.service.request import RefusedError, Right
from assistant.host.clock import SystemClock
from assistant.host.places import Places
from assistant.host.settings_file import read_settings
from assistant.host.texts import load_texts
from assistant.host.tokens import TokenFile

TEXTS = load_texts("en")


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(tmp_path)


@pytest.fixture
def tokens(places: Places) -> TokenFile:
    return TokenFile(places.phones, SystemClock())


def command(places: Places, action: str, **given: object) -> int:
    return run(places, read_settings(places.config), TEXTS, Namespace(action=action, **given))


def test_it_switches_the_page_on_and_off(places: Places, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(places, "on") == 0
    assert read_settings(places.config).phone.enabled
    assert TEXTS("phone.state.no_engine") in capsys.readouterr().out
    assert command(places, "off") == 0
    assert not read_settings(places.config).phone.enabled
    assert TEXTS("phone.state.off") in capsys.readouterr().out


def test_it_gives_no_code_while_nothing_is_open(places: Places) -> None:
    command(places, "on")
    with pytest.raises(RefusedError) as refused:
        command(places, "code")
    assert refused.value.refusal.reason == "phone_not_open"


def test_it_lists_phones_grants_them_more_and_signs_them_out(
    places: Places, tokens: TokenFile, capsys: pytest.CaptureFixture[str]
) -> None:
    tokens.add(Caller(name="iPhone", by_user=True))
    assert command(places, "list") == 0
    assert "iPhone" in (listed := capsys.readouterr().out)
    assert TEXTS("phone.safe") in listed
    assert command(places, "allow", name="iPhone", tools=True, changes=True) == 0
    (phone,) = tokens.all()
    assert (phone.right, phone.categories) == (Right.MANAGE, frozenset({Category.SAFE, Category.SENSITIVE}))
    assert TEXTS("phone.manage") in capsys.readouterr().out
    assert command(places, "allow", name="iPhone", tools=False, changes=False) == 0
    assert tokens.all()[0].categories == {Category.SAFE}
    assert command(places, "revoke", name="iPhone") == 0
    assert tokens.all() == ()


@pytest.mark.parametrize("action", ["allow", "revoke"])
def test_a_name_that_no_phone_has_is_told(places: Places, action: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(places, action, name="Android", tools=True, changes=False) == 1
    assert "Android" in capsys.readouterr().err
