"""What a running tool may know of the call that runs it."""

from contextvars import ContextVar

conversation_of_call: ContextVar[str] = ContextVar("conversation_of_call", default="")
"""Id of the conversation that the call belongs to; empty for none. The gate sets it before a tool runs."""
