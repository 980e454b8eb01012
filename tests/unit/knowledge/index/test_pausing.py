"""Meanings are computed only while Sori neither answers nor speaks."""

import asyncio
from pathlib import Path

from assistant.core.knowledge.passages import Passage
from tests.fakes.meaning import ConceptEmbedder, embedded_index

TEXTS = ("The dog needs a walk.", "고양이", "refund")


class Turns:
    """``IdleTimes`` that let one step go on after another."""

    def __init__(self) -> None:
        self.asked, self._free = asyncio.Semaphore(0), asyncio.Semaphore(0)

    async def free(self) -> None:
        self.asked.release()
        await self._free.acquire()

    def end(self) -> None:
        self._free.release()


async def test_work_on_meanings_waits_between_two_texts_while_sori_is_busy(tmp_path: Path) -> None:
    embedder, turns = ConceptEmbedder(), Turns()
    index = embedded_index(tmp_path, embedder)
    index.pause_while(turns)
    passages = [Passage(number=at, start=0, end=len(text), text=text) for at, text in enumerate(TEXTS, 1)]
    await index.replace("p", "a", passages)
    for done in range(len(TEXTS)):
        await turns.asked.acquire()
        assert embedder.texts == list(TEXTS[:done])
        assert (await index.search("고양이", ["p"]))[0].number == 2  # Words and the question do not wait.
        turns.end()
    await index.settled()
    assert embedder.texts == list(TEXTS)
    assert (await index.state("p")).waiting == 0
    await index.close()
