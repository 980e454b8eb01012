"""Answers questions about Sori from its state, and changes settings by the user's words."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from assistant.agent.context.wording import copula, joined
from assistant.chat.about.changes import SettingChanges
from assistant.chat.about.index import SETTINGS, HelpIndex, Topic
from assistant.chat.about.requests import UNDO_TOPIC, AboutRequest, Aim
from assistant.chat.about.state import SoriState, StateSource
from assistant.chat.about.wording import example, section, shown, title
from assistant.core.display.words import provider_words
from assistant.core.packets import PageOffer
from assistant.core.settings import Language
from assistant.core.texts import Texts

_NEEDS_SETTING = ("web_search", "read_file", "generate_image")
"""Tools that wait for a setting; they are named where they do not work yet."""
_ABILITIES = (
    *("current_time", "set_timer", "set_alarm", "calculate", "set_volume", "remember", "create_note", "control_media"),
    *("open_application", *_NEEDS_SETTING, "run_command"),
)
"""The tools that an answer names, in its order."""
_MCP = "mcp_"
_MOST_PLACES = 4
"""Places of requests that one answer names, because it may be read aloud."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpPlace:
    """Where the user can go on, as in ``PageOffer``."""

    page: str = ""
    setting: str = ""
    command: str = ""


class AboutAnswers:
    """Answers what ``about_request`` recognises.

    Args:
        indexes: the help index of each language.
        state: tells Sori's state.
        changes: changes settings.
    """

    def __init__(self, indexes: Mapping[Language, HelpIndex], state: StateSource, changes: SettingChanges) -> None:
        self._indexes, self._state, self._changes = indexes, state, changes

    async def answer(self, request: AboutRequest, language: Language, conversation: str) -> str:
        """Answer a request, and do what it wants.

        Args:
            request: the request.
            language: its language.
            conversation: id of the conversation; empty for none.
        """
        texts, topic = self._indexes[language].texts, self._indexes[language].topics[request.topic]
        if topic.name == UNDO_TOPIC:
            return await self._changes.undo(self._indexes[language].topics, texts)
        if topic.setting is None:
            return FACTS[topic.name](await self._state(conversation), texts)
        if request.aim is Aim.CHANGE and topic.setting.declared.tool:
            return await self._changes.change(topic, request, texts)
        return await self._told(topic, request, texts)

    async def _told(self, topic: Topic, request: AboutRequest, texts: Texts) -> str:
        """The value of a setting, and how it is changed."""
        if topic.setting is None:
            raise ValueError(f"{topic.name} is no setting")
        value = await self._changes.value(topic.setting)
        told = "" if topic.setting.declared.secret else shown(topic, value, texts)
        name = title(topic, texts)
        key = "about.setting_is" if told else "about.setting_open"
        parts = [texts(key, title=name, value=told, copula=copula(told))]
        if request.aim is Aim.CHANGE:
            parts.append(texts("about.by_hand", section=section(topic, texts)))
        else:
            say = example(topic, value, texts)
            parts.append(texts("about.how_say", say=say) if say else "")
            parts.append(texts("about.how_page", section=section(topic, texts)))
        return " ".join(filter(None, parts))


def page_offer(page: str, texts: Texts, command: str = "") -> PageOffer:
    """A page of the window as a place where the user can go on."""
    return PageOffer(turn_index=0, page=page, title=texts(f"about.open_{page}"), command=command)


def offer_of(request: AboutRequest, index: HelpIndex) -> PageOffer | None:
    """Where the user can go on after an answer; ``None`` where there is no such place."""
    topic, texts = index.topics[request.topic], index.texts
    if topic.setting is None:
        place = PLACES.get(topic.name)
    else:
        done = request.aim is Aim.CHANGE and topic.setting.declared.tool
        place = None if done else HelpPlace(setting=topic.name)
    if place is None:
        return None
    if place.setting:
        name = texts("about.open_page", title=title(index.topics[place.setting], texts))
        command = f"sori settings get {place.setting}"
        return PageOffer(turn_index=0, page=SETTINGS, title=name, setting=place.setting, command=command)
    if place.page:
        return page_offer(place.page, texts, place.command)
    return PageOffer(turn_index=0, page="", title=texts("about.by_command"), command=place.command)


