"""The ending of a turn: the mark of its last message, and its last packets."""

import asyncio
import logging
from dataclasses import dataclass

from assistant.agent.context.wording import rough_duration
from assistant.agent.model_choice import EMBEDDED, alternatives
from assistant.agent.state_container import StateContainer
from assistant.core.errors import ErrorCode, ProviderError, SettingsError, SoriError, offers_after
from assistant.core.messages import Completion
from assistant.core.packets import Done, Failure
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.llm.backend import Finish

log = logging.getLogger(__name__)

CUT_MESSAGES = {Finish.LENGTH: "cut_at_length", Finish.REPEATED: "cut_repeating"}
"""Keys of the notes for answers that are incomplete without an error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a turn ended.

    Attributes:
        completion: the mark of its last message.
        finish: the finish of ``Done``.
        error: the error that ended it; ``None`` without one.
    """

    completion: Completion
    finish: str
    error: SoriError | None = None


def ending_of(work: asyncio.Task[Finish], container: StateContainer) -> Ending:
    """How ``work`` ended. Work that is not done was cancelled and has not reacted yet."""
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
    """The error for a defect of Sori itself."""
    return SoriError(ErrorCode.INTERNAL, detail, cause=cause)


def message_of(error: SoriError, texts: Texts) -> str:
    """The user-facing message of an error. It names the time for the next try if the server gave one."""
    key, values = error.message_key, _values(error, texts)
    if isinstance(error, ProviderError) and error.retry_after_s and f"{key}_until" in texts:
        key, values["wait"] = f"{key}_until", rough_duration(error.retry_after_s, texts.language)
    if isinstance(error, SettingsError):
        return f"{texts(key, **values)}. {texts(error.remedy_key, **values)}"
    return texts(key, **values)


def reason_of(error: SoriError, texts: Texts) -> str:
    """The reason for a retry or a fallback: the error without advice to try again."""
    for key in (f"chat.reason_{error.reason}", f"chat.reason_{error.code.value}"):
        if key in texts:
            return texts(key, **_values(error, texts))
    return message_of(error, texts)


def _values(error: SoriError, texts: Texts) -> dict[str, str]:
    """The values of the error's text, with the name of Sori's own server as users know it."""
    values = dict(error.values)
    if values.get("provider") == EMBEDDED.name:
        values["provider"] = texts("desktop.model.own_server")
    return values


def last_packets(
    settings: Settings, texts: Texts, index: int, container: StateContainer, ending: Ending
) -> list[Failure | Done]:
    """The last packets of a turn, at block ``index``."""
    packets: list[Failure | Done] = []
    if ending.error is not None:
        packets.append(
            Failure(
                turn_index=index,
                code=ending.error.code.value,
                reason=ending.error.reason,
                provider=ending.error.provider if isinstance(ending.error, ProviderError) else "",
                message=message_of(ending.error, texts),
                retryable=ending.error.retryable,
                offers=offers_after(ending.error.code, answered=container.answered),
                alternatives=alternatives(settings, ending.error, _last_model(container)),
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


def _last_model(container: StateContainer) -> str:
    """The reference of the model that was asked last; empty if none was asked."""
    return f"{container.provider}/{container.model}" if container.model else container.provider
