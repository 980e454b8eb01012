"""The turns of the service: tells what is due, whose birthday it is, what was said, and what changed in projects."""

from collections.abc import AsyncGenerator, Sequence
from datetime import date, datetime, time
from typing import ClassVar, Final

from assistant.agent.context.wording import joined, spoken_date, spoken_moment, spoken_time
from assistant.core.knowledge.files import FilesOfChange, ProjectChanges
from assistant.core.records.conversations import TalkedAbout
from assistant.core.records.flows import StepStatus
from assistant.flows.context import ExecutionContext
from assistant.flows.events import FlowEvent
from assistant.flows.handler import BaseFlowHandler, ElsewhereError
from assistant.flows.manifest import ServiceHome
from assistant.flows.services.briefing.logic import BriefingDays, coming, period_of
from assistant.flows.services.briefing.reading import DueEntry, birthdays, entries
from assistant.flows.services.briefing.state.models import BriefingState

LISTS: Final = ("list_timers", "list_alarms", "list_scheduled_requests")
"""Sori's tools that list what is set. All are safe."""
_NOT_WAITING: Final = ("paused", "running", "done", "failed", "interrupted", "missed")
"""How a scheduled request is marked that will not be carried out by itself."""
_NEAR: Final = {-1: "yesterday", 0: "today", 1: "tomorrow"}
_MOST_DUE, _MOST_TALKED, _MOST_OTHERS, _MOST_WORDS = 450, 160, 120, 60
"""Letters of what is due, of conversations, of each other section, and of the words of one thing. Spoken, all takes
less than three minutes."""


