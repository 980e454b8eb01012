"""Google's Gemini API, and any server with its format at the provider's own ``base_url`` (P-06)."""

from assistant.llm.attachments.fitting import GOOGLE
from assistant.llm.backend_needs import BackendNeeds
from assistant.llm.sdk_backend import DeferredChat, SdkBackend

KIND = "google"

BASE_URL = "https://generativelanguage.googleapis.com"


def create(needs: BackendNeeds) -> SdkBackend:
    """The backend."""
    chat = DeferredChat("assistant.llm.google.chat", "GoogleChat", needs.learnt)
    return SdkBackend(needs, chat, base_urls={KIND: BASE_URL}, accepts={KIND: GOOGLE})
