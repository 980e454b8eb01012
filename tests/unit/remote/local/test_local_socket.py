"""Programs of one user reach one engine over the local socket; whatever else arrives there is refused."""

import asyncio
import json
import os
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from queue import Empty, Queue
from types import SimpleNamespace
from typing import Any

import pytest

from assistant.core.errors import ErrorCode, SoriError
from assistant.core.service.connection import GONE_NOTICE, Connection
from assistant.core.service.events import Delivery
from assistant.core.service.grant import OWNER, Grant
from assistant.core.service.request import RefusedError
from assistant.core.service.requests.conversations import FollowConversation, RenameConversation
from assistant.core.service.requests.models import ListKeptModels
from assistant.core.service.requests.records import ListTraces
from assistant.core.service.requests.voice import SetMuted, ToggleVoice
from assistant.core.updates import EngineStopped, Missed, NoticePosted, PacketEmitted
from assistant.host.places import PROJECT
from assistant.host.texts import load_texts
from assistant.remote.local import endpoint, server
from assistant.remote.local.client import AttachedEngine, ClientWindow, LocalConnection, connect, take_home
from assistant.remote.local.endpoint import HeldHome, HomeHeldError, connected, is_running
from assistant.remote.local.framing import LONGEST_FRAME
from assistant.remote.local.server import MOST_CLIENTS, MOST_OPEN
from tests.fakes.front.small_engine import SmallEngine

TEXTS = load_texts("ko")
HELLO = {"type": "hello", "version": 1, "name": "test"}


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[SmallEngine]:
    with SmallEngine(tmp_path, window=True) as running:
        yield running


@pytest.fixture
def reach(tmp_path: Path) -> Iterator[Callable[..., LocalConnection]]:
    made: list[LocalConnection] = []

    def start(deliver: Callable[[Delivery], None] | None = None, **more: Any) -> LocalConnection:
        connection = connect(tmp_path, TEXTS, deliver, name="test", **more)
        assert connection is not None
        made.append(connection)
        return connection

    yield start
    for each in made:
        each.close()


class Raw:
    """A client that sends what it likes."""

    def __init__(self, home: Path) -> None:
        found = connected(home, 30)
        assert found is not None
        self.socket = found[0]
        self.lines = self.socket.makefile("rb")

    def say(self, *frames: Any) -> None:
        for each in frames:
            self.socket.sendall(each if isinstance(each, bytes) else json.dumps(each).encode() + b"\n")

    def hear(self) -> Any:
        line = self.lines.readline()
        return json.loads(line) if line else None

    def close(self) -> None:
        self.lines.close()
        self.socket.close()


@pytest.fixture
def raw(tmp_path: Path) -> Iterator[Callable[[], Raw]]:
    made: list[Raw] = []

    def start() -> Raw:
        made.append(Raw(tmp_path))
        return made[-1]

    yield start
    for each in made:
        each.close()


def result(connection: Connection, request: Any) -> Any:
    return asyncio.run(connection.result(request))


def test_each_request_gets_its_reply(engine: SmallEngine, reach: Callable[..., LocalConnection]) -> None:
    connection = reach()
    assert result(connection, ListTraces()) == ()
    assert result(connection, RenameConversation(conversation="c", title="제주도 여행")) is None
    assert engine.domain.renamed == ["제주도 여행"]
    with pytest.raises(RefusedError) as refused:
        result(connection, RenameConversation(conversation="c", title=""))
    assert (refused.value.refusal.code, refused.value.refusal.reason) == (ErrorCode.INVALID_REQUEST, "nothing_to_retry")
    with pytest.raises(RefusedError) as refused:
        result(connection, ListKeptModels())
    assert refused.value.refusal.reason == "unknown_request"


def test_requests_of_many_clients_all_arrive(engine: SmallEngine, reach: Callable[..., LocalConnection]) -> None:
    async def rename(connection: LocalConnection, number: int) -> None:
        titles = [RenameConversation(conversation="c", title=f"{number}-{each}") for each in range(40)]
        await asyncio.gather(*map(connection.result, titles))

    async def rename_all() -> None:
        await asyncio.gather(*(rename(reach(), number) for number in range(8)))

    asyncio.run(rename_all())
    assert sorted(engine.domain.renamed) == sorted(f"{number}-{each}" for number in range(8) for each in range(40))


