"""Providers of the OpenAI format with their own address, and how their requests differ (P-07).

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
    """The particulars of one provider.

    Attributes:
        base_url: root of its API.
        model: its default model; empty where the server has a single one.
        accepts: the attachments that it accepts.
        longest_answer: the parameter for the maximum of output tokens, if it is not ``max_completion_tokens``.
        thinking: parameters of a request with reasoning, in place of ``reasoning_effort``; ``None`` keeps that.
        not_thinking: parameters of a request without reasoning.
    """

    base_url: str
    model: str = ""
    accepts: Accepted = OPENAI
    longest_answer: str = ""
    thinking: Mapping[str, Any] | None = None
    not_thinking: Mapping[str, Any] = field(default_factory=dict)

    def worded(self, request: ModelRequest) -> ModelRequest:
        """``request`` in this provider's form. The user's own ``extra`` takes precedence."""
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
        # Z.AI's models think unless told not to, and its API knows only max_tokens.
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
    """A provider's default model; empty where its server has a single one."""
    profile = PROFILES.get(provider.kind)
    return "" if profile is None else profile.model
