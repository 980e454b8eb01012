"""The fake server: the methods that Sori calls, over HTTP, with the faults that a test wants."""

import json
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.parser import BytesParser
from email.policy import HTTP
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from tests.fakes.telegram_server.chats import Chats, Params, Sent
from tests.fakes.telegram_server.text_rules import RefusedCallError, bad_request

TOKEN = "123456789:AAHfakeTokenOfATestServer_0123456789"  # noqa: S105 - of a fake server
BOT = {"id": 123456789, "is_bot": True, "first_name": "소리", "username": "sori_test_bot"}
_LONGEST_POLL_S = 50
_SAME_OFFSET_S = 0.5
"""A call with the offset of the last one gets a single update within this time."""
LIMIT_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What goes wrong with a call.

    Attributes:
        refused: Telegram refuses it.
        status: an answer that is not of the API, such as 502 of a proxy.
        cut: the connection ends without an answer: ``before`` or ``after`` the call had its effect.
        delay_s: time before the answer.
    """

    refused: RefusedCallError | None = None
    status: int = 0
    cut: str = ""
    delay_s: float = 0.0


@dataclass(slots=True, kw_only=True)
class Call:
    """A call as it came."""

    method: str
    params: dict[str, Any]
    at: float = field(default_factory=time.monotonic)


class TelegramServer:
    """A bot and its chats. All methods may be called on any thread.

    Attributes:
        fault: what goes wrong with a call; ``None`` for nothing.
        mixed: mixes the updates of an answer, to send them twice and in another order.
        calls: every call, in the order in which they came.
        chats: what the bot has sent.
    """

    def __init__(self) -> None:
        self.fault: Callable[[Call], Fault | None] = lambda _: None
        self.mixed: Callable[[list[dict[str, Any]]], list[dict[str, Any]]] = lambda updates: updates
        self.calls: list[Call] = []
        self.chats = Chats()
        self.files: dict[str, bytes] = {}
        self.webhook = ""
        """Address of the service that gets the updates; while there is one, nobody may ask for them."""
        self.answered: list[str] = []
        """What was told to each press; empty for nothing."""
        self._updates: list[dict[str, Any]] = []
        self._next = random.Random(7).randrange(1, 2**20)
        self._changed = threading.Condition()
        self._poll = 0
        self._last: tuple[int, float] = (-1, 0.0)

    # The user's side

    def say(self, chat: int, text: str, *, ago_s: float = 0.0, kind: str = "private", **more: Any) -> int:
        """The user writes to the bot; returns the number of the update."""
        message = {"text": text} if text else {}
        return self._receive(chat, {**message, **more}, ago_s, kind)

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """What the user does within comes in one answer."""
        with self._changed:
            yield

    def edit(self, chat: int, message: int, text: str, **more: Any) -> int:
        """The user edits a message that was sent; returns the number of the update."""
        now = int(time.time())
        whole = {"message_id": message, "date": now - 60, "edit_date": now, "from": _person(chat)}
        return self._add({"edited_message": {**whole, "chat": {"id": chat, "type": "private"}, "text": text, **more}})

    def send_file(self, chat: int, kind: str, data: bytes, **more: Any) -> int:
        """The user sends a file; ``kind`` is ``photo``, ``document`` or ``voice``."""
        with self._changed:
            name = f"file{len(self.files)}"
            self.files[name] = data
        form = {"file_id": name, "file_unique_id": name, "file_size": len(data), **more.pop("file", {})}
        if kind == "photo":
            small = {**form, "file_id": "small", "width": 90, "height": 90, "file_size": 10}
            return self._receive(chat, {kind: [small, {**form, "width": 800, "height": 600}], **more}, 0.0, "private")
        return self._receive(chat, {kind: {**form, **({"duration": 1} if kind == "voice" else {})}, **more})

    def press(self, chat: int, sent: Sent, label: str) -> int:
        """The user presses a button."""
        data = dict(sent.buttons)[label]
        message = {"message_id": sent.id, "date": int(time.time()), "chat": {"id": chat, "type": "private"}}
        if sent.thread:
            message |= {"message_thread_id": sent.thread, "is_topic_message": True}
        query = {"id": f"q{time.monotonic_ns()}", "from": _person(chat), "chat_instance": "1", "data": data}
        return self._add({"callback_query": {**query, "message": message}})

    def number_from(self, number: int) -> None:
        """Number the updates from now on anew, as after a week without any."""
        with self._changed:
            self._next = number

    def sent(self, chat: int) -> list[Sent]:
        """What the bot has sent to a chat, as it stands now."""
        with self._changed:
            return [*self.chats.sent.get(chat, [])]

    def texts(self, chat: int) -> list[str]:
        """The texts of what the bot has sent to a chat."""
        return [each.text for each in self.sent(chat)]

    def until(self, wanted: Callable[[], Any], limit_s: float = LIMIT_S) -> Any:
        """Wait until something is so; returns it. What it asks for may change without a call of the bot."""
        end = time.monotonic() + limit_s
        while not (found := wanted()):
            assert time.monotonic() < end, {chat: [each[:40] for each in self.texts(chat)] for chat in self.chats.sent}
            with self._changed:
                self._changed.wait(0.02)
        return found

    @property
    def waiting(self) -> int:
        """How many updates are not confirmed."""
        with self._changed:
            return len(self._updates)

    def called(self, method: str) -> list[Call]:
        """The calls of a method."""
        return [each for each in self.calls if each.method == method]

    def _receive(self, chat: int, message: dict[str, Any], ago_s: float = 0.0, kind: str = "private") -> int:
        with self._changed:
            self.chats.open(chat)
            number = self.chats.next_id(chat)
        place = {"id": chat, "type": kind, "first_name": "민지"}
        whole = {"message_id": number, "date": int(time.time() - ago_s), "chat": place, "from": _person(chat)}
        return self._add({"message": {**whole, **message}})

    def _add(self, update: dict[str, Any]) -> int:
        with self._changed:
            number, self._next = self._next, self._next + 1
            self._updates.append({"update_id": number, **update})
            self._changed.notify_all()
            return number

    # The bot's side

    def call(self, method: str, params: dict[str, Any]) -> Any:
        """Carry a call out.

        Raises:
            RefusedCallError: Telegram refuses it.
        """
        if method == "getUpdates":
            return self._get_updates(params)
        with self._changed:
            try:
                return self._carry_out(method, params)
            finally:
                self._changed.notify_all()

    def _carry_out(self, method: str, params: Params) -> Any:
        match method:
            case "getMe" | "getWebhookInfo" | "deleteWebhook":
                return self._of_bot(method)
            case "sendMessage":
                return self.chats.send_message(params)
            case "editMessageText":
                return self.chats.edit_message_text(params)
            case "editMessageReplyMarkup":
                return self.chats.edit_message_reply_markup(params)
            case "deleteMessage":
                return self.chats.delete_message(params)
            case "sendChatAction":
                return self.chats.send_chat_action(params)
            case "sendPhoto" | "sendDocument" | "sendVoice":
                return self.chats.send_file(method.removeprefix("send").lower(), params)
            case "answerCallbackQuery":
                self.answered.append(str(params.get("text") or ""))
                return True
            case "getFile":
                return self._file(str(params.get("file_id")))
            case _:
                raise RefusedCallError(404, "Not Found: method not found")

    def _of_bot(self, method: str) -> Any:
        if method == "getMe":
            return BOT
        if method == "deleteWebhook":
            self.webhook = ""
            return True
        return {"url": self.webhook, "has_custom_certificate": False, "pending_update_count": 0}

    def _file(self, name: str) -> dict[str, Any]:
        if name not in self.files:
            raise bad_request("wrong file_id or the file is temporarily unavailable")
        if len(self.files[name]) > 20 * 1024 * 1024:
            raise bad_request("file is too big")
        return {"file_id": name, "file_unique_id": name, "file_size": len(self.files[name]), "file_path": f"f/{name}"}

    def _get_updates(self, params: Params) -> list[dict[str, Any]]:
        """Long polling. A second poll ends the first one with 409; the second one goes on."""
        offset, limit = int(params.get("offset") or 0), int(params.get("limit") or 100)
        timeout = min(int(params.get("timeout") or 0), _LONGEST_POLL_S)
        if self.webhook:
            active = (
                "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"
            )
            raise RefusedCallError(409, f"Conflict: {active}")
        with self._changed:
            last, at = self._last
            if offset == last and time.monotonic() < at + _SAME_OFFSET_S:
                limit = 1
            self._last = offset, time.monotonic()
            self._poll += 1
            mine = self._poll
            self._changed.notify_all()
            numbers = [each["update_id"] for each in self._updates]
            if offset < 0:
                self._updates = self._updates[offset:]
            elif not numbers or offset <= max(numbers) + 1:  # one that is in the future counts as none
                self._updates = [each for each in self._updates if each["update_id"] >= offset]
            self._changed.wait_for(lambda: self._updates or self._poll != mine, timeout)
            if self._poll != mine:
                terminated = "terminated by other getUpdates request; make sure that only one bot instance is running"
                raise RefusedCallError(409, f"Conflict: {terminated}")
            return self.mixed(self._updates[:limit])


def _person(number: int) -> dict[str, Any]:
    return {"id": number, "is_bot": False, "first_name": "민지", "language_code": "ko"}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "_HttpServer"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        self._answer(_params(self.headers.get("content-type", ""), body))

    def do_GET(self) -> None:
        _, kind, *rest = unquote(urlsplit(self.path).path).split("/", 3)
        if kind == "file":
            self._give_file(rest)
        else:
            self._answer({name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()})

    def _answer(self, params: dict[str, Any]) -> None:
        _, token, method = urlsplit(self.path).path.split("/", 2)
        telegram = self.server.telegram
        call = Call(method=method, params=params)
        telegram.calls.append(call)
        fault = telegram.fault(call) or Fault()
        time.sleep(fault.delay_s)
        if fault.status:
            self._send(fault.status, b"<html>Bad Gateway</html>")
            return
        status, told = (0, {}) if fault.cut == "before" else _carried_out(telegram, token, call, fault.refused)
        if fault.cut:
            self.close_connection = True
            self.connection.close()
            return
        self._send(status, json.dumps(told).encode())

    def _give_file(self, rest: list[str]) -> None:
        token, path = rest[0], "/".join(rest[1:])
        data = self.server.telegram.files.get(path.removeprefix("f/")) if token == f"bot{TOKEN}" else None
        self._send(404 if data is None else 200, data or b"")

    def _send(self, status: int, body: bytes) -> None:
        try:
            self.send_response(status)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except OSError:  # the bot has hung up
            self.close_connection = True

    def log_message(self, *_: Any) -> None:
        """Nothing is written."""


class _HttpServer(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, telegram: TelegramServer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.telegram = telegram

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A connection that is cut is no error."""


