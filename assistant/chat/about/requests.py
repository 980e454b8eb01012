"""Recognises questions about Sori and orders to change a setting. Pure.

Every word has to be explained by the help index, and all readings have to agree. Anything else goes to a model.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from assistant.chat.about.index import SETTINGS, HelpIndex, Topic
from assistant.chat.about.lexicon import Phrase, PhraseKind, Sure, is_question
from assistant.core.configuration.catalogue import Kind as Form

_LONGEST_NEAR = 200
"""Longest text in which a topic is looked for, in characters."""
UNDO_TOPIC = "undo"
"""The topic of taking back the last change of a setting."""
_LONGEST = 100
"""Longest text that is looked at, in characters."""
_NOW = frozenset(
    {PhraseKind.CHANGE_NOW, PhraseKind.ON_NOW, PhraseKind.OFF_NOW, PhraseKind.DO, PhraseKind.PLEASE, PhraseKind.POLITE}
)
_ON = frozenset({PhraseKind.ON, PhraseKind.ON_NOW})
_OFF = frozenset({PhraseKind.OFF, PhraseKind.OFF_NOW})
_ACTING = _ON | _OFF | {PhraseKind.CHANGE, PhraseKind.CHANGE_NOW, PhraseKind.STEP, PhraseKind.VERB}

_SETTING = frozenset({PhraseKind.DO, PhraseKind.TOWARD})
"""What else shows that a setting is meant: "do it", "to dark mode"."""


class Aim(StrEnum):
    """What a user wants of a topic."""

    TELL = "tell"
    HOW = "how"
    CHANGE = "change"


@dataclass(frozen=True, slots=True, kw_only=True)
class AboutRequest:
    """A recognised request.

    Attributes:
        topic: the name of its topic.
        aim: what the user wants.
        value: the value to set, as in the settings file or ``true`` or ``false``; empty for none.
        step: ``1`` or ``-1`` to raise or lower a number; 0 for none.
    """

    topic: str
    aim: Aim
    value: str = ""
    step: int = 0


def about_request(text: str, index: HelpIndex) -> AboutRequest | None:
    """The request in a text; ``None`` for none, and where the readings of the text differ."""
    if not 0 < len(text) <= _LONGEST:
        return None
    asked = is_question(text)
    found = {_meant(pieces, index, asked=asked) for pieces in index.lexicon.readings(text)} - {None}
    return found.pop() if len(found) == 1 else None


def topic_near(text: str, index: HelpIndex) -> str:
    """The topic of which a text certainly speaks, though it is not understood; empty for none, and for two.

    A topic is certain by words that can only mean Sori, or beside "you", where also what is done with it must be said
    if its words are common. Topics of which that is said go before those that are only named.
    """
    if len(text) > _LONGEST_NEAR:
        return ""
    lexicon = index.lexicon
    anchored = lexicon.speaks_to_sori(text)
    sure: set[str] = set()
    done: set[str] = set()
    for each in lexicon.named(text):
        topic = index.topics[each.topic]
        acted = lexicon.has_verb(text, topic.verbs)
        own = each.sure is Sure.OWN and (anchored or topic.setting is None)
        if own or (anchored and each.sure in (Sure.ACTED, Sure.YOURS) and (acted or not topic.generic)):
            (done if acted else sure).add(topic.name)
    found = done or sure
    return found.pop() if len(found) == 1 else ""


def _meant(pieces: Sequence[Phrase], index: HelpIndex, *, asked: bool) -> AboutRequest | None:
    kinds = {each.kind for each in pieces}
    if pieces[0].kind in (PhraseKind.PARTICLE, PhraseKind.TOWARD, PhraseKind.END):
        return None
    names = {each.topic for each in pieces if each.topic}
    if not names and PhraseKind.SETTINGS in kinds:
        names = {SETTINGS}
    if len(names) != 1:
        return None
    topic = index.topics[names.pop()]
    if not {each.text for each in pieces if each.kind is PhraseKind.VERB} <= topic.verbs:
        return None
    request = _of_fact(topic, kinds, asked=asked) if topic.setting is None else _of_setting(topic, pieces, kinds)
    return request if request is not None and _is_sure(request, topic, pieces, kinds) else None


def _of_setting(topic: Topic, pieces: Sequence[Phrase], kinds: set[PhraseKind]) -> AboutRequest | None:
    wanted = _wanted(topic, pieces, kinds)
    if wanted is None or (PhraseKind.AMOUNT in kinds and not _is_number(topic)):
        return None
    value, step = wanted
    if kinds & {PhraseKind.HOW, PhraseKind.WISH, PhraseKind.CAN}:
        return AboutRequest(topic=topic.name, aim=Aim.HOW)
    if kinds & {PhraseKind.WHAT, PhraseKind.AMOUNT, PhraseKind.ASKED}:
        return AboutRequest(topic=topic.name, aim=Aim.TELL)
    if value or step:
        ordered = kinds & _NOW or step or PhraseKind.TOWARD in kinds
        return AboutRequest(topic=topic.name, aim=Aim.CHANGE, value=value, step=step) if ordered else None
    if kinds & {
        PhraseKind.PLEASE,
        PhraseKind.POLITE,
        PhraseKind.CHANGE,
        PhraseKind.CHANGE_NOW,
        PhraseKind.VERB,
        PhraseKind.SETTINGS,
    }:
        return AboutRequest(topic=topic.name, aim=Aim.HOW)
    return None


def _wanted(topic: Topic, pieces: Sequence[Phrase], kinds: set[PhraseKind]) -> tuple[str, int] | None:
    """The value and the step that are named, empty and 0 for none; ``None`` if they make no sense together."""
    values = {each.value for each in pieces if each.kind is PhraseKind.VALUE}
    steps = {int(each.value) for each in pieces if each.kind is PhraseKind.STEP}
    on, off = bool(kinds & _ON), bool(kinds & _OFF)
    if len(values) + len(steps) > 1 or (on and off) or (steps and (on or off)):
        return None
    value, step = next(iter(values), ""), next(iter(steps), 0)
    if off and value:
        value = topic.without.get(value, "")
        return (value, step) if value else None
    if (on or off) and not value:
        if topic.setting is None or topic.setting.kind is not Form.FLAG:
            return None
        value = "true" if on else "false"
    return value, step


def _is_number(topic: Topic) -> bool:
    return topic.setting is not None and topic.setting.kind in (Form.NUMBER, Form.WHOLE)


def _of_fact(topic: Topic, kinds: set[PhraseKind], *, asked: bool) -> AboutRequest | None:
    switched = kinds & (_ON | _OFF) and PhraseKind.HOW not in kinds  # How a thing is turned on is a question about it.
    if (
        switched
        or kinds & {PhraseKind.STEP, PhraseKind.VALUE}
        or (kinds & {PhraseKind.CHANGE, PhraseKind.CHANGE_NOW} and topic.verbs and topic.name != SETTINGS)
    ):
        return None
    forms = set()
    if kinds & {PhraseKind.HOW, PhraseKind.WISH}:
        forms.add("how")
    elif PhraseKind.WHAT in kinds:  # "Tell me how" asks how.
        forms.add("what")
    if PhraseKind.AMOUNT in kinds:
        forms |= {"what", "amount"}
    elif kinds & {PhraseKind.CAN, PhraseKind.ASKED} and not kinds & {PhraseKind.POLITE, PhraseKind.PLEASE}:
        forms.add("able")  # What asks "can you, please" may be meant to be done, which a tool may do.
    asking = kinds & {PhraseKind.CAN, PhraseKind.ASKED, PhraseKind.POLITE} and PhraseKind.AMOUNT not in kinds
    if asking or (asked and not forms):
        forms.add("can")
    if not forms:
        forms.add("order" if kinds & (_NOW | {PhraseKind.VERB}) else "bare")
    if not forms & topic.forms:
        return None
    return AboutRequest(topic=topic.name, aim=Aim.CHANGE if topic.name == UNDO_TOPIC else Aim.TELL)


def _is_sure(request: AboutRequest, topic: Topic, pieces: Sequence[Phrase], kinds: set[PhraseKind]) -> bool:
    """Whether the request can only be about Sori."""
    if topic.name == SETTINGS:
        return bool(kinds & (_ACTING | {PhraseKind.HOW}))
    if topic.setting is None and kinds & (_ON | _OFF):  # Only some facts are switched, and their own words say so.
        return any(each.sure is Sure.OWN for each in pieces)
    anchored = bool(kinds & {PhraseKind.YOU, PhraseKind.SETTINGS, PhraseKind.ASKED, PhraseKind.POLITE})
    anchored = anchored or any(each.kind is PhraseKind.VERB and each.text.endswith(" you") for each in pieces)
    acting = bool(kinds & _ACTING)
    if topic.setting is not None:
        acting = acting or bool(kinds & _SETTING) or (PhraseKind.VALUE in kinds and PhraseKind.PLEASE in kinds)
    steps = {each.text for each in pieces if each.kind is PhraseKind.STEP}
    ordered = request.aim is Aim.CHANGE and (not topic.ordered_steps or steps <= topic.ordered_steps)
    sure = {
        Sure.OWN: True,
        Sure.ACTED: anchored or acting,
        Sure.ORDERED: ordered,
        Sure.YOURS: anchored,
        Sure.DEFINED: PhraseKind.WHAT in kinds and not acting,
        Sure.TITLED: PhraseKind.SETTINGS in kinds,
    }
    return any(sure[each.sure] for each in pieces if each.sure is not None)
