"""What a model that is asked about a project is sent and answers (K-02, K-04)."""

from collections.abc import Sequence

import pytest

from assistant.agent.agent_request import AgentRequest
from assistant.agent.context.project_texts import ProjectSize
from assistant.agent.profile import AgentProfile
from assistant.agent.summaries.summarizer import History
from assistant.core.documents import Document
from assistant.core.knowledge.passages import Passage
from assistant.core.messages import Message, Role, Summary
from assistant.core.packets import AnswerDelta, Cited, Packet
from assistant.core.settings import Language, LlmSettings, ModelFacts, Provider, Settings
from assistant.core.texts import Texts
from assistant.llm.backend import ModelRequest
from tests.fakes.backend import FakeBackend, says
from tests.unit.conftest import MakeWorld

FILES = (
    Document(title="회의록.md", contents="회의는 매주 화요일 오후 3시에 열린다.", file="f1", passage=1),
    Document(title="규정.md", contents="출장비는 하루 80,000원까지 지급한다.", file="f2", passage=1),
)


class TwoPassages:
    """Implements ``ProjectTexts`` with two passages, unless other files are given."""

    def __init__(self, files: Sequence[Document] = FILES) -> None:
        self._files = files

    async def size(self) -> ProjectSize:
        return ProjectSize(files=2, tokens=60, characters=60)

    async def whole(self) -> Sequence[Document]:
        return self._files

    async def found(self, question: str, most: int) -> Sequence[Document]:
        return self._files[:most]

    def sent(self, *, whole: bool) -> bool:
        return False


class FifthPassage(TwoPassages):
    """Too large to be sent whole; what is asked stands in the fifth passage that is found."""

    async def size(self) -> ProjectSize:
        return ProjectSize(files=500, tokens=10**7, characters=10**8)

    async def found(self, question: str, most: int) -> Sequence[Document]:
        others = [Document(title=f"{at}.md", contents="회의는 길다.", file=f"o{at}", passage=1) for at in range(4)]
        return [*others, FILES[1]][:most]


async def answered(
    make_world: MakeWorld, question: str, reply: str, *, small: bool
) -> tuple[str, list[int], list[ModelRequest]]:
    packets, requests = await asked(make_world, question, reply, TwoPassages(), small=small)
    text = "".join(each.text for each in packets if isinstance(each, AnswerDelta))
    return text, [each.citation.number for each in packets if isinstance(each, Cited)], requests


async def asked(
    make_world: MakeWorld, question: str, reply: str, project: TwoPassages, *, small: bool
) -> tuple[list[Packet], list[ModelRequest]]:
    backend = FakeBackend(says(reply))
    exchange = make_world(backend).answerer.exchange
    provider = Provider(name="p", kind="openai", base_url="http://127.0.0.1:1")
    facts = ModelFacts(model="s", provider="p", small=small)
    exchange.live.change(
        Settings(language="ko", llm=LlmSettings(provider="p", model="s"), providers=(provider,), models=(facts,))
    )
    messages = (Message(role=Role.USER, text=question),)
    history = History(
        conversation="", messages=messages, files={}, summary=Summary(), count=1, unsummarised=1, own_prompts={}
    )
    request = AgentRequest(profile=AgentProfile(name="sori"), history=history, project=project)
    packets = [each async for each in exchange.packets(request)]
    return packets, backend.requests


@pytest.mark.parametrize(
    ("small", "reply", "shown", "cited"),
    [
        (True, "회의는 매주 화요일 오후 3시예요.", "회의는 매주 화요일 오후 3시예요 [1].", [1]),
        (True, "회의는 매주 화요일 오후 5시예요.", "{unsupported}\n\n회의는 매주 화요일 오후 5시예요.", []),
        (False, "회의는 매주 화요일 오후 3시예요.", "회의는 매주 화요일 오후 3시예요.", []),
        (False, "화요일 오후 3시예요 [1]. 끝 [7].", "화요일 오후 3시예요 [1]. 끝.", [1]),
    ],
)
async def test_a_small_model_is_cited_by_code_and_a_large_one_cites_itself(
    make_world: MakeWorld, all_texts: dict[Language, Texts], small: bool, reply: str, shown: str, cited: list[int]
) -> None:
    text, numbers, _ = await answered(make_world, "회의는 언제야?", reply, small=small)
    assert (text, numbers) == (shown.format(unsupported=all_texts["ko"]("chat.unsupported")), cited)


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("주차장은 어디에 있어?", False),
        ("연차 휴가는 며칠이야?", False),
        ("사장님 생일이 언제야?", False),
        ("회의는 언제야?", True),
        ("출장비는 얼마야?", True),
        ("너는 누구야?", True),
        ("안녕, 반가워", True),
    ],
)
async def test_what_the_files_do_not_tell_is_said_in_place_of_a_small_model(
    make_world: MakeWorld, all_texts: dict[Language, Texts], question: str, asked: bool
) -> None:
    text, cited, requests = await answered(make_world, question, "서울시 중구에 있어요.", small=True)
    assert bool(requests) == asked
    assert (text == all_texts["ko"]("chat.not_in_files")) != asked
    assert cited == []


