"""Whether English words can form a whole sentence, decided by closed word classes and a few patterns.

In English some words require a following word: a determiner its noun, a preposition its object, an auxiliary its verb,
a transitive verb its object, an adjective after a determiner its noun. In questions with *what*, *who* and similar
words the object stands at the front, so a verb or a preposition may come last (*where are you from*). The classes
follow Quirk and others, "A Comprehensive Grammar of the English Language" (1985), as far as spoken requests use them.
"""

import re
from collections.abc import Callable, Sequence
from typing import Final

from assistant.speech.text.vocabulary import words

CERTAIN: Final = 0.95
FINISHED: Final = 0.8
UNSURE: Final = 0.5
UNFINISHED: Final = 0.15

_Rule = Callable[[Sequence[str]], float | None]

_ANSWERS: Final = words(
    """yes no yeah yep nope okay ok sure stop cancel continue thanks hello hi hey bye goodbye help pause resume next
    again please never right exactly correct wait quiet louder quieter skip"""
)
_FILLERS: Final = words("um umm uh uhh er erm hmm hm mm like ah eh well so")
_CLOSING_FILLERS: Final = words("so well")
"""Fillers that can also end a sentence: *I don't think so*, *he sings well*."""

_CLOSING_WITH_SO: Final = frozenset(
    {("think", "so"), ("hope", "so"), ("guess", "so"), ("believe", "so"), ("say", "so")}
)