def _carried_out(
    telegram: TelegramServer, token: str, call: Call, refused: RefusedCallError | None
) -> tuple[int, dict[str, Any]]:
    """The status and the answer of a call."""
    error = refused or (None if token == f"bot{TOKEN}" else RefusedCallError(401, "Unauthorized"))
    if error is None:
        try:
            return 200, {"ok": True, "result": telegram.call(call.method, call.params)}
        except RefusedCallError as found:
            error = found
    more = {"parameters": {"retry_after": error.retry_after}} if error.retry_after else {}
    return error.code, {"ok": False, "error_code": error.code, "description": error.description, **more}


def _params(kind: str, body: bytes) -> dict[str, Any]:
    if not kind.startswith("multipart/"):
        return {name: values[0] for name, values in parse_qs(body.decode(), keep_blank_values=True).items()}
    whole = BytesParser(policy=HTTP).parsebytes(f"content-type: {kind}\r\n\r\n".encode() + body)
    params: dict[str, Any] = {}
    for part in whole.iter_parts():
        name = part.get_param("name", header="content-disposition")
        data = part.get_payload(decode=True)
        assert isinstance(data, bytes)
        params[str(name)] = (part.get_filename(), data) if part.get_filename() else data.decode()
    for name, value in [*params.items()]:
        if isinstance(value, str) and value.startswith("attach://"):
            params[name] = params[value.removeprefix("attach://")]
    return params


@contextmanager
def telegram_server() -> Iterator[tuple[TelegramServer, str]]:
    """A running server and its address."""
    telegram = TelegramServer()
    server = _HttpServer(telegram)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield telegram, f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
