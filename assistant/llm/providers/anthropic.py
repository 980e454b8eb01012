"""Anthropic, and any server with its messages API at the provider's own ``base_url`` (P-04)."""

from assistant.llm.attachments.fitting import ANTHROPIC
from assistant.llm.backend_needs import BackendNeeds
from assistant.llm.sdk_backend import DeferredChat, SdkBackend

KIND = "anthropic"

BASE_URL = "https://api.anthropic.com"


def create(needs: BackendNeeds) -> SdkBackend:
    """The backend."""
    chat = DeferredChat("assistant.llm.anthropic.chat", "AnthropicChat", needs.learnt)
    return SdkBackend(needs, chat, base_urls={KIND: BASE_URL}, accepts={KIND: ANTHROPIC})
