import json
import socket
from typing import Any
from urllib.parse import quote

import pytest

from assistant.core.errors import ErrorCode
from assistant.core.service.callers import Caller
from assistant.core.service.request import Refusal
from assistant.core.service.requests import conversations, memory, models
from assistant.core.service.requests.remote_calls import BeginCall, EndCall
from assistant.remote.http import attempts, guard, protocol
from assistant.remote.http.refusals import without_paths
from tests.unit.remote.http.conftest import OpenDoor

LIST = "/v1/conversations"


@pytest.fixture(autouse=True)
def _lists(door: OpenDoor) -> None:
    door.engine.replies[conversations.ListConversations] = ()


def spoken(door: OpenDoor, lines: bytes) -> bytes:
    """What the door answers to these bytes, until it closes the connection."""
    with socket.create_connection(("127.0.0.1", door.port), timeout=60) as raw:
        raw.sendall(lines)
        answer = b""
        while piece := raw.recv(65536):
            answer += piece
        return answer


def head(door: OpenDoor, *lines: str) -> bytes:
    return "\r\n".join([f"GET {LIST} HTTP/1.1", *lines, "", ""]).encode().replace(b"PORT", str(door.port).encode())


def test_a_caller_with_a_token_is_served(door: OpenDoor) -> None:
    answer = door.call("GET", LIST)
    assert (answer.status, answer.json) == (200, {"conversations": []})


@pytest.mark.parametrize("host", ["127.0.0.1:PORT", "localhost:PORT", "LOCALHOST:PORT", "[::1]:PORT"])
def test_sori_answers_under_its_own_names(door: OpenDoor, host: str) -> None:
    assert door.call("GET", LIST, headers={"host": host.replace("PORT", str(door.port))}).status == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:PORT",
        "127.0.0.1",
        "127.0.0.1:1",
        "127.0.0.1.evil.example:PORT",
        "localhost.evil.example:PORT",
        "127.0.0.2:PORT",
        "0.0.0.0:PORT",
        "[::]:PORT",
        "192.168.0.5:PORT",
        "sori:PORT",
        "127.0.0.1:PORT@evil.example",
        "한글.example:PORT".encode().decode("latin-1"),
        "",
        "2130706433:PORT",
        "localhost.:PORT",
    ],
)
def test_a_foreign_host_is_refused(door: OpenDoor, host: str) -> None:
    answer = door.call("GET", LIST, headers={"host": host.replace("PORT", str(door.port))})
    assert (answer.status, answer.reason) == (421, "foreign_host")
    assert door.engine.asked == []


@pytest.mark.parametrize("lines", [("Host: 127.0.0.1:PORT", "Host: evil.example"), ("Host: evil.example",), ()])
def test_two_hosts_or_none_are_refused(door: OpenDoor, lines: tuple[str, ...]) -> None:
    answer = spoken(door, head(door, *lines, f"Authorization: Bearer {door.token}"))
    assert answer.split(b" ")[1] in (b"400", b"421")
    assert b'"reason":' in answer
    assert door.engine.asked == []


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "https://127.0.0.1:PORT"},
        {"origin": "http://127.0.0.1:1"},
        {"origin": "http://127.0.0.1"},
        {"origin": "http://localhost:3000"},
        {"origin": "null"},
        {"origin": ""},
        {"origin": "file://"},
        {"origin": "chrome-extension://abcdef"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"origin": "http://127.0.0.1:PORT", "sec-fetch-site": "cross-site"},
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
def test_a_page_of_another_origin_is_refused(door: OpenDoor, headers: dict[str, str], method: str) -> None:
    headers = {name: value.replace("PORT", str(door.port)) for name, value in headers.items()}
    answer = door.call(method, LIST, headers=headers)
    assert (answer.status, answer.reason) == (403, "foreign_origin")
    assert not any(name.startswith("access-control") for name in answer.headers)
    assert door.engine.asked == []


