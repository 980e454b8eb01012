"""Which document supports a sentence, and that a sentence gets none rather than a wrong one."""

import pytest

from assistant.agent.citing.answer_citing import AnswerCiting
from assistant.agent.citing.sentences import SentenceCiter
from assistant.agent.citing.support import answers_in_kind, best_excerpt, lacking, says_unknown, supporting
from assistant.core.citing.markers import Part, written
from assistant.core.documents import Document, TurnDocuments
from assistant.core.knowledge.passages import Citation, Passage, cited_at, distinct

GIVEN = (
    Citation(
        number=1,
        title="회의록.md",
        text="# 3월 회의록\n정기 회의는 매주 화요일 오후 3시에 2층 회의실에서 열린다.\n참석자는 김민수, 이영희이다.",
    ),
    Citation(number=2, title="규정.md", text="출장비는 하루 80,000원까지 지급한다.\n숙박비는 120,000원을 넘지 않는다."),
    Citation(
        number=3,
        title="guide.md",
        text="The server listens on port 8080 by default.\nSet SORI_PORT to change it. Logs are kept for 14 days.",
    ),
    Citation(number=4, title="회의록-4월.md", text="정기 회의는 매주 목요일 오전 10시에 3층 회의실에서 열린다."),
    Citation(number=5, title="hotel.md", text="싱글룸은 한 번에 두 개까지 예약해요.\nThe garage holds twelve cars."),
)
SUPPORTED = [
    ("정기 회의는 화요일 오후 3시에 2층 회의실에서 열려요.", 1),
    ("회의는 매주 화요일 오후 3시예요.", 1),
    ("참석자는 김민수와 이영희예요.", 1),
    ("출장비는 하루에 80000원까지 지급해요.", 2),
    ("출장비는 하루 80,000원까지예요.", 2),
    ("정기 회의는 목요일 오전 10시에 열려요.", 4),
    ("The server listens on port 8080.", 3),
    ("Logs are kept for 14 days.", 3),
    ("You can change the port by setting SORI_PORT.", 3),
    ("포트는 SORI_PORT로 바꿔요.", 0),
    ("- **출장비**: 하루 80,000원까지 지급", 2),
    ("싱글룸은 2개까지 예약할 수 있어요.", 5),
    ("싱글룸은 두 개까지 예약할 수 있어요.", 5),
    ("The garage holds 12 cars.", 5),
    ("싱글룸은 한 번에 예약할 수 있어요.", 5),
]
UNSUPPORTED = [
    "정기 회의는 화요일 오후 4시에 열려요.",
    "정기 회의는 화요일 오후 3시에 열리지 않아요.",
    "출장비는 하루 90,000원까지 지급해요.",
    "회의는 화요일 오후 10시에 2층에서 열려요.",
    "The server listens on port 9090 by default.",
    "The server does not listen on port 8080.",
    "Logs are kept for 30 days.",
    "파일에는 회의 장소가 나와 있지 않아요.",
    "회의는 언제 열릴까요?",
    "안녕하세요, 무엇을 도와드릴까요?",
    "The documents do not mention the port.",
    "네, 맞아요.",
    "부산 출장은 KTX로 하루 80,000원까지 지급해요.",
    "다음과 같아요:",
    "싱글룸은 세 개까지 예약할 수 있어요.",
    "싱글룸은 3개까지 예약할 수 있어요.",
    "The garage holds five cars.",
]


@pytest.mark.parametrize(("sentence", "number"), [*SUPPORTED, *((each, 0) for each in UNSUPPORTED)])
def test_a_sentence_is_supported_by_the_passage_that_holds_its_facts(sentence: str, number: int) -> None:
    assert supporting(sentence, GIVEN) == number