def test_events_reach_those_who_want_them(engine: SmallEngine, reach: Callable[..., LocalConnection]) -> None:
    heard, followed = Queue[Any](), Queue[Any]()
    first, second = reach(lambda each: heard.put(each.event)), reach(lambda each: followed.put(each.event))
    result(second, FollowConversation(conversation="c"))
    engine.domain.write("c", 3)
    result(first, RenameConversation(conversation="c", title="여행"))
    assert heard.get(timeout=30) == NoticePosted(key="notice.renamed", values={"title": "여행"})
    assert [followed.get(timeout=30).number for _ in range(3)] == [1, 2, 3]
    assert heard.empty()


def test_a_request_is_given_up(engine: SmallEngine, reach: Callable[..., LocalConnection]) -> None:
    connection, replies = reach(), Queue[Any]()
    asked = connection.ask(SetMuted(muted=True), replies.put)
    assert engine.domain.muting.wait(30)
    connection.cancel(asked)
    assert replies.get(timeout=30).reason == "cancelled"
    assert engine.domain.given_up.wait(30)


def test_a_client_that_leaves_gives_its_requests_up(engine: SmallEngine, reach: Callable[..., LocalConnection]) -> None:
    connection, replies = reach(), Queue[Any]()
    connection.ask(SetMuted(muted=True), replies.put)
    assert engine.domain.muting.wait(30)
    connection.close()
    assert engine.domain.given_up.wait(30)
    assert replies.get(timeout=30).reason == "engine_gone"


def test_the_window_is_shown_by_its_process(engine: SmallEngine, reach: Callable[..., LocalConnection]) -> None:
    asyncio.run(reach().show_window())
    assert engine.shown == 1


def test_without_a_window_it_is_refused(tmp_path: Path, reach: Callable[..., LocalConnection]) -> None:
    with SmallEngine(tmp_path):
        with pytest.raises(RefusedError) as refused:
            asyncio.run(reach().show_window())
        assert refused.value.refusal.reason == "no_window"


def test_a_client_that_does_not_read_delays_nobody_and_learns_what_it_missed(
    engine: SmallEngine, reach: Callable[..., LocalConnection], raw: Callable[[], Raw]
) -> None:
    slow, followed = raw(), Queue[Any]()
    slow.say(HELLO, {"type": "request", "id": "1", "request": {"type": "follow_conversation", "conversation": "c"}})
    assert slow.hear()["type"] == "welcome"
    assert slow.hear()["id"] == "1"
    fast = reach(lambda each: followed.put(each.event))
    result(fast, FollowConversation(conversation="c"))
    count = 0
    for _ in range(40):  # 4,000 packets of 3 KB are more than a socket and an outbox hold
        engine.domain.write("c", 100, size=1000)
        for _ in range(100):
            count += isinstance(followed.get(timeout=30), PacketEmitted)
    assert count == 4000
    assert result(fast, ListTraces()) == ()
    events: list[Any] = []
    while not events or events[-1]["event"]["type"] != "missed":
        events.append(slow.hear())
    assert events[-1]["event"]["turns"][0]["packet"] == len(events)
    assert len(events) < 4000


GARBAGE = [
    pytest.param([b"GET / HTTP/1.1\r\n"], "frame_not_json", id="http"),
    pytest.param([b"\xff\xfe\n"], "frame_not_json", id="no utf-8"),
    pytest.param([b"{\n"], "frame_not_json", id="half of an object"),
    pytest.param([b'"\xec\x95\x88\n'], "frame_not_json", id="half of a text"),
    pytest.param([b"[" * 100_000 + b"\n"], "frame_too_long", id="a long greeting"),
    pytest.param([b"NaN\n"], "frame_not_json", id="not a number"),
    pytest.param([b"[]\n"], "wrong_value", id="an array"),
    pytest.param([{"type": "안녕"}], "unknown_type", id="an unknown frame"),
    pytest.param([{"type": "hello"}], "missing_field", id="no version"),
    pytest.param([{**HELLO, "version": "1"}], "wrong_value", id="a version that is text"),
    pytest.param([{**HELLO, "version": 99}], "other_version", id="another version"),
    pytest.param([{"type": "cancel", "id": "1"}], "frame_unexpected", id="no greeting"),
    pytest.param([HELLO, HELLO], "frame_unexpected", id="two greetings"),
    pytest.param([HELLO, b"[" * 100_000 + b"\n"], "frame_not_json", id="deep"),
    pytest.param([HELLO, {"type": "request", "id": 7, "request": {}}], "wrong_value", id="an id that is a number"),
    pytest.param([HELLO, {"type": "reply", "id": "1"}], "unknown_type", id="a frame of the engine"),
]


