"""How many passages of a large project a model is sent, and what its question is compared with (K-02)."""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from assistant.agent.context.project_texts import FEW_PASSAGES, MOST_PASSAGES, ProjectSize, Room, sent_of
from assistant.core.documents import Document


@dataclass
class LargeProject:
    """Implements ``ProjectTexts`` with passages of one text, and never fits whole."""

    text: str

    async def size(self) -> ProjectSize:
        return ProjectSize(files=100, tokens=10**6, characters=10**7)

    async def whole(self) -> Sequence[Document]:
        raise NotImplementedError

    async def found(self, question: str, most: int) -> Sequence[Document]:
        return [Document(title=f"{number}.md", contents=self.text) for number in range(most)]

    def sent(self, *, whole: bool) -> bool:
        return whole


KOREAN, ENGLISH = "회의는 매주 화요일에 열린다. " * 25, "The meeting is on Tuesday. " * 37


@pytest.mark.parametrize(
    ("text", "tokens", "characters", "small", "sent"),
    [
        (KOREAN, 4000, 80_000, True, FEW_PASSAGES),
        (ENGLISH, 4000, 80_000, True, FEW_PASSAGES),
        # 4096 tokens of a small model leave about 1600. English has a third of a token a letter.
        (KOREAN, 1600, 80_000, True, 2),
        (ENGLISH, 1600, 80_000, True, 2),
        (KOREAN[:170], 1600, 80_000, True, FEW_PASSAGES),
        (ENGLISH[:500], 1600, 80_000, True, FEW_PASSAGES),
        (KOREAN, 600, 80_000, True, 0),
        (KOREAN, None, 80_000, True, FEW_PASSAGES),
        (KOREAN, None, 1100, True, 1),
        (KOREAN, 100_000, 80_000, False, MOST_PASSAGES),
        (ENGLISH, 100_000, 10_000, False, 4),
        (ENGLISH, 0, 80_000, False, 0),
    ],
)
async def test_as_many_passages_are_sent_as_half_the_room_holds_in_tokens_and_in_letters(
    text: str, tokens: int | None, characters: int, small: bool, sent: int
) -> None:
    room = Room(characters=characters, tokens=tokens, small=small)
    found = await sent_of(LargeProject(text), "언제 열려?", room)
    assert len(found.documents) == sent
    assert len(found.found) == MOST_PASSAGES