PLACES: Mapping[str, HelpPlace] = {
    "abilities": HelpPlace(page=SETTINGS, command="sori settings list"),
    "usage": HelpPlace(command="sori --help"),
    "model": HelpPlace(page="models", command="sori models list"),
    "keys": HelpPlace(page="models", command="sori keys set"),
    "providers": HelpPlace(page="models", command="sori providers"),
    "leaving": HelpPlace(page="privacy", command="sori egress"),
    "storage": HelpPlace(page="privacy"),
    "recording": HelpPlace(page="privacy"),
    "offline": HelpPlace(page="privacy", command="sori egress"),
    "costs": HelpPlace(page="usage", command="sori usage"),
    "doings": HelpPlace(page="audit", command="sori audit"),
    "times": HelpPlace(page="traces", command="sori traces"),
    "slow": HelpPlace(page="traces", command="sori traces"),
    "tool_off": HelpPlace(page="tools", command="sori tools off"),
    "timers": HelpPlace(page="schedule"),
    "scheduled": HelpPlace(page="schedule", command="sori schedule list"),
    "changes": HelpPlace(page="about"),
    "version": HelpPlace(page="about"),
    "licence": HelpPlace(page="about"),
    "fault": HelpPlace(page="diagnostics", command="sori doctor"),
    "fault_file": HelpPlace(page="diagnostics", command="sori doctor"),
    "web_search": HelpPlace(setting="search.provider"),
    "files": HelpPlace(setting="files.folders"),
    "projects": HelpPlace(page="projects", command="sori projects add"),
    "telegram": HelpPlace(page="telegram", command="sori telegram status"),
    "people": HelpPlace(page="people", command="sori people add"),
    "images": HelpPlace(setting="images.model"),
    "memory": HelpPlace(page="memory", command="sori memory list"),
    "agents": HelpPlace(page="agents", command="sori agents add"),
    "mcp": HelpPlace(page="tools", command="sori mcp add"),
    "dictation": HelpPlace(setting="desktop.global_shortcuts"),
    "languages": HelpPlace(setting="language"),
    "calling": HelpPlace(page="names", command="sori agents enroll"),
    "conversations": HelpPlace(page="conversations", command="sori conversations export"),
    "importing": HelpPlace(page="conversations", command="sori conversations import"),
    "shortcuts": HelpPlace(page="shortcuts"),
    "first_run": HelpPlace(page="first_run"),
    "settings": HelpPlace(page=SETTINGS, command="sori settings list"),
    "identity": HelpPlace(page="about"),
    "erase": HelpPlace(page="privacy"),
    "uninstall": HelpPlace(page="privacy", command="sori desktop remove"),
    "naming": HelpPlace(page="names", command="sori agents enroll"),
    "servers": HelpPlace(page="models", command="sori mcp add"),
    "flows": HelpPlace(command="sori flows new"),
    "outside": HelpPlace(page="tools", command="sori mcp add"),
    "resources": HelpPlace(page="models", command="sori models list"),
    "phone": HelpPlace(page="phone", command="sori phone on"),
    "workspaces": HelpPlace(page="agents", command="sori workspaces add"),
    "quick_window": HelpPlace(setting="desktop.global_shortcuts"),
    "reading": HelpPlace(setting="desktop.global_shortcuts"),
    "consent": HelpPlace(page="tools", command="sori tools list"),
    "access": HelpPlace(page="shortcuts"),
    "training": HelpPlace(page="privacy", command="sori egress"),
}
"""Where the user can go on after the answer about a fact."""


def _abilities(state: SoriState, texts: Texts) -> str:
    names = {each: texts(f"about.ability.{each}") for each in _ABILITIES}
    now = [name for each, name in names.items() if each in state.tools]
    later = [names[each] for each in _NEEDS_SETTING if each not in state.tools]
    can = joined(now, texts.language)
    told = [texts("about.abilities", now=can, copula=copula(can))]
    if later:
        told.append(texts("about.abilities_later", later=joined(later, texts.language)))
    return " ".join(told)