@pytest.mark.parametrize(("frames", "reason"), GARBAGE)
def test_what_is_no_frame_is_refused_and_harms_nobody(
    frames: list[Any], reason: str, engine: SmallEngine, raw: Callable[[], Raw], reach: Callable[..., LocalConnection]
) -> None:
    client = raw()
    client.say(*frames)
    told = [client.hear() for _ in frames]
    assert told[-1]["type"] == "refusal"
    assert told[-1]["refusal"]["reason"] == reason
    assert told[-1]["refusal"]["message"]
    assert client.hear() is None
    assert result(reach(), ListTraces()) == ()


REQUESTS = [
    pytest.param({"type": "세상"}, "unknown_type", "type", id="unknown"),
    pytest.param({}, "missing_field", "type", id="empty"),
    pytest.param(None, "wrong_value", ".", id="null"),
    pytest.param({"type": "rename_conversation", "conversation": "c"}, "missing_field", "title", id="half"),
    pytest.param({"type": "set_muted", "muted": "네"}, "wrong_value", "muted", id="a wrong value"),
    pytest.param({"type": "toggle_voice", "지금": True}, "unknown_field", "지금", id="an unknown field"),
]


@pytest.mark.parametrize(("request_json", "reason", "place"), REQUESTS)
def test_what_is_no_request_gets_a_refusal_as_its_reply(
    request_json: Any, reason: str, place: str, engine: SmallEngine, raw: Callable[[], Raw]
) -> None:
    client = raw()
    client.say(HELLO, {"type": "request", "id": "1", "request": request_json})
    client.say({"type": "request", "id": "2", "request": {"type": "toggle_voice"}})
    assert client.hear()["type"] == "welcome"
    replies = {each["id"]: each for each in (client.hear(), client.hear())}
    refusal = replies["1"]["refusal"]
    assert (refusal["reason"], refusal["values"]["place"]) == (reason, place)
    assert replies["2"] == {"type": "reply", "id": "2", "result": None, "refusal": None}


def test_a_frame_that_is_too_long_is_refused_without_being_read(engine: SmallEngine, raw: Callable[[], Raw]) -> None:
    client = raw()
    client.say(HELLO)
    assert client.hear()["type"] == "welcome"
    with pytest.raises(OSError, match=r"Broken pipe|reset"):
        client.socket.sendall(bytes(LONGEST_FRAME + (64 << 20)))


def test_half_a_frame_at_the_end_is_not_carried_out(
    engine: SmallEngine, raw: Callable[[], Raw], reach: Callable[..., LocalConnection]
) -> None:
    client = raw()
    client.say(HELLO, b'{"type":"request","id":"1","request":{"type":"toggle_voice"}}')
    assert client.hear()["type"] == "welcome"
    client.socket.shutdown(socket.SHUT_WR)
    assert client.hear() is None
    assert result(reach(), ListTraces()) == ()
    assert engine.domain.toggled == 0


@pytest.mark.parametrize("sent", [b"", b'{"type":"hello",', json.dumps(HELLO).encode()])
def test_who_does_not_greet_in_time_is_not_waited_for(
    sent: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, raw: Callable[[], Raw]
) -> None:
    monkeypatch.setattr(server, "GREETING_S", 0.05)
    with SmallEngine(tmp_path):
        client, heard = raw(), None
        with suppress(ConnectionError):  # It may be gone before a busy computer says a word.
            client.say(sent)
            heard = client.hear()
        assert heard is None


