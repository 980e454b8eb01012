"""Messages of a conversation in the minimal form that a model is sent (C-04, C-06, C-34)."""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import replace

from assistant.agent.context.tokens import estimated_tokens
from assistant.core.citing.markers import without_citations
from assistant.core.messages import Attachment, Completion, Message, Role
from assistant.core.texts import Texts
from assistant.llm.attachments.file_types import quotable
from assistant.llm.backend import ModelAttachment, ModelMessage, ModelToolCall

Files = Mapping[str, tuple[ModelAttachment, ...]]
"""The encoded files of each message, by message id."""
NO_FILES: Files = {}
FILE_CHARACTERS = 12_000
"""Characters that a file counts as which is neither text nor an image: a document of a few pages, a minute of sound."""


def encoded_files(history: Sequence[Message]) -> Files:
    """The files of the user's messages in base64, by message id. They are sent with their messages (C-04).

    Files that tools have made are not sent: the model knows what it asked for.

    Reading and encoding take about 4 ms per megabyte, so do not call this on the event loop's thread.

    Raises:
        StorageError: a file cannot be read.
    """
    asked = [message for message in history if message.role is Role.USER and message.attachments]
    return {message.id: tuple(map(_encoded, message.attachments)) for message in asked}


def _encoded(attachment: Attachment) -> ModelAttachment:
    content = attachment.read()
    encoded = ModelAttachment(
        mime_type=attachment.mime_type, data=base64.b64encode(content).decode("ascii"), name=attachment.name
    )
    if attachment.mime_type.startswith("image/"):
        return encoded
    text = quotable(content, attachment.mime_type)
    if text is None:
        return replace(encoded, characters=FILE_CHARACTERS, tokens=FILE_CHARACTERS // 3)
    return replace(encoded, characters=len(text), tokens=estimated_tokens(text), is_text=True)


def with_all_results(messages: Sequence[ModelMessage], texts: Texts) -> tuple[ModelMessage, ...]:
    """The messages with a result after every call, as providers demand.

    Calls of an interrupted turn have no result; they get the text of an expired one. A result without a call is left
    out.
    """
    whole: list[ModelMessage] = []
    open_calls: list[str] = []
    for message in messages:
        if message.role == "tool":
            if message.tool_call_id not in open_calls:
                continue
            open_calls.remove(message.tool_call_id)
        else:
            whole.extend(_expired_result(call, texts) for call in open_calls)
            open_calls = [call.id for call in message.tool_calls]
        whole.append(message)
    whole.extend(_expired_result(call, texts) for call in open_calls)
    return tuple(whole)


def _expired_result(call_id: str, texts: Texts) -> ModelMessage:
    return ModelMessage(role="tool", text=texts("tools.expired"), tool_call_id=call_id)


def to_model(message: Message, texts: Texts, files: Files, note: str) -> ModelMessage | None:
    """The message in the minimal form for a model; ``None`` for a message without words and calls."""
    if message.role is Role.USER:
        text = f"{note}\n\n{message.text}".strip() if note else message.text
        return ModelMessage(role="user", text=text, attachments=files[message.id] if message.attachments else ())
    if message.role is Role.TOOL:
        # Results of earlier turns are long and stale, so they are not sent; their calls are (C-06). The tool loop adds
        # the results of the running turn.
        return _expired_result(message.tool_use_id, texts)
    # Numbers name other documents in each turn, so an old number in the conversation would name a wrong one.
    words = without_citations(received(message), {each.number for each in message.citations})
    return _from_assistant(message, "" if message.superseded else words)


def from_earlier_attempt(message: Message) -> ModelMessage | None:
    """A message from an earlier attempt: calls and results without words, so that the tools do not run twice."""
    if message.role is Role.TOOL:
        return ModelMessage(role="tool", text=message.text, tool_call_id=message.tool_use_id)
    return _from_assistant(message, "")


def _from_assistant(message: Message, text: str) -> ModelMessage | None:
    if not text and not message.tool_uses:
        return None
    calls = tuple(ModelToolCall(id=use.id, name=use.name, arguments=use.arguments) for use in message.tool_uses)
    # Signatures cover the whole reply, so they are sent only with a reply that is sent whole.
    whole = message.completion is Completion.COMPLETE and text == message.text
    return ModelMessage(role="assistant", text=text, tool_calls=calls, signatures=message.signatures if whole else ())


def received(message: Message) -> str:
    """The part of an answer that the user saw or, if it was interrupted while spoken, heard."""
    if message.completion is Completion.COMPLETE:
        return message.text
    text = message.text if message.completion is not Completion.INTERRUPTED or message.heard is None else message.heard
    return text.rstrip()