_DETERMINERS: Final = words("the a an my your his its our their every each no whose")
_CONJUNCTIONS: Final = words(
    """and but or nor because since although though if unless until till while whereas that than as whether when
    where why how which who also then maybe plus"""
)
_CLOSING_CONJUNCTIONS: Final = words("then that though since where when why how who which")
"""Conjunctions that are also pronouns or adverbs and may end a sentence: *what is that*, *I wonder why*."""
_BEFORE_THAT: Final = words(
    """cancel stop repeat undo redo skip play pause delete remove close open save do fix forget read translate change
    what's who's where's how's"""
)
"""Words after which *that* is an object or a subject: *cancel that*. After others a clause may follow: *say that*."""
_PREPOSITIONS: Final = words(
    """of to for from with without at by into onto about between during against through toward towards upon near
    behind under per via among beside"""
)
_PARTICLES: Final = words("on off in up down out over back away around")
_PHRASAL_VERBS: Final = words(
    """turn switch put shut get wake log sign pick take bring hang slow speed bring go come look call set write clean
    move hold drop throw give keep carry calm sit stand lie"""
)
_AUXILIARIES: Final = words(
    """is are was were am be been being do does did has had will would can could should shall may might must don't
    doesn't didn't isn't aren't wasn't won't can't couldn't shouldn't wouldn't i'm you're we're they're it's i'd i'll
    i've he's she's that's there's let's what's who's where's how's when's we'll you'll gonna wanna"""
)
_LINKING: Final = words("gets becomes seems")
_COMPARING: Final = words("than as")
_CONTRACTIONS: Final = frozenset(
    word for word in _AUXILIARIES if word.endswith(("'m", "'re", "'s", "'d", "'ll", "'ve"))
)
_DO_SUPPORT: Final = words("do does did can could will would should may might must shall")
_SUBJECTS: Final = words("i we they he she")
_QUESTION_WORDS: Final = words("what who whom whose which where when why how what's who's where's how's when's")
_OBJECT_QUESTIONS: Final = words("what who whom which whose many much")
_TRANSITIVE: Final = words(
    """have get set make put send find tell give remind buy need want add bring mean let take turn switch create
    schedule show use keep translate recommend include wants needs"""
)
_PERHAPS_TRANSITIVE: Final = words("play open close read write order call book search check see like love know")
_DITRANSITIVE: Final = words(
    "tell show give get remind find send bring let read play make buy wake ask order teach offer lend"
)
_OBJECTS: Final = words("me us him her them")
_ORDERING: Final = words("get have make give bring order like want need take grab buy pour brew fix serve add")
"""Verbs by which people ask for things."""
_ASKING: Final = words("i we you please to i'd we'd i'll we'll just also")
"""Words before such a verb, which may also be the first word: *can I get*, *please make*, *I'd like*."""
_UNSPECIFIED: Final = words("a an another some")
"""Words that begin what is asked for, besides numbers."""
_DONE: Final = words("now today tonight instead here there first soon that this")
"""Last words of one syllable after which an order is seldom extended."""
_INTENSIFIERS: Final = words("very quite rather extremely absolutely pretty really too most least even just only")
_CLOSING_INTENSIFIERS: Final = words("too really most least")
_ADJECTIVES: Final = words(
    """big small large medium little tiny huge long short tall high low deep wide narrow thick thin heavy light bright
    dark loud quiet soft hard fast slow quick early late new old young modern good bad best worst better nice great
    lovely fresh hot cold warm cool iced dry wet clean dirty full empty free cheap expensive easy difficult simple
    important different same similar other another main whole entire certain special particular favourite favorite
    nearest closest next last first second third previous following final latest newest oldest biggest smallest
    cheapest fastest shortest longest double single triple half local nearby daily weekly monthly public private
    personal red blue green yellow white black brown grey gray pink purple orange golden silver korean english french
    german italian chinese japanese spanish indian american british european upper lower left right front middle
    electric digital online washing living dining romantic funny happy sad gentle spicy sweet sour vegetarian vegan"""
)
_NOUNS_TOO: Final = words(
    """light second half red blue green yellow white black brown grey gray pink purple orange korean english french
    german chinese japanese spanish left right middle front next last first third same best worst latest other another
    favourite favorite"""
)
"""Adjectives that can also follow a determiner without a noun: *turn off the light*, *play the next*."""
_BEFORE_NAMES: Final = words("new south north west east")
"""First words of names: *New Zealand*."""
_ADJECTIVE_ENDINGS: Final = re.compile(r"(?:[^o]ous|[^f]ful|less|iest)$")
_PLACING: Final = words("put place turn switch")
_WANTS_DETAILS: Final = {
    "set": words("timer alarm reminder volume temperature brightness thermostat"),
    "send": words("message email mail text"),
    "book": words("table room flight ticket hotel"),
    "write": words("email message letter mail"),
    "start": words("timer"),
}
"""Requests that usually continue with a duration, a recipient or a time."""
_USUALLY_GO_ON: Final = frozenset({("a", "bit"), ("a", "little"), ("me", "up")})
_NUMBERS: Final = words(
    """one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand half quarter"""
)
_OPENING: Final = words("if because unless although though while once whenever")
_SHORT_CLAUSE: Final = 6
"""An *if* clause together with its main clause has more words than this."""
_VERBS: Final = words(
    """add ask answer arrange avoid be become begin believe book boil brighten bring build buy calculate call cancel
    change charge check choose clean close come compare connect continue convert cook cost count create cut decrease
    define delete describe dim do download draw drink drive eat email end explain fall feel fetch find finish fix fly
    follow forget get give go happen have hear help hold increase keep know learn leave let like listen live lock look
    lose love lower make mean measure meet message move mute need open order pause pay pick play point pour
    prepare press print put raise read recommend record remember remind remove repeat reply reset restart resume ring
    run save say schedule search see sell send set share show shut sing sit skip sleep snooze sound speak spell stand
    start stay stop suggest sync take talk taste teach tell text thank think throw translate travel try turn type
    understand unlock update use visit wait wake walk want warm wash watch wear wish work write rain snow take takes
    goes comes means costs needs wants says likes gives makes works happens wrote said went came made gave got took
    told found thought knew saw left felt met bought sent ran called asked wanted needed looked liked played turned
    started stopped happened rained closes opens starts ends rains snows has have had sounds looks feels"""
)
_VOWELS: Final = re.compile(r"[aeiouy]+")
_NUMERAL: Final = re.compile(r"\d[\d.,:]*(?:am|pm|st|nd|rd|th|%)?$")


