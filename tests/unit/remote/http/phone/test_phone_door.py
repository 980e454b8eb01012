"""The door for phones: TLS, codes, what a phone may do, and the end of a phone that is signed out."""

import gc
import http.client
import json
import socket
import ssl
from http import HTTPStatus
from pathlib import Path

import pytest
from starlette.types import Message, Scope

from assistant.core.errors import ErrorCode, SoriError
from assistant.core.permissions import Category
from assistant.core.service.request import Right
from assistant.core.service.requests import conversations as cv
from assistant.host.certificate import certificate_for
from assistant.host.clock import SystemClock
from assistant.host.places import RESOURCES
from assistant.remote.http.application import HttpApplication
from assistant.remote.http.attempts import MOST
from assistant.remote.http.entrance import Entrance
from assistant.remote.http.page.files import PageFiles
from assistant.remote.http.phone.door import PhoneDoor
from tests.fakes.front.engine_service import FakeEngineService
from tests.unit.remote.http.phone.conftest import HOST, TEXTS, PhoneServer

LIST = "/v1/conversations"
PAGE = PageFiles(RESOURCES / "page", RESOURCES / "icons", TEXTS)


def test_a_browser_is_shown_the_certificate_whose_fingerprint_is_told(phones: PhoneServer) -> None:
    assert phones.shown_fingerprint() == phones.certificate.fingerprint


def test_words_are_not_sent_without_tls(phones: PhoneServer) -> None:
    plain = http.client.HTTPConnection(HOST, phones.port, timeout=60)
    plain.request("GET", "/")
    with pytest.raises((http.client.HTTPException, ConnectionError)):
        plain.getresponse()
    plain.close()


def test_an_old_tls_is_refused(phones: PhoneServer) -> None:
    old = ssl.create_default_context()
    old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
    with pytest.warns(DeprecationWarning, match="TLSv1"):
        old.maximum_version = ssl.TLSVersion.TLSv1_1
    with socket.create_connection((HOST, phones.port), 60) as raw, pytest.raises((ssl.SSLError, OSError)):
        old.wrap_socket(raw)


def test_it_listens_at_the_given_addresses_alone(phones: PhoneServer) -> None:
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", phones.port), 60)


def test_the_page_and_its_words_need_no_token_and_hold_nothing_of_the_user(phones: PhoneServer) -> None:
    assert phones.call("GET", "/").status == HTTPStatus.OK
    assert phones.call("GET", "/static/words.json").status == HTTPStatus.OK
    assert phones.engine.asked == []


def test_a_code_is_exchanged_once_for_a_cookie_that_no_script_reads(phones: PhoneServer) -> None:
    code = phones.new_code()
    answer = phones.call("POST", "/v1/session", body={"code": code}, headers={"user-agent": "X (Linux; Android 15)"})
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("__Host-sori=sori_")
    assert {"Secure", "HttpOnly", "SameSite=strict", "Path=/"} <= {each.strip() for each in cookie.split(";")}
    assert answer.json == {"token": "", "name": "Android", "right": "use", "categories": ["safe"]}
    assert phones.signed_in == ["Android"]
    again = phones.call("POST", "/v1/session", body={"code": code})
    assert (again.status, again.reason) == (HTTPStatus.UNAUTHORIZED, "phone_wrong_code")
    assert "QR code" in again.json["error"]["message"]


def test_wrong_codes_are_slowed_down_and_phones_that_are_signed_in_are_not(phones: PhoneServer) -> None:
    phone = phones.new_phone()
    phones.engine.replies[cv.ListConversations] = ()
    reasons = [phones.call("POST", "/v1/session", body={"code": "wrong"}).reason for _ in range(MOST + 1)]
    assert reasons == ["phone_wrong_code"] * MOST + ["too_many_tries"]
    assert phones.call("GET", LIST, token=phone).status == HTTPStatus.OK


def test_a_phone_has_safe_tools_until_the_computer_grants_more(phones: PhoneServer) -> None:
    phone = phones.new_phone()
    phones.engine.replies[cv.ListConversations] = ()
    phones.call("GET", LIST, token=phone)
    refused = phones.call("DELETE", f"{LIST}/1", token=phone)
    assert (refused.status, refused.reason) == (HTTPStatus.FORBIDDEN, "phone_not_granted")
    both = frozenset({Category.SAFE, Category.SENSITIVE})
    assert phones.tokens.grant("iPhone", right=Right.MANAGE, categories=both)
    phones.call("GET", LIST, token=phone)
    first, second = (grant for _, grant in phones.engine.asked)
    assert (first.categories, first.rights, first.by_user) == (frozenset({Category.SAFE}), frozenset({Right.USE}), True)
    assert (second.categories, second.rights) == (both, frozenset({Right.USE, Right.MANAGE}))


def test_a_token_counts_as_a_cookie_alone(phones: PhoneServer) -> None:
    phone = phones.new_phone()
    assert phones.call("GET", LIST, headers={"authorization": f"Bearer {phone}"}).reason == "phone_no_token"