def _model(state: SoriState, texts: Texts) -> str:
    return texts(
        "about.model_here" if state.here else "about.model_elsewhere",
        model=_model_name(state, texts),
        provider=provider_words(texts, state.provider),
    )


def _model_name(state: SoriState, texts: Texts) -> str:
    return state.model or texts("about.model_default")


def _leaving(state: SoriState, texts: Texts) -> str:
    told = []
    if state.asked:
        told.append(texts("about.leaving_asked", providers=joined([*state.asked], texts.language)))
    if state.speech:
        told.append(texts("about.leaving_speech", providers=joined([*state.speech], texts.language)))
    if state.files:
        told.append(texts("about.leaving_files", servers=joined([*state.files], texts.language)))
    if state.account:
        told.append(texts("about.leaving_account", server=state.account))
    if state.settings.telegram.enabled:
        told.append(texts("about.leaving_telegram"))
    if not told:
        told.append(texts("about.leaving_nothing"))
    if "web_search" in state.tools or _servers_tools(state):
        told.append(texts("about.leaving_tools"))
    return " ".join([*told, _left_today(state, texts), texts("about.leaving_record")])


def _left_today(state: SoriState, texts: Texts) -> str:
    """What the record of today shows, which the settings of now may not explain."""
    if not state.left:
        return texts("about.left_nothing")
    places = Counter((each.purpose, urlsplit(each.destination).hostname or each.destination) for each in state.left)
    told = [
        texts("about.left_there", purpose=texts(f"egress.purpose.{purpose}"), place=place, count=count)
        for (purpose, place), count in places.most_common(_MOST_PLACES)
    ]
    key = "about.left_today" if len(places) <= _MOST_PLACES else "about.left_today_more"
    return texts(key, count=len(state.left), places=joined(told, texts.language))


def _recording(state: SoriState, texts: Texts) -> str:
    """No part of Sori writes what a microphone hears into a file."""
    told = [texts("about.recording")]
    if state.speech:
        told.append(texts("about.leaving_speech", providers=joined([*state.speech], texts.language)))
    return " ".join(told)


def _storage(state: SoriState, texts: Texts) -> str:
    return texts("about.storage", home=state.home) if state.home else texts("about.storage_remote")


def _backup(state: SoriState, texts: Texts) -> str:
    return texts("about.backup", home=state.home or texts("about.sori_folder"))


def _offline(state: SoriState, texts: Texts) -> str:
    if state.speech:
        return texts("about.offline_speech", provider=joined([*state.speech], texts.language))
    if state.here:
        return texts("about.offline_yes")
    return texts("about.offline_no", provider=provider_words(texts, state.provider))


def _web_search(state: SoriState, texts: Texts) -> str:
    if "web_search" in state.tools:
        return texts("about.web_search_yes", provider=state.settings.search.provider)
    return texts("about.web_search_no", section=texts("setting_section.search"))


def _files(state: SoriState, texts: Texts) -> str:
    if "read_file" in state.tools:
        return texts("about.files_yes", count=len(state.settings.files.folders))
    return texts("about.files_no", section=texts("setting_section.files"))


def _images(state: SoriState, texts: Texts) -> str:
    if "generate_image" in state.tools:
        return texts("about.images_yes", model=state.settings.images.model)
    return texts("about.images_no", section=texts("setting_section.images"))


def _memory(state: SoriState, texts: Texts) -> str:
    if not state.settings.memory.personal:
        return texts("about.memory_off")
    return texts("about.memory_on", count=state.facts)


def _languages(state: SoriState, texts: Texts) -> str:
    language = texts(f"about.language.{state.settings.language}")
    return texts("about.languages", language=language, copula=copula(language))


def _maker(state: SoriState, texts: Texts) -> str:
    model = _model_name(state, texts)
    return texts("about.maker", model=model, copula=copula(model))


def _mcp(state: SoriState, texts: Texts) -> str:
    return _beside_servers_tools("about.mcp", state, texts)


def _outside(state: SoriState, texts: Texts) -> str:
    return _beside_servers_tools("about.outside", state, texts)


