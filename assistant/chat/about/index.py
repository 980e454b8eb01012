"""What can be asked about Sori: the settings, from their declarations, and the facts of ``resources/about``."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from assistant.chat.about.lexicon import Lexicon, Phrase, PhraseKind, Sure
from assistant.core.configuration.catalogue import Setting, single_settings
from assistant.core.settings import Language
from assistant.core.texts import Texts

SETTINGS = "settings"
"""The topic of the settings as a whole."""
_QUESTIONS = "can, what, how"
_ACTS = "act", "act_now"
"""Verbs that fit every setting: to see it, to find it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """Something of Sori's that can be asked about.

    Attributes:
        name: the dotted name of a setting, or the name of a fact.
        setting: the setting; ``None`` for a fact.
        forms: the questions about a fact that are meant; all of them for a setting.
        verbs: what can be done with it, in the words of the lexicon.
        values: the words for each value that a user may name; the first words name it in answers.
        without: the value that is meant when a user turns another one off.
        ordered_steps: the words of steps that fit words of the topic that are sure only in an order; empty for all.
        step: by how much one request changes a number.
        generic: whether its words are common, so that they tell nothing in a sentence that is not understood.
        say: a sentence that changes it.
        says: the words for it in a sentence that turns it on or off.
    """

    name: str
    setting: Setting | None = None
    forms: frozenset[str] = frozenset()
    verbs: frozenset[str] = frozenset()
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    without: Mapping[str, str] = field(default_factory=dict)
    ordered_steps: frozenset[str] = frozenset()
    step: float = 0.0
    generic: bool = False
    say: str = ""
    says: str = ""


@dataclass(frozen=True, slots=True)
class HelpIndex:
    """The topics of one language, the words for them, and the words of answers."""

    topics: Mapping[str, Topic]
    lexicon: Lexicon
    texts: Texts

    @classmethod
    def load(cls, folder: Path, texts: Texts, language: Language) -> "HelpIndex":
        """Read the words of a language; the titles of the settings are in ``texts``."""
        return _loaded(folder / f"{language}.toml", texts, language)


@cache
def _loaded(path: Path, texts: Texts, language: Language) -> HelpIndex:
    with path.open("rb") as file:
        told = tomllib.load(file)
    acts = frozenset(word for each in _ACTS for word in _split(told["words"][each]))
    topics = {each.name: _setting_topic(each, told["settings"], acts) for each in single_settings().values()}
    known = frozenset(each for words in told["facts"].values() for each in _split(words.get("verbs", "")))
    ends = frozenset((*_split(told["words"]["end"]), *_split(told["words"]["do"])))
    for name, words in told["facts"].items():
        verbs = frozenset(_split(words["verbs"])) if "verbs" in words else acts if name == SETTINGS else frozenset()
        # A longer form that another topic lists counts as the verb with its ending, which is a form of the verb too.
        verbs |= {each for each in known if any(each.startswith(verb) and each[len(verb) :] in ends for verb in verbs)}
        topics[name] = Topic(
            name=name,
            forms=frozenset(_split(words.get("forms", _QUESTIONS))),
            verbs=verbs,
            generic=words.get("generic", False),
        )
    return HelpIndex(topics, Lexicon(language, _pieces(told, topics, texts)), texts)


def _split(words: str) -> tuple[str, ...]:
    return tuple(filter(None, (each.strip() for each in words.split(","))))


def _setting_topic(setting: Setting, told: Mapping[str, Any], acts: frozenset[str]) -> Topic:
    words: Mapping[str, Any] = told.get(setting.name, {})
    says = next((words[each] for each in (Sure.ACTED, Sure.OWN) if each in words), "")
    return Topic(
        name=setting.name,
        setting=setting,
        verbs=acts,
        values={value: _split(said) for value, said in words.get("values", {}).items()},
        without=words.get("without", {}),
        ordered_steps=frozenset(_split(words.get("ordered_steps", ""))),
        step=words.get("step", 0.0),
        say=words.get("say", ""),
        says=_split(says)[0] if says else "",
    )


def _pieces(told: Mapping[str, Any], topics: Mapping[str, Topic], texts: Texts) -> Iterator[Phrase]:
    for kind, phrases in told["words"].items():
        yield from (Phrase(PhraseKind.VERB if kind in _ACTS else PhraseKind(kind), each) for each in _split(phrases))
    yield from (
        Phrase(PhraseKind.VERB, each) for each in frozenset().union(*(topic.verbs for topic in topics.values()))
    )
    for name, words in (*told["settings"].items(), *told["facts"].items()):
        yield from _topic_pieces(name, words)
    for topic in topics.values():
        if topic.setting is not None:
            yield Phrase(PhraseKind.TOPIC, texts(topic.setting.title_key), topic.name, Sure.TITLED)


def _topic_pieces(name: str, words: Mapping[str, Any]) -> Iterator[Phrase]:
    for sure in Sure:
        yield from (Phrase(PhraseKind.TOPIC, each, name, sure) for each in _split(words.get(sure, "")))
    for key, sure_value in (("values", None), ("own_values", Sure.ACTED)):
        for value, said in words.get(key, {}).items():
            yield from (Phrase(PhraseKind.VALUE, each, name, sure_value, value) for each in _split(said))
    for direction, value in (("more", "1"), ("less", "-1")):
        yield from (Phrase(PhraseKind.STEP, each, name, None, value) for each in _split(words.get(direction, "")))
