"""Prepares a model for an agent: prompt, tools and context."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from assistant.agent.agent_request import AgentRequest
from assistant.agent.citing.support import asks_of_files, lacking
from assistant.agent.context.context import Context, compose, tokens_in
from assistant.agent.context.materials import AgentPrompt, Materials
from assistant.agent.context.project_texts import NOTHING_SENT, room_beside, sent_of
from assistant.agent.context.prompts import Prompts
from assistant.agent.context.small_form import as_plain_text, compact, described, named, small_prompt
from assistant.agent.context.tokens import estimated_tokens, room_for_prompt, tokens_of_tools
from assistant.agent.gates.answer_language import Directions
from assistant.agent.model_choice import ModelChoice, facts_of, is_embedded, stays_here
from assistant.agent.open_model import OpenModel
from assistant.agent.profile import AgentProfile, MemoryScope
from assistant.agent.summaries.summary import told_summary
from assistant.core.clock import Clock
from assistant.core.documents import TurnDocuments
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.llm.backend import ProviderBackend, ToolSchema
from assistant.memory.personal import within
from assistant.tools.runner import Offer, ToolRunner
from assistant.tools.taint import Taint

_SMALL_MEMORY = 600
"""Maximum size in characters of the facts for a small model, which reads slowly and is confused by much text."""

_COUNTED_FROM = 4
"""Tokens are counted from this part of a model's context on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """What an agent is told of its memories: the facts of each, oldest first.

    ``unapproved`` are those of all memories that nobody approved. ``outside`` tells whether a line of any was made of
    content from outside.
    """

    workspace: tuple[str, ...] = ()
    agent: tuple[str, ...] = ()
    personal: tuple[str, ...] = ()
    unapproved: tuple[str, ...] = ()
    outside: bool = False

    def __bool__(self) -> bool:
        """Whether there is anything that a model is told."""
        return bool(self.workspace or self.agent or self.personal)

    def newest(self, size: int | None) -> "Remembered":
        """The newest facts of each memory, with ``size`` characters together; all of them for ``None``."""
        if size is None:
            return self
        share = size // (sum(map(bool, (self.workspace, self.agent, self.personal))) or 1)
        return Remembered(
            workspace=within(self.workspace, share),
            agent=within(self.agent, share),
            personal=within(self.personal, share),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """Prepares models for one request.

    Attributes:
        request: the agent, the messages so far, and what is remembered.
        settings: the facts about models, and limits.
        texts: the user's texts.
        tools: all tools; the profile says which of them are offered.
        prompts: Sori's own base prompts in the user's language.
        clock: gives the time.
        parameters_of: reads the number of parameters of a model of Sori's own server from its file. Called in a thread.
        documents: the documents that models are given in the turn.
    """

    request: AgentRequest
    settings: Settings
    texts: Texts
    tools: ToolRunner
    prompts: Prompts
    clock: Clock
    parameters_of: Callable[[str], float | None]
    documents: TurnDocuments = field(default_factory=TurnDocuments)

    @property
    def profile(self) -> AgentProfile:
        """The agent."""
        return self.request.profile

    @property
    def permitted_tools(self) -> ToolRunner:
        """The tools that the agent may use."""
        projects = self.request.project is not None
        return self.tools.permitted(
            self.profile.permissions, self.profile.tools, self.request.enabled, projects=projects
        )

    async def opened(self, choice: ModelChoice, backend: ProviderBackend, asked: str = "") -> OpenModel:
        """Prepare a model.

        A small model gets a short prompt and short descriptions of its tools. The placeholder model gets no date, no
        tools, no notes and no summary.

        Args:
            choice: the model.
            backend: the backend of the model.
            asked: the user's request, which selects tools; empty to select none.
        """
        history = self.request.history
        own = is_embedded(choice.provider)
        parameters = await asyncio.to_thread(self.parameters_of, choice.model) if own else None
        known = facts_of(self.settings, choice, parameters)
        small = known.small and not choice.placeholder
        prompt = self._base_prompt(choice, small=small)
        told_of = Remembered() if choice.placeholder else self.remembered()
        # Sori's own server can be constrained to write calls in the text. Other servers have their own form of calls.
        told = small and own
        offer = Offer(tools=())
        if known.tools and not choice.placeholder:
            offer = self.permitted_tools.offer(small=small, request=asked, beside=told)
        tools = offer.tools
        tools_told = self._described(tools)
        if small:
            prompt, tools_told = small_prompt(named(prompt, self.profile.called), tools if told else ())
            tools = tuple(map(compact, tools)) if not told else tools

        profile, sent = self.profile, NOTHING_SENT
        lacks: tuple[str, ...] | None = None
        asks_for_files = False

        def composed(
            max_size: int, *, searched: bool = False, last: bool = False, memory: int | None = None
        ) -> Context:
            limits = [size for size in (_SMALL_MEMORY if small else None, memory) if size is not None]
            remembered = told_of.newest(min(limits, default=None))
            materials = Materials(
                base_prompt=prompt,
                history=history.messages,
                now=self.clock.now(),
                tools="" if last and not small else tools_told,
                persona="" if choice.placeholder else profile.persona,
                workspace_memory=remembered.workspace,
                agent_memory=remembered.agent,
                personal_memory=remembered.personal,
                small=small,
                about_sori=self.request.about_sori,
                agent_prompt=AgentPrompt(text=profile.prompt, replaces_system=profile.prompt_replaces)
                if profile.prompt and not choice.placeholder
                else None,
                summary=""
                if choice.placeholder
                else told_summary(history.summary.text, history.first_question, self.texts),
                orders=() if choice.placeholder else history.orders,
                project=sent.documents,
                project_lacks=lacks or (),
                reminder="" if choice.placeholder else self.settings.context.reminder,
                # A small model follows no rules on citations.
                searched=searched and not small,
                files=history.files,
                documents=self.documents,
                dated=not choice.placeholder and not (small and tools),
                notes=not choice.placeholder,
            )
            return compose(materials, self.texts, max_size=max_size)

        limit, size = known.context_tokens, self.settings.context.max_size
        project = None if choice.placeholder else self.request.project
        alone = None if limit is None and project is None else composed(size)
        scale = None if limit is None or alone is None else await _token_scale(choice, backend, limit, alone)
        if project is not None and alone is not None:
            room = None if limit is None else room_for_prompt(limit, self.settings.llm.max_output_tokens)
            room = None if room is None else room - tokens_of_tools(tools)
            beside = room_beside(alone, max_size=size, room=room, scale=scale, small=small)
            sent = await sent_of(project, history.question, beside)
            lacks = lacking(history.question, sent.found)
            asks_for_files = asks_of_files(history.question)
        return OpenModel(
            choice=choice,
            backend=backend,
            known=known,
            compose=composed,
            tools=tools,
            selected=offer.selected,
            beside=self.texts("context.beside", tools=described(offer.selected)) if offer.selected else "",
            kept_as=self.request.kept_as,
            worded=partial(as_plain_text, texts=self.texts) if told else tuple,
            tools_told=told,
            remembered=(*told_of.workspace, *told_of.agent, *told_of.personal),
            token_scale=scale,
            project_cut=sent.cut,
            absent=self.texts("chat.not_in_files") if small and lacks is not None else "",
            unsupported=self.texts("chat.unsupported") if small and asks_for_files else "",
        )

    def remembered(self) -> Remembered:
        """The memories that the agent may use."""
        allowed = self.profile.memory
        personal = self.request.facts if MemoryScope.PERSONAL in allowed else ()
        return Remembered(
            workspace=self.profile.workspace_memory if MemoryScope.WORKSPACE in allowed else (),
            agent=self.profile.agent_memory if MemoryScope.AGENT in allowed else (),
            personal=tuple(fact.text for fact in personal),
            unapproved=(*self.profile.unapproved, *(fact.text for fact in personal if fact.unasked)),
            outside=any(fact.outside for fact in personal),
        )

    def directions(self) -> Directions:
        """What may direct the language of an answer besides the messages."""
        profile, history, told = self.profile, self.request.history, self.remembered()
        language = self.texts.language
        prompts = (
            profile.persona,
            profile.prompt,
            profile.instructions.get(language, ""),
            history.own_prompts.get(language, ""),
            self.settings.context.reminder,
        )
        return Directions(
            prompts=tuple(filter(None, prompts)),
            remembered=(*told.workspace, *told.agent, *told.personal, history.summary.text, *history.orders),
        )

    def taint_before(self, choices: Sequence[ModelChoice]) -> Taint:
        """What a turn has read before its first tool runs, if one of these models answers."""
        remembered, history = self.remembered(), self.request.history
        leaves = not all(stays_here(choice.provider) for choice in choices)
        facts = (*remembered.workspace, *remembered.agent, *remembered.personal)
        # Anybody may have written the files of a project.
        outside = (
            history.provenance.outside or self.profile.outside or remembered.outside or self.request.project is not None
        )
        return self.tools.taint_of(
            history.messages,
            provenance=replace(history.provenance, outside=outside),
            own_words=self.request.own_words,
            facts=facts,
            unapproved=remembered.unapproved,
            leaves=leaves,
        )

    def _base_prompt(self, choice: ModelChoice, *, small: bool) -> str:
        own = self.profile.instructions.get(self.texts.language)
        if own is not None:
            return own
        prompts = self.prompts
        if choice.placeholder or small:
            return prompts.placeholder if choice.placeholder else prompts.small
        return self.request.history.own_prompts.get(self.texts.language) or prompts.system

    def _described(self, tools: Sequence[ToolSchema]) -> str:
        lines = "\n".join(f"  - {tool.name}: {tool.description.partition('. ')[0].strip(' .')}" for tool in tools)
        return self.texts("context.tools", tools=lines) if tools else ""


async def _token_scale(choice: ModelChoice, backend: ProviderBackend, limit: int, context: Context) -> float | None:
    """Tokens by the model's tokenizer for each estimated token; ``None`` where there is no tokenizer.

    A context that is small by any estimate is not counted, because that would only take time.
    """
    if tokens_in(context) <= limit // _COUNTED_FROM:
        return None
    text = "\n".join([context.system, *(message.text for message in context.messages)])
    counted = await backend.count_tokens(choice.provider, choice.model, text)
    return None if not counted else counted / estimated_tokens(text)