@pytest.mark.parametrize(
    ("question", "reached"),
    [
        ("출장비는 하루 얼마야?", True),
        ("하루에 출장비를 얼마까지 지급해?", True),
        ("회의는 길어?", True),
        ("주차장은 어디에 있어?", False),
        ("연차 휴가는 며칠이야?", False),
    ],
)
async def test_a_question_is_compared_with_more_passages_than_a_small_model_is_sent(
    make_world: MakeWorld, question: str, reached: bool
) -> None:
    _, requests = await asked(make_world, question, "글쎄요.", FifthPassage(), small=True)
    assert bool(requests) == reached
    assert all("80,000" not in message.text for request in requests for message in request.messages)


async def test_a_large_model_is_told_what_was_not_found_and_how_to_cite(make_world: MakeWorld) -> None:
    _, _, requests = await answered(make_world, "주차장은 어디에 있어?", "나와 있지 않아요.", small=False)
    sent = "\n".join([requests[0].system, *(each.text for each in requests[0].messages)])
    for part in ("주차장", "[1]처럼", '"document": 2'):
        assert part in sent


@pytest.mark.parametrize(
    ("question", "reply", "small", "told"),
    [
        ("회의는 무슨 요일에 열려?", "회의는 금요일 밤 9시에 열려요.", True, True),
        ("출장비는 하루 얼마야?", "출장비는 하루 95,000원이에요.", True, True),
        ("회의는 언제 열려?", "회의는 매주 화요일 오후 3시에 열려요.", True, False),
        ("출장비는 하루 얼마까지야?", "출장비는 하루 80,000원까지 지급해요.", True, False),
        ("회의는 누가 진행해?", "파일에 나와 있지 않아요.", True, False),
        ("회의에 몇 명이 와?", "회의는 매주 화요일 오후에 열려요.", True, True),
        ("회의는 누가 진행해?", "없으면 파일에 나와 있지 않다고만 말하세요. 김민수가 진행해요.", True, True),
        ("회의는 무슨 요일에 열려?", "회의는 금요일 밤 9시에 열려요.", False, False),
        ("회의 고마워!", "천만에요, 언제든 불러 주세요.", True, False),
        ("너는 회의를 어떻게 생각해?", "저는 회의가 좋아요.", True, False),
    ],
)
async def test_an_answer_of_a_small_model_that_no_file_supports_says_so(
    make_world: MakeWorld, all_texts: dict[Language, Texts], question: str, reply: str, small: bool, told: bool
) -> None:
    text, _, _ = await answered(make_world, question, reply, small=small)
    assert text.startswith(all_texts["ko"]("chat.unsupported")) == told
    assert reply[:10] in text


@pytest.mark.parametrize("small", [False, True])
async def test_a_file_that_is_sent_whole_is_cited_by_the_passage_of_each_sentence(
    make_world: MakeWorld, small: bool
) -> None:
    texts = ("회의는 매주 화요일 오후 3시에 열린다.", "출장비는 하루 80,000원까지 지급한다.")
    ends = [len(texts[0]), len("\n\n".join(texts))]
    parts = tuple(
        Passage(number=number, start=end - len(text), end=end, text=text)
        for number, (text, end) in enumerate(zip(texts, ends, strict=True), 1)
    )
    whole = Document(title="규정.md", contents="\n\n".join(texts), file="f1", parts=parts)
    mark = "" if small else " [1]"
    reply = f"출장비는 하루 80,000원까지예요{mark}. 회의는 매주 화요일 오후 3시예요{mark}."
    packets, _ = await asked(make_world, "회의와 출장비를 알려 줘", reply, TwoPassages((whole,)), small=small)
    cited = [each.citation for each in packets if isinstance(each, Cited)]
    assert [(each.number, each.passage, each.text) for each in cited] == [(1, 2, texts[1]), (1, 1, texts[0])]
