"""Splitting of a text stream into the pieces that are synthesised one by one (V-13).

The first piece is cut at the earliest usable clause, so that speech starts while the model is still generating. A
discourse marker before a comma ("네,") is a piece of its own. Later pieces are whole sentences, because a voice needs
the sentence for its intonation. The pieces depend on the text alone, not on the sizes of the deltas, and nothing is
lost except the space between pieces. If the model writes so slowly that the listener waits, ``hurry`` lets the next
piece end at a phrase.
"""

import re
from typing import Final

from assistant.speech.text.code_blocks import CodeLines
from assistant.speech.text.language import is_hangul
from assistant.speech.text.phrases import ends_phrase, is_within_verb
from assistant.speech.text.stops import STOPS, after_closers, breaks_line, ends_sentence
from assistant.speech.text.vocabulary import words

HANGUL_WEIGHT: Final = 3
"""A Hangul syllable takes about as long to say as three Latin letters. Weights are counted in Latin letters."""
FIRST_AT_COMMA: Final = 15
"""Minimum weight of a first piece that ends at a comma: about 0.8 s of speech, enough to synthesise the next piece."""
DISCOURSE_MARKERS: Final = words(
    "네 예 아 음 그럼 그럼요 물론 물론이죠 물론이에요 좋아요 좋습니다 알겠어요 알겠습니다 맞아요 아니요 "
    "sure yes yeah no ok okay alright well oh right certainly absolutely"
)
"""Words before a comma that begin an answer. Said alone they take half a second, in which the next piece is
synthesised; so an answer sounds 0.2 to 0.4 s earlier."""
HURRIED_AT_COMMA: Final = 7
"""Minimum weight of a piece that ends at a comma while the listener waits ("I'm sorry,")."""
HURRIED_AT_PHRASE: Final = 15
"""Minimum weight of a piece that ends at a phrase while the listener waits: about 0.8 s of speech."""
FIRST_AT_CLAUSE: Final = 27
"""Minimum weight of a first piece that ends at a connective without a comma."""
LATER_AT_CLAUSE: Final = 300
"""From this weight (about 20 s of speech) later pieces are also cut at clauses."""
FIRST_ANYWHERE: Final = 120
"""From this weight (about 7 s of speech) the first piece is cut at any space, so that the wait has a limit."""
ANYWHERE: Final = 600
"""From this weight a later piece is cut at any space."""
NESTED_CHARACTERS: Final = 160
"""Inside quotes and brackets the text is not cut until they have been open for this many characters."""

_OPENERS: Final = frozenset("([{“「『（【《〈")
_CLOSERS: Final = frozenset(")]}”」』）】》〉")
_COMMAS: Final = frozenset(",，、;:")
_WHOLE_LINES: Final = ("|", "    ", "\t")
"""Beginnings of lines that are converted as a whole: rows of tables, and code."""
_CONNECTIVE: Final = re.compile(
    r"\S(?:고|며|면서|는데|은데|지만|니까|려고|도록|어도|아도|해도|거나|[아어해라]서|으면|하면|다면)$"
)
_CONJUNCTIONS: Final = words("and but because so which while where although unless until")


def weight_of(text: str) -> int:
    """How long a text takes to say, in Latin letters."""
    return sum(HANGUL_WEIGHT if is_hangul(letter) else 1 for letter in text if letter.isalnum())


def _is_marker(text: str) -> bool:
    """Whether a text is a discourse marker, possibly with a comma."""
    return text.strip(" ,，、").casefold() in DISCOURSE_MARKERS


