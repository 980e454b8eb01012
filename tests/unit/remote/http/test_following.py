"""Streams of events: a beginning at once, a heartbeat, an end with the engine, a new picture for who falls behind."""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

import pytest

from assistant.core import updates as up
from assistant.core.errors import ErrorCode
from assistant.core.service.request import Refusal
from assistant.core.service.requests.conversations import FollowConversation
from assistant.remote.http import clients, guard
from tests.unit.remote.http.conftest import OpenDoor

ONE = "/v1/conversations/1/events"
ALL = "/v1/events"


@pytest.fixture(autouse=True)
def _opens(door: OpenDoor) -> None:
    door.engine.replies[FollowConversation] = up.ConversationOpened(conversation="1", messages=())


class Follower:
    """A caller that reads events when it is asked to."""

    def __init__(self, door: OpenDoor, path: str) -> None:
        self._socket = socket.create_connection(("127.0.0.1", door.port), timeout=60)
        lines = [f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{door.port}", f"Authorization: Bearer {door.token}"]
        self._socket.sendall("\r\n".join([*lines, "", ""]).encode())
        self._read = b""

    def until(self, words: bytes) -> bytes:
        """Read on until these words; returns what was read since the last call."""
        while words not in self._read:
            piece = self._socket.recv(65536)
            assert piece, self._read[-300:]
            self._read += piece
        found, _, self._read = self._read.partition(words)
        return found

    def until_fact(self, number: int) -> bytes:
        """Read on until the notice with this number; returns what was read since the last call."""
        words = f'"fact":"{number} '.encode()
        return self.until(words) + words + self.until(b"\n\n")

    def rest(self) -> bytes:
        """Read on to the end of the connection."""
        while piece := self._socket.recv(65536):
            self._read += piece
        return self._read

    def close(self) -> None:
        self._socket.close()


@contextmanager
def following(door: OpenDoor, path: str) -> Iterator[Follower]:
    follower = Follower(door, path)
    try:
        yield follower
    finally:
        follower.close()


def notice(number: int, size: int = 0) -> up.NoticePosted:
    return up.NoticePosted(key="memory.undone", values={"fact": f"{number} " + "x" * size})


def facts(read: bytes) -> list[int]:
    """The numbers of the notices in what was read."""
    lines = [line[6:] for line in read.split(b"\n") if line.startswith(b"data: ")]
    told: list[Any] = [json.loads(line) for line in lines]
    return [int(each["values"]["fact"].split()[0]) for each in told if each["type"] == "notice_posted"]


@pytest.mark.parametrize("path", [ONE, ALL])
def test_events_come_in_their_order_with_their_numbers(door: OpenDoor, path: str) -> None:
    with following(door, path) as follower:
        follower.until(b": \n\n")
        for number in range(5):
            door.engine.publish(notice(number))
        read = follower.until_fact(4)
        assert facts(read) == [0, 1, 2, 3, 4]
        assert [line for line in read.split(b"\n") if line.startswith(b"id: ")][-5:] == [
            f"id: {number}".encode() for number in range(1, 6)
        ]


def test_a_silent_stream_has_a_heartbeat(door: OpenDoor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clients, "HEARTBEAT_S", 0.05)
    with following(door, ALL) as follower:
        for _ in range(3):
            follower.until(b": \n\n")


def test_the_level_of_the_microphone_is_not_told(door: OpenDoor) -> None:
    with following(door, ALL) as follower:
        follower.until(b": \n\n")
        door.engine.publish(up.LevelMeasured(level_db=-20))
        door.engine.publish(notice(1))
        assert b"level" not in follower.until_fact(1)


def test_a_stream_ends_with_the_engine(door: OpenDoor) -> None:
    with following(door, ONE) as follower:
        follower.until(b"conversation_opened")
        door.engine.publish(up.EngineStopped(reason="gone"))
        follower.until(b"engine_stopped")
        follower.until(b"\r\n0\r\n\r\n")  # the last chunk


@pytest.mark.parametrize("path", [ONE, ALL])
def test_a_stream_ends_when_its_token_is_revoked(door: OpenDoor, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "RECHECKED_S", 0.0)
    with following(door, path) as follower:
        follower.until(b": \n\n")
        door.engine.publish(notice(1))
        follower.until_fact(1)
        door.tokens.revoke("editor")
        door.engine.publish(notice(2))
        assert b'"fact":"2 ' not in follower.rest()


def test_the_client_of_a_follower_that_is_gone_is_closed(door: OpenDoor) -> None:
    with following(door, ONE) as follower:
        follower.until(b"conversation_opened")
        client = door.engine.clients[-1]
    with following(door, ALL) as other:
        other.until(b": \n\n")
        for number in count(1):  # Each round through the door leaves it the time to notice.
            if client not in door.engine.clients:
                break
            assert number < 1000
            door.engine.publish(notice(number))
            other.until_fact(number)


@pytest.mark.parametrize(("path", "sign"), [(ONE, b"conversation_opened"), (ALL, b'"type":"missed"')])
def test_who_reads_nothing_for_long_is_told_what_it_needs_to_go_on(door: OpenDoor, path: str, sign: bytes) -> None:
    with following(door, path) as sleeper, following(door, ALL) as reader:
        sleeper.until(b"conversation_opened" if path == ONE else b": \n\n")
        reader.until(b": \n\n")
        for number in range(2 * clients.MOST_WAITING + 10):
            door.engine.publish(notice(number, 4000))
            if number % 100 == 0:
                reader.until_fact(number)  # The others are not delayed.
        sleeper.until(sign)
        door.engine.publish(notice(7))
        sleeper.until_fact(7)


def test_what_cannot_be_followed_is_refused_before_the_stream_begins(door: OpenDoor) -> None:
    door.engine.replies[FollowConversation] = Refusal(
        code=ErrorCode.INVALID_REQUEST, reason="unknown_conversation", message="no"
    )
    answer = door.call("GET", ONE)
    assert (answer.status, answer.reason) == (404, "unknown_conversation")
