"""Sori's engine on its thread, with its HTTP door on a free port and a scripted model behind it."""

import http.client
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from assistant.core.permissions import Category
from assistant.core.service.callers import Caller
from assistant.core.service.request import Right
from assistant.engine.thread import EngineThread
from assistant.host.clock import SystemClock
from assistant.host.places import RESOURCES
from assistant.host.tokens import TokenFile
from assistant.remote.http.door import HttpDoor
from assistant.remote.http.page.files import PageFiles
from tests.e2e.conversation.running_engine import TEXTS, settings_for
from tests.fakes.model_server.script import RecordedRequest, ScriptedCall
from tests.fakes.model_server.server import ModelServer, Reply, serve_in_thread

LIMIT_S = 60.0
FACT = "사용자는 우유를 좋아한다."
SLOW_WORDS = "하나 둘 셋 넷 다섯 여섯 일곱 여덟 아홉 열 " * 50


@dataclass(slots=True, kw_only=True)
class Sent:
    """One server-sent event."""

    kind: str
    number: int | None
    data: Any


class Stream:
    """An answer of events, which goes on until it is closed."""

    def __init__(self, connection: http.client.HTTPConnection, response: http.client.HTTPResponse) -> None:
        self._connection, self._response = connection, response
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}

    def __iter__(self) -> Iterator[Sent]:
        fields: dict[str, str] = {}
        while line := self._response.readline():
            text = line.decode().rstrip("\n")
            if text:
                name, _, value = text.partition(": ")
                fields[name] = value
                continue
            if "data" in fields:
                number = int(fields["id"]) if "id" in fields else None
                yield Sent(kind=fields.get("event", ""), number=number, data=json.loads(fields["data"]))
            fields = {}

    def whole(self) -> bytes:
        return self._response.read()

    def rest(self) -> list[Sent]:
        return [*self]

    def until(self, kind: str) -> Sent:
        return next(each for each in self if each.kind == kind)

    def close(self) -> None:
        self._connection.close()
        self._response.close()


@dataclass(slots=True)
class Sori:
    """A running Sori.

    Attributes:
        token: of the user's own browser: safe and sensitive tools, and all rights that a token can have.
        confined: of a program with safe tools.
    """

    port: int
    model: ModelServer
    token: str
    confined: str
    home: Path
    streams: list[Stream] = field(default_factory=list)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def stream(
        self, method: str, path: str, body: Any = None, *, token: str = "", headers: Mapping[str, str] | None = None
    ) -> Stream:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT_S)
        given = {"authorization": f"Bearer {token or self.token}", "content-type": "application/json"}
        data = None if body is None else json.dumps(body)
        connection.request(method, path, body=data, headers={**given, **(headers or {})})
        self.streams.append(Stream(connection, connection.getresponse()))
        return self.streams[-1]

    def hang_up(self) -> None:
        """Close all streams."""
        while self.streams:
            self.streams.pop().close()

    def call(self, method: str, path: str, body: Any = None, *, token: str = "") -> tuple[int, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT_S)
        given = {"authorization": f"Bearer {token or self.token}", "content-type": "application/json"}
        connection.request(method, path, body=None if body is None else json.dumps(body), headers=given)
        response = connection.getresponse()
        raw = response.read()
        connection.close()
        return response.status, json.loads(raw) if raw else None

    def new_conversation(self) -> str:
        return str(self.call("POST", "/v1/conversations", {})[1]["conversation"])


def scripted(request: RecordedRequest) -> Reply:
    """What the model answers, by the words of the user's last message."""
    messages = request.body["messages"]
    if messages[-1]["role"] == "tool":
        return Reply(text="다 했어요.")
    asked = str(messages[-1]["content"])
    if "회의" in asked:
        return Reply(text="회의는 **화요일** 오후 3시예요 [1]. 다른 말 [9].")
    if "천천히" in asked:
        return Reply(text=SLOW_WORDS, tokens_per_second=20)
    if "부탁" in asked:
        arguments = json.dumps({"fact": FACT}, ensure_ascii=False)
        return Reply(text="", tool_calls=(ScriptedCall(name="remember", arguments=arguments),))
    if "거절" in asked:
        return Reply(status=404)
    return Reply(text="반가워요. 무엇을 도와드릴까요?")


@contextmanager
def running_door(home: Path, *, stt: str = "none", port: int = 0) -> Iterator[Sori]:
    """A running Sori with a door."""
    with serve_in_thread(scripted) as model:
        engine = EngineThread(home, settings_for(model.base_url, stt=stt), TEXTS, hears=False)
        tokens = TokenFile(home / "http-tokens.json", SystemClock())
        engine.start()
        door = HttpDoor(engine, tokens, TEXTS, lambda: PageFiles(RESOURCES / "page", RESOURCES / "icons", TEXTS))
        granted = frozenset({Category.SAFE, Category.SENSITIVE})
        again = str(len(tokens.all()) or "")
        token = tokens.add(Caller(name=f"page{again}", right=Right.MANAGE, categories=granted))
        confined = tokens.add(Caller(name=f"editor{again}"))
        port = door.open(port)
        try:
            yield (sori := Sori(port, model, token, confined, home))
            sori.hang_up()
        finally:
            door.close()
            assert engine.stop(LIMIT_S)


@pytest.fixture(scope="module")
def sori(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sori]:
    with running_door(tmp_path_factory.mktemp("home")) as running:
        yield running


@pytest.fixture(autouse=True)
def _no_open_streams(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    if "sori" in request.fixturenames:
        request.getfixturevalue("sori").hang_up()
