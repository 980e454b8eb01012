"""Files of messages over HTTP: their bytes, ranges and types, and who gets them."""

import base64
import http.client
import secrets
from typing import Any

import pytest

from tests.e2e.remote.conftest import LIMIT_S, Sori
from tests.e2e.remote.test_records import rows
from tests.fakes.pictures import drawn, encoded

PICTURE = encoded(drawn())


def sent(sori: Sori, name: str, mime_type: str, data: bytes) -> tuple[str, dict[str, Any]]:
    """Send a message with a file; returns the conversation and the file as the message tells it."""
    conversation = sori.new_conversation()
    file = {"name": name, "mime_type": mime_type, "data": base64.b64encode(data).decode()}
    sori.stream(
        "POST", "/v1/agent/chat/stream", {"conversation": conversation, "text": "봐요", "attachments": [file]}
    ).rest()
    messages = sori.call("GET", f"/v1/conversations/{conversation}/messages")[1]["messages"]
    (attached,) = messages[0]["attachments"]
    return conversation, attached


def got(
    sori: Sori, reference: str, headers: dict[str, str] | None = None, token: str = ""
) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", sori.port, timeout=LIMIT_S)
    given = {"authorization": f"Bearer {token or sori.token}", **(headers or {})}
    connection.request("GET", f"/v1/files/{reference}", headers=given)
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response.status, {name.lower(): value for name, value in response.getheaders()}, body


@pytest.mark.parametrize(
    ("name", "told", "data", "answered", "way"),
    [
        ("사진.png", "image/png", PICTURE, "image/png", "inline"),
        ("photo.jpg", "image/jpeg", b"\xff\xd8\xff", "image/jpeg", "inline"),
        ("loud.PNG", "IMAGE/PNG; x=1", PICTURE, "image/png", "inline"),
        ("sound.wav", "audio/wav", b"RIFF", "audio/wav", "inline"),
        ("문서.txt", "text/plain", "글".encode(), "application/octet-stream", "attachment"),
        ("page.html", "text/html", b"<script>1</script>", "application/octet-stream", "attachment"),
        ("drawing.svg", "image/svg+xml", b"<svg/>", "application/octet-stream", "attachment"),
        ("feed.xml", "application/xhtml+xml", b"<html/>", "application/octet-stream", "attachment"),
        ("code.js", "text/javascript", b"1", "application/octet-stream", "attachment"),
        ("paper.pdf", "application/pdf", b"%PDF-1.4", "application/octet-stream", "attachment"),
        ("odd", "image/png\r\nx-evil: 1", b"1", "application/octet-stream", "attachment"),
        ('a/b"\r\n.html', "", b"1", "application/octet-stream", "attachment"),
        ("empty.txt", "text/plain", b"", "application/octet-stream", "attachment"),
    ],
)
def test_a_file_is_sent_in_a_form_that_runs_nothing(
    sori: Sori, name: str, told: str, data: bytes, answered: str, way: str
) -> None:
    _, file = sent(sori, name, told, data)
    status, headers, body = got(sori, file["reference"])
    assert (status, headers["content-type"], body) == (200, answered, data)
    assert headers["content-disposition"].startswith(f"{way}; filename*=UTF-8''")
    assert headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in headers["content-security-policy"]
    assert "x-evil" not in headers
    assert (file["size"], file["mime_type"]) == (len(data), told)


def test_ranges_of_a_long_file_are_sent(sori: Sori) -> None:
    data = secrets.token_bytes(3 * 1024 * 1024 + 5)
    _, file = sent(sori, "long.bin", "application/octet-stream", data)
    assert got(sori, file["reference"])[2] == data
    for wanted, first, end in (
        ("bytes=0-0", 0, 1),
        ("bytes=10-19", 10, 20),
        ("bytes=1048570-1048590", 1048570, 1048591),
        ("bytes=3145728-", 3145728, len(data)),
        ("bytes=-7", len(data) - 7, len(data)),
        ("bytes=-99999999", 0, len(data)),
        ("bytes=5-99999999", 5, len(data)),
    ):
        status, headers, body = got(sori, file["reference"], {"range": wanted})
        assert (status, body) == (206, data[first:end]), wanted
        assert headers["content-range"] == f"bytes {first}-{end - 1}/{len(data)}"
    for wanted in ("bytes=99999999-", "bytes=5-2", "bytes=-0", "bytes=", "bytes=0-1,3-4", "lines=1-2", "bytes=a-b"):
        status, headers, _ = got(sori, file["reference"], {"range": wanted})
        assert (status, headers["content-range"]) == (416, f"bytes */{len(data)}"), wanted


def test_a_file_goes_with_its_conversation_and_to_nobody_without_a_token(sori: Sori) -> None:
    conversation, file = sent(sori, "a.txt", "text/plain", b"1")
    reference = file["reference"]
    assert got(sori, reference, token="wrong")[0] == 401
    assert got(sori, reference, token=sori.confined)[0] == 200
    for unknown in ("x/0", f"{reference.partition('/')[0]}/1", f"{reference.partition('/')[0]}/-1", "%00/0", "%27/x"):
        assert got(sori, unknown)[0] == 404
    assert sori.call("DELETE", f"/v1/conversations/{conversation}")[0] == 204
    assert got(sori, reference)[0] == 404
    sori.call("POST", f"/v1/conversations/{conversation}/restore", {})
    assert got(sori, reference)[0] == 200


def test_a_file_is_in_the_ledger_before_it_leaves(sori: Sori) -> None:
    _, file = sent(sori, "a.png", "image/png", PICTURE)
    assert got(sori, file["reference"])[0] == 200
    query = "SELECT provider, bytes, data FROM egress WHERE purpose = 'http' ORDER BY id DESC LIMIT 1"
    assert rows(sori, query) == [("page", len(PICTURE), "image,audio,document")]
