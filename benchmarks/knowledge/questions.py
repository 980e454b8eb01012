"""Asks 118 questions about a folder of documentation, and counts how many are answered by the passages that are found.

    git clone --depth 1 …/fastapi && python -m benchmarks.knowledge.questions fastapi/docs/ko fastapi/docs/en

``questions.tsv`` names the repository and its commit. A question of two passages counts only if both are found.
"""

import argparse
import asyncio
import re
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assistant.agent.citing.support import lacking
from assistant.agent.project_texts import MOST_PASSAGES
from assistant.core.settings import FilesSettings, Provider
from assistant.engine.rooms.knowledge import KnowledgeNeeds, projects_of
from assistant.host.clock import SystemClock
from assistant.host.places import Places
from assistant.host.texts import load_texts
from assistant.llm.backend import ProviderBackend
from assistant.storage.database import Database
from assistant.storage.records.egress import EgressStore

_QUESTIONS = Path(__file__).with_name("questions.tsv")
_FOUND_AT = (1, 5, 10)


@dataclass(frozen=True)
class Question:
    """A question; ``needs`` are regular expressions, each for a passage that its answer needs."""

    language: str
    text: str
    needs: tuple[re.Pattern[str], ...]

    def first_whole(self, passages: Sequence[str]) -> float:
        """The number of passages, best first, after which every need is met; infinite if one is not."""
        places = [
            next((at for at, text in enumerate(passages, 1) if need.search(text)), float("inf")) for need in self.needs
        ]
        return max(places)


def questions() -> list[Question]:
    """All questions of the set."""
    lines = [line for line in _QUESTIONS.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    rows = [line.split("\t") for line in lines]
    return [Question(language, text, tuple(map(re.compile, needs))) for language, text, *needs in rows]


def _warn(key: str, **values: str) -> None:
    print(key, values)


def _no_server(provider: Provider) -> ProviderBackend:
    raise LookupError(f"no server computes meanings here, and {provider.name} was asked")


async def main(folders: Sequence[str], home: Path) -> None:
    """Index the folders in a new home, ask, and print the shares."""
    here, clock = Places(home=home), SystemClock()
    database = await Database.open(here.database, clock)
    ledger = EgressStore(database, clock)
    wiring = KnowledgeNeeds(
        places=here,
        clock=clock,
        texts=load_texts("en"),
        warn=_warn,
        ledger=ledger,
        files=FilesSettings,
        backend_for=_no_server,
    )
    projects = await projects_of(wiring)
    try:
        project = await projects.add("documentation", "default", folders)
        await projects.read_here()
        await projects.pipeline.done()
        state = await projects.find(project.id)
        print(f"{state.files} files, {state.passages} passages, {state.tokens} tokens")
        await projects.index.settled()
        places: dict[tuple[str, int], list[float]] = defaultdict(list)
        told: dict[bool, list[bool]] = defaultdict(list)
        for each in questions():
            found = await projects.search(each.text, [project.id], limit=MOST_PASSAGES)
            texts = [hit.passage.text for hit in found]
            told[bool(each.needs)].append(bool(lacking(each.text, texts)))
            if each.needs:
                places[each.language, len(each.needs)].append(each.first_whole(texts))
        for (language, needs), found_at in sorted(places.items()):
            shares = (f"@{most} {sum(at <= most for at in found_at) / len(found_at):.3f}" for most in _FOUND_AT)
            print(f"{language}, {needs} passage(s), {len(found_at)} questions: recall", *shares)
        for answered, said in sorted(told.items()):
            kind = "are answered" if answered else "are not"
            print(f"of {len(said)} questions that {kind}, code says of {sum(said) / len(said):.3f} that they are not")
    finally:
        await projects.close()
        await database.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", help="folders of the documentation")
    with tempfile.TemporaryDirectory() as made:
        asyncio.run(main([str(Path(each).absolute()) for each in parser.parse_args().folders], Path(made)))