@pytest.mark.parametrize(
    ("question", "answer", "number"),
    [
        ("숙박비는 얼마까지야?", "12만 원", 0),
        ("출장비는 하루에 얼마까지 지급해?", "80,000원", 2),
        ("4월 정기 회의는 무슨 요일이야?", "목요일이에요.", 4),
        ("정기 회의는 몇 시에 열려?", "10시", 4),
        ("정기 회의는 몇 시에 열려?", "오후 3시", 1),
        ("4월 정기 회의는 어디서 열려?", "2층 회의실이에요.", 0),
        ("출장비는 하루에 얼마까지 지급해?", "80,000원이에요.", 2),
        ("정기 회의 참석자는 누구야?", "김민수", 1),
        ("정기 회의는 몇 시에 열려?", "8080", 0),
        ("정기 회의는 화요일에 열려?", "네.", 0),
        ("출장비는 얼마까지 지급해?", "14일", 0),
        ("How long are logs kept?", "14 days.", 3),
        ("On which port does the server listen?", "8080", 3),
        ("How long are logs kept?", "30 days.", 0),
        ("On which port does the Redis server listen?", "8080", 0),
        ("Are logs kept?", "Yes.", 0),
        ("How long are logs kept?", "Why?", 0),
        ("What is the capital of France?", "14", 0),
    ],
)
def test_an_answer_of_one_or_two_words_is_compared_together_with_its_question(
    question: str, answer: str, number: int
) -> None:
    citer = SentenceCiter(lambda: GIVEN, question)
    shown = written([*citer.take([answer]), *citer.end()])
    assert (f"[{number}]" in shown) == (number > 0), shown
    assert "[" not in shown or number


def cited(parts: list[Part], *, size: int = 0) -> str:
    citer, shown = SentenceCiter(lambda: GIVEN), list[Part]()
    for part in parts:
        if isinstance(part, str) and size:
            for at in range(0, len(part), size):
                shown += citer.take([part[at : at + size]])
        else:
            shown += citer.take([part])
    return written([*shown, *citer.end()])


@pytest.mark.parametrize("size", [0, 1, 3])
@pytest.mark.parametrize(
    ("parts", "shown"),
    [
        (["회의는 매주 화요일 오후 3시예요. 맛있게 드세요."], "회의는 매주 화요일 오후 3시예요 [1]. 맛있게 드세요."),
        (["회의는 매주 화요일 오후 3시예요. ", 4, " 끝이에요."], "회의는 매주 화요일 오후 3시예요. [4] 끝이에요."),
        (["회의는 매주 화요일 오후 3시예요 ", 4, "."], "회의는 매주 화요일 오후 3시예요 [4]."),
        (["The server listens on port 8080"], "The server listens on port 8080 [3]"),
        (
            ["- 출장비는 하루 80,000원까지\n- 숙박비는 다른 값 5원\n"],
            "- 출장비는 하루 80,000원까지 [2]\n- 숙박비는 다른 값 5원\n",
        ),
        (["```\nThe server listens on port 8080.\n```\n"], "```\nThe server listens on port 8080.\n```\n"),
        (["`The server listens on port 8080. `\n"], "`The server listens on port 8080. `\n"),
        (["# The server listens on port 8080\n"], "# The server listens on port 8080\n"),
        (["Logs are kept for 14 days!\n\nBye."], "Logs are kept for 14 days [3]!\n\nBye."),
        (["값은 3.5예요. 네."], "값은 3.5예요. 네."),
    ],
)
def test_code_cites_sentences_that_the_model_has_not_cited(parts: list[Part], shown: str, size: int) -> None:
    assert cited(parts, size=size) == shown


def test_a_reply_without_documents_passes_unchanged() -> None:
    citing = AnswerCiting(TurnDocuments(), by_code=True)
    assert written([*citing.take("배열 [9] 와 [1"), *citing.end()]) == "배열 [9] 와 [1"


def test_of_a_whole_file_the_part_that_was_cited_is_kept() -> None:
    lines = [f"{number}번 항목은 값이 {number * 7}이다." for number in range(400)]
    whole = Citation(number=1, title="값.md", file="f", text="\n".join(lines))
    part = best_excerpt(whole, "먼저예요. 200번 항목의 값은 1400이에요", 300)
    assert "200번 항목은 값이 1400이다." in part.text
    assert len(part.text) <= 300
    assert part.text in whole.text


