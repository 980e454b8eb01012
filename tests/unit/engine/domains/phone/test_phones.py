"""The page for phones is opened and closed, codes are given, and phones are granted more or signed out."""

import asyncio
import json
import socket
import ssl
import urllib.parse
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from http import HTTPStatus
from http.client import HTTPSConnection
from pathlib import Path

import pytest

from assistant.app.phone.line import DoorToPhones
from assistant.core import updates as up
from assistant.core.errors import SoriError
from assistant.core.live_settings import LiveSettings
from assistant.core.service.requests.conversations import ListConversations
from assistant.core.service.requests.phone import phones as rq
from assistant.core.settings import PhoneSettings, Settings
from assistant.engine.domains.phone.phone_shelf import PhoneShelf
from assistant.engine.domains.phone.phones import LOOK_S, Phones
from assistant.host.places import Places
from assistant.host.texts import load_texts
from assistant.host.tokens import CODE_S, TokenFile
from tests.fakes.clock import FakeClock
from tests.fakes.front.asking import ask
from tests.fakes.front.engine_service import FakeEngineService

FIRST, SECOND = "127.0.0.4", "127.0.0.5"
TEXTS = load_texts("en")


@dataclass
class Held:
    """Notes whose turns were stopped."""

    stopped: list[str] = field(default_factory=list)

    def stop_held(self, holder: str) -> None:
        self.stopped.append(holder)


@dataclass
class Desk:
    """The domain with a real door, at addresses that a test chooses.

    Attributes:
        addresses: those of the computer at present.
    """

    domain: Phones
    line: DoorToPhones
    live: LiveSettings
    clock: FakeClock
    addresses: list[str]
    told: list[up.Update]
    turns: Held
    port: int

    async def switch(self, *, on: bool, port: int = 0) -> None:
        self.live.change(replace(self.live.current, phone=PhoneSettings(enabled=on, port=port or self.port)))
        await self.domain.follow(self.live.current)

    async def view(self) -> rq.PhonesView:
        return await ask(self.domain, rq.ReadPhones())

    async def code(self) -> rq.GivenPhoneCode:
        return await ask(self.domain, rq.MakePhoneCode())

    def call(self, link: str, method: str, path: str, body: object = None, cookie: str = "") -> tuple[int, str]:
        """Call the page of a link as a phone does; returns the status and the cookie that was set."""
        host = urllib.parse.urlsplit(link).netloc
        unchecked = ssl.create_default_context()
        unchecked.check_hostname, unchecked.verify_mode = False, ssl.CERT_NONE
        connection = HTTPSConnection(host, timeout=60, context=unchecked)
        headers = {"origin": f"https://{host}", "content-type": "application/json", "cookie": cookie}
        connection.request(method, path, body=None if body is None else json.dumps(body), headers=headers)
        response = connection.getresponse()
        response.read()
        connection.close()
        return response.status, response.headers.get("set-cookie", "").partition(";")[0]

    async def sign_in(self, link: str) -> tuple[int, str]:
        code = urllib.parse.parse_qs(urllib.parse.urlsplit(link).fragment)["code"][0]
        return await asyncio.to_thread(self.call, link, "POST", "/v1/session", {"code": code})


@pytest.fixture
async def desk(tmp_path: Path, clock: FakeClock) -> AsyncIterator[Desk]:
    service, addresses, places = FakeEngineService(), [FIRST], Places(tmp_path)
    service.replies[ListConversations] = ()
    live, told, turns = LiveSettings(Settings()), list[up.Update](), Held()
    line = DoorToPhones(places, service, TEXTS, lambda: addresses, clock)
    with socket.create_server((FIRST, 0)) as found:
        port = int(found.getsockname()[1])

    async def switch(on: bool) -> None:
        await made.switch(on=on)

    domain = Phones(
        tokens=TokenFile(places.phones, clock),
        line=line,
        turns=turns,
        live=live,
        switch=switch,
        texts=TEXTS,
        publish=told.append,
        clock=clock,
    )
    made = Desk(domain, line, live, clock, addresses, told, turns, port)
    yield made
    await line.close()


def is_open(address: str, port: int) -> bool:
    with suppress(ConnectionRefusedError):
        socket.create_connection((address, port), 5).close()
        return True
    return False


async def test_it_is_closed_until_it_is_switched_on_and_again_after_it_was_switched_off(desk: Desk) -> None:
    await desk.switch(on=False)
    assert not is_open(FIRST, desk.port)
    assert (await desk.view()).standing.state is rq.PhoneState.OFF
    await desk.switch(on=True)
    assert is_open(FIRST, desk.port)
    view = await desk.view()
    assert view.standing.state is rq.PhoneState.OPEN
    assert view.standing.addresses == (f"https://{FIRST}:{desk.port}/",)
    assert up.PhonesChanged() in desk.told
    await desk.switch(on=False)
    assert not is_open(FIRST, desk.port)


async def test_without_a_local_network_nothing_is_open_and_no_code_is_given(desk: Desk) -> None:
    desk.addresses.clear()
    await desk.switch(on=True)
    assert (await desk.view()).standing.state is rq.PhoneState.NO_NETWORK
    with pytest.raises(SoriError) as refused:
        await desk.code()
    assert refused.value.reason == "phone_not_open"