class SentenceChunker:
    """Takes the deltas of a text stream and returns the pieces that can be spoken.

    Args:
        first: the first piece, if an earlier reading of the same stream has cut it; empty otherwise.
        markers: whether a discourse marker at the beginning is a piece of its own. After it, a slow model would let the
            listener wait again.
    """

    def __init__(self, first: str = "", *, markers: bool = True) -> None:
        self._known = first
        self._markers = markers
        self._hurried = False
        self._restart()

    def feed(self, delta: str) -> list[str]:
        """Take the next delta; return the pieces that are now complete, stripped and not empty."""
        self._text += delta
        self._waiting += weight_of(delta)
        return [*self._cut_known(), *self._cut(final=False)]

    def hurry(self) -> list[str]:
        """Let the next piece end at a phrase or an early comma, because the listener waits; return it if it is there.

        A cut ends the hurry. Nothing is cut earlier in code, in a row of a table, or where the text has several lines.
        """
        line = self._text.lstrip("\n")
        if self._hurried or self._code_lines.inside or "\n" in line or line.startswith(_WHOLE_LINES):
            return []
        self._hurried = True
        self._begin()
        return self._cut(final=False)

    @property
    def at_beginning(self) -> bool:
        """Whether there was no piece yet, except discourse markers."""
        return self._first

    @property
    def waiting_weight(self) -> int:
        """Weight of the text that belongs to no piece yet."""
        return self._waiting

    def flush(self) -> list[str]:
        """End the stream: return the remaining pieces and reset."""
        pieces = [*self._cut_known(), *self._cut(final=True)]
        if rest := self._stripped(self._text):
            pieces.append(rest)
        self._restart()
        return pieces

    def _restart(self) -> None:
        self._text = ""
        self._waiting = 0
        self._first = True
        self._hurried = False
        self._code_lines = CodeLines()
        self._line = ""
        """The part of the current line that was already returned."""
        self._line_begins = True
        self._begin()

    def _begin(self) -> None:
        """Start a new piece at the beginning of the text."""
        self._at = 0
        self._line_start = 0
        self._weight = 0
        self._in_code = False
        """Whether the piece is code so far."""
        self._opened: list[int] = []
        self._quote = -1
        self._code = -1

    def _cut_known(self) -> list[str]:
        """The known first piece, as soon as the text has it."""
        known, self._known = self._known, ""
        if not known:
            return []
        lead = len(self._text) - len(self._text.lstrip())
        if self._text.startswith(known, lead):
            for line in known.split("\n"):
                self._code_lines.takes(line)
            self._line_begins = False
            return [self._take(lead + len(known))]
        if known.startswith(self._text[lead:]):
            self._known = known
        return []

    def _cut(self, *, final: bool) -> list[str]:
        if self._known and not final:
            return []
        pieces: list[str] = []
        while self._at < len(self._text):
            end = self._step(final=final)
            if end is None:
                break
            if end:
                pieces.append(self._take(end))
        return pieces

    def _take(self, end: int) -> str:
        piece, self._text = self._text[:end], self._text[end:]
        self._waiting -= weight_of(piece)
        self._line = "" if piece.endswith("\n") else self._line_until(end, piece)
        # The piece after a discourse marker is awaited as the first one is.
        self._first = self._first and _is_marker(piece)
        self._hurried = False
        stripped = self._stripped(piece)
        self._begin()
        return stripped

    def _stripped(self, piece: str) -> str:
        """A piece without space around it; code keeps its indentation, which tells that it is code."""
        return piece.rstrip().lstrip("\n") if self._in_code else piece.strip()

    def _line_until(self, end: int, text: str) -> str:
        """The current line up to ``end``, including its part that was already returned."""
        given = self._line if self._line_start == 0 else ""
        return given + text[self._line_start : end]

    def _step(self, *, final: bool) -> int | None:
        """Process one character.

        Returns:
            The end of a piece, 0 when no piece ends here, or ``None`` when more text is needed to decide.
        """
        if self._line_begins:
            return self._begin_line(final=final)
        letter = self._text[self._at]
        if letter == "\n":
            return self._line_break(final=final)
        if letter in STOPS:
            return self._stop(final=final)
        end = self._clause(letter, final=final)
        if end == 0:
            self._pass(letter)
        return end

    def _pass(self, letter: str) -> None:
        """Move to the next character and record what this one opens or closes."""
        if letter in _OPENERS:
            self._opened.append(self._at)
        elif letter in _CLOSERS:
            self._opened = self._opened[:-1]
        elif letter == '"':
            self._quote = self._at if self._quote < 0 else -1
        elif letter == "`":
            self._code = self._at if self._code < 0 else -1
        elif letter.isalnum():
            self._weight += weight_of(letter)
        self._at += 1

    @property
    def _nested(self) -> bool:
        """Whether a quote, a bracket or inline code is open and within its length limit."""
        opened = [*self._opened, *(at for at in (self._quote, self._code) if at >= 0)]
        return any(self._at - at < NESTED_CHARACTERS for at in opened)

    def _begin_line(self, *, final: bool) -> int | None:
        """Pass a line of code, which is never cut, or begin to read any other line."""
        line, newline, _ = self._text[self._at :].partition("\n")
        if not newline and not final and self._code_lines.undecided(line):
            return None
        if self._code_lines.takes(line):
            self._weight = max(1, self._weight)
            self._at += len(line) + len(newline)
            self._line_start = self._at
            self._in_code = True
            return 0
        self._line_begins = False
        return self._at if self._in_code else 0

    def _line_break(self, *, final: bool) -> int | None:
        line = self._line_until(self._at, self._text)
        separates = breaks_line(line, self._text[self._at + 1 :], final=final)
        if separates is None:
            return None
        self._opened, self._quote, self._code = [], -1, -1
        self._at += 1
        self._line_start = self._at
        self._line = ""
        self._line_begins = True
        return self._at if separates and self._weight else 0

    def _stop(self, *, final: bool) -> int | None:
        text, start = self._text, self._at
        end = start
        while end < len(text) and text[end] in STOPS:
            end += 1
        closed = after_closers(text, end)
        if closed == len(text) and not final:
            return None
        line, stop, rest = self._line_until(start, text), text[start:end], text[closed:]
        ends = ends_sentence(line, stop, rest, closed=closed > end, final=final)
        if ends is None:
            return None
        while self._at < closed:
            self._pass(text[self._at])
        return closed if ends and self._weight and not self._nested else 0

    def _clause(self, letter: str, *, final: bool) -> int | None:
        """Whether the piece may end here without a full stop: its end, 0, or ``None`` when more text is needed."""
        if letter in _COMMAS:
            return self._comma(final=final)
        if not letter.isspace() or self._nested:
            return 0
        if self._weight >= (FIRST_ANYWHERE if self._first else ANYWHERE):
            return self._at + 1
        if self._hurried and self._weight >= HURRIED_AT_PHRASE:
            ends = ends_phrase(self._text, self._at, final=final)
            return None if ends is None else (self._at + 1 if ends else 0)
        if self._weight < (FIRST_AT_CLAUSE if self._first else LATER_AT_CLAUSE):
            return 0
        if _CONNECTIVE.search(self._text[max(0, self._at - 8) : self._at]):
            within = is_within_verb(self._text, self._at, final=final)
            return None if within is None else (0 if within else self._at + 1)
        return self._conjunction(final=final)

    def _comma(self, *, final: bool) -> int | None:
        if self._markers and self._first and not self._nested and _is_marker(self._text[: self._at]):
            return self._at + 1  # whatever follows: the listener would wait for it
        following = self._text[self._at + 1 : self._at + 2]
        if not following and not final:
            return None
        if not following.isspace() or self._nested:
            return 0
        least = FIRST_AT_COMMA if self._first else LATER_AT_CLAUSE
        least = HURRIED_AT_COMMA if self._hurried else least
        return self._at + 1 if self._weight >= least else 0

    def _conjunction(self, *, final: bool) -> int | None:
        """Whether the next word is a conjunction that begins an English clause."""
        if self._weight < (2 * FIRST_AT_CLAUSE if self._first else LATER_AT_CLAUSE):
            return 0
        word = re.match(r"[A-Za-z]*", self._text[self._at + 1 :])
        if word is None or (self._at + 1 + word.end() == len(self._text) and not final):
            return None
        return self._at + 1 if word.group() in _CONJUNCTIONS else 0
