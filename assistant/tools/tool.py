"""The description of a tool: one typed function that a model may call (X-01)."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from assistant.core.documents import Document
from assistant.core.messages import MadeFile
from assistant.core.permissions import Category
from assistant.llm.backend import ANY_REQUEST, Evidence, ModelAttachment


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutput:
    """A result with documents or files.

    Attributes:
        text: text that a person can read; not used for a result of documents.
        documents: documents that the answer may cite; the gate numbers them on through the turn.
        attachments: images and other files for the model.
        files: files that the tool has made for the user; they are kept with the conversation and shown.
    """

    text: str = ""
    documents: tuple[Document, ...] = ()
    attachments: tuple[ModelAttachment, ...] = ()
    files: tuple[MadeFile, ...] = ()


def always() -> bool:
    """Availability of a tool that needs no setting."""
    return True


def never() -> bool:
    """``Tool.stays_here`` of a tool whose destination does not depend on a setting."""
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool.

    Attributes:
        name: unique name of the characters ``[a-z0-9_]``.
        description: text for the model.
        parameters: JSON Schema of the arguments, of type object.
        category: what the tool can affect.
        idempotent: whether running it twice has the same effect as running it once.
        run: takes the arguments; returns a text that a person can read, or a ``ToolOutput``.
        evidence: what a request for the tool contains. It is for small models, and for the rules in ``taint.py``.
        for_small_models: whether small models are told of the tool too. Each tool makes their choice less certain.
        searches: whether it finds documents that an answer must cite.
        untrusted: whether results contain content from outside, such as a page, a file or a foreign server's words.
        reads_private: whether results contain the user's private data.
        outbound: whether a call can send its arguments to other computers.
        stays_here: whether an ``outbound`` tool reaches only this machine at present.
        timeout_s: seconds that a call may take; ``None`` for the runner's own limit.
        available: whether the tool can be used at present. Otherwise it is not offered.
        generated: ``tool_of`` made ``parameters``, so registration does not check them.
    """

    name: str
    description: str
    parameters: dict[str, Any]
    category: Category
    idempotent: bool
    run: Callable[[dict[str, Any]], Awaitable[str | ToolOutput]]
    evidence: Evidence = ANY_REQUEST
    for_small_models: bool = True
    searches: bool = False
    untrusted: bool = False
    reads_private: bool = False
    outbound: bool = False
    stays_here: Callable[[], bool] = never
    timeout_s: float | None = None
    generated: bool = False
    available: Callable[[], bool] = always


class ToolError(Exception):
    """A tool cannot do what was asked. The text gives the reason; the model and the user read it."""