def english_completeness(said: Sequence[str]) -> float:
    """How complete the words look. ``said`` is not empty, in lower case and without punctuation."""
    words_said = tuple(said)
    for rule in _RULES:
        if (value := rule(words_said)) is not None:
            return value
    return FINISHED


def begins_sentence(said: Sequence[str]) -> bool:
    """Whether the words begin like a sentence: with a question word, an auxiliary, a subject or an imperative."""
    opening = _QUESTION_WORDS | _AUXILIARIES | _SUBJECTS | _ANSWERS | _FILLERS | _TRANSITIVE | _VERBS | {"you", "it"}
    return len(said) > 1 and said[0] in opening


def _single_word(said: Sequence[str]) -> float | None:
    if len(said) > 1:
        return None
    if said[0] in _ANSWERS:
        return CERTAIN
    return None if _opens(said[0]) else UNSURE


def _opens(word: str) -> bool:
    """Whether this word always requires a following word."""
    closed = (_FILLERS, _DETERMINERS, _CONJUNCTIONS, _PREPOSITIONS, _AUXILIARIES, _SUBJECTS, _TRANSITIVE)
    return any(word in each for each in closed)


def _set_phrase(said: Sequence[str]) -> float | None:
    if tuple(said[-2:]) in {("thank", "you"), ("good", "morning"), ("good", "night")} and len(said) <= 3:
        return CERTAIN
    return FINISHED if said[-1] == "please" else None


def _filler(said: Sequence[str]) -> float | None:
    if said[-1] not in _FILLERS:
        return None
    if tuple(said[-2:]) in _CLOSING_WITH_SO or (said[-1] == "like" and _fronted(said)):
        return FINISHED
    closes = said[-1] in _CLOSING_FILLERS and len(said) > 2
    return UNSURE if closes else UNFINISHED


def _determiner(said: Sequence[str]) -> float | None:
    return UNFINISHED if said[-1] in _DETERMINERS else None


def _conjunction(said: Sequence[str]) -> float | None:
    if said[-1] not in _CONJUNCTIONS:
        return None
    if said[-1] == "that" and _points(said):
        return FINISHED
    return UNSURE if said[-1] in _CLOSING_CONJUNCTIONS and len(said) > 2 else UNFINISHED


def _points(said: Sequence[str]) -> bool:
    """Whether the *that* at the end is an object or a subject: *cancel that*, *what was that*."""
    before = said[-2] if len(said) > 1 else ""
    return before in _BEFORE_THAT or (before in ("is", "was") and _fronted(said))


def _preposition(said: Sequence[str]) -> float | None:
    if said[-1] not in _PREPOSITIONS:
        return None
    return UNSURE if _fronted(said) else UNFINISHED


def _particle(said: Sequence[str]) -> float | None:
    if said[-1] not in _PARTICLES:
        return None
    phrasal = any(word in _PHRASAL_VERBS for word in said[:-2])
    return FINISHED if phrasal else UNSURE


def _question_of_two(said: Sequence[str]) -> float | None:
    """*Can I*, *is it*: the beginning of a question."""
    return UNFINISHED if len(said) == 2 and said[0] in _AUXILIARIES - _CONTRACTIONS else None


def _subject(said: Sequence[str]) -> float | None:
    if said[-1] not in _SUBJECTS:
        return None
    return FINISHED if _fronted(said) and said[-2] in _AUXILIARIES else UNFINISHED


