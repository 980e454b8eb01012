"""The enrolments of the wake phrases: by the user, and by Sori's own voices (V-06)."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from assistant.agent.workspaces.directory import Workspaces
from assistant.core.records.agents import AgentId
from assistant.speech.text.names.calls import called
from assistant.speech.text.names.enrolment import enrolled
from assistant.speech.text.names.evidence import RULES, Enroller, applies, doubtful, near_enough, undecided, unlike
from assistant.speech.text.names.likelihood import CERTAIN

if TYPE_CHECKING:  # They import numpy, which a conversation in writing does not need.
    from assistant.speech.stt.recognizer import Weighed
    from assistant.speech.wake.likeness import Steps
    from assistant.speech.wake.own_words import OwnWords


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EnrolledWords:
    """The enrolled words of one wake phrase.

    Attributes:
        phrase: the wake phrase.
        enroller: who enrolled it.
        takes: the words.
        limit: the greatest distance of a call by the words themselves.
        only: whether nothing else than the phrase and these words is known of how agents of this name are called.
    """

    phrase: str
    enroller: Enroller
    takes: "Sequence[Steps]"
    limit: float = float("inf")
    only: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What enrolled words tell of a sound.

    Attributes:
        resembling: the undecided wake phrases whose words are in it.
        unlike: the doubtful wake phrases whose words are not in it, so that they are not called.
    """

    resembling: Collection[str] = frozenset()
    unlike: Collection[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Enrolments:
    """All enrolments.

    Attributes:
        words: the enrolled words.
        own: the spellings that Sori's voices add to the wake phrase of an agent: the agent, the phrase, the spellings.
    """

    words: Sequence[EnrolledWords] = ()
    own: Sequence[tuple[AgentId, str, Sequence[str]]] = field(default_factory=tuple)

    def spellings(self, language: str) -> tuple[tuple[AgentId, str], ...]:
        """The further spellings for an onset that is read in ``language``."""
        counting = (each for each in self.own if applies(Enroller.SORI, each[1], language))
        return tuple((agent, spelling) for agent, _, spellings in counting for spelling in spellings)

    def least(self, language: str) -> float:
        """How well a wake phrase must fit an onset that is read in ``language``, so that it may be called."""
        return min((RULES[each.enroller].least for each in self._counting(language)), default=CERTAIN)

    def undecided(self, weighed: "Weighed") -> bool:
        """Whether enrolled words decide if a sound calls an agent."""
        return any(self._open(weighed))

    def compare(self, heard: "Steps", weighed: "Weighed") -> Comparison:
        """What the enrolled words tell of a sound."""
        from assistant.speech.wake.likeness import nearest

        @cache
        def distance(each: EnrolledWords) -> float:
            return nearest(each.takes, heard)

        language = weighed.transcript.language
        resembling = (
            each.phrase
            for each in self._open(weighed)
            if distance(each) <= each.limit
            and near_enough(each.enroller, distance(each), self._others(each, language, distance))
        )
        far = (each.phrase for each in self._doubting(weighed) if unlike(each.enroller, distance(each)))
        return Comparison(resembling=frozenset(resembling), unlike=frozenset(far))

    def doubts(self, phrase: str, weighed: "Weighed") -> bool:
        """Whether enrolled words decide about a wake phrase that was found without them."""
        return any(each.phrase == phrase for each in self._doubting(weighed))

    def _doubting(self, weighed: "Weighed") -> Collection[EnrolledWords]:
        counting = self._counting(weighed.transcript.language)
        fits = weighed.fits
        return [each for each in counting if each.only and doubtful(each.enroller, fits.get(each.phrase, 0.0))]

    def _others(self, name: EnrolledWords, language: str, distance: Callable[[EnrolledWords], float]) -> float:
        """How near the words of other names are, as far as that matters."""
        if RULES[name.enroller].nearer == float("inf"):
            return float("inf")
        others = (each for each in self._counting(language) if each.phrase != name.phrase)
        return min(map(distance, others), default=float("inf"))

    def _counting(self, language: str) -> Collection[EnrolledWords]:
        return [each for each in self.words if applies(each.enroller, each.phrase, language)]

    def _open(self, weighed: "Weighed") -> Collection[EnrolledWords]:
        counting = self._counting(weighed.transcript.language)
        return [each for each in counting if undecided(each.enroller, weighed.fits.get(each.phrase, float("-inf")))]


def read_enrolments(workspaces: Workspaces, phrases: Sequence[tuple[AgentId, str]]) -> Enrolments:
    """Read the enrolments of agents from their folders, which uses the disk.

    Args:
        workspaces: has the agents.
        phrases: the agents and their wake phrases; of several ones of an agent, the first is its name.
    """
    names = dict(reversed(phrases))
    named = {agent: [phrase for owner, phrase in phrases if owner == agent] for agent in names}
    by_users = {agent: _by_user(workspaces.wake_sound(agent), known) for agent, known in named.items()}
    # Agents of different workspaces may have the same name.
    otherwise_known = {names[agent] for agent in names if by_users[agent] or len(named[agent]) > 1}
    words: list[EnrolledWords] = []
    own: list[tuple[AgentId, str, Sequence[str]]] = []
    for agent, name in reversed(names.items()):
        words += by_users[agent]
        if (known := own_words_in(workspaces.own_words(agent))) is not None and known.phrase == name:
            only = name not in otherwise_known
            words.append(EnrolledWords(phrase=name, enroller=Enroller.SORI, takes=known.takes, only=only))
            others = tuple(phrase for owner, phrase in phrases if owner != agent)
            own.append((agent, name, _spellings(name, known.heard, others)))
    return Enrolments(words=words, own=own)


def own_words_in(content: bytes) -> "OwnWords | None":
    """The words in a file of Sori's own voices; ``None`` for anything else."""
    if not content:
        return None
    from assistant.speech.wake.own_words import unpacked

    return unpacked(content)


def heard_as(heard: Iterable[str], others: Iterable[str]) -> tuple[str, ...]:
    """The wake phrases of other agents that the recogniser heard when Sori's voices said a name."""
    texts = tuple(heard)
    return tuple(each for each in others if any(called(text, each) is not None for text in texts))


def _by_user(content: bytes, phrases: Collection[str]) -> list[EnrolledWords]:
    if not content:
        return []
    from assistant.speech.wake.likeness import unpacked

    sound = unpacked(content)
    if sound is None or sound.phrase not in phrases:
        return []
    return [EnrolledWords(phrase=sound.phrase, enroller=Enroller.USER, takes=sound.takes, limit=sound.limit)]


@lru_cache(maxsize=64)
def _spellings(phrase: str, heard: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    """The spellings that are neither common words nor like the name of another agent."""
    return enrolled(phrase, heard, others).spellings
