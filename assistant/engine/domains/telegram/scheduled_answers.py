"""Tells chats what came of the scheduled requests that were asked for there (F-09)."""

from assistant.core.texts import Texts
from assistant.engine.domains.telegram.chat_words import ChatWords
from assistant.engine.scheduling.runs import RunEnded, ScheduledRuns
from assistant.storage.timers import Job, RunOutcome
from assistant.tasks import TaskSupervisor


class ScheduledAnswers:
    """Sends an answer to the chat of its request, as long as that is linked; the conversation has it in any case.

    Args:
        runs: carries the requests out.
        words: gives chats words.
        texts: the user's words.
        jobs: runs the engine's background work.
    """

    def __init__(self, runs: ScheduledRuns, words: ChatWords, texts: Texts, jobs: TaskSupervisor) -> None:
        self._words, self._texts, self._jobs = words, texts, jobs
        runs.ended.add(self._ended)

    def _ended(self, ended: RunEnded) -> None:
        job = ended.request.job or Job()
        if job.chat:
            failed = "" if job.outcome is RunOutcome.DONE else self._texts("telegram.chat.failed")
            answer = "\n\n".join(filter(None, (ended.answer, failed)))
            words = self._texts("telegram.chat.scheduled", what=ended.request.name, answer=answer)
            self._jobs.start(self._words.say(job.chat, words), name="tell a chat what came of a scheduled request")
