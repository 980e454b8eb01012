"""Changes settings by the user's words, and undoes the last change."""

import asyncio
import logging
from collections.abc import Mapping
from pathlib import Path

from assistant.agent.context.wording import copula, toward
from assistant.chat.about.index import Topic
from assistant.chat.about.requests import AboutRequest
from assistant.chat.about.state import SettingsHand
from assistant.chat.about.wording import shown, title
from assistant.core.configuration.catalogue import Kind, Setting, Value
from assistant.core.configuration.values import json_value, value_from_json
from assistant.core.errors import SoriError
from assistant.core.setting_declaration import Acts
from assistant.core.texts import Texts
from assistant.storage.kept_object import read_object, write_object

_SPEED = "voice.speed"

log = logging.getLogger(__name__)


class SettingChanges:
    """Changes settings.

    Args:
        hand: reads and changes them.
        kept: the file that remembers the last change, so that it can be undone after a restart.
    """

    def __init__(self, hand: SettingsHand, kept: Path) -> None:
        self._hand, self._kept = hand, kept

    async def value(self, setting: Setting) -> Value:
        """The value of a setting as it is written now."""
        await self._hand.look()
        return self._hand.written(setting)

    async def change(self, topic: Topic, request: AboutRequest, texts: Texts) -> str:
        """Change a setting that is declared for words, and return the answer, which also tells a failure."""
        setting = topic.setting
        if setting is None or not setting.declared.tool:
            raise ValueError(f"{topic.name} is not changed by words")
        before = await self.value(setting)
        after = _wanted(topic, setting, before, request)
        if after == before:
            return _unchanged(topic, setting, before, request, texts)
        try:
            await self._hand.set(setting.name, after)
        except SoriError as error:
            log.warning("%s is not changed: %s", setting.name, error)
            reason = texts(error.message_key, **error.values)
            return texts("about.not_changed", title=title(topic, texts), reason=reason)
        last = {"name": setting.name, "before": json_value(before), "after": json_value(after)}
        await asyncio.to_thread(write_object, self._kept, last)
        if trouble := self._hand.trouble(setting):
            return texts("about.not_changed", title=title(topic, texts), reason=trouble)
        told = shown(topic, after, texts)
        done = texts(
            "about.changed", title=title(topic, texts), before=shown(topic, before, texts), after=told, to=toward(told)
        )
        return " ".join(filter(None, [done, _acts(setting, texts), texts("about.undo")]))

    async def undo(self, topics: Mapping[str, Topic], texts: Texts) -> str:
        """Undo the last change and return the answer. What was changed otherwise meanwhile stays as it is."""
        last = await asyncio.to_thread(read_object, self._kept)
        topic = topics.get(last.get("name", ""))
        if topic is None or topic.setting is None or json_value(await self.value(topic.setting)) != last.get("after"):
            return texts("about.nothing_to_undo")
        name, setting = title(topic, texts), topic.setting
        try:
            before = value_from_json(setting, last["before"])
            await self._hand.set(setting.name, before)
            await asyncio.to_thread(write_object, self._kept, {})
        except SoriError as error:
            log.warning("%s is not changed back: %s", setting.name, error)
            return texts("about.not_changed", title=name, reason=texts(error.message_key, **error.values))
        told = shown(topic, before, texts)
        return texts("about.undone", title=name, value=told, to=toward(told))


def _wanted(topic: Topic, setting: Setting, before: Value, request: AboutRequest) -> Value:
    """The value that a request wants, within the bounds of the setting."""
    if setting.kind is Kind.FLAG:
        return request.value == "true"
    if setting.kind in (Kind.NUMBER, Kind.WHOLE):
        now = before if isinstance(before, int | float) else 0.0
        number = float(request.value) if request.value else now + request.step * topic.step
        low, high = setting.declared.low, setting.declared.high
        number = min(max(number, low if low is not None else number), high if high is not None else number)
        return round(number) if setting.kind is Kind.WHOLE else round(float(number), 2)
    return request.value


def _unchanged(topic: Topic, setting: Setting, value: Value, request: AboutRequest, texts: Texts) -> str:
    told = shown(topic, value, texts)
    if not request.step:
        return texts("about.already", title=title(topic, texts), value=told, copula=copula(told))
    end = "highest" if request.step > 0 else "lowest"
    if setting.name == _SPEED:
        return texts(f"about.speed.{end}", value=told)
    return texts(f"about.{end}", title=title(topic, texts), value=told)


def _acts(setting: Setting, texts: Texts) -> str:
    return "" if setting.declared.acts is Acts.NOW else texts(f"about.acts_{setting.declared.acts}")
