"""Requests for language models, their weights on this machine, and the keys of providers."""

from dataclasses import dataclass, field
from typing import ClassVar

from assistant.core.service.request import Request, Right
from assistant.core.updates import ModelOffer, ModelsKept


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedModels:
    """The models to choose from.

    Attributes:
        chosen: the reference chosen in the conversation; empty for the choice of the settings.
        models: the models.
    """

    chosen: str
    models: tuple[ModelOffer, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListModels(Request[OfferedModels]):
    """Search the models that a conversation can use. ``ModelsOffered`` tells those that were found meanwhile.

    Attributes:
        conversation: its id; empty for none.
    """

    conversation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChooseModel(Request[None]):
    """Use a model in a conversation (P-23).

    Attributes:
        conversation: its id.
        model: a model reference (settings); empty restores the choice of the settings.
    """

    conversation: str
    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ListKeptModels(Request[ModelsKept]):
    """List the weights on this machine and those to fetch. ``ModelsKept`` tells of changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchModel(Request[None]):
    """Fetch the weights of this model, or resume a paused fetch. The reply comes when the fetch has begun."""

    right: ClassVar[Right] = Right.MANAGE
    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseFetch(Request[None]):
    """Pause the fetch of this model until ``FetchModel``, also across restarts."""

    right: ClassVar[Right] = Right.MANAGE
    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveModel(Request[None]):
    """Delete the weights of this model."""

    right: ClassVar[Right] = Right.MANAGE
    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreKey(Request[None]):
    """Store the API key of a provider and use it from now on.

    Attributes:
        provider: the provider's name. A name that is missing in the settings is a vendor's, and is added to them.
        key: the key.
        in_file: whether the user consents to storing the key in a file of Sori's folder when there is no keyring.
    """

    right: ClassVar[Right] = Right.OWN
    provider: str
    key: str = field(repr=False)
    in_file: bool = False
