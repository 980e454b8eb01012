"""What the user reads of fetches that fail and go on: plain words. The technical text is for who asks for it."""

from collections.abc import Callable, Collection

from assistant.core import updates as up
from assistant.core.errors import ModelFileError, SoriError
from assistant.core.texts import Texts
from assistant.engine.models.fetch_retry import may_pass
from assistant.setup.network import has_route
from assistant.weights.manifest import load_manifest

_FETCH_ERRORS = frozenset(
    f"error.model_{each}"
    for each in ("no_network", "unavailable", "wrong_sum", "no_pip", "disk_full", "read_only", "io")
)


def fetch_notice(
    error: SoriError,
    texts: Texts,
    severity: up.Severity,
    answering: Collection[str],
    route: Callable[[], bool] = has_route,
) -> up.NoticePosted | None:
    """The notice that a model could not be fetched, and what goes on without it; ``None`` for any other error.

    Args:
        error: the error.
        texts: the user's words.
        severity: how important the notice is.
        answering: names of the models without which there is no answer.
        route: whether the system knows a way to other computers.
    """
    if not isinstance(error, ModelFileError) or error.message_key not in _FETCH_ERRORS:
        return None
    part = _part_of(error.model, answering)
    outcome = ("unreached" if route() else "offline") if may_pass(error) else "failed"
    return up.NoticePosted(
        key=f"notice.fetch.{part}_{outcome}",
        severity=severity,
        values={"reason": texts(error.message_key, **error.values).strip()} if outcome == "failed" else {},
        about=_about(part),
        detail=error.detail,
        fetch=error.model,
    )


def fetch_goes_on(model: str, answering: Collection[str]) -> up.NoticePosted:
    """The notice that a model arrives again, which takes the place of the one that it does not."""
    part = _part_of(model, answering)
    return up.NoticePosted(key=f"notice.fetch.{part}_resumed", about=_about(part))


def voice_is_here() -> up.NoticePosted:
    """The notice that the models of the voice have been fetched after a failure."""
    return up.NoticePosted(key="notice.fetch.voice_here", about=_about("voice"))


def _part_of(model: str, answering: Collection[str]) -> str:
    """What is missing without a model: answers, the voice, or nothing but this model."""
    known = load_manifest().get(model)
    if known is not None and known.purpose != "llm":
        return "voice"
    return "language" if model in answering else "other"


def _about(part: str) -> str:
    return f"fetch {part}"