def test_a_client_with_too_many_open_requests_is_read_no_further(engine: SmallEngine, raw: Callable[[], Raw]) -> None:
    client = raw()
    client.say(
        HELLO,
        *(
            {"type": "request", "id": str(each), "request": {"type": "set_muted", "muted": True}}
            for each in range(MOST_OPEN)
        ),
    )
    client.say({"type": "request", "id": "last", "request": {"type": "toggle_voice"}})
    assert client.hear()["type"] == "welcome"
    assert engine.domain.muting.wait(30)
    assert engine.domain.toggled == 0


def test_too_many_clients_are_refused(engine: SmallEngine, raw: Callable[[], Raw]) -> None:
    clients = [raw() for _ in range(MOST_CLIENTS)]
    for each in clients:
        each.say(HELLO)
        assert each.hear()["type"] == "welcome"
    one_more = raw()
    assert one_more.hear()["refusal"]["reason"] == "too_many_clients"


def test_the_socket_is_for_the_user_alone(engine: SmallEngine, tmp_path: Path) -> None:
    path = tmp_path / "run" / "engine.sock"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


STRANGER = """
import os, socket, sys
os.setgid(65534); os.setuid(65534)
with socket.socket(socket.AF_UNIX) as connection:
    connection.connect(sys.argv[1])
    connection.sendall(b'{"type":"hello","version":1,"name":"stranger"}\\n')
    print(connection.makefile().readline())
"""


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become somebody else")
def test_another_user_is_refused_even_where_the_folder_is_open(tmp_path_factory: pytest.TempPathFactory) -> None:
    with SmallEngine(home := Path(tmp_path_factory.mktemp("home"))) as engine:
        path = home / "run" / "engine.sock"
        stranger = [sys.executable, "-c", STRANGER, str(path)]
        closed = subprocess.run(stranger, capture_output=True, text=True, check=False)
        assert "PermissionError" in closed.stderr
        for each in [path, *path.parents[: len(path.parents) - 1]]:
            each.chmod(0o777)
        opened = subprocess.run(stranger, capture_output=True, text=True, check=True)
        assert json.loads(opened.stdout)["refusal"]["reason"] == "not_this_user"
        assert engine.domain.toggled == 0


def test_one_process_holds_a_home(engine: SmallEngine, tmp_path: Path) -> None:
    assert is_running(tmp_path)
    with pytest.raises(HomeHeldError):
        HeldHome(tmp_path)


def test_a_home_without_an_engine_has_no_connection(tmp_path: Path) -> None:
    assert not is_running(tmp_path)
    assert connect(tmp_path, TEXTS, name="test") is None


@pytest.fixture
def session_folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of the session, whose path is short, as that of a desktop is."""
    with tempfile.TemporaryDirectory(prefix="s") as folder:
        monkeypatch.setenv("XDG_RUNTIME_DIR", folder)
        yield Path(folder)
        assert [*Path(folder).glob("sori-*")] == []


@pytest.mark.parametrize("length", [10, 90, 110, 200])
def test_a_home_of_any_length_can_be_reached(tmp_path: Path, session_folder: Path, length: int) -> None:
    home = tmp_path / ("집" * (length // 3))
    home.mkdir()
    with SmallEngine(home):
        connection = connect(home, TEXTS, name="test")
        assert connection is not None
        assert result(connection, ListTraces()) == ()
        connection.close()


def far(tmp_path: Path) -> Path:
    """A home whose path is too long for a socket."""
    home = tmp_path / ("집" * 60)
    home.mkdir()
    return home


def test_nobody_can_take_the_folder_of_a_socket_before(tmp_path: Path, session_folder: Path) -> None:
    home = far(tmp_path)
    with SmallEngine(home):
        (first,) = session_folder.glob("sori-*")
    first.mkdir(mode=0o777)
    with SmallEngine(home):
        (second,) = {*session_folder.glob("sori-*")} - {first}
        assert stat.S_IMODE(second.stat().st_mode) == 0o700
        connection = connect(home, TEXTS, name="test")
        assert connection is not None
        assert result(connection, ListTraces()) == ()
        connection.close()
    first.rmdir()


@pytest.mark.parametrize("how", ["link", "file", "read only"])
def test_a_folder_in_the_home_that_is_no_good_place_is_not_used(how: str, tmp_path: Path, session_folder: Path) -> None:
    run = tmp_path / "run"
    if how == "link":
        (tmp_path / "theirs").mkdir()
        run.symlink_to(tmp_path / "theirs")
    elif how == "file":
        run.touch()
    else:
        (run / "engine.sock").mkdir(parents=True)
    with SmallEngine(tmp_path):
        assert len([*session_folder.glob("sori-*/engine.sock")]) == 1
        connection = connect(tmp_path, TEXTS, name="test")
        assert connection is not None
        assert result(connection, ListTraces()) == ()
        connection.close()
    if how == "link":
        assert [*(tmp_path / "theirs").iterdir()] == []


def test_a_folder_that_somebody_else_has_put_in_place_is_not_entered(tmp_path: Path, session_folder: Path) -> None:
    home = far(tmp_path)
    with SmallEngine(home):
        (place,) = session_folder.glob("sori-*")
        place.rename(session_folder / "ours")
        place.symlink_to(session_folder / "ours")
        assert connected(home, 1) is None
        place.unlink()
        (session_folder / "ours").rename(place)


def test_without_any_place_for_a_socket_the_error_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = far(tmp_path)
    long = tmp_path / ("방" * 60)
    long.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(long))
    with pytest.raises(OSError, match=r"engine\.sock"):
        HeldHome(home)
    assert [*long.iterdir()] == []
    assert not is_running(home)


@pytest.fixture
def on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python on Windows has no Unix sockets."""
    monkeypatch.setattr(endpoint, "sys", SimpleNamespace(platform="win32"))


