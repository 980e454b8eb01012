"""Time from the end of a spoken question to the first sound: about a project of 10,000 passages, and about none.

    python -m benchmarks.knowledge.spoken_question [--passages 10000] [--clips 5] [--rounds 3]

The recordings, the voices, the scripted model server and the measure are those of ``voice_latency``. Each run is a
fresh process of ``sori listen`` in the same home, with ``--project`` and without, in turn; it hears the recording
twice. The question's vector comes from the real model, and twelve passages are sent to the server. The passages are
made of random words with made vectors, because what they hold does not change how long a search takes.
The server answers after 300 ms however long a prompt is, so a real model's time to read the passages comes on top.
A round of 5 recordings takes 10 minutes, and the project 1 minute.

Seen with ``--clips 2 --rounds 1`` on a quiet machine: 0.97 of the first turn's time without a project, 0.98 of a later
turn's.
"""

import argparse
import asyncio
import statistics
import tempfile
from pathlib import Path
from unittest.mock import patch

from assistant.core.settings import Settings
from assistant.host.model_store import open_store
from assistant.host.needed_models import needed_models
from assistant.host.places import default_home
from assistant.knowledge.meaning.local_embedder import FILE, MODEL
from benchmarks.knowledge.index_at_scale import CentreEmbedder, random_words
from benchmarks.knowledge.questions import NAME, documentation, opened_chat
from benchmarks.voice.turn.arms import Arms
from benchmarks.voice.voice_latency import PACE, REPLIES, WHOLE, Delays, measure_turns, read_clip
from benchmarks.wire.scripted_servers import scripted_servers

WANTED = 1.15
_A_FILE = 100
_PASSAGE_WORDS = 110
"""Words of a paragraph that is one passage."""


class MadeMeanings(CentreEmbedder):
    """Its vectors count as those of the local model, so a question about them is turned into a vector by that."""

    name = f"{MODEL}/{FILE}"


def write_files(folder: Path, passages: int) -> None:
    """Write texts of so many passages."""
    folder.mkdir()
    words = random_words()
    for start in range(0, passages, _A_FILE):
        paragraphs = (words(_PASSAGE_WORDS) for _ in range(min(_A_FILE, passages - start)))
        (folder / f"{start:06}.txt").write_text("\n\n".join(paragraphs), encoding="utf-8")


async def make_project(home: Path, folder: Path) -> None:
    """Make a project of the texts."""
    with patch("assistant.engine.rooms.passages.LocalEmbedder", lambda _path: MadeMeanings()):
        chat = await opened_chat(home)
        try:
            await documentation(chat, [str(folder)])
        finally:
            await chat.close()


def ratio(delays: Delays) -> float:
    """The median of the turns with the project in those without."""
    middle = {name: statistics.median(s for _, s in each if s is not None) for name, each in delays.items()}
    return middle["project"] / middle["Sori"]


def main(passages: int, clips: int, rounds: int) -> None:
    """Make the project, hear the recordings, and print the ratios."""
    chosen = [read_clip(*each) for each in WHOLE[:clips]]
    store = open_store(default_home())
    store.ensure([*needed_models(Settings(language="ko")), MODEL])
    with tempfile.TemporaryDirectory() as made, scripted_servers(REPLIES, *PACE) as urls:
        arms = Arms(folder=Path(made), models=store.folder, urls=urls, project=NAME)
        write_files(arms.folder / "files", passages)
        asyncio.run(make_project(arms.home, arms.folder / "files"))
        for _ in range(rounds):
            for title, delays in zip(("first", "later"), measure_turns(arms, ("project", "Sori"), chosen), strict=True):
                print(f"{title} turn: {ratio(delays):.2f} of the time without a project (wanted: {WANTED} at most)")


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--passages", type=int, default=10_000)
    arguments.add_argument("--clips", type=int, default=len(WHOLE))
    arguments.add_argument("--rounds", type=int, default=3)
    given = arguments.parse_args()
    main(given.passages, given.clips, given.rounds)
