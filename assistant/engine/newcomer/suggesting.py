"""Suggests a better model where the small one is too weak, once a day at most.

What is weak is decided by rules: a gate stopped an answer, a call failed, or the request is of a kind that small models
were measured to do badly (``llm/routing.py``). What is better is decided by the memory and the measured speed of this
machine. A server is suggested only if the user has searched for servers before, because no port is asked unasked.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Final

from assistant.agent.leftover import Leftover
from assistant.agent.model_choice import EMBEDDED, choose_model, is_embedded
from assistant.chat.turn_request import TurnRequest
from assistant.core import updates as up
from assistant.core.clock import Clock
from assistant.core.errors import SoriError
from assistant.core.live_settings import LiveSettings
from assistant.core.service.requests import models as rq
from assistant.engine.serving.table import Domain, serves
from assistant.llm.routing import Strength, judge
from assistant.storage.kept_object import read_object, write_object
from assistant.tasks import TaskSupervisor

_BETTER_SIZE: Final = 1.5
"""How many times larger a better model is at least."""
_LEAST_TOKENS_PER_S: Final = 4.0
"""Slowest answer that a person can follow without waiting: the speed of reading aloud."""
_LEAST_CORES: Final = 4
"""Fewest cores for a larger model on a machine where nothing was measured yet."""
_WEAK_KOREAN: Final = frozenset({"weak", "none"})

log = logging.getLogger(__name__)


def better_model(
    models: Sequence[up.KeptModel], used: str, language: str, *, cores: int | None
) -> tuple[up.KeptModel, float | None] | None:
    """The best model that fits this machine and is better than the one in use, with its expected tokens per second.

    Args:
        models: the models that Sori can run itself.
        used: the name of the one in use.
        language: the user's language.
        cores: cores of this machine; ``None`` when unknown.
    """
    now = next((each for each in models if each.model == used), None)
    if now is None:
        return None
    found: list[tuple[up.KeptModel, float | None]] = []
    for each in models:
        speaks = not each.languages or language in each.languages or "*" in each.languages
        korean = language != "ko" or each.korean not in _WEAK_KOREAN
        larger = each.size >= now.size * _BETTER_SIZE
        if each.purpose != "llm" or each.own or each.fit is not up.MemoryFit.FITS:
            continue
        pace = each.tokens_per_s
        if pace is None and now.tokens_per_s is not None:
            pace = now.tokens_per_s * now.size / each.size  # reading the weights limits the speed
        fast = pace >= _LEAST_TOKENS_PER_S if pace is not None else (cores or 0) >= _LEAST_CORES
        if speaks and korean and larger and fast:
            found.append((each, pace))
    return max(found, key=lambda each: each[0].size, default=None)


class Suggestions(Domain):
    """Owns the request for a better model, and tells of one after a weak answer.

    Args:
        path: the file with the day of the last suggestion.
        live: the settings.
        clock: tells the day.
        kept: tells the models that Sori can run itself.
        offers: the models that are known to be offered, without asking anybody.
        publish: takes the suggestion after a weak answer.
        jobs: runs the work in the background.
        cores: number of cores of this machine.
    """

    def __init__(
        self,
        path: Path,
        live: LiveSettings,
        clock: Clock,
        *,
        kept: Callable[[], Awaitable[up.ModelsKept]],
        offers: Callable[[], tuple[up.ModelOffer, ...]],
        publish: up.Publish,
        jobs: TaskSupervisor,
        cores: int | None,
    ) -> None:
        self._path, self._live, self._clock = path, live, clock
        self._kept, self._offers, self._publish, self._jobs = kept, offers, publish, jobs
        self._cores = cores

    @serves(lane="suggestion")
    async def _suggest_model(self, _: rq.SuggestModel) -> up.Suggestion | None:
        return await self._today()

    def turn_over(self, request: TurnRequest, left: Leftover) -> None:
        """Suggest a better model if the small one was too weak for a request."""
        if left.answering is None or not is_embedded(left.answering.provider):
            return
        if left.weak or judge(request.text).strength is Strength.STRONG:
            self._jobs.start(self._tell(), name="suggest a model")

    async def _tell(self) -> None:
        suggestion = await self._today()
        if suggestion is not None:
            self._publish(up.ModelSuggested(suggestion=suggestion))

    async def _today(self) -> up.Suggestion | None:
        """The suggestion, unless there was one today; from now on there was."""
        if not self._live.current.llm.suggest_better or await asyncio.to_thread(self._was_today):
            return None
        suggestion = await self._found()
        if suggestion is not None:
            try:
                await asyncio.to_thread(write_object, self._path, {"day": self._day})
            except SoriError as error:
                log.warning("no model is suggested, because the day cannot be kept: %s", error)
                return None
        return suggestion

    @property
    def _day(self) -> str:
        return self._clock.now().date().isoformat()

    def _was_today(self) -> bool:
        return bool(read_object(self._path).get("day") == self._day)

    async def _found(self) -> up.Suggestion | None:
        try:
            choice = choose_model(self._live.current)
        except SoriError as error:
            log.warning("no model is suggested: %s", error)
            return None
        if not is_embedded(choice.provider):
            return None  # The user has chosen a model.
        named = (each for each in self._offers() if each.local and each.model)  # Not yet named: its list was not read.
        server = next((each for each in named if each.provider != EMBEDDED.name), None)
        if server is not None:
            return up.Suggestion(reference=server.reference, title=server.model, provider=server.provider)
        kept = await self._kept()
        better = better_model(kept.models, choice.model, self._live.current.language, cores=self._cores)
        if better is None or better[0].keeping not in {up.Keeping.ABSENT, up.Keeping.HERE}:
            return None  # There is none, or it is on its way already.
        model, pace = better
        return up.Suggestion(
            reference=model.reference,
            title=model.title,
            size=model.size,
            licence=model.licence,
            tokens_per_s=pace,
            to_fetch=model.keeping is up.Keeping.ABSENT,
        )
