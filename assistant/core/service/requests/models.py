"""Requests for language models and their weights on this machine."""

from dataclasses import dataclass, field

from assistant.core.service.request import Request, Right
from assistant.core.updates import ModelOffer, ModelsKept, Suggestion


@dataclass(frozen=True, slots=True, kw_only=True)
class UnlistedModels:
    """A provider of the settings whose models could not be listed.

    Attributes:
        provider: its name.
        code: one of ``ErrorCode``; ``authentication`` where its API key is missing or refused.
        reason: why, in the user's words.
        message: why, and what to do.
    """

    provider: str
    code: str
    reason: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedModels:
    """The models to choose from.

    Attributes:
        chosen: the reference chosen in the conversation; empty for the choice of the settings.
        models: the models.
        unlisted: the providers whose models could not be listed.
    """

    chosen: str
    models: tuple[ModelOffer, ...]
    unlisted: tuple[UnlistedModels, ...] = ()


class ListModels(Request[OfferedModels]):
    """Search the models that a conversation can use. ``ModelsOffered`` tells those that were found meanwhile.

    Attributes:
        conversation: its id; empty for none.
    """

    conversation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileHead:
    """A file that the user is about to send, as far as it decides whether a model can read it.

    Attributes:
        name: its name.
        mime_type: its declared type.
        size: its size in bytes.
        head: its first bytes, at most ``HEAD_BYTES``; all of them if there are fewer.
    """

    name: str
    mime_type: str
    size: int
    head: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileWarning:
    """Why a file would be left out of the request, in the user's words.

    Attributes:
        message: why.
        remedy: what the user can do.
        other_model: whether another model may read it.
    """

    message: str
    remedy: str
    other_model: bool = False


class CheckFiles(Request[tuple[FileWarning | None, ...]]):
    """Tell of each file whether the model that answers would get it; ``None`` for one that it gets.

    A file that only the server can judge has no warning. What is left out when the message is sent is told as well.

    Attributes:
        conversation: the conversation; empty for a new one.
        files: the files.
        model: reference of the model that the message names; empty for the one of the conversation.
    """

    conversation: str
    files: tuple[FileHead, ...]
    model: str = ""


class ChooseModel(Request[None]):
    """Use a model in a conversation (P-23).

    Attributes:
        conversation: its id.
        model: a model reference (settings); empty restores the choice of the settings.
    """

    conversation: str
    model: str


class ListKeptModels(Request[ModelsKept]):
    """List the weights on this machine and those to fetch. ``ModelsKept`` tells of changes."""


class FetchModel(Request[None], right=Right.MANAGE):
    """Fetch the weights of this model, or resume a paused fetch. The reply comes when the fetch has begun."""

    model: str


class PauseFetch(Request[None], right=Right.MANAGE):
    """Pause the fetch of this model until ``FetchModel``, also across restarts."""

    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFault:
    """A file of a model that cannot be used.

    Attributes:
        model: the model.
        file: the file.
        flaw: ``missing``, ``truncated`` or ``altered``.
    """

    model: str
    file: str
    flaw: str


class PullModel(Request[None], right=Right.MANAGE):
    """Fetch the weights of this model; the reply comes when they are here. ``WeightsRead`` tells how far it is.

    Attributes:
        model: its name.
        allow_unverified: whether files without a known checksum may be fetched.
    """

    model: str
    allow_unverified: bool = False


class VerifyModel(Request[tuple[ModelFault, ...]]):
    """Read all weights of this model and compare their checksums. ``WeightsRead`` tells how far it is."""

    model: str


class UnloadModel(Request[None], right=Right.MANAGE):
    """Give back the memory of Sori's own language model, once no answer uses it. The next answer loads it again."""


class RemoveModel(Request[None], right=Right.MANAGE):
    """Delete the weights of this model."""

    model: str


class SuggestModel(Request[Suggestion | None]):
    """Suggest a model that is better than the small one and fits this machine.

    There is none more than once a day, nor where the user has chosen a model or wants no suggestions.
    """


class AdoptModel(Request[None], right=Right.MANAGE):
    """Let this model answer from now on, in all conversations without a choice of their own.

    One of Sori's own server is fetched first, and the former one answers until it is here. The reply comes when the
    fetch has begun.

    Attributes:
        model: a model reference (settings).
    """

    model: str
