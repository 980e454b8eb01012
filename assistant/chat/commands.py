"""Plain commands: requests that are recognised and answered in milliseconds, without a model (X-13).

The grammars are hassil's templates in ``resources/intents``. A template must match the whole sentence. A sentence that
only contains the words of a command goes to the model.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import yaml
from hassil import Intents, TextSlotList, recognize_all

from assistant.agent.gates.numbers import spoken_numbers
from assistant.chat.about.answers import offer_of, page_offer
from assistant.chat.about.index import HelpIndex
from assistant.chat.about.requests import AboutRequest, Aim, about_request, topic_near
from assistant.chat.agents.requests import Target, switch_request
from assistant.chat.alarms.requests import AlarmRequest, AlarmWish, alarm_request
from assistant.chat.scheduled.requests import schedule_request
from assistant.chat.scheduled.wish import ScheduleRequest, ScheduleWish
from assistant.core.free_words import asks_more, is_name, is_quoted
from assistant.core.machine.events import Meaning
from assistant.core.packets import PageOffer
from assistant.core.people.asking import PersonQuestion, person_question
from assistant.core.records.memory import Scope
from assistant.core.settings import Language
from assistant.core.times.durations import FIGURES, figure
from assistant.core.times.left_over import english_time_word, korean_time_word
from assistant.memory.requests import Wish, memory_request

_LONGEST = 80
"""Maximum length of a plain command, in characters."""
_LETTERS: dict[Language, re.Pattern[str]] = {"ko": re.compile("[가-힣]"), "en": re.compile("[a-z]")}
"""The letters of each language, in the form that is matched."""
_LONGEST_NAME = {"ko": 8, "en": 20}
"""Maximum length of a timer's name, in characters. Longer matches are parts of sentences about something else."""

_SIGN = "\ue000"
"""Stands for a mark before a figure, which hassil would drop. No template has it."""
_MEAL = re.compile("아침|점심|저녁|breakfast|lunch|dinner")
_ARTICLE = re.compile(r"^(the|my|a|an) ")

_SAFE_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml's loader, six times as fast as the one in Python; not every build of PyYAML has it."""

_OTHER: dict[Language, Language] = {"ko": "en", "en": "ko"}


class Intent(StrEnum):
    """The purpose of a plain command."""

    TIME = "Time"
    DATE = "Date"
    DAY = "Day"
    TIMER_SET = "TimerSet"
    TIMER_LIST = "TimerList"
    TIMER_CANCEL = "TimerCancel"
    ALARM_SET = "AlarmSet"
    ALARM_LIST = "AlarmList"
    ALARM_CANCEL = "AlarmCancel"
    SNOOZE = "Snooze"
    SCHEDULE = "Schedule"
    SCHEDULE_LIST = "ScheduleList"
    VOLUME_UP = "VolumeUp"
    VOLUME_DOWN = "VolumeDown"
    VOLUME_SET = "VolumeSet"
    VOLUME_GET = "VolumeGet"
    VOLUME_MUTE = "VolumeMute"
    VOLUME_UNMUTE = "VolumeUnmute"
    REMEMBER = "Remember"
    FORGET = "Forget"
    FORGET_NEWEST = "ForgetNewest"
    MEMORY_TELL = "MemoryTell"
    PERSON = "Person"
    STOP = "Stop"
    SWITCH_AGENT = "SwitchAgent"
    SWITCH_WORKSPACE = "SwitchWorkspace"
    END = "End"
    ABOUT = "About"
    SETTING = "Setting"
    YES = "Yes"
    NO = "No"


_PAGES = {
    Intent.MEMORY_TELL: ("memory", "sori memory list"),
    Intent.PERSON: ("people", "sori people list"),
    Intent.ALARM_LIST: ("schedule", ""),
    Intent.TIMER_LIST: ("schedule", ""),
    Intent.SCHEDULE: ("schedule", "sori schedule list"),
    Intent.SCHEDULE_LIST: ("schedule", "sori schedule list"),
}
"""Where all is seen of what a command lists: the page, and the command for a terminal."""

