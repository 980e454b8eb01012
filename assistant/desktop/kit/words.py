"""What the window says about what the engine tells it, in the user's language.

The engine names texts by key. A key or a field that the catalogue lacks must not take the window down in the middle of
a conversation: the key itself is shown then, and a test holds the keys in use against the catalogues.
"""

from collections.abc import Mapping

from assistant.core.errors import OFFERS, ErrorCode
from assistant.core.machine.states import InteractionState, ProcessingState, SessionState, Snapshot
from assistant.core.texts import Texts


def say(texts: Texts, key: str, values: Mapping[str, object] | None = None, *, otherwise: str = "") -> str:
    """The text of ``key``, or ``otherwise`` (the key itself when empty) where the catalogue has none that fits."""
    try:
        return texts(key, **(values or {}))
    except (KeyError, IndexError):
        return otherwise or key


def state_word(texts: Texts, snapshot: Snapshot, *, answering: bool = False) -> str:
    """One short phrase for what Sori is doing.

    Args:
        texts: the user's language.
        snapshot: what Sori is doing.
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
    """A wake word as it is said: ``hey_jarvis`` is ``Hey Jarvis``."""
    return wake_word.replace("_", " ").title() if "_" in wake_word or wake_word.isascii() else wake_word


def tool_name(texts: Texts, name: str) -> str:
    """A tool's name for people; its own name where the catalogue has none."""
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
    """Who answered and what it took; nothing where no model did.

    Args:
        texts: the user's language.
        model: name of the model.
        provider: name of its provider.
        usage: tokens as the server told them; of an answer that broke off, it may not have told how many it wrote.
        first_token_ms: from the request to the first piece of the answer, where that is known.
    """
    if not model:
        return ()
    facts = [model_words(texts, model, provider)]
    if usage.get("input") or usage.get("output"):
        known = {name: f"{usage[name]:,}" if name in usage else "?" for name in ("input", "output")}
        facts.append(texts("desktop.answer.tokens", **known))
    if first_token_ms is not None:
        facts.append(texts("desktop.answer.first_token", seconds=_seconds(first_token_ms)))
    return tuple(facts)


def _seconds(milliseconds: float) -> str:
    """Seconds with as many digits as tell something."""
    seconds = milliseconds / 1000
    return f"{seconds:.1f}" if seconds >= 1 else f"{seconds:.2f}"


def stored_offers(code: str) -> tuple[str, ...]:
    """What could help against a stored failure, of which only the code was kept; as in ``packets.Failure``."""
    return OFFERS.get(ErrorCode(code), ()) if code in set(ErrorCode) else ("retry",)


def error_words(texts: Texts, code: str) -> str:
    """What a stored error code means; the general sentence where the code's own needs more than the code."""
    known = code in {str(each) for each in ErrorCode}
    general = texts("desktop.mark.failed")
    return say(texts, f"error.{code}", otherwise=general) if known else general