def _pronoun(said: Sequence[str]) -> float | None:
    """*How long it*, *if you*: a clause that has only its subject so far."""
    if said[-1] not in ("it", "you"):
        return None
    how_much = said[-3:-2] == ("how",) and said[-2] not in _AUXILIARIES
    introduced = how_much or said[-2] in (_QUESTION_WORDS | _CONJUNCTIONS) - _COMPARING
    return UNFINISHED if introduced else None


def _auxiliary(said: Sequence[str]) -> float | None:
    if said[-1] not in _AUXILIARIES | _LINKING:
        return None
    if said[-1] in _CONTRACTIONS | _LINKING:
        return UNFINISHED
    if len(said) in (2, 3) and said[-2] in _SUBJECTS:
        # "Yes, I do" is complete; "I do" alone is not.
        return FINISHED if said[0] in _ANSWERS else UNFINISHED
    return FINISHED if _fronted(said) and _has_subject(said) else UNFINISHED


def _has_subject(said: Sequence[str]) -> bool:
    """Whether a subject follows the question word before the last word: *what time it is*, not *what time is*."""
    start = next(place for place, word in enumerate(said) if word in _QUESTION_WORDS)
    return any(
        word in _SUBJECTS | _DETERMINERS or word in ("it", "you", "that", "this") for word in said[start + 1 : -1]
    )


def _demonstrative(said: Sequence[str]) -> float | None:
    """*In this*, *for some*: the word may stand alone or before a noun."""
    before = len(said) > 1 and said[-2] in _PREPOSITIONS | _PARTICLES
    return UNSURE if before and said[-1] in words("this that these those some any all more both") else None


def _possessive(said: Sequence[str]) -> float | None:
    return UNFINISHED if said[-1].endswith(("'s", "s'")) else None


def _transitive_verb(said: Sequence[str]) -> float | None:
    if said[-1] not in _TRANSITIVE | _PERHAPS_TRANSITIVE or not _verb_place(said):
        return None
    if any(word in _OBJECT_QUESTIONS for word in said[:-2]):
        return FINISHED
    return UNFINISHED if said[-1] in _TRANSITIVE else UNSURE


def _verb_place(said: Sequence[str]) -> bool:
    """Whether the last word is in a verb position: *set* in *please set*, not in *the chess set*."""
    before = said[-2:-1]
    return not before or before[0] in _SUBJECTS | _AUXILIARIES | words("to please you and it not also just that's")


def _wants_second_object(said: Sequence[str]) -> float | None:
    if len(said) < 2 or said[-1] not in _OBJECTS or said[-2] not in _DITRANSITIVE:
        return None
    return UNSURE if _fronted(said) else UNFINISHED


def _adjective(said: Sequence[str]) -> float | None:
    """*A medium double*: one or more adjectives after a determiner."""
    if not _is_adjective(said[-1]):
        return None
    if said[-1] in _BEFORE_NAMES:
        return UNFINISHED
    before = len(said) - 2
    while before >= 0 and _is_adjective(said[before]):
        before -= 1
    if before < 0 or said[before] not in _DETERMINERS:
        return None
    return UNSURE if said[-1] in _NOUNS_TOO and said[before] in words("the my your") else UNFINISHED


def _is_adjective(word: str) -> bool:
    return word in _ADJECTIVES or _ADJECTIVE_ENDINGS.search(word) is not None


def _intensifier(said: Sequence[str]) -> float | None:
    if said[-1] not in _INTENSIFIERS:
        return None
    return UNSURE if said[-1] in _CLOSING_INTENSIFIERS else UNFINISHED


def _number(said: Sequence[str]) -> float | None:
    """*In twenty*: the unit, such as minutes or hours, is missing."""
    if said[-1] not in _NUMBERS and not _NUMERAL.match(said[-1]):
        return None
    return UNSURE if said[-2] in words("for in after every") else None


def _clause_without_main(said: Sequence[str]) -> float | None:
    return UNFINISHED if said[0] in _OPENING and len(said) <= _SHORT_CLAUSE else None