def test_what_a_citation_refers_to_is_what_the_model_was_given() -> None:
    documents = TurnDocuments()
    documents.json([Document(title="a.md", contents="A", file="f1", passage=3, page=2)])
    citing = AnswerCiting(documents)
    assert written([*citing.take("그래요 [1] [2]"), *citing.end()]) == "그래요 [1]"
    assert citing.citation(1, "그래요") == Citation(number=1, title="a.md", file="f1", passage=3, page=2, text="A")


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("정기 회의는 언제 해?", False),
        ("회의는 어디에서 열려?", False),
        ("참석자가 누구야?", False),
        ("출장비는 하루에 얼마까지 줘?", False),
        ("Which port does the server listen on?", False),
        ("How long are logs kept?", False),
        ("제가 어제 휴가라 자리를 비워서 못 들었는데 출장비는 하루에 얼마까지 줘요?", False),
        ("We were all away yesterday and missed the talk, so on which port does the server listen?", False),
        ("출장비랑 회의록은 제가 봤는데 주차장은 어디에 있어요?", True),
        ("We read the server guide and its port. Who wrote the compiler?", True),
        ("주차장은 어디에 있어?", True),
        ("연차 휴가는 며칠이야?", True),
        ("사장님 생일이 언제야?", True),
        ("What is the licence of the library?", True),
        ("Who wrote the compiler?", True),
        ("안녕, 반가워", False),
        ("너는 이름이 뭐야?", False),
        ("What can you do?", False),
        ("농담 하나 해 줘", False),
        ("Thanks a lot!", False),
        ("회의록을 요약해 줘", False),
    ],
)
def test_the_words_of_a_question_that_nothing_tells_of_are_named(question: str, missing: bool) -> None:
    given = [Document(title=each.title, contents=each.text) for each in GIVEN]
    assert (lacking(question, given) is not None) == missing


KOREAN = "연차 휴가는 15일이며 3월 말까지 신청한다. 병가는 진단서를 내고, 경조사 휴가는 5일까지 쓴다."
ENGLISH = "Annual leave is 15 days. Ask for it with the form HR-12 until the end of March. The office is in Busan."


@pytest.mark.parametrize(
    ("question", "text", "nearness", "missing"),
    [
        ("연차 휴가는 며칠이야?", KOREAN, 0.60, False),
        ("연차 휴가는 며칠이야?", KOREAN, 0.30, True),
        ("연차 휴가는 며칠이야?", KOREAN, None, False),
        ("쉬는 날이 몇 번이나 돼?", KOREAN, 0.80, False),  # other words, the same meaning
        ("쉬는 날이 몇 번이나 돼?", KOREAN, 0.55, True),
        ("주차장은 어디에 있어?", KOREAN, 0.55, True),
        ("연차 휴가는 며칠이야?", ENGLISH, 0.45, False),  # words of another language tell nothing
        ("연차 휴가는 며칠이야?", ENGLISH, 0.30, True),
        ("연차 휴가는 며칠이야?", ENGLISH, None, False),
        ("HR-12 양식은 언제까지 내?", ENGLISH, 0.40, False),
        ("ISO-9001 인증은 언제 받아?", ENGLISH, 0.60, True),  # names do
        ("How many days of annual leave are there?", ENGLISH, 0.60, False),
        ("How many days of annual leave are there?", ENGLISH, 0.30, True),
        ("Who wrote the compiler?", ENGLISH, 0.60, True),
        ("How many days of annual leave are there?", KOREAN, 0.45, False),
        ("How many days of annual leave are there?", KOREAN, 0.30, True),
        ("Where is the Busan office?", KOREAN, 0.60, True),
        ("안녕, 반가워", KOREAN, 0.10, False),
        ("What can you do?", ENGLISH, 0.10, False),
    ],
)
def test_a_text_with_few_words_of_a_question_has_to_be_nearer_to_it(
    question: str, text: str, nearness: float | None, missing: bool
) -> None:
    given = [Document(title="a", contents=text, nearness=each) for each in (nearness, nearness and nearness / 2)]
    assert (lacking(question, given) is not None) == missing


def test_while_vectors_are_made_words_alone_tell_what_is_missing() -> None:
    given = [Document(title="a", contents=KOREAN), Document(title="b", contents="주차는 무료이다.", nearness=0.2)]
    assert lacking("연차 휴가는 며칠이야?", given) is None
    assert lacking("주방은 누가 청소해?", given) is not None


