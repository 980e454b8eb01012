"""Texts in the user's language for reports of the engine.

The engine names texts by key. An unknown key or field must not break the window during a conversation, so the key
itself is shown. A test checks the used keys against the catalogues.
"""

from collections.abc import Mapping

from assistant.core.errors import ErrorCode, offers_after
from assistant.core.machine.states import InteractionState, ProcessingState, SessionState, Snapshot
from assistant.core.messages import FLOW
from assistant.core.records.mcp import SENT_TOO_MUCH, SERVER_ENDED
from assistant.core.texts import Texts


def say(texts: Texts, key: str, values: Mapping[str, object] | None = None, *, otherwise: str = "") -> str:
    """The text of ``key``. Without a fitting text: ``otherwise``, or the key itself if that is empty."""
    try:
        return texts(key, **(values or {}))
    except (KeyError, IndexError):
        return otherwise or key


def state_word(texts: Texts, snapshot: Snapshot, *, answering: bool = False) -> str:
    """One short phrase for Sori's current state.

    Args:
        texts: the user's texts.
        snapshot: the current state.
        answering: whether the running turn has begun to answer.
    """
    if snapshot.interaction is InteractionState.PROCESSING:
        if snapshot.processing in {ProcessingState.TOOL_CALLING, ProcessingState.TOOL_ERROR}:
            return texts(f"desktop.state.{snapshot.processing}")
        return texts("desktop.state.answering" if answering else "desktop.state.processing")
    if snapshot.interaction is InteractionState.LISTENING and snapshot.session is SessionState.ENDING:
        return texts("desktop.state.ending")
    return texts(f"desktop.state.{snapshot.interaction}")


def wake_name(wake_word: str) -> str:
    """A wake word as it is spoken: ``hey_jarvis`` becomes ``Hey Jarvis``."""
    return wake_word.replace("_", " ").title() if "_" in wake_word or wake_word.isascii() else wake_word


def tool_name(texts: Texts, name: str) -> str:
    """A tool's name in the user's language, or its own name without a text."""
    return say(texts, f"tool.name.{name}", otherwise=name.replace("_", " ").replace(".", " "))


OWN_SERVER = "embedded"
"""Name of the provider that is Sori's own server."""


def provider_words(texts: Texts, provider: str) -> str:
    """A provider's name as the user knows it."""
    return texts("desktop.model.own_server") if provider == OWN_SERVER else provider


def model_words(texts: Texts, model: str, provider: str) -> str:
    """A model and its provider, since several providers may have a model of the same name."""
    return " · ".join(part for part in (model, provider_words(texts, provider)) if part)


def answer_facts(
    texts: Texts, model: str, provider: str, usage: Mapping[str, int], first_token_ms: float | None = None
) -> tuple[str, ...]:
    """The model of an answer and its cost; empty if no model answered.

    Args:
        texts: the user's texts.
        model: name of the model.
        provider: name of its provider.
        usage: the server's token counts; for a cut-off answer the output count may be missing.
        first_token_ms: time from the request to the first piece of the answer, if known.
    """
    if not model or model.startswith(FLOW):
        return ()
    facts = [model_words(texts, model, provider)]
    if usage.get("input") or usage.get("output"):
        known = {name: f"{usage[name]:,}" if name in usage else "?" for name in ("input", "output")}
        facts.append(texts("desktop.answer.tokens", **known))
    if first_token_ms is not None:
        facts.append(texts("desktop.answer.first_token", seconds=_seconds(first_token_ms)))
    return tuple(facts)


def _seconds(milliseconds: float) -> str:
    """Seconds with a useful number of digits."""
    seconds = milliseconds / 1000
    return f"{seconds:.1f}" if seconds >= 1 else f"{seconds:.2f}"


def stored_offers(code: str, *, answered: bool) -> tuple[str, ...]:
    """Remedies for a stored failure, as in ``packets.Failure``, after a part of the answer or without one."""
    return offers_after(ErrorCode(code), answered=answered) if code in set(ErrorCode) else ("retry",)


def error_words(texts: Texts, code: str) -> str:
    """The text of a stored error code, or the general text if the code's own needs more values."""
    known = code in {str(each) for each in ErrorCode}
    general = texts("desktop.mark.failed")
    return say(texts, f"error.{code}", otherwise=general) if known else general


def server_reason(texts: Texts, reason: str) -> str:
    """Why an MCP server failed; reasons that others have worded stay as they are."""
    if reason == SERVER_ENDED:
        return texts("mcp.reason.ended")
    return texts("mcp.reason.too_much") if reason.startswith(SENT_TOO_MUCH) else reason
