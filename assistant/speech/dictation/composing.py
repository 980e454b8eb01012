"""Composes what is dictated into one text, and tells how the text at the cursor has to be changed (D-08)."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from assistant.speech.dictation.marks import MarkKind, SpokenMark
from assistant.speech.dictation.reading import Step, TakeBack, WrittenWords

_SIGNS: Final = ".,?!…"


@dataclass(frozen=True, slots=True)
class Edit:
    """A change at the cursor.

    Attributes:
        erased: number of characters before the cursor to be removed first.
        text: what is written then.
    """

    erased: int
    text: str

    def __bool__(self) -> bool:
        """Whether it changes anything."""
        return bool(self.erased or self.text)


class Composing:
    """The text of one dictation."""

    def __init__(self) -> None:
        self._text = ""
        self._begins: list[int] = []
        """Where the phrases begin that can be taken back."""
        self._guessed = False
        """Whether the sign at the end is the recogniser's, so that a spoken one replaces it."""
        self._capital = False

    def take(self, steps: Sequence[Step]) -> Edit:
        """Take what was said next, and return the change that it makes."""
        former = self._text
        for step in steps:
            match step:
                case WrittenWords(text=text):
                    self._write(unicodedata.normalize("NFC", text))
                case SpokenMark():
                    self._sign(step)
                case TakeBack():
                    self._text = self._text[: self._begins.pop()] if self._begins else self._text
                    self._guessed = False
        same = next((at for at, (a, b) in enumerate(zip(former, self._text, strict=False)) if a != b), None)
        same = min(len(former), len(self._text)) if same is None else same
        return Edit(erased=len(former) - same, text=self._text[same:])

    def _write(self, text: str) -> None:
        if self._guessed and self._text.endswith(".") and text[0].islower():
            self._text = self._text[:-1]  # The sentence goes on.
        self._begins.append(len(self._text))
        if self._capital and text[0].islower():
            text = text[0].upper() + text[1:]
        spaced = self._closes or (bool(self._text) and self._text[-1] not in '\n("')
        self._text += f" {text}" if spaced else text
        self._guessed, self._capital = text[-1] in _SIGNS, False

    @property
    def _closes(self) -> bool:
        """Whether the text ends with a quotation mark that closes."""
        return self._text.endswith('"') and self._text.count('"') % 2 == 0

    def _sign(self, mark: SpokenMark) -> None:
        if self._guessed and mark.kind in {MarkKind.INNER, MarkKind.END}:
            self._text = self._text.rstrip(_SIGNS)
        if mark.kind is MarkKind.OPEN and self._text and self._text[-1] not in "\n(":
            self._text += " "
        self._text += mark.sign
        self._guessed = False
        self._capital = mark.kind in {MarkKind.END, MarkKind.BREAK} or (self._capital and mark.kind is MarkKind.CLOSE)
