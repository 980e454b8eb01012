"""The chats of the fake server: what was sent to them, edited and deleted."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tests.fakes.telegram_server.text_rules import LONGEST_CAPTION, Formatted, RefusedCallError, bad_request, formatted

Params = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Sent:
    """A message of the bot as the user sees it.

    Attributes:
        id: its number, which counts the messages of the chat.
        shown: its text, or its caption.
        kind: ``text``, ``photo``, ``document`` or ``voice``.
        data: the bytes of its file.
        buttons: labels of its buttons and what each sends.
        silent: whether the user was not notified.
        thread: the topic in which it stands; 0 for none.
        texts: every text that it has had, the first one first.
    """

    id: int
    shown: Formatted
    kind: str = "text"
    data: bytes = b""
    name: str = ""
    buttons: tuple[tuple[str, str], ...] = ()
    silent: bool = False
    texts: tuple[str, ...] = field(default=())
    thread: int = 0

    @property
    def text(self) -> str:
        return self.shown.text


class Chats:
    """Sends, edits and deletes as Telegram does."""

    def __init__(self) -> None:
        self.sent: dict[int, list[Sent]] = {}
        self.blocked: set[int] = set()
        self.actions: list[tuple[int, str]] = []
        self.numbers: dict[int, int] = {}
        self.topics: set[int] = set()
        self.previewed: list[str] = []
        """Texts of which Telegram's servers have fetched an address, to show a preview of it."""

    def next_id(self, chat: int) -> int:
        """The number of the next message of a chat."""
        self.numbers[chat] = self.numbers.get(chat, 0) + 1
        return self.numbers[chat]

    def open(self, chat: int) -> None:
        """The user has written to the bot, which may answer from now on."""
        self.sent.setdefault(chat, [])

    def send_message(self, params: Params) -> dict[str, Any]:
        chat = self._chat(params)
        if not str(params.get("text", "")).strip():
            raise bad_request("message text is empty")
        shown = self._formatted(params)
        return self._add(chat, Sent(0, shown), params)

    def send_file(self, kind: str, params: Params) -> dict[str, Any]:
        chat = self._chat(params)
        given = params.get(kind)
        if not isinstance(given, tuple):
            raise bad_request(f"there is no {kind} in the request")
        name, data = given
        if not data:
            raise bad_request("file must be non-empty")
        entities = params.get("caption_entities")
        shown = formatted(params.get("caption", ""), entities, params.get("parse_mode"), longest=LONGEST_CAPTION)
        return self._add(chat, Sent(0, shown, kind, data, name), params)

    def edit_message_text(self, params: Params) -> dict[str, Any]:
        chat = self._chat(params)
        at = self._at(chat, params)
        if not str(params.get("text", "")).strip():
            raise bad_request("message text is empty")
        shown = self._formatted(params)
        former = self.sent[chat][at]
        buttons = _buttons(params)
        if (former.shown, former.buttons) == (shown, buttons):
            raise bad_request(
                "message is not modified: specified new message content and reply markup are exactly the same as a "
                "current content and reply markup of the message"
            )
        after = replace(former, shown=shown, buttons=buttons, texts=(*former.texts, shown.text))
        self.sent[chat][at] = after
        return _message(chat, after)

    def edit_message_reply_markup(self, params: Params) -> dict[str, Any]:
        chat = self._chat(params)
        at = self._at(chat, params)
        if self.sent[chat][at].buttons == _buttons(params):
            raise bad_request("message is not modified")
        self.sent[chat][at] = replace(self.sent[chat][at], buttons=_buttons(params))
        return _message(chat, self.sent[chat][at])

    def delete_message(self, params: Params) -> bool:
        chat = self._chat(params)
        del self.sent[chat][self._at(chat, params)]
        return True

    def send_chat_action(self, params: Params) -> bool:
        self.actions.append((self._chat(params), str(params.get("action"))))
        return True

    def _formatted(self, params: Params) -> Formatted:
        options = json.loads(params.get("link_preview_options") or "{}")
        if not options.get("is_disabled") and "://" in f"{params['text']} {params.get('entities')}":
            self.previewed.append(params["text"])
        return formatted(params["text"], params.get("entities"), params.get("parse_mode"))

    def _add(self, chat: int, sent: Sent, params: Params) -> dict[str, Any]:
        silent = params.get("disable_notification") == "true"
        number, texts = self.next_id(chat), (sent.shown.text,)
        thread = int(params.get("message_thread_id") or 0)
        sent = replace(sent, id=number, buttons=_buttons(params), silent=silent, texts=texts, thread=thread)
        self.sent[chat].append(sent)
        return _message(chat, sent)

    def _chat(self, params: Params) -> int:
        chat = int(params.get("chat_id") or 0)
        if chat in self.blocked:
            raise RefusedCallError(403, "Forbidden: bot was blocked by the user")
        if chat not in self.sent:
            raise bad_request("chat not found")
        if int(params.get("message_thread_id") or 0) not in {0, *self.topics}:
            raise bad_request("message thread not found")
        return chat

    def _at(self, chat: int, params: Params) -> int:
        number = int(params.get("message_id") or 0)
        found = [at for at, each in enumerate(self.sent[chat]) if each.id == number]
        if not found:
            raise bad_request("message to edit not found")
        return found[0]


def _buttons(params: Params) -> tuple[tuple[str, str], ...]:
    markup = json.loads(params.get("reply_markup") or "{}")
    found = [button for row in markup.get("inline_keyboard", []) for button in row]
    for each in found:
        if not each.get("text") or not 1 <= len(str(each.get("callback_data", "")).encode()) <= 64:
            raise bad_request("BUTTON_DATA_INVALID")
    return tuple((each["text"], each["callback_data"]) for each in found)


def _message(chat: int, sent: Sent) -> dict[str, Any]:
    told: dict[str, Any] = {"message_id": sent.id, "date": 1_795_000_000, "chat": {"id": chat, "type": "private"}}
    if sent.kind == "text":
        told["text"] = sent.shown.text
    else:
        told["caption"] = sent.shown.text
    return told