def _beside_servers_tools(key: str, state: SoriState, texts: Texts) -> str:
    count = _servers_tools(state)
    return " ".join([texts(key)] + ([texts("about.mcp_count", count=count)] if count else []))


def _resources(state: SoriState, texts: Texts) -> str:
    told = [texts("about.resources")]
    if state.here and (idle_s := state.settings.llm.unload_after_s):
        told.append(texts("about.resources_idle", minutes=max(1, round(idle_s / 60))))
    return " ".join(told)


def _training(state: SoriState, texts: Texts) -> str:
    told = [texts("about.training")]
    if elsewhere := tuple(dict.fromkeys((*state.asked, *state.speech, *state.files))):
        told.append(texts("about.training_elsewhere", providers=joined([*elsewhere], texts.language)))
    return " ".join(told)


def _telegram(state: SoriState, texts: Texts) -> str:
    return texts("about.telegram_on" if state.settings.telegram.enabled else "about.telegram")


def _servers_tools(state: SoriState) -> int:
    return sum(each.startswith(_MCP) for each in state.tools)


def _called(key: str) -> Callable[[SoriState, Texts], str]:
    """An answer that names the wake word and the talk key."""

    def told(state: SoriState, texts: Texts) -> str:
        return texts(key, wake_word=state.called, talk_key=state.settings.desktop.talk_key)

    return told


def _fixed(key: str) -> Callable[[SoriState, Texts], str]:
    return lambda _, texts: texts(key)


FACTS: Mapping[str, Callable[[SoriState, Texts], str]] = {
    "abilities": _abilities,
    "usage": _called("about.usage"),
    "model": _model,
    "keys": _fixed("about.keys"),
    "providers": _fixed("about.providers"),
    "leaving": _leaving,
    "storage": _storage,
    "recording": _recording,
    "closed": _called("about.closed"),
    "offline": _offline,
    "web_search": _web_search,
    "files": _files,
    "projects": _fixed("about.projects"),
    "people": _fixed("about.people"),
    "images": _images,
    "memory": _memory,
    "languages": _languages,
    "version": lambda state, texts: texts("about.version", version=state.version),
    "maker": _maker,
    "licence": _fixed("about.licence"),
    "timers": _fixed("about.timers"),
    "scheduled": _fixed("about.scheduled"),
    "agents": _fixed("about.agents"),
    "mcp": _mcp,
    "dictation": _fixed("about.dictation"),
    "first_run": _fixed("about.first_run"),
    "mute": _fixed("about.mute"),
    "listening": _fixed("about.listening"),
    "calling": _called("about.calling"),
    "stopping": _fixed("about.stopping"),
    "conversations": _fixed("about.conversations"),
    "importing": _fixed("about.importing"),
    "shortcuts": _called("about.shortcuts"),
    "costs": _fixed("about.costs"),
    "doings": _fixed("about.doings"),
    "times": _fixed("about.times"),
    "slow": _fixed("about.slow"),
    "tool_off": _fixed("about.tool_off"),
    "changes": _fixed("about.changes"),
    "fault": _fixed("about.fault"),
    "fault_file": _fixed("about.fault"),
    "font": _fixed("about.font"),
    "quitting": _fixed("about.quitting"),
    "settings": _fixed("about.settings"),
    "identity": _fixed("about.identity"),
    "erase": _fixed("about.erase"),
    "uninstall": _fixed("about.uninstall"),
    "naming": _fixed("about.naming"),
    "servers": _fixed("about.servers"),
    "flows": _fixed("about.flows"),
    "transfers": _fixed("about.transfers"),
    "outside": _outside,
    "resources": _resources,
    "phone": _fixed("about.phone"),
    "telegram": _telegram,
    "workspaces": _fixed("about.workspaces"),
    "platforms": _fixed("about.platforms"),
    "quick_window": _fixed("about.quick_window"),
    "reading": _fixed("about.reading"),
    "consent": _fixed("about.consent"),
    "backup": _backup,
    "access": _fixed("about.access"),
    "training": _training,
}
"""The answer about each fact."""