@pytest.mark.parametrize(
    ("question", "answer", "fits"),
    [
        ("하루에 몇 명이 와?", "하루에 30명이 와요.", True),
        ("하루에 몇 명이 와?", "하루에 세 명이 와요.", True),
        ("하루에 몇 명이 와?", "서버를 늘리는 편이 나아요.", False),
        ("2층에는 방이 몇 개야?", "2층에는 방이 있어요.", False),
        ("휴가는 며칠이야?", "휴가는 미리 신청해요.", False),
        ("값이 얼마야?", "값은 정해지지 않았어요.", True),
        ("얼마나 빨라?", "아주 빨라요.", True),
        ("몇 가지 방법을 알려 줘", "화면에서 바꿔요.", True),
        ("회의는 어디서 열려?", "회의실에서 열려요.", True),
        ("How many rooms are there?", "There are twelve rooms.", True),
        ("How many rooms are there?", "Rooms can be booked.", False),
        ("How much does it cost?", "It costs 40 euros.", True),
        ("How much does it cost?", "It is paid in advance.", False),
        ("How many users are allowed?", "There is no limit.", True),
        ("How do I book a room?", "Use the form.", True),
    ],
)
def test_a_question_for_a_number_is_answered_by_a_number(question: str, answer: str, fits: bool) -> None:
    assert answers_in_kind(question, answer) == fits


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("파일에 나와 있지 않아요.", True),
        ("죄송해요. 그 정보는 찾을 수 없어요.", True),
        ("파일에 나와 있지 않으니 담당자에게 물어보세요.", True),
        ("물어본 내용이 파일에 없으면 파일에 나와 있지 않다고만 말하세요.", False),
        ("모르면 찾지 못했다고 답하세요. 회의는 화요일이에요.", False),
        ("모르면 찾지 못했다고 답하세요. 회의 장소는 나와 있지 않아요.", True),
        ("회의는 화요일이에요.", False),
        ("The files do not tell it.", True),
        ("The refund period is not specified in the provided files.", True),
        ("If they do not tell what is asked, say only that the files do not tell it.", False),
        ("Say that the files do not tell it. The limit is 10.", False),
        ("The limit is 10.", False),
    ],
)
def test_an_order_to_say_that_something_is_unknown_does_not_say_it(text: str, unknown: bool) -> None:
    assert says_unknown(text) == unknown


TOOLS = (
    Citation(
        number=1,
        title="인증서.md",
        text="인증서를 갱신하는 도구는 예를 들어 다음과 같다:\n\n* Traefik\n    * 자동으로 갱신\n* Caddy\n"
        "    * 자동으로 갱신\n* Nginx\n    * Certbot을 쓴다\n* HAProxy\n\n다음은 배포이다.",
    ),
    Citation(number=2, title="stack.md", text="- PostgreSQL as database.\n- React for the frontend.\n- Docker."),
    Citation(number=3, title="team.md", text="Leave:\n- Kim: 10 days\n- Lee: 15 days\n- Park: 20 days\n- Choi: 25"),
)


@pytest.mark.parametrize(
    ("question", "answer", "number"),
    [
        ("인증서를 갱신하는 도구는 뭐야?", "인증서를 갱신하는 도구는 Traefik, Caddy, Nginx, HAProxy예요.", 1),
        ("인증서를 갱신하는 도구는 뭐야?", "도구는 Traefik, Caddy, Nginx, Apache예요.", 0),
        ("HTTPS 인증서를 갱신하는 도구는 뭐야?", "HTTPS 도구는 Traefik, Caddy, Nginx, HAProxy예요.", 0),
        ("인증서를 갱신하지 않는 도구는 뭐야?", "Traefik, Caddy, HAProxy는 인증서를 갱신하지 않아요.", 0),
        ("Which database does the stack use?", "The stack uses PostgreSQL as its database.", 2),
        ("Which database does the stack use?", "The stack uses MySQL as its database.", 0),
        ("Which database and frontend does the stack have?", "It has PostgreSQL, React and Docker.", 2),
        ("Which database and frontend does the stack have?", "It has PostgreSQL, Vue and Docker.", 0),
        ("How many days of leave has Kim?", "Kim has 10 days.", 3),
        ("How many days of leave has Kim?", "Kim has 20 days.", 3),  # three lines stand together
        ("How many days of leave has Choi?", "Choi has 10 days.", 0),
        ("How many days of leave has Choi?", "Choi, Kim, Lee and Park have 10 days of leave.", 0),
        ("Who is named under leave?", "Leave is named for Kim, Lee, Park and Choi.", 3),
    ],
)
def test_what_names_several_things_is_compared_with_a_whole_list(question: str, answer: str, number: int) -> None:
    assert supporting(answer, TOOLS, question) == number