@pytest.mark.parametrize("origin", ["http://127.0.0.1:PORT", "http://localhost:PORT", "http://[::1]:PORT"])
def test_the_page_of_sori_is_served(door: OpenDoor, origin: str) -> None:
    headers = {"origin": origin.replace("PORT", str(door.port)), "sec-fetch-site": "same-origin"}
    answer = door.call("GET", LIST, headers=headers)
    assert answer.status == 200
    assert not any(name.startswith("access-control") for name in answer.headers)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (None, "no_token"),
        ("", "no_token"),
        ("Bearer", "no_token"),
        ("Bearer ", "no_token"),
        ("Basic TOKEN", "no_token"),
        ("TOKEN", "no_token"),
        ("Bearer wrong", "wrong_token"),
        ("Bearer TOKENx", "wrong_token"),
        ("Bearer xTOKEN", "wrong_token"),
        ("Bearer TOKEN TOKEN", "wrong_token"),
        ("Bearer null", "wrong_token"),
        ("Bearer \xff\xfe", "wrong_token"),
    ],
)
def test_without_a_valid_token_nothing_is_done(door: OpenDoor, value: str | None, reason: str) -> None:
    headers = {} if value is None else {"authorization": value.replace("TOKEN", door.token)}
    answer = door.call("DELETE", f"{LIST}/1", token=None, headers=headers)
    assert (answer.status, answer.reason) == (401, reason)
    assert answer.headers["www-authenticate"].startswith("Bearer")
    assert door.engine.asked == []


@pytest.mark.parametrize("path", ["/", "/v1/nothing", "/v1/openapi.json", "/docs", "/static", "/v1", "/favicon.ico"])
def test_without_a_token_nobody_learns_what_there_is(door: OpenDoor, path: str) -> None:
    answer = door.call("GET", path, token=None)
    assert answer.status == (404 if path == "/" else 401)


def test_wrong_tokens_are_counted_and_a_right_one_still_works(door: OpenDoor) -> None:
    statuses = [door.call("GET", LIST, token=f"wrong{n}").status for n in range(attempts.MOST + 3)]
    assert statuses == [401] * attempts.MOST + [429] * 3
    answer = door.call("GET", LIST, token="wrong")
    assert answer.reason == "too_many_tries"
    assert 0 < int(answer.headers["retry-after"]) <= attempts.WITHIN_S + 1
    assert door.call("GET", LIST).status == 200
    # What is refused unseen fills no log.
    assert len([each for each in door.engine.begun if each.refusal]) == attempts.MOST


