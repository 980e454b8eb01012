"""Tells the user of scheduled requests that were carried out, missed or interrupted: in the window, and by voice."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assistant.chat.run_states import is_waiting
from assistant.chat.scheduled.book import ScheduledRequests
from assistant.core import updates as up
from assistant.core.settings import Language
from assistant.core.texts import Texts
from assistant.engine.scheduling.runs import RunEnded, ScheduledRuns, speaks_with
from assistant.storage.timers import Job, RunOutcome, StoredTimer

if TYPE_CHECKING:
    from assistant.voice.session.session import Session

_SHOWN = 160
"""Characters of an answer that a notice quotes; the conversation has all of it."""


class ScheduleTold:
    """Publishes notices, and has results read aloud.

    Args:
        runs: carries the requests out.
        book: words their times.
        session: speaks.
        texts: the user's words.
        publish: takes updates.
    """

    def __init__(
        self, runs: ScheduledRuns, book: ScheduledRequests, session: "Session", texts: Texts, publish: up.Publish
    ) -> None:
        self._book, self._session, self._texts, self._publish = book, session, texts, publish
        runs.ended.add(self._ended)
        runs.lost.add(self._lost)
        runs.titled.add(lambda: publish(up.ConversationsChanged()))

    def _ended(self, ended: RunEnded) -> None:
        request = ended.request
        done = (request.job or Job()).outcome is RunOutcome.DONE
        severity = up.Severity.INFO if done else up.Severity.WARNING
        key = f"{up.SCHEDULED_NOTICE}{'done' if done else 'failed'}"
        values = {"what": request.name, "answer": _short(ended.answer)}
        self._publish(up.NoticePosted(key=key, severity=severity, values=values, about=f"request {request.id}"))
        if speaks_with(self._session) and not ended.aloud:
            told = f"schedule.said_{'done' if done else 'failed'}"
            self._session.announce(self._texts(told, what=request.name, answer=ended.answer))

    def _lost(self, requests: Sequence[StoredTimer]) -> None:
        """Tell of all that were lost in one notice. None of them is carried out unasked."""
        language: Language = "ko" if self._texts.language == "ko" else "en"
        for outcome in (RunOutcome.MISSED, RunOutcome.INTERRUPTED):
            lost = [each for each in requests if (each.job or Job()).outcome is outcome]
            if not lost:
                continue
            named = ", ".join(named_with_time(each, self._book.when(each, language)) for each in lost)
            values = {"requests": named}
            key = f"{up.SCHEDULED_NOTICE}{outcome}"
            about = f"scheduled {outcome}"
            self._publish(up.NoticePosted(key=key, severity=up.Severity.WARNING, values=values, about=about))
            if speaks_with(self._session):
                self._session.announce(self._texts(f"schedule.said_{outcome}", requests=named))


def named_with_time(request: StoredTimer, when: str) -> str:
    """A request with its time; what repeats, and will come again, has another time now."""
    return f"{request.name} ({when})" if request.repeats is not None or not is_waiting(request) else request.name


def _short(answer: str) -> str:
    words = " ".join(answer.split())
    return words if len(words) <= _SHOWN else f"{words[:_SHOWN].rstrip()}…"