def test_a_page_of_another_site_cannot_use_the_cookie(phones: PhoneServer) -> None:
    phone = phones.new_phone()
    for origin in ("https://elsewhere.example", f"http://{HOST}:{phones.port}", f"https://{HOST}:1"):
        answer = phones.call("POST", LIST, token=phone, body={}, headers={"origin": origin})
        assert (answer.status, answer.reason) == (HTTPStatus.FORBIDDEN, "foreign_origin")
    connection = phones.connect()
    connection.request("POST", LIST, body="{}", headers={"cookie": f"__Host-sori={phone}"})
    assert json.loads(connection.getresponse().read())["error"]["reason"] == "foreign_origin"
    connection.close()
    assert phones.engine.asked == []


def test_another_name_of_the_computer_is_refused(phones: PhoneServer) -> None:
    answer = phones.call("GET", "/", headers={"host": f"rebound.example:{phones.port}"})
    assert (answer.status, answer.reason) == (HTTPStatus.MISDIRECTED_REQUEST, "phone_foreign_host")


@pytest.mark.parametrize(
    ("peer", "status"),
    [
        ("192.168.0.9", HTTPStatus.OK),
        ("10.1.1.1", HTTPStatus.OK),
        ("172.31.0.1", HTTPStatus.OK),
        ("169.254.3.4", HTTPStatus.OK),
        ("fd12::9", HTTPStatus.OK),
        ("8.8.8.8", HTTPStatus.FORBIDDEN),
        ("172.32.0.1", HTTPStatus.FORBIDDEN),
        ("100.64.0.1", HTTPStatus.FORBIDDEN),
        ("2001:4860::8", HTTPStatus.FORBIDDEN),
        ("", HTTPStatus.FORBIDDEN),
    ],
)
async def test_only_peers_of_private_networks_are_answered(phones: PhoneServer, peer: str, status: HTTPStatus) -> None:
    entrance = Entrance(port=7675, hosts=("192.168.0.5",), for_phones=True)

    application = HttpApplication(phones.engine, phones.tokens, TEXTS, entrance, PAGE)
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b""}

    async def send(message: Message) -> None:
        sent.append(message)

    scope: Scope = {
        "type": "http",
        "method": "GET",
        "path": "/",
        "headers": [(b"host", b"192.168.0.5:7675")],
        "client": (peer, 1),
    }
    await application(scope, receive, send)
    assert sent[0]["status"] == status
    application.close()


def test_a_phone_that_is_signed_out_is_cut_off_in_the_middle_of_an_answer(phones: PhoneServer) -> None:
    phone = phones.new_phone()
    connection = phones.connect()
    headers = {"cookie": f"__Host-sori={phone}", "origin": phones.origin, "content-type": "application/json"}
    connection.request("GET", "/v1/events", headers=headers)
    stream = connection.getresponse()
    assert stream.readline()
    assert phones.tokens.revoke("iPhone")
    phones.door.cut_off("iPhone")
    with pytest.raises((http.client.IncompleteRead, ConnectionError)):
        stream.read()
    connection.close()
    answer = phones.call("GET", LIST, token=phone)
    assert (answer.status, answer.reason) == (HTTPStatus.UNAUTHORIZED, "phone_wrong_token")


def test_when_a_phone_was_last_here_is_noted(phones: PhoneServer) -> None:
    phone = phones.new_phone()
    assert phones.tokens.all()[0].seen_at == ""
    phones.engine.replies[cv.ListConversations] = ()
    phones.call("GET", LIST, token=phone)
    assert phones.tokens.all()[0].seen_at


def test_phones_of_one_kind_have_names_of_their_own(phones: PhoneServer) -> None:
    for _ in range(2):
        phones.new_phone()
    phones.new_phone("curl/8")
    assert [each.name for each in phones.tokens.all()] == ["iPhone", "iPhone 2", "phone"]


def test_a_port_that_is_taken_is_told_with_a_remedy(phones: PhoneServer) -> None:
    other = PhoneDoor(FakeEngineService(), phones.tokens, TEXTS, PAGE, lambda _: None)
    with pytest.raises(SoriError) as refused:
        other.open([HOST], phones.port, phones.certificate.path)
    words = TEXTS(refused.value.message_key, **refused.value.values)
    assert str(phones.port) in words
    assert "phone.port" in words


def test_an_address_that_has_gone_does_not_close_the_others(tmp_path: Path, phones: PhoneServer) -> None:
    certificate = certificate_for(tmp_path / "other.pem", ["127.0.0.3"], SystemClock().now())
    other = PhoneDoor(FakeEngineService(), phones.tokens, TEXTS, PAGE, lambda _: None)
    port = other.open(["192.0.2.77", "127.0.0.3"], 0, certificate.path)
    socket.create_connection(("127.0.0.3", port), 60).close()
    other.close()
    with pytest.raises(SoriError) as refused:
        other.open(["192.0.2.77"], 0, certificate.path)
    assert refused.value.code is ErrorCode.NETWORK
    assert refused.value.reason == "phone_no_network"


@pytest.mark.parametrize("hangs_up", [True, False])
def test_connections_before_their_handshake_are_closed_with_the_door(phones: PhoneServer, *, hangs_up: bool) -> None:
    door = PhoneDoor(FakeEngineService(), phones.tokens, TEXTS, PAGE, lambda _: None)
    for _ in range(8):  # the door meets them anywhere between being accepted and their handshake
        port = door.open([HOST], 0, phones.certificate.path)
        with socket.create_connection((HOST, port), 60) as raw:
            if hangs_up:
                raw.close()
            door.close()
    gc.collect()  # a socket that was left open is told here, as an error