@pytest.mark.parametrize(
    ("call", "headers"),
    [
        ("/v1/conversations", {}),
        ("/v1/없는곳", {}),
        ("/v1/events", {"authorization": "Basic abc"}),
        ("/", {"host": "evil.example"}),
        ("/v1/memory", {"host": "나쁜.example".encode().decode("latin-1")}),
        ("/v1/status", {"origin": "http://evil.example"}),
        ("/v1/status", {"sec-fetch-site": "cross-site"}),
        ("/v1/session", {"sec-fetch-site": "same-site"}),
        ("/v1/session", {}),
        ("/static/page.js", {"origin": "null"}),
    ],
)
def test_whoever_has_no_token_cannot_fill_the_log(
    door: OpenDoor, call: str, headers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "MOST_UNKNOWN", 3)
    door.reopen()
    answers = [door.call("GET", quote(call), token=None, headers=headers) for _ in range(6)]
    assert {each.status // 100 for each in answers} == {4}
    assert len(door.engine.begun) == 3
    door.call("GET", LIST)
    assert door.engine.begun[-1].caller == "editor"


@pytest.mark.parametrize("half", ["{", '{"code": "sori_', '{"code": "열쇠'])
@pytest.mark.parametrize("call", ["POST /v1/session", "POST /v1/conversations", "POST /v1/audio/transcriptions"])
def test_who_leaves_in_the_middle_of_a_body_is_no_failure(
    door: OpenDoor, call: str, half: str, caplog: pytest.LogCaptureFixture
) -> None:
    token, kind = f"Authorization: Bearer {door.token}", "Content-Type: application/json"
    if "audio" in call:
        kind, half = "Content-Type: multipart/form-data; boundary=B", f"--B\r\nX: {half}"
    lines = [f"{call} HTTP/1.1", f"Host: 127.0.0.1:{door.port}", token, kind, "Content-Length: 500", "", half]
    with caplog.at_level("INFO"):
        with socket.create_connection(("127.0.0.1", door.port), timeout=60) as raw:
            raw.sendall("\r\n".join(lines).encode())
        while "is gone" not in caplog.text and "failed" not in caplog.text:
            door.call("GET", LIST)
    assert "failed" not in caplog.text


def test_a_long_path_is_recorded_in_part(door: OpenDoor) -> None:
    door.call("GET", "/v1/" + "a" * 5000, token=None)
    door.call("GET", f"/v1/conversations/{'b' * 5000}/messages")
    assert [len(each.path) <= 300 for each in door.engine.begun] == [True, True]


def test_attempts_to_sign_in_are_counted(door: OpenDoor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "MOST_UNKNOWN", 3)
    door.reopen()
    statuses = [door.call("POST", "/v1/session", token=None, body={}).status for _ in range(5)]
    assert statuses == [400, 400, 400, 429, 429]
    assert len(door.engine.begun) == 3


@pytest.mark.parametrize("size", [guard.LARGEST_PUBLIC_BODY + 1, 100_000])
def test_without_a_token_only_a_code_is_read(door: OpenDoor, size: int) -> None:
    answer = door.call("POST", "/v1/session", token=None, body={"code": "x" * size})
    assert (answer.status, answer.reason) == (413, "body_too_large")


def test_a_revoked_token_is_refused_at_once(door: OpenDoor) -> None:
    assert door.call("GET", LIST).status == 200
    door.tokens.revoke("editor")
    assert door.call("GET", LIST).reason == "wrong_token"


def test_a_token_without_the_right_changes_nothing(door: OpenDoor) -> None:
    door.engine.replies[models.RemoveModel] = None
    answer = door.call("DELETE", "/v1/weights/qwen")
    assert (answer.status, answer.reason) == (403, "not_granted")
    assert door.engine.asked == []
    assert door.call("DELETE", "/v1/weights/qwen", token=door.manager).status == 204


def test_the_engine_is_told_what_the_caller_was_granted(door: OpenDoor) -> None:
    door.call("GET", LIST)
    door.call("GET", LIST, token=door.manager)
    assert [{*grant.rights} for _, grant in door.engine.asked] == [{"use"}, {"use", "manage"}]
    assert [{*grant.categories} for _, grant in door.engine.asked] == [{"safe"}, {"safe", "sensitive"}]


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH"])
def test_a_body_that_is_too_large_is_not_read(door: OpenDoor, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "LARGEST_BODY", 1000)
    answer = door.call(method, LIST, raw=b"x" * 5000, headers={"content-type": "application/json"})
    assert (answer.status, answer.reason) == (413, "body_too_large")


def test_a_body_in_chunks_is_limited_as_well(door: OpenDoor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "LARGEST_BODY", 1000)
    chunk = b"1f4\r\n" + b"x" * 500 + b"\r\n"
    lines = head(door, "Host: 127.0.0.1:PORT", f"Authorization: Bearer {door.token}", "Transfer-Encoding: chunked")
    answer = spoken(door, lines.replace(b"GET", b"POST").replace(LIST.encode(), b"/v1/agent/chat") + chunk * 5)
    assert answer.split(b" ")[1] == b"413"
    assert b"body_too_large" in answer


@pytest.mark.parametrize(
    "lines",
    [
        b"\r\n\r\n\r\n",
        b"hello\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost : a\r\n\r\n",
        b"GET / HTTP/1.1\r\nbad header\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999999\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 600,
        b"\0" * 100 + b"\r\n\r\n",
        b"GET /\xff\xfe HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET / HTTP/1.1\r\nX: " + b"a" * 40_000 + b"\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ],
)
def test_what_is_no_http_gets_a_typed_error_and_nothing_else(door: OpenDoor, lines: bytes) -> None:
    answer = spoken(door, lines.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n", 1))
    status, _, rest = answer.partition(b"\r\n\r\n")
    assert int(status.split(b" ")[1]) in (400, 401, 404, 413, 421)
    assert "reason" in json.loads(rest)["error"]
    assert not any(word in answer.lower() for word in (b"uvicorn", b"h11", b"traceback", b"python", b".py"))
    assert door.call("GET", LIST).status == 200


def test_headers_that_do_not_arrive_are_not_waited_for(door: OpenDoor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "HEADERS_S", 2.0)
    answer = spoken(door, b"GET / HTTP/1.1\r\nHost: 127")
    assert answer.split(b" ")[1] == b"408"
    assert b"too_slow" in answer


def test_a_connection_that_is_not_used_is_closed_without_words(door: OpenDoor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "HEADERS_S", 0.2)
    assert spoken(door, b"") == b""


def test_the_headers_of_a_second_request_are_not_waited_for_either(
    door: OpenDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "HEADERS_S", 2.0)
    first = head(door, "Host: 127.0.0.1:PORT", f"Authorization: Bearer {door.token}")
    with socket.create_connection(("127.0.0.1", door.port), timeout=60) as raw:
        raw.sendall(first)
        assert raw.recv(65536).startswith(b"HTTP/1.1 200")
        raw.sendall(b"GET / HTT")
        answer = b""
        while piece := raw.recv(65536):
            answer += piece
    assert b"408" in answer


def test_a_body_that_does_not_arrive_is_not_waited_for(door: OpenDoor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "BODY_S", 0.2)
    lines = head(door, "Host: 127.0.0.1:PORT", f"Authorization: Bearer {door.manager}", "Content-Length: 50")
    answer = spoken(door, lines.replace(b"GET", b"PATCH").replace(LIST.encode(), LIST.encode() + b"/1") + b"{")
    assert answer.split(b" ")[1] == b"408"
    assert b"body_too_slow" in answer


def test_more_connections_than_the_limit_are_refused(door: OpenDoor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "MOST_CONNECTIONS", 3)
    held = [socket.create_connection(("127.0.0.1", door.port)) for _ in range(3)]
    try:
        answer = spoken(door, b"")
        assert answer.split(b" ")[1] == b"503"
        assert b"too_many_connections" in answer
    finally:
        for each in held:
            each.close()
    while b"too_many" in spoken(door, head(door, "Host: a", "Connection: close")):
        pass  # the door has not seen yet that they are gone


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        (b"{", 400),
        (b"[]", 400),
        (b'"x"', 400),
        (b"null", 400),
        (b"NaN", 400),
        (b'{"title": NaN}', 400),
        (b'{"title": 5}', 400),
        (b'{"title": null}', 400),
        (b'{"title": "\\ud800"}', 400),
        (b'{"title": "x", "other": 1}', 400),
        (b'{"title": "x", "conversation": 5, "right": "own"}', 400),
        (b"", 400),
        (b"\xff\xfe", 400),
        (b'{"title": ' + b"[" * 50_000 + b"]" * 50_000 + b"}", 400),
        (b'{"title": "x"}', 204),
        ('{"title": "제목 🙂"}'.encode(), 204),
    ],
)
def test_a_body_is_understood_whole_or_refused(door: OpenDoor, raw: bytes, status: int) -> None:
    door.engine.replies[conversations.RenameConversation] = None
    answer = door.call("PATCH", f"{LIST}/1", token=door.manager, raw=raw, headers={"content-type": "application/json"})
    assert answer.status == status
    assert len(door.engine.asked) == (status == 204)


def test_the_path_says_which_conversation_whatever_the_body_says(door: OpenDoor) -> None:
    door.engine.replies[conversations.RenameConversation] = None
    door.call("PATCH", f"{LIST}/mine", token=door.manager, body={"title": "x", "conversation": "another"})
    assert door.engine.asked[0][0] == conversations.RenameConversation(conversation="mine", title="x")


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "", "multipart/form-data"])
def test_a_body_of_another_type_is_refused(door: OpenDoor, kind: str) -> None:
    answer = door.call("PATCH", f"{LIST}/1", token=door.manager, raw=b'{"title": "x"}', headers={"content-type": kind})
    assert (answer.status, answer.reason) == (415, "wrong_type")


