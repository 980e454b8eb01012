"""Requests for servers of language models, named by address or found on this machine, and for the keys of providers."""

from dataclasses import dataclass, field

from assistant.core.service.request import Request, Right


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelServer:
    """A server with an address.

    Attributes:
        name: its name as a provider.
        address: its address.
        local: whether requests to it stay on this machine.
        models: the models that it offers, as far as it has told.
        configured: whether the settings contain it; otherwise it was found on this machine.
        has_key: whether there is an API key for it.
        code: one of ``ErrorCode`` if it did not tell its models; ``authentication`` where a key is missing or refused.
        trouble: why, and what to do, in the user's words; empty for none.
    """

    name: str
    address: str
    local: bool
    models: tuple[str, ...] = ()
    configured: bool = True
    has_key: bool = False
    code: str = ""
    trouble: str = ""


class ListServers(Request[tuple[ModelServer, ...]]):
    """Ask the servers of the settings for their models, and look for others on this machine."""


class CheckProvider(Request[tuple[str, ...]], right=Right.MANAGE):
    """Ask a provider of the settings for its models, with its key. A refusal tells why there are none."""

    provider: str


class AddServer(Request[ModelServer], right=Right.OWN):
    """Add a server in OpenAI's format to the settings, with its key. It is asked for its models first.

    Nothing is stored if it does not tell them.

    Attributes:
        address: its address, as the user types it: ``192.168.0.7:1234``, or a whole one with its path.
        key: its API key; empty for none.
        name: its name as a provider; empty for one that fits the address.
        in_file: whether the user consents to storing the key in a file of Sori's folder when there is no keyring.
        unasked: whether it is added without being asked, because it does not run now.
    """

    address: str
    key: str = field(default="", repr=False)
    name: str = ""
    in_file: bool = False
    unasked: bool = False


class RemoveServer(Request[None], right=Right.OWN):
    """Take a server out of the settings, and forget its key. It is refused while the settings use it."""

    name: str


class StoreKey(Request[None], right=Right.OWN):
    """Store the API key of a provider and use it from now on. No reply holds a key.

    Attributes:
        provider: the provider's name.
        key: the key.
        in_file: whether the user consents to storing the key in a file of Sori's folder when there is no keyring.
        configure: whether the name is a vendor's that is added to the settings unless they have it.
    """

    provider: str
    key: str = field(repr=False)
    in_file: bool = False
    configure: bool = True


class RemoveKey(Request[bool], right=Right.OWN):
    """Remove the key of a provider from the keyring and from the file; the result tells whether there was one."""

    provider: str
