"""OpenAI, Z.AI, and any server of the chat completions format at the provider's own ``base_url`` (P-03, P-07)."""

from assistant.core.settings import Provider
from assistant.llm.backend import ModelRequest
from assistant.llm.backend_needs import BackendNeeds
from assistant.llm.openai.profiles import PROFILES
from assistant.llm.sdk_backend import DeferredChat, SdkBackend

KINDS = tuple(PROFILES)


def create(needs: BackendNeeds) -> SdkBackend:
    """The backend."""
    chat = DeferredChat("assistant.llm.openai.chat", "OpenAIChat", needs.learnt)
    base_urls = {kind: profile.base_url for kind, profile in PROFILES.items()}
    accepts = {kind: profile.accepts for kind, profile in PROFILES.items()}
    return SdkBackend(needs, chat, base_urls=base_urls, accepts=accepts, worded=_worded)


def _worded(provider: Provider, request: ModelRequest) -> ModelRequest:
    return PROFILES[provider.kind].worded(request)
