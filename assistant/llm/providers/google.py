"""Google's Gemini API, and any server that speaks its format at a provider's own ``base_url`` (P-06)."""

from assistant.llm.backend import BackendNeeds
from assistant.llm.sdk_backend import DeferredChat, SdkBackend

KIND = "google"

BASE_URL = "https://generativelanguage.googleapis.com"


def create(needs: BackendNeeds) -> SdkBackend:
    """The backend."""
    return SdkBackend(needs, DeferredChat("assistant.llm.google_chat", "GoogleChat"), base_urls={KIND: BASE_URL})
