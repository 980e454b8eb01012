"""Executes plain commands and words their answers."""

import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta

from assistant.agent.context.wording import copula, joined, spoken_date, spoken_duration, spoken_time, toward, weekday
from assistant.agent.remembering.memories import Memories
from assistant.chat.about.answers import AboutAnswers
from assistant.chat.agents.switching import AgentSwitch
from assistant.chat.alarms.alarms import Alarms
from assistant.chat.alarms.answers import AlarmAnswers, AlarmCommand
from assistant.chat.alarms.requests import AlarmWish
from assistant.chat.commands import OF_ALARMS, OF_MEMORY, Intent, Recognised
from assistant.chat.memory_answers import MemoryAnswers
from assistant.chat.person_answers import told_of
from assistant.chat.scheduled.answers import ScheduleAnswers
from assistant.chat.timers import Timers, name_of
from assistant.core.clock import Clock
from assistant.core.errors import SoriError
from assistant.core.people.finding import find_people
from assistant.core.records.people import Person
from assistant.core.settings import Language
from assistant.core.texts import Texts
from assistant.memory.journal import MemoryJournal
from assistant.memory.personal import PersonalMemory
from assistant.storage.timers import StoredTimer
from assistant.tools.system.volume import VolumeControl
from assistant.tools.tool import ToolError

LONGEST_TIMER_S = 24 * 3600
_VOLUME_STEP = 10

log = logging.getLogger(__name__)

_DAY_NAMES = {
    0: "command.today",
    1: "command.tomorrow",
    2: "command.day_after_tomorrow",
    3: "command.in_three_days",
    -1: "command.yesterday",
    -2: "command.day_before_yesterday",
}