@pytest.mark.parametrize("size", [1, 4, 1000])
@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        ("Logs are kept for 14 days. Bye.", "Logs are kept for 14 days [1]. Bye."),
        ("Well. Logs are kept for 14 days.", "Well. Logs are kept for 14 days [1]."),
        ("Logs are kept for 30 days.", "NOT CONFIRMED\n\nLogs are kept for 30 days."),
        ("The files do not tell it.", "The files do not tell it."),
        ("", ""),
    ],
)
def test_an_answer_that_nothing_confirms_is_shown_after_the_words_that_say_so(
    answer: str, shown: str, size: int
) -> None:
    documents = TurnDocuments()
    documents.number(Document(title="a", contents="The server listens on port 8080.\nLogs are kept for 14 days."))
    citing = AnswerCiting(documents, by_code=True, unsupported="NOT CONFIRMED", question="How long are logs kept?")
    pieces = [citing.take(answer[at : at + size]) for at in range(0, len(answer), size)]
    if not shown.endswith("Bye."):
        assert not any(pieces)
    assert written([part for parts in [*pieces, citing.end(whole=True)] for part in parts]) == shown


def test_a_long_answer_that_nothing_confirms_is_not_held_back_for_ever() -> None:
    citing = AnswerCiting(TurnDocuments(), by_code=True, unsupported="NOT CONFIRMED", question="Why?")
    assert citing.take("Because of the weather. " * 10) == []
    assert written(citing.take("Because of the weather. " * 10)).startswith("NOT CONFIRMED\n\nBecause")
    assert written(citing.take("The end.")) == "The end."


def test_words_before_a_call_are_no_answer() -> None:
    citing = AnswerCiting(TurnDocuments(), by_code=True, unsupported="NOT CONFIRMED", question="Why?")
    assert citing.take("Let me look.") == []
    assert citing.end() == ["Let me look."]


PARTS = (
    "# 회의\n정기 회의는 매주 화요일 오후 3시에 2층 회의실에서 열린다. 참석자는 김민수와 이영희이다.",
    "# 출장\n출장비는 하루 80,000원까지 지급한다. 숙박비는 120,000원을 넘지 않는다.",
    "# Server\nThe server listens on port 8080 by default. Logs are kept for 14 days.",
    "# Backups\nBackups run every night at 02:30 and are kept for 90 days in the Busan office.",
    "# 휴가\n연차 휴가는 15일이며 3월 말까지 신청한다. 병가는 진단서를 낸다.",
)
PLACES = [
    ("회의는 화요일 오후 3시예요", 1),
    ("참석자는 김민수와 이영희예요", 1),
    ("회의실은 2층에 있어요", 1),
    ("출장비는 하루 80,000원까지예요", 2),
    ("숙박비는 120,000원을 넘지 않아요", 2),
    ("The server listens on port 8080", 3),
    ("Logs are kept for 14 days", 3),
    ("Backups are kept for 90 days", 4),
    ("They are stored in the Busan office", 4),
    ("백업은 Busan 사무실에 90일 보관해요", 4),
    ("연차 휴가는 15일이에요", 5),
    ("병가에는 진단서가 필요해요", 5),
    ("회의는 화요일이고, 휴가는 많아요. 출장비는 하루 80,000원까지 나와요", 2),
    ("어서 오세요", 0),
    ("Of course", 0),
]


def _whole() -> TurnDocuments:
    passages, at = [], 0
    for number, text in enumerate(PARTS, 1):
        passages.append(Passage(number=number, start=at, end=at + len(text), text=text, page=number + 10))
        at += len(text) + 2
    given = TurnDocuments()
    given.number(Document(title="규정집.md", contents="\n\n".join(PARTS), file="f1", parts=tuple(passages)))
    return given


@pytest.mark.parametrize(("before", "passage"), PLACES)
def test_a_citation_of_a_whole_file_opens_the_passage_of_its_sentence(before: str, passage: int) -> None:
    cited = AnswerCiting(_whole()).citation(1, f"{before} ")
    assert (cited.number, cited.file, cited.passage) == (1, "f1", passage)
    if passage:
        assert (cited.text, cited.page) == (PARTS[passage - 1], passage + 10)


def test_each_place_of_a_number_has_a_passage_of_its_own_and_a_list_has_each_once() -> None:
    first, other, page = (
        Citation(number=1, title="규정집.md", file="f1", passage=1),
        Citation(number=1, title="규정집.md", file="f1", passage=3),
        Citation(number=2, title="뉴스", url="https://example.org"),
    )
    cited = (first, page, other, first)
    assert [cited_at(cited, 1, place) for place in range(5)] == [first, other, first, first, first]
    assert [cited_at(cited, 2, place) for place in range(2)] == [page, page]
    assert cited_at(cited, 3) is None
    assert distinct(cited) == [first, other, page]