class BriefingHandler(BaseFlowHandler[BriefingState]):
    """Tells the days that a message names, until a message is about something else.

    The manifest gives ``given`` by a subclass, because the engine makes a handler for each turn.
    """

    given: ClassVar[ServiceHome]

    async def run(self, context: ExecutionContext[BriefingState]) -> AsyncGenerator[FlowEvent, None]:
        """Answer a message; see ``BaseFlowHandler.run``."""
        goes_on, zone = context.state.is_mid_flow, self._parts.clock.moment
        period = period_of(context.user_message, context.now, zone, goes_on=goes_on)
        if period is None and context.metadata.get("resumed"):
            period = coming(context.now, zone)
        if period is None:
            if goes_on:
                # Nothing is left to do, so nothing is kept for later.
                self._apply(context, {"operations": [{"op": "end"}]})
                await self._save(context)
            raise ElsewhereError
        self._apply(context, {"operations": [{"op": "tell"}]})
        yield await self._done(context, await self._told(context, period))

    async def update_memory_and_save(self, context: ExecutionContext[BriefingState], answer: str) -> None:  # noqa: ARG002 - no agent reads what was told, so no model has to shorten it
        """Save the state. What was told is not kept."""
        await self._save(context)

    async def _told(self, context: ExecutionContext[BriefingState], period: BriefingDays) -> str:
        due, unread = await self._listed(context, period)
        # People, conversations and files are for the user: a caller with safe tools is told what these list, no more.
        remote = bool(context.metadata.get("remote"))
        known = () if remote else await self.given.people()
        born = [(self._day(context, day), name) for day, name in birthdays(known, period)]
        days = self._days(context, period)
        dated = sorted((each for each in due if each.at), key=lambda each: (each.at, each.what))
        unclear = [each for each in due if each.at is None]
        told = []
        if dated:
            lines = [(self._when(context, each, period), each.what) for each in dated]
            told += self._section(context, "due", lines, _MOST_DUE, period=days)
        elif not unread and not unclear:
            told.append(self._say(context, "no_due" if born or remote else "nothing", period=days))
        if born:
            told += self._section(context, "birthdays", born, _MOST_OTHERS)
        if unclear:
            told += self._section(context, "unclear", [(each.rule, each.what) for each in unclear], _MOST_OTHERS)
        if not remote and period.since is not None:
            past = self._say(context, period.past)
            told += self._talked(context, past, await self.given.past.talked_about(context.session, period.since))
            told += self._changed(context, past, await self.given.past.changes(context.session, period.since))
        if unread:
            names = joined([self._say(context, each) for each in unread], context.language)
            told.append(self._say(context, "unread", lists=names))
        return " ".join(each[:1].upper() + each[1:] for each in told)

    async def _listed(
        self, context: ExecutionContext[BriefingState], period: BriefingDays
    ) -> tuple[list[DueEntry], Sequence[str]]:
        """What is due, and the lists that could not be read."""
        zone, unread = self._parts.clock.moment, []
        idle = tuple(self._parts.texts(f"schedule.one_{each}", one="") for each in _NOT_WAITING)
        due: list[DueEntry] = []
        for name in LISTS:
            outcome = await self._read(context, name)
            if outcome.status is not StepStatus.DONE:
                unread.append(name)
                continue
            lines = [each for each in outcome.text.splitlines() if not each.endswith(idle)]
            due += [
                DueEntry(self._named(context, name, each.what), each.at, each.rule)
                for each in entries("\n".join(lines), period, context.now, zone)
                if not self._asks(context, each.what)
            ]
        return due, unread

    def _asks(self, context: ExecutionContext[BriefingState], words: str) -> bool:
        """Whether words ask for a briefing, which is no news in one."""
        return period_of(words, context.now, self._parts.clock.moment) is not None

    def _talked(
        self, context: ExecutionContext[BriefingState], past: str, talked: Sequence[TalkedAbout]
    ) -> Sequence[str]:
        """In which conversations something was said, by the day on which it was said last, the newest first."""
        lines, day = [], None
        for each in talked:
            if self._asks(context, each.title):
                continue
            # The day is said once for all of its conversations.
            last = self._parts.clock.moment(each.last_at).date()
            when = self._day(context, last) if last != day else ""
            day, key = last, "talk_one" if each.messages == 1 else "talk"
            lines.append((when, self._say(context, key, title=_short(each.title), count=each.messages)))
        return self._section(context, "talked", lines, _MOST_TALKED, past=past) if lines else ()

    def _changed(
        self, context: ExecutionContext[BriefingState], past: str, changes: Sequence[ProjectChanges]
    ) -> Sequence[str]:
        """What has changed in each project."""
        lines = []
        for each in changes:
            kinds = (("added", each.added), ("changed", each.changed), ("removed", each.removed))
            parts = [self._files(context, kind, files) for kind, files in kinds if files.count]
            lines.append((self._say(context, "project", name=_short(each.project)), joined(parts, context.language)))
        return self._section(context, "projects", lines, _MOST_OTHERS, past=past) if lines else ()

    def _files(self, context: ExecutionContext[BriefingState], kind: str, files: FilesOfChange) -> str:
        name = _short(files.names[0].rpartition("/")[2])
        return self._say(context, f"{kind}_one" if files.count == 1 else kind, name=name, count=files.count)

    def _named(self, context: ExecutionContext[BriefingState], name: str, words: str) -> str:
        """The words of an entry, or of which kind it is."""
        short = _short(words)
        if not short:
            return self._say(context, name)
        return self._say(context, "request", what=short) if name == "list_scheduled_requests" else short

    def _section(
        self,
        context: ExecutionContext[BriefingState],
        key: str,
        lines: Sequence[tuple[str, str]],
        most: int,
        **values: str,
    ) -> list[str]:
        """How many there are, the first ones within ``most`` letters, and how many more."""
        told = [self._say(context, f"{key}_one" if len(lines) == 1 else key, **values, count=len(lines))]
        letters = 0
        for number, (when, what) in enumerate(lines):
            item = self._say(context, "item", when=when, what=what) if when else f"{what}."
            letters += len(item)
            if number and letters > most:
                return [*told, self._say(context, "more", count=len(lines) - number)]
            told.append(item)
        return told

    def _when(self, context: ExecutionContext[BriefingState], entry: DueEntry, period: BriefingDays) -> str:
        assert entry.at is not None  # noqa: S101 - only what has a time is told with it
        if len(period.days) == 1:
            return spoken_time(entry.at, context.language)
        return entry.rule or spoken_moment(entry.at, context.now, context.language)

    def _days(self, context: ExecutionContext[BriefingState], period: BriefingDays) -> str:
        first, last = (self._day(context, each) for each in (period.days[0], period.days[-1]))
        if len(period.days) > 1:
            return self._say(context, "days", first=first, last=last)
        return first if (period.days[0] - context.now.date()).days in _NEAR else self._say(context, "on_day", day=first)

    def _day(self, context: ExecutionContext[BriefingState], day: date) -> str:
        near = _NEAR.get((day - context.now.date()).days)
        return self._say(context, near) if near else spoken_date(datetime.combine(day, time()), context.language)


def _short(words: str) -> str:
    """Words within the length of one thing."""
    return words.rstrip(" .") if len(words) <= _MOST_WORDS else f"{words[: _MOST_WORDS - 1].rstrip()}…"
