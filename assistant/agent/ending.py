"""How a turn ends: what is kept of it, and what its last packets say."""

import asyncio
import logging
from dataclasses import dataclass

from assistant.agent.context.wording import rough_duration
from assistant.agent.model_choice import alternatives
from assistant.agent.state_container import StateContainer
from assistant.core.errors import OFFERS, ErrorCode, ProviderError, SoriError
from assistant.core.messages import Completion
from assistant.core.packets import Done, Failure
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.llm.backend import Finish

log = logging.getLogger(__name__)

CUT_MESSAGES = {Finish.LENGTH: "cut_at_length", Finish.REPEATED: "cut_repeating"}
"""What is told where an answer is not whole, although nothing went wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a turn ended.

    Attributes:
        completion: how its last message is marked.
        finish: what ``Done`` says.
        error: what went wrong, ``None`` when nothing did.
    """

    completion: Completion
    finish: str
    error: SoriError | None = None


def ending_of(work: asyncio.Task[Finish], container: StateContainer) -> Ending:
    """How ``work`` ended; one that is not done was cancelled and does not heed it."""
    if not work.done() or work.cancelled():
        return Ending(completion=Completion.CANCELLED, finish="cancelled")
    error = work.exception()
    if error is None:
        whole = work.result() not in CUT_MESSAGES
        return Ending(
            completion=Completion.COMPLETE if whole else Completion.INCOMPLETE,
            finish="complete" if whole else "incomplete",
        )
    if not isinstance(error, SoriError):
        log.error("answering failed", exc_info=error)
        error = internal_error(f"{type(error).__name__}: {error}", error)
    if container.answered:
        return Ending(completion=Completion.INCOMPLETE, finish="incomplete", error=error)
    return Ending(completion=Completion.FAILED, finish="failed", error=error)


def internal_error(detail: str, cause: BaseException | None = None) -> SoriError:
    """A defect of Sori's own, as the user is told of it."""
    return SoriError(ErrorCode.INTERNAL, detail, cause=cause)


def told(error: SoriError, texts: Texts) -> str:
    """What the user is told of an error; a server that names the time for another try is quoted."""
    key, values = error.message_key, dict(error.values)
    if isinstance(error, ProviderError) and error.retry_after_s and f"{key}_until" in texts:
        key, values["wait"] = f"{key}_until", rough_duration(error.retry_after_s, texts.language)
    return texts(key, **values)


def reason_of(error: SoriError, texts: Texts) -> str:
    """Why something is tried again or elsewhere: what happened, without the advice to try again, which Sori does."""
    for key in (f"chat.reason_{error.reason}", f"chat.reason_{error.code.value}"):
        if key in texts:
            return texts(key, **error.values)
    return told(error, texts)


def last_packets(
    settings: Settings, texts: Texts, index: int, container: StateContainer, ending: Ending
) -> list[Failure | Done]:
    """The packets that end a turn, at ``index``."""
    packets: list[Failure | Done] = []
    if ending.error is not None:
        packets.append(
            Failure(
                turn_index=index,
                code=ending.error.code.value,
                reason=ending.error.reason,
                provider=ending.error.provider if isinstance(ending.error, ProviderError) else "",
                message=told(ending.error, texts),
                retryable=ending.error.retryable,
                offers=OFFERS.get(ending.error.code, ()),
                alternatives=alternatives(settings, ending.error, _asked(container)),
            )
        )
    packets.append(
        Done(
            turn_index=index,
            finish=ending.finish,
            provider=container.provider,
            model=container.model,
            usage=container.meter.usage,
            first_token_ms=container.meter.first_token_ms,
        )
    )
    return packets


def _asked(container: StateContainer) -> str:
    """Reference of the model that was asked last, empty when none was."""
    return f"{container.provider}/{container.model}" if container.model else container.provider
