"""Requests for the API keys of providers. No reply holds a key."""

from dataclasses import field

from assistant.core.service.request import Request, Right


class StoreKey(Request[None], right=Right.OWN):
    """Store the API key of a provider and use it from now on.

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
