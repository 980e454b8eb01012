"""Requests for dictation: what the user says stands where the cursor is (D-08)."""

from assistant.core.service.request import Request, Right


class TypeDictation(Request[None], right=Right.OWN):
    """Offer to type: this client gets ``DictationChanged`` and ``DictationWritten`` until it leaves.

    The client that has offered it last types. A dictation that another one types is ended.
    """


class HoldDictation(Request[None], right=Right.OWN):
    """The user holds the key for dictation, or releases it. Refused where no client types."""

    held: bool


class ToggleDictation(Request[None], right=Right.OWN):
    """Begin or end a dictation. Refused where no client types."""
