"""A model that is ready for requests: its context, its tools, and whether they fit."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from assistant.agent.context.context import Context, fitted, tokens_in
from assistant.agent.context.data_kinds import data_in
from assistant.agent.context.small_form import alternating
from assistant.agent.context.tokens import characters_of, room_for_prompt, tokens_of, tokens_of_tools
from assistant.agent.model_choice import ModelChoice
from assistant.core.settings import LlmSettings
from assistant.llm.backend import ModelMessage, ModelRequest, ProviderBackend, ToolSchema
from assistant.llm.facts.model_facts import KnownModel


class Composes(Protocol):
    """Makes the context of a model."""

    def __call__(
        self, max_size: int, *, searched: bool = False, last: bool = False, memory: int | None = None
    ) -> Context:
        """Make the context.

        Args:
            max_size: its maximum size in characters.
            searched: whether a search tool was used in this turn.
            last: whether no tools are available any more.
            memory: maximum size of the memories in characters; ``None`` for no limit.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenModel:
    """A model that is ready for requests.

    Attributes:
        choice: the provider and the model.
        backend: speaks to the provider.
        known: the known facts of the model.
        compose: makes the context.
        tools: the offered tools; empty for a model without tools.
        selected: further tools that only this request has selected.
        beside: describes them, above the request; empty without them.
        kept_as: the owner of the file that may keep the prompt state (``ModelRequest.kept_as``).
        worded: converts messages to the model's form.
        tools_told: whether the system prompt describes the tools (``ModelRequest.tools_told``).
        token_scale: tokens by the model's tokenizer for each estimated token; ``None`` if they are only estimated.
        remembered: the lines of the memories that the model is told.
        absent: what is answered in place of a small model, which would invent what the project does not tell; else
            empty.
        unsupported: what follows an answer of a small model that nothing in the project supports; empty for nothing.
        project_cut: whether the project was sent whole before, and this model is sent passages of it.
    """

    choice: ModelChoice
    backend: ProviderBackend
    known: KnownModel
    compose: Composes
    tools: tuple[ToolSchema, ...]
    selected: tuple[ToolSchema, ...] = ()
    beside: str = ""
    kept_as: str | None = None
    worded: Callable[[Sequence[ModelMessage]], tuple[ModelMessage, ...]] = tuple
    tools_told: bool = False
    token_scale: float | None = None
    remembered: tuple[str, ...] = ()
    project_cut: bool = False
    absent: str = ""
    unsupported: str = ""
    _tools_size: int = field(init=False)

    def __post_init__(self) -> None:
        # Each context of a turn is measured several times, and the tools take longer than the messages.
        object.__setattr__(self, "_tools_size", 0 if self.tools_told else characters_of((), self.tools))

    def fitting(
        self,
        llm: LlmSettings,
        max_size: int,
        added: Sequence[ModelMessage] = (),
        *,
        searched: bool = False,
        last: bool = False,
        memory: int | None = None,
    ) -> Context:
        """The context of the conversation. Its oldest messages are left out if it does not fit.

        Args:
            llm: the maximum length of an answer.
            max_size: the maximum size, in characters.
            added: further messages of the request.
            searched: whether a search tool was used in this turn.
            last: whether no tools are available any more.
            memory: maximum size of the memories in characters; ``None`` for no limit.
        """
        compose = partial(self.compose, searched=searched, last=last, memory=memory)
        room, size = self._room(llm, added), self._size(max_size, added)
        return compose(size) if room is None else fitted(compose, size, room)

    def excess(self, context: Context, llm: LlmSettings, max_size: int, added: Sequence[ModelMessage] = ()) -> int:
        """By how much a context is too large, in characters or in tokens; 0 or less when it fits.

        The arguments are those of ``fitting``.
        """
        room = self._room(llm, added)
        return max(context.size - self._size(max_size, added), 0 if room is None else tokens_in(context) - room)

    def _size(self, max_size: int, added: Sequence[ModelMessage]) -> int:
        """The characters for a context, beside what else is sent."""
        return max(1, max_size - self.beside_context(added))

    def beside_context(self, added: Sequence[ModelMessage]) -> int:
        """The characters that are sent beside a context: further messages, and the descriptions of tools."""
        return characters_of(added, ()) + self._tools_size

    def _room(self, llm: LlmSettings, added: Sequence[ModelMessage]) -> int | None:
        """The estimated tokens for a context; ``None`` for a model whose limit is unknown."""
        if self.known.context_tokens is None:
            return None
        room = room_for_prompt(self.known.context_tokens, llm.max_output_tokens)
        return int(room / (self.token_scale or 1)) - tokens_of(added) - tokens_of_tools(self.tools)

    def request(
        self, llm: LlmSettings, context: Context, added: Sequence[ModelMessage] = (), *, tools: bool = True
    ) -> ModelRequest:
        """A request to the model.

        Args:
            llm: sampling and limits.
            context: the conversation.
            added: the messages after it; the reminders follow them.
            tools: whether tools are offered.
        """
        messages = (*self.worded((*context.messages, *added)), *context.reminders)
        return ModelRequest(
            model=self.choice.model,
            system=context.system,
            messages=alternating(messages) if self.known.small else messages,
            tools=(*self.tools, *self.selected) if tools and not (self.tools_told and added) else (),
            tools_told=self.tools_told,
            temperature=llm.temperature,
            max_output_tokens=llm.max_output_tokens,
            reasoning=llm.reasoning,
            reasoning_effort=llm.reasoning_effort,
            reasoning_budget=llm.reasoning_budget,
            data=data_in(context, added),
            extra=self.choice.provider.extra,
            kept_as=self.kept_as,
        )