class CommandAnswers:
    """Executes plain commands.

    Args:
        clock: tells the time.
        timers: sets, lists and cancels timers.
        volume: the computer's volume.
        texts: the words of each language.
        memory: remembers facts about the user.
        switch: switches to another agent; ``None`` where there is only one.
        journal: undoes changes of the memory.
        memories: gives the memories of a conversation.
        about: answers questions about Sori and changes settings; ``None`` where none are recognised.
        scheduled: keeps scheduled requests; ``None`` where none are recognised.
        people: gives the people whom the user knows.
    """

    def __init__(
        self,
        clock: Clock,
        timers: Timers,
        volume: VolumeControl,
        texts: Mapping[Language, Texts],
        memory: PersonalMemory,
        switch: AgentSwitch | None = None,
        journal: MemoryJournal | None = None,
        memories: Memories | None = None,
        about: AboutAnswers | None = None,
        scheduled: ScheduleAnswers | None = None,
        people: Callable[[], Sequence[Person]] = tuple,
    ) -> None:
        self._clock = clock
        self._timers = timers
        self._volume = volume
        self._texts = texts
        self._alarm_answers = AlarmAnswers(Alarms(timers, clock), timers, texts)
        self._memory_answers = MemoryAnswers(memory, texts, journal, memories)
        self._switch = switch
        self._about = about
        self._scheduled = scheduled
        self._people = people

    def named(self, name: str) -> Intent | None:
        """The command that switches to what has this name: an agent, else a workspace; ``None`` when nothing has it."""
        if self._switch is None:
            return None
        if self._switch.is_agent(name):
            return Intent.SWITCH_AGENT
        return Intent.SWITCH_WORKSPACE if self._switch.is_workspace(name) else None

    def knows(self, name: str) -> bool:
        """Whether this names somebody whom the user knows."""
        return bool(find_people(name, self._people()).matches)

    async def answer(self, command: Recognised) -> str:
        """Execute a command.

        Returns:
            The answer, in the command's language.

        Raises:
            StorageError: a timer could not be saved.
        """
        if (answered := await self._answered_elsewhere(command)) is not None:
            return answered
        match command.intent:
            case Intent.ABOUT | Intent.SETTING:
                return await self._answer_about(command)
            case Intent.TIME | Intent.DATE | Intent.DAY:
                return self._moment(command)
            case Intent.TIMER_SET:
                return await self._set_timer(command)
            case Intent.TIMER_LIST:
                return await self._list_timers(command)
            case Intent.TIMER_CANCEL:
                return await self._cancel_timers(command)
            case Intent.STOP | Intent.END | Intent.YES | Intent.NO:
                return await self._stop(command)
            case Intent.SWITCH_AGENT | Intent.SWITCH_WORKSPACE:
                return await self._switched(command)
            case _:
                return await self._changed_volume(command)

    async def _answered_elsewhere(self, command: Recognised) -> str | None:
        """The answer of those who know memory, alarms, scheduled requests or people; ``None`` for other commands."""
        if command.intent in OF_MEMORY:
            return await self._memory_answers.answer(command)
        if (wish := OF_ALARMS.get(command.intent)) is not None:
            return await self._alarm_answers.answer(_of_alarms(wish, command))
        if command.schedule is not None and self._scheduled is not None:
            return await self._scheduled.answer(command.schedule)
        if command.person is not None:
            found = find_people(command.person.who, self._people()).matches
            return told_of(found, command.person, self._texts[command.language])
        return None

    async def _answer_about(self, command: Recognised) -> str:
        if command.about is None or self._about is None:
            raise ValueError(f"{command.intent} is answered without the help index")
        return await self._about.answer(command.about, command.language, command.conversation)

    async def stops_nothing(self, command: Recognised) -> bool:
        """Whether a command is a stop while nothing rings.

        Raises:
            StorageError: the timers could not be read.
        """
        return command.intent is Intent.STOP and not await self._timers.ringing()

    async def _stop(self, command: Recognised) -> str:
        if command.intent in (Intent.STOP, Intent.END):
            await self._timers.dismiss()
        return self._say(command, "command.ended" if command.intent is Intent.END else "command.stopped")

    async def _switched(self, command: Recognised) -> str:
        """Switch to another agent or workspace. The answer also tells a failure."""
        if self._switch is None:
            return self._say(command, "agent.only_one")
        try:
            if command.intent is Intent.SWITCH_AGENT:
                return self._say(command, "agent.switched", name=await self._switch.to_agent(command.text))
            return self._say(command, "agent.switched_workspace", name=await self._switch.to_workspace(command.text))
        except SoriError as error:
            log.warning("the agent is not changed: %s", error)
            return self._say(command, error.message_key, **error.values)

    def _say(self, command: Recognised, key: str, **values: str) -> str:
        return self._texts[command.language](key, **values)

    def _moment(self, command: Recognised) -> str:
        now = self._clock.now()
        if command.intent is Intent.TIME:
            time = spoken_time(now, command.language)
            return self._say(command, "command.time", time=time, copula=copula(time))
        day = now + timedelta(days=command.day)
        name = self._say(command, _DAY_NAMES[command.day])
        tense = "past" if command.day < 0 else "future" if command.day else "present"
        what = weekday(day, command.language) if command.intent is Intent.DAY else spoken_date(day, command.language)
        return self._say(command, f"command.date_{tense}", day=name, date=what, copula=copula(what))

    async def _set_timer(self, command: Recognised) -> str:
        duration_s = command.duration_s or 0
        if not 0 < duration_s <= LONGEST_TIMER_S:
            return self._say(command, "timer.impossible")
        timer = await self._timers.set(duration_s, command.name, command.language)
        duration = spoken_duration(duration_s, command.language)
        if timer.name:
            return self._say(command, "timer.set_named", name=timer.name, duration=duration, to=toward(duration))
        return self._say(command, "timer.set", duration=duration)

    async def _list_timers(self, command: Recognised) -> str:
        timers = await self._timers.running()
        if not timers:
            return self._say(command, "timer.none")
        lines = [
            self._say(
                command,
                "timer.left",
                timer=self._name(command, timer),
                left=spoken_duration(max(1.0, self._timers.left_s(timer)), command.language),
            )
            for timer in timers
        ]
        count = "" if len(lines) == 1 else self._say(command, "timer.count", count=str(len(lines))) + " "
        return count + " ".join(lines)

    async def _cancel_timers(self, command: Recognised) -> str:
        specific = bool(command.name) or command.duration_s is not None
        if not specific and not command.all and (stopped := await self._timers.dismiss()):
            # While a timer rings, "the timer" means that one.
            return self._say(command, "timer.silenced", timers=self._names(command, stopped))
        running = [*await self._timers.ringing(), *await self._timers.running()]
        if not running:
            return self._say(command, "timer.none")
        if not specific and not command.all and len(running) > 1:
            return self._say(command, "timer.which", timers=self._names(command, running))
        cancelled = await self._timers.cancel(name=command.name or None, duration_s=command.duration_s)
        if not cancelled:
            return self._say(command, "timer.no_such", timers=self._names(command, running))
        if len(cancelled) == len(running) > 1:
            return self._say(command, "timer.cancelled_all", count=str(len(cancelled)))
        return self._say(command, "timer.cancelled", timers=self._names(command, cancelled))

    def _name(self, command: Recognised, timer: StoredTimer) -> str:
        return name_of(timer, self._texts[command.language], command.language)

    def _names(self, command: Recognised, timers: Sequence[StoredTimer]) -> str:
        return joined([self._name(command, timer) for timer in timers], command.language)

    async def _changed_volume(self, command: Recognised) -> str:
        """Tell or change the volume. The answer also tells a failure."""
        try:
            return await self._change_volume(command)
        except ToolError as error:
            log.warning("the volume cannot be changed: %s", error)
            return self._say(command, "command.volume_failed")

    async def _change_volume(self, command: Recognised) -> str:
        if command.intent in (Intent.VOLUME_MUTE, Intent.VOLUME_UNMUTE):
            muted = command.intent is Intent.VOLUME_MUTE
            await self._volume.set_muted(muted)
            return self._say(command, "command.muted" if muted else "command.unmuted")
        level = await self._volume.level()
        if command.intent is Intent.VOLUME_GET:
            return self._say(command, "command.volume", percent=str(level))
        percent = _VOLUME_STEP if command.percent is None else command.percent
        wanted = {Intent.VOLUME_UP: level + percent, Intent.VOLUME_DOWN: level - percent}.get(command.intent, percent)
        if command.intent is Intent.VOLUME_SET and wanted > 100:
            return self._say(command, "command.volume_range")
        wanted = min(100, max(0, wanted))
        await self._volume.set_level(wanted)
        return self._say(command, "command.volume_set", percent=str(wanted))


def _of_alarms(wish: AlarmWish, command: Recognised) -> AlarmCommand:
    return AlarmCommand(
        wish=wish,
        language=command.language,
        request=command.alarm,
        all=command.all,
        duration_s=command.duration_s,
    )