@pytest.mark.parametrize(
    "query", ["?limit=x", "?limit=1e3", "?limit=99999999999999999999", "?limit=1&limit=2", "?other=1"]
)
def test_a_query_is_understood_whole_or_refused(door: OpenDoor, query: str) -> None:
    assert door.call("GET", LIST + query).status == 400
    assert door.engine.asked == []


def test_another_method_is_told_which_there_are(door: OpenDoor) -> None:
    answer = door.call("DELETE", LIST)
    assert (answer.status, answer.reason, answer.headers["allow"]) == (405, "no_such_method", "GET, POST")


def test_every_call_is_recorded_before_it_is_carried_out(door: OpenDoor) -> None:
    door.call("GET", LIST)
    (begun,) = door.engine.begun
    assert begun == BeginCall(caller="editor", call=f"GET {LIST}", path=LIST)
    (ended,) = door.engine.ended
    assert (ended.outcome, ended.result, ended.caller) == ("done", "200", "editor")
    assert ended.destination == f"http://127.0.0.1:{door.port}"
    assert ended.size == len(door.call("GET", LIST).body)
    assert {*ended.data} == {"conversation", "tool_result"}


def test_refused_calls_are_recorded_too(door: OpenDoor) -> None:
    door.call("GET", LIST, token="wrong")
    door.call("DELETE", "/v1/weights/qwen")
    door.call("GET", "/v1/nothing")
    assert [(each.caller, each.refusal) for each in door.engine.begun] == [
        ("", "wrong_token"),
        ("editor", "not_granted"),
        ("editor", "no_such_path"),
    ]