async def test_the_page_follows_the_addresses_of_the_computer(desk: Desk) -> None:
    await desk.switch(on=True)
    before = (await desk.view()).standing.fingerprint
    desk.addresses[:] = [SECOND]
    watching = asyncio.create_task(desk.domain.watch())
    await desk.clock.until_sleeping()
    desk.clock.advance(LOOK_S)
    await desk.clock.until_sleeping()
    watching.cancel()
    assert (await desk.view()).standing.addresses == (f"https://{SECOND}:{desk.port}/",)
    assert (is_open(FIRST, desk.port), is_open(SECOND, desk.port)) == (False, True)
    assert (await desk.view()).standing.fingerprint != before


async def test_a_port_that_another_program_uses_is_told_and_opened_when_it_is_free(desk: Desk) -> None:
    with socket.create_server((FIRST, desk.port)):
        with pytest.raises(SoriError, match=str(desk.port)):
            await desk.switch(on=True)
        view = await desk.view()
        assert view.standing.state is rq.PhoneState.REFUSED
        assert str(desk.port) in view.words
    await desk.domain.follow(desk.live.current)
    assert is_open(FIRST, desk.port)


async def test_a_link_holds_a_code_for_one_phone_and_the_fingerprint_of_the_certificate(desk: Desk) -> None:
    await desk.switch(on=True)
    given = await desk.code()
    fragment = urllib.parse.parse_qs(urllib.parse.urlsplit(given.link).fragment)
    assert fragment["sha256"] == [given.fingerprint.replace(":", "").lower()]
    assert given.link.startswith(f"https://{FIRST}:{desk.port}/#")
    assert datetime.fromisoformat(given.until) - desk.clock.now() == timedelta(seconds=CODE_S)
    assert (await desk.sign_in(given.link))[0] == HTTPStatus.OK
    assert (await desk.sign_in(given.link))[0] == HTTPStatus.UNAUTHORIZED
    await asyncio.sleep(0)
    (phone,) = (await desk.view()).phones
    assert (phone.name, phone.sensitive, phone.manage) == ("phone", False, False)
    assert any(isinstance(each, up.NoticePosted) and each.values == {"name": "phone"} for each in desk.told)


async def test_a_code_ends_after_five_minutes_and_with_the_next_one(desk: Desk) -> None:
    await desk.switch(on=True)
    first, second = await desk.code(), await desk.code()
    assert (await desk.sign_in(first.link))[0] == HTTPStatus.UNAUTHORIZED
    desk.clock.advance(CODE_S + 1)
    assert (await desk.sign_in(second.link))[0] == HTTPStatus.UNAUTHORIZED


async def test_a_phone_is_granted_more_and_less_at_once_and_keeps_its_token(desk: Desk) -> None:
    await desk.switch(on=True)
    link = (await desk.code()).link
    _, cookie = await desk.sign_in(link)
    for sensitive, manage in ((True, False), (True, True), (False, False)):
        assert await ask(desk.domain, rq.GrantPhone(name="phone", sensitive=sensitive, manage=manage))
        (phone,) = (await desk.view()).phones
        assert (phone.sensitive, phone.manage) == (sensitive, manage)
    status, _ = await asyncio.to_thread(desk.call, link, "GET", "/v1/conversations", None, cookie)
    assert status == HTTPStatus.OK
    assert not await ask(desk.domain, rq.GrantPhone(name="other", sensitive=True, manage=True))


async def test_a_phone_that_is_signed_out_is_refused_and_its_turns_are_stopped(desk: Desk) -> None:
    await desk.switch(on=True)
    link = (await desk.code()).link
    _, cookie = await desk.sign_in(link)
    assert await ask(desk.domain, rq.RevokePhone(name="phone"))
    assert desk.turns.stopped == ["phone"]
    status, _ = await asyncio.to_thread(desk.call, link, "GET", "/v1/conversations", None, cookie)
    assert status == HTTPStatus.UNAUTHORIZED
    assert (await desk.view()).phones == ()
    assert not await ask(desk.domain, rq.RevokePhone(name="phone"))


async def test_erasing_signs_all_phones_out_and_leaves_neither_tokens_nor_the_certificate(
    desk: Desk, tmp_path: Path
) -> None:
    shelf = PhoneShelf(desk.domain, Places(tmp_path))
    assert (await shelf.look()).count == 0
    await desk.switch(on=True)
    link, before = (await desk.code()).link, (await desk.view()).standing.fingerprint
    _, cookie = await desk.sign_in(link)
    Places(tmp_path).phones.with_suffix(".json.damaged").write_text("{")
    kept = await shelf.look()
    assert (kept.count, kept.size > 0) == (2, True)
    await shelf.clear()
    status, _ = await asyncio.to_thread(desk.call, link, "GET", "/v1/conversations", None, cookie)
    assert status == HTTPStatus.UNAUTHORIZED
    assert desk.turns.stopped == ["phone"]
    assert (await desk.view()).standing.fingerprint not in ("", before)
    await desk.switch(on=False)
    await shelf.clear()
    assert (await shelf.look()).count == 0
    assert not Places(tmp_path).phones.exists()
    assert not Places(tmp_path).phone_certificate.exists()
