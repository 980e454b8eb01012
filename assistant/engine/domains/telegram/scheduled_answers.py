"""Tells chats what came of the scheduled requests that were asked for there (F-09)."""

from collections import defaultdict
from collections.abc import Sequence

from assistant.chat.scheduled.book import ScheduledRequests
from assistant.core.settings import Language
from assistant.core.texts import Texts
from assistant.engine.domains.telegram.chat_words import ChatWords
from assistant.engine.scheduling.runs import RunEnded, ScheduledRuns
from assistant.engine.scheduling.telling import named_with_time
from assistant.storage.timers import Job, RunOutcome, StoredTimer
from assistant.tasks import TaskSupervisor


class ScheduledAnswers:
    """Sends an answer to the chat of its request, as long as that is linked; the conversation has it in any case.

    Args:
        runs: carries the requests out.
        book: words their times.
        words: gives chats words.
        texts: the user's words.
        jobs: runs the engine's background work.
    """

    def __init__(
        self, runs: ScheduledRuns, book: ScheduledRequests, words: ChatWords, texts: Texts, jobs: TaskSupervisor
    ) -> None:
        self._book, self._words, self._texts, self._jobs = book, words, texts, jobs
        runs.ended.add(self._ended)
        runs.lost.add(self._lost)

    def _ended(self, ended: RunEnded) -> None:
        job = ended.request.job or Job()
        if job.chat:
            failed = "" if job.outcome is RunOutcome.DONE else self._texts("telegram.chat.failed")
            answer = "\n\n".join(filter(None, (ended.answer, failed)))
            words = self._texts("telegram.chat.scheduled", what=ended.request.name, answer=answer)
            self._jobs.start(self._words.say(job.chat, words), name="tell a chat what came of a scheduled request")

    def _lost(self, requests: Sequence[StoredTimer]) -> None:
        """Tell each chat of all of its requests that were missed or cut off. None of them is carried out unasked."""
        language: Language = "ko" if self._texts.language == "ko" else "en"
        lost: defaultdict[tuple[int, RunOutcome], list[str]] = defaultdict(list)
        for each in requests:
            if each.job is not None and each.job.chat:
                named = named_with_time(each, self._book.when(each, language))
                lost[each.job.chat, each.job.outcome].append(named)
        for (chat, outcome), named_ones in lost.items():
            words = self._texts(f"telegram.chat.scheduled_{outcome}", requests=", ".join(named_ones))
            self._jobs.start(self._words.say(chat, words), name="tell a chat which scheduled requests were lost")