@pytest.mark.parametrize("fails", [BeginCall, EndCall])
def test_what_cannot_be_recorded_is_not_told(door: OpenDoor, fails: type[Any]) -> None:
    refusal = Refusal(code=ErrorCode.STORAGE, reason="egress_unrecorded", message="no")
    door.engine.replies[fails] = refusal
    door.engine.replies[memory.ListFacts] = ()
    answer = door.call("GET", "/v1/memory")
    assert (answer.status, answer.reason) == (500, "egress_unrecorded")
    assert len(door.engine.asked) == (fails is EndCall)


def test_an_error_inside_tells_nothing_of_the_inside(door: OpenDoor) -> None:
    door.engine.replies[memory.ListFacts] = lambda _: 1 / 0
    answer = door.call("GET", "/v1/memory")
    assert (answer.status, answer.reason) == (500, "failed")
    assert b"ZeroDivision" not in answer.body


@pytest.mark.parametrize("path", [LIST, "/v1/nothing", "/v1/memory", "/v1/weights/x"])
def test_every_answer_has_the_safe_headers_and_no_version(door: OpenDoor, path: str) -> None:
    for token in (door.token, None, "wrong"):
        answer = door.call("GET", path, token=token)
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert "server" not in answer.headers
        assert b"/home/somebody" not in answer.body


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("/home/user/.local/share/sori/sori.db: disk full", "…/sori.db: disk full"),
        ("/root/x/config.toml line 3", "…/config.toml line 3"),
        ("C:\\Users\\me\\sori.db를 열 수 없어요", "…/sori.db를 열 수 없어요"),
        ("파일을 열 수 없습니다: /tmp/a/b.txt", "파일을 열 수 없습니다: …/b.txt"),
        ("“/var/lib/sori/”에 쓸 수 없어요", "“…/sori”에 쓸 수 없어요"),
        ("~/notes/2026/list.md", "…/list.md"),
        ("\\\\server\\share\\file.txt is gone", "…/file.txt is gone"),
        ("https://api.example.com/v1/models answered 404", "https://api.example.com/v1/models answered 404"),
        ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1"),
        ("24/7 and 1/2 and km/h", "24/7 and 1/2 and km/h"),
        ("ollama/qwen3:8b", "ollama/qwen3:8b"),
        ("and/or, 예/아니요", "and/or, 예/아니요"),
        ("sori tokens add NAME", "sori tokens add NAME"),
        ("", ""),
    ],
)
def test_paths_are_left_out_of_refusals(text: str, told: str) -> None:
    assert without_paths(text) == told


def test_a_code_of_the_page_is_exchanged_once(door: OpenDoor) -> None:
    code = door.tokens.add_code(Caller(name="browser"))
    answer = door.call("POST", "/v1/session", token=None, body={"code": code})
    assert answer.status == 200
    assert answer.json["name"] == "browser"
    assert "set-cookie" not in answer.headers
    assert door.call("GET", LIST, token=answer.json["token"]).status == 200
    again = door.call("POST", "/v1/session", token=None, body={"code": code})
    assert (again.status, again.reason) == (401, "wrong_code")
    assert door.call("GET", LIST, token=code).reason == "wrong_token"