HARMLESS = frozenset(
    {
        Intent.TIME,
        Intent.DATE,
        Intent.DAY,
        Intent.TIMER_LIST,
        Intent.ALARM_LIST,
        Intent.SCHEDULE_LIST,
        Intent.VOLUME_GET,
        Intent.MEMORY_TELL,
        Intent.PERSON,
        Intent.STOP,
        Intent.END,
        Intent.ABOUT,
        Intent.YES,
        Intent.NO,
    }
)
"""Commands without effects on what is stored."""
TOOL_OF_THE_KIND = {
    Intent.TIME: "current_time",
    Intent.DATE: "current_time",
    Intent.DAY: "current_time",
    Intent.TIMER_LIST: "list_timers",
    Intent.ALARM_LIST: "list_alarms",
    Intent.SCHEDULE_LIST: "list_scheduled_requests",
    Intent.VOLUME_GET: "get_volume",
    Intent.MEMORY_TELL: "search_memory",
    Intent.PERSON: "find_person",
    Intent.STOP: "cancel_timers",
    Intent.END: "cancel_timers",
    Intent.ABOUT: "get_settings",
}
"""The tool that tells or does the same as a command, whose category says who may give the command. Stop and end silence
what rings. A command that is not here is only for those who may use all sensitive tools."""
_OF_MEMORY = {
    Wish.REMEMBER: Intent.REMEMBER,
    Wish.FORGET: Intent.FORGET,
    Wish.FORGET_NEWEST: Intent.FORGET_NEWEST,
    Wish.TELL: Intent.MEMORY_TELL,
}
OF_MEMORY = frozenset(_OF_MEMORY.values())
"""Commands about the memory."""
OF_ALARMS = {
    Intent.ALARM_SET: AlarmWish.SET,
    Intent.ALARM_LIST: AlarmWish.LIST,
    Intent.ALARM_CANCEL: AlarmWish.CANCEL,
    Intent.SNOOZE: AlarmWish.SNOOZE,
}
"""Commands about alarms and reminders."""
_SWITCHES = {Target.AGENT: Intent.SWITCH_AGENT, Target.WORKSPACE: Intent.SWITCH_WORKSPACE}
_REPLIES = frozenset({Intent.YES, Intent.NO})
"""Commands that count only as replies to a question of Sori."""
_SAID_AGAIN = _REPLIES | {Intent.STOP, Intent.END}
"""Commands that mean the same however often they are repeated in one breath (*stop stop stop*)."""
_REPEATED = re.compile(r"\W*(\w.*?)(?:\W*\1)+\W*")
_LONGEST_REPEATED = 200
"""Longest text in which a repetition is looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognised:
    """A plain command that was recognised.

    Attributes:
        intent: its purpose.
        language: its language, which is also the language of the answer.
        day: for dates and days, the number of days from today.
        duration_s: the length of a timer in seconds; ``None`` without one.
        name: the name of a timer; empty without one.
        all: whether it concerns all timers or alarms.
        percent: the volume to set, or by how much to change it; ``None`` for the usual step.
        message: id of the message; empty when it is not stored.
        conversation: id of its conversation; empty when it has none.
        alarm: the alarm or reminder to set or cancel; ``None`` without one.
        schedule: what is asked about scheduled requests; ``None`` for other commands.
        text: the fact to remember, the words of the facts to forget, or the agent or workspace to switch to.
        scope: the memory that the user names for a fact; ``None`` for none.
        changed: whether the user asks to change a remembered fact.
        about: what is asked about Sori, or the setting to change; ``None`` for other commands.
        person: what is asked about somebody whom the user knows; ``None`` for other commands.
    """

    intent: Intent
    language: Language
    day: int = 0
    duration_s: float | None = None
    name: str = ""
    all: bool = False
    percent: int | None = None
    text: str = ""
    scope: Scope | None = None
    changed: bool = False
    message: str = ""
    conversation: str = ""
    alarm: AlarmRequest | None = None
    schedule: ScheduleRequest | None = None
    about: AboutRequest | None = None
    person: PersonQuestion | None = None


class Answers(Protocol):
    """Executes commands, as ``CommandAnswers`` does."""

    async def answer(self, command: Recognised) -> str:
        """Execute a command and return the answer."""
        ...

    async def stops_nothing(self, command: Recognised) -> bool:
        """Whether a command is a stop while nothing rings."""
        ...

    def named(self, name: str) -> Intent | None:
        """The command that switches to what has this name; ``None`` when no agent and no workspace has it."""
        ...

    def knows(self, name: str) -> bool:
        """Whether this names somebody whom the user knows."""
        ...


@dataclass(slots=True)
class Grammar:
    """The templates of one language, and the numbers for their slots."""

    language: Language
    intents: Intents
    _numbers: dict[str, list[tuple[str, int]]] = field(init=False)
    """Spoken numbers by their first letter."""
    _opening: re.Pattern[str] = field(init=False)
    _closing: re.Pattern[str] = field(init=False)

    def __post_init__(self) -> None:
        self._numbers = {}
        for word, value in spoken_numbers(self.language):
            self._numbers.setdefault(word[0], []).append((word, value))
        # hassil skips words only between spaces, and Korean is matched without spaces here.
        skipped = "|".join(re.escape(word) for word in sorted(self.intents.skip_words, key=len, reverse=True))
        self.intents.skip_words = []
        gap = "" if self.language == "ko" else " "
        self._opening = re.compile(f"^(?:{skipped}){gap}")
        self._closing = re.compile(f"{gap}(?:{skipped})$")

    @classmethod
    def load(cls, path: Path, language: Language) -> "Grammar":
        """Read the templates of one language."""
        with path.open(encoding="utf-8") as file:
            templates = yaml.load(file, Loader=_SAFE_LOADER)  # noqa: S506 - both loaders are safe ones
        return cls(language, Intents.from_dict(templates))

    def find(self, text: str) -> Iterator[Recognised]:
        """All readings of ``text`` as a command, the best first."""
        plain = self._plain(text)
        # Each template has words of its language. Without its letters the text needs no slow matching.
        if not plain or len(plain) > _LONGEST or not _LETTERS[self.language].search(plain):
            return
        readings = list(self._readings(plain, text))
        # A name can be anything, so a reading without a name is more certain.
        yield from (reading for reading in readings if not reading.name)
        yield from (reading for reading in readings if reading.name)

    def _readings(self, plain: str, text: str) -> Iterator[Recognised]:
        # Pass only the numbers that occur, because hassil tries each of the thousand at each place.
        possible = [number for letter, several in self._numbers.items() if letter in plain for number in several]
        said: list[tuple[str, float]] = [(word, value) for word, value in possible if word in plain]
        said += [(figures, figure(figures)) for figures in set(re.findall(FIGURES, plain))]
        numbers = TextSlotList.from_tuples(said, allow_template=False, name="n")
        for core in self._cores(plain):
            for result in recognize_all(core, self.intents, slot_lists={"n": numbers}, language=self.language):
                values = {entity.name: entity.value for entity in result.entities_list}
                reading = self._reading(Intent(result.intent.name), values, text)
                if reading is not None:
                    yield reading

    def _cores(self, plain: str) -> Iterator[str]:
        """The sentence, then the sentence without more and more of the skipped words at its ends."""
        starts = list(_stripped(plain, self._opening))
        cores = [core for start in starts for core in _stripped(start, self._closing)]
        yield from sorted(dict.fromkeys(cores), key=len, reverse=True)

    def _plain(self, text: str) -> str:
        plain = unicodedata.normalize("NFC", text).casefold()
        if self.language == "ko":
            return re.sub(r"[\s.,!?~…。？！、'\"“”‘’;:·–—-]+", lambda mark: _between(mark, ""), plain)
        plain = plain.replace("’", "'").replace("o'clock", "oclock")
        return re.sub(r"[\s.,!?~…\"“”;:–—-]+", lambda mark: _between(mark, " "), plain).strip()

    def _reading(self, intent: Intent, values: dict[str, Any], text: str) -> Recognised | None:
        name = _ARTICLE.sub("", str(values.get("name", "")).strip())
        name = _as_said(name, text)
        if name and (len(name) > _LONGEST_NAME[self.language] or re.search(r"\d", name) or not is_name(name)):
            return None
        if name and not _MEAL.fullmatch(name) and (korean_time_word(name) or english_time_word(name)):
            return None
        duration_s, percent = _duration_s(values), values.get("percent")
        if (intent is Intent.TIMER_SET and duration_s is None) or (percent is not None and percent % 1):
            return None
        return Recognised(
            intent=intent,
            language=self.language,
            day=int(values.get("day", 0)),
            duration_s=duration_s,
            name=name,
            all=bool(values.get("all")),
            percent=None if percent is None else int(percent),
        )


class Commands:
    """Recognises plain commands and answers them.

    Args:
        grammars: one per language.
        answers: executes commands.
        indexes: what can be asked about Sori, one per language; without them, a model answers.
    """

    def __init__(
        self,
        grammars: dict[Language, Grammar],
        answers: Answers,
        indexes: Mapping[Language, HelpIndex] | None = None,
    ) -> None:
        self._grammars = grammars
        self._answers = answers
        self._indexes = indexes or {}

    @classmethod
    def load(cls, folder: Path, answers: Answers, indexes: Mapping[Language, HelpIndex] | None = None) -> "Commands":
        """Commands with the grammars in ``folder``."""
        languages: tuple[Language, ...] = ("ko", "en")
        return cls({each: _loaded(folder / f"{each}.yaml", each) for each in languages}, answers, indexes)

    def warm_up(self) -> None:
        """Recognise sentences of both languages, because hassil parses a template at its first use."""
        alarms = (
            "내일 7시에 깨워 줘",
            "wake me at seven",
            "매일 8시에 뉴스 읽어 줘",
            "every day at 8 read me the news",
        )
        for sentence in ("지금 몇 시야?", "5분 타이머 맞춰 줘", "Set a timer for five minutes.", *alarms):
            self.recognize(sentence, "ko")

    def recognize(self, text: str, language_hint: Language) -> Recognised | None:
        """The command in ``text``, or ``None`` if it is no command. Yes and no are no commands here.

        Args:
            text: the spoken or typed text.
            language_hint: the language to try first.
        """
        return next((found for found in self._find(text, language_hint) if found.intent not in _REPLIES), None)

    def meaning(self, text: str, ending: bool, language_hint: Language = "ko") -> Meaning:
        """Classify an utterance for the conversation.

        Args:
            text: the utterance.
            ending: whether Sori has just asked whether to end the conversation. Only then it can be a yes or a no.
            language_hint: the language to try first.
        """
        intents = [found.intent for found in self._find(text, language_hint)]
        if not intents and len(text) <= _LONGEST_REPEATED and (repeated := _REPEATED.fullmatch(text.casefold())):
            once = (found.intent for found in self._find(repeated[1], language_hint))
            intents = [intent for intent in once if intent in _SAID_AGAIN]
        if ending:
            for intent, meaning in ((Intent.NO, Meaning.NO), (Intent.YES, Meaning.YES)):
                if intent in intents:
                    return meaning
        match next((intent for intent in intents if intent not in _REPLIES), None):
            case Intent.END:
                return Meaning.CLOSING
            case Intent.STOP:
                return Meaning.STOP
            case None:
                return Meaning.REQUEST
            case _:
                return Meaning.COMMAND

    def offer(self, command: Recognised) -> PageOffer | None:
        """Where the user can go on after the answer to a command; ``None`` for nowhere."""
        index, place = self._indexes.get(command.language), _PAGES.get(command.intent)
        if index is None:
            return None
        if command.about is not None:
            return offer_of(command.about, index)
        return None if place is None else page_offer(place[0], index.texts, place[1])

    def question_near(self, text: str, language_hint: Language, conversation: str) -> Recognised | None:
        """A question about Sori whose answer a model should know for a request; ``None`` if it is not about Sori.

        Args:
            text: a request that is no command.
            language_hint: the user's language.
            conversation: id of the conversation.
        """
        for language in (language_hint, _OTHER[language_hint]):
            index = self._indexes.get(language)
            if index is not None and (topic := topic_near(text, index)):
                about = AboutRequest(topic=topic, aim=Aim.TELL)
                return Recognised(intent=Intent.ABOUT, language=language, about=about, conversation=conversation)
        return None

    async def answer(self, command: Recognised) -> str:
        """Execute a command and return the answer."""
        return await self._answers.answer(command)

    async def stops_nothing(self, command: Recognised | None) -> bool:
        """Whether a command is a stop while nothing rings, so that it may be meant for something else.

        Raises:
            StorageError: the timers could not be read.
        """
        return command is not None and await self._answers.stops_nothing(command)

    def _find(self, text: str, language_hint: Language) -> Iterator[Recognised]:
        if is_quoted(text) or "\n" in text.strip():
            return  # It is spoken of, or it is more than one thing.
        for language in (language_hint, _OTHER[language_hint]):
            yield from self._grammars[language].find(text)
        if (alarm := alarm_request(text, language_hint)) is not None and not asks_more(alarm.what):
            intent = Intent.ALARM_SET if alarm.wish is AlarmWish.SET else Intent.ALARM_CANCEL
            yield Recognised(intent=intent, language=alarm.language, alarm=alarm)
        if (schedule := schedule_request(text, language_hint)) is not None:
            listing = schedule.wish is ScheduleWish.LIST
            intent = Intent.SCHEDULE_LIST if listing else Intent.SCHEDULE
            yield Recognised(intent=intent, language=schedule.language, schedule=schedule)
        if (wanted := memory_request(text)) is not None:
            yield Recognised(
                intent=_OF_MEMORY[wanted.wish],
                language=wanted.language,
                text=wanted.text,
                scope=wanted.scope,
                changed=wanted.changed,
            )
        if (switch := switch_request(text)) is not None:
            # A name that nothing has is told only if it can be one; it may be the rest of a longer sentence.
            wish = self._answers.named(switch.name)
            if switch.target is not Target.EITHER and (wish is not None or is_name(switch.name, most=2)):
                wish = _SWITCHES[switch.target]
            if wish is not None:
                yield Recognised(intent=wish, language=switch.language, text=switch.name)
        if (asked := person_question(text)) is not None and self._answers.knows(asked.who):
            yield Recognised(intent=Intent.PERSON, language=asked.language, person=asked)
        yield from self._find_about(text, language_hint)

    def _find_about(self, text: str, language_hint: Language) -> Iterator[Recognised]:
        for language in (language_hint, _OTHER[language_hint]):
            index = self._indexes.get(language)
            if index is not None and (about := about_request(text, index)) is not None:
                intent = Intent.SETTING if about.aim is Aim.CHANGE else Intent.ABOUT
                yield Recognised(intent=intent, language=language, about=about)


@cache
def _loaded(path: Path, language: Language) -> Grammar:
    """The templates of one language, read once in a process because that takes 10 ms."""
    return Grammar.load(path, language)


def _stripped(text: str, pattern: re.Pattern[str]) -> Iterator[str]:
    """``text``, then ``text`` with one more match of ``pattern`` removed each time."""
    yield text
    while (shorter := pattern.sub("", text, count=1)) != text and shorter:
        yield shorter
        text = shorter


def _duration_s(values: dict[str, Any]) -> float | None:
    parts = {
        "hours": 3600,
        "minutes": 60,
        "seconds": 1,
        "half_hour": 1800,
        "half_minute": 30,
        "half_of_hour": 1800,
        "half_of_minute": 30,
        "quarter_of_hour": 900,
    }
    said = [values[part] * length for part, length in parts.items() if part in values]
    return float(sum(said)) if said else None


def _between(mark: re.Match[str], gap: str) -> str:
    """What stays of the marks and spaces between two words.

    A mark at a figure may be a part of it (1.5, 5~10), so it stays and must fit a template. In "자비스, 5분" and at the
    end of a sentence it is none.
    """
    marks, before, after = mark.group(), mark.string[: mark.start()][-1:], mark.string[mark.end() :][:1]
    signs = "".join(marks.split())
    if before.isdigit() and after.isdigit():
        return marks if signs else " "
    if before.isdigit() and after and set(signs) & set("~:–—"):
        return signs
    begins = not before or len(marks) > 1
    signed = after.isdigit() and (marks[-1] in "-–—~" or (marks[-1] == "." and begins))
    return f"{gap}{_SIGN}" if signed else gap


def _as_said(name: str, text: str) -> str:
    """A name with its capitals and spaces as in ``text``, which matching has removed."""
    if not name:
        return ""
    pattern = r"\s*".join(re.escape(character) for character in name if not character.isspace())
    found = re.search(pattern, unicodedata.normalize("NFC", text), re.IGNORECASE)
    return found.group(0) if found else name
