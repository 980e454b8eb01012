"""Sori's own JSON. It has every message and file of a conversation, and no settings or keys."""

import base64
import binascii
import json
from dataclasses import asdict
from typing import Any

from assistant.core.knowledge.passages import Citation
from assistant.core.machine.effects import Origin
from assistant.core.messages import Attachment, Completion, Role, ToolUse
from assistant.core.records.agents import DEFAULT_AGENT, DEFAULT_WORKSPACE, AgentId
from assistant.storage.stored_message import StoredMessage
from assistant.storage.transfer.portable import Fields, InvalidContentError, PortableConversation, local_time

FORMAT = "sori-conversations"
VERSION = 2
"""Version of the format. A reader refuses a greater one."""
_LONGEST_ID = 64
_CONVERSATION_TEXTS = ("title", "titled_by", "model", "summary", "summarised_until")
_MESSAGE_TEXTS = ("text", "reasoning", "error", "error_text", "provider", "model", "tool_use_id")


def beginning(exported_at: str) -> str:
    """The beginning of a file, before its first conversation."""
    head = json.dumps({"format": FORMAT, "version": VERSION, "exported_at": exported_at})
    return f'{head[:-1]}, "conversations": ['


def ending() -> str:
    """The end of a file, after its last conversation."""
    return "\n]}\n"


def to_json(conversation: PortableConversation) -> str:
    """A conversation as one line of JSON. Reads all its files, so it waits for the disk."""
    values = {
        "id": conversation.id,
        "created_at": conversation.created_at,
        **{name: getattr(conversation, name) for name in _CONVERSATION_TEXTS},
        "workspace": conversation.agent.workspace,
        "agent": conversation.agent.name,
        "messages": [_message_values(message) for message in conversation.messages],
    }
    return json.dumps(values, ensure_ascii=False)


def _message_values(message: StoredMessage) -> dict[str, Any]:
    uses = [{"id": use.id, "name": use.name, "arguments": use.arguments} for use in message.tool_uses]
    return {
        "id": message.id,
        "role": message.role.value,
        "created_at": message.created_at,
        "origin": message.origin.value,
        "completion": message.completion.value,
        **{name: getattr(message, name) for name in _MESSAGE_TEXTS},
        "heard": message.heard,
        "tool_uses": uses,
        "usage": message.usage,
        "signatures": list(message.signatures),
        "superseded": message.superseded,
        **({"citations": [asdict(each) for each in message.citations]} if message.citations else {}),
        "parent": message.parent,
        "shown": message.shown,
        "attachments": [_file_values(each) for each in message.attachments],
    }


def _file_values(file: Attachment) -> dict[str, str]:
    data = base64.b64encode(file.read()).decode()
    return {"name": file.name, "mime_type": file.mime_type, "data": data}


def from_json(value: object) -> PortableConversation:
    """The conversation of a JSON object that ``to_json`` wrote.

    Raises:
        InvalidContentError: the object has another form.
    """
    fields = Fields(value, "")
    identity = _identity(fields)
    return PortableConversation(
        id=identity,
        created_at=_time(fields),
        title=fields.text("title"),
        titled_by=fields.text("titled_by"),
        model=fields.text("model"),
        summary=fields.text("summary"),
        summarised_until=fields.text("summarised_until"),
        agent=AgentId(
            workspace=_folder(fields, "workspace", DEFAULT_WORKSPACE), name=_folder(fields, "agent", DEFAULT_AGENT)
        ),
        messages=tuple(_message(each, identity) for each in fields.objects("messages")),
    )


def _identity(fields: Fields) -> str:
    identity = fields.required("id")
    if len(identity) > _LONGEST_ID or not identity.isprintable():
        raise InvalidContentError(fields.at("id"))
    return identity


def _time(fields: Fields) -> str:
    local_time(fields, "created_at")
    return fields.text("created_at")


def _folder(fields: Fields, key: str, default: str) -> str:
    """The name of a folder with an agent's files, which must not lead elsewhere."""
    name = fields.text(key) or default
    if name.startswith(".") or not name.isprintable() or set(name) & set("/\\:"):
        raise InvalidContentError(fields.at(key))
    return name


def _message(fields: Fields, conversation: str) -> StoredMessage:
    completion = Completion(_one_of(fields, "completion", Completion, Completion.COMPLETE))
    cut_off = completion is Completion.STREAMING
    return StoredMessage(
        id=_identity(fields),
        conversation=conversation,
        role=Role(_one_of(fields, "role", Role, "")),
        created_at=_time(fields),
        origin=Origin(_one_of(fields, "origin", Origin, Origin.TEXT)),
        # Nobody goes on writing it here.
        completion=Completion.INCOMPLETE if cut_off else completion,
        heard=None if fields.raw().get("heard") is None else fields.text("heard"),
        tool_uses=tuple(_tool_use(each) for each in fields.objects("tool_uses")),
        usage=_usage(fields),
        signatures=tuple(dict(each.raw()) for each in fields.objects("signatures")),
        superseded=fields.of_type("superseded", bool, False),
        citations=tuple(_citation(each) for each in fields.objects("citations")),
        parent=fields.text("parent") if "parent" in fields.raw() else None,
        shown=fields.of_type("shown", bool, True),
        attachments=tuple(_file(each) for each in fields.objects("attachments")),
        text=fields.text("text"),
        reasoning=fields.text("reasoning"),
        error=fields.text("error"),
        error_text=fields.text("error_text"),
        provider=fields.text("provider"),
        model=fields.text("model"),
        tool_use_id=fields.text("tool_use_id"),
    )


def _one_of(fields: Fields, key: str, known: type[Role] | type[Completion] | type[Origin], default: str) -> str:
    value = fields.of_type(key, str, str(default))
    if value not in {each.value for each in known}:
        raise InvalidContentError(fields.at(key))
    return value


def _tool_use(fields: Fields) -> ToolUse:
    return ToolUse(id=fields.text("id"), name=fields.text("name"), arguments=dict(fields.object("arguments").raw()))


def _citation(fields: Fields) -> Citation:
    return Citation(
        number=fields.of_type("number", int, 0),
        title=fields.text("title"),
        file=fields.text("file"),
        passage=fields.of_type("passage", int, 0),
        page=fields.of_type("page", int, 0),
        url=fields.text("url"),
        text=fields.text("text"),
    )


def _usage(fields: Fields) -> dict[str, int]:
    counts = fields.object("usage")
    return {key: counts.of_type(key, int, 0) for key in counts.keys()}  # noqa: SIM118 - ``Fields`` is no mapping


def _file(fields: Fields) -> Attachment:
    try:
        data = base64.b64decode(fields.text("data"), validate=True)
    except (binascii.Error, ValueError) as error:
        raise InvalidContentError(fields.at("data")) from error
    return Attachment(name=fields.text("name"), mime_type=fields.required("mime_type"), data=data)
