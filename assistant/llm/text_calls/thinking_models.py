"""Knows which models at which servers begin a reply inside of thoughts, without an opener."""

import re
from typing import TYPE_CHECKING

from assistant.llm.backend import ModelRequest
from assistant.llm.facts.learnt_dialects import ModelMemory

if TYPE_CHECKING:
    from assistant.llm.text_calls.stream import MarkupInText

_API = "thoughts in text"
_FACT = "begins_with_thoughts"

_NAMED = re.compile(r"(?<![a-z0-9])(?:r1|qwq)(?![a-z0-9])|thinking", re.IGNORECASE)
"""Names of models whose chat templates write the opener of the thoughts themselves: DeepSeek-R1 and its distillations,
QwQ, Qwen3-Thinking, LFM2.5-Thinking."""


class ThinkingModels:
    """What replies have shown of models; before the first reply, what their names imply.

    Args:
        memory: stores it for the next process; ``None`` keeps it in this process only.
    """

    def __init__(self, memory: ModelMemory | None = None) -> None:
        self._memory = memory
        self._known: dict[tuple[str, str], bool] = {}

    def markup(self, provider: str, server: str, request: ModelRequest) -> "MarkupInText":
        """A reader of the reply to a request.

        Args:
            provider: name of the provider.
            server: its address; empty for the embedded server.
            request: the request.
        """
        # The table of markup takes some milliseconds to compile, which no start should wait for.
        from assistant.llm.text_calls.stream import MarkupInText

        return MarkupInText(
            request,
            provider,
            begins_with_thoughts=self._begins_with_thoughts(server, request.model),
            on_beginning=lambda begins: self._learn(server, request.model, begins=begins),
        )

    def _begins_with_thoughts(self, server: str, model: str) -> bool:
        if (server, model) not in self._known:
            kept = self._memory.recall(_API, server, model) if self._memory is not None else None
            fact = kept.get(_FACT) if kept else None
            self._known[server, model] = fact if isinstance(fact, bool) else _NAMED.search(model) is not None
        return self._known[server, model]

    def _learn(self, server: str, model: str, *, begins: bool) -> None:
        self._known[server, model] = begins
        if self._memory is not None:
            self._memory.learn(_API, server, model, {_FACT: begins})