@pytest.mark.usefixtures("on_windows")
class TestAPortInPlaceOfASocket:
    """Where there are no Unix sockets."""

    def test_it_is_reached_with_the_secret_alone(self, tmp_path: Path) -> None:
        with SmallEngine(tmp_path) as engine:
            address = tmp_path / "run" / "engine.json"
            assert stat.S_IMODE(address.stat().st_mode) == 0o600
            assert stat.S_IMODE(address.parent.stat().st_mode) == 0o700
            connection = connect(tmp_path, TEXTS, name="test")
            assert connection is not None
            assert result(connection, RenameConversation(conversation="c", title="여행")) is None
            connection.close()
            written = json.loads(address.read_text("utf-8"))
            for secret in ("", written["secret"][:-1], "é", written["secret"] + "0"):
                stranger = Raw(tmp_path)
                stranger.say({**HELLO, "secret": secret})
                assert stranger.hear()["refusal"]["reason"] == "not_this_user"
                stranger.close()
            assert engine.domain.renamed == ["여행"]
        assert not address.exists()

    @pytest.mark.parametrize(
        "left",
        [
            "",
            "{",
            "[]",
            "null",
            '{"port": "eins"}',
            '{"port": 99999999}',
            '{"port": 1}',
            '{"secret": "a"}',
            '"집"',
            "é",
        ],
    )
    def test_what_a_killed_process_has_left_is_no_engine(self, left: str, tmp_path: Path) -> None:
        (tmp_path / "run").mkdir()
        (tmp_path / "run" / "engine.json").write_text(left, "utf-8")
        assert connect(tmp_path, TEXTS, name="test") is None
        with SmallEngine(tmp_path):
            connection = connect(tmp_path, TEXTS, name="test")
            assert connection is not None
            connection.close()


