"""Requests for the engine itself."""

from assistant.core.service.request import Request, Right


class EndEngine(Request[None], right=Right.OWN):
    """End the engine. The reply comes before it ends."""
