"""Providers that speak the OpenAI format at an address of their own, and what each of them words differently (P-07).

Data: a provider of this format is one entry here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from assistant.core.settings import Provider
from assistant.llm.attachments.fitting import OPENAI, ZAI, Accepted
from assistant.llm.backend import ModelRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What is particular to one provider.

    Attributes:
        base_url: root of its API.
        model: what is asked for where no model is named; empty for the server's only one.
        accepts: what it takes of a message's files.
        longest_answer: the parameter that limits the answer, where it is not ``max_completion_tokens``.
        thinking: parameters of a request with reasoning, in place of ``reasoning_effort``; ``None`` for that.
        not_thinking: parameters of a request without.
    """

    base_url: str
    model: str = ""
    accepts: Accepted = OPENAI
    longest_answer: str = ""
    thinking: Mapping[str, Any] | None = None
    not_thinking: Mapping[str, Any] = field(default_factory=dict)

    def worded(self, request: ModelRequest) -> ModelRequest:
        """``request`` as this provider wants it; the user's own ``extra`` stays above all."""
        words: dict[str, Any] = dict((self.thinking or {}) if request.reasoning else self.not_thinking)
        longest = request.max_output_tokens
        if self.longest_answer and longest is not None:
            words[self.longest_answer] = longest
            longest = None
        return replace(
            request,
            model=request.model or self.model,
            max_output_tokens=longest,
            reasoning=request.reasoning and self.thinking is None,
            extra={**words, **request.extra},
        )


PROFILES: Mapping[str, Profile] = MappingProxyType(
    {
        "openai": Profile(base_url="https://api.openai.com/v1"),
        # Z.AI's own words: it thinks unless it is told not to, and knows max_tokens only.
        "zai": Profile(
            base_url="https://api.z.ai/api/paas/v4",
            model="glm-4.7",
            accepts=ZAI,
            longest_answer="max_tokens",
            thinking={"enable_thinking": True},
            not_thinking={"enable_thinking": False},
        ),
    }
)
"""By kind."""


def default_model(provider: Provider) -> str:
    """What a provider is asked for where no model is named; empty for its server's only one."""
    profile = PROFILES.get(provider.kind)
    return "" if profile is None else profile.model