class OwnProcess:
    """The small engine in a process of its own."""

    def __init__(self, home: Path) -> None:
        words = [sys.executable, "-m", "tests.fakes.front.small_engine", str(home)]
        self._process = subprocess.Popen(words, cwd=PROJECT, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "ready\n"

    def kill(self) -> None:
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()


def test_clients_of_a_killed_engine_say_so_and_come_back(tmp_path: Path, reach: Callable[..., LocalConnection]) -> None:
    killed = OwnProcess(tmp_path)
    heard, replies = [Queue[Any]() for _ in range(3)], Queue[Any]()
    clients = [reach(lambda each, to=to: to.put(each.event), returns=True) for to in heard]
    for each in clients:
        each.ask(SetMuted(muted=True), replies.put)
        result(each, ListTraces())
    killed.kill()
    assert [replies.get(timeout=30).reason for _ in clients] == ["engine_gone"] * 3
    assert [each.get(timeout=30).key for each in heard] == ["notice.engine_gone"] * 3
    with pytest.raises(RefusedError):
        result(clients[0], ToggleVoice())
    returned = OwnProcess(tmp_path)  # over the socket that the killed one has left
    try:
        assert [each.get(timeout=30).key for each in heard] == ["notice.engine_back"] * 3
        assert [each.get(timeout=30) for each in heard] == [Missed(count=0, conversations=())] * 3
        for each in clients:
            result(each, FollowConversation(conversation="c"))
        result(clients[0], RenameConversation(conversation="c", title="다시"))
        assert [each.get(timeout=30).values["title"] for each in heard] == ["다시"] * 3
    finally:
        returned.kill()


def test_clients_wait_for_the_next_engine_also_after_the_end_of_one_on_purpose(
    tmp_path: Path, reach: Callable[..., LocalConnection]
) -> None:
    heard, alone = Queue[Any](), Queue[Any]()
    with SmallEngine(tmp_path):
        result(reach(lambda each: heard.put(each.event), returns=True), ListTraces())
        result(reach(lambda each: alone.put(each.event)), ListTraces())
    assert alone.get(timeout=30) == EngineStopped()
    assert heard.get(timeout=30).key == GONE_NOTICE
    with SmallEngine(tmp_path):
        assert heard.get(timeout=30).key == "notice.engine_back"
        assert heard.get(timeout=30) == Missed(count=0, conversations=())


def test_why_an_engine_has_ended_by_itself_is_told(tmp_path: Path, reach: Callable[..., LocalConnection]) -> None:
    heard = Queue[Any]()
    with SmallEngine(tmp_path) as engine:
        result(reach(lambda each: heard.put(each.event), returns=True), ListTraces())
        engine.hub.end(EngineStopped(reason="디스크가 가득 찼습니다."))
    told = heard.get(timeout=30)
    assert (told.key, told.values) == ("notice.engine_failed", {"reason": "디스크가 가득 찼습니다."})
    assert heard.get(timeout=30).key == GONE_NOTICE


def test_an_engine_is_back_when_it_answers(tmp_path: Path, reach: Callable[..., LocalConnection]) -> None:
    heard = Queue[Any]()
    with SmallEngine(tmp_path):
        client = reach(lambda each: heard.put(each.event), returns=True)
    assert heard.get(timeout=30).key == GONE_NOTICE
    loading = SmallEngine(tmp_path)
    loading.server.start()
    replies = Queue[Any]()
    while True:  # refused until the client has reached the engine, which does not answer yet
        client.ask(ListTraces(), replies.put)
        try:
            assert replies.get(timeout=0.5).reason == "engine_gone"
        except Empty:
            break
    assert heard.empty()
    with loading.serving():
        while (reply := replies.get(timeout=30)) != ():  # a refusal that came late
            assert reply.reason == "engine_gone"
            client.ask(ListTraces(), replies.put)
        assert heard.get(timeout=30).key == "notice.engine_back"


class Unloaded:
    """A service whose engine cannot be loaded."""

    def __init__(self) -> None:
        self.asked = threading.Semaphore(0)

    def connect(self, _: Callable[[Delivery], None], *, name: str, grant: Grant = OWNER) -> Connection:
        """Refuse."""
        self.asked.release()
        raise SoriError(ErrorCode.ENGINE_UNAVAILABLE, f"no engine for {name}, {grant}", message_key="engine_gone")


def test_an_engine_that_cannot_load_is_said_to_be_gone_once(
    tmp_path: Path, reach: Callable[..., LocalConnection]
) -> None:
    heard = Queue[Any]()
    with SmallEngine(tmp_path):
        reach(lambda each: heard.put(each.event), returns=True)
    unloaded = Unloaded()
    failed = server.LocalServer(HeldHome(tmp_path), unloaded, TEXTS)
    failed.start()
    for _ in range(3):
        assert unloaded.asked.acquire(timeout=30)
    failed.close()
    with SmallEngine(tmp_path):
        assert [heard.get(timeout=30).key for _ in range(2)] == [GONE_NOTICE, "notice.engine_back"]


def test_a_client_that_comes_as_the_engine_ends_is_told_and_waits(tmp_path: Path) -> None:
    heard = Queue[Any]()
    connection = AttachedEngine(tmp_path, TEXTS).connect(lambda each: heard.put(each.event), name="test")
    assert heard.get(timeout=30).key == GONE_NOTICE
    with SmallEngine(tmp_path):
        assert heard.get(timeout=30).key == "notice.engine_back"
        assert result(connection, ListTraces()) == ()
    connection.close()


@pytest.mark.parametrize("come", [partial(connect, name="test"), take_home], ids=["command", "engine"])
def test_who_comes_while_an_engine_ends_waits_for_its_end(come: Callable[..., Any], tmp_path: Path) -> None:
    found = Queue[Any]()
    waiting = threading.Thread(target=lambda: found.put(come(tmp_path, TEXTS)))
    with SmallEngine(tmp_path) as ending:
        ending.server.stop_accepting()
        waiting.start()
        waiting.join(0.2)
        assert waiting.is_alive()
    taken = found.get(timeout=30)
    assert isinstance(taken, HeldHome) or taken is None
    assert (taken is None) == (come is not take_home)
    if taken is not None:
        taken.close()


def test_an_engine_of_another_version_is_told_of_once(tmp_path: Path, reach: Callable[..., LocalConnection]) -> None:
    heard = Queue[Any]()
    with SmallEngine(tmp_path):
        reach(lambda each: heard.put(each.event), returns=True)
    assert heard.get(timeout=30).key == GONE_NOTICE
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(server, "INTERFACE_VERSION", 2)
        with SmallEngine(tmp_path):
            told = heard.get(timeout=30)
            assert (told.key, told.values["other"]) == ("error.other_version", "1")
            assert told.key in TEXTS
    with SmallEngine(tmp_path):
        assert heard.get(timeout=30).key == "notice.engine_back"


def test_a_client_waits_for_an_engine_that_is_being_loaded(tmp_path: Path) -> None:
    loading, connections = SmallEngine(tmp_path), Queue[Any]()
    waiting = threading.Thread(target=lambda: connections.put(connect(tmp_path, TEXTS, name="test")))
    waiting.start()
    waiting.join(0.05)
    assert waiting.is_alive()
    with loading:
        waiting.join()
        connection = connections.get()
        assert result(connection, ListTraces()) == ()
        connection.close()


def test_a_window_that_is_a_client_is_brought_to_the_front(
    tmp_path: Path, reach: Callable[..., LocalConnection]
) -> None:
    shown = Queue[str]()
    with SmallEngine(tmp_path):
        with pytest.raises(RefusedError) as refused:
            asyncio.run(reach().show_window())
        assert refused.value.refusal.reason == "no_window"
        result(reach(lambda _: None, window=window("a", shown)), ListTraces())
        asyncio.run(reach(lambda _: None).show_window())
        assert shown.get(timeout=30) == "a in front"


@pytest.mark.parametrize("has_window", [True, False])
def test_whoever_wants_a_window_of_an_engine_that_ends_learns_that_it_goes(
    tmp_path: Path, reach: Callable[..., LocalConnection], has_window: bool
) -> None:
    with SmallEngine(tmp_path, window=has_window) as engine:
        connection = reach()
        engine.shows = False
        engine.server.stop_accepting()
        with pytest.raises(RefusedError) as refused:
            asyncio.run(connection.show_window())
        assert refused.value.refusal.reason == "engine_gone"


def window(name: str, told: "Queue[str]") -> ClientWindow:
    return ClientWindow(id=name, show=lambda: told.put(f"{name} in front"), leave=lambda: told.put(f"{name} leaves"))


def test_a_home_has_one_window(tmp_path: Path, reach: Callable[..., LocalConnection]) -> None:
    told = Queue[str]()
    with SmallEngine(tmp_path):
        reach(lambda _: None, returns=True, window=window("a", told))
        result(reach(lambda _: None, returns=True, window=window("a", told)), ListTraces())  # in another language, say
        with pytest.raises(RefusedError) as refused:
            reach(lambda _: None, window=window("b", told))
        assert refused.value.refusal.reason == "window_open"
        assert told.get(timeout=30) == "a in front"
    with SmallEngine(tmp_path, window=True) as engine:
        assert {told.get(timeout=30), told.get(timeout=30)} == {"a leaves"}
        assert engine.shown == 2
