"""The description of a tool: one typed function that a model may call (X-01)."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from assistant.core.documents import Document
from assistant.core.messages import MadeFile
from assistant.core.permissions import Category
from assistant.llm.backend import ANY_REQUEST, Evidence, ModelAttachment
from assistant.tools.acts import NO_ACT, Act
from assistant.tools.calling import RunningCall
from assistant.tools.grants import GrantScope


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


class Baseline(StrEnum):
    """Which models are always offered a tool. Each further tool makes the choice of a model less certain."""

    NONE = "none"
    """No model. The tool is found by a search, and then offered for a while."""
    LARGE = "large"
    """The models that are not small."""
    ALL = "all"
    """Small models too. Only the few tools that are wanted every day belong here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool.

    Attributes:
        name: unique name of the characters ``[a-z0-9_]``.
        description: text for the model.
        parameters: JSON Schema of the arguments, of type object.
        category: what the tool can affect.
        idempotent: whether running it twice has the same effect as running it once.
        run: takes the arguments and the call that it serves; returns a readable text, or a ``ToolOutput``.
        evidence: what a request for the tool contains. It is for small models, and for the rules in ``taint.py``.
        baseline: which models are always offered the tool.
        searches: whether it finds documents that an answer must cite.
        act: what a request says that names a call of the tool, so that it need not ask after content from outside.
        untrusted: whether results may contain content from outside, such as a page, a file, a note or a foreign
            server's words.
        foreign: whether its description is somebody else's words. A model that is told it has read such content.
        reads_private: whether results contain the user's private data.
        outbound: whether a call can send its arguments to other computers.
        stays_here: whether an ``outbound`` tool reaches only this machine at present.
        timeout_s: seconds that a call may take; ``None`` for the runner's own limit.
        available: whether the tool can be used at present. Otherwise it is not offered.
        scope: what the answer "always" to a question about a call covers; ``None`` for the tool in this conversation.
        in_projects: whether it is offered only in a conversation about a project.
        arriving: whether the server that brings the tool still starts. A call waits for it (``ToolSet.await_tool``).
        server: name of the MCP server that it belongs to; empty for Sori's own.
        generated: ``tool_of`` made ``parameters``, so registration does not check them.
    """

    name: str
    description: str
    parameters: dict[str, Any]
    category: Category
    idempotent: bool
    run: Callable[[dict[str, Any], RunningCall], Awaitable[str | ToolOutput]]
    evidence: Evidence = ANY_REQUEST
    baseline: Baseline = Baseline.NONE
    search_words: tuple[str, ...] = ()
    searches: bool = False
    act: Act = NO_ACT
    untrusted: bool = False
    foreign: bool = False
    reads_private: bool = False
    outbound: bool = False
    stays_here: Callable[[], bool] = never
    timeout_s: float | None = None
    scope: Callable[[Mapping[str, Any]], GrantScope] | None = None
    in_projects: bool = False
    arriving: bool = False
    server: str = ""
    generated: bool = False
    available: Callable[[], bool] = always

    @property
    def reads_public(self) -> bool:
        """Whether its results are public: pages, and what searches find."""
        return self.untrusted and self.outbound and not self.foreign and not self.reads_private


class ToolError(Exception):
    """A tool cannot do what was asked. The model and the user read the reason in the user's language.

    Args:
        key: key of the text of the reason, with its remedy; ``tool_reason.foreign`` for the words of another program.
        values: what that text names.
    """

    def __init__(self, key: str, /, **values: object) -> None:
        super().__init__(" ".join((key, *(f"{name}={value}" for name, value in values.items()))))
        self.key, self.values = key, values


class NotRunError(ToolError):
    """The call did not reach the tool, so nothing was read and nothing done."""
