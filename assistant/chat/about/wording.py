"""How settings and their values are told. Pure."""

from assistant.chat.about.index import Topic
from assistant.core.configuration.catalogue import Value
from assistant.core.display.words import wake_name
from assistant.core.texts import Texts

_WAKE_WORD = "voice.wake_word"
_SPEED = "voice.speed"


def shown(topic: Topic, value: Value, texts: Texts) -> str:
    """A value in the user's words; empty for one that is not set."""
    if isinstance(value, bool):
        return texts("about.on" if value else "about.off")
    if isinstance(value, int | float):
        plain = f"{value:g}"
        return texts("about.unit_speed", value=plain) if topic.name == _SPEED else plain
    if isinstance(value, tuple):
        return ", ".join(value)
    if isinstance(value, str) and value in topic.values:
        return topic.values[value][0]
    if value == "auto":
        return texts("about.automatic")
    if not value:
        key = f"about.empty.{topic.name}"
        return texts(key) if key in texts else ""
    return wake_name(value) if topic.name == _WAKE_WORD else value


def title(topic: Topic, texts: Texts) -> str:
    """The title of a setting; empty for a fact."""
    return "" if topic.setting is None else texts(topic.setting.title_key)


def section(topic: Topic, texts: Texts) -> str:
    """The section of the settings page that has a setting."""
    return "" if topic.setting is None else texts(f"setting_section.{topic.setting.section or 'general'}")


def example(topic: Topic, value: Value, texts: Texts) -> str:
    """A sentence that changes a setting; empty where only the user's hand does."""
    if topic.setting is None or not topic.setting.declared.tool:
        return ""
    if isinstance(value, bool):
        return texts("about.say_off" if value else "about.say_on", title=topic.says or title(topic, texts))
    return topic.say
