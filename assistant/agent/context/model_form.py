"""Messages of a conversation in the minimal form that a model is sent (C-04, C-06, C-34)."""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Protocol

from assistant.agent.context.tokens import estimated_tokens
from assistant.core.citing.markers import without_citations
from assistant.core.documents import Document, TurnDocuments
from assistant.core.formats.mail import is_mail
from assistant.core.messages import Attachment, Completion, Message, Role
from assistant.core.texts import Texts
from assistant.llm.attachments.file_types import quotable, text_of, true_type
from assistant.llm.backend import ModelAttachment, ModelMessage, ModelToolCall

Files = Mapping[str, tuple[ModelAttachment, ...]]
"""The encoded files of each message, by message id."""
NO_FILES: Files = {}
PDF = "application/pdf"
FILE_CHARACTERS = 12_000
"""Characters that a file counts as which is neither text nor an image: a document of a few pages, a minute of sound."""


class DocumentTexts(Protocol):
    """Reads documents; ``knowledge.message_files.MessageDocuments`` does."""

    async def text_of(self, file: Attachment, /) -> str | None:
        """The text of a file; ``None`` for a file without text."""
        ...


Texted = Mapping[tuple[str, int], str]
"""The texts of documents, by message id and position among the files of the message."""


async def document_texts(history: Sequence[Message], documents: DocumentTexts | None) -> Texted:
    """The texts of the documents in the user's messages. Images, sounds, films and plain text need none.

    Raises:
        StorageError: a file cannot be read.
    """
    if documents is None:
        return {}
    texts = {
        (message.id, position): await documents.text_of(file)
        for message in history
        if message.role is Role.USER
        for position, file in enumerate(message.attachments)
        if is_document(file)
    }
    return {place: text for place, text in texts.items() if text is not None}


def is_document(file: Attachment) -> bool:
    """Whether a file has to be read before a model can be sent it: it is no image, sound, film or plain text."""
    kind = true_type(file.head, file.mime_type)
    if kind.partition("/")[0] in ("image", "audio", "video"):
        return False
    return kind == PDF or is_mail(kind) or text_of(file.head, is_cut=len(file.head) < file.size) is None


def encoded_files(history: Sequence[Message], documents: Texted = MappingProxyType({})) -> Files:
    """The files of the user's messages in base64, by message id. They are sent with their messages (C-04).

    A document whose text was read is that text.

    Files that tools have made are not sent: the model knows what it asked for.

    Reading and encoding take about 4 ms per megabyte, so do not call this on the event loop's thread.

    Raises:
        StorageError: a file cannot be read.
    """
    asked = [message for message in history if message.role is Role.USER and message.attachments]
    return {
        message.id: tuple(
            _encoded(each, documents.get((message.id, position))) for position, each in enumerate(message.attachments)
        )
        for message in asked
    }


def _encoded(attachment: Attachment, document: str | None = None) -> ModelAttachment:
    if document is not None:
        return ModelAttachment(
            mime_type="text/plain",
            data=base64.b64encode(document.encode()).decode("ascii"),
            name=attachment.name,
            characters=len(document),
            tokens=estimated_tokens(document),
            is_text=True,
        )
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


def to_model(message: Message, texts: Texts, files: Files, note: str, numbers: TurnDocuments) -> ModelMessage | None:
    """The message in the minimal form for a model; ``None`` for a message without words and calls.

    Documents stand above the words that they came with, as JSON in which each has a number (K-04). Images and other
    files are attached.

    Args:
        message: the message.
        texts: the texts for what is left out.
        files: the encoded files of all messages.
        note: facts for this message; empty for none.
        numbers: numbers the documents of the turn.
    """
    if message.role is Role.USER:
        attached = files[message.id] if message.attachments else ()
        documents = documents_in(message, files)
        told = numbers.json(documents) if documents else ""
        text = "\n\n".join(filter(None, (told, note, message.text)))
        others = tuple(each for each in attached if not each.is_text)
        return ModelMessage(role="user", text=text, attachments=others, documents=len(documents))
    if message.role is Role.TOOL:
        # Results of earlier turns are long and stale, so they are not sent; their calls are (C-06). The tool loop adds
        # the results of the running turn.
        return _expired_result(message.tool_use_id, texts)
    # Numbers name other documents in each turn, so an old number in the conversation would name a wrong one.
    words = without_citations(received(message), {each.number for each in message.citations})
    return _from_assistant(message, "" if message.superseded else words)


def documents_in(message: Message, files: Files) -> tuple[Document, ...]:
    """The documents that a message of the user's holds."""
    if message.role is not Role.USER:
        return ()
    texts = (each for each in files.get(message.id, ()) if each.is_text)
    return tuple(Document(title=each.name, contents=_words_of(each)) for each in texts)


def _words_of(file: ModelAttachment) -> str:
    return text_of(base64.b64decode(file.data)) or ""


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
