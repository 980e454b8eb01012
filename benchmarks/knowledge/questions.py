"""Asks questions about a folder of documentation, and counts how many are answered by the passages that are found.

    git clone --depth 1 …/fastapi && python -m benchmarks.knowledge.questions fastapi/docs/ko fastapi/docs/en
        [--questions questions.tsv] [--answered N] [--home DIR] [--show]

A file of questions names its repository and commit. A question of two passages counts only if both are found.
``absent_fastapi.tsv`` and ``absent_vue.tsv`` ask mostly for what the files do not tell.

``--answered`` also lets Sori's own model answer N questions of each kind, spread over the set, each in a conversation
of its own, and counts the answers that say that the files do not tell it. The built-in models are small, so code
judges with them: before the answer (``lacking``), and after one that no passage supports. ``--home`` keeps the index.
The passages take 7 minutes of a core and an answer half a minute: ``--answered 12`` is 35 minutes.
"""

import argparse
import asyncio
import os
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

from assistant.agent.citing.support import lacking, says_unknown
from assistant.agent.context.project_texts import MOST_PASSAGES
from assistant.agent.run import packets_of
from assistant.chat.turn_request import TurnRequest
from assistant.core.knowledge.files import Project
from assistant.core.live_settings import LiveSettings
from assistant.core.machine.effects import Origin
from assistant.core.machine.states import TurnId
from assistant.core.packets import AnswerDelta, Failure
from assistant.core.settings import Language, LlmSettings, Settings
from assistant.engine.chat_wiring import Chat, build_chat
from assistant.engine.project_of_turn import document_of
from assistant.host.places import default_home, models_folder
from assistant.host.texts import load_texts

NAME = "documentation"
_QUESTIONS = Path(__file__).parent
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


def questions(name: str) -> list[Question]:
    """All questions of a set, by the name of its file."""
    text = (_QUESTIONS / name).read_text("utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    rows = [line.split("\t") for line in lines]
    return [Question(language, text, tuple(map(re.compile, needs))) for language, text, *needs in rows]


async def opened_chat(home: Path, language: Language = "ko") -> Chat:
    """What answers and indexes in the engine, on a home of its own with the weights of this user."""
    os.environ.setdefault("SORI_MODELS", str(models_folder(default_home())))
    patient = LlmSettings(first_byte_timeout_s=600, total_timeout_s=600)
    return await build_chat(home, LiveSettings(Settings(language=language, llm=patient)), load_texts(language))


async def documentation(chat: Chat, folders: Sequence[str]) -> Project:
    """A project of the folders, whose passages are found by words and by meaning."""
    projects = chat.projects
    known = await projects.all() or [await projects.add(NAME, "default", folders)]
    await projects.read_here()
    await projects.pipeline.done()
    project = await projects.find(known[0].id)
    print(f"{project.files} files, {project.passages} passages, {project.tokens} tokens", flush=True)
    await projects.index.search("", [project.id])
    await projects.index.settled()
    return project


async def find(chat: Chat, project: Project, asked: Iterable[Question]) -> None:
    """Print the shares of questions whose passages are found."""
    places: dict[tuple[str, int], list[float]] = defaultdict(list)
    told: dict[bool, list[bool]] = defaultdict(list)
    for each in asked:
        found = await chat.projects.search(each.text, [project.id], limit=MOST_PASSAGES)
        texts = [hit.passage.text for hit in found]
        told[bool(each.needs)].append(lacking(each.text, [*map(document_of, found)]) is not None)
        if each.needs:
            places[each.language, len(each.needs)].append(each.first_whole(texts))
    for (language, needs), found_at in sorted(places.items()):
        shares = (f"@{most} {sum(at <= most for at in found_at) / len(found_at):.3f}" for most in _FOUND_AT)
        print(f"{language}, {needs} passage(s), {len(found_at)} questions: recall", *shares)
    for answered, said in sorted(told.items()):
        kind = "are answered" if answered else "are not"
        print(f"of {len(said)} questions that {kind}, code says of {sum(said) / len(said):.3f} that they are not")


async def answer(chat: Chat, project: Project, asked: Iterable[Question], *, show: bool) -> Counter[tuple[str, str]]:
    """Let the model answer; how many answers of each kind of question say what."""
    said = Counter[tuple[str, str]]()
    for each in asked:
        text = await _answered(chat, project, each.text)
        unconfirmed = any(load_texts(name)("chat.unsupported") in text for name in ("ko", "en"))
        judged = "unconfirmed" if unconfirmed else "not there" if says_unknown(text) else "answered"
        said[f"{each.language}, {len(each.needs)} passage(s)", judged] += 1
        if show:
            print(f"  {judged}: {each.text} → {text!r}", flush=True)
    return said


async def _answered(chat: Chat, project: Project, question: str) -> str:
    conversation = await chat.storage.conversations.create()
    await chat.storage.conversations.choose_project(conversation, project.id)
    request = TurnRequest(turn=TurnId("1"), conversation=conversation, text=question, origin=Origin.TEXT)
    text = ""
    async with aclosing(packets_of(chat.answers.engine.turn(request))) as packets:
        async for packet in packets:
            match packet:
                case AnswerDelta():
                    text += packet.text
                case Failure():
                    raise RuntimeError(packet.message)
                case _:
                    pass
    return text


def _spread(asked: Iterable[Question], most: int, language: str) -> list[Question]:
    """At most so many questions of each kind."""
    kinds = defaultdict[int, list[Question]](list)
    for each in asked:
        if each.language == language:
            kinds[len(each.needs)].append(each)
    return [of_kind[at * len(of_kind) // most] for of_kind in kinds.values() for at in range(min(most, len(of_kind)))]


async def main(folders: Sequence[str], home: Path, asked: Sequence[Question], answered: int, *, show: bool) -> None:
    """Index the folders, ask, and print the shares."""
    said = Counter[tuple[str, str]]()
    languages: tuple[Language, ...] = ("ko", "en")
    for language in languages:
        chat = await opened_chat(home, language)
        try:
            project = await documentation(chat, folders)
            if language == "ko":
                await find(chat, project, asked)
            if answered:
                said += await answer(chat, project, _spread(asked, answered, language), show=show)
        finally:
            await chat.close()
    for kind in sorted({kind for kind, _ in said}):
        print(f"{kind}:", *(f"{count} {judged}" for (each, judged), count in sorted(said.items()) if each == kind))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", help="folders of the documentation")
    parser.add_argument("--questions", default="questions.tsv", help="a file of questions beside this one")
    parser.add_argument("--answered", type=int, default=0, help="questions of each kind that the model answers")
    parser.add_argument("--home", type=Path, help="an empty folder that keeps the index for the next run")
    parser.add_argument("--show", action="store_true", help="print the answers")
    given = parser.parse_args()
    absolute = [str(Path(each).absolute()) for each in given.folders]
    with tempfile.TemporaryDirectory() as made:
        asked = questions(given.questions)
        asyncio.run(main(absolute, given.home or Path(made), asked, given.answered, show=given.show))