def _asks_without_verb(said: Sequence[str]) -> float | None:
    """*What time does the supermarket*: after *does*, a verb must follow."""
    for place, word in enumerate(said[:-1]):
        if word in _DO_SUPPORT and place <= 4:
            imperative = place == 0 and said[1] in _DETERMINERS and word == "do"
            complete = imperative or any(_is_verb(each) for each in said[place + 1 :])
            return None if complete else UNSURE
    return None


def _usually_goes_on(said: Sequence[str]) -> float | None:
    place = next((index for index, word in enumerate(said) if word in _VERBS), None)
    if place is None:
        return None
    verb, rest = said[place], said[place + 1 :]
    if verb in _PLACING and rest and not any(word in _PREPOSITIONS | _PARTICLES for word in rest):
        return UNFINISHED
    if tuple(said[-2:]) in _USUALLY_GO_ON or (verb == "make" and rest[:1] == ("the",) and len(rest) == 2):
        return UNSURE
    return UNSURE if rest and rest[-1] in _WANTS_DETAILS.get(verb, ()) else None


def _measure(said: Sequence[str]) -> float | None:
    """*A sixteen ounce*, *a ten minute*: a number and a unit in the singular stand before a noun."""
    article, number, unit = ("", "", *said)[-3:]
    counted = number in _NUMBERS - {"one", "half", "quarter"} or _NUMERAL.match(number)
    return UNFINISHED if article in ("a", "an") and counted and not unit.endswith("s") else None


def _order(said: Sequence[str]) -> float | None:
    """*Can I get a light roast*: after a noun of one syllable that is already described, another may follow (*coffee*).

    Short nouns are the general ones, which people specify further; the first noun of a compound is singular. A long
    noun (*cappuccino*) mostly closes its phrase.
    """
    place = next((index for index, word in enumerate(said) if word in _ORDERING), None)
    if place is None or (place > 0 and said[place - 1] not in _ASKING) or said[0] in ("do", "did", "does"):
        return None
    rest = said[place + 1 :]
    rest = rest[1:] if rest[:1] and rest[0] in _OBJECTS else rest
    if len(rest) < 3 or not (rest[0] in _UNSPECIFIED | _NUMBERS or _NUMERAL.match(rest[0])):
        return None
    specified = any(word in (_PREPOSITIONS | _PARTICLES | _CONJUNCTIONS) - {"of"} for word in rest)
    closed = specified or rest[-1] in _DONE | _VERBS or rest[-1].endswith("s")
    return None if closed or not _is_short(rest[-1]) else UNSURE


def _is_short(word: str) -> bool:
    """Whether a word has one syllable, in its spelling: an *e* at the end is silent."""
    return len(_VOWELS.findall(word.removesuffix("e"))) <= 1


def _without_verb(said: Sequence[str]) -> float | None:
    known = any(_is_verb(word) or word in _AUXILIARIES or word in _QUESTION_WORDS for word in said)
    return None if known else UNSURE


def _is_verb(word: str) -> bool:
    return word in _VERBS or word in _TRANSITIVE or (len(word) > 4 and word.endswith(("ed", "ing")))


def _fronted(said: Sequence[str]) -> bool:
    """Whether a question word stands before the last two words, so that the end may refer to it."""
    return any(word in _QUESTION_WORDS for word in said[:-2])


_RULES: Final[tuple[_Rule, ...]] = (
    _single_word,
    _set_phrase,
    _filler,
    _determiner,
    _conjunction,
    _preposition,
    _particle,
    _question_of_two,
    _subject,
    _pronoun,
    _auxiliary,
    _demonstrative,
    _possessive,
    _transitive_verb,
    _wants_second_object,
    _adjective,
    _intensifier,
    _number,
    _measure,
    _clause_without_main,
    _asks_without_verb,
    _usually_goes_on,
    _order,
    _without_verb,
)
"""The first rule that returns a value decides. If no rule returns one, the words count as a finished sentence."""
